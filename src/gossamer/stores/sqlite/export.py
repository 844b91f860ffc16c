"""Pages of the SQLite store with all that is kept beside them, out of it and into it."""

from sqlite3 import Connection

from gossamer.model.kept import Kept
from gossamer.stores.shared.export import Prepared
from gossamer.stores.shared.page_rows import DamagedRow, earlier_texts
from gossamer.stores.sqlite import pages
from gossamer.stores.sqlite.vectors import rows as vector_rows


def next_record(connection: Connection, after: int) -> tuple[int, Kept | None] | None:
    """The document after this one, with its number; None when it is damaged, and none at all at the end."""
    (document,) = connection.execute("SELECT min(id) FROM documents WHERE id > ?", (after,)).fetchone() or (None,)
    if document is None:
        return None
    try:
        return document, _record(connection, document)
    except DamagedRow:
        return document, None


def _record(connection: Connection, document: int) -> Kept | None:
    whole = pages.load_document(connection, document)
    if whole is None:
        return None
    vectors = [vector_rows.load(connection, whole.page, model) for model in vector_rows.models_of(connection, document)]
    return Kept(
        page=whole.page,
        chunks=whole.chunks,
        chunk_count=whole.chunk_count,
        vectors=tuple(filter(None, vectors)),
        former=earlier_texts(connection, document, whole.page),
        used_at=used_at(connection, document) or whole.page.fetched_at,
    )


def used_at(connection: Connection, document: int) -> float:
    """When a document was last used, as far as it was noted."""
    used = connection.execute("SELECT used_at FROM uses WHERE document = ?", (document,)).fetchone()
    return float(used[0]) if used else 0.0


def restore(connection: Connection, prepared: Prepared) -> bool:
    """Put a record in the place of an older one."""
    record = prepared.record
    document = pages.put(connection, prepared.rows, 0 if record.page.view else record.chunk_count)
    if document is None:
        return False
    connection.execute("DELETE FROM snapshots WHERE document = ?", (document,))
    connection.executemany(
        "INSERT OR IGNORE INTO snapshots (document, version, content_hash, title, fetched_at, details, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (document, old.page.version, old.content_hash, old.page.title, old.page.fetched_at, old.details, old.body)
            for old in prepared.former
        ),
    )
    vector_rows.drop(connection, document)
    for vectors, bytes8 in zip(record.vectors, prepared.bytes8, strict=True):
        vector_rows.put(connection, record.page, vectors, bytes8)
    connection.execute("REPLACE INTO uses VALUES (?, ?)", (document, record.used_at))
    return True
