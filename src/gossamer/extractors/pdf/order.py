"""The reading order of a page's lines: the file's own where it makes sense, else columns found by their gutters."""

import itertools
from collections.abc import Sequence

from gossamer.extractors.pdf.lines import Line

_MAX_LINES = 1_500
"""A page with more is a drawing or a trap; it keeps the order of its file."""
_MAX_DEPTH = 12
_PROSE_CHARS = 20
_LEAST_ROWS = 6


def ordered(lines: Sequence[Line]) -> list[Line]:
    """Lines in the order in which a person reads them.

    Most programs write a page in that order, and know better than its geometry where columns and boxes end. It is
    given up when the file jumps about on the page, or goes across two columns of prose line by line.
    """
    if len(lines) > _MAX_LINES or not (_jumps(lines) or _is_interleaved(lines)):
        return list(lines)
    return _cut(list(lines), 0)


def is_same_row(one: Line, other: Line) -> bool:
    """Whether two stretches stand beside one another."""
    return abs((one.top + one.bottom) - (other.top + other.bottom)) < min(one.size, other.size)


def _jumps(lines: Sequence[Line]) -> bool:
    """Whether the file goes up again, and not to a next column, more often than headers and footers explain."""
    ups = sum(next_.bottom > line.top and next_.left < line.right for line, next_ in itertools.pairwise(lines))
    return ups > max(2, len(lines) // 10)


def _is_interleaved(lines: Sequence[Line]) -> bool:
    """Whether many rows hold two long stretches with one gutter between all of them."""
    pairs = [
        (line, next_)
        for line, next_ in itertools.pairwise(lines)
        if is_same_row(line, next_) and next_.left > line.right and min(len(line.text), len(next_.text)) >= _PROSE_CHARS
    ]
    if len(pairs) < _LEAST_ROWS or 2 * len(pairs) < 0.4 * len(lines):
        return False
    starts = sorted(next_.left for _, next_ in pairs)
    usual = starts[len(starts) // 2]
    return sum(abs(start - usual) < pairs[0][0].size for start in starts) > 0.8 * len(starts)


def _cut(lines: list[Line], depth: int) -> list[Line]:
    """Part lines into columns or bands again and again; what cannot be parted is read from the top."""
    if len(lines) > 1 and depth < _MAX_DEPTH:
        sizes = sorted(line.size for line in lines)
        usual = max(sizes[len(sizes) // 2], 1.0)
        columns = _parted([(line.left, line.right) for line in lines], lines, 0.7 * usual)
        if len(columns) > 1 and sum(len(column) >= 2 for column in columns) > 1:
            return [line for column in columns for line in _cut(column, depth + 1)]
        bands = _parted([(-line.top, -line.bottom) for line in lines], lines, 0.6 * usual)
        if len(bands) > 1:
            return [line for band in bands for line in _cut(band, depth + 1)]
    return _rows(lines)


def _parted(spans: list[tuple[float, float]], lines: list[Line], gap: float) -> list[list[Line]]:
    """The lines in groups between which nothing lies for at least `gap`."""
    groups: list[list[Line]] = []
    end = float("-inf")
    for (low, high), line in sorted(zip(spans, lines, strict=True), key=lambda pair: pair[0]):
        if not groups or low > end + gap:
            groups.append([])
        groups[-1].append(line)
        end = max(end, high)
    return groups


def _rows(lines: list[Line]) -> list[Line]:
    """From the top, and within a row from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: -(one.top + one.bottom)):
        if rows and is_same_row(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda one: one.left)]
