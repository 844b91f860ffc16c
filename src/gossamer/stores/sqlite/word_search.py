"""Searching the SQLite store by words."""

import sqlite3
from collections.abc import Iterable
from sqlite3 import Connection

from gossamer.filedb.sqlite.error_mapping import Unprepared
from gossamer.model.search import Hit
from gossamer.steps.text.index_text import is_lone
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS
from gossamer.stores.shared.page_rows import published
from gossamer.stores.shared.words import COMMON_FROM, asked, hit, suffix_of, telling

# Taking the best chunk of each page in a step of its own: SQLite ranks inside a plain full-text query only, and
# takes `cid` from the row that has the minimum.
_BEST = """
    WITH hits AS MATERIALIZED (SELECT rowid AS cid, rank AS score FROM fts WHERE fts MATCH :words),
    best AS (SELECT cid, cid / :width AS document, min(score) AS score FROM hits GROUP BY document)
    SELECT url, title, details, text
    FROM (
        SELECT best.cid, best.score, documents.id, url, title, details FROM best
        JOIN documents ON documents.id = best.document
        WHERE :suffix = '' OR substr('.' || host, -length(:suffix)) = :suffix
        ORDER BY best.score, documents.id LIMIT :count
    ) AS found
    JOIN chunks ON chunks.cid = found.cid
    ORDER BY found.score, found.id
"""


def find(connection: sqlite3.Connection, text: str, count: int, site: str) -> tuple[Hit, ...]:
    """Pages that hold any of the words, best first, each once with its best chunk."""
    must_be_made(connection)
    words = _telling(connection, asked(text))
    if not words or count < 1:
        return ()
    rows = connection.execute(
        _BEST,
        {
            # Prepared words are letters and digits alone; quoted, not even OR and NEAR mean anything.
            "words": " OR ".join(f'"{word}"*' if is_lone(word) else f'"{word}"' for word in words),
            "width": MAX_CHUNKS,
            "suffix": suffix_of(site),
            "count": count,
        },
    ).fetchall()
    # A damaged row is passed over here; reading the page will tell.
    whole = [row for row in rows if all(isinstance(value, str) for value in row)]
    return tuple(
        hit(rank, url=url, title=title, text=text, published=published(details))
        for rank, (url, title, details, text) in enumerate(whole)
    )


def total_chunks(connection: sqlite3.Connection) -> int:
    """How many chunks the whole library has."""
    (total,) = connection.execute("SELECT total(chunk_count) FROM documents WHERE view = ''").fetchone()
    return int(total)


def _telling(connection: sqlite3.Connection, words: tuple[str, ...]) -> tuple[str, ...]:
    total = total_chunks(connection)
    if total <= COMMON_FROM:
        return words
    counts = {
        word: count
        for word in words
        for (count,) in connection.execute("SELECT doc FROM word_counts WHERE term = ?", (word,))
    }
    return telling(words, counts, total)


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
    row = connection.execute("SELECT value FROM meta WHERE key = 'store.words'").fetchone()
    return str(row[0]) if row else ""
