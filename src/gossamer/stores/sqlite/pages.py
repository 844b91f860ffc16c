"""The SQLite store's tables: one function per question or change, each inside the caller's transaction."""

from collections.abc import Mapping
from dataclasses import replace
from sqlite3 import Connection

from gossamer.filedb.rescue import note_gone
from gossamer.model.page import ID_DIGITS, Chunk, Page
from gossamer.stores.shared import reply_rows
from gossamer.stores.shared.chunk_rows import (
    MAX_CHUNKS,
    DamagedRow,
    encode_chunk,
    indexed_chunks,
    positions,
    read_chunks,
)
from gossamer.stores.shared.page_rows import SNAPSHOTS, PageRows, StoredPage, is_another_text, next_version, stored_page
from gossamer.stores.sqlite import word_search

USED_AT = "(SELECT used_at FROM uses WHERE document = documents.id)"
"""The SQL of the time of a page's last use, as far as it was noted."""

PORTION = 500
"""Chunks whose words the index gets in one transaction when it is made again: a tenth of a second."""


def prepare(connection: Connection) -> bool:
    """Make some of the word index where words are missing, or prepared in another way; tell whether more is left."""
    if word_search.is_made(connection):
        return False
    if not word_search.is_begun(connection):
        word_search.begin(connection)
    room, documents = PORTION, word_search.next_documents(connection, PORTION)
    for document, url, view in documents:
        if stored := sound(connection, url, view):
            word_search.add(connection, document, indexed_chunks(stored.page.title, stored.chunks))
            room -= len(stored.chunks)
        word_search.note(connection, document)
        if room <= 0:
            return True
    has_more = len(documents) == PORTION
    if not has_more:
        word_search.note(connection, None)
    return has_more


def load_chunks(connection: Connection, page: Page) -> tuple[Chunk, ...]:
    """The chunks of exactly this text; none when there were more than fit."""
    document, chunk_count = same_text(connection, page)
    return read_chunks(connection, document, chunk_count, page) if chunk_count <= MAX_CHUNKS else ()


def save(connection: Connection, rows: PageRows, reply: reply_rows.ReplyRow | None = None) -> Page:
    """Insert a page, renew it, or make a new version of it; the newer fetch wins."""
    stored = sound(connection, rows.page.url, rows.page.view)
    if stored is None:
        rows = replace(rows, page=replace(rows.page, version=1))
        document = _add(connection, rows)
    elif stored.page.fetched_at > rows.page.fetched_at:
        return stored.page
    else:
        document = stored.document
        rows = next_version(stored, rows)
        if is_another_text(stored.page, rows.page):
            _keep_snapshot(connection, document, rows.content_hash)
        _renew(connection, stored, rows)
    if reply:
        reply_rows.put(connection, document, rows.page.url, reply)
    else:
        reply_rows.confirm(connection, rows.page)
    return rows.page


def put(connection: Connection, rows: PageRows, chunk_count: int) -> int | None:
    """Put a page with its version in the place of an older fetch, and name its document; None where none is older."""
    stored = sound(connection, rows.page.url, rows.page.view)
    rows = replace(rows, chunk_count=chunk_count)
    if stored is None:
        return _add(connection, rows)
    if stored.page.fetched_at >= rows.page.fetched_at:
        return None
    _renew(connection, stored, rows)
    connection.execute("DELETE FROM replies WHERE document = ?", (stored.document,))
    return stored.document


def _renew(connection: Connection, stored: StoredPage, rows: PageRows) -> None:
    if stored.chunks != rows.chunks or stored.page.title != rows.page.title:
        _drop_chunks(connection, stored)
        _put_chunks(connection, stored.document, rows)
    connection.execute(
        "UPDATE documents SET host = ?, title = ?, fetched_at = ?, version = ?, content_hash = ?, chars = ?,"
        " chunk_count = ?, details = ?, body = ? WHERE id = ?",
        (*_columns(rows), stored.document),
    )


def remove(connection: Connection, url: str) -> bool:
    """Forget an address in every view."""
    views = connection.execute("SELECT view FROM documents WHERE url = ?", (url,)).fetchall()
    for (view,) in views:
        forget(connection, url, view)
    note_gone(connection, url)
    return bool(views)


def forget(connection: Connection, url: str, view: str) -> None:
    """Forget one view of an address."""
    note_gone(connection, url, view)
    if stored := sound(connection, url, view):
        _drop_chunks(connection, stored)
        connection.execute("DELETE FROM documents WHERE id = ?", (stored.document,))


def note_uses(connection: Connection, uses: Mapping[tuple[str, str], float]) -> None:
    """Write down when pages were used."""
    connection.executemany(
        "REPLACE INTO uses SELECT id, ? FROM documents WHERE url = ? AND view = ?",
        ((at, url, view) for (url, view), at in uses.items()),
    )


def sound(connection: Connection, url: str, view: str) -> StoredPage | None:
    """The page if it is what was written; else it is forgotten.

    The word index lets go only of the very words it was given. Those of a damaged page stay, under an id that no
    page will have again, and a search passes over them.
    """
    try:
        return _load(connection, url, view)
    except DamagedRow:
        (document,) = connection.execute("SELECT id FROM documents WHERE url = ? AND view = ?", (url, view)).fetchone()
        connection.execute("DELETE FROM chunks WHERE cid BETWEEN ? AND ?", positions(document))
        connection.execute("DELETE FROM documents WHERE id = ?", (document,))
        return None


_WHOLE = (
    "SELECT id, url, view, chunk_count, 0.0, title, fetched_at, version, content_hash, details, body FROM documents"
)


def _load(connection: Connection, url: str, view: str) -> StoredPage | None:
    return stored_page(connection, connection.execute(f"{_WHOLE} WHERE url = ? AND view = ?", (url, view)).fetchone())


def load_document(connection: Connection, document: int) -> StoredPage | None:
    """The document with this id; `DamagedRow` when it is not what was written."""
    return stored_page(connection, connection.execute(f"{_WHOLE} WHERE id = ?", (document,)).fetchone())


def load_text(connection: Connection, document: int) -> StoredPage | None:
    """The document with this id as if it had not been cut: its chunks may be damaged where its text is not."""
    return stored_page(connection, connection.execute(f"{_WHOLE} WHERE id = ?", (document,)).fetchone(), is_cut=False)


def same_text(connection: Connection, page: Page) -> tuple[int, int]:
    """The id and number of chunks of the document that has this very text now; zeros when none has."""
    row = connection.execute(
        "SELECT id, chunk_count FROM documents WHERE url = ? AND view = ? AND content_hash = ?",
        (page.url, page.view, page.content_hash),
    ).fetchone()
    return row if row and isinstance(row[1], int) else (0, 0)


def chunk_ids(connection: Connection, document: int) -> str:
    """The ids of a document's chunks in one, as they are kept beside vectors."""
    (digits,) = connection.execute(
        "SELECT group_concat(digits, '') FROM"
        " (SELECT substr(id, 1, ?) AS digits FROM chunks WHERE cid BETWEEN ? AND ? ORDER BY cid)",
        (ID_DIGITS, *positions(document)),
    ).fetchone()
    return digits or ""


def _add(connection: Connection, rows: PageRows) -> int:
    document = connection.execute(
        "INSERT INTO documents (url, view, host, title, fetched_at, version, content_hash, chars, chunk_count, details,"
        " body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (rows.page.url, rows.page.view, *_columns(rows)),
    ).lastrowid
    _put_chunks(connection, document or 0, rows)
    return document or 0


def _columns(rows: PageRows) -> tuple[str | float | bytes, ...]:
    page = rows.page
    return (
        rows.host,
        page.title,
        page.fetched_at,
        page.version,
        rows.content_hash,
        len(page.text),
        rows.chunk_count,
        rows.details,
        rows.body,
    )


def _keep_snapshot(connection: Connection, document: int, new_hash: str) -> None:
    connection.execute("DELETE FROM snapshots WHERE document = ? AND content_hash = ?", (document, new_hash))
    connection.execute(
        "INSERT INTO snapshots (document, version, content_hash, title, fetched_at, details, body)"
        " SELECT id, version, content_hash, title, fetched_at, details, body FROM documents WHERE id = ?",
        (document,),
    )
    connection.execute(
        "DELETE FROM snapshots WHERE document = ? AND version NOT IN"
        " (SELECT version FROM snapshots WHERE document = ? ORDER BY version DESC LIMIT ?)",
        (document, document, SNAPSHOTS),
    )


def _put_chunks(connection: Connection, document: int, rows: PageRows) -> None:
    first, _ = positions(document)
    connection.executemany(
        "INSERT INTO chunks (cid, id, section, start, stop, tokens, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((cid, *encode_chunk(chunk)) for cid, chunk in enumerate(rows.chunks, first)),
    )
    word_search.put(connection, document, rows.words)


def _drop_chunks(connection: Connection, stored: StoredPage) -> None:
    word_search.drop(connection, stored.document, indexed_chunks(stored.page.title, stored.chunks))
    connection.execute("DELETE FROM chunks WHERE cid BETWEEN ? AND ?", positions(stored.document))
