"""Searching the DuckDB store by vectors: a quick look at all of them, a close one at the best."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from gossamer.model.page import Vectors
from gossamer.model.search import Hit
from gossamer.stores.duckdb.open_file import Connection
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS
from gossamer.stores.shared.cosine import closest_of_each, direction_of, promising
from gossamer.stores.shared.page_rows import models, published
from gossamer.stores.shared.record_rows import decoded
from gossamer.stores.shared.words import hit, suffix_of

_MORE, _SOME = 2, 8
"""How many pages are looked at closely: those asked for times one, and the other. A byte a number misjudges a few."""

_ROWS = 256
"""Pages fetched at once."""


class _Near(NamedTuple):
    document: int
    cosine: float
    place: int


def nearest(connection: Connection, asked: Vectors, count: int, site: str) -> tuple[Hit, ...]:
    """Pages whose chunks are closest to one vector, best first, each once with its closest chunk."""
    direction = direction_of(asked)
    if count < 1 or models(connection).get(asked.model) != asked.dimension:
        return ()
    candidates = promising(_rows(connection, asked, site), asked.dimension, direction)
    found: list[_Near] = []
    while len(found) < count and (batch := list(islice(candidates, _MORE * count + _SOME))):
        pages = list(_vectors(connection, [document for document, _ in batch], asked))
        cosines = closest_of_each([data for _, data in pages], asked.dimension, direction) if pages else []
        found += [_Near(document, *near) for (document, _), near in zip(pages, cosines, strict=True)]
    found.sort(key=lambda near: (-near.cosine, near.document))
    return tuple(_hits(connection, [near for near in found[:count] if near.cosine > 0]))


def _rows(connection: Connection, asked: Vectors, site: str) -> Iterator[tuple[int, bytes]]:
    """The bytes of all pages that have vectors of their present chunks, as they come: sorting would hold them all."""
    connection.execute(
        "SELECT document, i8 FROM vectors JOIN documents ON document = id AND documents.cut = vectors.cut"
        " WHERE model = $model AND dimension = $dimension AND view = '' AND chunk_count <= $most"
        " AND ($suffix = '' OR ends_with('.' || host, $suffix))",
        {"model": asked.model, "dimension": asked.dimension, "most": MAX_CHUNKS, "suffix": suffix_of(site)},
    )
    while rows := connection.fetchmany(_ROWS):
        yield from rows


def _vectors(connection: Connection, documents: list[int], asked: Vectors) -> Iterator[tuple[int, bytes]]:
    rows = connection.execute(
        "SELECT document, dimension, f16, chunk_ids FROM vectors"
        " WHERE model = ? AND document IN (SELECT unnest(?)) ORDER BY document",
        [asked.model, documents],
    ).fetchall()
    for document, *row in rows:
        if former := decoded(asked.model, tuple(row)):
            yield document, former.vectors.data


def _hits(connection: Connection, found: list[_Near]) -> Iterator[Hit]:
    cids = [near.document * MAX_CHUNKS + near.place for near in found]
    rows = connection.execute(
        "SELECT cid, url, title, details, text FROM chunks JOIN documents ON documents.id = cid // ?"
        " WHERE cid IN (SELECT unnest(?))",
        [MAX_CHUNKS, cids],
    ).fetchall()
    shown = {cid: row for cid, *row in rows}
    for rank, (cid, near) in enumerate(zip(cids, found, strict=True)):
        if cid in shown:
            url, title, details, text = shown[cid]
            yield hit(rank, url=url, title=title, text=text, published=published(details), score=near.cosine)
