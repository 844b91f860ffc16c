"""A chosen part of a page made ready for rendering: links absolute, images as asked, nothing but structure."""

import re
from urllib.parse import urljoin, urlsplit

from gossamer.extractors.characters import clean
from gossamer.extractors.code import plain_code
from gossamer.extractors.tree import Element, attr, element
from gossamer.model.page import View

MAX_URL_CHARS = 2_048
_KEPT = {
    "a": {"href"},
    "img": {"src", "alt"},
    "code": {"class"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start"},
}
_ANCHOR_MARKS = frozenset({"", "#", "¶", "§", "🔗", "Link to this heading", "Permalink"})
_FORMULA = re.compile(r"math|latex|\btex\b", re.IGNORECASE)
_TABLE_PARTS = ("thead", "tbody", "tfoot", "tr", "td", "th")
_BLOCK_PARTS = ("p", "div", "ul", "ol", "dl", "table", "pre", "blockquote")
_SHORT_BUTTON = 60


def tidy(top: Element, view: View, *, base: str, page_url: str) -> int:
    """Make a part of the page ready, in place; return how many runs of invisible characters it held."""
    _formulas(top)
    for button in list(top.iter("button")):
        if len("".join(button.itertext())) <= _SHORT_BUTTON and button is not top:
            button.drop_tree()
    plain_code(top)
    hidden = _clean_text(top)
    for img in list(top.iter("img")):
        _image(img, base, is_wanted=view.include_images)
    for link in list(top.iter("a")):
        _link(link, base, page_url, is_wanted=view.include_links)
    _layout_tables(top)
    if view.format != "html":
        _definitions(top)
    for el in top.iter("*"):
        kept = _KEPT.get(el.tag, set[str]())
        for name in [name for name in el.attrib if name not in kept]:
            del el.attrib[name]
    return hidden


def _definitions(top: Element) -> None:
    """Put a term and its meaning into one paragraph: Markdown has no definition list, and apart both are riddles."""
    for meaning in list(top.iter("dd")):
        term = meaning.getprevious()
        if term is None or term.tag != "dt" or any(True for _ in meaning.iter(*_BLOCK_PARTS)):
            continue
        name = element("strong")
        name.text, term.text = term.text, None
        for child in list(term):
            name.append(child)
        name.tail = f": {(meaning.text or '').lstrip()}"
        term.append(name)
        for child in list(meaning):
            term.append(child)
        term.tag = "p"
        meaning.drop_tree()


def absolute(address: str, base: str) -> str:
    """The http(s) address behind a link, empty for any other kind."""
    address = re.sub(r"[\x00-\x20\x7f]+", " ", address).strip().replace(" ", "%20")
    try:
        full = urljoin(base, address)
        parts = urlsplit(full)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.netloc or len(full) > MAX_URL_CHARS:
        return ""
    return clean(full)[0]


def _clean_text(top: Element) -> int:
    hidden = 0
    for el in top.iter("*"):
        el.text, one = clean(el.text or "")
        el.tail, two = clean(el.tail or "")
        hidden += one + two
    return hidden


def _formulas(top: Element) -> None:
    """Show a formula once, as its TeX source where the page has it."""
    for math in list(top.iter("math")):
        source = next((el for el in math.iter("annotation") if "tex" in attr(el, "encoding")), None)
        if source is not None:
            text = f"${(source.text or '').strip()}$"
            for child in list(math):
                child.tail = ""
                child.drop_tree()
            math.text = text
    for img in list(top.iter("img")):
        if _FORMULA.search(attr(img, "class")) and attr(img, "alt"):
            img.tag = "span"
            img.text = f"${attr(img, 'alt')[:2000]}$"


def _image(img: Element, base: str, *, is_wanted: bool) -> None:
    """Keep an image as text and absolute address, or only its text when the address is none of the web."""
    alt = " ".join(clean(attr(img, "alt")[:1000])[0].split())
    source = attr(img, "src")
    if not source or source.startswith("data:"):
        source = attr(img, "data-src") or attr(img, "data-original") or attr(img, "srcset").split(" ")[0]
    address = absolute(source, base) if source else ""
    if is_wanted and address:
        img.attrib.clear()
        img.set("src", address)
        img.set("alt", alt)
        return
    if is_wanted and alt:
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


def _layout_tables(top: Element) -> None:
    """Unfold tables that only arrange the page: they hold tables, or headings and paragraphs, or say so."""
    for table in list(top.iter("table")):
        cells = sum(1 for _ in table.iter("td", "th"))
        is_nested = sum(1 for _ in table.iter("table")) > 1
        if attr(table, "role") not in {"presentation", "none"} and not is_nested and cells > 1:
            continue
        parts = [el for el in table.iter(*_TABLE_PARTS) if next(el.iterancestors("table"), None) is table]
        for el in (table, *parts):
            el.tag = "div"
