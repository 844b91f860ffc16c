"""The SQLite store's vectors: one row per page and model, packed, with the ids of the chunks they are of."""

from sqlite3 import Connection

from gossamer.model.page import ID_DIGITS, FormerVectors, Page, Vectors
from gossamer.stores.rows import MAX_CHUNKS
from gossamer.stores.tables import chunk_ids, same_text

_BYTES = 2
"""Of one float16."""


def load(connection: Connection, page: Page, model: str) -> Vectors | None:
    """The vectors of exactly this text, cut as it is now, by this model."""
    document, chunk_count = same_text(connection, page)
    row = connection.execute(
        "SELECT dimension, f16, chunk_ids FROM vectors WHERE document = ? AND model = ?", (document, model)
    ).fetchone()
    found = _decoded(model, row) if row and 0 < chunk_count <= MAX_CHUNKS else None
    return found.vectors if found and found.chunk_ids == chunk_ids(connection, document) else None


def former(connection: Connection, page: Page, model: str) -> FormerVectors | None:
    """What was last kept for this address, whatever its text was: by this model, else by another."""
    row = connection.execute(
        "SELECT model, dimension, f16, chunk_ids FROM vectors"
        " WHERE document = (SELECT id FROM documents WHERE url = ? AND view = ?)"
        " ORDER BY model = ? DESC, rowid DESC LIMIT 1",
        (page.url, page.view, model),
    ).fetchone()
    return _decoded(row[0], row[1:]) if row else None


def put(connection: Connection, page: Page, vectors: Vectors) -> None:
    """Keep one vector per chunk of exactly this text; anything else is of a text, a cutting or a model that is gone."""
    document, chunk_count = same_text(connection, page)
    is_fitting = len(vectors.data) == _BYTES * vectors.dimension * chunk_count
    if not (0 < chunk_count <= MAX_CHUNKS and is_fitting):
        return
    connection.execute("INSERT OR IGNORE INTO models VALUES (?, ?)", (vectors.model, vectors.dimension))
    if models(connection)[vectors.model] == vectors.dimension:
        ids = "".join(chunk_ids(connection, document))
        connection.execute(
            "REPLACE INTO vectors (document, model, dimension, f16, chunk_ids) VALUES (?, ?, ?, ?, ?)",
            (document, vectors.model, vectors.dimension, vectors.data, ids),
        )


def models(connection: Connection) -> dict[str, int]:
    """The models whose vectors are kept, each with its dimension."""
    return dict(connection.execute("SELECT name, dimension FROM models").fetchall())


def forget(connection: Connection, model: str) -> None:
    """Let go of all vectors of a model, and of its dimension."""
    connection.execute("DELETE FROM vectors WHERE model = ?", (model,))
    connection.execute("DELETE FROM models WHERE name = ?", (model,))


def _decoded(model: str, row: tuple[object, ...]) -> FormerVectors | None:
    """None for a damaged row, and for one of an older Gossamer, which names no chunks: both are made again."""
    match row:
        case (int(dimension), bytes(data), str(digits)) if digits and len(digits) % ID_DIGITS == 0:
            ids = tuple(digits[at : at + ID_DIGITS] for at in range(0, len(digits), ID_DIGITS))
        case _:
            return None
    if len(data) != _BYTES * dimension * len(ids):
        return None
    return FormerVectors(chunk_ids=ids, vectors=Vectors(model=model, dimension=dimension, data=data))
