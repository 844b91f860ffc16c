"""How much the SQLite store holds, what of it was used, and what goes when that is too much."""

import math
from sqlite3 import Connection

from gossamer.model.records import Stats
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS
from gossamer.stores.sqlite.pages import forget

BATCH = 50
"""Texts that go in one transaction: others get their turn in between."""

FREE_BYTES = 2**20
"""Free space inside the file that is left for the next pages."""

_FREE_PAGES = 1_000
"""Given back to the disk in one transaction."""
_MERGE_PAGES = 500
"""Of the word index, written anew in one transaction."""
_ROW_CHARS = 500
"""About what a page takes beside its text, in characters of one."""
_UNTIDY = "store.untidy"
"""Noted with pages that go: a process that ends before the index is tidied leaves that to the next one."""


def stats(connection: Connection) -> Stats:
    """How much is kept."""
    pages, chunks = connection.execute(
        "SELECT count(*), coalesce(sum(min(chunk_count, ?)), 0) FROM documents", (MAX_CHUNKS,)
    ).fetchone()
    (versions,) = connection.execute("SELECT count(*) FROM snapshots").fetchone()
    models = connection.execute("SELECT model, count(*) FROM vectors GROUP BY model").fetchall()
    return Stats(
        pages=pages, versions=versions, chunks=int(chunks), size_bytes=size(connection)[0], models=dict(models)
    )


def size(connection: Connection) -> tuple[int, int]:
    """The bytes used and the bytes free inside the file."""
    pages, free, width = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * width, free * width


def evict_replies(connection: Connection, most_bytes: int) -> int:
    """Let go of a few replies, those of pages unused for longest first; tell how many."""
    if size(connection)[0] <= most_bytes:
        return 0
    return connection.execute(
        "DELETE FROM replies WHERE document IN (SELECT replies.document FROM replies"
        " LEFT JOIN uses ON uses.document = replies.document ORDER BY used_at, replies.document LIMIT ?)",
        (BATCH,),
    ).rowcount


def evict_texts(connection: Connection, most_bytes: int) -> int:
    """Let go of a few earlier texts, those of pages unused for longest first; tell how many."""
    if size(connection)[0] <= most_bytes:
        return 0
    # What an older Gossamer kept meanwhile has no use noted.
    connection.execute(
        "INSERT INTO uses SELECT id, fetched_at FROM documents WHERE id NOT IN (SELECT document FROM uses)"
    )
    return connection.execute(
        "DELETE FROM snapshots WHERE (document, version) IN (SELECT document, version FROM uses"
        " JOIN snapshots USING (document) ORDER BY used_at, document, version LIMIT ?)",
        (BATCH,),
    ).rowcount


def surplus(connection: Connection, most_bytes: int) -> int:
    """The characters that have to go for the size to fall so far; it must be tidy, else it says nothing."""
    used = size(connection)[0]
    (chars,) = connection.execute("SELECT coalesce(sum(chars + ?), 0) FROM documents", (_ROW_CHARS,)).fetchone()
    return math.ceil(chars * max(used - most_bytes, 0) / used)


def evict_pages(connection: Connection, chars: int) -> tuple[int, int]:
    """Let go of a few pages of so many characters, unused for longest first; tell how many, and what is left to go.

    Most of what they take is freed by `tidy` alone, which is noted as due.
    """
    oldest = connection.execute(
        "SELECT url, view, chars FROM uses JOIN documents ON id = document ORDER BY used_at, document LIMIT ?", (BATCH,)
    ).fetchall()
    gone = 0
    for url, view, length in oldest:
        if chars <= 0:
            break
        forget(connection, url, view)
        gone, chars = gone + 1, chars - length - _ROW_CHARS
    if gone:
        connection.execute("REPLACE INTO meta VALUES (?, '')", (_UNTIDY,))
    return gone, chars


def is_untidy(connection: Connection) -> bool:
    """Whether words of pages that went take space yet, so that the size says nothing."""
    return connection.execute("SELECT 1 FROM meta WHERE key = ?", (_UNTIDY,)).fetchone() is not None


def tidy(connection: Connection, *, is_begun: bool) -> bool:
    """Tidy some of the word index; tell whether more is left to do.

    Words of pages that went take space there, and even more than before, until its parts are merged.
    """
    before = connection.total_changes
    pages = _MERGE_PAGES if is_begun else -_MERGE_PAGES
    connection.execute("INSERT INTO fts (fts, rank) VALUES ('merge', ?)", (pages,))
    # What the index counts as a change when there was nothing to merge.
    has_more = connection.total_changes - before > 1
    if not has_more:
        connection.execute("DELETE FROM meta WHERE key = ?", (_UNTIDY,))
    return has_more


def give_back(connection: Connection) -> bool:
    """Give some free space back to the disk; tell whether more is left."""
    # Told of a thousand at once, Python's driver takes the first step only: the statement has steps, but no columns.
    for _ in range(_FREE_PAGES):
        connection.execute("PRAGMA incremental_vacuum(1)")
    return size(connection)[1] > FREE_BYTES
