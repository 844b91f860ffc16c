"""Structure of a PDF page: positioned lines to headings, paragraphs, lists and tables."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

from gossamer.extractors.document_page import HtmlBuilder
from gossamer.extractors.pdf.listings import code_of, joined_code, listings
from gossamer.extractors.pdf.page_text import Line, is_same_row, without_leaders
from gossamer.extractors.pdf.reading_order import reading_order

_BULLET = re.compile(r"[•◦▪‣●○■□–∙·-]\s+(?=\S)|[\uf0b7\uf0a7]\s*")
_NUMBERED = re.compile(r"(?:\(?[0-9]{1,3}[.)]|\([a-z]\))\s+\S")
_SECTION = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,2}){1,4}\.?\s+[^\W\d_a-z][^…]{1,90}(?<![\d.,;:])")
_CHAPTER = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,2}){0,4}\.?\s+[^\W\d_a-z]")
_OF_CONTENTS = re.compile(r" … [0-9ivxlc]{1,5}$")
"""A chapter with its page, as a table of contents has it."""
_ENDS = (".", "!", "?", ":", "。")
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7a3]{2}")
_HEADING = 1.13
"""How much larger than the text a heading is at least."""
_OUTDENT = 1.5
"""How many heights left of the text a heading begins at least."""
_MARGIN = 0.1
"""The share of the letters in lines that begin at the margin of the text."""
_OUTSIDE = 0.03
_MANUAL_CHARS = 2_000
_MAX_HEADING_CHARS = 160
_LEAST_ROWS = 3
_LARGE_GAP = 0.35
_AROUND = 10
"""So many lines above and below show how wide a line might have been."""
_MAX_COLUMNS = 30
_MOST_TEXT_COLUMNS = 4
_TYPED = 0.8
_LEAST_CHARS = 15
_FULL = 0.85
"""How much of its column a line of prose fills."""
_FLOWING = 0.6
"""How many lines of a column of prose are full, and how many go on in the middle of a sentence."""


class Sizes:
    """What sizes mean in a document: the one most letters have is its text, larger ones are headings.

    A document of one size, as manual pages are, has its headings where its text never begins: left of it.
    """

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        letters = Counter[float]()
        for page in pages:
            for line in page:
                letters[_rounded(line.size)] += len(line.text)
        self.text = max(letters, key=lambda size: letters[size], default=0.0)
        self.large = self.text * _HEADING
        large = (line for page in pages for line in page if line.size >= self.large)
        larger = sorted({_rounded(line.size) for line in large if _may_head(line.text)}, reverse=True)
        share = sum(letters[size] for size in larger) / max(1, letters.total())
        self._steps = self._levels(larger) if share < 0.25 else []
        self._margin = 0.0 if larger else _text_margin(pages)
        monospaced = sum(len(line.text) for page in pages for line in page if line.pitch)
        self.has_code = 0 < monospaced < _TYPED * letters.total()
        """Whether a monospaced line is code: a document that is typed on the whole says nothing by it."""

    def level(self, line: Line) -> int:
        """The level of a heading that begins with this line, 3 (the highest) to 5; 0 for other text."""
        out = self._margin - line.left
        if out > _OUTDENT * line.size:
            return 3 if out > 2 * _OUTDENT * line.size else 4
        if not self._steps or line.size < self.large:
            return 0
        return next((3 + at for at, step in enumerate(self._steps[:3]) if line.size >= step - 0.5), 5)

    @staticmethod
    def _levels(larger: list[float]) -> list[float]:
        """The lowest size of each level; sizes that hardly differ are one."""
        steps: list[float] = []
        for size in larger:
            if steps and steps[-1] - size < 0.07 * steps[-1]:
                continue
            steps.append(size)
        return steps


def _text_margin(pages: Sequence[Sequence[Line]]) -> float:
    """Where text begins that headings stand left of; 0 where too much stands there, or too little text is behind it."""
    letters = Counter[int]()
    for page in pages:
        for line in page:
            letters[round(line.left)] += len(line.text)
    total = letters.total()
    margin = min((left for left, count in letters.items() if count >= _MARGIN * total), default=0)
    outside = sum(count for left, count in letters.items() if left < margin - 1)
    return margin if total >= _MANUAL_CHARS and 0 < outside <= _OUTSIDE * total else 0.0


def _rounded(size: float) -> float:
    """Sizes that only arithmetic makes different are one."""
    return round(size * 2) / 2


def page_html(lines: Sequence[Line], sizes: Sizes) -> str:
    """One page as HTML."""
    blocks = HtmlBuilder()
    level = [line for line in lines if not _is_upright(line)]
    if sizes.has_code:
        level = joined_code(level)
    else:
        level = [line._replace(text=without_leaders(line.text), pitch=0.0) if line.pitch else line for line in level]
    rows = list(_rows(reading_order(level)))
    at = 0
    for start, end in listings(rows, is_heading=lambda line: sizes.level(line) > 0, is_item=_is_item):
        _write_rows(rows[at:start], sizes, blocks)
        blocks.code(code_of([row[0] for row in rows[start:end]]))
        at = end
    _write_rows(rows[at:], sizes, blocks)
    return blocks.html()


def _write_rows(rows: list[list[Line]], sizes: Sizes, blocks: HtmlBuilder) -> None:
    for group in _tables(rows):
        if len(group) > 1:
            blocks.table(_grid(group))
        else:
            _write_blocks(group[0], sizes, blocks)


def _is_upright(line: Line) -> bool:
    """Whether a line runs along the edge of the page: a stamp, not text."""
    return len(line.text) > 5 and line.top - line.bottom > 4 * max(line.right - line.left, 1.0)


def _rows(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines that stand beside one another, together."""
    row: list[Line] = []
    for line in lines:
        if row and not (is_same_row(row[-1], line) and line.left >= row[-1].right):
            yield row
            row = []
        row.append(line)
    if row:
        yield row


def _tables(rows: list[list[Line]]) -> Iterator[list[list[Line]]]:
    """Rows of several cells that follow one another as one group, if they line up; runs of text as groups of one."""
    text: list[Line] = []
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and (len(rows[end]) > 1 or (end > at and _is_wrapped(rows, end))):
            end += 1
        group = rows[at:end]
        if columns := _text_columns(group):
            text.extend(columns)
            at = end
        elif _is_table(group):
            if text:
                yield [text]
                text = []
            yield group
            at = end
        else:
            taken = group or [rows[at]]
            text.extend(_flat(row) for row in taken)
            at += len(taken)
    if text:
        yield [text]


def _is_table(rows: list[list[Line]]) -> bool:
    """Whether rows hold cells of columns: most of them as many as there are columns."""
    wide = [row for row in rows if len(row) > 1]
    columns = len(_columns(rows)) if len(wide) >= _LEAST_ROWS else 0
    return columns > 1 and sum(len(row) >= columns - 1 for row in wide) >= 0.6 * len(wide)


def _text_columns(rows: list[list[Line]]) -> list[Line]:
    """The lines of rows that are columns of prose drawn line by line, column after column; none for other rows."""
    spans = _columns(rows) if len(rows) >= _LEAST_ROWS else []
    if len(spans) < 2 or len(spans) > _MOST_TEXT_COLUMNS:
        return []
    columns = [[cell for row in rows for cell in row if left <= cell.left <= right] for left, right in spans]
    is_text = all(_flows(column, span) for column, span in zip(columns, spans, strict=True))
    return [cell for column in columns for cell in column] if is_text else []


def _flows(column: list[Line], span: tuple[float, float]) -> bool:
    """Whether the cells of a column are lines of prose: most fill it, and most go on in the middle of a sentence."""
    if len(column) < _LEAST_ROWS or sum(len(cell.text) for cell in column) < _LEAST_CHARS * len(column):
        return False
    full = sum(cell.right - span[0] >= _FULL * (span[1] - span[0]) for cell in column)
    inside = sum(not cell.text[0].isupper() and not cell.text[0].isdigit() for cell in column[1:])
    return full >= _FLOWING * len(column) and inside >= _FLOWING * (len(column) - 1)


def _is_wrapped(rows: list[list[Line]], at: int) -> bool:
    """Whether a row of one cell goes on with a cell above it, and the table goes on after it."""
    if at + 1 >= len(rows) or len(rows[at + 1]) < 2:
        return False
    cell, above = rows[at][0], rows[at - 1]
    is_close = above[0].bottom - cell.top < cell.size
    return is_close and any(abs(cell.left - other.left) < cell.size for other in above[1:])


def _flat(row: list[Line]) -> Line:
    """A row that is no part of a table, as one line."""
    if len(row) == 1:
        return row[0]
    text, links = "", list[tuple[int, int, str]]()
    small = min(line.size for line in row)
    for line in row:
        text += " " if text else ""
        links.extend((low + len(text), high + len(text), address) for low, high, address in line.links)
        text += line.text
    # A larger first word, or a number, does not make the row a heading.
    size = small if row[0].size > small * _HEADING else row[0].size
    hyphened = row[-1].is_hyphened
    return row[0]._replace(right=row[-1].right, size=size, text=text, is_hyphened=hyphened, links=tuple(links), pitch=0)


def _columns(rows: list[list[Line]]) -> list[tuple[float, float]]:
    """The columns of a table: stretches that no cell of any row leaves; none when cells overlap too much."""
    spans: list[tuple[float, float]] = []
    for left, right in sorted((cell.left, cell.right) for row in rows for cell in row):
        if spans and left <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], right))
        else:
            spans.append((left, right))
    widest = max(map(len, rows))
    return spans if widest <= len(spans) <= min(_MAX_COLUMNS, widest + 1) else []


def _grid(rows: list[list[Line]]) -> list[list[str]]:
    columns = _columns(rows)
    grid: list[list[str]] = []
    for row in rows:
        cells = [""] * len(columns)
        for cell in row:
            at = next(n for n, (left, right) in enumerate(columns) if left <= cell.left <= right)
            cells[at] = f"{cells[at]} {_html(cell)}".strip()
        if len(row) == 1 and grid and not cells[0]:
            grid[-1] = [f"{old} {new}".strip() for old, new in zip(grid[-1], cells, strict=True)]
        else:
            grid.append(cells)
    return grid


def _write_blocks(row: list[Line], sizes: Sizes, blocks: HtmlBuilder) -> None:
    """Join lines to paragraphs, items and headings."""
    is_spaced = _is_spaced(row, sizes)
    block: list[Line] = []
    for line, right in zip(row, _right_edges(row), strict=True):
        if block and _begins(block, line, sizes, right, is_spaced=is_spaced):
            _block(block, sizes, blocks)
            block = []
        block.append(line)
    if block:
        _block(block, sizes, blocks)


def _right_edges(lines: list[Line]) -> Iterator[float]:
    """How far to the right the text round each line reaches in the same column, in more than one line."""
    for at, line in enumerate(lines):
        near = lines[max(0, at - _AROUND) : at + _AROUND]
        rights = sorted(other.right for other in near if abs(other.left - line.left) < 3 * line.size)
        yield rights[-2:][0]


def _is_spaced(lines: list[Line], sizes: Sizes) -> bool:
    """Whether there are gaps between paragraphs."""
    text = [(upper, other) for upper, other in pairwise(lines) if not sizes.level(upper) and not sizes.level(other)]
    gaps = sorted(upper.bottom - other.top for upper, other in text if other.top < upper.top)
    return bool(gaps) and gaps[-1] > gaps[len(gaps) // 2] + _LARGE_GAP * sizes.text


def _begins(block: list[Line], line: Line, sizes: Sizes, right: float, *, is_spaced: bool) -> bool:
    """Whether a line begins a block of its own."""
    last = block[-1]
    if last.is_hyphened:
        return False
    level = sizes.level(line)
    if sizes.level(last) != level or _is_item(line) or (level and _is_other_heading(last, line)):
        return True
    if line.bottom > last.top:
        # A next column or page part: the paragraph goes on unless its last line has ended one.
        return last.text.endswith(_ENDS)
    gap = last.bottom - line.top
    usual = block[-2].bottom - last.top if len(block) > 1 else 0.25 * line.size
    if gap > max(usual, 0.0) + _LARGE_GAP * line.size:
        return True
    is_indented = line.left - last.left > 0.8 * line.size and len(block) > 1 and not _is_item(block[0])
    room = 0.25 * (right - last.left) if is_spaced else _first_word(line)
    return is_indented or (last.text.endswith(_ENDS) and last.right + room < right)


def _first_word(line: Line) -> float:
    """How wide a line's first word is with a space: a line that has room for it has ended before its time."""
    return (len(line.text.split(maxsplit=1)[0]) + 1) * (line.right - line.left) / len(line.text)


def _is_other_heading(last: Line, line: Line) -> bool:
    """Whether a large line does not go on with the large line above it: it is numbered, or set in another way."""
    lefts, rights = line.left - last.left, line.right - last.right
    return bool(_CHAPTER.match(line.text)) or min(abs(lefts), abs(rights), abs(lefts + rights) / 2) > line.size


def _is_item(line: Line) -> bool:
    return bool(_BULLET.match(line.text) or _NUMBERED.match(line.text))


def _block(block: list[Line], sizes: Sizes, blocks: HtmlBuilder) -> None:
    html, size = _joined(block), sum(len(line.text) for line in block)
    level = sizes.level(block[0]) if size <= _MAX_HEADING_CHARS and _may_head(block[0].text) else 0
    if level and len(block) <= 3:
        blocks.heading(level, html)
    elif len(block) == 1 and _SECTION.fullmatch(block[0].text):
        blocks.heading(5, html)
    elif match := _BULLET.match(block[0].text):
        first = block[0]
        cut = first._replace(
            text=first.text[match.end() :],
            links=tuple((max(0, a - match.end()), max(0, b - match.end()), to) for a, b, to in first.links),
        )
        blocks.item(0, _joined([cut, *block[1:]]))
    else:
        blocks.paragraph(html)


def _may_head(text: str) -> bool:
    """Whether a line can be a heading at all: words, not the large signs of a formula."""
    letters = sum(char.isalpha() or char == " " for char in text)
    is_in_contents = _OF_CONTENTS.search(text)
    return (
        bool(_WORD.search(text)) and letters >= 0.6 * len(text) and not text.endswith(("=", ",")) and not is_in_contents
    )


def _joined(block: list[Line]) -> str:
    """The text of several lines; a word that a hyphen parted is whole again."""
    pieces: list[str] = []
    for line in block:
        pieces.append(_html(line))
        pieces.append("" if line.is_hyphened or _is_unspaced(line.text[-1:]) else " ")
    return "".join(pieces).rstrip()


def _is_unspaced(char: str) -> bool:
    """Whether a script writes its words without spaces."""
    return "\u3040" <= char <= "\u9fff" or "\uff00" <= char <= "\uff60" or "\u3000" <= char <= "\u303f"


def _html(line: Line) -> str:
    at, pieces = 0, list[str]()
    for low, high, address in line.links:
        pieces.append(escape(line.text[at:low], quote=False))
        escaped = escape(line.text[low:high], quote=False)
        pieces.append(f'<a href="{escape(address)}">{escaped}</a>' if escaped.strip() else escaped)
        at = max(at, high)
    return "".join(pieces) + escape(line.text[at:], quote=False)
