"""Chunking: a page becomes chunks for ranking, along its headings; the units of one section are packed together.

A huge page is cut by length alone, where cutting finely would take too long. Every step of that looks at one small
window, so that a text built to be slow is as cheap as any other.
"""

import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

from gossamer.model.page import Chunk
from gossamer.steps.text.backslashes import whole_escape
from gossamer.steps.text.segmentation import Section, Unit, units
from gossamer.steps.tokens.count import SpanCounter, roughly

_ENDS = (
    re.compile(r"\n(?=[ ]{0,3}#{1,6}[ \t])"),
    re.compile(r"\n[ \t]*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?…][\"')\]]*\s|[。！？｡؟۔।॥]"),
    re.compile(r"\s"),
)
"""Where a span may end, best first: before a heading, at a paragraph, a line, a sentence, a word."""
_SAMPLE = 96
"""Characters that stand for their span: a text without a pattern has no two samples alike, and each is priced anew."""
_MOST_MARKS = 64
"""Headings and fences looked at in one span; more of them say nothing."""
_TITLE_CHARS = 200
_MARK = re.compile(
    r"^(?:(?P<heading>[ ]{0,3}\#{1,6})[ \t](?P<title>[^\n]*)"
    r"|[ \t]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<rest>[^\n]*))",
    re.MULTILINE,
)
MAX_CHUNKS = 4_000
"""A longer page gets larger chunks instead of more."""

_CHARS_AT_LEAST = 4
_MOST_TOKENS_PER_CHAR = 4
_SAMPLES = 64
_SAMPLE_CHARS = 64


class HugeSpan(NamedTuple):
    """A span with its headings and about what it costs."""

    start: int
    end: int
    tokens: int
    section: tuple[str, ...]


def chunk_huge(text: str, *, most: int, least_chars: int) -> Iterator[HugeSpan]:
    """Cut a text into at most `most` spans of at least `least_chars` characters or so, under their headings.

    A span ends in its last quarter, at the best place there is. Its tokens are reckoned from a part of it.
    """
    width = max(least_chars, 4 * len(text) // (3 * max(1, most - 1)) + 1)
    outline = _Outline()
    start = 0
    while start < len(text):
        stop = _stop(text, start, start + width)
        begin, end = _trimmed(text, start, stop)
        if begin < end:
            marks = [*deque(_MARK.finditer(text, start, stop), maxlen=_MOST_MARKS)]
            opening = sum(mark.start() <= begin for mark in marks)
            outline.meet(marks[:opening])
            yield HugeSpan(begin, end, _reckoned(text, begin, end), outline.section)
            outline.meet(marks[opening:])
        start = stop


class _Outline:
    """The headings above a place, and whether it lies in code."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self._fence = ""
        self.section: tuple[str, ...] = ()

    def meet(self, marks: Sequence[re.Match[str]]) -> None:
        """Go past lines that are headings or fences."""
        for mark in marks:
            fence = mark["fence"] or ""
            if self._fence:
                if fence.startswith(self._fence) and not mark["rest"].strip():
                    self._fence = ""
            elif fence:
                self._fence = fence
            else:
                self._go_below(mark["heading"].count("#"), mark["title"][: 4 * _TITLE_CHARS])

    def _go_below(self, level: int, line: str) -> None:
        title = " ".join(line.strip("# \t").replace("*", "").replace("`", "").split())[:_TITLE_CHARS].strip()
        self._path = [*(entry for entry in self._path if entry[0] < level), (level, title)]
        self.section = tuple(title for _, title in self._path if title)


def _stop(text: str, start: int, stop: int) -> int:
    if stop >= len(text):
        return len(text)
    early = stop - (stop - start) // 4
    for end in _ENDS:
        places = [match.end() for match in end.finditer(text, early, stop)]
        if places:
            return places[-1]
    return whole_escape(text, start, stop)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the space round it."""
    span = text[start:end]
    return start + len(span) - len(span.lstrip()), start + len(span.rstrip())


def _reckoned(text: str, start: int, end: int) -> int:
    middle = max(start, (start + end - _SAMPLE) // 2)
    sample = text[middle : min(end, middle + _SAMPLE)]
    return -(-roughly(sample) * (end - start) // len(sample))


class _Span(NamedTuple):
    start: int
    end: int
    tokens: int
    section: Section


def chunk(url: str, text: str, *, size: int = 128) -> tuple[Chunk, ...]:
    """Cut Markdown into spans of at most `size` tokens under one heading path, in page order.

    The chunks hold every character but the space between them, headings included: a heading begins the first
    chunk of its section, and one without text of its own goes with its first subsection. Code, tables and list
    items stay whole where they fit. An id names address, section and text, so a repeated text repeats its id.
    A page with too much text for `MAX_CHUNKS`, or with too many pieces, is cut by its length into larger ones.
    """
    spans: Sequence[_Span | HugeSpan] = ()
    if not _is_too_much(text, MAX_CHUNKS * size):
        meter = SpanCounter(text)
        spans = list(islice(_pack(units(text, size, meter), size, meter), MAX_CHUNKS + 1))
    if not 0 < len(spans) <= MAX_CHUNKS:
        spans = list(chunk_huge(text, most=MAX_CHUNKS, least_chars=_CHARS_AT_LEAST * size))
    return tuple(_chunk(url, text, span) for span in spans)


def _is_too_much(text: str, tokens: int) -> bool:
    """Whether a text surely costs more than this; by samples of it, since pricing all of it may take seconds."""
    if len(text) > tokens or len(text) * _MOST_TOKENS_PER_CHAR <= tokens:
        return len(text) > tokens
    starts = range(0, len(text), len(text) // _SAMPLES)
    price = sum(roughly(text[start : start + _SAMPLE_CHARS]) for start in starts)
    return price * len(text) > tokens * len(starts) * _SAMPLE_CHARS


def suits(chunks: Sequence[Chunk], size: int) -> bool:
    """Whether chunks are as small as `size` asks; those of a page that is too long for that never are."""
    return all(each.tokens <= size for each in chunks)


def with_headings(chunk: Chunk) -> str:
    """What a chunk is judged by: its headings and its text, since a section's text seldom repeats its name."""
    return " ".join((*chunk.section, chunk.text))


def _chunk(url: str, text: str, span: "_Span | HugeSpan") -> Chunk:
    start, end, tokens, section = span
    body = text[start:end]
    name = f"{url}|{' > '.join(section)}|{body}".encode("utf-8", "surrogatepass")
    return Chunk(id=sha256(name).hexdigest(), section=section, start=start, end=end, text=body, tokens=tokens)


def _pack(units: Iterable[Unit], size: int, meter: SpanCounter) -> Iterator[_Span]:
    """Join neighbours under one heading path while they fit."""
    now: list[Unit] = []
    used = 0
    for unit in units:
        used += unit.tokens
        if now and size < used < 2 * size:
            # Counts are rounded up, so a joined text often costs less than the sum of its sentences.
            used = meter.roughly(now[0].start, unit.end)
        while now and (used > size or not _is_under(unit, now[-1])):
            now = yield from _close(now, size, meter)
            used = sum(each.tokens for each in (*now, unit))
        now.append(unit)
    while now:
        now = yield from _close(now, size, meter)


def _is_under(unit: Unit, last: Unit) -> bool:
    """Whether a unit belongs with the one before: the same section, or the first below a heading."""
    depth = len(last.section)
    return unit.section == last.section or (last.is_heading and unit.section[:depth] == last.section)


def _close(now: list[Unit], size: int, meter: SpanCounter) -> Generator[_Span, None, list[Unit]]:
    """Yield the chunk of as many units as fit, and return the rest: the space between two may cost one too many."""
    fits = len(now)
    while (tokens := meter.count(now[0].start, now[fits - 1].end)) > size and fits > 1:
        fits -= 1
    yield _Span(now[0].start, now[fits - 1].end, tokens, now[fits - 1].section)
    return now[fits:]
