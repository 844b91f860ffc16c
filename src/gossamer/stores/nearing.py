"""Searching the SQLite store by vectors: a quick look at all of them, a close one at the best."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from sqlite3 import Connection

from gossamer.model.page import Vectors
from gossamer.model.search import Hit
from gossamer.stores.closeness import Floats, closest_of_each, direction_of, promising
from gossamer.stores.packed import is_whole, models
from gossamer.stores.rows import MAX_CHUNKS, published
from gossamer.stores.tables import chunk_ids
from gossamer.stores.words import hit, suffix_of

_MORE, _SOME = 2, 8
"""How many pages are looked at closely: those asked for times one, and the other. A byte a number misjudges a few."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Near:
    document: int
    cosine: float
    place: int
    chunk_ids: str


def nearest(connection: Connection, asked: Vectors, count: int, site: str) -> tuple[Hit, ...]:
    """Pages whose chunks are closest to one vector, best first, each once with its closest chunk."""
    direction = direction_of(asked)
    if count < 1 or models(connection).get(asked.model) != asked.dimension:
        return ()
    candidates = promising(_rows(connection, asked, site), asked.dimension, direction)
    found: list[_Near] = []
    while len(found) < count and (batch := list(islice(candidates, _MORE * count + _SOME))):
        near = (it for it in _closely(connection, batch, asked, direction) if _is_present(connection, it))
        found += islice(near, count)
    found.sort(key=lambda near: (-near.cosine, near.document))
    return tuple(_hits(connection, found[:count]))


def _closely(connection: Connection, documents: Sequence[int], asked: Vectors, direction: Floats) -> list[_Near]:
    """The closest chunk of each page, best first; pages that point another way are left out."""
    pages: list[tuple[int, bytes, str]] = []
    for document in documents:
        row = connection.execute(
            "SELECT dimension, f16, chunk_ids FROM vectors WHERE document = ? AND model = ?", (document, asked.model)
        ).fetchone()
        if row and row[0] == asked.dimension and is_whole(row):
            pages.append((document, row[1], row[2]))
    cosines = closest_of_each([data for _, data, _ in pages], asked.dimension, direction) if pages else []
    near = [
        _Near(document=document, cosine=cosine, place=place, chunk_ids=ids)
        for (document, _, ids), (cosine, place) in zip(pages, cosines, strict=True)
        if cosine > 0
    ]
    return sorted(near, key=lambda it: (-it.cosine, it.document))


def _rows(connection: Connection, asked: Vectors, site: str) -> Iterable[tuple[int, bytes]]:
    return connection.execute(
        "SELECT document, i8 FROM vectors8 WHERE model = :model AND dimension = :dimension AND (:suffix = '' OR"
        " document IN (SELECT id FROM documents WHERE substr('.' || host, -length(:suffix)) = :suffix))",
        {"model": asked.model, "dimension": asked.dimension, "suffix": suffix_of(site)},
    )


def _is_present(connection: Connection, near: _Near) -> bool:
    """Whether vectors are those of the chunks that their page has now."""
    (count,) = connection.execute("SELECT chunk_count FROM documents WHERE id = ?", (near.document,)).fetchone()
    return count <= MAX_CHUNKS and near.chunk_ids == chunk_ids(connection, near.document)


def _hits(connection: Connection, found: list[_Near]) -> Iterator[Hit]:
    for rank, near in enumerate(found):
        row = connection.execute(
            "SELECT url, title, details, text FROM documents, chunks WHERE documents.id = ? AND cid = ?",
            (near.document, near.document * MAX_CHUNKS + near.place),
        ).fetchone()
        # A damaged row is passed over here; reading the page will tell.
        if row and all(isinstance(value, str) for value in row):
            url, title, details, text = row
            yield hit(rank, url=url, title=title, text=text, published=published(details), score=near.cosine)
