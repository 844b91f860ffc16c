"""Splits Markdown into prose, code and links: what can be summed up, what can be copied, where it leads."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from gossamer.model.page import MAX_LINKS, Link
from gossamer.model.search import CodeBlock

MAX_CHARS = 60_000
"""How much of a page is looked at: what a page is about stands near its beginning."""

_LINE = re.compile(r"[^\n]+")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]{0,30})")
_OTHER = re.compile(r"[ \t]{0,3}(#{1,6}(?=\s|$)|\||[-*_]{3,}[ \t]*$|={3,}[ \t]*$)")
_ITEM = re.compile(r"[ \t]*([-*+]|\d{1,9}[.)])[ \t]+")
_QUOTED = re.compile(r"^[ \t]*(?:>(?=[ \t>]|$)[ \t]?)+")
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?:\s[^()\n]{0,200})?\)"
)
_SIGNS = re.compile(r"[*`]+|_+|\\(?=[\\`*_{}\[\]()#+.!<>|-])")

Kind = Literal["text", "item"]
_LINKS_MAX_CHARS = 200_000
_FENCE_MARK = re.compile(r"[ \t]{0,3}(```|~~~)")
_WEB_LINK = re.compile(
    r"(?<![!\\])\[((?:[^\[\]\n\\]|\\.){1,200})\]\((https?://[^\s()<>]{1,1000}(?:\([^\s()<>]{0,200}\))?)(?:\s[^()\n]{0,200})?\)"
)


class Paragraph(NamedTuple):
    """Running text without its Markdown, on one line."""

    kind: Kind
    text: str
    link_chars: int
    """How many of its characters are links."""


def prose(markdown: str) -> Iterator[Paragraph]:
    """The paragraphs and list items near the beginning of a page; headings, tables and code are left out."""
    pending: list[str] = []
    last = 0
    for line, start, is_code in _lines(markdown[:MAX_CHARS]):
        is_item = _ITEM.match(line) is not None
        if pending and (is_code or is_item or start - last > 1 or _OTHER.match(line)):
            yield _paragraph(pending)
            pending = []
        if not is_code and not _OTHER.match(line):
            pending.append(line)
        last = start + len(line)
    if pending:
        yield _paragraph(pending)


def code_in(markdown: str, *, max_chars: int) -> Iterator[CodeBlock]:
    """The fenced blocks near the beginning of a page; a long one ends with a whole line, within `max_chars`."""
    lines: list[str] | None = None
    language = fence = ""
    for line in markdown[:MAX_CHARS].split("\n"):
        opening = _FENCE.match(line)
        if lines is None:
            if opening:
                lines, fence, language = [], opening[1], opening[2]
        elif opening and opening[1].startswith(fence) and not line.strip(" \t`~"):
            yield from _code(language, lines, max_chars)
            lines = None
        else:
            lines.append(line)


def without_markdown(text: str) -> str:
    """The words of a line: links as their text, no emphasis."""
    return " ".join(_SIGNS.sub(_left, _LINK.sub(r"\1", text)).split())


def visible_chars(markdown: str) -> int:
    """How much of a text its reader sees: links as their text, no space."""
    return len("".join(_LINK.sub(r"\1", markdown).split()))


def _left(sign: re.Match[str]) -> str:
    """Nothing of emphasis; a line between the letters of a name stays."""
    neighbours = sign.string[sign.start() - 1 : sign.start()] + sign.string[sign.end() : sign.end() + 1]
    return sign[0] if sign[0][0] == "_" and len(neighbours) == 2 and neighbours.isalnum() else ""


def _lines(text: str) -> Iterator[tuple[str, int, bool]]:
    """Lines that say something, where they stand, and whether they are code or a fence."""
    fence = ""
    for match in _LINE.finditer(text):
        line = match[0]
        if not line.strip():
            continue
        opening = _FENCE.match(line)
        is_code = bool(fence or opening)
        if opening and not fence:
            fence = opening[1]
        elif opening and opening[1].startswith(fence) and not line.strip(" \t`~"):
            fence = ""
        yield line, match.start(), is_code


def _paragraph(lines: list[str]) -> Paragraph:
    marked = _ITEM.match(lines[0])
    unquoted = [_QUOTED.sub("", line) for line in (lines[0][marked.end() :] if marked else lines[0], *lines[1:])]
    raw = " ".join(unquoted)
    links = sum(len(link[1]) for link in _LINK.finditer(raw))
    return Paragraph("item" if marked else "text", without_markdown(raw), links)


def _code(language: str, lines: list[str], max_chars: int) -> Iterator[CodeBlock]:
    fitting: list[str] = []
    left = max_chars
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        fitting.append(line)
    if any(line.strip() for line in fitting):
        yield CodeBlock(language=language.lower(), text="\n".join(fitting))


def links_in(markdown: str) -> tuple[Link, ...]:
    """The first links, each address once; what stands in fenced code is none."""
    text_by_url: dict[str, str] = {}
    fence = ""
    for line in markdown[:_LINKS_MAX_CHARS].splitlines():
        if mark := _FENCE_MARK.match(line):
            fence = mark[1] if not fence else "" if mark[1] == fence else fence
        elif not fence:
            for link in _WEB_LINK.finditer(line):
                text_by_url.setdefault(link[2], " ".join(link[1].split()))
        if len(text_by_url) >= MAX_LINKS:
            break
    return tuple(Link(text=text, url=url) for url, text in text_by_url.items())[:MAX_LINKS]
