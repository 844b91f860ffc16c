"""Pages as rows of a database, and back; what does not fit its checksum is damage.

What a page says of itself and where its links lead are packed: addresses of one page are much alike, and the tree of
its structured data takes a quarter of its length.
"""

import contextlib
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from gossamer.errors import Outcome
from gossamer.filedb.rescue import Executing
from gossamer.model.page import Chunk, LeftOut, Link, LinkSpan, Listed, Page, PageInfo
from gossamer.model.records import Version
from gossamer.steps.text.link_targets import markdown_of
from gossamer.stores.shared.chunk_rows import MAX_CHUNKS, DamagedRow, check_chunks, indexed_chunks, read_chunks

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
_PAGE = "title, fetched_at, version, content_hash, details, body"
_ALWAYS = frozenset({"published"})
_NAMES = frozenset(field.name for field in fields(PageInfo))
_TREE = "structured"
_DIGESTS = {"items": "linked_data", "open_graph": "open_graph"}
"""What an older Gossamer kept in place of the tree, by the part of it that each is."""
_MOST_TREE_BYTES = 1024 * 1024
"""More than any tree that was written."""
_MOST_LINK_BYTES = 64 * 1024 * 1024
"""More than the addresses of any page that is read."""


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


def info_fields(info: PageInfo) -> dict[str, str]:
    """The fields that say something, and the date, which listings read."""
    said = {name: str(value) for name, value in asdict(info).items() if value or name in _ALWAYS}
    return (
        {**said, _TREE: b64encode(zlib.compress(said[_TREE].encode("utf-8", "surrogatepass"))).decode()}
        if _TREE in said
        else said
    )


def packed(spans: Sequence[LinkSpan]) -> str:
    """The spans of a page as one short text; nothing for none."""
    return b64encode(zlib.compress(json.dumps(spans).encode())).decode() if spans else ""


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


def is_another_text(stored: Page, page: Page) -> bool:
    """Whether a page says something else than what is kept; kept with its targets in the text, it says the same."""
    if stored.text == page.text:
        return False
    return stored.targets is not None or page.targets is None or stored.text != markdown_of(page)


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


def info_of(said: Mapping[str, str]) -> PageInfo:
    """The same fields back; `ValueError` where they are not what was written.

    Fields that we do not know are those of another Gossamer: digests of an older one become a tree, others are passed
    over.
    """
    known = {name: value for name, value in said.items() if name in _NAMES}
    if packed := known.get(_TREE):
        inflating = zlib.decompressobj()
        known[_TREE] = inflating.decompress(b64decode(packed, validate=True), _MOST_TREE_BYTES).decode(
            "utf-8", "surrogatepass"
        )
        if not inflating.eof:
            raise ValueError("a tree that was not written so")
    elif digests := {part: tree for part, name in _DIGESTS.items() if (tree := _read(said.get(name, "")))}:
        known[_TREE] = json.dumps(digests, ensure_ascii=False, separators=(",", ":"))
    return PageInfo(**known)


def _read(written: str) -> object:
    """A digest, unless a page had taken over who wrote it."""
    try:
        return json.loads(written) if written else None
    except (ValueError, RecursionError):
        return None


def unpacked(digits: str, size: int) -> tuple[LinkSpan, ...]:
    """The spans of a text of this size; `ValueError` or `TypeError` where they are not what was written."""
    if not digits:
        return ()
    inflating = zlib.decompressobj()
    written = inflating.decompress(b64decode(digits, validate=True), _MOST_LINK_BYTES)
    spans = [LinkSpan(*span) for span in json.loads(written)] if inflating.eof else []
    at = 0
    for start, end, target in spans:
        if not at <= start < end <= size or not target.startswith("http"):
            raise ValueError("a link that is no part of the text")
        at = end
    if not spans:
        raise ValueError("no links")
    return tuple(spans)


def published(details: str) -> str:
    """The date a page says of itself; empty where the row is damaged, which shows when the page is read."""
    try:
        return str(json.loads(details)["info"]["published"])
    except (ValueError, LookupError, TypeError):
        return ""


def _address(url: str, view: str) -> str:
    return sha256(f"{view} {url}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
