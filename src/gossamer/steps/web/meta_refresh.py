"""Meta refresh: where a page without content sends its readers at once."""

import re
from html import unescape

from gossamer.model.http import HttpReply
from gossamer.steps.web.html_glance import seen, skim

_WITHOUT_CONTENT_CHARS = 200
"""Room for "you are being redirected, click here if nothing happens", and for no article."""
_MOST_BYTES = 32 * 1024
"""A page that only leads elsewhere is not larger."""
_AT_ONCE_S = 1.0
_META = re.compile(r"<meta\s[^<>]{0,3000}>")
_SPACE = re.compile(r"\s+")
_IS_REFRESH = re.compile(r""" http-equiv ?= ?["']? ?refresh""", re.IGNORECASE)
_CONTENT = re.compile(r""" content ?= ?(?:"([^"]*)"|'([^']*)'|([^ "'>]+))""", re.IGNORECASE)
_SAID = re.compile(r"(\d{0,6}(?:\.\d{0,6})?) ?[;, ] ?(?:url ?= ?)?(.*)", re.IGNORECASE)
"""Of text with single blanks, so that none of these has a choice where to look for one."""


def refresh(reply: HttpReply) -> str:
    """The address, as written, that a page without content refreshes to at once; empty for every other reply.

    A refresh after some time, without an address or inside `noscript` is none; scripts are not looked at.
    """
    if reply.status != 200 or len(reply.body) > _MOST_BYTES:
        return ""
    if "refresh" not in reply.headers and b"refresh" not in reply.body.lower():
        return ""
    page = skim(reply)
    if page is None or len(page.text) > _WITHOUT_CONTENT_CHARS:
        return ""
    said = _SAID.fullmatch(_one_line(reply.headers.get("refresh") or _written(reply.body.decode("latin-1"))))
    if said is None or float(f"0{said[1]}") > _AT_ONCE_S:
        return ""
    return _unquoted(said[2].strip())


def _written(html: str) -> str:
    """What the first refresh on the page says; bytes beyond ASCII are read as UTF-8, as addresses are."""
    lower = html.lower()
    for start, end in seen(lower):
        for tag in _META.finditer(lower, start, end):
            line = _one_line(html[tag.start() : tag.end()])
            content = _CONTENT.search(line)
            if content and _IS_REFRESH.search(line):
                said = content[1] or content[2] or content[3] or ""
                return unescape(said.encode("latin-1").decode("utf-8", "replace"))
    return ""


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _unquoted(where: str) -> str:
    """An address without the quotes round it, as far as they are there."""
    return where[1:].partition(where[0])[0].strip() if where.startswith(("'", '"')) else where
