"""Markdown blocks: what is packed but never split (a sentence, a heading, a table, a line of a long one)."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from gossamer.steps.text.sentences import CLOSING, PHRASED, sentences
from gossamer.steps.tokens.count import DOUBT, SpanCounter, count, cut

_CHARS_PER_TOKEN = 16  # more than any text but long runs of one sign
_MOST_CHARS_PER_TOKEN = 64  # more than even a gap has
_TITLE_CHARS = 200
_NO_BEGINNING = CLOSING | frozenset(".,;:!?…。，、")
_PHRASED = re.compile(PHRASED)
_NO_WIDTH = "\u200b"
_LINE = re.compile(r"[^\n]+")
_OPENING = re.compile(
    r"""
      (?P<heading>[ ]{0,3}\#{1,6})(?=\s|$)
    | [ \t]*(?: (?P<fence>`{3,}(?=[^`]*$)|~{3,})
              | (?P<table>\|)
              | (?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)) )
    """,
    re.VERBOSE,
)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")

Section = tuple[str, ...]
Kind = Literal["heading", "fence", "table", "item", "text"]


class Block(NamedTuple):
    """Lines that belong together. `fence` is what would end the code that is still open after it."""

    kind: Kind
    start: int
    end: int
    fence: str


class Unit(NamedTuple):
    """A span with about what it costs and the headings above it."""

    start: int
    end: int
    tokens: int
    section: Section
    is_heading: bool


def units(text: str, size: int, meter: SpanCounter) -> Iterator[Unit]:
    """Everything but the space between them, in order, each of at most `size` tokens; blocks whole where they fit."""
    path: list[tuple[int, str]] = []
    section: Section = ()
    for block in blocks(text):
        if block.kind == "heading":
            level, title = _heading(text[block.start : block.end])
            path = [*(entry for entry in path if entry[0] < level), (level, title)]
            section = tuple(title for _, title in path if title)
        for start, end in _parts(text, block, size, meter):
            for begin, stop, tokens in pieces(text, start, end, size, meter):
                yield Unit(begin, stop, tokens, section, block.kind == "heading")


def blocks(text: str, fence: str = "") -> Iterator[Block]:
    """Headings, fenced code, tables, list items and paragraphs; only space lies between them.

    `fence` is that of the `Block` before, where `text` may go on inside of its code.
    """
    block: Block | None = None
    for kind, begins, start, end, is_open in _lines(text, fence):
        if block and not begins:
            block = block._replace(end=end, fence=is_open)
            continue
        if block:
            yield block
        block = Block(kind, start, end, is_open)
    if block:
        yield block


def text_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of the lines that say something, without the space after them."""
    for line in _LINE.finditer(text, start, end):
        if content := line[0].rstrip():
            yield line.start(), line.start() + len(content)


def pieces(text: str, start: int, end: int, size: int, meter: SpanCounter) -> Iterator[tuple[int, int, int]]:
    """A span with about its tokens; one that is too long in pieces, cut at lines, sentences or words."""
    tokens = _cost(start, end, size, meter)
    if tokens <= size:
        yield start, end, tokens
        return
    while start < end:
        window = text[start : min(end, start + size * _CHARS_PER_TOKEN)]
        stop = max(1, cut(window, size))
        if start + stop < end and text[start + stop] in _NO_BEGINNING:
            stop = _before_word(window, stop)
        elif start + stop < end and _PHRASED.match(text, start + stop):
            stop = _after_blank(window, stop)
        if piece := window[:stop].rstrip():
            yield start, start + len(piece), count(piece)
        start += stop


def _before_word(window: str, stop: int) -> int:
    """Where the word begins that a cut would part from its closing signs; the cut itself where it is all there is."""
    return next((at + 1 for at in range(stop - 1, 0, -1) if window[at].isspace()), stop)


def _after_blank(window: str, stop: int) -> int:
    """The end of the last blank in the last quarter before a cut; the cut itself where there is none."""
    least = stop - stop // 4
    return next(
        (at + 1 for at in range(stop - 1, least - 1, -1) if window[at].isspace() or window[at] == _NO_WIDTH), stop
    )


def _heading(line: str) -> tuple[int, str]:
    marked = line.lstrip()
    level = len(marked) - len(marked.lstrip("#"))
    title = _LINK.sub(r"\1", marked.strip("# \t")[: 4 * _TITLE_CHARS])
    return level, " ".join(title.replace("*", "").replace("`", "").split())[:_TITLE_CHARS].strip()


def _parts(text: str, block: Block, size: int, meter: SpanCounter) -> Iterator[tuple[int, int]]:
    """A block as it is packed: sentences of prose; anything else whole where it fits, by lines where not."""
    if block.kind != "text" and _cost(block.start, block.end, size, meter) <= size:
        yield block.start, block.end
    elif block.kind in {"table", "fence"}:
        yield from text_lines(text, block.start, block.end)
    else:
        yield from sentences(text, block.start, block.end)


def _cost(start: int, end: int, size: int, meter: SpanCounter) -> int:
    """About the tokens of a span, exactly whether they are more than `size`; counted only where that is in doubt."""
    if end - start > size * _MOST_CHARS_PER_TOKEN:
        return size + 1
    tokens = meter.roughly(start, end)
    return tokens if tokens + DOUBT + size // 100 < size or tokens > size else meter.count(start, end)


def _lines(text: str, fence: str) -> Iterator[tuple[Kind, bool, int, int, str]]:
    """Every line that says something: its kind, whether it begins a block, its span, the fence open after it."""
    kind: Kind | None = None
    last = 0
    begins_inside = bool(fence)
    for line in _LINE.finditer(text):
        content = line[0].rstrip()
        if not content:
            continue
        start, end = line.start(), line.start() + len(content)
        if fence:
            if content.lstrip().startswith(fence) and not content.strip(fence[0] + " \t"):
                fence, kind = "", None
            yield "fence", begins_inside, start, end, fence
            begins_inside = False
            continue
        before = kind if start - last <= 1 else None
        opening = _OPENING.match(text, start, end)
        if opening:
            kind = cast("Kind", opening.lastgroup)
            fence = opening["fence"] or ""
        else:
            kind = "item" if before == "item" else "text"
        begins = kind != before or kind in {"heading", "fence"} or (kind == "item" and opening is not None)
        yield kind, begins, start, end, fence
        last = line.end()
