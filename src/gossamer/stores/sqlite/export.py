"""Pages of the SQLite store with all that is kept beside them, out of it and into it."""

from sqlite3 import Connection

from gossamer.stores.shared.page_rows import StoredPage
from gossamer.stores.shared.record_rows import Prepared
from gossamer.stores.sqlite import pages, vector_rows


def used_at(connection: Connection, stored: StoredPage) -> float:
    """When a page was last used, as far as it was noted."""
    used = connection.execute("SELECT used_at FROM uses WHERE document = ?", (stored.document,)).fetchone()
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
