"""An export as lines of JSON, one record each: what any store writes, and any other reads."""

import json
import zlib
from base64 import b64decode, b64encode
from datetime import date
from math import isfinite
from typing import Any

from gossamer.errors import InvalidArgument
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.model.records import Kept, Record, Spending
from gossamer.stores.shared.page_rows import DamagedRow, decode_chunks, decode_page, details_of, encode_chunk
from gossamer.stores.shared.spend_ledger import ALL

_FORM = 1
"""Counts the ways in which lines are written; each line says its own, so that files can be joined and cut."""
_LAST_S = 253_402_300_799.0
"""The end of the year 9999: no calendar here goes beyond."""
_MOST = 2**31 - 1
"""The largest number that every store counts to."""
_FLOAT16_BYTES = 2
_TEXTS = ("final_url", "outcome", "content_type", "body_hash", "message", "etag", "last_modified")
_COUNTS = ("body_bytes", "hidden")
_SWITCHES = ("is_cut", "has_comments")


def line_of(record: Record) -> str:
    """A record as one line, in ASCII."""
    said = _said(record) if isinstance(record, Kept) else _entry(record)
    return json.dumps({"gossamer": _FORM, **said}, separators=(",", ":"))


def record_of(line: str) -> Record:
    """The record that a line holds; pages and chunks are what was written, or refused."""
    try:
        said = json.loads(line)
        if said["gossamer"] != _FORM:
            raise InvalidArgument("The line was written by a newer Gossamer.", hint="Update Gossamer.")
        return _kept(said) if "page" in said else _spending(said["spending"])
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError, DamagedRow) as error:
        raise InvalidArgument(
            "The line is no record of a library.", hint="Give a file that `gossamer library export` wrote."
        ) from error


def _said(kept: Kept) -> dict[str, Any]:
    return {
        "page": _page(kept.page),
        # The text of a chunk is a part of the page's, and is not said twice.
        "chunks": [encode_chunk(chunk)[:-1] for chunk in kept.chunks],
        "chunk_count": kept.chunk_count,
        "vectors": [[vector.model, vector.dimension, b64encode(vector.data).decode()] for vector in kept.vectors],
        "former": [_page(page) for page in kept.former],
        "used_at": kept.used_at,
    }


def _page(page: Page) -> dict[str, Any]:
    return {
        "url": page.url,
        "view": page.view,
        "title": page.title,
        "fetched_at": page.fetched_at,
        "version": page.version,
        "hash": page.content_hash,
        "details": details_of(page),
        "text": page.text,
    }


def _entry(entry: Spending) -> dict[str, Any]:
    return {"spending": [entry.op, entry.provider, entry.day, entry.amount, entry.until]}


def _kept(said: dict[str, Any]) -> Kept:
    page, count = _read_page(said["page"]), _count(said["chunk_count"])
    rows = [
        (_text(id_), _text(section), _count(start), _count(stop), _count(tokens), page.text[start:stop])
        for id_, section, start, stop, tokens in said["chunks"]
    ]
    chunks = decode_chunks(page, rows, count)
    former = tuple(map(_read_page, said["former"]))
    for text in (part for chunk in chunks for part in chunk.section):
        _text(text)
    _must(all((it.url, it.view) == (page.url, page.view) for it in former))
    _must(len({it.version for it in former}) == len(former))
    return Kept(
        page=page,
        chunks=chunks,
        chunk_count=count,
        vectors=_read_vectors(said["vectors"], chunks),
        former=former,
        used_at=_time(said["used_at"]),
    )


def _read_vectors(said: list[Any], chunks: tuple[Chunk, ...]) -> tuple[Vectors, ...]:
    """One vector for each chunk, by one or several models."""
    read = tuple(
        Vectors(model=_text(model), dimension=_count(dimension, least=1), data=b64decode(data, validate=True))
        for model, dimension, data in said
    )
    _must(all(chunks and len(it.data) == _FLOAT16_BYTES * it.dimension * len(chunks) for it in read))
    _must(len({it.model for it in read}) == len(read))
    return read


def _read_page(said: dict[str, Any]) -> Page:
    """Read a page as a row of a database is read: one way to know what is sound."""
    _check_details(said["details"])
    body = zlib.compress(said["text"].encode("utf-8", "surrogatepass"), level=0)
    columns = (
        said["title"],
        _time(said["fetched_at"]),
        _count(said["version"], least=1),
        said["hash"],
        json.dumps(said["details"]),
        body,
    )
    return decode_page(said["url"], said["view"], columns)


def _check_details(said: dict[str, Any]) -> None:
    """What a row says beside the text is trusted when it is read, so each field must be of its kind here."""
    for value in (*(said.get(name, "") for name in _TEXTS), *said["info"].values()):
        _text(value)
    for text, url in said.get("links", ()):
        _text(text)
        _text(url)
    _must(all(type(said.get(name, 0)) is int and said.get(name, 0) >= 0 for name in _COUNTS))
    _must(all(isinstance(said.get(name, False), bool) for name in _SWITCHES))
    _must(type(said.get("fresh_until", 0)) in {int, float} and isfinite(said.get("fresh_until", 0)))


def _spending(said: list[Any]) -> Spending:
    op, provider, day, amount, until = said
    _must(date.fromisoformat(_text(day)).isoformat() == day)
    return Spending(
        op=_text(op),
        provider=_text(provider),
        day=day,
        amount=_count(amount, most=ALL),
        until=None if until is None else _time(until),
    )


def _text(said: object) -> str:
    _must(isinstance(said, str))
    return str(said)


def _count(said: object, *, least: int = 0, most: int = _MOST) -> int:
    # JSON's true is no number, though Python's is.
    if type(said) is not int or not least <= said <= most:
        raise ValueError("a number that counts nothing here")
    return said


def _time(said: object) -> float:
    if type(said) not in {int, float} or not isinstance(said, int | float) or not 0 <= said <= _LAST_S:
        raise ValueError("a time that no calendar has")
    return float(said)


def _must(is_sound: object) -> None:
    if not is_sound:
        raise ValueError("a field of a record")
