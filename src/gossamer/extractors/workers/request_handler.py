"""Request handler inside the worker: one frame in, one reply frame out, whatever the bytes hold."""

import logging
import warnings

from gossamer.errors import BrokenDocument, GossamerError, TooComplex
from gossamer.extractors.dispatch import read
from gossamer.extractors.sniff import has_beginning
from gossamer.extractors.workers.frames import Header, reply, reply_error, request, view_of
from gossamer.model.page import View


def warm_up() -> None:
    """Load the readers before limits are set, by reading a small page; and keep libraries from talking."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    page = b"<title>a</title><article><h1>a</h1><p>" + b"Some words to read. " * 30 + b"</p></article>"
    handle(request("text/html", "https://example.org/", View()), page)


def handle(header: Header, body: bytes) -> tuple[Header, bytes]:
    """Read a body, and always answer: a parser may raise anything on hostile input.

    After a fault that is none of our errors, nobody knows what state the parser is in, and after a body that takes all
    memory there is little left: a fresh process is asked for. Only of a body that has a beginning is it said that it
    was too full, for then less of it can be read.
    """
    try:
        is_plain = header.get("plain") is True
        content_type, url = str(header["type"]), str(header["url"])
        return reply(read(body, content_type=content_type, url=url, view=view_of(header), is_plain=is_plain))
    except GossamerError as error:
        return reply_error(error)
    except (MemoryError, RecursionError):
        pass
    except Exception:  # noqa: BLE001  whatever it is, the page did it, and the next page needs an answer too
        return _last(BrokenDocument("The page cannot be read.", hint="Look for another source."))
    header_fields, nothing = _last(
        TooComplex("Reading the page takes more memory than a page may.", hint="Look for another source.")
    )
    return {**header_fields, "full": has_beginning(body, str(header["type"]), str(header["url"]))}, nothing


def _last(error: GossamerError) -> tuple[Header, bytes]:
    """An error after which this process reads no further page."""
    header, nothing = reply_error(error)
    return {**header, "last": True}, nothing
