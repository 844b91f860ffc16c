"""Searching the DuckDB store by words: how often each is in each chunk, ranked as SQLite's full-text index does."""

from collections.abc import Sequence
from math import log

from gossamer.model.search import Hit
from gossamer.steps.text.index_text import is_lone
from gossamer.stores.duckdb.open_file import Connection
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS
from gossamer.stores.shared.page_rows import published
from gossamer.stores.shared.words import asked, hit, suffix_of, telling

# DuckDB takes its time for each value that it is handed, so it parts and counts the words itself.
_PUT = """
    INSERT INTO postings SELECT word, cid, count(*), any_value(length) FROM (
        SELECT unnest(words) AS word, cid, len(words) AS length
        FROM (SELECT string_split(unnest(?), ' ') AS words, unnest(?) AS cid)
    ) GROUP BY cid, word ORDER BY cid, word
"""

# A lone character of a script that is indexed in pairs stands for every pair that begins with it.
_COUNTS = """
    SELECT word, count(*) FROM postings WHERE word IN (SELECT unnest($whole)) GROUP BY word
    UNION ALL
    SELECT left(word, 1) AS lone, count(DISTINCT cid) FROM postings
    WHERE len($lone) > 0 AND left(word, 1) IN (SELECT unnest($lone)) GROUP BY lone
"""
_BEST = """
    WITH weights AS (SELECT unnest($words) AS word, unnest($weights) AS weight),
    found AS (
        SELECT word, cid, times, length FROM postings WHERE word IN (SELECT unnest($whole))
        UNION ALL
        SELECT left(word, 1) AS lone, cid, sum(times), any_value(length) FROM postings
        WHERE len($lone) > 0 AND left(word, 1) IN (SELECT unnest($lone)) GROUP BY lone, cid
    ),
    scored AS (
        -- Rounded, since adding in another order must not put one of two equal chunks first.
        SELECT cid, round(sum(weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / $average))), 12) AS score
        FROM found JOIN weights USING (word) GROUP BY cid
    ),
    best AS (
        SELECT cid // $width AS document, max(score) AS score, arg_min(cid, (-score, cid)) AS cid
        FROM scored GROUP BY document
    ),
    top AS (
        SELECT best.cid, best.score, documents.id, url, title, details
        FROM best JOIN documents ON documents.id = best.document
        WHERE $suffix = '' OR ends_with('.' || host, $suffix)
        ORDER BY best.score DESC, documents.id LIMIT $count
    )
    SELECT url, title, details, text FROM top JOIN chunks ON chunks.cid = top.cid ORDER BY top.score DESC, top.id
"""


def put(connection: Connection, first: int, words: Sequence[str]) -> None:
    """Index the prepared words of the chunks that begin at cid `first`."""
    found = [(prepared, cid) for cid, prepared in enumerate(words, first) if prepared]
    if found:
        connection.execute(_PUT, [list(column) for column in zip(*found, strict=True)])


def count_words(words: Sequence[str]) -> int:
    """How many words chunks are indexed by."""
    return sum(prepared.count(" ") + 1 for prepared in words if prepared)


def find(connection: Connection, text: str, count: int, site: str) -> tuple[Hit, ...]:
    """Pages that hold any of the words, best first, each once with its best chunk."""
    words = asked(text)
    if not words or count < 1:
        return ()
    total, length = connection.execute(
        "SELECT coalesce(sum(least(chunk_count, ?)), 0), coalesce(sum(word_count), 0) FROM documents WHERE view = ''",
        [MAX_CHUNKS],
    ).fetchone() or (0, 0)
    counts = dict(connection.execute(_COUNTS, _split(words)).fetchall())
    words = telling([word for word in words if word in counts], counts, total)
    if not words:
        return ()
    rows = connection.execute(
        _BEST,
        _split(words)
        | {
            "words": words,
            "weights": [_weight(counts[word], total) for word in words],
            "average": length / total,
            "width": MAX_CHUNKS,
            "suffix": suffix_of(site),
            "count": count,
        },
    ).fetchall()
    return tuple(
        hit(rank, url=url, title=title, text=text, published=published(details))
        for rank, (url, title, details, text) in enumerate(rows)
    )


def _split(words: Sequence[str]) -> dict[str, object]:
    return {
        "whole": [word for word in words if not is_lone(word)],
        "lone": [word for word in words if is_lone(word)],
    }


def _weight(count: int, total: int) -> float:
    """What a word says: little when it is in many chunks, but never nothing."""
    return max(log((total - count + 0.5) / (count + 0.5)), 1e-6)
