"""Pages to measure with: words as frequent as words are, no two pages alike, the same in every run."""

import gzip
import random
from pathlib import Path

import numpy as np

from gossamer import embedders
from gossamer.steps.tokens import count

WORDS = Path(embedders.__file__).with_name("data") / "english.txt.gz"


COMMON = """
the and that for with was this are from have not which but his they were been had their has who will would one all can
about more also its than other into some could time only these two may then first any such our over new after most made
many must through years where much before
"""
"""What English is told by: without them a text is told as some other language."""


class Writer:
    """Writes pages of a length, each by its number."""

    def __init__(self) -> None:
        pieces = gzip.decompress(WORDS.read_bytes()).decode().split("\n")
        self._words = [piece for piece in pieces if piece.isalpha() and piece.isascii() and len(piece) > 2]
        random.Random(1).shuffle(self._words)
        common = COMMON.split()
        self._words = [*common, *(word for word in self._words if word not in common)]
        weights = 1.0 / np.arange(10, len(self._words) + 10)
        self._shares = weights / weights.sum()

    def paragraphs(self, tokens: int, seed: int) -> list[str]:
        """Paragraphs of five sentences that cost so many tokens together."""
        dice = np.random.default_rng(seed)
        written: list[str] = []
        while tokens > 0:
            drawn = dice.choice(len(self._words), size=60, p=self._shares)
            sentences = [" ".join(self._words[n] for n in drawn[k : k + 12]) for k in range(0, 60, 12)]
            written.append(" ".join(f"{sentence.capitalize()}." for sentence in sentences))
            tokens -= count(written[-1])
        return written

    def running(self, words: int, seed: int) -> list[str]:
        """So many words in a row, drawn at once: for texts by the thousand."""
        drawn = np.random.default_rng(seed).choice(len(self._words), size=words, p=self._shares)
        return [self._words[n] for n in drawn]

    def word(self, rank: int) -> str:
        """The word that is so many places from the commonest."""
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
        return " ".join(random.Random(seed).sample(self._words[50:3000], 8))
