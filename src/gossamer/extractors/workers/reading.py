"""One request answered, inside the worker: bytes in, a reply frame out, whatever the bytes hold."""

import logging
import warnings

from gossamer.errors import GossamerError, TooComplex
from gossamer.extractors.dispatch import read
from gossamer.extractors.workers.wire import Header, reply, reply_error, request, view_of
from gossamer.model.page import View


def warm_up() -> None:
    """Load the readers before limits are set, by reading a small page; and keep libraries from talking."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    page = b"<title>a</title><article><h1>a</h1><p>" + b"Some words to read. " * 30 + b"</p></article>"
    answer(request("text/html", "https://example.org/", View()), page)


def answer(header: Header, body: bytes) -> tuple[Header, bytes]:
    """Read a body; after one that takes all memory a fresh process is asked for."""
    try:
        return reply(read(body, content_type=str(header["type"]), url=str(header["url"]), view=view_of(header)))
    except GossamerError as error:
        return reply_error(error)
    except (MemoryError, RecursionError):
        pass
    said, nothing = reply_error(
        TooComplex("Reading the page takes more memory than a page may.", hint="Look for another source.")
    )
    return {**said, "full": True, "last": True}, nothing
