"""Lines of a PDF page in reading order: the file's own where it goes down the page, else by columns and gutters."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from gossamer.extractors.pdf.page_text import GUTTER, Line, is_same_row

PROSE_CHARS = 20
"""Lines of prose are longer, most cells of a table shorter."""
_MAX_DEPTH = 12
_BAND = 0.6
_BESIDE = 0.8

_Placed = TypeVar("_Placed")


class _Sides(NamedTuple):
    """The lines before a gutter, those after it, and those across it."""

    left: list[Line]
    right: list[Line]
    across: list[Line]


def by_place(lines: Sequence[Line], *, is_leftward: bool = False, depth: int = 0) -> list[Line]:
    """Part lines into columns or bands again and again; what cannot be parted is read from the top.

    What lies across two columns parts what is above it from what is below it.
    """

    def inside(part: Sequence[Line]) -> list[Line]:
        return by_place(part, is_leftward=is_leftward, depth=depth + 1)

    if len(lines) > 1 and depth < _MAX_DEPTH:
        sizes = sorted(line.size for line in lines)
        usual = max(sizes[len(sizes) // 2], 1.0)
        if sides := _sides(lines, usual):
            return [line for part in _zones(sides, is_leftward=is_leftward) for line in inside(part)]
        bands = parted([(-line.top, -line.bottom) for line in lines], lines, gap=_BAND * usual)
        if len(bands) > 1:
            return [line for band in bands for line in inside(band)]
    return _rows(lines)


def is_prose(lines: Sequence[Line]) -> bool:
    """Whether lines are as long as those of a text."""
    return sum(len(line.text) for line in lines) >= PROSE_CHARS * len(lines)


def parted(spans: Sequence[tuple[float, float]], things: Sequence[_Placed], *, gap: float = 0.0) -> list[list[_Placed]]:
    """Things in groups between whose spans nothing lies for more than `gap`."""
    groups: list[list[_Placed]] = []
    end = float("-inf")
    for (low, high), thing in sorted(zip(spans, things, strict=True), key=lambda pair: pair[0]):
        if not groups or low > end + gap:
            groups.append([])
        groups[-1].append(thing)
        end = max(end, high)
    return groups


def _sides(lines: Sequence[Line], usual: float) -> _Sides | None:
    """The lines on both sides of the best gutter: with many lines on either side, and few across."""
    lefts, rights = sorted(line.left for line in lines), sorted(line.right for line in lines)
    best, place = 0, 0.0
    for start in lefts:
        before, after = bisect_right(rights, start - GUTTER * usual), len(lines) - bisect_left(lefts, start)
        across = len(lines) - before - after
        worth = min(before, after) - across
        if min(before, after) > 1 and worth > best:
            best, place = worth, start
    if not best:
        return None
    sides = _Sides([], [], [])
    for line in lines:
        which = sides.right if line.left >= place else sides.left if line.right <= place - GUTTER * usual else None
        (sides.across if which is None else which).append(line)
    return sides if _are_columns(sides) else None


def _are_columns(sides: _Sides) -> bool:
    """Whether two sides stand beside one another, and are not the cells of rows."""
    few, many = sorted((sides.left, sides.right), key=len)
    low = max(min(line.bottom for line in side) for side in (few, many))
    high = min(max(line.top for line in side) for side in (few, many))
    if not any(low <= (line.top + line.bottom) / 2 <= high for line in few):
        return False
    if is_prose(few) and is_prose(many):
        return True
    others = sorted(many, key=_height)
    heights = [_height(line) for line in others]
    beside = 0
    for line in few:
        at = bisect_left(heights, _height(line))
        beside += any(is_same_row(line, other) for other in others[max(0, at - 1) : at + 1])
    return beside < _BESIDE * len(few)


def _height(line: Line) -> float:
    return line.top + line.bottom


def _zones(sides: _Sides, *, is_leftward: bool) -> list[list[Line]]:
    """From the top: what lies across, the columns below it, what lies across below them."""
    across = sorted(sides.across, key=_height, reverse=True)
    heights = [-_height(line) for line in across]
    zones: list[tuple[list[Line], list[Line]]] = [([], []) for _ in range(len(across) + 1)]
    for which, side in enumerate((sides.right, sides.left) if is_leftward else (sides.left, sides.right)):
        for line in side:
            zones[bisect_left(heights, -_height(line))][which].append(line)
    parts: list[list[Line]] = [[]]
    for zone, line in zip(zones, [*across, None], strict=True):
        if any(zone):
            parts += [*zone, []]
        if line is not None:
            parts[-1].append(line)
    return [part for part in parts if part]


def _rows(lines: Sequence[Line]) -> list[Line]:
    """From the top, and within a row from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=_height, reverse=True):
        if rows and is_same_row(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda part: part.left)]


_MAX_LINES = 1_500
"""A page with more is a drawing or a trap; it keeps the order of its file."""
_FEW_RISES = 2
"""Heads and feet explain so many."""
_LEAST_ROWS = 6
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


class _Stretch(NamedTuple):
    """Lines that the file writes down the page, column after column, and the box they fill."""

    at: int
    left: float
    right: float
    bottom: float
    top: float
    lines: Sequence[Line]


def reading_order(lines: Sequence[Line]) -> list[Line]:
    """Lines in the order in which a person reads them.

    Most programs write a page in that order, and know better than its geometry where columns and boxes end. Where the
    file goes up again, what it wrote until then is put where it stands. All lines are put by place when the file jumps
    about on the page, or goes across two columns of prose line by line.
    """
    if len(lines) > _MAX_LINES:
        return list(lines)
    is_leftward = 2 * sum(bool(_RIGHT_TO_LEFT.search(line.text)) for line in lines) > len(lines)
    rises = _rises(lines, is_leftward=is_leftward)
    if len(rises) > max(_FEW_RISES, len(lines) // 10) or _is_interleaved(lines):
        return by_place(lines, is_leftward=is_leftward)
    return _placed(list(_stretches(lines, rises)), is_leftward=is_leftward)


def _rises(lines: Sequence[Line], *, is_leftward: bool) -> list[int]:
    """The lines with which the file goes up again, and not to a next column."""
    return [
        at
        for at, (before, line) in enumerate(pairwise(lines), 1)
        if line.bottom > before.top and (line.right > before.left if is_leftward else line.left < before.right)
    ]


def _is_interleaved(lines: Sequence[Line]) -> bool:
    """Whether many rows hold two long stretches with one gutter between all of them."""
    pairs = [
        (line, next_)
        for line, next_ in pairwise(lines)
        if is_same_row(line, next_) and next_.left > line.right and min(len(line.text), len(next_.text)) >= PROSE_CHARS
    ]
    if len(pairs) < _LEAST_ROWS or 2 * len(pairs) < 0.4 * len(lines):
        return False
    starts = sorted(next_.left for _, next_ in pairs)
    usual = starts[len(starts) // 2]
    return sum(abs(start - usual) < pairs[0][0].size for start in starts) > 0.8 * len(starts)


def _stretches(lines: Sequence[Line], rises: list[int]) -> Iterator[_Stretch]:
    for start, end in pairwise([0, *rises, len(lines)]):
        if start < end:
            lefts, rights, bottoms, tops, *_ = zip(*lines[start:end], strict=True)
            yield _Stretch(start, min(lefts), max(rights), min(bottoms), max(tops), lines[start:end])


def _placed(stretches: list[_Stretch], *, is_leftward: bool) -> list[Line]:
    """Stretches from the top, those beside one another column by column.

    Stretches of prose that reach into one another are parted into their lines; others stay as they were written, since
    they are the labels of a drawing.
    """
    bands = parted([(-stretch.top, -stretch.bottom) for stretch in stretches], stretches)
    if len(bands) > 1:
        return [line for band in bands for line in _placed(band, is_leftward=is_leftward)]
    columns = parted([(stretch.left, stretch.right) for stretch in stretches], stretches)
    if len(columns) > 1:
        columns = columns[::-1] if is_leftward else columns
        return [line for column in columns for line in _placed(column, is_leftward=is_leftward)]
    lines = [line for stretch in sorted(stretches) for line in stretch.lines]
    if len(stretches) > 1 and all(is_prose(stretch.lines) for stretch in stretches):
        return by_place(lines, is_leftward=is_leftward)
    return lines
