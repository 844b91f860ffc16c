"""Documentation sites: pages of tools that mark their content outright, so that nothing has to be chosen.

On such a page every block and table is wanted, an index made of nothing but links included; a judge of single blocks
would take that for navigation. Each mark is one that a tool writes around the text of a page and nothing else. What a
tool lays out with elements that mean something else is written as what it is: a signature is a line of code and no
table; a summary in boxes is a table; a heading in the first row of a table stands above it.
"""

import re
from collections.abc import Iterator
from itertools import islice

from gossamer.extractors.html.content.doc_site_markers import (
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
from gossamer.extractors.html.tree import Element, attr, children, classes, drop_trees, element, words

_SIGNATURES = frozenset({"memname", "mlabels"})
_LABEL = "mlabel"
_AFTER_OPENING = re.compile(r" ?\( ")
_BEFORE_CLOSING = re.compile(r" ([),])")
_DECLARATIONS = "memberdecls"
_GRID = "summary-table"
_GRID_HEAD = "table-header"
_HEADINGS = ("h2", "h3")
_OF_TABLES = ("tbody", "tr", "td", "th")
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


def documentation_content(whole: Element, made_by: str = "") -> Element | None:
    """The part of a page that its tool marks as content, without what leads elsewhere; None on any other page.

    `made_by` is the tool that the page names.
    """
    page = Page(whole=whole, generator=made_by.strip().lower(), named=_named(whole))
    marked = _marked(page)
    outermost_parts = [el for el in marked if marked.keys().isdisjoint(el.iterancestors())]
    if not outermost_parts and (plain := _plain(page)) is not None:
        outermost_parts, marked = [whole], {whole: plain}
    if len(outermost_parts) != 1 or _size(outermost_parts[0]) < max(1, _SHARE * _size(whole)):
        return None
    top, mark = outermost_parts[0], marked[outermost_parts[0]]
    texts = list(top.iterancestors("main", "article"))
    heads, tails = mark.head(top, page), mark.tail(top, page)
    if mark.title:
        _write_title(top, heads, mark.title)
    title = None if heads else _title_outside(top, texts[-1] if texts else whole)
    container = texts[0] if texts else top if title is None else whole
    if mark.is_part and _size(top) < _MOST * _size(container):
        return None
    _put_round(top, [title] if title is not None else heads, tails)
    away = [el for el in top.iter("*") if el is not top and _leads_away(el, mark.asides)]
    drop_trees(top, [*away, *(el for el in top if mark.is_indexed and attr(el, "href").startswith("#"))])
    normalise_layouts(top)
    return top


def _named(whole: Element) -> dict[str, Element]:
    named: dict[str, Element] = {}
    for el in whole.iter("*"):
        if name := el.get("id"):
            named.setdefault(name, el)
    return named


def _marked(page: Page) -> dict[Element, Mark]:
    """The elements that a tool may have marked, each with the first mark that fits."""
    marks: dict[Element, Mark] = {}
    named = (el for el in page.whole.iter("article", "div", "main", "section") if _marks_of(el))
    for el in islice(named, _MAX_LOOKS):
        mark = next((candidate for candidate in _marks_of(el) if candidate.is_met(el, page)), None)
        parent = el.getparent()
        if mark is not None:
            marks[parent if mark.is_round and parent is not None else el] = mark
    return marks


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


def _title_outside(top: Element, container: Element) -> Element | None:
    """The headline that some tools write above what they mark, and not the name of the site."""
    if next(top.iter("h1"), None) is not None:
        return None
    title = next(container.iter("h1"), None)
    is_site = title is not None and next(title.iterancestors("header", "nav", "aside", "footer"), None) is not None
    return None if is_site else title


def _size(el: Element) -> int:
    """How long a text is, what leads elsewhere aside."""
    size, stack = 0, [el]
    while stack:
        node = stack.pop()
        size += len((node.text or "").split())
        for child in node:
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


def normalise_layouts(top: Element) -> None:
    """Write signatures, summaries and headings of a manual plainly, in place."""
    signatures = [el for el in top.iter("table") if not _SIGNATURES.isdisjoint(classes(el))]
    inside = set(signatures)
    for table in signatures:
        if inside.isdisjoint(table.iterancestors("table")):
            _join_signature(table)
    for table in list(_called(top, "table", _DECLARATIONS)):
        _lift_heading(table)
    for grid in list(_called(top, "div", _GRID)):
        _make_table(grid)


def _called(top: Element, tag: str, name: str) -> Iterator[Element]:
    return (el for el in top.iter(tag) if name in classes(el))


def _join_signature(table: Element) -> None:
    """Doxygen gives each parameter cells of its own, and what it says of the whole stands round them in more."""
    labels = [el for el in table.iter("span") if _LABEL in classes(el)]
    labelled = "".join(f" [{words(el)}]" for el in labels)
    drop_trees(table, labels)
    for part in table.iter(*_OF_TABLES):
        part.text = f" {part.text or ''}"
    line = _AFTER_OPENING.sub("(", words(table))
    drop_trees(table, list(table))
    table.attrib.clear()
    table.tag, table.text = "pre", _BEFORE_CLOSING.sub(r"\1", line) + labelled


def _lift_heading(table: Element) -> None:
    """Doxygen begins a table of declarations with a heading of what is declared."""
    row = next(table.iter("tr"), None)
    heading = next(row.iter(*_HEADINGS), None) if row is not None else None
    if row is None or heading is None or words(heading) != words(row):
        return
    heading.tail = ""
    rest = element("table")
    for child in [heading, *table]:
        (table if child is heading else rest).append(child)
    drop_trees(rest, [row])
    table.append(rest)
    table.tag = "div"


def _make_table(grid: Element) -> None:
    """Javadoc writes the cells of a summary one after the other, those of its head first."""
    cells = list(children(grid))
    width = sum(1 for cell in cells if _GRID_HEAD in classes(cell))
    if not width or len(cells) % width or any(cell.tag != "div" for cell in cells):
        return
    for start in range(0, len(cells), width):
        row = element("tr")
        for cell in cells[start : start + width]:
            cell.tag, cell.tail = ("th" if _GRID_HEAD in classes(cell) else "td"), ""
            row.append(cell)
        grid.append(row)
    grid.tag = "table"
