"""PDF to text, page by page: each page under a heading with its number, which a citation can name."""

import re
import time
from collections.abc import Collection
from html import escape
from itertools import pairwise
from typing import Any, cast

from gossamer.errors import BrokenDocument, EmptyPage
from gossamer.extractors.about.meta import iso_date
from gossamer.extractors.characters import clean_line
from gossamer.extractors.pdf.layout import Sizes, page_html
from gossamer.extractors.pdf.lines import Line, PageText
from gossamer.extractors.pdf.running import without_running
from gossamer.extractors.pdf.unseen import unseen_characters
from gossamer.extractors.written import written
from gossamer.model.page import Extracted, PageInfo, View

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
        said = cast("dict[str, str]", document.get_metadata_dict())
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
    return written(
        _html(pages),
        view=view,
        url=url,
        title=_title(said.get("Title", "")),
        headings=("h3", "h4"),
        info=PageInfo(
            author=clean_line(said.get("Author", ""), limit=200),
            description=clean_line(said.get("Subject", ""), limit=1000),
            published=iso_date(said.get("CreationDate", "").removeprefix("D:")[:8]),
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
        unseen = unseen_characters(page, words)
        pages.hidden += _runs(unseen)
        lines = list(PageText(page, words, unseen).lines())
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
    own = without_running(pages.lines, below=sizes.large)
    parts: list[str] = []
    for number, label, lines in zip(pages.numbers, pages.labels, own, strict=True):
        html = page_html(lines, sizes)
        if html:
            printed = f" (numbered {escape(label, quote=False)})" if label not in {"", str(number)} else ""
            parts.append(f'<section id="page-{number}"><h2>Page {number}{printed}</h2>{html}</section>')
    return "".join(parts)


def _title(said: str) -> str:
    """The title that the file names, unless it is only the name of a file."""
    title = clean_line(said, limit=300)
    return "" if _UNTITLED.fullmatch(title) else title


def _broken(reason: str) -> BrokenDocument:
    if "password" in reason.lower():
        return BrokenDocument("The PDF is encrypted and asks for a password.", hint="Look for an open version of it.")
    return BrokenDocument("The PDF is damaged and cannot be opened.", hint="Look for another version of the document.")
