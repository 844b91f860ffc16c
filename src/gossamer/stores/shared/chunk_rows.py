"""Chunks as rows of a database, and back; what does not fit its id is damage."""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from gossamer.errors import InvalidArgument
from gossamer.filedb.rescue import Executing
from gossamer.model.page import ID_DIGITS, Chunk, Page
from gossamer.steps.text.index_text import prepare as prepare_text

MAX_CHUNKS = 4096
"""Positions that a page has in the table of chunks. One with more is found by the first ones and has no chunks kept."""
MOST_WORDS = 400_000
"""Words of one page that the index takes: three books."""
ChunkRow = tuple[str, str, int, int, int, str]
"""id, section, start, stop, tokens, text"""


class DamagedRow(Exception):
    """A row is not what was written: its page must be fetched again."""


def check_chunks(page: Page, chunks: Sequence[Chunk]) -> None:
    """Refuse chunks that are no spans of the page, or whose ids are not the hashes of address, section and text."""
    if not _belong(page, chunks):
        raise InvalidArgument(
            "A chunk does not belong to its page.", hint="Cut the page under the address it is kept by."
        )


def indexed_chunks(title: str, chunks: Iterable[Chunk]) -> Iterator[str]:
    """What the index gets for each chunk of a page; beyond `MOST_WORDS` nothing, and the page is found by the others.

    The words of the title and of the headings count too. A text of millions of words would hold the lock of the
    library for many seconds.
    """
    left = MOST_WORDS
    for chunk in chunks:
        words = prepare_text("\n".join((title, *chunk.section, chunk.text))) if left > 0 else ""
        left -= words.count(" ") + 1
        yield words


def positions(document: int) -> tuple[int, int]:
    """The first and the last cid that a document may have."""
    return document * MAX_CHUNKS, document * MAX_CHUNKS + MAX_CHUNKS - 1


def read_chunks(connection: Executing, document: int, count: int, page: Page) -> tuple[Chunk, ...]:
    """The chunks of a document, which are so many; `DamagedRow` when they are not what was written."""
    rows = connection.execute(
        "SELECT id, section, start, stop, tokens, text FROM chunks WHERE cid BETWEEN ? AND ? ORDER BY cid",
        positions(document),
    ).fetchall()
    return decode_chunks(page, rows, count)


def encode_chunk(chunk: Chunk) -> ChunkRow:
    """Make the row of a chunk."""
    return (chunk.id, json.dumps(chunk.section), chunk.start, chunk.end, chunk.tokens, chunk.text)


def decode_chunks(page: Page, rows: Sequence[ChunkRow], count: int) -> tuple[Chunk, ...]:
    """Rebuild the chunks of a page that was saved with `count` of them."""
    if len(rows) != min(count, MAX_CHUNKS):
        raise DamagedRow(page.url)
    whole, known = page.text, dict[str, tuple[tuple[str, ...], bytes]]()
    chunks: list[Chunk] = []
    try:
        for id_, headings, start, stop, tokens, text in rows:
            if headings not in known:
                section = tuple(json.loads(headings))
                known[headings] = section, _before(page, section)
            section, before = known[headings]
            if whole[start:stop] != text or id_ != _id(before, text) or type(tokens) is not int:
                raise DamagedRow(page.url)
            chunks.append(Chunk(id=id_, section=section, start=start, end=stop, tokens=tokens, text=text))
    except (ValueError, TypeError) as error:
        raise DamagedRow(page.url) from error
    return tuple(chunks)


def short_ids(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """The ids as they are kept beside vectors."""
    return tuple(chunk.id[:ID_DIGITS] for chunk in chunks)


def _belong(page: Page, chunks: Sequence[Chunk]) -> bool:
    befores = {section: _before(page, section) for section in {chunk.section for chunk in chunks}}
    return all(
        page.text[chunk.start : chunk.end] == chunk.text and chunk.id == _id(befores[chunk.section], chunk.text)
        for chunk in chunks
    )


def _before(page: Page, section: Sequence[str]) -> bytes:
    """What the ids of a section's chunks begin with before they are hashed."""
    return f"{page.url}|{' > '.join(section)}|".encode("utf-8", "surrogatepass")


def _id(before: bytes, text: str) -> str:
    return sha256(before + text.encode("utf-8", "surrogatepass")).hexdigest()
