"""The reading order of a page's lines: the file's own where it goes down the page, else by place."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from gossamer.extractors.pdf.columns import PROSE_CHARS, by_place, is_prose, parted
from gossamer.extractors.pdf.lines import Line, is_same_row

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


def ordered(lines: Sequence[Line]) -> list[Line]:
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
    bands = parted([(-one.top, -one.bottom) for one in stretches], stretches)
    if len(bands) > 1:
        return [line for band in bands for line in _placed(band, is_leftward=is_leftward)]
    columns = parted([(one.left, one.right) for one in stretches], stretches)
    if len(columns) > 1:
        columns = columns[::-1] if is_leftward else columns
        return [line for column in columns for line in _placed(column, is_leftward=is_leftward)]
    lines = [line for one in sorted(stretches) for line in one.lines]
    if len(stretches) > 1 and all(is_prose(one.lines) for one in stretches):
        return by_place(lines, is_leftward=is_leftward)
    return lines
