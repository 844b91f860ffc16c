"""XLSX: every sheet as a table of what its cells show; hidden sheets, rows, columns and cells are not read."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import accumulate

from gossamer.extractors.data.csv_tables import MAX_COLUMNS as _WRITTEN_COLUMNS
from gossamer.extractors.data.csv_tables import Sheet, read_sheets
from gossamer.extractors.html.tree import Element
from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.office.hidden_text import unseen_styles
from gossamer.extractors.office.safe_xml import below, child, children, local, stream_xml, value, whole
from gossamer.extractors.office.zip_package import Package, document_properties, main_part
from gossamer.model.page import Extracted, View

_DATES = frozenset({*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)})
_SHARES = frozenset({9, 10})
_NO_CODE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_CELL = re.compile(r"[A-Z]{1,3}([0-9]{1,7})")
_LETTERS = re.compile(r"[A-Z]{1,3}")
MAX_COLUMNS = 16_384
_NOISY = 15
"""Digits that a number has where arithmetic has left its traces."""


class Formats:
    """Which cell styles are dates and shares."""

    def __init__(self, codes: dict[int, str], styles: list[int], *, is_1904: bool = False) -> None:
        self._dates = {at for at, number in enumerate(styles) if _is_date(number, codes.get(number, ""))}
        self._shares = {
            at for at, number in enumerate(styles) if number in _SHARES or codes.get(number, "").endswith("%")
        }
        self._special = self._dates | self._shares
        self._start = datetime(1904, 1, 1) if is_1904 else datetime(1899, 12, 30)  # noqa: DTZ001  sheets know no zones

    def shown(self, raw: str, style: int) -> str:
        """A number as its style shows it; a short one without any is written as it is stored."""
        if len(raw) < _NOISY and "E" not in raw and style not in self._special:
            return raw
        try:
            number = float(raw)
        except ValueError:
            return raw
        if style in self._dates:
            return self._date(number) or raw
        if style in self._shares:
            return f"{_plain(number * 100)}%"
        return _plain(number)

    def _date(self, number: float) -> str:
        if not -1 < number < 2_958_466:
            return ""
        try:
            at = self._start + timedelta(seconds=round(number * 86_400))
        except OverflowError:
            return ""
        if number < 1:
            return f"{at:%H:%M:%S}".removesuffix(":00")
        if (at.hour, at.minute, at.second) == (0, 0, 0):
            return f"{at:%Y-%m-%d}"
        return f"{at:%Y-%m-%d %H:%M:%S}".removesuffix(":00")


def column_of(reference: str) -> int:
    """The column of a cell's name, counted from 0; -1 for a name that is none."""
    return _number(reference.rstrip("0123456789"))


@lru_cache(maxsize=1024)
def _number(letters: str) -> int:
    """The number that a column's letters stand for."""
    if not _LETTERS.fullmatch(letters):
        return -1
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1 if number <= MAX_COLUMNS else -1


def row_of(reference: str) -> int:
    """The row of a cell's name, counted from 1; 0 for a name that is none."""
    match = _CELL.fullmatch(reference)
    return int(match[1]) if match else 0


def _is_date(number: int, code: str) -> bool:
    if code:
        return bool(re.search(r"[ymdhs]", _NO_CODE.sub("", code).lower())) and "general" not in code.lower()
    return number in _DATES


def _plain(number: float) -> str:
    """A number without the noise of its storage."""
    if number == int(number) if abs(number) < 1e15 else False:
        return str(int(number))
    return f"{number:.15g}"


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
        id_ = next((relation_id for key, relation_id in tab.attrib.items() if key.endswith("}id")), "")
        if id_ in links and links[id_].kind == "worksheet" and links[id_].target in package.names:
            rows, width = book.rows(package, links[id_].target)
            named = clean_line(value(tab, "name"), limit=100)
            sheets.append(Sheet(name=named, rows=rows, width=width, count=len(rows)))
    title, info = document_properties(package)
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
    """The styles that hide their text."""
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
    extent = value(el, size)
    return value(el, "hidden").lower() in _YES or (bool(extent) and not extent.strip("0. "))


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
    columns = used[:_WRITTEN_COLUMNS]
    return [[row.get(at, "") for at in columns] for _, row in sorted(rows.items())], len(used)
