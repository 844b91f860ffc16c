"""A chosen part of a page made ready for rendering: links absolute, images as asked, nothing but structure."""

import re
from typing import Literal
from urllib.parse import urljoin, urlsplit

from gossamer.extractors.characters import clean
from gossamer.extractors.stages import spared
from gossamer.extractors.tree import Element, attr, drop_tags, drop_trees
from gossamer.extractors.writing.buttons import settle_buttons
from gossamer.extractors.writing.cards import link_words
from gossamer.extractors.writing.code import list_links
from gossamer.extractors.writing.copies import drop_copies
from gossamer.extractors.writing.maths import write_formulas
from gossamer.extractors.writing.notes import join_notes
from gossamer.extractors.writing.tables import unfold
from gossamer.model.page import View

MAX_URL_CHARS = 2_048
_UNLIKE_MARKS = {ord(sign): f"%{ord(sign):02X}" for sign in '<>|"`'}
"""Signs that no address has as they are, and with which one could look like a mark of ours or of a model's."""
_KEPT = {
    "a": {"href"},
    "img": {"src", "alt"},
    "code": {"class"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start"},
    "li": {"value"},
}
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ANCHOR_MARKS = frozenset({"", "#", "¶", "§", "🔗", "Link to this heading", "Permalink"})


def tidy(top: Element, view: View, *, base: str, page_url: str) -> int:
    """Make a part of the page ready, in place; return how many runs of invisible characters it held.

    Its code is settled already, but for texts that are set as code and hold links.
    """
    spared(write_formulas, None)(top)
    spared(join_notes, None)(top, page_url)
    spared(settle_buttons, None)(top)
    spared(list_links, None)(top)
    hidden = _clean_text(top)
    drop_trees(top, [img for img in top.iter("img") if not _is_kept_image(img, base, is_wanted=view.include_images)])
    _settle_links(top, base, page_url, is_wanted=view.include_links)
    spared(drop_copies, None)(top)
    spared(unfold, None)(top)
    if view.format == "html":
        _drop_attributes(top)
    return hidden


def _drop_attributes(top: Element) -> None:
    """Leave only attributes that say something of the structure."""
    for el in top.iter("*"):
        kept = _KEPT.get(el.tag, set[str]())
        for name in [name for name in el.attrib if name not in kept]:
            del el.attrib[name]


def absolute(address: str, base: str) -> str:
    """The http(s) address behind a link, empty for any other kind."""
    address = re.sub(r"[\x00-\x20\x7f]+", " ", address).strip().replace(" ", "%20")
    try:
        full = address if address.startswith(("https://", "http://")) else urljoin(base, address)
        parts = urlsplit(full)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.netloc or len(full) > MAX_URL_CHARS:
        return ""
    return clean(full)[0].translate(_UNLIKE_MARKS)


def _clean_text(top: Element) -> int:
    hidden = 0
    everything = "".join(top.itertext())
    if clean(everything)[0] is everything:
        return 0
    for el in top.iter("*"):
        el.text, one = clean(el.text or "")
        el.tail, two = clean(el.tail or "")
        hidden += one + two
    return hidden


def _is_kept_image(img: Element, base: str, *, is_wanted: bool) -> bool:
    """Keep an image as text and absolute address, or only its text when the address is none of the web."""
    if not is_wanted:
        return False
    alt = " ".join(clean(attr(img, "alt")[:1000])[0].split())
    source = attr(img, "src")
    if not source or source.startswith("data:"):
        source = attr(img, "data-src") or attr(img, "data-original") or attr(img, "srcset").split(" ")[0]
    address = absolute(source, base) if source else ""
    if address:
        img.attrib.clear()
        img.set("src", address)
        img.set("alt", alt)
        return True
    img.tail = f"{alt}{img.tail or ''}"
    return False


def _settle_links(top: Element, base: str, page_url: str, *, is_wanted: bool) -> None:
    """Make links absolute; a mere jump within the page, one of another kind or unwanted becomes plain text."""
    nested: set[Element] = set()
    marks: list[Element] = []
    plain: list[Element] = []
    for link in list(top.iter("a")):
        if link in nested:
            plain.append(link)
            continue
        nested.update(inner for inner in link.iter("a") if inner is not link)
        kind = _kind(link, base, page_url, is_wanted=is_wanted)
        if kind != "link":
            (marks if kind == "mark" else plain).append(link)
    drop_trees(top, marks)
    drop_tags(top, plain)


def _kind(link: Element, base: str, page_url: str, *, is_wanted: bool) -> Literal["link", "mark", "text"]:
    """What a link is: one of the web, made absolute, the mark of a heading, or mere text."""
    href, text = attr(link, "href").strip(), "".join(link.itertext()).strip()
    is_jump = href.startswith("#") or "href" not in link.attrib
    address = absolute(href, base) if href and not is_jump else ""
    is_within = is_jump or ("#" in address and address.partition("#")[0] == page_url.partition("#")[0])
    has_image = any(True for _ in link.iter("img"))
    if is_within and (text in _ANCHOR_MARKS or "headerlink" in attr(link, "class")) and not has_image:
        return "mark"
    is_title = is_within and any(True for _ in link.iterancestors(*_HEADINGS))
    if not is_wanted or not address or is_title or (not text and not has_image):
        return "text"
    link.set("href", address)
    link_words(link, text)
    return "link"
