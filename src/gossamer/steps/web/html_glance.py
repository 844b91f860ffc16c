"""HTML at a glance: the title and text of a reply in linear time, without a tree."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.model.http import HttpReply

LOOKED_AT_BYTES = 100_000
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,300})")
_TAG = re.compile(r"<[^<>]*>")
_RAW = re.compile(r"<(script|style|noscript|template|title|!--)")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Skim:
    """The beginning of a page, all in lower case."""

    html: str
    title: str
    text: str
    """What stands outside of tags, scripts, styles, the title and `noscript`; on one line."""


def skim(reply: HttpReply) -> Skim | None:
    """Look at the first 100 kB; None for what says that it is no HTML."""
    kind = reply.content_type
    if kind and "html" not in kind:
        return None
    html = reply.body[:LOOKED_AT_BYTES].decode("utf-8", "replace").lower()
    found = _TITLE.search(html)
    text = _TAG.sub(" ", " ".join(html[start:end] for start, end in seen(html)))
    return Skim(html=html, title=_one_line(found[1]) if found else "", text=_one_line(text))


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
