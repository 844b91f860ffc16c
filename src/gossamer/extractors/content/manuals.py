"""Manuals: pages of tools that mark their content outright, so that nothing has to be chosen.

On such a page every block and table is wanted, an index made of nothing but links included; a judge of single blocks
would take that for navigation. Each mark is one that a tool writes round the text of a page and nothing else.
"""

from itertools import islice

from gossamer.extractors.content.layouts import settle_layouts
from gossamer.extractors.content.marks import (
    BY_CLASS,
    BY_ID,
    BY_TAG,
    DOCBOOK,
    DOCBOOK_PARTS,
    PLAIN,
    READ_THE_DOCS,
    Mark,
    Page,
)
from gossamer.extractors.tree import Element, attr, classes, drop_trees

_MAX_LOOKS = 200
"""So many elements with the name of a mark are looked at: the first that is one stands round all others."""
_SHARE = 0.1
"""A marked part with less of the page's text is not its content."""
_MOST = 0.5
"""The same of the main part round it, what leads elsewhere aside: the front page of a manual has more than a text."""
_ASIDE = frozenset({"navigation", "complementary", "search"})
_ASIDE_NAMES = frozenset({"md-source-file", "md-content__button", "md-feedback", "theme-edit-this-page", "edit-link"})
"""Links to the source of a page, and what leads to its history."""
_LANDMARKS = frozenset({"nav", "aside", "footer"})
_SITE = ("nav", "main", "header", "footer", "aside")
_QUOTES = ("blockquote", "figure")


def manual(whole: Element, made_by: str = "") -> Element | None:
    """The part of a page that its tool marks as content, without what leads elsewhere; None on any other page.

    `made_by` is the tool that the page names.
    """
    page = Page(whole=whole, generator=made_by.strip().lower(), named=_named(whole))
    marked = _marked(page)
    found = [el for el in marked if marked.keys().isdisjoint(el.iterancestors())]
    if not found and (plain := _plain(page)) is not None:
        found, marked = [whole], {whole: plain}
    if len(found) != 1 or _size(found[0]) < max(1, _SHARE * _size(whole)):
        return None
    top, mark = found[0], marked[found[0]]
    texts = list(top.iterancestors("main", "article"))
    heads, tails = mark.head(top, page), mark.tail(top, page)
    if mark.title:
        _write_title(top, heads, mark.title)
    title = None if heads else _title_outside(top, texts[-1] if texts else whole)
    around = texts[0] if texts else top if title is None else whole
    if mark.is_part and _size(top) < _MOST * _size(around):
        return None
    _put_round(top, [title] if title is not None else heads, tails)
    away = [el for el in top.iter("*") if el is not top and _leads_away(el, mark.asides)]
    drop_trees(top, [*away, *(el for el in top if mark.is_indexed and attr(el, "href").startswith("#"))])
    settle_layouts(top)
    return top


def _named(whole: Element) -> dict[str, Element]:
    named: dict[str, Element] = {}
    for el in whole.iter("*"):
        if name := el.get("id"):
            named.setdefault(name, el)
    return named


def _marked(page: Page) -> dict[Element, Mark]:
    """The elements that a tool may have marked, each with the first mark that fits."""
    found: dict[Element, Mark] = {}
    named = (el for el in page.whole.iter("article", "div", "main", "section") if _marks_of(el))
    for el in islice(named, _MAX_LOOKS):
        mark = next((one for one in _marks_of(el) if one.is_met(el, page)), None)
        around = el.getparent()
        if mark is not None:
            found[around if mark.is_round and around is not None else el] = mark
    return found


def _marks_of(el: Element) -> list[Mark]:
    """The marks that an element's names may be."""
    marks: list[Mark] = []
    if names := el.get("class"):
        for name in names.split():
            marks += BY_CLASS.get(name, ())
        if names.lower() in DOCBOOK_PARTS and _has_titlepage(el):
            marks.append(DOCBOOK)
    if name := el.get("id"):
        marks += BY_ID.get(name, ())
    if el.get("itemprop") == "articleBody":
        marks.append(READ_THE_DOCS)
    marks += BY_TAG.get(el.tag, ())
    return marks


def _has_titlepage(el: Element) -> bool:
    return any(child.tag == "div" and attr(child, "class") == "titlepage" for child in islice(el, 2))


def _plain(page: Page) -> Mark | None:
    """How the tool writes that names itself on a page without marks, unless a site was built round it."""
    mark = next((mark for name, mark in PLAIN.items() if page.generator.startswith(name)), None)
    return None if next(page.whole.iter(*_SITE), None) is not None else mark


def _put_round(top: Element, heads: list[Element], tails: list[Element]) -> None:
    """Put what belongs to a text but stands outside it where it belongs."""
    for el in [*heads, *tails]:
        el.tail = ""
    if heads:
        heads[-1].tail, top.text = top.text, None
    for at, el in enumerate(heads):
        top.insert(at, el)
    for el in tails:
        top.append(el)


def _write_title(top: Element, heads: list[Element], name: str) -> None:
    """Make a heading of the line that a tool only calls the title."""
    lines = (el for part in (*heads, top) for el in part.iter("div", "p") if name in classes(el))
    if (line := next(lines, None)) is not None:
        line.tag = "h1"


def _title_outside(top: Element, around: Element) -> Element | None:
    """The headline that some tools write above what they mark, and not the name of the site."""
    if next(top.iter("h1"), None) is not None:
        return None
    title = next(around.iter("h1"), None)
    is_site = title is not None and next(title.iterancestors("header", "nav", "aside", "footer"), None) is not None
    return None if is_site else title


def _size(el: Element) -> int:
    """How long a text is, what leads elsewhere aside."""
    size, stack = 0, [el]
    while stack:
        one = stack.pop()
        size += len((one.text or "").split())
        for child in one:
            size += len((child.tail or "").split())
            if child.tag not in _LANDMARKS:
                stack.append(child)
    return size


def _leads_away(el: Element, asides: frozenset[str]) -> bool:
    """Whether a part of a manual is none of its text; the footer of a quotation says who is quoted."""
    if el.tag == "footer" and next(el.iterancestors(*_QUOTES), None) is not None:
        return False
    named = {attr(el, "id"), *classes(el)}
    is_aside = el.tag in {"nav", "footer"} or attr(el, "role").lower() in _ASIDE
    return is_aside or not _ASIDE_NAMES.isdisjoint(named) or not asides.isdisjoint(named)
