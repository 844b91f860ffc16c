"""JSON Lines export: one record a line, written by any store and read by any other."""

import json
import zlib
from base64 import b64decode, b64encode
from datetime import date
from math import isfinite
from typing import Any

from gossamer.errors import InvalidArgument
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.model.records import Kept, Record, Spending
from gossamer.stores.shared.chunk_rows import DamagedRow, decode_chunks, encode_chunk
from gossamer.stores.shared.page_rows import decode_page, details_of
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
    fields = _page_fields(record) if isinstance(record, Kept) else _spending_fields(record)
    return json.dumps({"gossamer": _FORM, **fields}, separators=(",", ":"))


def record_of(line: str) -> Record:
    """The record that a line holds; pages and chunks are what was written, or refused."""
    try:
        fields = json.loads(line)
        if fields["gossamer"] != _FORM:
            raise InvalidArgument("The line was written by a newer Gossamer.", hint="Update Gossamer.")
        return _read_kept(fields) if "page" in fields else _read_spending(fields["spending"])
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError, DamagedRow) as error:
        raise InvalidArgument(
            "The line is no record of a library.", hint="Give a file that `gossamer library export` wrote."
        ) from error


def _page_fields(record: Kept) -> dict[str, Any]:
    return {
        "page": _page(record.page),
        # The text of a chunk is a part of the page's, and is not written twice.
        "chunks": [encode_chunk(chunk)[:-1] for chunk in record.chunks],
        "chunk_count": record.chunk_count,
        "vectors": [[vector.model, vector.dimension, b64encode(vector.data).decode()] for vector in record.vectors],
        "former": [_page(page) for page in record.former],
        "used_at": record.used_at,
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


def _spending_fields(entry: Spending) -> dict[str, Any]:
    return {"spending": [entry.op, entry.provider, entry.day, entry.amount, entry.until]}


def _read_kept(fields: dict[str, Any]) -> Kept:
    page, count = _read_page(fields["page"]), _count(fields["chunk_count"])
    rows = [
        (_text(id_), _text(section), _count(start), _count(stop), _count(tokens), page.text[start:stop])
        for id_, section, start, stop, tokens in fields["chunks"]
    ]
    chunks = decode_chunks(page, rows, count)
    former = tuple(map(_read_page, fields["former"]))
    for text in (part for chunk in chunks for part in chunk.section):
        _text(text)
    _must(all((earlier.url, earlier.view) == (page.url, page.view) for earlier in former))
    _must(len({earlier.version for earlier in former}) == len(former))
    return Kept(
        page=page,
        chunks=chunks,
        chunk_count=count,
        vectors=_read_vectors(fields["vectors"], chunks),
        former=former,
        used_at=_time(fields["used_at"]),
    )


def _read_vectors(rows: list[Any], chunks: tuple[Chunk, ...]) -> tuple[Vectors, ...]:
    """One vector for each chunk, by one or several models."""
    all_vectors = tuple(
        Vectors(model=_text(model), dimension=_count(dimension, least=1), data=b64decode(data, validate=True))
        for model, dimension, data in rows
    )
    _must(all(chunks and len(each.data) == _FLOAT16_BYTES * each.dimension * len(chunks) for each in all_vectors))
    _must(len({each.model for each in all_vectors}) == len(all_vectors))
    return all_vectors


def _read_page(fields: dict[str, Any]) -> Page:
    """Read a page with the decoder of database rows, which checks it."""
    _check_details(fields["details"])
    body = zlib.compress(fields["text"].encode("utf-8", "surrogatepass"), level=0)
    columns = (
        fields["title"],
        _time(fields["fetched_at"]),
        _count(fields["version"], least=1),
        fields["hash"],
        json.dumps(fields["details"]),
        body,
    )
    return decode_page(fields["url"], fields["view"], columns)


def _check_details(details: dict[str, Any]) -> None:
    """Check the type of every field beside the text: rows are trusted when they are read from a database."""
    for value in (*(details.get(name, "") for name in _TEXTS), *details["info"].values()):
        _text(value)
    for text, url in details.get("links", ()):
        _text(text)
        _text(url)
    _must(all(type(details.get(name, 0)) is int and details.get(name, 0) >= 0 for name in _COUNTS))
    _must(all(type(count) is int and count >= 0 for count in details.get("left_out", ())))
    _must(all(isinstance(details.get(name, False), bool) for name in _SWITCHES))
    _must(type(details.get("fresh_until", 0)) in {int, float} and isfinite(details.get("fresh_until", 0)))


def _read_spending(columns: list[Any]) -> Spending:
    op, provider, day, amount, until = columns
    _must(date.fromisoformat(_text(day)).isoformat() == day)
    return Spending(
        op=_text(op),
        provider=_text(provider),
        day=day,
        amount=_count(amount, most=ALL),
        until=None if until is None else _time(until),
    )


def _text(value: object) -> str:
    _must(isinstance(value, str))
    return str(value)


def _count(value: object, *, least: int = 0, most: int = _MOST) -> int:
    # JSON's true is no number, though Python's is.
    if type(value) is not int or not least <= value <= most:
        raise ValueError("a number that counts nothing here")
    return value


def _time(value: object) -> float:
    if type(value) not in {int, float} or not isinstance(value, int | float) or not 0 <= value <= _LAST_S:
        raise ValueError("a time that no calendar has")
    return float(value)


def _must(is_sound: object) -> None:
    if not is_sound:
        raise ValueError("a field of a record")
