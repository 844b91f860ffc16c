"""The DuckDB store's vectors: one row per page and model, packed, with the ids of the chunks they are of."""

from gossamer.model.page import FormerVectors, Page, Vectors
from gossamer.stores.duckdb.open_file import Connection, put_meta
from gossamer.stores.duckdb.pages import chunk_ids, same_text
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS
from gossamer.stores.shared.page_rows import models
from gossamer.stores.shared.record_rows import FLOAT16_BYTES, MADE8, bytes_of, decoded


def load(connection: Connection, page: Page, model: str) -> Vectors | None:
    """The vectors of exactly this text, cut as it is now, by this model."""
    document, chunk_count, cut = same_text(connection, page)
    row = connection.execute(
        "SELECT dimension, f16, chunk_ids FROM vectors WHERE document = ? AND model = ? AND cut = ?",
        [document, model, cut],
    ).fetchone()
    found = decoded(model, row) if row and 0 < chunk_count <= MAX_CHUNKS else None
    return found.vectors if found else None


def former(connection: Connection, page: Page, model: str) -> FormerVectors | None:
    """What was last kept for this address, whatever its text was: by this model, else by another."""
    row = connection.execute(
        "SELECT model, dimension, f16, chunk_ids FROM vectors"
        " WHERE document = (SELECT id FROM documents WHERE url = ? AND view = ?)"
        " ORDER BY model = ? DESC, kept DESC LIMIT 1",
        [page.url, page.view, model],
    ).fetchone()
    return decoded(row[0], row[1:]) if row else None


def put(connection: Connection, page: Page, vectors: Vectors, data8: bytes) -> None:
    """Keep one vector per chunk of exactly this text; anything else is of a text, a cutting or a model that is gone."""
    document, chunk_count, cut = same_text(connection, page)
    is_fitting = len(vectors.data) == FLOAT16_BYTES * vectors.dimension * chunk_count
    if not (0 < chunk_count <= MAX_CHUNKS and is_fitting):
        return
    dimension = models(connection).get(vectors.model)
    if dimension is None:
        connection.execute("INSERT INTO models VALUES (?, ?)", [vectors.model, vectors.dimension])
    elif dimension != vectors.dimension:
        return
    ids = chunk_ids(connection, document)
    connection.execute("DELETE FROM vectors WHERE document = ? AND model = ?", [document, vectors.model])
    connection.execute(
        "INSERT INTO vectors (document, model, dimension, kept, cut, chunk_ids, bytes, f16, i8)"
        " SELECT ?, ?, ?, coalesce(max(kept), 0) + 1, ?, ?, ?, ?, ? FROM vectors",
        [
            document,
            vectors.model,
            vectors.dimension,
            cut,
            ids,
            len(ids) + len(vectors.data) + len(data8),
            vectors.data,
            data8,
        ],
    )


def is_ready(connection: Connection) -> bool:
    """Whether the bytes of all vectors are made as they are now."""
    return connection.execute("SELECT value FROM meta WHERE key = 'store.vectors8'").fetchone() == (MADE8,)


def make_ready(connection: Connection) -> None:
    """Make them again."""
    for of in connection.execute("SELECT document, model FROM vectors").fetchall():
        rows = connection.execute("SELECT model, dimension, f16 FROM vectors WHERE document = ? AND model = ?", of)
        for model, dimension, data in rows.fetchall():
            data8 = bytes_of(Vectors(model=model, dimension=dimension, data=data))
            connection.execute("UPDATE vectors SET i8 = ? WHERE document = ? AND model = ?", [data8, *of])
    put_meta(connection, "store.vectors8", MADE8)


def models_of(connection: Connection, document: int) -> tuple[str, ...]:
    """The models that a page has vectors by, the one kept last at the end."""
    rows = connection.execute("SELECT model FROM vectors WHERE document = ? ORDER BY kept", [document]).fetchall()
    return tuple(model for (model,) in rows)


def forget(connection: Connection, model: str) -> None:
    """Let go of all vectors of a model, and of its dimension."""
    connection.execute("DELETE FROM vectors WHERE model = ?", [model])
    connection.execute("DELETE FROM models WHERE name = ?", [model])
