"""DuckDB held open: the floor that `bench.store` compares with.

Tables as the specification has them, documents and chunks with their vectors, and no index, since an index does not
survive a crash. Pages lie in the order in which they were last fetched, which is none. With the half gigabyte of memory
that a server may have for it.
"""

from pathlib import Path
from typing import Any

import numpy as np
from bench._store_fill import BATCH, CHUNK_WORDS, CHUNKS, DIMENSION, Text

from gossamer.model.page import Chunk, Vectors

_STRIDE = 7_919
"""A prime: steps of so many pages come to each of them once."""


class Floor:
    """DuckDB held open, with what it needs and no more: chunks by page, vectors as its own arrays, no word index."""

    def __init__(self, path: Path) -> None:
        import duckdb

        self._connection: Any = duckdb.connect(
            str(path),
            config={
                "threads": 2,
                "memory_limit": "512MB",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            },
        )

    def fill(self, pages: int, pool: tuple[Text, ...]) -> None:
        """Put in so many pages of 40 chunks."""
        run = self._connection.execute
        run(
            "CREATE TABLE chunks (document BIGINT, place INTEGER, id VARCHAR, section VARCHAR, start INTEGER,"
            f" stop INTEGER, tokens INTEGER, text VARCHAR, vector FLOAT[{DIMENSION}])"
        )
        run("CREATE TABLE documents (id BIGINT, url VARCHAR, title VARCHAR, details VARCHAR)")
        run("CREATE TEMP TABLE texts (number BIGINT, place INTEGER, start INTEGER, stop INTEGER, text VARCHAR)")
        for number, text in enumerate(pool):
            places, (starts, stops) = list(range(CHUNKS)), zip(*text.spans, strict=True)
            pieces = [text.rows.page.text[start:stop] for start, stop in text.spans]
            run(
                "INSERT INTO texts SELECT ?, unnest(?), unnest(?), unnest(?), unnest(?)",
                (number, places, list(starts), list(stops), pieces),
            )
        for first in range(0, pages, BATCH):
            run(
                "CREATE OR REPLACE TEMP TABLE batch AS"
                " SELECT (number * ?) % ? + 1 AS page FROM range(?, ?) AS numbers (number)",
                (_STRIDE, pages, first, min(first + BATCH, pages)),
            )
            run(
                "INSERT INTO documents SELECT page, concat('https://site', page % 997, '.example.com/pages/', page),"
                " 'A page', ? FROM batch",
                (pool[0].rows.details,),
            )
            run(
                "INSERT INTO chunks SELECT page, place, sha256(concat(page, '|', text)), '[]', start, stop, ?, text,"
                f" list_transform(range({DIMENSION}), lambda n: (random() - 0.5)::FLOAT)::FLOAT[{DIMENSION}]"
                " FROM batch JOIN texts ON texts.number = page % ? ORDER BY page * 1000003 % 65537, place",
                (CHUNK_WORDS, len(pool)),
            )
        run("CHECKPOINT")

    def read(self, url: str) -> int:
        """Read a page: what is known of it, its chunks in order and their vectors; the number of chunks."""
        run = self._connection.execute
        ((document, *_),) = run("SELECT id, title, details FROM documents WHERE url = ?", (url,)).fetchall()
        rows = run(
            "SELECT id, section, start, stop, tokens, text, vector FROM chunks WHERE document = ? ORDER BY place",
            (document,),
        ).fetchall()
        return len(rows)

    def write(self, document: int, chunks: tuple[Chunk, ...], vectors: Vectors) -> None:
        """Put a page in the place of another."""
        rows = np.frombuffer(vectors.data, "<f2").astype(np.float32).reshape(-1, DIMENSION).tolist()
        run = self._connection.execute
        run("BEGIN")
        run("DELETE FROM chunks WHERE document = ?", (document,))
        self._connection.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (document, place, one.id, "[]", one.start, one.end, one.tokens, one.text, row)
                for place, (one, row) in enumerate(zip(chunks, rows, strict=True))
            ],
        )
        run("COMMIT")

    def nearest(self, asked: Vectors, count: int) -> int:
        """Scan for the closest chunks; how many there are."""
        vector = np.frombuffer(asked.data, "<f2").astype(np.float32).tolist()
        rows = self._connection.execute(
            f"SELECT document, place, array_cosine_distance(vector, ?::FLOAT[{DIMENSION}]) AS far FROM chunks"
            " ORDER BY far LIMIT ?",
            (vector, count),
        ).fetchall()
        return len(rows)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
