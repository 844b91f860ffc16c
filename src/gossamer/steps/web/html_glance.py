"""HTML at a glance, in linear time and without a tree: the title and text of a reply, and its meta refresh."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from gossamer.model.http import HttpReply

LOOKED_AT_BYTES = 100_000
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,300})")
_TAG = re.compile(r"<[^<>]*>")
_RAW = re.compile(r"<(script|style|noscript|template|title|!--)")
_SPACE = re.compile(r"\s+")
_WITHOUT_CONTENT_CHARS = 200
"""Room for "you are being redirected, click here if nothing happens", and for no article."""
_MOST_BYTES = 32 * 1024
"""A page that only leads elsewhere is not larger."""
_AT_ONCE_S = 1.0
_META = re.compile(r"<meta\s[^<>]{0,3000}>")
_IS_REFRESH = re.compile(r""" http-equiv ?= ?["']? ?refresh""", re.IGNORECASE)
_CONTENT = re.compile(r""" content ?= ?(?:"([^"]*)"|'([^']*)'|([^ "'>]+))""", re.IGNORECASE)
_REFRESH = re.compile(r"(\d{0,6}(?:\.\d{0,6})?) ?[;, ] ?(?:url ?= ?)?(.*)", re.IGNORECASE)
"""Of text with single blanks, so that none of these has a choice where to look for one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HtmlGlance:
    """The beginning of a page, all in lower case."""

    html: str
    title: str
    text: str
    """What stands outside of tags, scripts, styles, the title and `noscript`; on one line."""


def glance(reply: HttpReply) -> HtmlGlance | None:
    """Look at the first 100 kB; None for what says that it is no HTML."""
    kind = reply.content_type
    if kind and "html" not in kind:
        return None
    html = reply.body[:LOOKED_AT_BYTES].decode("utf-8", "replace").lower()
    title = _TITLE.search(html)
    text = _TAG.sub(" ", " ".join(html[start:end] for start, end in seen(html)))
    return HtmlGlance(html=html, title=_one_line(title[1]) if title else "", text=_one_line(text))


def seen(html: str) -> Iterator[tuple[int, int]]:
    """Where lower-case markup holds neither comments nor elements whose inside is no text on the page."""
    at = 0
    while raw := _RAW.search(html, at):
        yield at, raw.start()
        is_comment = raw[1] == "!--"
        end = html.find("-->" if is_comment else f"</{raw[1]}", raw.end())
        at = len(html) if end < 0 else end + 3 * is_comment
    yield at, len(html)


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def meta_refresh(reply: HttpReply) -> str:
    """The address, as written, that a page without content refreshes to at once; empty for every other reply.

    A refresh after some time, without an address or inside `noscript` is none; scripts are not looked at.
    """
    if reply.status != 200 or len(reply.body) > _MOST_BYTES:
        return ""
    if "refresh" not in reply.headers and b"refresh" not in reply.body.lower():
        return ""
    page = glance(reply)
    if page is None or len(page.text) > _WITHOUT_CONTENT_CHARS:
        return ""
    instruction = _REFRESH.fullmatch(_one_line(reply.headers.get("refresh") or _written(reply.body.decode("latin-1"))))
    if instruction is None or float(f"0{instruction[1]}") > _AT_ONCE_S:
        return ""
    return _unquoted(instruction[2].strip())


def _written(html: str) -> str:
    """What the first refresh on the page says; bytes beyond ASCII are read as UTF-8, as addresses are."""
    lower = html.lower()
    for start, end in seen(lower):
        for tag in _META.finditer(lower, start, end):
            line = _one_line(html[tag.start() : tag.end()])
            content = _CONTENT.search(line)
            if content and _IS_REFRESH.search(line):
                value = content[1] or content[2] or content[3] or ""
                return unescape(value.encode("latin-1").decode("utf-8", "replace"))
    return ""


def _unquoted(where: str) -> str:
    """An address without the quotes round it, as far as they are there."""
    return where[1:].partition(where[0])[0].strip() if where.startswith(("'", '"')) else where
