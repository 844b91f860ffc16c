"""Chunking of huge texts: spans by length alone, where cutting finely would take too long.

Every step looks at one small window, so that a text built to be slow is as cheap as any other.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gossamer.steps.tokens.count import roughly

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


class Coarse(NamedTuple):
    """A span with its headings and about what it costs."""

    start: int
    end: int
    tokens: int
    section: tuple[str, ...]


def coarse(text: str, *, most: int, least_chars: int) -> Iterator[Coarse]:
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
            yield Coarse(begin, end, _reckoned(text, begin, end), outline.section)
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
    return stop


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the space round it."""
    said = text[start:end]
    return start + len(said) - len(said.lstrip()), start + len(said.rstrip())


def _reckoned(text: str, start: int, end: int) -> int:
    middle = max(start, (start + end - _SAMPLE) // 2)
    sample = text[middle : min(end, middle + _SAMPLE)]
    return -(-roughly(sample) * (end - start) // len(sample))
