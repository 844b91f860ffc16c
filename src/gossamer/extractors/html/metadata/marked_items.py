"""Microdata and RDFa: the items that a page marks in its text, in the shape of JSON-LD's objects."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urljoin

from gossamer.extractors.html.metadata.json_ld import Node
from gossamer.extractors.html.tree import Element, attr

MAX_ELEMENTS = 4_000
"""Marked elements that are looked at."""
_MAX_STEPS = 200_000
"""Elements walked up in all, to find out which item a field belongs to."""
_TEXT_CHARS, _MAX_PIECES = 2_000, 400
_ALL_CHARS = 400_000
_MAX_LENDERS = 20
_LEADS = "\x00"
"""Begins an address that is not yet absolute; no attribute holds such a sign."""
_MAX_VALUES = 200
"""Values of one field."""
_ADDRESS_OF = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    "object": "data",
}
_VALUE_OF = {"data": "value", "meter": "value", "time": "datetime"}
_VOCABULARY = re.compile(r".*[/#:]")
_SOCIAL = ("og:", "fb:", "article:", "twitter:", "product:", "video:", "book:", "profile:", "music:", "al:")
"""Fields of the head that are no part of an item."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Syntax:
    """The attributes that mark an item, a field, a type and a name."""

    scope: str
    field: str
    type: str
    id: str


MICRODATA = _Syntax(scope="itemscope", field="itemprop", type="itemtype", id="itemid")
RDFA = _Syntax(scope="typeof", field="property", type="typeof", id="resource")

_SYNTAXES = (MICRODATA, RDFA)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """A field of an item: another item, what an attribute says, or the text of its element, which may be hidden."""

    item: Node
    names: list[str]
    el: Element
    value: Node | str | None


class MarkedItems:
    """The items of a page. They are found in the untouched page, and their texts read once its hidden parts are out."""

    def __init__(self, root: Element | None = None) -> None:
        """Find them; without a page there are none."""
        readers = [_Reader(root, syntax) for syntax in _SYNTAXES if root is not None and _has(root, syntax)]
        self._outermost = [item for reader in readers for item in reader.items()]
        self._entries = [entry for reader in readers for entry in reader.entries]

    def read(self, root: Element, base: str) -> list[Node]:
        """The outermost items, microdata first; addresses in them are absolute, and no text in them is hidden."""
        entries, self._entries = self._entries, []
        shown = {el for syntax in _SYNTAXES for el in _marked(root, syntax)} if entries else set[Element]()
        left = _ALL_CHARS
        for entry in entries:
            value = entry.value
            if value is None and entry.el in shown:
                value = _text(entry.el, min(_TEXT_CHARS, left))
                left -= len(value)
            elif isinstance(value, str) and value.startswith(_LEADS):
                value = _absolute(value.removeprefix(_LEADS), base)
            if value is not None and value != "":
                _add(entry.item, entry.names, value)
        return self._outermost


def _has(root: Element, syntax: _Syntax) -> bool:
    return bool(root.xpath(f"(descendant-or-self::*[@{syntax.scope}])[1]"))


def _marked(root: Element, syntax: _Syntax) -> list[Element]:
    """The first elements with an item or a field, in page order."""
    return root.xpath(f"(descendant-or-self::*[@{syntax.scope} or @{syntax.field}])[position() <= {MAX_ELEMENTS}]")


@dataclass(slots=True)
class _Reader:
    root: Element
    syntax: _Syntax
    entries: list[_Entry] = field(default_factory=list["_Entry"])
    _owners: dict[Element, Node] = field(default_factory=dict["Element", "Node"])
    """Which item an element opens, or lends its fields to."""
    _ids: dict[str, Element] | None = None
    _left: int = _MAX_STEPS

    def items(self) -> Iterator[Node]:
        """Every item that is no value of another; a field is an entry."""
        syntax = self.syntax
        for el in _marked(self.root, syntax):
            names = [] if attr(el, syntax.field).startswith(_SOCIAL) else _local(attr(el, syntax.field))
            owner = self._owner(el) if names else None
            if el.get(syntax.scope) is not None:
                self._owners[el] = item = self._opened(el)
                if owner is not None:
                    self.entries.append(_Entry(item=owner, names=names, el=el, value=item))
                elif not names:
                    yield item
            elif owner is not None:
                self.entries.append(_Entry(item=owner, names=names, el=el, value=_said(el)))

    def _opened(self, el: Element) -> Node:
        """A new item; what it refers to elsewhere on the page (`itemref`) lends it its fields."""
        types = _local(attr(el, self.syntax.type))
        item: Node = {"@type": types[0] if len(types) == 1 else types} if types else {}
        if named := attr(el, self.syntax.id).strip():
            item["@id"] = named[:_TEXT_CHARS]
        for wanted in attr(el, "itemref").split()[:_MAX_LENDERS] if self.syntax is MICRODATA else ():
            if (lender := self._named().get(wanted)) is not None:
                self._owners.setdefault(lender, item)
        return item

    def _named(self) -> dict[str, Element]:
        """The first element of each id, looked up once."""
        if self._ids is None:
            named = self.root.xpath(f"(descendant-or-self::*[@id])[position() <= {MAX_ELEMENTS}]")
            self._ids = {attr(el, "id"): el for el in reversed(named)}
        return self._ids

    def _owner(self, el: Element) -> Node | None:
        """The item of the nearest element round this one that has one; of one that lends itself, its borrower."""
        if el in self._owners:
            return self._owners[el]
        for ancestor in el.iterancestors("*"):
            if ancestor in self._owners:
                return self._owners[ancestor]
            self._left -= 1
            if self._left < 0:
                return None
        return None


def _said(el: Element) -> str | None:
    """What stands in the element's attribute for programs, else the address it leads to; None: its text counts."""
    for name in ("content", _VALUE_OF.get(el.tag, "content")):
        if written := attr(el, name).strip():
            return written[:_TEXT_CHARS]
    address = (attr(el, _ADDRESS_OF.get(el.tag, "href")) or attr(el, "resource")).strip()
    return f"{_LEADS}{address[:_TEXT_CHARS]}" if address else None


def _text(el: Element, most: int) -> str:
    pieces: list[str] = []
    for piece, _ in zip(el.itertext(), range(_MAX_PIECES), strict=False):
        pieces.append(piece[:most])
        most -= len(pieces[-1])
        if most <= 0:
            break
    return " ".join("".join(pieces).split())


def _add(item: Node, names: list[str], value: object) -> None:
    """Give an item a field, or one of its fields a further value."""
    for name in names:
        before = item.get(name)
        if before is None:
            item[name] = value
        elif not isinstance(before, list):
            item[name] = [before, value]
        elif len(several := cast("list[object]", before)) < _MAX_VALUES:
            several.append(value)


def _local(names: str) -> list[str]:
    """Names without their vocabulary."""
    return [local for name in names[:500].split()[:5] if (local := _VOCABULARY.sub("", name.rstrip("/#:")))]


def _absolute(address: str, base: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return ""
