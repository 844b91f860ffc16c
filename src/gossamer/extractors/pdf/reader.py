"""PDF reader: page by page, each under a heading with its number, which a citation can name; no running headers."""

import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any, cast

from gossamer.errors import BrokenDocument, EmptyPage
from gossamer.extractors.document_page import document_page
from gossamer.extractors.html.metadata.head import iso_date
from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.pdf.invisible_text import look_at
from gossamer.extractors.pdf.page_text import Line, PageText, is_same_row
from gossamer.extractors.pdf.structure import Sizes, page_html
from gossamer.model.page import Extracted, PageInfo, View

_NUMBERS = (
    re.compile(r"^\W*(\d{1,5}|[ivxlc]{1,7})\b"),
    re.compile(r"\b(\d{1,5}|[ivxlc]{1,7})\W*$"),
    re.compile(r"(?<=page )(\d{1,5})"),
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_LEAST_PAGES = 3
_CHAPTER_PAGES = 5
_NEARLY_ALL = 0.8
_FOOT = 0.1
"""The share of a page's height."""
_EDGE_LINES = 3
_MAX_EDGE_LINES = 60
"""So many lines stand beside one another at most; more are no head and no foot."""
MAX_PAGES = 2_000
MAX_CPU_S = 5.0
"""After which a document is read no further: laying out what was read takes time too."""
MAX_CHARS = 10 * 1024 * 1024
_NEAR = 3
_AROUND = 3
_PAGE = re.compile(r"#page-(\d{1,6})\b")
_UNTITLED = re.compile(
    r"(?:untitled|microsoft \w+ - .*|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|qxd|pdf|rtf))\d*", re.IGNORECASE
)


class _Pages:
    """The lines of all pages, and what was found while reading them."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.labels: list[str] = []
        self.lines: list[list[Line]] = []
        self.hidden = 0


def read_pdf(body: bytes, *, view: View, url: str = "") -> Extracted:
    """The text of all pages in reading order; `#page-3` is a selector for the third."""
    import pypdfium2

    try:
        document = cast("Any", pypdfium2.PdfDocument(body))
    except pypdfium2.PdfiumError as error:
        raise _broken(str(error)) from error
    try:
        metadata = cast("dict[str, str]", document.get_metadata_dict())
        wanted = _wanted(view.selector, len(document))
        pages = _read_pages(document, wanted)
    except pypdfium2.PdfiumError as error:
        raise _broken(str(error)) from error
    finally:
        document.close()
    if not any(pages.lines):
        raise EmptyPage(
            "The PDF holds no text; its pages are probably scanned images.",
            hint="Look for another version of the document.",
        )
    return document_page(
        _html(pages),
        view=view,
        url=url,
        title=_title(metadata.get("Title", "")),
        headings=("h3", "h4"),
        info=PageInfo(
            author=clean_line(metadata.get("Author", ""), limit=200),
            description=clean_line(metadata.get("Subject", ""), limit=1000),
            published=iso_date(metadata.get("CreationDate", "").removeprefix("D:")[:8]),
        ),
        hidden=pages.hidden,
        message=_left_out(len(pages.lines), len(wanted)),
    )


def _wanted(selector: str, total: int) -> range:
    """The pages to be read: all, or those round the one that a selector names, which show what its pages look like."""
    named = _PAGE.match(selector)
    if not named or not 0 < int(named[1]) <= total:
        return range(total)
    return range(max(0, int(named[1]) - _AROUND), min(total, int(named[1]) + _AROUND))


def _read_pages(document: Any, wanted: range) -> _Pages:
    """Read pages until they are enough, or until they have taken so long that all of them would be lost."""
    pages = _Pages()
    size, since = 0, time.process_time()
    for at in wanted:
        is_late = bool(pages.lines) and time.process_time() - since > MAX_CPU_S
        if is_late or len(pages.lines) >= MAX_PAGES or size > MAX_CHARS:
            break
        page = document[at]
        words = page.get_textpage()
        drawn = look_at(page, words)
        pages.hidden += _runs(drawn.unseen)
        lines = list(PageText(page, words, drawn).lines())
        words.close()
        page.close()
        pages.numbers.append(at + 1)
        pages.labels.append(clean_line(document.get_page_label(at) or "", limit=20))
        pages.lines.append(lines)
        size += sum(len(line.text) for line in lines)
    return pages


def _left_out(read: int, wanted: int) -> str:
    if read >= wanted:
        return ""
    return (
        f"The PDF has {wanted:,} pages; the first {read:,} are read. "
        f"A later one is read with the selector #page-{read + 1}, and so on."
    )


def _runs(places: Collection[int]) -> int:
    """How many stretches of neighbouring characters these are; a line's end lies between two of the same stretch."""
    return sum(at - before > _NEAR for before, at in pairwise((-_NEAR - 1, *sorted(places))))


def _html(pages: _Pages) -> str:
    sizes = Sizes(pages.lines)
    own = without_running_headers(pages.lines, below=sizes.large)
    parts: list[str] = []
    for number, label, lines in zip(pages.numbers, pages.labels, own, strict=True):
        html = page_html(lines, sizes)
        if html:
            printed = f" (numbered {escape(label, quote=False)})" if label not in {"", str(number)} else ""
            parts.append(f'<section id="page-{number}"><h2>Page {number}{printed}</h2>{html}</section>')
    return "".join(parts)


def _title(value: str) -> str:
    """The title that the file names, unless it is only the name of a file."""
    title = clean_line(value, limit=300)
    return "" if _UNTITLED.fullmatch(title) else title


def _broken(reason: str) -> BrokenDocument:
    if "password" in reason.lower():
        return BrokenDocument("The PDF is encrypted and asks for a password.", hint="Look for an open version of it.")
    return BrokenDocument("The PDF is damaged and cannot be opened.", hint="Look for another version of the document.")


def without_running_headers(pages: Sequence[Sequence[Line]], *, below: float) -> list[list[Line]]:
    """The pages without what most of them have at the top or the bottom.

    A line counts as the same when its words are, and its number goes up by one with every page. It goes only where all
    that stands beside it is repeated too: otherwise it is a row. Letters of size `below` or larger may be the title of
    a slide; they go at the foot of the pages, or where nearly all of many pages have them.
    """
    seen = Counter[str]()
    for number, page in enumerate(pages):
        seen.update({name for line in _edges(page) for name in _names(line, number)})
    least = max(_LEAST_PAGES, min(_CHAPTER_PAGES, len(pages) // 3))
    repeated = {name for name, count in seen.items() if count >= least}
    constant = {name for name in repeated if seen[name] >= max(_CHAPTER_PAGES, _NEARLY_ALL * len(pages))}
    foot = _foot(pages)

    def runs(line: Line, number: int) -> bool:
        known = repeated if line.size < below or line.top < foot else constant
        return not known.isdisjoint(_names(line, number))

    return [_rest(page, [line for line in _edges(page) if runs(line, number)]) for number, page in enumerate(pages)]


def _foot(pages: Sequence[Sequence[Line]]) -> float:
    """Below which height the feet of pages are."""
    heights = [edge for page in pages for line in page for edge in (line.bottom, line.top)]
    return min(heights) + _FOOT * (max(heights) - min(heights)) if heights else 0.0


def _rest(page: Sequence[Line], running: list[Line]) -> list[Line]:
    ids = {id(line) for line in running}
    others = [line for line in _edges(page) if id(line) not in ids]
    gone = {id(line) for line in running if not any(is_same_row(line, other) for other in others)}
    return [line for line in page if id(line) not in gone] or list(page)


def _edges(lines: Sequence[Line]) -> list[Line]:
    """The lines at the top and the bottom of a page, each of them with all that stands beside it."""
    by_place = sorted(lines, key=lambda line: -line.top)
    if len(by_place) <= 2 * _EDGE_LINES:
        return by_place
    top, bottom = by_place[_EDGE_LINES - 1].top, by_place[-_EDGE_LINES].top
    edges = [line for line in by_place if line.top >= top or line.top <= bottom]
    return edges if len(edges) <= _MAX_EDGE_LINES else []


def _names(line: Line, number: int) -> Iterator[str]:
    """What a line is called by its place and words: as it is, and by how far its number is from that of its page."""
    place, text = round(line.top / 4), line.text[:200].lower()
    yield f"{place}:{text[:80]}"
    for pattern in _NUMBERS:
        if match := pattern.search(text):
            rest = f"{text[: match.start(1)]}#{text[match.end(1) :]}"
            yield f"{place}:{_value(match[1]) - number}:{rest[:80]}"


def _value(number: str) -> int:
    """What a number says that is written in digits or in Roman letters."""
    if number.isdecimal():
        return int(number)
    values = [_ROMAN[letter] for letter in number]
    return sum(-digit if digit < after else digit for digit, after in zip(values, [*values[1:], 0], strict=True))
