"""One request answered, inside the worker: bytes in, a reply frame out, whatever the bytes hold."""

import logging
import warnings
from dataclasses import replace

from gossamer.errors import GossamerError, TooComplex
from gossamer.extractors.dispatch import read
from gossamer.extractors.wire import Header, reply, reply_error, request, view_of
from gossamer.model.page import View

_BEGINNING = 2 * 1024**2
"""Bytes of a page that are surely read, unless it was built against it."""
_NOT_WHOLE = f"The page is too large to be read whole: this is what its first {_BEGINNING // 1024**2} MiB hold."


def warm_up() -> None:
    """Load the readers before limits are set, by reading a small page; and keep libraries from talking."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    page = b"<title>a</title><article><h1>a</h1><p>" + b"Some words to read. " * 30 + b"</p></article>"
    answer(request("text/html", "https://example.org/", View()), page)


def answer(header: Header, body: bytes) -> tuple[Header, bytes]:
    """Read a body; of one that takes all memory the beginning is read, and a fresh process is asked for after it."""
    try:
        return _read(header, body)
    except (MemoryError, RecursionError):
        pass
    try:
        said, text = _read(header, body[:_BEGINNING], note=_NOT_WHOLE if len(body) > _BEGINNING else "")
    except (MemoryError, RecursionError):
        said, text = reply_error(
            TooComplex("Reading the page takes more memory than a page may.", hint="Look for another source.")
        )
    return {**said, "last": True}, text


def _read(header: Header, body: bytes, *, note: str = "") -> tuple[Header, bytes]:
    try:
        result = read(body, content_type=str(header["type"]), url=str(header["url"]), view=view_of(header))
    except GossamerError as error:
        return reply_error(error)
    return reply(replace(result, message=f"{result.message} {note}".strip()))
