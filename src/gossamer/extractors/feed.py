"""RSS, Atom and JSON feeds as titled entries; sitemaps as a list of addresses."""

from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from html import escape
from typing import Any, cast

from gossamer.errors import TooComplex
from gossamer.extractors.document_page import HtmlBuilder, document_page, visible_fragment
from gossamer.extractors.html.metadata.head import iso_date
from gossamer.extractors.html.tree import Element
from gossamer.extractors.invisible_characters import clean_line
from gossamer.extractors.office.safe_xml import all_text, as_html, below, child, children, local, parse_xml, value
from gossamer.model.page import Extracted, PageInfo, View

MAX_ENTRIES = 1_000
MAX_ADDRESSES = 50_000
_TEXTS = ("encoded", "content", "description", "summary")
"""Where an entry's text may be, the longest kind first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    title: str
    link: str
    date: str
    author: str
    html: str


def read_feed(text: str, *, url: str, view: View) -> Extracted:
    """Read RSS or Atom; entries keep their order, and their HTML is cleaned as a page's is."""
    root = parse_xml(text, forgives=True)
    channel = child(root, "channel")
    head = channel if channel is not None else root
    entries = list(below(root, "item", "entry"))
    message = _too_many(len(entries))
    return _feed_page(
        head_title=_child_text(head, "title"),
        description=_child_text(head, "description") or _child_text(head, "subtitle"),
        entries=(_entry(el) for el in entries[:MAX_ENTRIES]),
        url=url,
        view=view,
        message=message,
        language=_child_text(head, "language") or value(root, "lang"),
    )


def read_json_feed(feed: dict[str, Any], *, url: str, view: View) -> Extracted:
    """Read a JSON Feed."""
    listed = _objects(feed.get("items"))
    return _feed_page(
        head_title=str(feed.get("title", "")),
        description=str(feed.get("description", "")),
        entries=(_json_entry(item) for item in listed[:MAX_ENTRIES]),
        url=url,
        view=view,
        message=_too_many(len(listed)),
        language=str(feed.get("language", "")),
    )


def read_sitemap(text: str, *, url: str, view: View) -> Extracted:
    """List the addresses of a sitemap, or of the sitemaps that an index names, with their days."""
    root = parse_xml(text, forgives=True)
    entries = [el for el in root if local(el) in {"url", "sitemap"}]
    is_index = local(root) == "sitemapindex"
    blocks = HtmlBuilder()
    blocks.heading(1, "Sitemaps" if is_index else "Sitemap")
    for el in entries[:MAX_ADDRESSES]:
        address, day = _child_text(el, "loc"), iso_date(_child_text(el, "lastmod"))
        blocks.item(0, escape(address + (f" ({day})" if day else ""), quote=False))
    more = len(entries) - MAX_ADDRESSES
    message = f"The sitemap is long: its last {more:,} addresses are left out." if more > 0 else ""
    return document_page(blocks.html(), view=view, url=url, message=message)


def _feed_page(
    *,
    head_title: str,
    description: str,
    entries: Iterable[_Entry],
    url: str,
    view: View,
    message: str,
    language: str,
) -> Extracted:
    title, blocks = clean_line(_plain(head_title), limit=300), HtmlBuilder()
    blocks.heading(1, escape(title, quote=False))
    about, hidden = _visible(description[:20_000])
    blocks.raw(f"<div>{about}</div>" if about else "")
    left_out = 0
    for entry in entries:
        name = escape(clean_line(_plain(entry.title), limit=300) or "Untitled", quote=False)
        is_web = entry.link.startswith(("http:", "https:", "/"))
        blocks.heading(2, f'<a href="{escape(entry.link)}">{name}</a>' if is_web else name)
        blocks.paragraph(escape(", ".join(filter(None, (entry.date, entry.author))), quote=False))
        html, unseen = _visible(entry.html)
        left_out += html is None
        hidden += unseen
        blocks.raw(f"<div>{html}</div>" if html else "")
        if blocks.is_full:
            break
    if left_out:
        message = f"{message} Some entries' texts cannot be read and are left out: {left_out:,}.".strip()
    info = PageInfo(description=clean_line(_plain(description), limit=1000), language=clean_line(language, limit=35))
    return document_page(blocks.html(), view=view, url=url, title=title, info=info, hidden=hidden, message=message)


def _visible(html: str) -> tuple[str | None, int]:
    """A text without what is hidden, and how much was; None for one that cannot be read, which spoils no other."""
    try:
        visible, hidden, _ = visible_fragment(html)
    except TooComplex:
        return None, 0
    return visible, hidden


def _entry(el: Element) -> _Entry:
    link = _child_text(el, "link") or next(
        (value(anchor, "href") for anchor in children(el, "link") if value(anchor, "rel") in {"", "alternate"}), ""
    )
    dates = (_child_text(el, name) for name in ("pubDate", "published", "date", "updated"))
    author = child(el, "author")
    named = child(author, "name") if author is not None else None
    return _Entry(
        title=_child_text(el, "title"),
        link=link.strip() or (_child_text(el, "guid") if _child_text(el, "guid").startswith("http") else ""),
        date=next((day for date_text in dates if (day := _day(date_text))), ""),
        author=clean_line(
            (all_text(named) if named is not None else "") or _child_text(el, "creator") or _child_text(el, "author"),
            limit=200,
        ),
        html=next((html for name in _TEXTS if (html := _html(el, name))), ""),
    )


def _json_entry(item: dict[str, Any]) -> _Entry:
    def field_text(name: str) -> str:
        field = item.get(name)
        return field if isinstance(field, str) else ""

    names = [str(author.get("name", "")) for author in _objects(item.get("authors"))]
    return _Entry(
        title=field_text("title"),
        link=field_text("url") or field_text("external_url"),
        date=iso_date(field_text("date_published") or field_text("date_modified")),
        author=clean_line(", ".join(filter(None, names)), limit=200),
        html=field_text("content_html") or _paragraphs(field_text("content_text")) or field_text("summary"),
    )


def _objects(value: object) -> list[dict[str, Any]]:
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", entry) for entry in listed if isinstance(entry, dict)]


def _html(el: Element, name: str) -> str:
    """The text of an entry as HTML: escaped markup, XHTML elements, or plain text."""
    part = child(el, name)
    if part is None:
        return ""
    kind = value(part, "type")
    if kind == "xhtml":
        return as_html(part)
    text = all_text(part).strip()
    return _paragraphs(text) if kind in {"text", "text/plain"} else text


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(part, quote=False)}</p>" for part in text.split("\n\n") if part.strip())


def _child_text(el: Element, name: str) -> str:
    part = child(el, name)
    return all_text(part).strip() if part is not None else ""


def _plain(text: str) -> str:
    """A title without the markup that some feeds put into it."""
    if "<" not in text and "&" not in text:
        return text
    from gossamer.extractors.html.tree import parse, words

    root = parse(_visible(text[:4000])[0] or " ")
    return words(root) if root is not None else ""


def _day(text: str) -> str:
    if day := iso_date(text):
        return day
    try:
        return parsedate_to_datetime(text.strip()[:100]).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def _too_many(count: int) -> str:
    return f"The feed has {count:,} entries; the first {MAX_ENTRIES:,} are read." if count > MAX_ENTRIES else ""
