"""Element tree of a page: the one file that touches lxml, which has no types, so that the others can be checked."""

import re
from collections.abc import Collection, Iterable, Iterator, MutableMapping
from copy import deepcopy
from itertools import islice
from typing import Any, Protocol, cast

from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]  # no types

from gossamer.extractors.html.markup_repair import repair_markup
from gossamer.extractors.invisible_characters import UNHELD, holdable

_etree = cast("Any", etree)
_html = cast("Any", html)


class _Node(_html.HtmlElement):
    """An element; one that a stage has taken out of the page is gone already for those that come after it."""

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
_SPACE = re.compile(r"\s+")
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
    sound = repair_markup(text).encode("utf-8", "replace")
    try:
        root = _html.document_fromstring(sound, parser=parser, ensure_head_body=True)
    except _etree.ParserError:
        return None
    page = cast("Element", root)
    _free_head(page)
    if UNHELD.search(text) or _NUMBERED.search(text):
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


def words(root: Element) -> str:
    """All text of an element on one line."""
    return _SPACE.sub(" ", "".join(root.itertext())).strip()


def body(root: Element) -> Element:
    """The body of a page; `parse` makes sure there is one."""
    return next(root.iter("body"), root)


def classes(el: Element) -> list[str]:
    """The class names of an element."""
    return attr(el, "class").split()


def attr(el: Element, name: str) -> str:
    """An attribute, empty when the element lacks it."""
    return el.get(name) or ""
