"""Pages to measure with: words as frequent as words are, no two pages alike, the same in every run."""

import gzip
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer import embedders
from gossamer.steps.tokens.count import count

WORDS = Path(embedders.__file__).with_name("data") / "english.txt.gz"
"""Words of English, the commonest first."""

TOPIC, NAMES = 500, 300
"""How many words a page has of its own subject, and how many names that no other page has."""
SHARES = (0.72, 0.20, 0.08)
"""Of the words of a page: those of the language, of its subject, its names."""
SENTENCE, PARAGRAPH = 20, 5
_STEEPNESS, _EVEN = 1.12, 1.0
"""By which power words get rarer: in prose, and in texts by the thousand."""
SYLLABLES = "ba cor del en fir gou hal is jun kel lor mat nov or pel qua ros sin tur ul ver wen xan yor zim"
"""What names are made of."""


class Writer:
    """Writes pages of a length, each by its number.

    Of twelve thousand tokens such a page has as many different words, as many that are rare, and as many sentences as
    the one with the most of each has among the English articles of that length that retrieval is measured with.
    """

    def __init__(self) -> None:
        pieces = gzip.decompress(WORDS.read_bytes()).decode().split("\n")
        self._frequent = [piece for piece in pieces if piece.isalpha() and piece.isascii() and len(piece) > 1]
        self._words = [word for word in self._frequent if len(word) > 2]
        random.Random(1).shuffle(self._words)
        self._shares = _zipf(len(self._words), 10, _EVEN)

    def paragraphs(self, tokens: int, seed: int) -> list[str]:
        """Paragraphs of five sentences that cost so many tokens together."""
        dice = np.random.default_rng(seed)
        topic = dice.choice(len(self._frequent), size=TOPIC, replace=False)
        names = ["".join(dice.choice(SYLLABLES.split(), size=3)).capitalize() for _ in range(NAMES)]
        sources = (self._frequent, [self._frequent[n] for n in topic], names)
        shares = [_zipf(len(source), 3, _STEEPNESS) for source in sources]
        written: list[str] = []
        while tokens > 0:
            kinds = dice.choice(len(sources), size=SENTENCE * PARAGRAPH, p=SHARES)
            words = [sources[kind][dice.choice(len(sources[kind]), p=shares[kind])] for kind in kinds]
            sentences = [words[first : first + SENTENCE] for first in range(0, len(words), SENTENCE)]
            written.append(" ".join(f"{' '.join([one[0].capitalize(), *one[1:]])}." for one in sentences))
            tokens -= count(written[-1])
        return written

    def running(self, words: int, seed: int) -> list[str]:
        """So many words in a row, drawn at once: for texts by the thousand."""
        drawn = np.random.default_rng(seed).choice(len(self._words), size=words, p=self._shares)
        return [self._words[n] for n in drawn]

    def word(self, rank: int) -> str:
        """The word that is so many places from the commonest, in `running`."""
        return self._words[rank]

    def markdown(self, tokens: int, seed: int) -> str:
        """A text with a heading every four paragraphs."""
        parts = self.paragraphs(tokens, seed)
        return "\n\n".join(f"## Part {n // 4}\n\n{one}" if n % 4 == 0 else one for n, one in enumerate(parts))

    def html(self, tokens: int, seed: int) -> str:
        """The same as a page."""
        parts = self.paragraphs(tokens, seed)
        body = "".join(f"<h2>Part {n // 4}</h2>" * (n % 4 == 0) + f"<p>{one}</p>" for n, one in enumerate(parts))
        return f"<!DOCTYPE html><title>Page {seed}</title><main><article><h1>Page {seed}</h1>{body}</article></main>"

    def question(self, seed: int) -> str:
        """Eight words to look for, neither the commonest nor the rarest."""
        return " ".join(random.Random(seed).sample(self._frequent[50:3000], 8))


def _zipf(words: int, offset: int, power: float) -> NDArray[np.float64]:
    """How often each word comes, the commonest first."""
    weights = np.arange(offset, words + offset, dtype=np.float64) ** -power
    return weights / weights.sum()
