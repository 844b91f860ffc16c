"""Heads and feet that run through a document: told from the first and last rows of a table that runs on."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from gossamer.extractors.pdf.lines import Line, is_same_row

_NUMBERS = (
    re.compile(r"^\W*(\d{1,5}|[ivxlc]{1,7})\b"),
    re.compile(r"\b(\d{1,5}|[ivxlc]{1,7})\W*$"),
    re.compile(r"(?<=page )(\d{1,5})"),
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_LEAST_PAGES = 3
_CHAPTER_PAGES = 5
_NEARLY_ALL = 0.8
_FOOT = 0.1
"""The share of a page's height."""
_EDGE_LINES = 3
_MAX_EDGE_LINES = 60
"""So many lines stand beside one another at most; more are no head and no foot."""


def without_running(pages: Sequence[Sequence[Line]], *, below: float) -> list[list[Line]]:
    """The pages without what most of them have at the top or the bottom.

    A line counts as the same when its words are, and its number goes up by one with every page. It goes only where all
    that stands beside it is repeated too: otherwise it is a row. Letters of size `below` or larger may be the title of
    a slide; they go at the foot of the pages, or where nearly all of many pages have them.
    """
    seen = Counter[str]()
    for number, page in enumerate(pages):
        seen.update({name for line in _edges(page) for name in _names(line, number)})
    least = max(_LEAST_PAGES, min(_CHAPTER_PAGES, len(pages) // 3))
    repeated = {name for name, count in seen.items() if count >= least}
    constant = {name for name in repeated if seen[name] >= max(_CHAPTER_PAGES, _NEARLY_ALL * len(pages))}
    foot = _foot(pages)

    def runs(line: Line, number: int) -> bool:
        known = repeated if line.size < below or line.top < foot else constant
        return not known.isdisjoint(_names(line, number))

    return [_rest(page, [line for line in _edges(page) if runs(line, number)]) for number, page in enumerate(pages)]


def _foot(pages: Sequence[Sequence[Line]]) -> float:
    """Below which height the feet of pages are."""
    heights = [edge for page in pages for line in page for edge in (line.bottom, line.top)]
    return min(heights) + _FOOT * (max(heights) - min(heights)) if heights else 0.0


def _rest(page: Sequence[Line], running: list[Line]) -> list[Line]:
    ids = {id(line) for line in running}
    others = [line for line in _edges(page) if id(line) not in ids]
    gone = {id(line) for line in running if not any(is_same_row(line, other) for other in others)}
    return [line for line in page if id(line) not in gone] or list(page)


def _edges(lines: Sequence[Line]) -> list[Line]:
    """The lines at the top and the bottom of a page, each of them with all that stands beside it."""
    by_place = sorted(lines, key=lambda line: -line.top)
    if len(by_place) <= 2 * _EDGE_LINES:
        return by_place
    top, bottom = by_place[_EDGE_LINES - 1].top, by_place[-_EDGE_LINES].top
    edges = [line for line in by_place if line.top >= top or line.top <= bottom]
    return edges if len(edges) <= _MAX_EDGE_LINES else []


def _names(line: Line, number: int) -> Iterator[str]:
    """What a line is called by its place and words: as it is, and by how far its number is from that of its page."""
    place, text = round(line.top / 4), line.text[:200].lower()
    yield f"{place}:{text[:80]}"
    for pattern in _NUMBERS:
        if found := pattern.search(text):
            rest = f"{text[: found.start(1)]}#{text[found.end(1) :]}"
            yield f"{place}:{_value(found[1]) - number}:{rest[:80]}"


def _value(number: str) -> int:
    """What a number says that is written in digits or in Roman letters."""
    if number.isdecimal():
        return int(number)
    values = [_ROMAN[letter] for letter in number]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
