"""Tables of plain cells: CSV and TSV, and the sheets of a workbook, written without a tree in between."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice

from gossamer.errors import EmptyPage, Outcome
from gossamer.extractors.invisible_characters import clean
from gossamer.extractors.text.plain_text import NO_ELEMENTS, shown
from gossamer.extractors.text.sanitise import sanitised
from gossamer.model.page import Extracted, Format, PageInfo, View

MAX_CHARS = 9 * 1024 * 1024
MAX_COLUMNS = 1_000
_DELIMITERS = ",;\t|"
_SAMPLE_CHARS = 64 * 1024
_SAMPLE_ROWS = 50
_BREAKS = re.compile(r"\s*[\r\n]+\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """A table with a name; its rows may be made as they are written, and each may hold only the first columns."""

    name: str
    rows: Iterable[Sequence[str]]
    width: int
    count: int


def read_csv(text: str, *, view: View, delimiter: str = "") -> Extracted:
    """Show separated values as one table, the first row as its head; text that is no table is shown as it came."""
    text = text.replace("\x00", "")
    sign = delimiter or sniffed(text)
    width, count, quotes = _measured(text, sign) if sign else (0, 0, True)
    if width < 2:
        return shown(text, view=view)
    return read_sheets([Sheet(name="", rows=_parsed(text, sign, quotes=quotes), width=width, count=count)], view=view)


def sniffed(text: str) -> str:
    """The sign between values: the one that parts most rows into the same number of them, empty for none."""
    sample = text[:_SAMPLE_CHARS]
    if len(text) > _SAMPLE_CHARS:
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, delimiter = 0.0, ""
    for sign in _DELIMITERS:
        quotes = _measured(sample, sign)[2]
        widths = Counter(len(row) for row in islice(_parsed(sample, sign, quotes=quotes), _SAMPLE_ROWS))
        width, count = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(1, 0))
        score = count / max(1, widths.total()) + min(width, 20) / 1000
        if width > 1 and score > best:
            best, delimiter = score, sign
    return delimiter


def read_sheets(
    sheets: Sequence[Sheet],
    *,
    view: View,
    title: str = "",
    info: PageInfo | None = None,
    hidden: int = 0,
    message: str = "",
) -> Extracted:
    """Write tables in the wanted form, each under its name, until the text is as long as a text may be."""
    write = _Writer(view.format)
    for sheet in sheets:
        write.sheet(sheet)
    text, unseen = clean("\n\n".join(write.parts))
    text = sanitised(text, is_markdown=False) if view.format == "markdown" else text
    about, hidden = info or PageInfo(), hidden + unseen
    if not any(sheet.count for sheet in sheets) or not text.strip():
        raise EmptyPage("The document holds no text.", hint="Look for another version of the document.")
    if view.selector:
        return Extracted(outcome=Outcome.NO_MATCH, title=title, info=about, hidden=hidden, message=NO_ELEMENTS)
    if write.too_wide:
        message = f"{message} The table is wide: its last {write.too_wide:,} columns are left out.".strip()
    if write.left_out:
        message = f"{message} The table is long: its last {write.left_out:,} rows are left out.".strip()
    return Extracted(title=title, text=text, info=about, hidden=hidden, message=message)


class _Writer:
    """Writes tables one below the other."""

    def __init__(self, form: Format) -> None:
        self._form = form
        self._size = 0
        self.parts: list[str] = []
        self.left_out = 0
        self.too_wide = 0

    def sheet(self, sheet: Sheet) -> None:
        """Add a table; rows beyond the longest text are counted."""
        if not sheet.count:
            return
        if sheet.name:
            named = {"markdown": f"## {sheet.name}", "html": f"<h2>{escape(sheet.name, quote=False)}</h2>"}
            self.parts.append(named.get(self._form, sheet.name))
        width, lines = min(sheet.width, MAX_COLUMNS), io.StringIO()
        self.too_wide = max(self.too_wide, sheet.width - width)
        for at, row in enumerate(sheet.rows):
            if self._size > MAX_CHARS:
                self.left_out += sheet.count - at
                break
            self._size += lines.write(("\n" if at else "") + self._row(row, width, is_head=at == 0))
        text = lines.getvalue()
        self.parts.append(f"<table>\n{text}\n</table>" if self._form == "html" else text)

    def _row(self, row: Sequence[str], width: int, *, is_head: bool) -> str:
        cells = [_BREAKS.sub(" ", cell).strip() for cell in row[:width]]
        cells += [""] * (width - len(cells))
        if self._form == "html":
            tag = "th" if is_head else "td"
            return "<tr>" + "".join(f"<{tag}>{escape(cell, quote=False)}</{tag}>" for cell in cells) + "</tr>"
        if self._form == "text":
            return "\t".join(cells).rstrip()
        line = _joined(cell.replace("|", "\\|") for cell in cells)
        return f"{line}\n{_joined(['---'] * width)}" if is_head else line


def _joined(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _measured(text: str, sign: str) -> tuple[int, int, bool]:
    """The width and the number of the rows, and whether quotes mean anything: one that is never closed does not."""
    for quotes in (True, False):
        width = count = 0
        try:
            for row in _parsed(text, sign, quotes=quotes):
                width = max(width, len(row))
                count += 1
        except csv.Error:
            continue
        return width, count, quotes
    return 0, 0, False


def _parsed(text: str, sign: str, *, quotes: bool) -> Iterator[list[str]]:
    """The rows that say something."""
    csv.field_size_limit(len(text) + 1)
    source = io.StringIO(text, newline="" if quotes else None)
    reader = (
        csv.reader(source, delimiter=sign, strict=True, skipinitialspace=True)
        if quotes
        else csv.reader(source, delimiter=sign, quoting=csv.QUOTE_NONE)
    )
    return (row for row in reader if any(cell.strip() for cell in row))
