"""Page -> chunks for ranking, by its headings: heading tree, blocks, sentences, then neighbours packed together."""

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import Literal, NamedTuple, cast

from gossamer.model.page import Chunk
from gossamer.steps.coarse import Coarse, coarse
from gossamer.steps.sentences import sentences
from gossamer.steps.tokens import count, cut, roughly

MAX_CHUNKS = 4_000
"""A longer page gets larger chunks instead of more."""

_CHARS_PER_TOKEN = 16  # more than any text but long runs of one sign
_MOST_CHARS_PER_TOKEN = 64  # more than even a gap has
_CHARS_AT_LEAST = 4
_MOST_TOKENS_PER_CHAR = 4
_SAMPLES = 64
_SAMPLE_CHARS = 64
_TITLE_CHARS = 200
_LINE = re.compile(r"[^\n]+")
_OPENING = re.compile(
    r"""
      (?P<heading>[ ]{0,3}\#{1,6}+)(?=\s|$)
    | [ \t]*+(?: (?P<fence>`{3,}+(?=[^`]*$)|~{3,}+)
               | (?P<table>\|)
               | (?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]++(?=\S)) )
    """,
    re.VERBOSE,
)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")

Section = tuple[str, ...]
Kind = Literal["heading", "fence", "table", "item", "text"]


class _Block(NamedTuple):
    kind: Kind
    start: int
    end: int


class _Span(NamedTuple):
    start: int
    end: int
    tokens: int
    section: Section


class _Unit(NamedTuple):
    """What is packed but never split: a sentence, a heading, a whole table or a line of a long one."""

    start: int
    end: int
    tokens: int
    section: Section
    is_heading: bool


def chunk(url: str, text: str, *, size: int = 128) -> tuple[Chunk, ...]:
    """Cut Markdown into spans of at most `size` tokens under one heading path, in page order.

    The chunks hold every character but the space between them, headings included: a heading begins the first
    chunk of its section, and one without text of its own goes with its first subsection. Code, tables and list
    items stay whole where they fit. An id names address, section and text, so a repeated text repeats its id.
    A page with too much text for `MAX_CHUNKS`, or with too many pieces, is cut by its length into larger ones.
    """
    spans: Sequence[_Span | Coarse] = ()
    if not _is_too_much(text, MAX_CHUNKS * size):
        spans = list(islice(_pack(text, _units(text, size), size), MAX_CHUNKS + 1))
    if not 0 < len(spans) <= MAX_CHUNKS:
        spans = list(coarse(text, most=MAX_CHUNKS, least_chars=_CHARS_AT_LEAST * size))
    return tuple(_chunk(url, text, span) for span in spans)


def _is_too_much(text: str, tokens: int) -> bool:
    """Whether a text surely costs more than this; by samples of it, since pricing all of it may take seconds."""
    if len(text) > tokens or len(text) * _MOST_TOKENS_PER_CHAR <= tokens:
        return len(text) > tokens
    starts = range(0, len(text), len(text) // _SAMPLES)
    price = sum(roughly(text[start : start + _SAMPLE_CHARS]) for start in starts)
    return price * len(text) > tokens * len(starts) * _SAMPLE_CHARS


def with_headings(chunk: Chunk) -> str:
    """What a chunk is judged by: its headings and its text, since a section's text seldom repeats its name."""
    return " ".join((*chunk.section, chunk.text))


def _chunk(url: str, text: str, span: "_Span | Coarse") -> Chunk:
    start, end, tokens, section = span
    body = text[start:end]
    name = f"{url}|{' > '.join(section)}|{body}".encode("utf-8", "surrogatepass")
    return Chunk(id=sha256(name).hexdigest(), section=section, start=start, end=end, text=body, tokens=tokens)


def _pack(text: str, units: Iterable[_Unit], size: int) -> Iterator[_Span]:
    """Join neighbours under one heading path while they fit."""
    now: list[_Unit] = []
    used = 0
    for unit in units:
        used += unit.tokens
        if now and size < used < 2 * size:
            # Counts are rounded up, so a joined text often costs less than the sum of its sentences.
            used = count(text[now[0].start : unit.end])
        while now and (used > size or not _is_under(unit, now[-1])):
            now = yield from _close(text, now, size)
            used = sum(each.tokens for each in (*now, unit))
        now.append(unit)
    while now:
        now = yield from _close(text, now, size)


def _is_under(unit: _Unit, last: _Unit) -> bool:
    """Whether a unit belongs with the one before: the same section, or the first below a heading."""
    depth = len(last.section)
    return unit.section == last.section or (last.is_heading and unit.section[:depth] == last.section)


def _close(text: str, now: list[_Unit], size: int) -> Generator[_Span, None, list[_Unit]]:
    """Yield the chunk of as many units as fit, and return the rest: the space between two may cost one too many."""
    fits = len(now)
    while (tokens := count(text[now[0].start : now[fits - 1].end])) > size and fits > 1:
        fits -= 1
    yield _Span(now[0].start, now[fits - 1].end, tokens, now[fits - 1].section)
    return now[fits:]


def _units(text: str, size: int) -> Iterator[_Unit]:
    path: list[tuple[int, str]] = []
    section: Section = ()
    for block in _blocks(text):
        if block.kind == "heading":
            level, title = _heading(text[block.start : block.end])
            path = [*(entry for entry in path if entry[0] < level), (level, title)]
            section = tuple(title for _, title in path if title)
        for start, end in _parts(text, block, size):
            for begin, stop, tokens in _pieces(text, start, end, size):
                yield _Unit(begin, stop, tokens, section, block.kind == "heading")


def _heading(line: str) -> tuple[int, str]:
    marked = line.lstrip()
    level = len(marked) - len(marked.lstrip("#"))
    title = _LINK.sub(r"\1", marked.strip("# \t")[: 4 * _TITLE_CHARS])
    return level, " ".join(title.replace("*", "").replace("`", "").split())[:_TITLE_CHARS].strip()


def _parts(text: str, block: _Block, size: int) -> Iterator[tuple[int, int]]:
    """A block as it is packed: sentences of prose; anything else whole where it fits, by lines where not."""
    if block.kind != "text" and _cost(text, block.start, block.end, size) <= size:
        yield block.start, block.end
    elif block.kind in {"table", "fence"}:
        for line in _LINE.finditer(text, block.start, block.end):
            if said := line[0].rstrip():
                yield line.start(), line.start() + len(said)
    else:
        yield from sentences(text, block.start, block.end)


def _pieces(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int, int]]:
    """A span with its tokens; one that is too long in pieces, cut at lines, sentences or words."""
    tokens = _cost(text, start, end, size)
    if tokens <= size:
        yield start, end, tokens
        return
    while start < end:
        window = text[start : min(end, start + size * _CHARS_PER_TOKEN)]
        stop = max(1, cut(window, size))
        if said := window[:stop].rstrip():
            yield start, start + len(said), count(said)
        start += stop


def _cost(text: str, start: int, end: int, size: int) -> int:
    """The tokens of a span; one that is too long at first sight is not counted to know."""
    return count(text[start:end]) if end - start <= size * _MOST_CHARS_PER_TOKEN else size + 1


def _blocks(text: str) -> Iterator[_Block]:
    """Headings, fenced code, tables, list items and paragraphs; only space lies between them."""
    block: _Block | None = None
    for kind, begins, start, end in _lines(text):
        if block and not begins:
            block = block._replace(end=end)
            continue
        if block:
            yield block
        block = _Block(kind, start, end)
    if block:
        yield block


def _lines(text: str) -> Iterator[tuple[Kind, bool, int, int]]:
    """Every line that says something: its kind, whether it begins a block, its span."""
    fence = ""
    kind: Kind | None = None
    last = 0
    for line in _LINE.finditer(text):
        said = line[0].rstrip()
        if not said:
            continue
        start, end = line.start(), line.start() + len(said)
        if fence:
            yield "fence", False, start, end
            if said.lstrip().startswith(fence) and not said.strip(fence[0] + " \t"):
                fence, kind = "", None
            continue
        before = kind if start - last <= 1 else None
        opening = _OPENING.match(text, start, end)
        if opening:
            kind = cast("Kind", opening.lastgroup)
            fence = opening["fence"] or ""
        else:
            kind = "item" if before == "item" else "text"
        yield (
            kind,
            kind != before or kind in {"heading", "fence"} or (kind == "item" and opening is not None),
            start,
            end,
        )
        last = line.end()
