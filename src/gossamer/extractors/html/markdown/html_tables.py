"""HTML tables: which of them hold data, and their cells as a grid in which every span is filled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gossamer.extractors.html.tree import Element, attr, words

MAX_COLUMNS = 500
MAX_FILLED = 20_000
"""How many cells of a table may come from spans: a page can ask for a billion of them."""

_REPEATED_CHARS = 100
"""A text this short is said again in every row that it spans, so that each can be read by itself."""
_REPEATED_ACROSS = 30
"""The same across columns for cells that do not name them: longer texts side by side say the same in one line."""
_LONG_CELL = 500
_HUGE_CELL = 5_000
_MOSTLY = 0.5
_LISTING_LINES = 10
"""Code of more lines is to be read as a whole, and not in a cell."""
_PARTS = frozenset({"thead", "tbody", "tfoot", "form"})
_NO_ROWS = frozenset({"caption", "colgroup", "col", "script", "style"})
_CELLS = frozenset({"td", "th"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


@dataclass(slots=True)
class _Facts:
    """What tells a table of data from one that arranges a page."""

    table: Element
    outer: "_Facts | None"
    rows: int = 0
    width: int = 0
    cells: int = 0
    in_row: int = 0
    chars: int = 0
    nested_chars: int = 0
    cell_chars: int = 0
    longest: int = 0
    heading_chars: int = -1
    has_headers: bool = False
    has_parts: bool = False
    """Whether a cell holds what no cell can: a heading over text, or a table with code of several lines."""
    listing_lines: int = 0
    """How many lines the longest code has, 0 where none has several."""
    listing_chars: int = 0

    def open_cell(self, *, is_header: bool) -> None:
        self.cells += 1
        self.in_row += 1
        self.width = max(self.width, self.in_row)
        self.has_headers |= is_header
        self.cell_chars, self.heading_chars = 0, -1

    def close_cell(self) -> None:
        self.longest = max(self.longest, self.cell_chars)
        if 0 <= self.heading_chars < self.cell_chars:
            self.has_parts = True

    def arranges(self) -> bool:
        """Whether the table only puts parts of the page beside one another."""
        return (
            attr(self.table, "role").lower() in {"presentation", "none"}
            or self.width <= 1
            or self.has_parts
            or (self.listing_lines > 0 and not self._can_hold_code())
            or self.nested_chars > _MOSTLY * (self.chars + self.nested_chars)
            or self.longest > _HUGE_CELL
            or (self.rows <= 2 and not self.has_headers and self.longest > _LONG_CELL)
        )

    def _can_hold_code(self) -> bool:
        """Whether there are rows to keep together, in which code is the smaller part."""
        is_small = self.listing_lines <= _LISTING_LINES and self.listing_chars <= _MOSTLY * self.chars
        is_even = self.cells == self.rows * self.width and self.longest <= _LONG_CELL
        return is_small and self.rows > 2 and (self.has_headers or is_even)


def unfold(top: Element) -> None:
    """Make boxes of tables that only arrange the page; one inside a table of data stays, for its cell to show."""
    if next(top.iter("table"), None) is None:
        return
    tables: list[_Facts] = []
    open_: _Facts | None = None
    stack: list[tuple[Element, bool]] = [(top, False)]
    while stack:
        el, is_end = stack.pop()
        if is_end:
            open_ = _leave(el, open_)
        else:
            if el.tag == "table":
                open_ = _Facts(el, open_)
                tables.append(open_)
            elif open_:
                _enter(el, open_)
            if open_ and el.text and el.tag != "table":
                _count(open_, el.text)
            stack.append((el, True))
            stack.extend((child, False) for child in reversed(list(el)))
            continue
        if open_ and el.tail:
            _count(open_, el.tail)
    for facts in tables:
        if facts.arranges():
            _to_boxes(facts.table)


def _enter(el: Element, facts: _Facts) -> None:
    if el.tag == "tr":
        facts.rows += 1
        facts.in_row = 0
    elif el.tag in _CELLS:
        facts.open_cell(is_header=el.tag == "th")
    elif el.tag in _HEADINGS and facts.heading_chars < 0:
        facts.heading_chars = facts.cell_chars + len("".join(el.itertext()).strip())
    elif el.tag == "pre" and "\n" in (text := "".join(el.itertext()).strip()):
        facts.listing_lines = max(facts.listing_lines, text.count("\n") + 1)
        facts.listing_chars += len(text)


def _leave(el: Element, facts: _Facts | None) -> _Facts | None:
    if facts and el is facts.table:
        if facts.outer:
            facts.outer.nested_chars += facts.chars + facts.nested_chars
            facts.outer.has_parts |= facts.has_parts or facts.listing_lines > 0
        return facts.outer
    if facts and el.tag in _CELLS:
        facts.close_cell()
    return facts


def _count(facts: _Facts, text: str) -> None:
    chars = len(text.strip())
    facts.chars += chars
    facts.cell_chars += chars


def _to_boxes(table: Element) -> None:
    for row in list(_own_rows(table)):
        for el in row:
            if el.tag in _CELLS:
                el.tag = "div"
        parent = row[0].getparent() if row else None
        if parent is not None and parent.tag == "tr":
            parent.tag = "div"
    for el in list(table):
        if el.tag in _PARTS or el.tag in {"tr", "caption"}:
            el.tag = "div"
    table.tag = "div"


def _own_rows(table: Element) -> Iterator[list[Element]]:
    """The rows of a table, not of those inside it; what stands between rows is a row of its own."""
    stack = list(reversed(list(table)))
    loose: list[Element] = []
    while stack:
        el = stack.pop()
        if el.tag in _CELLS:
            loose.append(el)
            continue
        if loose:
            yield loose
            loose = []
        if el.tag in _PARTS:
            stack.extend(reversed(list(el)))
        elif el.tag == "tr":
            yield [cell for cell in el if cell.tag not in _NO_ROWS]
        elif el.tag not in _NO_ROWS:
            yield [el]
    if loose:
        yield loose


def strays(table: Element) -> str:
    """Text that stands between the cells of a table; browsers show it before the table."""
    texts = [table.text or ""]
    stack = list(reversed(list(table)))
    while stack:
        el = stack.pop()
        if el.tag in _PARTS or el.tag == "tr":
            texts.append(el.text or "")
            stack.extend(reversed(list(el)))
        texts.append(el.tail or "")
    return " ".join(texts)


@dataclass(slots=True)
class Grid:
    """The texts of a table's cells by row and column."""

    rows: list[list[str]] = field(default_factory=list[list[str]])
    has_header: bool = False
    _free: int = MAX_FILLED

    @classmethod
    def of(cls, table: Element, text_of: Callable[[Element], str]) -> "Grid":
        """Read a table: spans are filled, rows and columns without any text left out."""
        grid = cls()
        held: dict[int, tuple[int, str]] = {}
        for at, cells in enumerate(_own_rows(table)):
            if at == 0:
                grid.has_header = _is_header(cells)
            grid._add(cells, held, text_of)
        if grid.rows and not any(grid.rows[0]):
            grid.has_header = False
        grid._squeeze()
        return grid

    def _add(
        self, cells: Sequence[Element], held: dict[int, tuple[int, str]], text_of: Callable[[Element], str]
    ) -> None:
        """Add a row; `held` are the texts that reach down into it from rows above, by column."""
        row: list[str] = []
        for at, cell in enumerate(cells):
            self._take_held(row, held)
            if len(row) >= MAX_COLUMNS:
                row[-1] = f"{row[-1]} (and {len(cells) - at:,} more cells)".strip()
                break
            text = text_of(cell)
            wide = min(_span(cell, "colspan"), MAX_COLUMNS - len(row), 1 + self._free)
            down = _span(cell, "rowspan") - 1
            again = text if 1 < wide < MAX_COLUMNS and len(cells) > 1 and _is_short(cell, text) else ""
            self._free -= wide - 1
            for nth in range(wide):
                if down:
                    held[len(row)] = (down, again if nth else text if len(text) <= _REPEATED_CHARS else "")
                row.append(again if nth else text)
        self._take_held(row, held)
        self.rows.append(row)

    def _take_held(self, row: list[str], held: dict[int, tuple[int, str]]) -> None:
        while len(row) in held and self._free > 0:
            left, text = held.pop(len(row))
            if left > 1:
                held[len(row)] = (left - 1, text)
            row.append(text)
            self._free -= 1

    def _squeeze(self) -> None:
        """Leave out rows and columns without text."""
        self.rows = [row for row in self.rows if any(row)]
        used = {at for row in self.rows for at, text in enumerate(row) if text}
        width = max(used, default=-1) + 1
        if len(used) < width:
            self.rows = [[text for at, text in enumerate(row) if at in used] for row in self.rows]
        for row in self.rows:
            while row and not row[-1]:
                row.pop()

    def markdown(self) -> list[str]:
        """The lines of the table; without a header of its own it gets an empty one, as Markdown knows no other."""
        width = max(map(len, self.rows), default=0)
        if not width:
            return []
        head, body = (self.rows[0], self.rows[1:]) if self.has_header else ([], self.rows)
        head = [*head, *[""] * (width - len(head))]
        return [_line(head), f"|{' --- |' * width}", *map(_line, body)]

    def plain(self) -> list[str]:
        """The rows, cells set apart by tabs."""
        return ["\t".join(row) for row in self.rows]


def _line(row: Sequence[str]) -> str:
    inside = " | ".join(text.replace("|", "\\|") for text in row)
    return f"| {inside} |"


def _is_short(cell: Element, text: str) -> bool:
    """Whether a cell's text may stand in every column that it spans."""
    return len(text) <= _REPEATED_CHARS and (cell.tag == "th" or len(words(cell)) <= _REPEATED_ACROSS)


def _is_header(cells: Sequence[Element]) -> bool:
    parent = cells[0].getparent() if cells else None
    outer = parent.getparent() if parent is not None else None
    return (outer is not None and outer.tag == "thead") or (bool(cells) and all(cell.tag == "th" for cell in cells))


def _span(cell: Element, name: str) -> int:
    value = attr(cell, name)
    return max(1, int(value)) if value.isascii() and value.isdigit() and len(value) <= 5 else 1
