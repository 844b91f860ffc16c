"""XLSX: every sheet as a table of what its cells show; hidden sheets, rows, columns and cells are not read."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

from gossamer.extractors.characters import clean_line
from gossamer.extractors.documents.cells import MAX_COLUMNS, Formats, column_of, row_of
from gossamer.extractors.documents.package import Package
from gossamer.extractors.documents.painted import unseen_styles
from gossamer.extractors.documents.properties import properties
from gossamer.extractors.documents.word import main_part
from gossamer.extractors.documents.xml import below, child, children, local, stream_xml, value, whole
from gossamer.extractors.table import MAX_COLUMNS as _WRITTEN_COLUMNS
from gossamer.extractors.table import Sheet, read_sheets
from gossamer.extractors.tree import Element
from gossamer.model.page import Extracted, View

MAX_CELLS = 300_000
"""Of all sheets together; a million would take longer than a page may."""
_MAX_SHEETS = 200
_MAX_STRINGS_CHARS = 24 * 1024 * 1024
_MAX_FILLED = 50_000
_MAX_MERGED = 300
"""Columns that a merged field may span to be filled."""
_WANTED = {"col": "cols", "row": "sheetData", "mergeCell": "mergeCells"}
_YES = frozenset({"1", "true"})


def read_xlsx(package: Package, *, view: View) -> Extracted:
    """Read the sheets in the order of their tabs."""
    main = main_part(package, "officeDocument", "xl/workbook.xml")
    root, links = package.tree(main), package.related(main)
    places = {relation.kind: relation.target for relation in links.values()}
    styles = package.tree(places.get("styles", ""))
    book = _Book(
        strings=_strings(package, places.get("sharedStrings", "")),
        formats=_formats(styles, root),
        unseen=unseen_styles(styles),
    )
    sheets: list[Sheet] = []
    for tab in list(below(root, "sheet"))[:_MAX_SHEETS] if root is not None else []:
        if value(tab, "state").lower() in {"hidden", "veryhidden"}:
            book.hidden += 1
            continue
        id_ = next((said for key, said in tab.attrib.items() if key.endswith("}id")), "")
        if id_ in links and links[id_].kind == "worksheet" and links[id_].target in package.names:
            rows, width = book.rows(package, links[id_].target)
            named = clean_line(value(tab, "name"), limit=100)
            sheets.append(Sheet(name=named, rows=rows, width=width, count=len(rows)))
    title, info = properties(package)
    message = f"The workbook is large; its first {MAX_CELLS:,} cells are read." if book.cells >= MAX_CELLS else ""
    return read_sheets(sheets, view=view, title=title, info=info, hidden=book.hidden, message=message)


@dataclass(slots=True)
class _Columns:
    """Where hidden columns begin and end; entries may overlap, and there may be many."""

    changes: list[int] = field(default_factory=lambda: [0] * (MAX_COLUMNS + 1))

    def take(self, col: Element) -> None:
        """Note an entry, if it hides anything."""
        low, high = whole(value(col, "min")), min(whole(value(col, "max")), MAX_COLUMNS)
        if _is_hidden(col, "width") and 1 <= low <= high:
            self.changes[low - 1] += 1
            self.changes[high] -= 1

    def hidden(self) -> set[int]:
        """The columns that are hidden, counted from 0."""
        return {at for at, depth in enumerate(accumulate(self.changes)) if depth}


_Rows = dict[int, dict[int, str]]
"""Texts by row and column."""


@dataclass(kw_only=True, slots=True)
class _Book:
    """What all sheets share, and what was met in them."""

    strings: list[str]
    formats: Formats
    unseen: set[int]
    """The styles whose text nobody sees."""
    hidden: int = 0
    cells: int = 0

    def rows(self, package: Package, name: str) -> tuple[list[list[str]], int]:
        """The rows of a sheet that can be seen, without columns that hold nothing, and how many columns hold any."""
        rows: _Rows = {}
        columns = _Columns()
        merged: list[str] = []
        last = 0
        for el in stream_xml(package.open(name), _WANTED):
            tag = local(el)
            if tag == "col":
                columns.take(el)
            elif tag == "mergeCell" and len(merged) < _MAX_FILLED:
                merged.append(value(el, "ref"))
            elif tag == "row":
                last = whole(el.get("r") or "", otherwise=last + 1)
                if _is_hidden(el, "ht"):
                    self.hidden += any(True for _ in below(el, "v", "t"))
                elif row := self._row(el):
                    rows[last] = row
            if self.cells >= MAX_CELLS:
                break
        _fill(rows, merged)
        unseen = columns.hidden()
        self.hidden += len(unseen & {at for row in rows.values() for at in row})
        return _cut(rows, unseen)

    def _row(self, el: Element) -> dict[int, str]:
        row: dict[int, str] = {}
        last = -1
        for cell in el:
            at = column_of(cell.get("r") or "")
            last = at if at >= 0 else last + 1
            if last >= MAX_COLUMNS:
                break
            if text := self._cell(cell):
                self.cells += 1
                if self.unseen and whole(cell.get("s") or "") in self.unseen:
                    self.hidden += 1
                else:
                    row[last] = text
        return row

    def _cell(self, cell: Element) -> str:
        kind, raw = cell.get("t") or "", ""
        for part in cell:
            if local(part) == "v":
                raw = part.text or ""
        if kind == "s":
            at = whole(raw, otherwise=-1)
            return self.strings[at] if 0 <= at < len(self.strings) else ""
        if kind == "inlineStr":
            inner = child(cell, "is")
            return _rich(inner) if inner is not None else ""
        if kind == "b":
            return "TRUE" if raw == "1" else "FALSE"
        if not raw:
            formula = child(cell, "f")
            return f"={formula.text}" if formula is not None and formula.text else ""
        return self.formats.shown(raw, whole(cell.get("s") or "")) if kind in {"", "n"} else raw


def _strings(package: Package, name: str) -> list[str]:
    """The texts that cells refer to by number."""
    if name not in package.names:
        return []
    texts: list[str] = []
    size = 0
    for el in stream_xml(package.open(name), {"si": "sst"}):
        text = _rich(el)
        size += len(text) + 50
        if size > _MAX_STRINGS_CHARS:
            break
        texts.append(text)
    return texts


def _rich(el: Element) -> str:
    """A text of several runs; the reading aids beside it (`rPh`) say it a second time."""
    return "".join(t.text or "" for run in (el, *children(el, "r")) for t in children(run, "t"))


def _formats(root: Element | None, book: Element | None) -> Formats:
    codes: dict[int, str] = {}
    styles: list[int] = []
    for el in below(root, "numFmt", "cellXfs") if root is not None else ():
        if local(el) == "numFmt":
            codes[whole(value(el, "numFmtId"), otherwise=-1)] = value(el, "formatCode")
        elif local(el) == "cellXfs":
            styles = [whole(value(xf, "numFmtId")) for xf in children(el, "xf")]
    about = child(book, "workbookPr") if book is not None else None
    is_1904 = about is not None and value(about, "date1904").lower() in {"1", "true"}
    return Formats(codes, styles, is_1904=is_1904)


def _is_hidden(el: Element, size: str) -> bool:
    """Whether a row or a column is switched off, or has no size."""
    said = value(el, size)
    return value(el, "hidden").lower() in _YES or (bool(said) and not said.strip("0. "))


def _fill(rows: _Rows, merged: list[str]) -> None:
    """Give every cell of a merged field its text, so that each row can be understood alone."""
    filled, order = 0, sorted(rows)
    for named in merged:
        first, _, last = named.partition(":")
        top, left, bottom, right = row_of(first), column_of(first), row_of(last), column_of(last)
        text = rows.get(top, {}).get(left, "")
        if not text or not 0 <= right - left <= _MAX_MERGED:
            continue
        for place in range(bisect_left(order, top), bisect_right(order, bottom)):
            for at in range(left, right + 1):
                rows[order[place]].setdefault(at, text)
                filled += 1
            if filled > _MAX_FILLED:
                return


def _cut(rows: _Rows, unseen: set[int]) -> tuple[list[list[str]], int]:
    """The rows in order, without hidden columns and without columns that hold nothing; the width before it is cut."""
    used = sorted({at for row in rows.values() for at in row} - unseen)
    kept = used[:_WRITTEN_COLUMNS]
    return [[row.get(at, "") for at in kept] for _, row in sorted(rows.items())], len(used)
