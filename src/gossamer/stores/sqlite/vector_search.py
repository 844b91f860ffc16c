"""Searching the SQLite store by vectors: a quick look at all of them, a close one at the best."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from sqlite3 import Connection
from typing import Any

from gossamer.model.page import ID_DIGITS, Vectors
from gossamer.model.search import Hit
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS
from gossamer.stores.shared.cosine import Floats, closest_of_each, direction_of, promising, usual_misjudgement
from gossamer.stores.shared.page_rows import models, published
from gossamer.stores.shared.record_rows import is_whole
from gossamer.stores.shared.words import hit, suffix_of
from gossamer.stores.sqlite.two_bit import likely
from gossamer.stores.sqlite.vector_rows import UNQUARTERED, has_unquartered, must_be_made
from gossamer.stores.sqlite.word_search import total_chunks

MANY = 400_000
"""Chunks from which on a quarter of a byte a number is looked at first: what that spares is then more than it costs."""
_LIKELY = 2_400
"""Pages chosen by that at a time: of a million chunks about a tenth, which has 99 in 100 of the closest ones."""
_SLICE = 400
"""Pages asked for by one statement: older SQLite takes 999 values at most."""
_SOME = 4
"""Pages looked at closely beyond those asked for, and a quarter of those, at most."""
_CLEAR = 5.0
"""How many times the usual misjudgement a page must seem farther than those asked for not to be among these pages."""
_DOUBT = 2.0
"""By how much more than any page so far the next ones may have been misjudged."""
_BATCHES = 4
"""As long as the next ones may be closer, so many times are some of them looked at closely."""
_ROOM = "PRAGMA cache_size = -4096"
"""Kilobytes: of a library of up to 13,000 chunks nothing is read twice. Only vector searches use them."""

_BYTES = "SELECT document, i8 FROM vectors8"
_QUARTERS = "SELECT document, i2 FROM vectors2"
_OF_SITE = """
    WHERE model = :model AND dimension = :dimension AND (:suffix = '' OR
    document IN (SELECT id FROM documents WHERE substr('.' || host, -length(:suffix)) = :suffix))
"""

_SHOWN = f"""
    SELECT documents.id, url, title, details, text FROM chunks CROSS JOIN documents ON documents.id = cid / {MAX_CHUNKS}
    WHERE cid IN (%s) AND chunk_count <= {MAX_CHUNKS} AND
    (SELECT chunk_ids FROM vectors WHERE document = documents.id AND model = ?) =
    (SELECT group_concat(digits, '') FROM (
        SELECT substr(chunks.id, 1, {ID_DIGITS}) AS digits FROM chunks
        WHERE cid BETWEEN documents.id * {MAX_CHUNKS} AND documents.id * {MAX_CHUNKS} + {MAX_CHUNKS - 1} ORDER BY cid
    ))
"""  # noqa: S608 - constants
"""By their chunks; none whose vectors are of other chunks than it has now."""


@dataclass(frozen=True, slots=True)
class _Near:
    document: int
    cosine: float
    place: int
    doubt: float
    """How far from its cosine the quick look was."""

    @property
    def order(self) -> tuple[float, int]:
        """Of equals the oldest comes first."""
        return -self.cosine, self.document


def nearest(connection: Connection, asked: Vectors, count: int, site: str, *, many: int = MANY) -> tuple[Hit, ...]:
    """Pages whose chunks are closest to one vector, best first, each once with its closest chunk.

    In a library of more than `many` chunks a quarter of a byte tells which pages are worth a look at all.
    """
    direction = direction_of(asked)
    if count < 1 or models(connection).get(asked.model) != asked.dimension:
        return ()
    must_be_made(connection)
    connection.execute(_ROOM)
    best = _Best(connection, asked.model, count)
    candidates = _candidates(connection, asked, direction, site, many)
    clear = _CLEAR * usual_misjudgement(asked.dimension)
    batches = _batches(candidates, count, clear, best.is_beyond)
    for number, (batch, next_estimate) in enumerate(batches, start=1):
        best.add(_closely(connection, batch, asked, direction))
        if best.is_beyond(next_estimate) or (best.is_full and number >= _BATCHES):
            break
    return best.hits()


def _batches(
    candidates: Iterable[tuple[int, float]], count: int, clear: float, is_beyond: Callable[[float], bool]
) -> Iterator[tuple[list[tuple[int, float]], float]]:
    """As many pages as are asked for and those about as close, then those that may be closer than they seem.

    Each time with how close the one after them seems.
    """
    most = count + count // 4 + _SOME
    batch: list[tuple[int, float]] = []
    has_begun = False
    for page, estimate in candidates:
        is_far = is_beyond(estimate) if has_begun else len(batch) >= count and estimate < batch[count - 1][1] - clear
        if batch and (is_far or len(batch) == most):
            yield batch, estimate
            batch, has_begun = [], True
        batch.append((page, estimate))
    if batch:
        yield batch, -1.0


class _Best:
    """The closest pages among those looked at closely."""

    def __init__(self, connection: Connection, model: str, count: int) -> None:
        self._connection = connection
        self._model = model
        self._count = count
        self._found: list[tuple[_Near, Hit]] = []
        self._doubt = 0.0

    @property
    def is_full(self) -> bool:
        return len(self._found) == self._count

    def is_beyond(self, estimate: float) -> bool:
        """Whether no page that seems this close can be among them."""
        return self.is_full and estimate + _DOUBT * self._doubt < self._found[-1][0].cosine

    def add(self, pages: Sequence[_Near]) -> None:
        self._doubt = max((self._doubt, *(page.doubt for page in pages)))
        left = sorted(pages, key=lambda page: page.order)
        while left and not (self.is_full and left[0].order > self._found[-1][0].order):
            some, left = left[: self._count], left[self._count :]
            shown = _shown(self._connection, some, self._model)
            self._found += [(page, shown[page.document]) for page in some if page.document in shown]
            self._found.sort(key=lambda it: it[0].order)
            del self._found[self._count :]

    def hits(self) -> tuple[Hit, ...]:
        return tuple(shown for _, shown in self._found)


def _closely(
    connection: Connection, candidates: Sequence[tuple[int, float]], asked: Vectors, direction: Floats
) -> list[_Near]:
    """The closest chunk of each page; pages that point another way are left out."""
    estimates = dict(candidates)
    rows = _of_pages(connection, "SELECT document, dimension, f16, chunk_ids FROM vectors", list(estimates), asked)
    pages = [(row[0], row[2]) for row in rows if is_whole(row[1:])]
    cosines = closest_of_each([data for _, data in pages], asked.dimension, direction) if pages else []
    return [
        _Near(document, cosine, place, abs(cosine - estimates[document]))
        for (document, _), (cosine, place) in zip(pages, cosines, strict=True)
        if cosine > 0
    ]


def _candidates(
    connection: Connection, asked: Vectors, direction: Floats, site: str, many: int
) -> Iterator[tuple[int, float]]:
    """Pages and how close they seem, best first."""
    if total_chunks(connection) <= many:
        yield from promising(_all(connection, _BYTES, asked, site), asked.dimension, direction)
        return
    pages = likely(_all(connection, _QUARTERS, asked, site), asked.dimension, direction)
    # Pages that an older Gossamer kept.
    others = _all(connection, _BYTES, asked, site, UNQUARTERED) if has_unquartered(connection) else ()
    for first in range(0, max(len(pages), 1), _LIKELY):
        some = _of_pages(connection, _BYTES, pages[first : first + _LIKELY], asked)
        yield from promising(chain(some, others), asked.dimension, direction)
        others = ()


def _all(
    connection: Connection, selected: str, asked: Vectors, site: str, condition: str = "TRUE"
) -> Iterable[tuple[int, bytes]]:
    told = {"model": asked.model, "dimension": asked.dimension, "suffix": suffix_of(site)}
    return connection.execute(f"{selected} {_OF_SITE} AND {condition}", told)


def _of_pages(connection: Connection, selected: str, pages: Sequence[int], asked: Vectors) -> Iterator[tuple[Any, ...]]:
    for some in _slices(pages):
        yield from connection.execute(
            f"{selected} WHERE document IN ({_places(some)}) AND model = ? AND dimension = ?",
            (*some, asked.model, asked.dimension),
        )


def _shown(connection: Connection, pages: Sequence[_Near], model: str) -> dict[int, Hit]:
    """Pages by their closest chunks, as far as they can be shown.

    A damaged row is passed over here too; reading the page will tell.
    """
    cosines = {page.document: page.cosine for page in pages}
    rows = (
        row
        for cids in _slices([page.document * MAX_CHUNKS + page.place for page in pages])
        for row in connection.execute(_SHOWN % _places(cids), (*cids, model))
    )
    return {
        document: hit(0, url=url, title=title, text=text, published=published(details), score=cosines[document])
        for document, url, title, details, text in rows
        if all(isinstance(value, str) for value in (url, title, details, text))
    }


def _slices(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[first : first + _SLICE] for first in range(0, len(numbers), _SLICE))


def _places(numbers: Sequence[int]) -> str:
    return ", ".join("?" * len(numbers))
