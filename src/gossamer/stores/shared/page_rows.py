"""Pages and chunks as rows of a database, and back; what does not fit its checksum is damage."""

import contextlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from gossamer.errors import InvalidArgument, Outcome
from gossamer.filedb.rescue import Executing
from gossamer.model.page import ID_DIGITS, Chunk, FormerVectors, LeftOut, Link, Listed, Page, Vectors
from gossamer.model.records import Kept, Version
from gossamer.steps.text.index_text import prepare as prepare_text
from gossamer.stores.shared.info_rows import info_fields, info_of
from gossamer.stores.shared.link_rows import is_another_text, packed, unpacked

MAX_CHUNKS = 4096
"""Positions that a page has in the table of chunks. One with more is found by the first ones and has no chunks kept."""

MOST_WORDS = 400_000
"""Words of one page that the index takes: three books."""

SNAPSHOTS = 5
"""Earlier texts kept per page."""

USED_GRAIN_S = 3600.0
"""A page used again within this time of its last noted use is not noted again: reading would be writing."""

_DETAILS = (
    "final_url",
    "outcome",
    "content_type",
    "body_bytes",
    "body_hash",
    "hidden",
    "is_cut",
    "has_comments",
    "message",
    "etag",
    "last_modified",
    "fresh_until",
)
_EXPANDED = 4
"""How much longer a text is than its bytes in the file, mostly: room for it is made once."""
_ADDRESS = "address"
"""Tells whose row it is: what finds it by its address may be damaged too, and lead to another's."""

ChunkRow = tuple[str, str, int, int, int, str]
"""id, section, start, stop, tokens, text"""


_PAGE = "title, fetched_at, version, content_hash, details, body"


class DamagedRow(Exception):
    """A row is not what was written: its page must be fetched again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRows:
    """A page made ready for writing, so that the lock is held for as short as can be."""

    page: Page
    content_hash: str
    host: str
    details: str
    body: bytes
    chunk_count: int
    chunks: tuple[Chunk, ...]
    words: tuple[str, ...]
    """What the word index gets for each chunk."""

    @property
    def size(self) -> int:
        """About what it takes in memory while it waits for the lock."""
        texts = sum(len(chunk.text) for chunk in self.chunks) + sum(map(len, self.words))
        return len(self.page.text) + len(self.details) + len(self.body) + texts


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredPage:
    """A page as it lies in the tables, checked to be what was written."""

    document: int
    page: Page
    chunk_count: int
    chunks: tuple[Chunk, ...]
    used_at: float
    """0.0 where the engine notes uses in a table of their own."""


def check_chunks(page: Page, chunks: Sequence[Chunk]) -> None:
    """Refuse chunks that are no spans of the page, or whose ids are not the hashes of address, section and text."""
    if not _belong(page, chunks):
        raise InvalidArgument(
            "A chunk does not belong to its page.", hint="Cut the page under the address it is kept by."
        )


def encode(page: Page, chunks: Sequence[Chunk]) -> PageRows:
    """Make the rows of a page; only the default view has chunks."""
    check_chunks(page, chunks)
    first_chunks = () if page.view else chunks[:MAX_CHUNKS]
    return PageRows(
        page=page,
        content_hash=page.content_hash,
        host=host_of(page.url),
        details=json.dumps({**details_of(page), _ADDRESS: _address(page.url, page.view)}),
        body=zlib.compress(page.text.encode("utf-8", "surrogatepass")),
        chunk_count=0 if page.view else len(chunks),
        chunks=tuple(first_chunks),
        words=tuple(indexed_chunks(page.title, first_chunks)),
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


def host_of(url: str) -> str:
    """The host of an address, empty where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def details_of(page: Page) -> dict[str, object]:
    """What is kept beside the text; nothing is said of what a page lacks."""
    links = {"links": [[link.text, link.url] for link in page.links]} if page.links else {}
    targets = {} if page.targets is None else {"targets": packed(page.targets)}
    left_out = {"left_out": list(page.left_out)} if any(page.left_out) else {}
    details = {name: getattr(page, name) for name in _DETAILS}
    return {**details, "info": info_fields(page.info), **links, **targets, **left_out}


def load_page(
    connection: Executing, url: str, view: str, content_hash: str = "", *, used_at: str
) -> tuple[Page | None, float]:
    """The page as it is now, or the newest text whose hash begins so, and when the page was last used.

    `used_at` is the SQL of that time. Raises `DamagedRow` when the page is not what was written; an earlier text that
    is not is passed over. Chunks are checked when they are read: many who ask for a page want its text alone.
    """
    row = connection.execute(
        f"SELECT id, {used_at}, {_PAGE} FROM documents WHERE url = ? AND view = ?",  # noqa: S608 - constants
        (url, view),
    ).fetchone()
    if row is None:
        return None, 0.0
    document, last_use, *columns = row
    page = decode_page(url, view, columns)
    last_use = last_use if isinstance(last_use, float) else 0.0
    if not content_hash or page.content_hash.startswith(content_hash):
        return page, last_use
    return next(iter(earlier_texts(connection, document, page, content_hash)), None), last_use


def newest(connection: Executing, count: int) -> tuple[Listed, ...]:
    """Pages of the default view, newest first; a damaged row is passed over, and reading the page will tell."""
    rows = connection.execute(
        "SELECT url, title, fetched_at, version, chars FROM documents WHERE view = ''"
        " ORDER BY fetched_at DESC, url LIMIT ?",
        (max(count, 0),),
    ).fetchall()
    return tuple(
        Listed(url=url, title=title, fetched_at=fetched_at, version=version, chars=chars)
        for url, title, fetched_at, version, chars in rows
        if isinstance(title, str) and isinstance(fetched_at, float) and isinstance(version, int)
    )


def versions(connection: Executing, url: str, view: str) -> tuple[Version, ...]:
    """The texts of an address, newest first, with the present one; a damaged row is passed over."""
    rows = connection.execute(
        "SELECT version, content_hash, title, fetched_at FROM documents WHERE url = ? AND view = ? UNION ALL"
        " SELECT version, content_hash, title, fetched_at FROM snapshots"
        " WHERE document = (SELECT id FROM documents WHERE url = ? AND view = ?) ORDER BY version DESC",
        (url, view, url, view),
    ).fetchall()
    return tuple(
        Version(version=version, content_hash=content_hash, title=title, fetched_at=fetched_at)
        for version, content_hash, title, fetched_at in rows
        if isinstance(content_hash, str) and isinstance(title, str) and isinstance(fetched_at, float)
    )


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


def stored_page(connection: Executing, row: Sequence[Any] | None, *, is_cut: bool = True) -> StoredPage | None:
    """The page that a row of `documents` holds; `DamagedRow` when it is not what was written.

    The row is id, url, view, chunk_count, used_at and the columns of `decode_page`. Without `is_cut` the page is read
    without its chunks, which may be damaged where its text is not.
    """
    if row is None:
        return None
    document, url, view, chunk_count, used_at, *columns = row
    page = decode_page(url, view, columns)
    chunk_count = chunk_count if is_cut else 0
    chunks = read_chunks(connection, document, chunk_count, page) if is_cut else ()
    return StoredPage(document=document, page=page, chunk_count=chunk_count, chunks=chunks, used_at=used_at)


def next_version(stored: StoredPage, rows: PageRows) -> PageRows:
    """The rows of a newer fetch with its version; the same text without chunks keeps those that are stored."""
    if is_another_text(stored.page, rows.page):
        return replace(rows, page=replace(rows.page, version=stored.page.version + 1))
    rows = replace(rows, page=replace(rows.page, version=stored.page.version))
    if rows.chunk_count or stored.page.text != rows.page.text:
        return rows
    words = tuple(indexed_chunks(rows.page.title, stored.chunks))
    return replace(rows, chunk_count=stored.chunk_count, chunks=stored.chunks, words=words)


def models(connection: Executing) -> dict[str, int]:
    """The models whose vectors are kept, each with its dimension."""
    return dict(connection.execute("SELECT name, dimension FROM models").fetchall())


def earlier_texts(connection: Executing, document: int, page: Page, content_hash: str = "") -> tuple[Page, ...]:
    """The earlier texts of a page whose hashes begin so, newest first; damaged ones are left out."""
    rows = connection.execute(
        f"SELECT {_PAGE} FROM snapshots WHERE document = ? AND substr(content_hash, 1, ?) = ?"  # noqa: S608
        " ORDER BY version DESC",
        (document, len(content_hash), content_hash),
    ).fetchall()
    sound: list[Page] = []
    for row in rows:
        with contextlib.suppress(DamagedRow):
            sound.append(decode_page(page.url, page.view, row))
    return tuple(sound)


def decode_page(url: object, view: object, columns: Sequence[object]) -> Page:
    """Rebuild a page from its title, fetched_at, version, content_hash, details and body.

    Fields that we do not know are those of a newer Gossamer and are passed over.
    """
    match (url, view, *columns):
        case (
            str(url),
            str(view),
            str(title),
            float(fetched_at),
            int(version),
            str(content_hash),
            str(details),
            bytes(body),
        ):
            pass
        case _:
            raise DamagedRow
    try:
        whole = zlib.decompress(body, bufsize=_EXPANDED * len(body))
        if sha256(whole).hexdigest() != content_hash:
            raise DamagedRow
        text = whole.decode("utf-8", "surrogatepass")
        values: dict[str, Any] = json.loads(details)
        if values.get(_ADDRESS, "") not in {"", _address(url, view)}:
            raise DamagedRow
        info = info_of(values["info"])
        known = {name: values[name] for name in _DETAILS if name in values}
        known["outcome"] = Outcome(known["outcome"])
        known["links"] = tuple(Link(text=text, url=url) for text, url in values.get("links", ()))
        known["left_out"] = LeftOut(*values.get("left_out", ()))
        known["targets"] = unpacked(values["targets"], len(text)) if "targets" in values else None
        return Page(
            url=url, view=view, title=title, text=text, fetched_at=fetched_at, version=version, info=info, **known
        )
    except (zlib.error, ValueError, LookupError, AttributeError, TypeError) as error:
        raise DamagedRow from error


def published(details: str) -> str:
    """The date a page says of itself; empty where the row is damaged, which shows when the page is read."""
    try:
        return str(json.loads(details)["info"]["published"])
    except (ValueError, LookupError, TypeError):
        return ""


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


def _address(url: str, view: str) -> str:
    return sha256(f"{view} {url}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A record as rows, made before the lock is taken."""

    record: Kept
    rows: PageRows
    former: tuple[PageRows, ...]
    bytes8: tuple[bytes, ...]

    @property
    def size(self) -> int:
        """About what it takes in memory while it waits for the lock."""
        vectors = sum(len(vector.data) for vector in self.record.vectors) + sum(map(len, self.bytes8))
        return self.rows.size + sum(rows.size for rows in self.former) + vectors


def prepare(record: Kept) -> Prepared:
    """Make the rows of a record."""
    return Prepared(
        record=record,
        rows=encode(record.page, record.chunks),
        former=tuple(encode(page, ()) for page in record.former[:SNAPSHOTS]),
        bytes8=tuple(map(bytes_of, record.vectors)),
    )


FLOAT16_BYTES = 2
"""Of one float16."""
MADE8 = "2"
"""Counts the ways in which bytes were made of vectors; those made in another way are made again."""


def bytes_of(vectors: Vectors) -> bytes:
    """The same vectors at a byte a number; to be made before the lock is taken."""
    from gossamer.stores.shared.cosine import packed8

    is_whole = vectors.dimension > 0 and len(vectors.data) % (FLOAT16_BYTES * vectors.dimension) == 0
    return packed8(vectors.data, vectors.dimension) if is_whole else b""


def decoded(model: str, row: Sequence[Any]) -> FormerVectors | None:
    """None for a damaged row, and for one of an older Gossamer, which names no chunks: both are made again."""
    if not is_whole(row):
        return None
    dimension, data, digits = row
    ids = tuple(digits[at : at + ID_DIGITS] for at in range(0, len(digits), ID_DIGITS))
    return FormerVectors(chunk_ids=ids, vectors=Vectors(model=model, dimension=dimension, data=data))


def is_whole(row: Sequence[object]) -> bool:
    """Whether a dimension, vectors and the ids of their chunks can be what was written."""
    match row:
        case (int(dimension), bytes(data), str(digits)):
            count, rest = divmod(len(digits), ID_DIGITS)
            return count > 0 and rest == 0 and len(data) == FLOAT16_BYTES * dimension * count
        case _:
            return False
