"""EPUB: chapters in the order of the spine, each read as the web page that it is."""

import posixpath
from collections.abc import Iterator
from html import escape

from gossamer.errors import BrokenDocument, TooComplex
from gossamer.extractors.charset import decode
from gossamer.extractors.document_page import HtmlBuilder, document_page, visible_fragment
from gossamer.extractors.html.metadata.head import iso_date
from gossamer.extractors.html.tree import Element
from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.office.safe_xml import all_text, below, child, children, local, value
from gossamer.extractors.office.zip_package import Package, broken, resolved
from gossamer.model.page import Extracted, PageInfo, View

MAX_CHAPTERS = 2_000
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read_epub(package: Package, *, view: View) -> Extracted:
    """Read a book from cover to cover; a chapter without a heading gets the name that the contents give it."""
    name = _package_name(package)
    root = package.tree(name)
    if root is None:
        raise broken("book")
    folder = posixpath.dirname(name)
    chapters = list(_chapters(root, folder))
    locked = _locked(package)
    names = _names(package, root, folder)
    blocks, hidden, left_out = HtmlBuilder(), 0, 0
    for chapter in chapters[:MAX_CHAPTERS]:
        if chapter in locked:
            raise BrokenDocument("The book is encrypted.", hint="Look for an open version of it.")
        try:
            html, unseen, has_heading = visible_fragment(decode(package.read(chapter), is_html=True))
        except TooComplex:
            left_out += 1
            continue
        if html and not has_heading and names.get(chapter):
            blocks.heading(2, escape(names[chapter], quote=False))
        blocks.raw(html)
        hidden += unseen
        if blocks.is_full:
            break
    title, info = _about(root)
    message = _missing(left_out, len(chapters)) if left_out else ""
    return document_page(blocks.html(), view=view, title=title, info=info, hidden=hidden, message=message)


def _missing(count: int, total: int) -> str:
    return f"Some chapters cannot be read and are left out: {count:,} of {total:,}."


def _package_name(package: Package) -> str:
    root = package.tree("META-INF/container.xml")
    path = next((value(el, "full-path") for el in below(root, "rootfile")), "") if root is not None else ""
    return path or next((name for name in sorted(package.names) if name.endswith(".opf")), "")


def _items(root: Element, folder: str) -> Iterator[tuple[str, str, Element]]:
    manifest = child(root, "manifest")
    for item in children(manifest, "item") if manifest is not None else ():
        yield value(item, "id"), resolved(folder, value(item, "href")), item


def _chapters(root: Element, folder: str) -> Iterator[str]:
    pages = {id_: name for id_, name, item in _items(root, folder) if value(item, "media-type") in _PAGES}
    spine = child(root, "spine")
    for ref in children(spine, "itemref") if spine is not None else ():
        if value(ref, "idref") in pages:
            yield pages[value(ref, "idref")]


def _names(package: Package, root: Element, folder: str) -> dict[str, str]:
    """What the table of contents calls each chapter."""
    names: dict[str, str] = {}
    for _, name, item in _items(root, folder):
        is_old = value(item, "media-type") == "application/x-dtbncx+xml"
        if not is_old and "nav" not in value(item, "properties").split():
            continue
        try:
            contents = package.tree(name)
        except BrokenDocument:
            continue
        for el in below(contents, "navPoint", "a") if contents is not None else ():
            label, target = (child(el, "navLabel"), child(el, "content")) if local(el) == "navPoint" else (el, el)
            address = (value(target, "src") or value(target, "href")) if target is not None else ""
            if label is not None and address:
                title = clean_line(all_text(label), limit=200)
                names.setdefault(resolved(posixpath.dirname(name), address), title)
    return names


def _locked(package: Package) -> frozenset[str]:
    """The parts that only a bought reader can open."""
    root = package.tree("META-INF/encryption.xml")
    addresses = (value(el, "URI") for el in below(root, "CipherReference")) if root is not None else ()
    return frozenset(resolved("", name) for name in addresses)


def _about(root: Element) -> tuple[str, PageInfo]:
    fields: dict[str, str] = {}
    for el in below(root, "title", "creator", "date", "language", "publisher", "description"):
        fields.setdefault(local(el), all_text(el))
    info = PageInfo(
        author=clean_line(fields.get("creator", ""), limit=200),
        published=iso_date(fields.get("date", "")),
        site_name=clean_line(fields.get("publisher", ""), limit=200),
        description=clean_line(fields.get("description", ""), limit=1000),
        language=clean_line(fields.get("language", ""), limit=35),
    )
    return clean_line(fields.get("title", ""), limit=300), info
