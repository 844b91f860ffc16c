"""Dispatch: which reader suits a body, by its sniffed kind."""

import re
from collections.abc import Callable

from gossamer.errors import BrokenDocument, UnsupportedType
from gossamer.extractors.charset import decode
from gossamer.extractors.html.pipeline import read_html
from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.sniff import Kind, extension_of, kind_of, language_of, root_kind, type_of_bytes
from gossamer.extractors.text.plain_text import read_markdown, read_source, read_text
from gossamer.model.page import Extracted, View

_KNOWN_TYPES = frozenset(
    f"{kind}/{name}"
    for kind, names in {
        "application": "epub+zip gzip java-archive msword ogg pdf postscript rtf vnd.android.package-archive "
        "vnd.apache.parquet vnd.microsoft.portable-executable vnd.ms-excel vnd.ms-powerpoint "
        "vnd.oasis.opendocument.presentation vnd.oasis.opendocument.spreadsheet vnd.oasis.opendocument.text vnd.rar "
        "vnd.sqlite3 wasm x-7z-compressed x-apple-diskimage x-bzip2 x-executable x-iso9660-image x-msdownload "
        "x-rar-compressed x-shockwave-flash x-tar x-xz zip zstd",
        "audio": "aac flac midi mp4 mpeg ogg wav webm x-wav",
        "font": "otf ttf woff woff2",
        "image": "avif bmp gif heic jpeg png svg+xml tiff vnd.microsoft.icon webp x-icon",
        "video": "mp4 mpeg ogg quicktime webm x-matroska x-msvideo",
    }.items()
    for name in names.split()
)
"""What may be repeated of a header: anything else in it is the site's own words, which stay outside our sentences."""
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_OLE = b"\xd0\xcf\x11\xe0"
_LOCKED = "EncryptedPackage".encode("utf-16-le")


def read(body: bytes, *, content_type: str, url: str, view: View, is_plain: bool = False) -> Extracted:
    """Read a body as what it is; a kind without a reader is named with its type and size.

    `is_plain` asks for a web page by the simplest rules.
    """
    kind = kind_of(body, content_type, url)
    if kind == "pdf":
        from gossamer.extractors.pdf.reader import read_pdf

        return read_pdf(body, url=url, view=view)
    if kind == "binary":
        raise _unread(body, content_type)
    if kind in {"docx", "pptx", "xlsx", "epub"}:
        return _read_archive(kind, body, url, view)
    label = _CHARSET.search(content_type)
    is_marked_up = kind in {"html", "xml", "feed", "sitemap"}
    text = decode(body, label=label[1] if label else "", is_html=is_marked_up)
    if kind == "xml":
        sniffed = root_kind(text)
        kind = "xml" if sniffed == "binary" else sniffed
    if is_plain and kind == "html":
        return read_html(text, url=url, view=view, is_plain=True)
    return _read_text(kind, text, content_type.partition(";")[0].strip().lower(), url, view)


def _read_text(kind: Kind, text: str, media_type: str, url: str, view: View) -> Extracted:
    from gossamer.extractors import feed
    from gossamer.extractors.data import csv_tables, json_xml

    if kind in {"html", "text"} and json_xml.is_json(text):
        kind = "json"
    if kind in {"source", "text"} and (described := json_xml.read_described(text, view=view)):
        return described
    is_tabbed = media_type == "text/tab-separated-values" or extension_of(url) in {"tsv", "tab"}
    readers: dict[Kind, Callable[[], Extracted]] = {
        "html": lambda: read_html(text, url=url, view=view),
        "json": lambda: json_xml.read_json(text, url=url, view=view),
        "jsonl": lambda: json_xml.read_json_lines(text, view=view),
        "csv": lambda: csv_tables.read_csv(text, view=view, delimiter="\t" if is_tabbed else ""),
        "feed": lambda: feed.read_feed(text, url=url, view=view),
        "sitemap": lambda: feed.read_sitemap(text, url=url, view=view),
        "xml": lambda: json_xml.read_xml(text, view=view),
        "markdown": lambda: read_markdown(text, view=view, url=url),
        "source": lambda: _read_source(text, view, language_of(media_type, url)),
    }
    return readers.get(kind, lambda: read_text(text, view=view))()


def _read_source(text: str, view: View, language: str) -> Extracted:
    if language == "graphql":
        from gossamer.extractors.data.graphql import read_sdl

        if schema := read_sdl(text, view=view):
            return schema
    return read_source(text, view=view, language=language)


def _read_archive(kind: Kind, body: bytes, url: str, view: View) -> Extracted:
    from gossamer.extractors.office.zip_package import Package

    package = Package(body)
    if kind == "docx":
        from gossamer.extractors.office.docx import read_docx

        return read_docx(package, url=url, view=view)
    if kind == "pptx":
        from gossamer.extractors.office.pptx import read_pptx

        return read_pptx(package, url=url, view=view)
    if kind == "xlsx":
        from gossamer.extractors.office.xlsx import read_xlsx

        return read_xlsx(package, view=view)
    from gossamer.extractors.office.epub import read_epub

    return read_epub(package, view=view)


def _unread(body: bytes, content_type: str) -> UnsupportedType | BrokenDocument:
    declared = clean_line(content_type.partition(";")[0], limit=200).lower()
    seen = type_of_bytes(body)
    named = declared if declared in _KNOWN_TYPES else seen
    if body.startswith(_OLE) and _LOCKED in body:
        return BrokenDocument(
            "The document is encrypted and asks for a password.", hint="Look for an open version of it."
        )
    return UnsupportedType(
        f"The address leads to a file of {named or 'an unknown type'} ({_size(len(body))}), which has no reader here.",
        hint="Look for the same information as a web page, PDF or text.",
    ).quoting("" if named == declared else declared)


def _size(count: int) -> str:
    return (
        f"{count:,} bytes"
        if count < 10_000
        else f"{count / 1_000_000:.1f} MB"
        if count >= 1_000_000
        else f"{count / 1000:.0f} kB"
    )
