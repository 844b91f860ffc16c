"""A page's chunks -> what ranking looks at: the words of every grain and heading, and their vectors.

It depends on no question, so that it is made once per page; then a question costs a few milliseconds.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.model.page import Chunk, Vectors
from gossamer.steps.beginnings import beginnings
from gossamer.steps.grains import Grain, grains
from gossamer.steps.words import plain_words, stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int32]

MAX_VOCABULARY = 1 << 15
"""Different words of a page: more than a book has; the others are as if they were not there."""
_PORTION = 1 << 12
_LOOKED_UP_CHARS = 1 << 21
"""Of all grains together: more than a page has that is ranked by its sentences, so that only monstrous ones are cut."""
_NOWHERE = -1
"""The number of the word that is nowhere: the last of those that are counted."""

LookUp = Callable[[Sequence[str]], Vectors]
"""Texts to unit vectors from a table at hand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bags:
    """The words of many spans, one after the other; a span without words holds the word that is nowhere."""

    words: "Numbers"
    """Numbers of words, span by span."""
    starts: "Numbers"
    """Where each span begins in `words`."""
    sizes: "Numbers"
    """How many words each span really has."""

    def count(self, of_word: "NDArray[np.bool_]") -> "NDArray[np.int32]":
        """How often each span holds one of the words marked in `of_word`."""
        import numpy as np

        return np.add.reduceat(of_word[self.words], self.starts, dtype=np.int32)

    def best(self, of_word: "Floats") -> "Floats":
        """The highest value of any word of each span."""
        import numpy as np

        return np.maximum.reduceat(of_word[self.words], self.starts)


@dataclass(frozen=True, kw_only=True, slots=True)
class PageIndex:
    """One page, ready for any question in the languages that its vectors were made for."""

    chunks: tuple[Chunk, ...]
    grains: tuple[Grain, ...]
    chunk_of: "Numbers"
    """The chunk that each grain lies in."""
    firsts: "Numbers"
    """The first grain of each chunk."""
    place_of: "Numbers"
    """The number of each chunk's heading path."""
    bags: Bags
    """Words by grain."""
    head_bags: Bags
    """Words by heading path."""
    stems: dict[str, int]
    stem_of: "Numbers"
    """The stem of each word; one more than there are words, for the word that is nowhere."""
    word_vectors: "NDArray[np.float16]"
    grain_vectors: "NDArray[np.float16]"
    model: str
    """Names the table that the vectors are from."""

    @property
    def nbytes(self) -> int:
        """About what it takes in memory, strings included."""
        arrays = (self.bags.words, self.word_vectors, self.grain_vectors, self.head_bags.words)
        texts = sum(len(each.text) for each in self.chunks)
        return sum(each.nbytes for each in arrays) + 2 * texts + 200 * (len(self.grains) + len(self.stems))


def index(chunks: Sequence[Chunk], look_up: LookUp) -> PageIndex:
    """Index a page's chunks; `look_up` gives the vectors of its words and sentences."""
    import numpy as np

    found = tuple(grains(chunks))
    vocabulary: dict[str, int] = {}
    said: dict[str, list[int]] = {"": []}
    places: dict[tuple[str, ...], int] = {}
    place_of = [places.setdefault(each.section, len(places)) for each in chunks]

    def numbers(text: str) -> list[int]:
        return [
            vocabulary.setdefault(word, len(vocabulary))
            if len(vocabulary) < MAX_VOCABULARY
            else vocabulary.get(word, _NOWHERE)
            for word in plain_words(text)
        ]

    texts = [
        chunks[each.chunk].text[each.start - chunks[each.chunk].start :][: each.end - each.start] for each in found
    ]
    for lead in {each.lead for each in found}:
        said[lead] = numbers(lead)
    words = [numbers(text) + said[each.lead] for text, each in zip(texts, found, strict=True)]
    head_words = [numbers(" ".join(section)) for section in places]
    stems: dict[str, int] = {}
    stem_of = [stems.setdefault(stem(word), len(stems)) for word in vocabulary]
    chunk_of = np.fromiter((each.chunk for each in found), np.int32, len(found))
    model, rows = _looked_up([*beginnings(texts, most=_LOOKED_UP_CHARS), *vocabulary], look_up)
    return PageIndex(
        chunks=tuple(chunks),
        grains=found,
        chunk_of=chunk_of,
        firsts=np.searchsorted(chunk_of, np.arange(len(chunks))).astype(np.int32),
        place_of=np.array(place_of, np.int32),
        bags=_bags(words),
        head_bags=_bags(head_words),
        stems=stems,
        stem_of=np.array([*stem_of, -1], np.int32),
        word_vectors=rows[len(found) :],
        grain_vectors=rows[: len(found)],
        model=model,
    )


def _looked_up(texts: Sequence[str], look_up: LookUp) -> "tuple[str, NDArray[np.float16]]":
    """The vectors of texts by one model, asked for in portions: what that takes in between is soon free again."""
    import numpy as np

    portions = [look_up(texts[at : at + _PORTION]) for at in range(0, max(1, len(texts)), _PORTION)]
    data = b"".join(each.data for each in portions)
    return portions[0].model, np.frombuffer(data, dtype="<f2").reshape(-1, portions[0].dimension)


def _bags(words: Sequence[Sequence[int]]) -> Bags:
    import numpy as np

    filled: Iterable[Sequence[int]] = [each or (_NOWHERE,) for each in words]
    flat = np.fromiter((word for each in filled for word in each), np.int32)
    lengths = np.fromiter((len(each) for each in filled), np.int32, len(words))
    return Bags(
        words=flat,
        starts=(np.cumsum(lengths) - lengths).astype(np.int32),
        sizes=np.fromiter(map(len, words), np.int32, len(words)),
    )
