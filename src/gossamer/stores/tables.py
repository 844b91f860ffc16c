"""The SQLite store's tables: one function per question or change, each inside somebody's transaction."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from gossamer.model.page import Chunk, Listed, Page, Vectors
from gossamer.stores.rows import (
    MAX_CHUNKS,
    SNAPSHOTS,
    DamagedRow,
    PageRow,
    PageRows,
    decode_chunks,
    decode_page,
    encode_chunk,
)
from gossamer.stores.words import indexed

WORDS = "1"
"""Counts the ways in which text was prepared for the index; an index made in another way is made again."""

Connection = sqlite3.Connection


def ready(connection: Connection, is_suspect: bool) -> None:
    """Make the word index again after damage, or when words are prepared in another way than before."""
    made = connection.execute("SELECT value FROM meta WHERE key = 'store.words'").fetchone()
    if made == (WORDS,) and not is_suspect:
        return
    connection.execute("INSERT INTO fts (fts) VALUES ('delete-all')")
    rows = connection.execute(
        "SELECT cid, title, section, text FROM chunks JOIN documents ON documents.id = cid / ?", (MAX_CHUNKS,)
    )
    for cid, title, section, text in rows:
        words = indexed(title, json.loads(section), text)
        connection.execute("INSERT INTO fts (rowid, words) VALUES (?, ?)", (cid, words))
    connection.execute("REPLACE INTO meta VALUES ('store.words', ?)", (WORDS,))


def load(connection: Connection, url: str, view: str, content_hash: str = "") -> Page | None:
    """The page as it is now, or the text whose hash begins so."""
    found = connection.execute(
        "SELECT id, chunk_count, title, fetched_at, version, content_hash, details, body"
        " FROM documents WHERE url = ? AND view = ?",
        (url, view),
    ).fetchone()
    if found is None:
        return None
    document, chunk_count, *_ = found
    if found[5].startswith(content_hash):
        _read_chunks(connection, url, document, chunk_count)
        return decode_page(url, view, found[2:])
    row: PageRow | None = connection.execute(
        "SELECT title, fetched_at, version, content_hash, details, body FROM snapshots"
        " WHERE document = ? AND substr(content_hash, 1, ?) = ? ORDER BY version DESC",
        (document, len(content_hash), content_hash),
    ).fetchone()
    try:
        return decode_page(url, view, row) if row else None
    except DamagedRow:
        return None


def load_chunks(connection: Connection, page: Page) -> tuple[Chunk, ...]:
    """The chunks of exactly this text; none when there were more than fit."""
    document, chunk_count = _same_text(connection, page)
    return _read_chunks(connection, page.url, document, chunk_count) if chunk_count <= MAX_CHUNKS else ()


def load_vectors(connection: Connection, page: Page, model: str) -> Vectors | None:
    """The vectors of exactly this text by this model."""
    row = connection.execute(
        "SELECT dimension, f16 FROM vectors WHERE document = ? AND model = ?", (_same_text(connection, page)[0], model)
    ).fetchone()
    return Vectors(model=model, dimension=row[0], data=row[1]) if row else None


def put_vectors(connection: Connection, page: Page, vectors: Vectors) -> None:
    """Keep one vector per chunk of exactly this text; anything else is of a text or a cutting that is gone."""
    document, chunk_count = _same_text(connection, page)
    if 0 < chunk_count <= MAX_CHUNKS and len(vectors.data) == 2 * vectors.dimension * chunk_count:
        row = (document, vectors.model, vectors.dimension, vectors.data)
        connection.execute("REPLACE INTO vectors (document, model, dimension, f16) VALUES (?, ?, ?, ?)", row)


def save(connection: Connection, rows: PageRows) -> Page:
    """Insert a page, renew it, or make a new version of it; the newer fetch wins."""
    page = rows.page
    kept = connection.execute(
        "SELECT id, version, content_hash, fetched_at, title, chunk_count FROM documents WHERE url = ? AND view = ?",
        (page.url, page.view),
    ).fetchone()
    if kept is None:
        return _insert(connection, rows)
    document, version, content_hash, fetched_at, title, chunk_count = kept
    try:
        newer = load(connection, page.url, page.view) if fetched_at > page.fetched_at else None
        chunks = _read_chunks(connection, page.url, document, chunk_count)
    except DamagedRow:
        _forget(connection, page.url, document, title, chunk_count)
        return _insert(connection, rows)
    if newer:
        return newer
    is_new_text = content_hash != rows.content_hash
    if is_new_text:
        _keep_snapshot(connection, document, rows.content_hash)
        version += 1
    if rows.chunk_count == 0 and not is_new_text:
        words = tuple(indexed(page.title, chunk.section, chunk.text) for chunk in chunks)
        rows = replace(rows, chunk_count=chunk_count, chunks=chunks, words=words)
    if is_new_text or [chunk.id for chunk in chunks] != [chunk.id for chunk in rows.chunks]:
        connection.execute("DELETE FROM vectors WHERE document = ?", (document,))
    if chunks != rows.chunks or title != page.title:
        _drop_chunks(connection, document, title, chunks)
        _put_chunks(connection, document, rows)
    connection.execute(
        "UPDATE documents SET host = ?, title = ?, fetched_at = ?, version = ?, content_hash = ?, chars = ?,"
        " chunk_count = ?, details = ?, body = ? WHERE id = ?",
        (*_columns(rows, version), document),
    )
    return replace(page, version=version)


def remove(connection: Connection, url: str) -> bool:
    """Forget an address in every view."""
    found = connection.execute("SELECT id, title, chunk_count FROM documents WHERE url = ?", (url,)).fetchall()
    for document, title, chunk_count in found:
        _forget(connection, url, document, title, chunk_count)
    return bool(found)


def remove_damaged(connection: Connection, url: str, view: str) -> None:
    """Forget a page that was found damaged, unless somebody has saved it again meanwhile."""
    try:
        load(connection, url, view)
    except DamagedRow:
        found = connection.execute(
            "SELECT id, title, chunk_count FROM documents WHERE url = ? AND view = ?", (url, view)
        ).fetchone()
        _forget(connection, url, *found)


def newest(connection: Connection, count: int) -> tuple[Listed, ...]:
    """Pages of the default view, newest first."""
    rows = connection.execute(
        "SELECT url, title, fetched_at, version, chars FROM documents WHERE view = ''"
        " ORDER BY fetched_at DESC, url LIMIT ?",
        (max(count, 0),),
    ).fetchall()
    return tuple(
        Listed(url=url, title=title, fetched_at=fetched_at, version=version, chars=chars)
        for url, title, fetched_at, version, chars in rows
    )


def _same_text(connection: Connection, page: Page) -> tuple[int, int]:
    """The id and number of chunks of the document that has this very text now; zeros when none has."""
    found: tuple[int, int] | None = connection.execute(
        "SELECT id, chunk_count FROM documents WHERE url = ? AND view = ? AND content_hash = ?",
        (page.url, page.view, page.content_hash),
    ).fetchone()
    return found or (0, 0)


def _read_chunks(connection: Connection, url: str, document: int, count: int) -> tuple[Chunk, ...]:
    rows = connection.execute(
        "SELECT id, section, start, stop, tokens, text FROM chunks WHERE cid BETWEEN ? AND ? ORDER BY cid",
        _positions(document),
    ).fetchall()
    return decode_chunks(url, rows, count)


def _forget(connection: Connection, url: str, document: int, title: str, chunk_count: int) -> None:
    """Forget a document and what hangs on it.

    The index lets go only of the very words it was given. Those of damaged chunks stay, under an id that no page
    will have again, and a search passes over them.
    """
    try:
        chunks = _read_chunks(connection, url, document, chunk_count)
    except DamagedRow:
        chunks = ()
    _drop_chunks(connection, document, title, chunks)
    connection.execute("DELETE FROM documents WHERE id = ?", (document,))


def _insert(connection: Connection, rows: PageRows) -> Page:
    page = rows.page
    document = connection.execute(
        "INSERT INTO documents (url, view, host, title, fetched_at, version, content_hash, chars, chunk_count, details,"
        " body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (page.url, page.view, *_columns(rows, 1)),
    ).lastrowid
    _put_chunks(connection, document or 0, rows)
    return replace(page, version=1)


def _columns(rows: PageRows, version: int) -> tuple[str | float | bytes, ...]:
    page = rows.page
    return (
        rows.host,
        page.title,
        page.fetched_at,
        version,
        rows.content_hash,
        len(page.text),
        rows.chunk_count,
        rows.details,
        rows.body,
    )


def _keep_snapshot(connection: Connection, document: int, new_hash: str) -> None:
    connection.execute("DELETE FROM snapshots WHERE document = ? AND content_hash = ?", (document, new_hash))
    connection.execute(
        "INSERT INTO snapshots SELECT id, version, content_hash, title, fetched_at, details, body"
        " FROM documents WHERE id = ?",
        (document,),
    )
    connection.execute(
        "DELETE FROM snapshots WHERE document = ? AND version NOT IN"
        " (SELECT version FROM snapshots WHERE document = ? ORDER BY version DESC LIMIT ?)",
        (document, document, SNAPSHOTS),
    )


def _put_chunks(connection: Connection, document: int, rows: PageRows) -> None:
    first, _ = _positions(document)
    connection.executemany(
        "INSERT INTO chunks (cid, id, section, start, stop, tokens, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((first + at, *encode_chunk(chunk)) for at, chunk in enumerate(rows.chunks)),
    )
    connection.executemany(
        "INSERT INTO fts (rowid, words) VALUES (?, ?)", ((first + at, words) for at, words in enumerate(rows.words))
    )


def _drop_chunks(connection: Connection, document: int, title: str, chunks: Sequence[Chunk]) -> None:
    first, last = _positions(document)
    connection.executemany(
        "INSERT INTO fts (fts, rowid, words) VALUES ('delete', ?, ?)",
        ((first + at, indexed(title, chunk.section, chunk.text)) for at, chunk in enumerate(chunks)),
    )
    connection.execute("DELETE FROM chunks WHERE cid BETWEEN ? AND ?", (first, last))


def _positions(document: int) -> tuple[int, int]:
    return document * MAX_CHUNKS, document * MAX_CHUNKS + MAX_CHUNKS - 1
