"""Element tree of a page: the one file that touches lxml, which has no types, so that the others can be checked.

Before parsing, the markup is repaired where browsers nest it otherwise than our parser, so that hidden text stays
inside what hides it. Three habits of browsers matter: an end tag inside a template, a list of choices, an object or a
`noscript` closes nothing outside it; the end tags of body and page close nothing at all; and a slash does not close an
element, so that what follows `<script/>` is script as far as the next end of one.
"""

import re
from collections.abc import Collection, Iterable, Iterator, MutableMapping
from copy import deepcopy
from functools import lru_cache
from html import escape
from itertools import islice
from typing import Any, Protocol, cast

from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]  # no types

from gossamer.extractors.invisible_characters import UNHELD, holdable

_RAW_NAMES = "script|style|textarea|title|xmp|iframe|noembed|noframes"
_VOID_NAMES = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_TOKEN = re.compile(
    rf"<!--|<(?:(?P<raw>{_RAW_NAMES})|(?P<seal>template|noscript|select|object|applet))(?=[\s/>])"
    r"|</(?:body|html)\s*>|/>",
    re.IGNORECASE,
)
_INSIDE = re.compile(rf"<!--|<(?:(?P<raw>{_RAW_NAMES})(?=[\s/>])|(?P<end>/?)(?P<name>[a-zA-Z][\w-]*))", re.IGNORECASE)
_VOID = frozenset(_VOID_NAMES.split("|"))
_OPENING = re.compile(r"<([a-zA-Z][a-zA-Z0-9-]*)(?=[\s/])")
_COULD_HIDE = re.compile(r"\b(?:hidden|style|class|id)\b", re.IGNORECASE)
_UNQUOTED = re.compile(r"=[^\s\"'<>=]*$")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_MAX_TAG_CHARS = 4_000
_DRAWING = re.compile(r"<(/?)(?:svg|math)(?=[\s/>])", re.IGNORECASE)
_UNENDED = "unended"
_MAX_UNENDED = 10
"""After as many objects without an end, no other is sought one for: each search may go through the whole page."""
_COMMENT_END = re.compile(r"--!?>")
_FOREIGN_NAMES = "svg math path g use circle rect line polyline polygon ellipse text tspan a style script title iframe"
_FOREIGN = frozenset(_FOREIGN_NAMES.split())
_NOT_MATHS = frozenset({"main", "map", "mark", "marquee", "menu", "meter"})
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW_NAMES.split("|")}
_etree = cast("Any", etree)
_html = cast("Any", html)
_read_path = lru_cache(maxsize=64)(_etree.XPath)


def repair_markup(text: str) -> str:
    """The same page, nested by the parser as browsers nest it."""
    parts: list[str] = []
    start = at = 0
    ends: dict[str, int] = {}
    foreign = _Foreign(text)
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match[0] == "<!--":
            at = _comment_end(text, at)
        elif match["raw"]:
            slash = _slash(text, at)
            is_foreign = slash >= 0 and foreign.is_at(match.start())
            end = at if is_foreign else _after(text, match["raw"].lower(), at, ends)
            if slash >= 0 and not is_foreign and end < len(text):
                parts += (text[start:slash], " ")
                start = slash + 1
            at = end if slash < 0 or end < len(text) else at
        elif match["seal"] and ends.get(_UNENDED, 0) < _MAX_UNENDED:
            cuts, at = _stray_ends(text, match["seal"].lower(), at, ends)
            for cut_start, cut_end in cuts:
                parts.append(text[start:cut_start])
                start = cut_end
        elif match[0] == "/>":
            if _is_open(text, max(start, match.start() - _MAX_TAG_CHARS), match.start()):
                parts += (text[start : match.start()], " >")
                start = at
        elif match[0].startswith("</"):
            parts.append(text[start : match.start()])
            start = at
    return "".join((*parts, text[start:])) if parts else text


def _slash(text: str, at: int) -> int:
    """Where the slash stands that ends the tag round `at`; -1 when none does."""
    end = text.find(">", at, at + _MAX_TAG_CHARS)
    return end - 1 if end > 0 and text[end - 1] == "/" and not _UNQUOTED.search(text[at : end - 1]) else -1


class _Foreign:
    """Tells, place by place, whether drawings and formulas are open: in them a slash does close an element."""

    def __init__(self, text: str) -> None:
        self._tags = _DRAWING.finditer(text)
        self._next = next(self._tags, None)
        self._depth = 0

    def is_at(self, place: int) -> bool:
        """Whether a place, behind all asked for before, stands in one."""
        while self._next is not None and self._next.start() < place:
            self._depth = max(0, self._depth - 1) if self._next[1] else self._depth + 1
            self._next = next(self._tags, None)
        return self._depth > 0


def _is_open(text: str, since: int, slash: int) -> bool:
    """Whether the tag that ends in a slash stays open in a browser, and could be one that hides.

    A slash behind a tag that has ended is text: pages show code like `<slot/>` in which only `<` is written otherwise.
    """
    tag = text[max(since, text.rfind("<", since, slash)) : slash]
    match = _OPENING.match(tag)
    if match is None or not _COULD_HIDE.search(tag) or _UNQUOTED.search(tag) or ">" in _QUOTED.sub("", tag):
        return False
    name = match[1].lower()
    is_foreign = name in _FOREIGN or name.startswith("fe") or (name.startswith("m") and name not in _NOT_MATHS)
    return not is_foreign and name not in _VOID


def _stray_ends(text: str, seal: str, at: int, ends: dict[str, int]) -> tuple[list[tuple[int, int]], int]:
    """End tags inside a sealed element that belong to elements outside it, and where the sealed element ends.

    An object that never ends is somebody's mistake, not a way to hide: what it holds would be shown.
    """
    since, opened = at, {seal: 1}
    cuts: list[tuple[int, int]] = []
    while match := _INSIDE.search(text, at):
        at = match.end()
        if match[0] == "<!--":
            at = _comment_end(text, at)
            continue
        if match["raw"]:
            at = _after(text, match["raw"].lower(), at, ends)
            continue
        name = match["name"].lower()
        if not match["end"]:
            opened[name] = opened.get(name, 0) + (name != "noscript")
        elif opened.get(name, 0) > 0:
            opened[name] -= 1
            if name == seal and not opened[seal]:
                return cuts, at
        else:
            close = text.find(">", at)
            at = len(text) if close < 0 else close + 1
            cuts.append((match.start(), at))
    if seal not in {"object", "applet"}:
        return cuts, len(text)
    ends[_UNENDED] = ends.get(_UNENDED, 0) + 1
    return [], since


def _comment_end(text: str, at: int) -> int:
    if text.startswith((">", "->"), at):
        return at + 1
    match = _COMMENT_END.search(text, at)
    return match.end() if match else len(text)


def _after(text: str, name: str, at: int, ends: dict[str, int]) -> int:
    """The place behind the end tag of an element whose content is no markup, sought once for all if there is none."""
    if ends.get(name) == len(text):
        return len(text)
    match = _RAW_END[name].search(text, at)
    ends[name] = match.end() if match else len(text)
    return ends[name]


class _Node(_html.HtmlElement):
    """An element; one that a stage has taken out of the page is gone already for those that come after it."""

    def xpath(self, path: str) -> object:
        """What a path selects; one that is asked for again and again is read once."""
        return _read_path(path)(self)

    def drop_tree(self) -> None:
        """Remove the element and all below; the text after it stays."""
        if self.getparent() is not None:
            _html.HtmlElement.drop_tree(self)

    def drop_tag(self) -> None:
        """Remove the element and keep what is in it."""
        if self.getparent() is not None:
            _html.HtmlElement.drop_tag(self)


_ALIKE = _etree.ElementDefaultClassLookup(element=_Node, comment=_html.HtmlComment)
"""One class for all elements: to look up one of its own for each tag costs more than all else that is done with it."""
_MAKER = _html.HTMLParser()
_MAKER.set_element_class_lookup(_ALIKE)
_GONE = "gone"
_MAX_HELD = 100_000
_OF_HEAD = frozenset({"title", "meta", "link", "base", "script", "style", "noscript", "template"})
_NUMBERED = re.compile(
    r"&#(?:0*(?:[1-8]|1[124-9]|2\d|3[01]|6553[45])|x0*(?:[1-8bcef]|1[0-9a-f]|fff[ef]))(?![0-9a-f])", re.IGNORECASE
)
"""Such characters by their number."""


class Element(Protocol):
    """What we use of an lxml element."""

    tag: str
    text: str | None
    tail: str | None

    @property
    def attrib(self) -> MutableMapping[str, str]:
        """The attributes, names in lower case."""
        ...

    def __len__(self) -> int: ...
    def __iter__(self) -> "Iterator[Element]": ...
    def __reversed__(self) -> "Iterator[Element]": ...
    def get(self, key: str) -> str | None:
        """An attribute; `attr` gives it as text."""
        ...

    def keys(self) -> list[str]:
        """The names of the attributes."""
        ...

    def set(self, key: str, value: str) -> None:
        """Set an attribute."""
        ...

    def iter(self, *tags: str) -> "Iterator[Element]":
        """This element and all below in page order; `*` leaves comments out."""
        ...

    def iterancestors(self, *tags: str) -> "Iterator[Element]":
        """The elements round this one, nearest first."""
        ...

    def getparent(self) -> "Element | None":
        """The element round this one."""
        ...

    def getprevious(self) -> "Element | None":
        """The sibling before."""
        ...

    def getnext(self) -> "Element | None":
        """The sibling after."""
        ...

    def append(self, element: "Element") -> None:
        """Put an element at the end of this one."""
        ...

    def insert(self, at: int, element: "Element") -> None:
        """Put an element, with the text after it, before the child at `at`."""
        ...

    def itertext(self) -> "Iterator[str]":
        """All text below, comments included."""
        ...

    def xpath(self, path: str) -> "list[Element]":
        """Elements that a path selects."""
        ...

    def drop_tree(self) -> None:
        """Remove the element and all below; the text after it stays."""
        ...

    def drop_tag(self) -> None:
        """Remove the element and keep what is in it."""
        ...


def parse(text: str) -> Element | None:
    """Build the tree of a page; None when there is nothing in it.

    The text goes in as UTF-8 bytes: whatever charset the page names was settled before. `huge_tree` lifts two
    silent losses of the parser, text deeper than 256 levels and text longer than 10 MB; the scan before this and
    the limits of the process bound the cost instead.
    """
    parser = _html.HTMLParser(encoding="utf-8", huge_tree=True, remove_pis=True)
    parser.set_element_class_lookup(_ALIKE)
    if UNHELD.search(text):
        text = holdable(text)  # before there are names of tags and attributes, which no tree lets anybody mend
    sound = repair_markup(text).encode("utf-8", "replace")
    try:
        root = _html.document_fromstring(sound, parser=parser, ensure_head_body=True)
    except _etree.ParserError:
        return None
    page = cast("Element", root)
    _free_head(page)
    if _NUMBERED.search(text):
        _hold(page)
    return page


def _hold(page: Element) -> None:
    """Replace the characters that the parser lets into a tree and that nobody could write into it again."""
    for el in page.iter("*"):
        if el.text and UNHELD.search(el.text):
            el.text = holdable(el.text)
        if el.tail and UNHELD.search(el.tail):
            el.tail = holdable(el.tail)
        for name, value in el.attrib.items():
            if UNHELD.search(value):
                el.set(name, holdable(value))


def held(page: Element) -> list[Element]:
    """The nodes of a page, not all of a very large one: while somebody holds them, none is made anew when it is met."""
    return list(islice(page.iter(), _MAX_HELD))


def _free_head(page: Element) -> None:
    """Move content out of the head, where the parser leaves newer elements of a page that never opens its body.

    A body that is opened within such an element is none of its own, as in a browser: the first sign of content was.
    """
    head = next(page.iter("head"))
    for late in list(head.iter("body")):
        late.drop_tag()
    whole = body(page)
    strays = list(head)
    while strays and strays[0].tag in _OF_HEAD:
        strays.pop(0)
    for at, stray in enumerate(strays):
        whole.insert(at, stray)


def element(tag: str) -> Element:
    """Make an element of its own."""
    return cast("Element", _MAKER.makeelement(tag))


def copy(root: Element) -> Element:
    """Make a second tree."""
    return deepcopy(root)


def children(el: Element) -> "Iterator[Element]":
    """The elements directly in an element, comments left out."""
    return cast("Any", el).iterchildren("*")


def with_attribute(root: Element, name: str) -> "list[Element]":
    """The elements from `root` down that have an attribute, in page order."""
    return cast("Any", root).xpath(f"descendant-or-self::*[@{name}]")


def outermost(root: Element, tags: Collection[str]) -> list[Element]:
    """The elements of some kinds that do not stand within another of them, in page order."""
    walk = _etree.iterwalk(root, events=("start",), tag=tuple(tags))
    outer: list[Element] = []
    for _, el in walk:
        outer.append(el)
        walk.skip_subtree()
    return outer


def is_element(node: Element) -> bool:
    """Whether a node is an element and no comment."""
    return isinstance(cast("Any", node.tag), str)


def comments(root: Element) -> list[Element]:
    """All comments of the page."""
    return list(cast("Any", root).iter(_etree.Comment))


def drop_comments(root: Element) -> None:
    """Remove all comments; the text after each stays."""
    _etree.strip_elements(root, _etree.Comment, with_tail=False)


def drop_trees(root: Element, elements: Iterable[Element]) -> None:
    """Remove elements below `root` with all in them; the text after each stays.

    One by one each text would be joined to all before it, which takes time by the square of their number.
    """
    for el in elements:
        el.tag = _GONE
    _etree.strip_elements(root, _GONE, with_tail=False)


def drop_tags(root: Element, elements: Iterable[Element]) -> None:
    """Remove elements below `root` and keep what is in them, in one go as well."""
    for el in elements:
        el.tag = _GONE
    _etree.strip_tags(root, _GONE)


def doctype(root: Element) -> str:
    """The document type of a page; the parser gives an old one to a page without any."""
    return str(cast("Any", root).getroottree().docinfo.doctype)


def serialise(root: Element) -> str:
    """Write an element as HTML, without the text after it."""
    return cast("str", _html.tostring(root, encoding="unicode", with_tail=False))


def inner_html(root: Element) -> str:
    """What stands in an element, as HTML."""
    inside = "".join(cast("str", _html.tostring(child, encoding="unicode")) for child in root)
    return f"{escape(root.text or '', quote=False)}{inside}"


def words(root: Element) -> str:
    """All text of an element on one line."""
    return " ".join("".join(root.itertext()).split())


def body(root: Element) -> Element:
    """The body of a page; `parse` makes sure there is one."""
    return next(root.iter("body"), root)


def classes(el: Element) -> list[str]:
    """The class names of an element."""
    return attr(el, "class").split()


def attr(el: Element, name: str) -> str:
    """An attribute, empty when the element lacks it."""
    return el.get(name) or ""
