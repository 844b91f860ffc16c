"""Documents as real programs write them, for tests; and archives by hand, for what no honest program writes."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import openpyxl
import pptx
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BOOK = "application/epub+zip"


def word(tell: Callable[[Any], object]) -> bytes:
    """A DOCX file by python-docx; `tell` fills the document."""
    document = docx.Document()
    document.core_properties.comments = ""
    tell(document)
    return _saved(document.save)


def slides(tell: Callable[[Any], object]) -> bytes:
    """A PPTX file by python-pptx."""
    show = pptx.Presentation()
    tell(show)
    return _saved(show.save)


def sheets(tell: Callable[[Any], object]) -> bytes:
    """An XLSX file by openpyxl."""
    book = openpyxl.Workbook()
    tell(book)
    return _saved(book.save)


def pdf(*pages: Callable[[Canvas], object], **options: Any) -> bytes:
    """A PDF by reportlab, one function a page."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, **options)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def archive(parts: dict[str, str | bytes], *, packed: bool = True) -> bytes:
    """An archive of these parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return file.getvalue()


def changed(body: bytes, part: str, change: Callable[[str], str]) -> bytes:
    """The same archive with one part changed."""
    with zipfile.ZipFile(io.BytesIO(body)) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    return archive({**parts, part: change(parts[part].decode()).encode()})


def book(chapters: dict[str, str], *, contents: str = "", extra: dict[str, str] | None = None) -> bytes:
    """An EPUB file of these chapters, in this order."""
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">'
        "<metadata><dc:title>The lamps</dc:title><dc:creator>A. Keeper</dc:creator><dc:language>en</dc:language>"
        f"<dc:date>2026-03-04</dc:date></metadata><manifest>{items}"
        '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
        f"<spine>{spine}</spine></package>"
    )
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": package,
        **({"OPS/toc.ncx": contents} if contents else {}),
        **{f"OPS/{name}": text for name, text in chapters.items()},
        **(extra or {}),
    }
    return archive(parts, packed=False)


def _saved(save: Callable[[Any], object]) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()
