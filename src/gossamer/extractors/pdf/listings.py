"""Listings of a PDF page: monospaced lines that stand by themselves, with their indentation and their empty lines."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from gossamer.extractors.pdf.page_text import MAX_SPACES, Line, is_same_row

_SURE = 3
"""So many monospaced lines one below the other are a listing wherever they stand."""
_APART = 0.35
"""How many heights of a letter more than between two lines of a paragraph there is round a short listing."""
_INDENT = 1.2
_LONGEST_GAP = 40
"""So many characters apart, two stretches are still one line of code."""
_MOST_EMPTY = 3
_SAME = 0.12
_AROUND = 12

_Row = Sequence[Line]


def joined_code(lines: Sequence[Line]) -> list[Line]:
    """The same lines, where stretches of code that the file writes beside one another are one."""
    joined: list[Line] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last and last.pitch and line.pitch and is_same_row(last, line):
            column = round((line.left - last.left) / last.pitch)
            if 0 < column - len(last.text) <= _LONGEST_GAP:
                links = tuple((low + column, high + column, address) for low, high, address in line.links)
                joined[-1] = last._replace(
                    right=line.right,
                    text=f"{last.text:<{column}}{line.text}",
                    is_hyphened=line.is_hyphened,
                    links=(*last.links, *links),
                )
                continue
        joined.append(line)
    return joined


def listings(
    rows: Sequence[_Row], *, is_heading: Callable[[Line], bool], is_item: Callable[[Line], bool]
) -> Iterator[tuple[int, int]]:
    """Where listings begin and end among rows in reading order."""

    def is_code(row: _Row) -> bool:
        return len(row) == 1 and row[0].pitch > 0 and row[0].text.isascii() and not is_heading(row[0])

    open_run: tuple[int, int] | None = None
    for start, end in _runs(rows, [is_code(row) for row in rows]):
        if end - start < _SURE and not _is_apart(rows, start, end, is_item):
            continue
        if open_run and open_run[1] == start and _is_below(rows[start - 1][0], rows[start][0]):
            open_run = open_run[0], end
            continue
        if open_run:
            yield open_run
        open_run = start, end
    if open_run:
        yield open_run


def code_of(lines: Sequence[Line]) -> str:
    """The text of a listing."""
    pitch = median(line.pitch for line in lines)
    left, steps = min(line.left for line in lines), [_step(upper, line) for upper, line in pairwise(lines)]
    step = max(min(steps, default=0.0), 0.8 * lines[0].size)
    text: list[str] = []
    for down, line in zip([0.0, *steps], lines, strict=True):
        text += [""] * min(max(round(down / step) - 1, 0), _MOST_EMPTY)
        indent = min(round((line.left - left) / pitch), MAX_SPACES)
        text.append(" " * indent + line.text + ("-" if line.is_hyphened else ""))
    return "\n".join(text)


def _runs(rows: Sequence[_Row], is_code: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Stretches of code of one size without an empty line."""
    at = 0
    while at < len(rows):
        end, pitch = at + 1, rows[at][0].pitch
        if is_code[at]:
            usual = _usual_gap(rows, at)
            while (
                end < len(rows)
                and is_code[end]
                and _is_below(rows[end - 1][0], rows[end][0])
                and abs(rows[end][0].pitch - pitch) < _SAME * pitch
                and _gap(rows[end - 1], rows[end]) <= usual
            ):
                end += 1
            yield at, end
        at = end


def _is_apart(rows: Sequence[_Row], start: int, end: int, is_item: Callable[[Line], bool]) -> bool:
    """Whether text keeps away from a short listing, above it and below it: by a gap, or since it begins further left.

    A wrapped line of an item begins further right than its sign, and is none.
    """
    first, usual = rows[start][0], _usual_gap(rows, start)

    def keeps_away(other: Line, gap: float) -> bool:
        is_left = first.left - other.left > _INDENT * first.size and not is_item(other)
        return is_left or not -first.size <= gap <= usual

    above = start == 0 or keeps_away(rows[start - 1][0], _gap(rows[start - 1], rows[start]))
    return above and (end == len(rows) or keeps_away(rows[end][0], _gap(rows[end - 1], rows[end])))


def _usual_gap(rows: Sequence[_Row], at: int) -> float:
    """More than what lies between two lines of a paragraph hereabouts."""
    near = rows[max(0, at - _AROUND) : at + _AROUND]
    size = rows[at][0].size
    gaps = sorted(gap for upper, row in pairwise(near) if abs(gap := _gap(upper, row)) < size)
    return (gaps[len(gaps) // 3] if gaps else 0.0) + _APART * size


def _gap(upper: _Row, row: _Row) -> float:
    return upper[0].bottom - row[0].top


def _step(upper: Line, line: Line) -> float:
    return upper.bottom - line.bottom


def _is_below(upper: Line, line: Line) -> bool:
    return line.bottom < upper.bottom
