"""A chosen part of a page made ready for rendering: links absolute, images as asked, nothing but structure."""

import re
from urllib.parse import urljoin, urlsplit

from gossamer.extractors.characters import clean
from gossamer.extractors.tree import Element, attr
from gossamer.extractors.writing.cards import link_words
from gossamer.extractors.writing.code import plain_code
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
_ANCHOR_MARKS = frozenset({"", "#", "¶", "§", "🔗", "Link to this heading", "Permalink"})
_SHORT_BUTTON = 60


def tidy(top: Element, view: View, *, base: str, page_url: str) -> int:
    """Make a part of the page ready, in place; return how many runs of invisible characters it held."""
    write_formulas(top)
    join_notes(top, page_url)
    for button in list(top.iter("button")):
        if len("".join(button.itertext())) <= _SHORT_BUTTON and button is not top:
            button.drop_tree()
    plain_code(top, with_links=view.include_links)
    hidden = _clean_text(top)
    for img in list(top.iter("img")):
        _image(img, base, is_wanted=view.include_images)
    nested: set[Element] = set()
    for link in list(top.iter("a")):
        if link in nested:
            link.drop_tag()
            continue
        nested.update(inner for inner in link.iter("a") if inner is not link)
        _link(link, base, page_url, is_wanted=view.include_links)
    unfold(top)
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


def _image(img: Element, base: str, *, is_wanted: bool) -> None:
    """Keep an image as text and absolute address, or only its text when the address is none of the web."""
    if not is_wanted:
        img.drop_tree()
        return
    alt = " ".join(clean(attr(img, "alt")[:1000])[0].split())
    source = attr(img, "src")
    if not source or source.startswith("data:"):
        source = attr(img, "data-src") or attr(img, "data-original") or attr(img, "srcset").split(" ")[0]
    address = absolute(source, base) if source else ""
    if address:
        img.attrib.clear()
        img.set("src", address)
        img.set("alt", alt)
        return
    img.tail = f"{alt}{img.tail or ''}"
    img.drop_tree()


def _link(link: Element, base: str, page_url: str, *, is_wanted: bool) -> None:
    """Make a link absolute; one within the page, of another kind or unwanted becomes plain text."""
    href, text = attr(link, "href").strip(), "".join(link.itertext()).strip()
    is_anchor = href.startswith("#") or "href" not in link.attrib
    if (
        is_anchor
        and (text in _ANCHOR_MARKS or "headerlink" in attr(link, "class"))
        and not any(True for _ in link.iter("img"))
    ):
        link.drop_tree()
        return
    address = absolute(href, base) if href and not is_anchor else ""
    if address.partition("#")[0] == page_url.partition("#")[0] and "#" in address:
        address = ""
    if not is_wanted or not address or (not text and not any(True for _ in link.iter("img"))):
        link.drop_tag()
        return
    link.set("href", address)
    link_words(link, text)
