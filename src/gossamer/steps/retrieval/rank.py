"""Hybrid ranking: BM25, soft term match and vector cosine in equal parts score every sentence.

Each is scaled over all pages together, once by chunks and once by sentences. The weights are equal on purpose: every
mix that was tried lies within a hundredth, so there is nothing to tune.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.model.page import Vectors
from gossamer.steps.retrieval.index import LookUp, PageIndex
from gossamer.steps.text.words import is_of_parts, plain_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAX_WORDS = 64
"""Of a question: more say nothing new, and each looks at every word of every page."""
_K1, _B = 1.2, 0.75  # the usual constants of BM25
_STRANGER = 0.3
"""Words less close than this have nothing to do with one another."""
_ALIKE = 0.8
"""How near words of one stem are at least: they may be forms of one word, or names that begin alike."""
_ABSENT = 0.6
"""How rare a word counts that is on no page, as a share of the rarest."""

_LEANING = 3
"""How much more chunks and their vectors count where they are trusted; any number from 3 to 8 serves alike."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question with the vectors of its words and of its whole."""

    words: tuple[str, ...]
    word_vectors: "Floats"
    vector: "Floats"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """How well everything suits one question; units and chunks of all pages, one page after the other."""

    scores: list[float]
    """By unit, 0..1."""
    closeness: list[float] | None
    """The cosine of each chunk, where its vectors can be compared with the question's."""
    shares_words: bool = True
    """Whether any word of the question occurs."""


def questions(texts: Sequence[str], look_up: LookUp) -> list[Question]:
    """Look the questions up in the same table as the pages."""
    import numpy as np

    words = [tuple(dict.fromkeys(plain_words(text)))[:MAX_WORDS] for text in texts]
    vectors = look_up([*texts, *(word for each in words for word in each)])
    rows = np.frombuffer(vectors.data, dtype="<f2").astype(np.float32).reshape(-1, vectors.dimension)
    ends = np.cumsum([len(texts), *map(len, words)])
    return [
        Question(words=each, word_vectors=rows[start:end], vector=rows[number])
        for number, (each, start, end) in enumerate(zip(words, ends[:-1], ends[1:], strict=True))
    ]


def rank(
    asked: Sequence[Question],
    pages: Sequence[PageIndex],
    chunk_vectors: Sequence[Vectors | None] = (),
    question_vectors: Vectors | None = None,
    *,
    leans: bool = False,
) -> list[Ranked]:
    """Score every sentence of all pages for every question.

    A sentence is judged by itself, by its headings and by its chunk. `chunk_vectors` may be those of another model
    than the pages' own; chunks that cannot be compared with the question are judged by words. Where nothing speaks
    for anything, all scores are 0. `leans` trusts the chunks' vectors more than all else: words do not meet between
    languages, and a model that was made for it knows better than the table.
    """
    close = _closeness(pages, chunk_vectors, question_vectors, len(asked))
    weight = _LEANING if leans and close is not None else 1
    return [
        _ranked(question, pages, None if close is None else close[number], weight)
        for number, question in enumerate(asked)
    ]


def _ranked(question: Question, pages: Sequence[PageIndex], close: "Floats | None", weight: int) -> Ranked:
    import numpy as np

    if not any(page.units for page in pages):
        return Ranked(scores=[], closeness=None)
    by_chunk, by_unit = _words(question, pages)
    vectors = np.concatenate([page.unit_vectors @ question.vector for page in pages])
    coarse = _scaled(by_chunk[0]) + _scaled(by_chunk[1]) + (0 if close is None else weight * _scaled(close))
    fine = _scaled(by_unit[0]) + _scaled(by_unit[1]) + _scaled(vectors)
    starts = np.cumsum([0, *(len(page.chunks) for page in pages)])
    owners = np.concatenate([page.chunk_of + start for page, start in zip(pages, starts[:-1], strict=True)])
    scores = (weight * _scaled(coarse)[owners] + _scaled(fine)) / (weight + 1)
    return Ranked(
        scores=_by_sentence(scores, pages).tolist(),
        closeness=None if close is None else close.tolist(),
        shares_words=bool(by_chunk[0].any()),
    )


def _by_sentence(scores: "NDArray[np.floating]", pages: Sequence[PageIndex]) -> "NDArray[np.floating]":
    """Parts of one sentence are as good as the best of them: none says much without the others."""
    import numpy as np

    firsts = np.cumsum([0, *(len(page.units) for page in pages)])
    begins = np.concatenate([page.begins + first for page, first in zip(pages, firsts[:-1], strict=True)])
    return np.repeat(np.maximum.reduceat(scores, begins), np.diff([*begins, firsts[-1]]))


def _words(question: Question, pages: Sequence[PageIndex]) -> "tuple[tuple[Floats, Floats], tuple[Floats, Floats]]":
    """BM25 and soft terms by chunk, then by unit.

    A word that loses its ending counts once by its stem and once as it stands: where many names begin alike, the one
    that was asked for comes before the others.
    """
    import numpy as np

    chunk_sizes = [_sum_by_chunk(page, page.bags.sizes) + page.head_bags.sizes[page.place_of] for page in pages]
    unit_sizes = [page.bags.sizes + page.head_bags.sizes[_place_of_unit(page)] for page in pages]
    coarse = _Tally(np.concatenate(chunk_sizes))
    fine = _Tally(np.concatenate(unit_sizes))
    near = [_nearness(question, page) for page in pages]
    for number, word in enumerate(question.words):
        counts = [_counts(page, page.stem(word)) for page in pages]
        bests = [_bests(page, of_word[:, number], page.stem(word)) for page, of_word in zip(pages, near, strict=True)]
        coarse.add(np.concatenate([each[0] for each in counts]), np.concatenate([each[0] for each in bests]))
        fine.add(np.concatenate([each[1] for each in counts]), np.concatenate([each[1] for each in bests]))
        if any(page.stem(word) != word for page in pages):
            wholes = [_whole_counts(page, word) for page in pages]
            coarse.count(np.concatenate([each[0] for each in wholes]))
            fine.count(np.concatenate([each[1] for each in wholes]))
    return (coarse.exact, coarse.soft), (fine.exact, fine.soft)


class _Tally:
    """The sums over a question's words, for chunks or for units."""

    def __init__(self, sizes: "NDArray[np.int32]") -> None:
        import numpy as np

        self._weights = _K1 * (1 - _B + _B * sizes / max(1.0, float(sizes.mean())))
        self._rarest = math.log(1 + (len(sizes) + 0.5) / 0.5)
        self.exact = np.zeros(len(sizes), np.float32)
        self.soft = np.zeros(len(sizes), np.float32)

    def add(self, counts: "NDArray[np.int32]", bests: "Floats") -> None:
        """Count a word: how often each span has it, and how close to it each span comes."""
        self.soft += (self.count(counts) or _ABSENT * self._rarest) * bests

    def count(self, counts: "NDArray[np.int32]") -> float:
        """Count how often each span has it, and tell how rare it is; 0 where it is nowhere."""
        holders = int((counts > 0).sum())
        if not holders:
            return 0.0
        rarity = math.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))
        self.exact += rarity * counts * (_K1 + 1) / (counts + self._weights)
        return rarity


def _nearness(question: Question, page: PageIndex) -> "Floats":
    """By word of the page and word of the question, 0..1; the last row is the word that is nowhere."""
    import numpy as np

    near = np.zeros((len(page.stem_of), len(question.words)), np.float32)
    near[:-1] = page.word_vectors @ question.word_vectors.T
    np.clip((near - _STRANGER) / (1 - _STRANGER), 0, 1, out=near)
    near[-1] = 0
    for number, word in enumerate(question.words):
        if is_of_parts(word):
            near[:, number] = 0
        if (known := page.stems.get(page.stem(word))) is not None:
            same = page.stem_of == known
            near[same, number] = np.maximum(near[same, number], _ALIKE)
        if (known := page.numbers.get(word)) is not None:
            near[known, number] = 1
    return near


def _counts(page: PageIndex, stemmed: str) -> "tuple[NDArray[np.int32], NDArray[np.int32]]":
    """How often each chunk and each unit has a word of this stem."""
    return _counts_of(page, page.stem_of == page.stems.get(stemmed, -2), stemmed)


def _whole_counts(page: PageIndex, word: str) -> "tuple[NDArray[np.int32], NDArray[np.int32]]":
    """How often they have the word itself."""
    import numpy as np

    return _counts_of(page, np.arange(len(page.stem_of)) == page.numbers.get(word, -2), "")


def _counts_of(
    page: PageIndex, is_word: "NDArray[np.bool_]", stemmed: str
) -> "tuple[NDArray[np.int32], NDArray[np.int32]]":
    units, heads = page.bags.count(is_word, stemmed), page.head_bags.count(is_word, stemmed)
    return _sum_by_chunk(page, units) + heads[page.place_of], units + heads[_place_of_unit(page)]


def _bests(page: PageIndex, of_word: "Floats", word: str) -> "tuple[Floats, Floats]":
    import numpy as np

    units, heads = page.bags.best(of_word, word), page.head_bags.best(of_word, word)
    chunks = np.maximum.reduceat(units, page.firsts)
    return np.maximum(chunks, heads[page.place_of]), np.maximum(units, heads[_place_of_unit(page)])


def _place_of_unit(page: PageIndex) -> "NDArray[np.int32]":
    return page.place_of[page.chunk_of]


def _sum_by_chunk(page: PageIndex, values: "NDArray[np.int32]") -> "NDArray[np.int32]":
    import numpy as np

    return np.add.reduceat(values, page.firsts)


def _closeness(
    pages: Sequence[PageIndex], chunk_vectors: Sequence[Vectors | None], asked: Vectors | None, questions: int
) -> "Floats | None":
    """Cosines by question and chunk, or None where the two sides cannot be compared."""
    import numpy as np

    if asked is None or len(chunk_vectors) != len(pages) or len(asked.data) != 2 * questions * asked.dimension:
        return None
    rows: list[Floats] = []
    for page, ours in zip(pages, chunk_vectors, strict=True):
        if ours is None or len(ours.data) != 2 * asked.dimension * len(page.chunks) or ours.model != asked.model:
            return None
        rows.append(np.frombuffer(ours.data, dtype="<f2").astype(np.float32).reshape(-1, asked.dimension))
    left = np.frombuffer(asked.data, dtype="<f2").astype(np.float32).reshape(questions, asked.dimension)
    return left @ np.concatenate(rows).T


def _scaled(values: "Floats") -> "Floats":
    """Stretch to 0..1; equal values are all 1, or all 0 where there is nothing."""
    import numpy as np

    low, high = values.min(), values.max()
    if high == low:
        return np.full_like(values, float(high > 0))
    return (values - low) / (high - low)
