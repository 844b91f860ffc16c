"""Vector rows of the SQLite store: float16, int8 and 2-bit, one row per page and model, with the ids of its chunks."""

from collections.abc import Callable, Sequence
from sqlite3 import Connection

from gossamer.filedb.sqlite.error_mapping import Unprepared
from gossamer.model.page import FormerVectors, Page, Vectors
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS
from gossamer.stores.shared.page_rows import models
from gossamer.stores.shared.record_rows import FLOAT16_BYTES, MADE8, bytes_of, decoded, is_whole
from gossamer.stores.sqlite.pages import chunk_ids, same_text

UNQUARTERED = """
    NOT EXISTS
    (SELECT 1 FROM vectors2 WHERE vectors2.document = vectors8.document AND vectors2.model = vectors8.model)
"""
"""Vectors at a byte a number that are not kept at a quarter of that."""

_DOCUMENTS8 = "SELECT DISTINCT document FROM vectors8 WHERE document > ?"
_OF_DOCUMENT8 = "SELECT model, dimension, i8 FROM vectors8 WHERE document = ?"
_MADE2 = "1"
"""Counts the ways in which 2-bit copies were made of bytes; those made in another way are made again."""
PORTION = 500
"""Pages whose vectors are made ready in one transaction: a tenth of a second."""


def load(connection: Connection, page: Page, model: str) -> Vectors | None:
    """The vectors of exactly this text, cut as it is now, by this model."""
    found = connection.execute(
        "SELECT id, chunk_count, dimension, f16, chunk_ids FROM documents JOIN vectors ON document = id"
        " WHERE url = ? AND view = ? AND content_hash = ? AND model = ?",
        (page.url, page.view, page.content_hash, model),
    ).fetchone()
    if found is None:
        return None
    document, chunk_count, *row = found
    is_present = isinstance(chunk_count, int) and 0 < chunk_count <= MAX_CHUNKS and is_whole(row)
    if not is_present or row[2] != chunk_ids(connection, document):
        return None
    return Vectors(model=model, dimension=row[0], data=row[1])


def former(connection: Connection, page: Page, model: str) -> FormerVectors | None:
    """What was last kept for this address, whatever its text was: by this model, else by another."""
    row = connection.execute(
        "SELECT model, dimension, f16, chunk_ids FROM vectors"
        " WHERE document = (SELECT id FROM documents WHERE url = ? AND view = ?)"
        " ORDER BY model = ? DESC, rowid DESC LIMIT 1",
        (page.url, page.view, model),
    ).fetchone()
    return decoded(row[0], row[1:]) if row else None


def put(connection: Connection, page: Page, vectors: Vectors, data8: bytes) -> None:
    """Keep one vector per chunk of exactly this text; anything else is of a text, a cutting or a model that is gone."""
    document, chunk_count = same_text(connection, page)
    is_fitting = len(vectors.data) == FLOAT16_BYTES * vectors.dimension * chunk_count
    if not (0 < chunk_count <= MAX_CHUNKS and is_fitting):
        return
    connection.execute("INSERT OR IGNORE INTO models VALUES (?, ?)", (vectors.model, vectors.dimension))
    if models(connection)[vectors.model] == vectors.dimension:
        ids = chunk_ids(connection, document)
        connection.execute(
            "REPLACE INTO vectors (document, model, dimension, f16, chunk_ids) VALUES (?, ?, ?, ?, ?)",
            (document, vectors.model, vectors.dimension, vectors.data, ids),
        )
        _put8(connection, document, vectors, data8)


def _put8(connection: Connection, document: int, vectors: Vectors, data8: bytes) -> None:
    connection.execute(
        "REPLACE INTO vectors8 (document, model, dimension, i8) VALUES (?, ?, ?, ?)",
        (document, vectors.model, vectors.dimension, data8),
    )
    _put2(connection, document, vectors.model, vectors.dimension, data8)


def _put2(connection: Connection, document: int, model: str, dimension: int, data8: bytes) -> None:
    from gossamer.stores.sqlite.two_bit import packed2

    connection.execute(
        "REPLACE INTO vectors2 (document, model, dimension, i2) VALUES (?, ?, ?, ?)",
        (document, model, dimension, packed2(data8, dimension)),
    )


def prepare(connection: Connection) -> bool:
    """Make some bytes of vectors that were kept before there were any, or made in another way, then some quarters.

    Tell whether more is left. How far it came is noted as for words: a way, and the last document.
    """
    return _prepared_some(connection, "store.vectors8", MADE8, _remake8) or _prepared_some(
        connection, "store.vectors2", _MADE2, _make2
    )


def must_be_made(connection: Connection) -> None:
    """Refuse to look at bytes of vectors that are not all there; a search does without quarters."""
    noted = _noted(connection, "store.vectors8")
    if not noted or ":" in noted:
        raise Unprepared("The vectors of the library are being made ready.")


def _prepared_some(
    connection: Connection, key: str, made: str, make: Callable[[Connection, int], Sequence[int]]
) -> bool:
    way, _, last = _noted(connection, key).partition(":")
    if way == made and not last:
        return False
    documents = make(connection, int(last) if way == made and last.isdecimal() else 0)
    has_more = len(documents) == PORTION
    noted = f"{made}:{documents[-1]}" if has_more else made
    connection.execute("REPLACE INTO meta VALUES (?, ?)", (key, noted))
    return has_more


def _remake8(connection: Connection, after: int) -> Sequence[int]:
    documents = connection.execute(
        "SELECT DISTINCT document FROM vectors WHERE document > ? ORDER BY document LIMIT ?", (after, PORTION)
    ).fetchall()
    for (document,) in documents:
        rows = connection.execute("SELECT model, dimension, f16 FROM vectors WHERE document = ?", (document,))
        for model, dimension, data in rows.fetchall():
            if isinstance(dimension, int) and isinstance(data, bytes):
                vectors = Vectors(model=model, dimension=dimension, data=data)
                _put8(connection, document, vectors, bytes_of(vectors))
    return [document for (document,) in documents]


def _make2(connection: Connection, after: int) -> Sequence[int]:
    documents = connection.execute(
        f"{_DOCUMENTS8} AND {UNQUARTERED} ORDER BY document LIMIT ?",
        (after, PORTION),
    ).fetchall()
    for (document,) in documents:
        for model, dimension, data8 in connection.execute(f"{_OF_DOCUMENT8} AND {UNQUARTERED}", (document,)).fetchall():
            is_right = isinstance(dimension, int) and isinstance(data8, bytes)
            if is_right and dimension > 0 and len(data8) % dimension == 0:
                _put2(connection, document, model, dimension, data8)
    return [document for (document,) in documents]


def _noted(connection: Connection, key: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def has_unquartered(connection: Connection) -> bool:
    """Whether some are not made yet, or an older Gossamer that shares the file kept pages without them."""
    counts = "SELECT (SELECT count(*) FROM vectors8) > (SELECT count(*) FROM vectors2)"
    return connection.execute(counts).fetchone() == (1,)


def drop(connection: Connection, document: int) -> None:
    """Let go of all vectors of a page."""
    connection.execute("DELETE FROM vectors WHERE document = ?", (document,))
    connection.execute("DELETE FROM vectors8 WHERE document = ?", (document,))
    connection.execute("DELETE FROM vectors2 WHERE document = ?", (document,))


def models_of(connection: Connection, document: int) -> tuple[str, ...]:
    """The models that a page has vectors by, the one kept last at the end."""
    rows = connection.execute("SELECT model FROM vectors WHERE document = ? ORDER BY rowid", (document,))
    return tuple(model for (model,) in rows)


def forget(connection: Connection, model: str) -> None:
    """Let go of all vectors of a model, and of its dimension."""
    connection.execute("DELETE FROM vectors WHERE model = ?", (model,))
    connection.execute("DELETE FROM vectors8 WHERE model = ?", (model,))
    connection.execute("DELETE FROM vectors2 WHERE model = ?", (model,))
    connection.execute("DELETE FROM models WHERE name = ?", (model,))
