"""Segmentation: Markdown into blocks, sections and units; prose of any script into sentences and phrases."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from gossamer.steps.text.backslashes import whole_escape
from gossamer.steps.tokens.count import DOUBT, SpanCounter, count, cut

# The first sign decides, so that all other text is passed over at once. A run of signs is entered at its first
# character only, so that a megabyte of full stops is read once.
_END = re.compile(
    r"""
    [.!?…。！？｡؟۔।॥။።։។៕\n]
    (?: (?<=[.!?…])(?<![.!?…]{2})[.!?…]*[\"')\]}”’»*_]*\s+                  # signs that need a space to end a sentence
      | (?<=[。！？｡])(?<![。！？｡]{2})[。！？｡]*[\"'」』）】〉》”’*_]*\s*     # signs of scripts without spaces
      | (?<=[؟۔।॥။።։។៕])[؟۔।॥။።։។៕]*\s*
      | (?:(?<=[ ]{2}\n)|(?<=\\\n))\s*                                    # a line break the writer asked for
    )
    """,
    re.VERBOSE,
)
_ENDED = re.compile(r"""[.!?…。！？｡؟۔।॥။።։។៕][\"')\]}”’»」』）】〉》*_]*\Z""")
_ABBREVIATION = re.compile(
    r"\b(?:[^\W\d_]|mr|mrs|ms|dr|prof|rev|gen|col|capt|st|mt|jr|sr|vs|cf|al|approx|ca|e\.g|i\.e|fig|figs|eq|no|nos"
    r"|vol|ed|eds|pp|inc|ltd|co|corp|dept|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|bzw|z\.b|nr|sra|dra)\.$",
    re.IGNORECASE,
)
_ABBREVIATION_CHARS = 8
_PHRASED_SCRIPTS = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
"""Thai, Lao, Burmese and Khmer: blanks stand between phrases, not between words, and often no sign ends a sentence."""
_PHRASE_CHARS = 110
"""About what a sentence has in these scripts; anything from 100 to 120 serves alike."""
_BLANK = re.compile(rf"(?<={_PHRASED_SCRIPTS})\s+|(?<!\s)\s+(?={_PHRASED_SCRIPTS})")
_CLOSING = frozenset(")]}”’»」』）】〉》")
"""What ends something that began before: nothing to begin with."""

_CHARS_PER_TOKEN = 16  # more than any text but long runs of one sign
_MOST_CHARS_PER_TOKEN = 64  # more than even a gap has
_TITLE_CHARS = 200
_NO_BEGINNING = _CLOSING | frozenset(".,;:!?…。，、")
_PHRASED = re.compile(_PHRASED_SCRIPTS)
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
_SHIFT = 3
"""By how many columns the end of code may be indented more than its beginning."""
Kind = Literal["heading", "fence", "table", "item", "text"]


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of `text[start:end]`; they hold all of it but the space between them.

    A stop ends a sentence only before a space and something other than a small letter or a closing sign, and not
    after an initial or a common abbreviation. The signs of Chinese, Japanese, Arabic, Hindi and others need no space.
    """
    stop = len(text) if end is None else end
    begin = start
    for match in _END.finditer(text, start, stop):
        if match.end() < stop and _is_end(text, match):
            yield from _trimmed(text, begin, match.end())
            begin = match.end()
    yield from _trimmed(text, begin, stop)


def is_ended(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return _ENDED.search(text, max(0, len(text) - _ABBREVIATION_CHARS)) is not None


def phrases(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentences, and where a script marks no ends, of phrases of about as much."""
    for first, stop in sentences(text, start, end):
        begin = first
        for blank in _BLANK.finditer(text, first, stop - _PHRASE_CHARS // 2):
            if blank.start() - begin >= _PHRASE_CHARS:
                yield begin, blank.start()
                begin = blank.end()
        yield begin, stop


def _is_end(text: str, match: re.Match[str]) -> bool:
    if text[match.end()] in _CLOSING:
        return False
    if text[match.start()] not in ".!?…":
        return True
    if text[match.end()].islower():
        return False
    sign = match.start() + 1
    first = max(0, sign - _ABBREVIATION_CHARS)
    is_long = sign - first == _ABBREVIATION_CHARS and text[first : sign - 1].isalpha()
    return is_long or not text[sign].isspace() or not _ABBREVIATION.search(text, first, sign)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


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
        if start + stop < end:
            stop = whole_escape(window, 0, stop)
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
    deepest = len(text)
    for line in _LINE.finditer(text):
        content = line[0].rstrip()
        if not content:
            continue
        start, end = line.start(), line.start() + len(content)
        if fence:
            is_end = content.lstrip().startswith(fence) and not content.strip(fence[0] + " \t")
            if is_end and _indent(content) <= deepest:
                fence, kind = "", None
            yield "fence", begins_inside, start, end, fence
            begins_inside = False
            continue
        before = kind if start - last <= 1 else None
        opening = _OPENING.match(text, start, end)
        if opening:
            kind = cast("Kind", opening.lastgroup)
            fence = opening["fence"] or ""
            deepest = _indent(content) + _SHIFT
        else:
            kind = "item" if before == "item" else "text"
        begins = kind != before or kind in {"heading", "fence"} or (kind == "item" and opening is not None)
        yield kind, begins, start, end, fence
        last = line.end()


def _indent(line: str) -> int:
    """The columns before the first sign of a line."""
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())
