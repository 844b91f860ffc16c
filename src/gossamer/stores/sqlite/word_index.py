"""The SQLite store's word index, made again a portion at a time after damage, or when words are prepared otherwise."""

from collections.abc import Iterable
from sqlite3 import Connection

from gossamer.filedb.sqlite.error_mapping import Unprepared
from gossamer.stores.shared.page_rows import MAX_CHUNKS

WORDS = "2"
"""Counts the ways in which text was prepared for the index; an index made in another way is made again."""

_UNDER_WAY = f"{WORDS}:"
"""What is noted begins so while the index is made: the last document follows that has its words in it.

Older versions take it for another way, and make the whole index again.
"""


def is_begun(connection: Connection) -> bool:
    """Whether the index has words prepared in the present way, of all documents or of some."""
    return _noted(connection).partition(":")[0] == WORDS


def is_made(connection: Connection) -> bool:
    """Whether the index has the words of all documents, in the present way."""
    return _noted(connection) == WORDS


def begin(connection: Connection) -> None:
    """Empty the index, whatever is in it."""
    connection.execute("INSERT INTO fts (fts) VALUES ('delete-all')")
    note(connection, 0)


def reached(connection: Connection) -> int:
    """The last document of an index under way that has its words in it."""
    noted = _noted(connection).removeprefix(_UNDER_WAY)
    return int(noted) if noted.isdecimal() else 0


def next_documents(connection: Connection, count: int) -> list[tuple[int, str, str]]:
    """Documents whose turn is next, each with its address and view."""
    return connection.execute(
        "SELECT id, url, view FROM documents WHERE id > ? AND chunk_count > 0 ORDER BY id LIMIT ?",
        (reached(connection), count),
    ).fetchall()


def note(connection: Connection, document: int | None) -> None:
    """Note the last document that has its words in the index; None: all have."""
    made = WORDS if document is None else f"{_UNDER_WAY}{document}"
    connection.execute("REPLACE INTO meta VALUES ('store.words', ?)", (made,))


def put(connection: Connection, document: int, words: Iterable[str]) -> None:
    """Give the index the words of a document's chunks; those of one whose turn is to come it gets then."""
    if _has_turned(connection, document):
        add(connection, document, words)


def add(connection: Connection, document: int, words: Iterable[str]) -> None:
    """Give the index the words of a document's chunks."""
    connection.executemany("INSERT INTO fts (rowid, words) VALUES (?, ?)", enumerate(words, document * MAX_CHUNKS))


def drop(connection: Connection, document: int, words: Iterable[str]) -> None:
    """Take the words of a document's chunks out of the index, exactly those it was given."""
    if _has_turned(connection, document):
        rows = enumerate(words, document * MAX_CHUNKS)
        connection.executemany("INSERT INTO fts (fts, rowid, words) VALUES ('delete', ?, ?)", rows)


def must_be_made(connection: Connection) -> None:
    """Refuse to search an index that lacks words; one of a newer Gossamer has all, prepared nearly as we do."""
    noted = _noted(connection)
    if noted == WORDS or (noted.isdecimal() and int(noted) > int(WORDS)):
        return
    done, total = connection.execute(
        "SELECT coalesce(sum(id <= ?), 0), count(*) FROM documents WHERE chunk_count > 0", (reached(connection),)
    ).fetchone()
    raise Unprepared(f"The word index of the library is being made again: {done} of {total} pages are in it.")


def _has_turned(connection: Connection, document: int) -> bool:
    noted = _noted(connection)
    return not noted.startswith(_UNDER_WAY) or document <= reached(connection)


def _noted(connection: Connection) -> str:
    found = connection.execute("SELECT value FROM meta WHERE key = 'store.words'").fetchone()
    return str(found[0]) if found else ""
