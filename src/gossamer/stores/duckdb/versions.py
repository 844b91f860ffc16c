"""Versions: earlier texts of the DuckDB store's pages."""

from collections.abc import Iterable

from gossamer.model.kept import Version
from gossamer.model.page import Page
from gossamer.stores.duckdb.open_file import Connection
from gossamer.stores.shared.page_rows import SNAPSHOTS, DamagedRow, PageRows, decode_page

_ROW_BYTES = 200
"""What a row takes beside its text."""


def keep(connection: Connection, document: int, new_hash: str) -> None:
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


def replace_all(connection: Connection, document: int, texts: Iterable[PageRows]) -> None:
    """Put these in the place of all earlier texts of a page."""
    forget(connection, document)
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


def forget(connection: Connection, document: int) -> None:
    """Let go of all earlier texts of a page."""
    connection.execute("DELETE FROM snapshots WHERE document = ?", [document])


def text(connection: Connection, document: int, page: Page, content_hash: str) -> Page | None:
    """The newest earlier text of a page whose hash begins so."""
    found = texts(connection, document, page, content_hash)
    return found[0] if found else None


def texts(connection: Connection, document: int, page: Page, content_hash: str = "") -> tuple[Page, ...]:
    """The earlier texts of a page whose hashes begin so, newest first; damaged ones are left out."""
    rows = connection.execute(
        "SELECT title, fetched_at, version, content_hash, details, body FROM snapshots"
        " WHERE document = ? AND starts_with(content_hash, ?) ORDER BY version DESC",
        [document, content_hash],
    ).fetchall()
    sound: list[Page] = []
    for row in rows:
        try:
            sound.append(decode_page(page.url, page.view, row))
        except DamagedRow:
            continue
    return tuple(sound)


def versions(connection: Connection, url: str, view: str) -> tuple[Version, ...]:
    """The texts of an address, newest first, with the present one."""
    rows = connection.execute(
        "SELECT version, content_hash, title, fetched_at FROM documents WHERE url = $url AND view = $view UNION ALL"
        " SELECT version, content_hash, title, fetched_at FROM snapshots"
        " WHERE document = (SELECT id FROM documents WHERE url = $url AND view = $view) ORDER BY version DESC",
        {"url": url, "view": view},
    ).fetchall()
    return tuple(
        Version(version=version, content_hash=content_hash, title=title, fetched_at=fetched_at)
        for version, content_hash, title, fetched_at in rows
    )
