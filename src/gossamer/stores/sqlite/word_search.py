"""Searching the SQLite store by words."""

import sqlite3

from gossamer.model.search import Hit
from gossamer.steps.text.index_text import is_lone
from gossamer.stores.shared.page_rows import MAX_CHUNKS, published
from gossamer.stores.shared.words import COMMON_FROM, asked, hit, suffix_of, telling
from gossamer.stores.sqlite.word_index import must_be_made

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
