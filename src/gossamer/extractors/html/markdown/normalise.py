"""Normalisation before rendering: absolute links, images as asked, labelled footnotes; and the outgoing links."""

import re
from itertools import islice, pairwise
from typing import Literal
from urllib.parse import urljoin, urlsplit

from gossamer.extractors.html.best_effort import best_effort
from gossamer.extractors.html.markdown.code_blocks import list_links
from gossamer.extractors.html.markdown.html_tables import unfold
from gossamer.extractors.html.markdown.link_furniture import drop_link_furniture
from gossamer.extractors.html.markdown.math_tex import write_formulas
from gossamer.extractors.html.markdown.renderer import BLOCKS
from gossamer.extractors.html.tree import (
    Element,
    attr,
    children,
    classes,
    drop_tags,
    drop_trees,
    element,
    is_element,
    words,
)
from gossamer.extractors.invisible_characters import clean, clean_line
from gossamer.model.page import MAX_LINKS, Link, View

_LABEL = re.compile(r"[\[(]?\s*(?P<label>[\w*†‡§¶.-]{1,8})\s*[\])]?")
_HINT = re.compile(r"foot-?note|end-?note|note-?ref|^fn|[-_]fn|cite[-_]|reference|sidenote|ftn", re.IGNORECASE)
_BACK = re.compile(
    r"[\s\[\]()^↑↩↵⏎⬆⤴↖←\ufe0e\ufe0f]*(?:jump up|jump up to|back|return|go back|back to (?:text|content|reference))?"
    r"[\s\[\]()^↑↩↵⏎⬆⤴↖←\ufe0e\ufe0f:]*",
    re.IGNORECASE,
)
_NOTE_TAGS = frozenset({"li", "p", "div", "aside", "dd", "dt", "section", "span", "td"})
_BACK_CHARS = 40
_MAX_PIECES = 20
_SHORT_LINK_CHARS = 200
"""A block this short is one run of words, whatever boxes arrange it."""
_BLOCK_NAMES = tuple(sorted(BLOCKS))
_FEWEST_CELLS = 4
_STEPS = 50
"""How many elements the next table is looked for behind."""
_SHORT_BUTTON_CHARS = 60
"""What is longer is text, whatever it stands in."""
_TITLES = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary", "legend")
_MORE = re.compile(r"\s*(?:show|read|see|view|load)\s+(?:more|less|all|full)\b", re.IGNORECASE)
_FOLDS = ("accordion", "collaps", "faq", "expand", "disclosure")
_TEXT_CHARS = 120
_ALL_CHARS = 16_000
"""Of all addresses together: pages are kept with their links."""
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


def join_notes(top: Element, page_url: str) -> None:
    """Write references as `[1]`, give their notes the same number, and remove the ways back."""
    page = page_url.partition("#")[0]
    links = [(link, name) for link in top.iter("a") if (name := _fragment(link, page))]
    wanted = {name for _, name in links}
    targets = {attr(el, "id"): el for el in top.xpath(".//*[@id]") if attr(el, "id") in wanted} if wanted else {}
    for link, name in links:
        text, note = _short(link), targets.get(name)
        match = _LABEL.fullmatch(text)
        if match and _is_reference(link, note):
            _to_number(link, match["label"])
            if note is not None:
                _number(note, match["label"])
        elif note is not None and 0 < len(text) <= _BACK_CHARS and _BACK.fullmatch(text) and _is_in_note(link):
            link.drop_tree()


def _short(link: Element) -> str:
    """The text of a link, empty when it is longer than a sign."""
    pieces = list(islice(link.itertext(), _MAX_PIECES + 1))
    return " ".join("".join(pieces).split()) if len(pieces) <= _MAX_PIECES else ""


def _fragment(link: Element, page: str) -> str:
    href = attr(link, "href")
    before, _, name = href.strip().partition("#") if "#" in href else (href, "", "")
    return name if before in {"", page} else ""


def _is_reference(link: Element, note: Element | None) -> bool:
    """Whether a link leads to a note: raised above the line, or said so at both ends."""
    parent = link.getparent()
    if (parent is not None and parent.tag == "sup") or next(link.iter("sup"), None) is not None:
        return note is None or note.tag in _NOTE_TAGS
    says_so = _says_note(link) or (parent is not None and _says_note(parent))
    return says_so and note is not None and note.tag in _NOTE_TAGS and _says_note(note)


def _says_note(el: Element) -> bool:
    names = (*classes(el), attr(el, "id"), attr(el, "role"), attr(el, "href").rpartition("#")[2])
    return any(_HINT.search(name[:80]) for name in names if name)


def _is_in_note(link: Element) -> bool:
    """Whether a link stands in a note, near its edge."""
    at: Element | None = link
    for _ in range(4):
        at = at.getparent() if at is not None else None
        if at is not None and _says_note(at):
            return True
    return False


def _to_number(link: Element, label: str) -> None:
    """Make a reference plain text in brackets."""
    for child in list(link):
        child.tail = ""
        child.drop_tree()
    link.text = f"[{label}]"
    parent = link.getparent()
    if parent is not None and parent.tag == "sup":
        parent.tag = "span"
    link.drop_tag()


def _number(note: Element, label: str) -> None:
    """Let a note begin with its number, unless it does already."""
    if note.tag == "li" and label.isascii() and label.isdigit():
        note.set("value", label)
        return
    begin = "".join(islice(note.itertext(), 8)).lstrip()
    if not begin.lstrip("[(^ ").startswith(label):
        first = next((el for el in note if el.tag == "p" and not (note.text or "").strip()), note)
        first.text = f"[{label}] {first.text or ''}"


def normalise(top: Element, view: View, *, base: str, page_url: str) -> int:
    """Make a part of the page ready, in place; return how many runs of invisible characters it held.

    Its code is settled already, but for texts that are set as code and hold links.
    """
    best_effort("formulas", write_formulas, None)(top)
    best_effort("references", join_notes, None)(top, page_url)
    best_effort("buttons", normalise_buttons, None)(top)
    best_effort("links", drop_link_furniture, None)(top)
    best_effort("code", list_links, None)(top)
    hidden = _clean_text(top)
    if not best_effort("links", _normalise_addresses, otherwise=False)(top, view, base=base, page_url=page_url):
        drop_trees(top, list(top.iter("img")))
        drop_tags(top, list(top.iter("a")))
    best_effort("tables", drop_copies, None)(top)
    best_effort("tables", unfold, None)(top)
    if view.format == "html":
        _drop_attributes(top)
    return hidden


def _normalise_addresses(top: Element, view: View, *, base: str, page_url: str) -> bool:
    """Settle images and links; True when all of them are."""
    drop_trees(top, [img for img in top.iter("img") if not _is_kept_image(img, base, is_wanted=view.include_images)])
    _normalise_links(top, base, page_url, is_wanted=view.include_links)
    return True


def _drop_attributes(top: Element) -> None:
    """Leave only attributes that say something of the structure."""
    for el in top.iter("*"):
        allowed = _KEPT.get(el.tag, set[str]())
        for name in [name for name in el.attrib if name not in allowed]:
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
        el.text, removed = clean(el.text or "")
        el.tail, two = clean(el.tail or "")
        hidden += removed + two
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


def _normalise_links(top: Element, base: str, page_url: str, *, is_wanted: bool) -> None:
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


def link_words(link: Element, text: str) -> None:
    """Move a link round blocks to the heading among them, to all words when they are few, else to the first block."""
    blocks = [el for el in link.iter(*_BLOCK_NAMES) if el is not link] if len(link) else []
    if not blocks:
        return
    heading = next((el for el in link.iter(*_HEADINGS) if _has_words(el)), None)
    if heading is None and len(text) <= _SHORT_LINK_CHARS and not any(el.tag in {"pre", "table"} for el in blocks):
        for el in blocks:
            el.tag = "span"
            el.text = f" {el.text or ''}"
            el.tail = f" {el.tail or ''}"
        return
    inner = heading if heading is not None else next((el for el in blocks if _has_own_words(el)), None)
    if inner is not None and inner.tag not in {"pre", "table", "tr", "ul", "ol", "dl"}:
        _wrap(inner, link.get("href") or "")
    link.drop_tag()


def _has_words(el: Element) -> bool:
    return any(text.strip() for text in el.itertext())


def _has_own_words(el: Element) -> bool:
    """Whether a block holds words, and no block inside it does."""
    return _has_words(el) and not any(True for part in el.iter(*_BLOCK_NAMES) if part is not el)


def _wrap(block: Element, address: str) -> None:
    """Make the content of a block a link."""
    inner = element("a")
    inner.set("href", address)
    inner.text, block.text = block.text, None
    for child in list(block):
        inner.append(child)
    block.append(inner)


def drop_copies(top: Element) -> None:
    """Leave out a table whose cells the next one says again, with not a word between the two."""
    for first, second in pairwise(list(top.iter("table"))):
        if _is_next(first, second):
            cells = _cells(first)
            if len(cells) >= _FEWEST_CELLS and cells == _cells(second):
                first.drop_tree()


def _cells(table: Element) -> list[str]:
    return sorted(text for cell in table.iter("td", "th") if (text := words(cell)))


def _is_next(first: Element, second: Element) -> bool:
    """Whether nothing that can be read stands between the end of a table and the begin of another."""
    el: Element | None = first
    is_behind = True
    for _ in range(_STEPS):
        if el is None or el is second:
            return el is second
        if ((el.tail if is_behind else el.text) or "").strip():
            return False
        inside = None if is_behind else next(iter(children(el)), None)
        if inside is not None:
            el = inside
        elif not is_behind:
            is_behind = True
        elif (after := el.getnext()) is not None:
            el, is_behind = after, False
        else:
            el = el.getparent()
    return False


def normalise_buttons(top: Element) -> None:
    """Keep the text of a button that is a title, or that folds a part of the content; take out the others."""
    buttons = [el for el in top.iter("button") if el is not top and len("".join(el.itertext())) <= _SHORT_BUTTON_CHARS]
    if not buttons:
        return
    wanted = {_shown(button) for button in buttons} - {""}
    parts = {name for el in top.iter("*") if (name := attr(el, "id")) in wanted and _has_words(el)}
    titles = [next(button.iterancestors(*_TITLES), None) for button in buttons]
    are_titles = [title is not None and _is_all(el, title) for el, title in zip(buttons, titles, strict=True)]
    folding = [_folds(button, parts) for button in buttons]
    for button, is_title, folds in zip(buttons, are_titles, folding, strict=True):
        if folds and not is_title:
            button.tag = "p"
    drop_tags(top, [button for button, is_title in zip(buttons, are_titles, strict=True) if is_title])
    drop_trees(top, [button for button in buttons if button.tag == "button"])


def _is_all(button: Element, title: Element) -> bool:
    """Whether a title holds one button and nothing else."""
    if sum(1 for _ in islice(title.iter("button"), 2)) > 1:
        return False
    button_words = "".join(button.itertext()).split()
    return bool(button_words) and button_words == "".join(title.itertext()).split()


def _folds(button: Element, parts: set[str]) -> bool:
    """Whether a button, but no tab, names a part of the content as what it shows, or the class says that it does."""
    if attr(button, "role") == "tab" or any(True for _ in button.iterancestors("pre", "nav")):
        return False
    shown = _shown(button)
    if _MORE.match("".join(button.itertext())):
        return False
    if shown:
        return shown in parts
    return _opens_next(button) or any(fold in name.lower() for name in classes(button) for fold in _FOLDS)


def _shown(button: Element) -> str:
    """The name of what a button says that it shows."""
    if named := attr(button, "aria-controls"):
        return named
    is_fold = "collapse" in {attr(button, "data-toggle"), attr(button, "data-bs-toggle")}
    target = (attr(button, "data-bs-target") or attr(button, "data-target")) if is_fold else ""
    return target[1:] if target.startswith("#") else ""


def _opens_next(button: Element) -> bool:
    """Whether a button that opens something stands first in its box, and text right behind it."""
    behind = button.getnext()
    if "aria-expanded" not in button.attrib or attr(button, "aria-haspopup") not in {"", "false"}:
        return False
    return button.getprevious() is None and behind is not None and is_element(behind) and _has_words(behind)


def read_links(top: Element) -> tuple[Link, ...]:
    """The first links of a tidied part, each address once, named by the first text that leads there."""
    links: dict[str, str] = {}
    left = _ALL_CHARS
    for el in top.iter("a"):
        url = attr(el, "href")
        name = clean_line("".join(el.itertext()), limit=_TEXT_CHARS) or _alt(el)
        if not url or not name or url in links:
            continue
        left -= len(url) + len(name)
        if left < 0 or len(links) == MAX_LINKS:
            break
        links[url] = name
    return tuple(Link(text=text, url=url) for url, text in links.items())


def _alt(el: Element) -> str:
    """The text of an image that is a link."""
    return next((text for img in el.iter("img") if (text := clean_line(attr(img, "alt"), limit=_TEXT_CHARS))), "")
