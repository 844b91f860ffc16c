"""An export as lines of JSON, one record each: what any store writes, and any other reads."""

import binascii
import json
import zlib
from base64 import b64decode, b64encode
from typing import Any

from gossamer.errors import InvalidArgument
from gossamer.model.kept import Kept, Record, Spending
from gossamer.model.page import Page, Vectors
from gossamer.stores.rows import DamagedRow, decode_chunks, decode_page, details_of, encode_chunk

_FORM = 1
"""Counts the ways in which lines are written; each line says its own, so that files can be joined and cut."""


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
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, DamagedRow, binascii.Error) as error:
        raise InvalidArgument(
            "The line is no record of a library.", hint="Give a file that `gossamer library export` wrote."
        ) from error


def _said(kept: Kept) -> dict[str, Any]:
    return {
        "page": _page(kept.page),
        # The text of a chunk is a part of the page's, and is not said twice.
        "chunks": [encode_chunk(chunk)[:-1] for chunk in kept.chunks],
        "chunk_count": kept.chunk_count,
        "vectors": [[it.model, it.dimension, b64encode(it.data).decode()] for it in kept.vectors],
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
    page, count = _read_page(said["page"]), said["chunk_count"]
    rows = [
        (id_, section, start, stop, tokens, page.text[start:stop])
        for id_, section, start, stop, tokens in said["chunks"]
    ]
    return Kept(
        page=page,
        chunks=decode_chunks(page, rows, count),
        chunk_count=count,
        vectors=tuple(
            Vectors(model=str(model), dimension=int(dimension), data=b64decode(data, validate=True))
            for model, dimension, data in said["vectors"]
        ),
        former=tuple(map(_read_page, said["former"])),
        used_at=float(said["used_at"]),
    )


def _read_page(said: dict[str, Any]) -> Page:
    """Read a page as a row of a database is read: one way to know what is sound."""
    body = zlib.compress(said["text"].encode("utf-8", "surrogatepass"), level=0)
    columns = (
        said["title"],
        float(said["fetched_at"]),
        said["version"],
        said["hash"],
        json.dumps(said["details"]),
        body,
    )
    return decode_page(said["url"], said["view"], columns)


def _spending(said: list[Any]) -> Spending:
    match said:
        case [str(op), str(provider), str(day), int(amount), float() | int() | None as until]:
            return Spending(op=op, provider=provider, day=day, amount=amount, until=until)
        case _:
            raise ValueError("an entry of the ledger")
