"""The DuckDB store's pages and chunks: one function per query or change, called under the lease."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from gossamer.filedb.rescue import is_under_way, note_gone
from gossamer.model.page import ID_DIGITS, Chunk, Page
from gossamer.stores.duckdb import word_search
from gossamer.stores.duckdb.open_file import Connection, put_meta
from gossamer.stores.shared import reply_rows
from gossamer.stores.shared.chunk_rows import (
    MAX_CHUNKS,
    DamagedRow,
    encode_chunk,
    indexed_chunks,
    positions,
    read_chunks,
    short_ids,
)
from gossamer.stores.shared.page_rows import SNAPSHOTS, PageRows, StoredPage, is_another_text, next_version, stored_page

NAMES = frozenset({"meta", "documents", "snapshots", "chunks", "postings", "vectors", "models", "ledger", "replies"})
"""The tables of the present schema."""

LAST = "store.last_id"
"""Where the greatest number is noted that a document had, once it is gone."""

WORDS = "2"
"""Counts the ways in which text was prepared for the index; an index made in another way is made again."""

_ROW_BYTES = 200
"""What a row takes beside its text, with its share of the word index."""

_PUT_CHUNKS = "INSERT INTO chunks SELECT unnest(?), unnest(?), unnest(?), unnest(?), unnest(?), unnest(?), unnest(?)"
"""Many rows in one statement: DuckDB takes a millisecond for each statement, whatever it does."""

_WHOLE = (
    "SELECT id, url, view, chunk_count, used_at, title, fetched_at, version, content_hash, details, body FROM documents"
)

_NEXT = f"""
    SELECT 1 + greatest(
        coalesce(max(id), 0), coalesce((SELECT max(TRY_CAST(value AS BIGINT)) FROM meta WHERE key = '{LAST}'), 0)
    ) FROM documents
"""  # noqa: S608 - a constant
"""No document gets the number of one that is gone."""

_FORGET = tuple(
    f"DELETE FROM {table} WHERE {document} IN (SELECT unnest(?))"  # noqa: S608 - constants
    for table, document in {
        "chunks": f"cid // {MAX_CHUNKS}",
        "postings": f"cid // {MAX_CHUNKS}",
        "snapshots": "document",
        "vectors": "document",
        "replies": "document",
        "documents": "id",
    }.items()
)


def is_ready(connection: Connection) -> bool:
    """Whether the word index is made of words as they are prepared now."""
    return connection.execute("SELECT value FROM meta WHERE key = 'store.words'").fetchone() == (WORDS,)


def make_ready(connection: Connection) -> None:
    """Make the word index again."""
    connection.execute("DELETE FROM postings")
    for url, view in connection.execute("SELECT url, view FROM documents WHERE chunk_count > 0").fetchall():
        if stored := sound(connection, url, view):
            words = tuple(indexed_chunks(stored.page.title, stored.chunks))
            word_search.put(connection, positions(stored.document)[0], words)
            count = word_search.count_words(words)
            connection.execute("UPDATE documents SET word_count = ? WHERE id = ?", [count, stored.document])
    put_meta(connection, "store.words", WORDS)


def load_chunks(connection: Connection, page: Page) -> tuple[Chunk, ...]:
    """The chunks of exactly this text; none when there were more than fit."""
    document, chunk_count, _ = same_text(connection, page)
    return read_chunks(connection, document, chunk_count, page) if 0 < chunk_count <= MAX_CHUNKS else ()


def save(connection: Connection, rows: PageRows, now: float, reply: reply_rows.ReplyRow | None = None) -> Page:
    """Insert a page, renew it, or make a new version of it; the newer fetch wins."""
    stored = sound(connection, rows.page.url, rows.page.view)
    if stored is None:
        rows = replace(rows, page=replace(rows.page, version=1))
        document = add(connection, rows, now)
    elif stored.page.fetched_at > rows.page.fetched_at:
        return stored.page
    else:
        document = stored.document
        rows = next_version(stored, rows)
        if is_another_text(stored.page, rows.page):
            _keep_snapshot(connection, document, rows.content_hash)
        renew(connection, stored, rows, now)
    if reply:
        reply_rows.put(connection, document, rows.page.url, reply)
    else:
        reply_rows.confirm(connection, rows.page)
    return rows.page


def add(connection: Connection, rows: PageRows, used_at: float) -> int:
    """Put a page in that was not there, and name its document."""
    (document,) = connection.execute(_NEXT).fetchone() or (1,)
    connection.execute(
        "INSERT INTO documents (id, url, view, host, title, fetched_at, used_at, version, content_hash, chars,"
        " chunk_count, word_count, cut, details, body, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [document, rows.page.url, rows.page.view, *_columns(rows, used_at)],
    )
    _put_chunks(connection, document, rows)
    return document


def renew(connection: Connection, kept: StoredPage, rows: PageRows, used_at: float) -> None:
    """Put a page in the place of what was kept of it."""
    connection.execute(
        "UPDATE documents SET host = ?, title = ?, fetched_at = ?, used_at = ?, version = ?, content_hash = ?,"
        " chars = ?, chunk_count = ?, word_count = ?, cut = ?, details = ?, body = ?, bytes = ? WHERE id = ?",
        [*_columns(rows, used_at), kept.document],
    )
    if kept.chunks != rows.chunks or kept.page.title != rows.page.title:
        _drop_chunks(connection, kept.document)
        _put_chunks(connection, kept.document, rows)


def remove(connection: Connection, url: str) -> bool:
    """Forget an address in every view."""
    rows = connection.execute("SELECT id FROM documents WHERE url = ?", [url]).fetchall()
    forget(connection, [document for (document,) in rows])
    note_gone(connection, url)
    return bool(rows)


def sound(connection: Connection, url: str, view: str) -> StoredPage | None:
    """The page if it is what was written; else it is forgotten."""
    try:
        return _load(connection, url, view)
    except DamagedRow:
        rows = connection.execute("SELECT id FROM documents WHERE url = ? AND view = ?", [url, view]).fetchall()
        forget(connection, [document for (document,) in rows])
        return None


def forget(connection: Connection, documents: Sequence[int]) -> None:
    """Let go of documents and all that belongs to them."""
    if is_under_way(connection):
        rows = connection.execute("SELECT url, view FROM documents WHERE id IN (SELECT unnest(?))", [list(documents)])
        for url, view in rows.fetchall():
            note_gone(connection, url, view)
    (last,) = connection.execute("SELECT max(id) FROM documents").fetchone() or (None,)
    if last in documents:
        put_meta(connection, LAST, str(last))
    for statement in _FORGET:
        connection.execute(statement, [list(documents)])


def replace_snapshots(connection: Connection, document: int, texts: Iterable[PageRows]) -> None:
    """Put these in the place of all earlier texts of a page."""
    connection.execute("DELETE FROM snapshots WHERE document = ?", [document])
    for rows in texts:
        page = rows.page
        connection.execute(
            "INSERT INTO snapshots (document, version, content_hash, title, fetched_at, bytes, details, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                document,
                page.version,
                rows.content_hash,
                page.title,
                page.fetched_at,
                len(rows.body) + _ROW_BYTES,
                rows.details,
                rows.body,
            ],
        )


def _keep_snapshot(connection: Connection, document: int, new_hash: str) -> None:
    """Keep the present text of a page beside the earlier ones, before another takes its place."""
    connection.execute("DELETE FROM snapshots WHERE document = ? AND content_hash = ?", [document, new_hash])
    connection.execute(
        "INSERT INTO snapshots (document, version, content_hash, title, fetched_at, bytes, details, body)"
        " SELECT id, version, content_hash, title, fetched_at, octet_length(body) + ?, details, body"
        " FROM documents WHERE id = ?",
        [_ROW_BYTES, document],
    )
    connection.execute(
        "DELETE FROM snapshots WHERE document = ? AND version NOT IN"
        " (SELECT version FROM snapshots WHERE document = ? ORDER BY version DESC LIMIT ?)",
        [document, document, SNAPSHOTS],
    )


def same_text(connection: Connection, page: Page) -> tuple[int, int, str]:
    """The id, number of chunks and name of the cut of the document that has this very text now; zeros when none has."""
    row = connection.execute(
        "SELECT id, chunk_count, cut FROM documents WHERE url = ? AND view = ? AND content_hash = ?",
        [page.url, page.view, page.content_hash],
    ).fetchone()
    return row or (0, 0, "")


def chunk_ids(connection: Connection, document: int) -> str:
    """The ids of a document's chunks, as they are kept beside vectors, in a row."""
    rows = connection.execute("SELECT id FROM chunks WHERE cid BETWEEN ? AND ? ORDER BY cid", positions(document))
    return "".join(id_[:ID_DIGITS] for (id_,) in rows.fetchall())


def cut_of(chunks: Sequence[Chunk]) -> str:
    """Names these chunks: vectors that carry the same name are of them."""
    return sha256("".join(short_ids(chunks)).encode()).hexdigest() if chunks else ""


def _load(connection: Connection, url: str, view: str) -> StoredPage | None:
    return stored_page(connection, connection.execute(f"{_WHOLE} WHERE url = ? AND view = ?", [url, view]).fetchone())


def load_document(connection: Connection, document: int) -> StoredPage | None:
    """The page with this id; `DamagedRow` when it is not what was written."""
    return stored_page(connection, connection.execute(f"{_WHOLE} WHERE id = ?", [document]).fetchone())


def load_text(connection: Connection, document: int) -> StoredPage | None:
    """The document with this id as if it had not been cut: its chunks may be damaged where its text is not."""
    return stored_page(connection, connection.execute(f"{_WHOLE} WHERE id = ?", [document]).fetchone(), is_cut=False)


def _columns(rows: PageRows, used_at: float) -> tuple[str | float | bytes, ...]:
    page = rows.page
    chunk_bytes = sum(2 * len(chunk.text) + _ROW_BYTES for chunk in rows.chunks)
    return (
        rows.host,
        page.title,
        page.fetched_at,
        used_at,
        page.version,
        rows.content_hash,
        len(page.text),
        rows.chunk_count,
        word_search.count_words(rows.words),
        cut_of(rows.chunks),
        rows.details,
        rows.body,
        len(rows.body) + len(rows.details) + _ROW_BYTES + chunk_bytes,
    )


def _put_chunks(connection: Connection, document: int, rows: PageRows) -> None:
    first, _ = positions(document)
    if rows.chunks:
        encoded = [(cid, *encode_chunk(chunk)) for cid, chunk in enumerate(rows.chunks, first)]
        connection.execute(_PUT_CHUNKS, [list(column) for column in zip(*encoded, strict=True)])
    word_search.put(connection, first, rows.words)


def _drop_chunks(connection: Connection, document: int) -> None:
    connection.execute("DELETE FROM chunks WHERE cid BETWEEN ? AND ?", positions(document))
    connection.execute("DELETE FROM postings WHERE cid BETWEEN ? AND ?", positions(document))
