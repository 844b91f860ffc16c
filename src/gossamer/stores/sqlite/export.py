"""Pages of the SQLite store with all that is kept beside them, out of it and into it."""

from sqlite3 import Connection

from gossamer.model.kept import Kept
from gossamer.model.page import Page
from gossamer.stores.shared.export import Prepared
from gossamer.stores.shared.page_rows import DamagedRow, decode_page
from gossamer.stores.sqlite import pages
from gossamer.stores.sqlite.vectors import rows as vector_rows


def next_kept(connection: Connection, after: int) -> tuple[int, Kept | None] | None:
    """The document after this one, with its number; None when it is damaged, and none at all at the end."""
    found = connection.execute("SELECT min(id) FROM documents WHERE id > ?", (after,)).fetchone()
    if found is None or found[0] is None:
        return None
    try:
        return found[0], kept(connection, found[0])
    except DamagedRow:
        return found[0], None


def kept(connection: Connection, document: int) -> Kept | None:
    """A document as a record; `DamagedRow` when it is not what was written."""
    found = pages.load_document(connection, document)
    if found is None:
        return None
    vectors = [vector_rows.load(connection, found.page, model) for model in vector_rows.models_of(connection, document)]
    return Kept(
        page=found.page,
        chunks=found.chunks,
        chunk_count=found.chunk_count,
        vectors=tuple(it for it in vectors if it),
        former=former(connection, document, found.page),
        used_at=used_at(connection, document) or found.page.fetched_at,
    )


def used_at(connection: Connection, document: int) -> float:
    """When a document was last used, as far as it was noted."""
    used = connection.execute("SELECT used_at FROM uses WHERE document = ?", (document,)).fetchone()
    return float(used[0]) if used else 0.0


def former(connection: Connection, document: int, page: Page) -> tuple[Page, ...]:
    """The earlier texts of a document that are what was written, newest first."""
    rows = connection.execute(
        "SELECT title, fetched_at, version, content_hash, details, body FROM snapshots WHERE document = ?"
        " ORDER BY version DESC",
        (document,),
    ).fetchall()
    texts: list[Page] = []
    for row in rows:
        try:
            texts.append(decode_page(page.url, page.view, row))
        except DamagedRow:
            continue
    return tuple(texts)


def restore(connection: Connection, it: Prepared) -> bool:
    """Put a record in the place of an older one."""
    record = it.record
    document = pages.put(connection, it.rows, 0 if record.page.view else record.chunk_count)
    if document is None:
        return False
    connection.execute("DELETE FROM snapshots WHERE document = ?", (document,))
    connection.executemany(
        "INSERT OR IGNORE INTO snapshots (document, version, content_hash, title, fetched_at, details, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (document, old.page.version, old.content_hash, old.page.title, old.page.fetched_at, old.details, old.body)
            for old in it.former
        ),
    )
    vector_rows.drop(connection, document)
    for vectors, bytes8 in zip(record.vectors, it.bytes8, strict=True):
        vector_rows.put(connection, record.page, vectors, bytes8)
    connection.execute("REPLACE INTO uses VALUES (?, ?)", (document, record.used_at))
    return True
