"""Page index: the units of a page that are ranked (sentences, headings, rows, lines of code), with their words.

It depends on no question, so that it is made once per page; then a question costs a few milliseconds.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, count, islice, repeat
from typing import TYPE_CHECKING, NamedTuple

from gossamer.model.page import Chunk, Vectors
from gossamer.steps.retrieval.passage_context import LED, Leads
from gossamer.steps.retrieval.windows import Spot
from gossamer.steps.text.duplicates import comparable_words
from gossamer.steps.text.segmentation import Block, blocks, is_ended, phrases, pieces, text_lines
from gossamer.steps.text.words import Stem, plain_words
from gossamer.steps.tokens.count import SpanCounter, roughly, truncate_each

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int32]

MAX_UNITS = 12_000
MAX_TOKENS = 256_000
"""A page of more sentences, or of more text, is ranked by its chunks alone: finding sentences takes its time."""
_SIZE = 128
MAX_VOCABULARY = 1 << 15
"""Different words of a page that have vectors: more than a book has; rarer ones are found as they stand."""
_PORTION = 1 << 12
_LOOKED_UP_CHARS = 1 << 21
"""Of all units together: more than a page has that is ranked by its sentences, so that only monstrous ones are cut."""
_NOWHERE = -1
"""The number of the word that is nowhere: the last of those that are counted."""
_NO_WORDS = ("",)
_HEADING = re.compile(r"#{1,6}[ \t][^\n]*")

LookUp = Callable[[Sequence[str]], Vectors]
"""Texts to unit vectors from a table at hand."""


class RankUnit(NamedTuple):
    """A span of the page. `lead` has to be read before it: the header of its table, the opening of its code."""

    start: int
    end: int
    tokens: int
    chunk: int
    """The number of the chunk it lies in."""
    lead: str


def rank_units(chunks: Sequence[Chunk], *, most: int = MAX_UNITS) -> list[RankUnit]:
    """Everything the chunks hold, in order. A table or a piece of code within one chunk is a unit of its own."""
    fine: list[RankUnit] = []
    if sum(each.tokens for each in chunks) <= MAX_TOKENS:
        fine = list(islice(_split(chunks), most + 1))
    if 0 < len(fine) <= most:
        return fine
    leads = Leads()
    return [RankUnit(each.start, each.end, each.tokens, number, leads.over(each)) for number, each in enumerate(chunks)]


def _split(chunks: Sequence[Chunk]) -> Iterator[RankUnit]:
    leads = Leads()
    for number, chunk in enumerate(chunks):
        meter = SpanCounter(chunk.text)
        following = chunks[number + 1] if number + 1 < len(chunks) else None
        leads.enter(chunk)
        for start, end, lead in _of_chunk(chunk.text, leads, following, meter):
            for begin, stop, tokens in pieces(chunk.text, start, end, _SIZE, meter):
                yield RankUnit(chunk.start + begin, chunk.start + stop, tokens, number, lead)


def _of_chunk(text: str, leads: Leads, following: Chunk | None, meter: SpanCounter) -> Iterator[tuple[int, int, str]]:
    rest = leads.rest
    if rest:
        yield 0, rest, leads.text if rest > leads.head else ""
    for raw_block in blocks(text[rest:], leads.fence):
        block = raw_block._replace(start=raw_block.start + rest, end=raw_block.end + rest) if rest else raw_block
        is_part = leads.is_rest(block)
        if not is_part:
            leads.begin(text, block)
        leads.leave(text, block)
        if block.kind in LED:
            is_part = is_part or leads.is_open(following) or meter.roughly(block.start, block.end) > _SIZE
        yield from _parts(text, block, leads, is_part=is_part)


def _parts(text: str, block: Block, leads: Leads, *, is_part: bool) -> Iterator[tuple[int, int, str]]:
    if block.kind in LED and is_part:
        for start, end in text_lines(text, block.start, block.end):
            yield start, end, leads.text if start >= leads.head else ""
    elif block.kind in {"text", "item"}:
        for start, end in phrases(text, block.start, block.end):
            yield start, end, ""
    else:
        yield block.start, block.end, ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bags:
    """The words of many spans, one after the other; a span without words holds the word that is nowhere."""

    words: "Numbers"
    """Numbers of words, span by span."""
    starts: "Numbers"
    """Where each span begins in `words`."""
    sizes: "Numbers"
    """How many words each span really has."""
    rare: "NDArray[np.int64]"
    """The hashes of the stems of words without a number, in order."""
    rare_in: "Numbers"
    """The span that each of them is in."""

    @property
    def nbytes(self) -> int:
        """About what they take in memory."""
        return self.words.nbytes + self.rare.nbytes + self.rare_in.nbytes

    def count(self, of_word: "NDArray[np.bool_]", stemmed: str) -> "NDArray[np.int32]":
        """How often each span holds one of the words marked in `of_word`, or one without a number of this stem."""
        import numpy as np

        counts = np.add.reduceat(of_word[self.words], self.starts, dtype=np.int32)
        if len(self.rare):
            np.add.at(counts, self._holders(stemmed), 1)
        return counts

    def best(self, of_word: "Floats", stemmed: str) -> "Floats":
        """The highest value of any word of each span; 1 where it holds one without a number of this stem."""
        import numpy as np

        bests = np.maximum.reduceat(of_word[self.words], self.starts)
        if len(self.rare):
            bests[self._holders(stemmed)] = 1
        return bests

    def _holders(self, stemmed: str) -> "Numbers":
        name = hash(stemmed)
        return self.rare_in[self.rare.searchsorted(name) : self.rare.searchsorted(name, "right")]


@dataclass(frozen=True, kw_only=True, slots=True)
class PageIndex:
    """One page, ready for any question in the languages that its vectors were made for."""

    chunks: tuple[Chunk, ...]
    units: tuple[RankUnit, ...]
    spots: tuple[Spot, ...]
    """The units as windows see them; a heading path is a place, numbered from 1."""
    begins: "Numbers"
    """The first unit of each sentence: one that is too long lies in several."""
    chunk_of: "Numbers"
    """The chunk that each unit lies in."""
    firsts: "Numbers"
    """The first unit of each chunk."""
    place_of: "Numbers"
    """The number of each chunk's heading path."""
    bags: Bags
    """Words by unit."""
    head_bags: Bags
    """Words by heading path."""
    numbers: dict[str, int]
    """The number of each word."""
    stems: dict[str, int]
    stem_of: "Numbers"
    """The stem of each word; one more than there are words, for the word that is nowhere."""
    word_vectors: "Floats"
    """Unpacked, since every question is compared with all of them: unpacking would cost ten times as much as that."""
    unit_vectors: "NDArray[np.float16]"
    model: str
    """Names the table that the vectors are from."""
    stem: Stem
    """What takes the endings off its words, and off those of a question."""

    @property
    def nbytes(self) -> int:
        """About what it takes in memory, strings included: the text of every chunk, and of every unit within one."""
        arrays = (self.bags, self.word_vectors, self.unit_vectors, self.head_bags)
        texts = sum(len(each.text) * (2 - each.text.isascii()) for each in self.chunks)
        texts *= 2 - (len(self.units) == len(self.chunks))
        return sum(each.nbytes for each in arrays) + texts + 200 * (len(self.units) + len(self.numbers))


def index(chunks: Sequence[Chunk], look_up: LookUp, stem: Stem) -> PageIndex:
    """Index a page's chunks; `look_up` gives the vectors of its words and sentences, `stem` what words are found by."""
    import numpy as np

    page_units = tuple(rank_units(chunks))
    places: dict[tuple[str, ...], int] = {}
    place_of = [places.setdefault(each.section, len(places)) for each in chunks]
    texts = [_text(chunks[each.chunk], each) for each in page_units]
    leads = {lead: plain_words(lead) for lead in {each.lead for each in page_units}}
    words = [plain_words(text) + leads[each.lead] for text, each in zip(texts, page_units, strict=True)]
    head_words = [plain_words(" ".join(section)) for section in places]
    vocabulary = _vocabulary(words, head_words)
    stems: dict[str, int] = {}
    stem_of = [stems.setdefault(stem(word), len(stems)) for word in vocabulary]
    chunk_of = np.fromiter((each.chunk for each in page_units), np.int32, len(page_units))
    model, rows = _looked_up([*truncate_each(texts, most=_LOOKED_UP_CHARS), *vocabulary], look_up)
    return PageIndex(
        chunks=tuple(chunks),
        units=page_units,
        spots=tuple(_spots(place_of, page_units, texts)),
        begins=np.array(_begins(page_units, texts), np.int32),
        chunk_of=chunk_of,
        firsts=np.searchsorted(chunk_of, np.arange(len(chunks))).astype(np.int32),
        place_of=np.array(place_of, np.int32),
        bags=_bags(words, vocabulary, stem),
        head_bags=_bags(head_words, vocabulary, stem),
        numbers=vocabulary,
        stems=stems,
        stem_of=np.array([*stem_of, -1], np.int32),
        word_vectors=rows[len(page_units) :].astype(np.float32),
        unit_vectors=rows[: len(page_units)],
        model=model,
        stem=stem,
    )


def _looked_up(texts: Sequence[str], look_up: LookUp) -> "tuple[str, NDArray[np.float16]]":
    """The vectors of texts by one model, asked for in portions: what that takes in between is soon free again."""
    import numpy as np

    portions = [look_up(texts[at : at + _PORTION]) for at in range(0, max(1, len(texts)), _PORTION)]
    data = b"".join(each.data for each in portions)
    return portions[0].model, np.frombuffer(data, dtype="<f2").reshape(-1, portions[0].dimension)


def _spots(place_of: Sequence[int], units: Sequence[RankUnit], texts: Sequence[str]) -> Iterator[Spot]:
    leads = {lead: roughly(lead) for lead in {each.lead for each in units}}
    for unit, text in zip(units, texts, strict=True):
        is_heading = text[:1] == "#" and not unit.lead and _HEADING.fullmatch(text) is not None
        yield Spot(unit.tokens, place_of[unit.chunk] + 1, comparable_words(text), leads[unit.lead], is_heading)


def _begins(units: Sequence[RankUnit], texts: Sequence[str]) -> list[int]:
    """Where no blank and no sign stands between two, they are parts of one sentence."""
    return [
        number
        for number, unit in enumerate(units)
        if not number or unit.start > units[number - 1].end or is_ended(texts[number - 1])
    ]


def _text(chunk: Chunk, unit: RankUnit) -> str:
    return chunk.text[unit.start - chunk.start : unit.end - chunk.start]


def _vocabulary(*words: Sequence[Sequence[str]]) -> dict[str, int]:
    """The numbers of the words: of all of them, or where there are too many, of those that come most often."""
    distinct: Collection[str] = dict.fromkeys(chain.from_iterable(chain(*words)))
    if len(distinct) > MAX_VOCABULARY:
        times = Counter(chain.from_iterable(chain(*words)))
        distinct = sorted(times, key=times.__getitem__, reverse=True)[:MAX_VOCABULARY]
    return dict(zip(distinct, count()))


def _bags(words: Sequence[Sequence[str]], vocabulary: dict[str, int], stem: Stem) -> Bags:
    import numpy as np

    filled = [each or _NO_WORDS for each in words]
    lengths = np.fromiter(map(len, filled), np.int32, len(words))
    numbers = np.fromiter(
        map(vocabulary.get, chain.from_iterable(filled), repeat(_NOWHERE)), np.int32, int(lengths.sum())
    )
    is_rare = (numbers == _NOWHERE) & (len(vocabulary) == MAX_VOCABULARY)
    rare = np.fromiter((hash(stem(word)) for word in compress(chain.from_iterable(filled), is_rare.tolist())), np.int64)
    order = np.argsort(rare, kind="stable")
    return Bags(
        words=numbers,
        starts=(np.cumsum(lengths) - lengths).astype(np.int32),
        sizes=np.fromiter(map(len, words), np.int32, len(words)),
        rare=rare[order],
        rare_in=np.repeat(np.arange(len(words), dtype=np.int32), lengths)[is_rare][order],
    )
