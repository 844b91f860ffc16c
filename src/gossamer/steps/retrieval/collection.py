"""Collection: many pages at hand, and which of them are worth reading for a question.

Their chunks are ranked by words (BM25), and a little by the vectors of a table; a page is as good as its best chunks
and as many of the question's words as it has anywhere. This only chooses pages: what is told of them is ranked finely
afterwards.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.model.page import Chunk, Page
from gossamer.steps.retrieval.chunk import with_headings
from gossamer.steps.retrieval.index import LookUp
from gossamer.steps.text.words import Stem, plain_words
from gossamer.steps.tokens.count import truncate_each

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_K1, _B = 1.2, 0.75
_SECOND = 0.25
"""What a page's second best chunk counts beside its best."""
_WORDS = 3.0
"""What words count beside vectors: they tell pages apart, and vectors only what these are about."""
_MOST_CHARS = 1 << 20
_PORTION = 1 << 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """Pages by the words and vectors of their chunks."""

    pages: tuple[Page, ...]
    owners: "NDArray[np.int32]"
    """The page of each chunk."""
    sizes: "NDArray[np.float32]"
    """The words of each chunk."""
    numbers: dict[str, int]
    """The number of each stem."""
    starts: "NDArray[np.int64]"
    """Where the chunks of each stem begin in `holders`, and where the last ones end."""
    holders: "NDArray[np.int32]"
    counts: "NDArray[np.float32]"
    vectors: "NDArray[np.float16]"
    look_up: LookUp
    stem: Stem

    def best(self, questions: Sequence[str], *, count: int) -> list[Page]:
        """The pages that are worth reading for a question, or for any of several, best first."""
        import numpy as np

        if not len(self.owners):
            return list(self.pages[:count])
        of_pages = np.zeros(len(self.pages), np.float64)
        for question in questions:
            of_pages = np.maximum(of_pages, self._of(question))
        order = np.argsort(-of_pages, kind="stable")[:count]
        return [self.pages[number] for number in order.tolist() if of_pages[number] > 0]

    def _of(self, question: str) -> "NDArray[np.float64]":
        import numpy as np

        by_words, covered = self._words(question)
        asked = _rows([question], self.look_up)[0].astype(np.float32)
        by_vector = np.clip(self.vectors.astype(np.float32) @ asked, 0, 1)
        scores = _WORDS * _scaled(by_words) + _scaled(by_vector)
        best = np.zeros(len(self.pages), np.float64)
        np.maximum.at(best, self.owners, scores)
        is_best = scores >= best[self.owners]
        second = np.zeros(len(self.pages), np.float64)
        np.maximum.at(second, self.owners, np.where(is_best, 0, scores))
        return best + _SECOND * second + covered

    def _words(self, question: str) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """BM25 by chunk, and by page how much of the words that are anywhere it has."""
        import numpy as np

        total = len(self.owners)
        scores = np.zeros(total, np.float64)
        covered, most = np.zeros(len(self.pages), np.float64), 0.0
        weights = _K1 * (1 - _B + _B * self.sizes / max(1.0, float(self.sizes.mean())))
        for stemmed in dict.fromkeys(self.stem(word) for word in plain_words(question)):
            number = self.numbers.get(stemmed)
            if number is None:
                continue
            span = slice(int(self.starts[number]), int(self.starts[number + 1]))
            held, counts = self.holders[span], self.counts[span]
            rarity = math.log(1 + (total - len(held) + 0.5) / (len(held) + 0.5))
            scores[held] += rarity * counts * (_K1 + 1) / (counts + weights[held])
            covered[np.unique(self.owners[held])] += rarity
            most += rarity
        return scores, covered / max(most, 1e-9)


def collect(pages: Sequence[Page], chunks: Sequence[Sequence[Chunk]], look_up: LookUp, stem: Stem) -> Collection:
    """Put pages and their chunks together; `look_up` gives the vectors, `stem` what words are found by."""
    import numpy as np

    numbers: dict[str, int] = {}
    terms: list[int] = []
    holders: list[int] = []
    counts: list[int] = []
    sizes: list[int] = []
    every = [chunk for each in chunks for chunk in each]
    texts = [with_headings(chunk) for chunk in every]
    for number, text in enumerate(texts):
        words = Counter(map(stem, plain_words(text)))
        sizes.append(words.total())
        for word, times in words.items():
            terms.append(numbers.setdefault(word, len(numbers)))
            holders.append(number)
            counts.append(times)
    by_term = np.array(terms, np.int32)
    order = np.argsort(by_term, kind="stable")
    return Collection(
        pages=tuple(pages),
        owners=np.repeat(np.arange(len(pages), dtype=np.int32), [len(each) for each in chunks]),
        sizes=np.array(sizes, np.float32),
        numbers=numbers,
        starts=np.searchsorted(by_term[order], np.arange(len(numbers) + 1)),
        holders=np.array(holders, np.int32)[order],
        counts=np.array(counts, np.float32)[order],
        vectors=_rows(truncate_each(texts, most=_MOST_CHARS), look_up),
        look_up=look_up,
        stem=stem,
    )


def _rows(texts: Sequence[str], look_up: LookUp) -> "NDArray[np.float16]":
    import numpy as np

    portions = [look_up(texts[at : at + _PORTION]) for at in range(0, max(1, len(texts)), _PORTION)]
    data = b"".join(each.data for each in portions)
    return np.frombuffer(data, dtype="<f2").reshape(-1, portions[0].dimension)


def _scaled(values: "NDArray[np.floating]") -> "NDArray[np.floating]":
    """As shares of the highest."""
    high = float(values.max(initial=0))
    return values / high if high > 0 else values
