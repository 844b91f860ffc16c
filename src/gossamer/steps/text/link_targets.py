"""Link targets: Markdown split into its text and the addresses that parts of it lead to, and put together again.

Addresses are not text: nobody asks for them in words. So pages are kept, ranked and quoted without them, and they are
written where a reader wants them. Putting together what was split gives the Markdown back, byte for byte.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

from gossamer.model.page import LinkSpan, Page
from gossamer.steps.text.clean_line import HTML_NAMES

_ADDRESS = r"https?://[^()<>\s\\]*(?:\([^()<>\s\\]*\)[^()<>\s\\]*)*"
_TOKEN = re.compile(rf"\\.|`+|\[|\](?:\((?P<target>{_ADDRESS}(?:[ ]\"[^\"\n]{{0,300}}\")?)\))?", re.DOTALL)
_TICKS = re.compile(r"`+")
_PARTING = re.compile(r"^(?:[ \t>]*$|[ \t>*+\-.)\d]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<rest>[^\n]*))", re.MULTILINE)
"""An empty line, or one that opens or closes code, maybe in a quotation or in an item of a list."""
_BEGINS_A_BLOCK = re.compile(r"[ ]{0,3}(?:#{1,6}(?:\s|$)|`{3}|~{3}|\|)")
_OPENS_A_TAG = re.compile(r"<[/!?]?[\w-]{0,20}\Z")
_NAME = re.compile(r"/?([a-zA-Z][\w-]*)")
_DECLARES = re.compile(r"\?|!(?:[a-zA-Z]|--|\[CDATA\[)")
_TAIL = 24
"""Characters before a link that what it begins with could make a mark with."""


class _Link(NamedTuple):
    """A link as it is written: where its bracket opens, where its words end, where it ends itself."""

    start: int
    close: int
    end: int
    target: str


def without_targets(markdown: str) -> tuple[str, tuple[LinkSpan, ...]]:
    """The text of Markdown without the addresses of its links, and which spans of that lead where.

    Code stays as it is, and so does a link without which its words would be read as something else: a heading, code, a
    table, a tag, the text of another link.
    """
    pieces: list[str] = []
    spans: list[LinkSpan] = []
    at = size = 0
    tail = ""
    for link in _links(markdown):
        words = markdown[link.start + 1 : link.close]
        before = (tail + markdown[max(at, link.start - _TAIL) : link.start])[-_TAIL:]
        if not words.strip() or _would_change(markdown, link, words, before):
            continue
        start = size + link.start - at
        pieces += markdown[at : link.start], words
        spans.append(LinkSpan(start, start + len(words), link.target))
        at, size, tail = link.end, start + len(words), (before + words[-_TAIL:])[-_TAIL:]
    return ("".join((*pieces, markdown[at:])), tuple(spans)) if spans else (markdown, ())


def with_targets(text: str, spans: Sequence[LinkSpan], start: int = 0, end: int | None = None) -> str:
    """The Markdown of a text, or of a part of it: of a link that goes on outside, what is in the part leads there."""
    stop = len(text) if end is None else end
    pieces: list[str] = []
    at = start
    for span in _within(spans, start, stop):
        first, last = max(span.start, start), min(span.end, stop)
        pieces += text[at:first], "[", text[first:last], "](", span.target, ")"
        at = last
    return "".join((*pieces, text[at:stop])) if pieces else text[start:stop]


def place_in_text(spans: Sequence[LinkSpan], start: int, end: int, length: int) -> int:
    """Where in the text the first `length` characters of the Markdown of a part of it end."""
    left, at = length, start
    for span in _within(spans, start, end):
        first, last = max(span.start, start), min(span.end, end)
        if left <= first - at:
            return at + left
        left -= first - at + 1
        if left <= last - first:
            return first + max(0, left)
        left, at = max(0, left - (last - first) - len(span.target) - 3), last
    return min(end, at + left)


def apart(page: Page) -> Page:
    """The page with the targets of its links apart from its text."""
    text, targets = without_targets(page.text)
    return replace(page, text=text, targets=targets)


def markdown_of(page: Page) -> str:
    """The text of a page as it was made, its links with their targets."""
    return with_targets(page.text, page.targets) if page.targets else page.text


def markdown_hash(page: Page) -> str:
    """Names the text of a page and the targets of its links."""
    if not page.targets:
        return page.content_hash
    return sha256(markdown_of(page).encode("utf-8", "surrogatepass")).hexdigest()


def _within(spans: Sequence[LinkSpan], start: int, end: int) -> Iterator[LinkSpan]:
    """The links that a part of the text holds something of."""
    for number in range(bisect_right(spans, start, key=lambda span: span.end), len(spans)):
        if spans[number].start >= end:
            return
        yield spans[number]


def _links(markdown: str) -> Iterator[_Link]:
    """The links outside of code, in order; none holds another."""
    if "](http" not in markdown:
        return
    for start, end in _paragraphs(markdown):
        if markdown.find("](http", start, end) >= 0:
            yield from _of_paragraph(markdown, start, end)


def _paragraphs(markdown: str) -> Iterator[tuple[int, int]]:
    """The spans between empty lines, without fenced code."""
    start, fence = 0, ""
    for line in _PARTING.finditer(markdown):
        opened = line["fence"] or ""
        if fence:
            if opened.startswith(fence) and not line["rest"].strip():
                start, fence = line.end(), ""
            continue
        yield start, line.start()
        start, fence = line.end(), opened
    if not fence:
        yield start, len(markdown)


def _of_paragraph(markdown: str, start: int, end: int) -> Iterator[_Link]:
    after = _closing_ticks(markdown, start, end)
    opens: list[int] = []
    at = start
    while token := _TOKEN.search(markdown, at, end):
        at = token.end()
        match token[0][0]:
            case "[":
                opens.append(token.start())
            case "`":
                at = after.get(token.start(), at)
            case "]" if opens:
                opened, target = opens.pop(), token["target"]
                if target is not None:
                    yield _Link(opened, token.start(), at, target)
                    opens.clear()
            case _:
                pass


def _closing_ticks(markdown: str, start: int, end: int) -> dict[int, int]:
    """For each run of ticks that opens code, where the code ends: behind the next run of the same length."""
    by_length: dict[int, list[tuple[int, int]]] = {}
    for run in _TICKS.finditer(markdown, start, end):
        by_length.setdefault(len(run[0]), []).append(run.span())
    return {one[0]: other[1] for runs in by_length.values() for one, other in pairwise(runs)}


def _would_change(markdown: str, link: _Link, words: str, tail: str) -> bool:
    """Whether the words of a link, without its brackets and its address, would be read with what stands round them."""
    following = markdown[link.end : link.end + 1]
    begins_line = link.start == 0 or markdown[link.start - 1] == "\n"
    return (
        (begins_line and _BEGINS_A_BLOCK.match(words) is not None)
        or (tail.endswith("`") and words.startswith("`"))
        or (following == "`" and words.endswith("`"))
        or (tail.endswith("]") and words[0] in "(:")
        or (words.endswith("]") and (following == "(" or (following == ":" and words[0] == "[")))
        or (following == "[" and words.endswith("!"))
        or _would_open_a_tag(tail, words)
    )


def _would_open_a_tag(tail: str, words: str) -> bool:
    opened = _OPENS_A_TAG.search(tail)
    if opened is None:
        return False
    inside = opened[0][1:] + words
    if _DECLARES.match(inside):
        return True
    name = _NAME.match(inside, 0, 2 * _TAIL)
    if name is None:
        return False
    after = inside[name.end() : name.end() + 1]
    is_known = name[1].lower() in HTML_NAMES and (not after or after in "/>")
    return is_known or (after.isspace() and (name[1].lower() in HTML_NAMES or "=" in words))
