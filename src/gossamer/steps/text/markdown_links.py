"""Extracts the links of Markdown text, for pages that came as Markdown or were stored without a link list."""

import re

from gossamer.model.page import MAX_LINKS, Link

_MAX_CHARS = 200_000
_FENCE = re.compile(r"[ \t]{0,3}(```|~~~)")
_LINK = re.compile(
    r"(?<![!\\])\[((?:[^\[\]\n\\]|\\.){1,200})\]\((https?://[^\s()<>]{1,1000}(?:\([^\s()<>]{0,200}\))?)(?:\s[^()\n]{0,200})?\)"
)


def links_in(markdown: str) -> tuple[Link, ...]:
    """The first links, each address once; what stands in fenced code is none."""
    found: dict[str, str] = {}
    fence = ""
    for line in markdown[:_MAX_CHARS].splitlines():
        if mark := _FENCE.match(line):
            fence = mark[1] if not fence else "" if mark[1] == fence else fence
        elif not fence:
            for link in _LINK.finditer(line):
                found.setdefault(link[2], " ".join(link[1].split()))
        if len(found) >= MAX_LINKS:
            break
    return tuple(Link(text=text, url=url) for url, text in found.items())[:MAX_LINKS]
