"""Stores of many chunks, made in a minute: rows of the store's own schema, put in at once. For `bench.store`.

Pages share some hundreds of texts, so that preparing words and compressing is done once for each; addresses, chunk ids
and vectors are every page's own.
"""

import contextlib
import sqlite3
import time
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
from bench._pages import Writer

from gossamer.compose import SystemClock
from gossamer.model.page import ID_DIGITS, Chunk, Page, Vectors
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS, encode_chunk
from gossamer.stores.shared.cosine import packed8
from gossamer.stores.shared.page_rows import PageRows, encode
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.stores.sqlite.two_bit import packed2

CHUNKS, CHUNK_WORDS, DIMENSION = 40, 76, 256
TEXTS = 400
MODEL = "bench"
BATCH = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A text that many pages have, made ready for writing."""

    rows: PageRows
    spans: tuple[tuple[int, int], ...]


def texts(count: int = TEXTS) -> tuple[Text, ...]:
    """Some texts of 40 chunks, 620 characters each."""
    words = Writer().running(count * CHUNKS * CHUNK_WORDS, 7)
    made: list[Text] = []
    for number in range(count):
        at = number * CHUNKS * CHUNK_WORDS
        pieces = [" ".join(words[at + k * CHUNK_WORDS : at + (k + 1) * CHUNK_WORDS]) + ".\n\n" for k in range(CHUNKS)]
        ends = np.cumsum([0, *map(len, pieces)]).tolist()
        spans = tuple(pairwise(ends))
        page = Page(url=url_of(0), final_url=url_of(0), title="A page", text="".join(pieces), fetched_at=1_000.0)
        made.append(Text(rows=encode(page, chunks_of(page, spans)), spans=spans))
    return tuple(made)


def url_of(number: int) -> str:
    """The address of a page."""
    return f"https://site{number % 997}.example.com/pages/{number}"


def page_of(text: Text, number: int, at: float = 1_000.0) -> Page:
    """A page of this text."""
    return replace(text.rows.page, url=url_of(number), final_url=url_of(number), fetched_at=at)


def chunks_of(page: Page, spans: tuple[tuple[int, int], ...]) -> tuple[Chunk, ...]:
    """Its chunks."""
    return tuple(
        Chunk(
            id=sha256(f"{page.url}||{page.text[start:end]}".encode()).hexdigest(),
            section=(),
            start=start,
            end=end,
            text=page.text[start:end],
            tokens=CHUNK_WORDS,
        )
        for start, end in spans
    )


def vectors_of(dice: np.random.Generator, count: int) -> Vectors:
    """Vectors of length 1, no two alike."""
    drawn = dice.standard_normal((count, DIMENSION), dtype=np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return Vectors(model=MODEL, dimension=DIMENSION, data=drawn.astype(np.float16).tobytes())


async def fill(path: Path, pages: int, pool: tuple[Text, ...]) -> None:
    """Make a store of so many pages, each of 40 chunks with vectors and words."""
    store = await SqliteStore.open_file(path, clock=SystemClock())
    await store.close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in ("synchronous = OFF", "cache_size = -200000", "wal_autocheckpoint = 0", "foreign_keys = OFF"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("INSERT INTO models VALUES (?, ?)", (MODEL, DIMENSION))
        dice = np.random.default_rng(11)
        for first in range(1, pages + 1, BATCH):
            connection.execute("BEGIN IMMEDIATE")
            for document in range(first, min(first + BATCH, pages + 1)):
                _put(connection, document, pool[document % len(pool)], dice)
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _put(connection: sqlite3.Connection, document: int, text: Text, dice: np.random.Generator) -> None:
    page, rows = page_of(text, document, at=float(document)), text.rows
    chunks = chunks_of(page, text.spans)
    vectors = vectors_of(dice, len(chunks))
    first = document * MAX_CHUNKS
    host = page.url.split("/")[2]
    connection.execute(
        "INSERT INTO documents (id, url, view, host, title, fetched_at, version, content_hash, chars, chunk_count,"
        " details, body) VALUES (?, ?, '', ?, ?, ?, 1, ?, ?, ?, ?, ?)",
        (
            *(document, page.url, host, page.title, page.fetched_at, rows.content_hash, len(page.text), len(chunks)),
            *(encode(replace(page, text=""), ()).details, rows.body),
        ),
    )
    connection.execute("INSERT INTO uses VALUES (?, ?)", (document, time.time()))
    connection.executemany(
        "INSERT INTO chunks (cid, id, section, start, stop, tokens, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((cid, *encode_chunk(chunk)) for cid, chunk in enumerate(chunks, first)),
    )
    connection.executemany("INSERT INTO fts (rowid, words) VALUES (?, ?)", enumerate(rows.words, first))
    ids = "".join(chunk.id[:ID_DIGITS] for chunk in chunks)
    connection.execute(
        "INSERT INTO vectors (document, model, dimension, f16, chunk_ids) VALUES (?, ?, ?, ?, ?)",
        (document, MODEL, DIMENSION, vectors.data, ids),
    )
    data8 = packed8(vectors.data, DIMENSION)
    connection.execute(
        "INSERT INTO vectors8 (document, model, dimension, i8) VALUES (?, ?, ?, ?)",
        (document, MODEL, DIMENSION, data8),
    )
    connection.execute(
        "INSERT INTO vectors2 (document, model, dimension, i2) VALUES (?, ?, ?, ?)",
        (document, MODEL, DIMENSION, packed2(data8, DIMENSION)),
    )
