"""What documentation tools lay out with elements that mean something else, written as what it is.

A signature is a line of code and no table; a summary in boxes is a table; a heading in the first row of a table stands
above it.
"""

import re
from collections.abc import Iterator

from gossamer.extractors.tree import Element, children, classes, drop_trees, element, words

_SIGNATURES = frozenset({"memname", "mlabels"})
_LABEL = "mlabel"
_AFTER_OPENING = re.compile(r" ?\( ")
_BEFORE_CLOSING = re.compile(r" ([),])")
_DECLARATIONS = "memberdecls"
_GRID = "summary-table"
_GRID_HEAD = "table-header"
_HEADINGS = ("h2", "h3")
_OF_TABLES = ("tbody", "tr", "td", "th")


def settle_layouts(top: Element) -> None:
    """Write signatures, summaries and headings of a manual plainly, in place."""
    signatures = [el for el in top.iter("table") if not _SIGNATURES.isdisjoint(classes(el))]
    inside = set(signatures)
    for table in signatures:
        if inside.isdisjoint(table.iterancestors("table")):
            _join_signature(table)
    for table in list(_called(top, "table", _DECLARATIONS)):
        _lift_heading(table)
    for grid in list(_called(top, "div", _GRID)):
        _make_table(grid)


def _called(top: Element, tag: str, name: str) -> Iterator[Element]:
    return (el for el in top.iter(tag) if name in classes(el))


def _join_signature(table: Element) -> None:
    """Doxygen gives each parameter cells of its own, and what it says of the whole stands round them in more."""
    labels = [el for el in table.iter("span") if _LABEL in classes(el)]
    said = "".join(f" [{words(el)}]" for el in labels)
    drop_trees(table, labels)
    for part in table.iter(*_OF_TABLES):
        part.text = f" {part.text or ''}"
    line = _AFTER_OPENING.sub("(", words(table))
    drop_trees(table, list(table))
    table.attrib.clear()
    table.tag, table.text = "pre", _BEFORE_CLOSING.sub(r"\1", line) + said


def _lift_heading(table: Element) -> None:
    """Doxygen begins a table of declarations with a heading of what is declared."""
    row = next(table.iter("tr"), None)
    heading = next(row.iter(*_HEADINGS), None) if row is not None else None
    if row is None or heading is None or words(heading) != words(row):
        return
    heading.tail = ""
    rest = element("table")
    for child in [heading, *table]:
        (table if child is heading else rest).append(child)
    drop_trees(rest, [row])
    table.append(rest)
    table.tag = "div"


def _make_table(grid: Element) -> None:
    """Javadoc writes the cells of a summary one after the other, those of its head first."""
    cells = list(children(grid))
    width = sum(1 for cell in cells if _GRID_HEAD in classes(cell))
    if not width or len(cells) % width or any(cell.tag != "div" for cell in cells):
        return
    for start in range(0, len(cells), width):
        row = element("tr")
        for cell in cells[start : start + width]:
            cell.tag, cell.tail = ("th" if _GRID_HEAD in classes(cell) else "td"), ""
            row.append(cell)
        grid.append(row)
    grid.tag = "table"
