"""How much the DuckDB store holds, what of it was used, and what goes when that is too much."""

from collections.abc import Iterable
from typing import TypeVar

from gossamer.model.records import Stats
from gossamer.stores.duckdb.open_file import Connection
from gossamer.stores.duckdb.pages import forget
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS

T = TypeVar("T")

BATCH = 50
"""Texts that go in one transaction: others get their turn in between."""

FREE_BYTES = 2**23
"""Free space inside the file that is left for the next pages, beside as much again as they take now."""


def note_use(connection: Connection, url: str, view: str, at: float) -> None:
    """Write down when a page was used."""
    connection.execute("UPDATE documents SET used_at = ? WHERE url = ? AND view = ?", [at, url, view])


def stats(connection: Connection) -> Stats:
    """How much is kept."""
    pages, chunks = connection.execute(
        "SELECT count(*), coalesce(sum(least(chunk_count, ?)), 0) FROM documents", [MAX_CHUNKS]
    ).fetchone() or (0, 0)
    (versions,) = connection.execute("SELECT count(*) FROM snapshots").fetchone() or (0,)
    models = connection.execute("SELECT model, count(*) FROM vectors GROUP BY model").fetchall()
    return Stats(pages=pages, versions=versions, chunks=int(chunks), size_bytes=size(connection), models=dict(models))


def size(connection: Connection) -> int:
    """The bytes of what is kept: the file itself shrinks later, and not by each text that goes."""
    (total,) = connection.execute(
        "SELECT coalesce(sum(bytes), 0) FROM (SELECT bytes FROM documents UNION ALL SELECT bytes FROM snapshots"
        " UNION ALL SELECT bytes FROM vectors UNION ALL SELECT bytes FROM replies)"
    ).fetchone() or (0,)
    return int(total)


def evict_replies(connection: Connection, most_bytes: int) -> int:
    """Let go of a few replies, those of pages unused for longest first; tell how many."""
    over = size(connection) - most_bytes
    if over <= 0:
        return 0
    # Those of pages that an older Gossamer let go have no page any more.
    rows = connection.execute(
        "SELECT document, replies.bytes FROM replies LEFT JOIN documents ON id = document"
        " ORDER BY used_at NULLS FIRST, document LIMIT ?",
        [BATCH],
    ).fetchall()
    gone = _enough(rows, over)
    connection.execute("DELETE FROM replies WHERE document IN (SELECT unnest(?))", [gone])
    return len(gone)


def evict(connection: Connection, most_bytes: int) -> int:
    """Let go of a few earlier texts, or pages when there are none, unused for longest first; tell how many."""
    over = size(connection) - most_bytes
    if over <= 0:
        return 0
    return _evict_texts(connection, over) or _evict_pages(connection, over)


def _evict_texts(connection: Connection, over: int) -> int:
    rows = connection.execute(
        "SELECT document, snapshots.version, snapshots.bytes FROM snapshots JOIN documents ON id = document"
        " ORDER BY used_at, document, snapshots.version LIMIT ?",
        [BATCH],
    ).fetchall()
    gone = _enough((((document, version), size_bytes) for document, version, size_bytes in rows), over)
    connection.execute(
        "DELETE FROM snapshots WHERE (document, version) IN (SELECT unnest(?), unnest(?))",
        [[document for document, _ in gone], [version for _, version in gone]],
    )
    return len(gone)


def _evict_pages(connection: Connection, over: int) -> int:
    rows = connection.execute(
        "SELECT id, documents.bytes + coalesce((SELECT sum(bytes) FROM vectors WHERE document = id), 0)"
        " FROM documents ORDER BY used_at, id LIMIT ?",
        [BATCH],
    ).fetchall()
    gone = _enough(rows, over)
    forget(connection, gone)
    return len(gone)


def _enough(sized: Iterable[tuple[T, int]], over: int) -> list[T]:
    """The first of these whose sizes make up `over`."""
    gone: list[T] = []
    for one, size_bytes in sized:
        if over <= 0:
            break
        gone.append(one)
        over -= size_bytes
    return gone
