"""Collapsed table columns: their cells are not shown, though nothing is said of the cells."""

from collections.abc import Iterator

from gossamer.extractors.html.tree import Element, attr, children
from gossamer.extractors.html.visibility.css.cascade import Cascade
from gossamer.extractors.html.visibility.css.syntax import too_complex

_COLUMNS = ("col", "colgroup")
_CELLS = frozenset({"td", "th"})
_PARTS = frozenset({"thead", "tbody", "tfoot"})
_MOST = 1_000
"""As many columns, or rows, a cell or a column spans at most, in browsers too."""
_MOST_STEPS = 5_000_000


def collapsed_cells(root: Element, cascade: Cascade) -> Iterator[Element]:
    """The cells that stand in collapsed columns alone; one that reaches beyond them is shown in part, and stays."""
    collapsed_columns = [
        el for el in root.iter(*_COLUMNS) if el in cascade.styled and _visibility(el, cascade) == "collapse"
    ]
    for table in dict.fromkeys(next(el.iterancestors("table"), None) for el in collapsed_columns):
        if table is not None and (collapsed := _collapsed(table, cascade)):
            yield from _within(table, collapsed)


def _collapsed(table: Element, cascade: Cascade) -> set[int]:
    """The numbers of the columns that are collapsed."""
    columns: set[int] = set()
    at = 0
    for el in children(table):
        if el.tag not in _COLUMNS:
            continue
        group_visibility = _visibility(el, cascade)
        parts = [child for child in children(el) if child.tag == "col"] or [el]
        for part in parts:
            span = _span(part, "span")
            if (_visibility(part, cascade) or group_visibility) == "collapse":
                columns.update(range(at, min(at + span, _MOST)))
            at += span
    return columns


def _within(table: Element, collapsed: set[int]) -> Iterator[Element]:
    last, looked = max(collapsed), 0
    for rows in _groups(table):
        held: dict[int, int] = {}
        """The first row that each column is free again in, below a cell that spans several."""
        for number, row in enumerate(rows):
            at = 0
            for cell in children(row):
                while held.get(at, 0) > number:
                    at += 1
                    looked += 1
                if cell.tag not in _CELLS or at > last:
                    continue
                if looked > _MOST_STEPS:
                    raise too_complex()
                columns = range(at, min(at + _span(cell, "colspan"), _MOST))
                shown = sum(column not in collapsed for column in columns)
                looked += len(columns)
                if not shown:
                    yield cell
                elif shown < len(columns):
                    cell.set("colspan", str(shown))
                if (down := _span(cell, "rowspan")) > 1:
                    held.update(dict.fromkeys(columns, number + down))
                at = columns.stop


def _groups(table: Element) -> Iterator[list[Element]]:
    """The rows of a table, by the parts of it that cells do not reach across."""
    loose = [child for child in children(table) if child.tag == "tr"]
    if loose:
        yield loose
    for part in children(table):
        if part.tag in _PARTS:
            yield [row for row in children(part) if row.tag == "tr"]


def _visibility(el: Element, cascade: Cascade) -> str:
    return cascade.of(el).get("visibility", "") if el in cascade.styled else ""


def _span(el: Element, name: str) -> int:
    value = attr(el, name).strip()
    return min(max(int(value), 1), _MOST) if value.isdecimal() and len(value) < len(str(_MOST)) + 2 else 1
