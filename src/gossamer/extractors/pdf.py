"""PDF to text, page by page."""

import re
from typing import Protocol, cast

from gossamer.errors import BrokenDocument, EmptyPage
from gossamer.extractors.characters import clean_line
from gossamer.extractors.meta import iso_date
from gossamer.extractors.text import shown
from gossamer.model.page import Extracted, PageInfo, View

MAX_PAGES = 3_000
MAX_CHARS = 10 * 1024 * 1024
_LINE_HYPHEN = re.compile("[\x02\ufffe]\r?\n?")
"""How the reader marks a hyphen that only the line's end needed."""


class _TextPage(Protocol):
    def get_text_bounded(self) -> str: ...
    def close(self) -> None: ...


class _PdfPage(Protocol):
    def get_textpage(self) -> _TextPage: ...
    def close(self) -> None: ...


class _Document(Protocol):
    """What we use of the library, which has no types."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> _PdfPage: ...
    def get_metadata_dict(self) -> dict[str, str]: ...
    def close(self) -> None: ...


def read_pdf(body: bytes, *, view: View) -> Extracted:
    """The text of all pages, with a blank line between two."""
    import pypdfium2

    try:
        document = cast("_Document", pypdfium2.PdfDocument(body))
    except pypdfium2.PdfiumError as error:
        raise _broken(str(error)) from error
    try:
        said = document.get_metadata_dict()
        pages = _pages(document)
    except pypdfium2.PdfiumError as error:
        raise _broken(str(error)) from error
    finally:
        document.close()
    text = "\n\n".join(filter(None, pages))
    if not text:
        raise EmptyPage(
            "The PDF holds no text; its pages are probably scanned images.",
            hint="Look for another version of the document.",
        )
    info = PageInfo(
        author=clean_line(said.get("Author", ""), limit=200),
        published=iso_date(said.get("CreationDate", "").removeprefix("D:")[:8]),
    )
    return shown(text, view=view, title=clean_line(said.get("Title", ""), limit=300), info=info)


def _pages(document: _Document) -> list[str]:
    pages: list[str] = []
    size = 0
    for number in range(min(len(document), MAX_PAGES)):
        page = document[number]
        words = page.get_textpage()
        text = _LINE_HYPHEN.sub("", words.get_text_bounded()).replace("\r\n", "\n").strip()
        words.close()
        page.close()
        pages.append(text)
        size += len(text)
        if size > MAX_CHARS:
            break
    return pages


def _broken(reason: str) -> BrokenDocument:
    if "password" in reason.lower():
        return BrokenDocument("The PDF is encrypted and asks for a password.", hint="Look for an open version of it.")
    return BrokenDocument("The PDF is damaged and cannot be opened.", hint="Look for another version of the document.")
