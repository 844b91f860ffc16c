"""Safe XML parsing: no entities (XXE, billion laughs), no outside files, bounded depth; names without namespaces."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]  # no types

from gossamer.errors import BrokenDocument, TooComplex
from gossamer.extractors.html.tree import Element

_etree = cast("Any", etree)
_SAFE = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}


_NO_MEMORY = 2
_BOUNDS = frozenset({1, 114})
"""Codes of libxml2: an inner bound was met, in its older and its newer versions."""
_WHOLE = re.compile(r"\s*([+-]?)0*([0-9]{1,15})\s*")


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int = ..., /) -> bytes:
        """The next piece, empty at the end."""
        ...


def parse_xml(data: bytes | str, *, forgives: bool = False) -> Element:
    """Build the tree of a part; one that `forgives` takes what it can of a damaged one."""
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    encoding = {"encoding": "utf-8"} if isinstance(data, str) else {}
    try:
        root = _etree.fromstring(raw, parser=_etree.XMLParser(**_SAFE, **encoding, recover=forgives))
    except (_etree.XMLSyntaxError, ValueError) as error:
        raise _fault(error) from error
    if root is None:
        raise _broken()
    return cast("Element", root)


def stream_xml(source: Readable, wanted: Mapping[str, str]) -> Iterator[Element]:
    """The wanted elements right below their parents, both by name, one after another; each is gone with the next.

    What is not wanted stays in memory until the end, so that a part is streamed once, for all that is wanted of it.
    """
    events = _etree.iterparse(source, events=("end",), tag=[f"{{*}}{name}" for name in wanted], **_SAFE)
    try:
        for _, el in events:
            parent = el.getparent()
            if parent is None or local(parent) != wanted[local(el)]:
                continue
            yield cast("Element", el)
            el.clear()
            while el.getprevious() is not None:
                del parent[0]
    except (_etree.XMLSyntaxError, ValueError) as error:
        raise _fault(error) from error
    if events.root is not None and events.root.getroottree().docinfo.internalDTD is not None:
        # Office files have no document type; one that has, has its text in entities, which are not resolved.
        raise _broken()


def local(el: Element) -> str:
    """The name of an element without its namespace; nothing for what is no element."""
    tag = cast("object", el.tag)
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def value(el: Element, name: str) -> str:
    """An attribute by its name, whatever namespace it is in; empty when the element lacks it."""
    attribute = el.get(name)
    if attribute is None:
        attribute = next((text for key, text in el.attrib.items() if key.endswith("}" + name)), "")
    return attribute


def whole(value: str, *, otherwise: int = 0) -> int:
    """The whole number that an attribute says; `otherwise` for what is none, or is longer than any that means one."""
    match = _WHOLE.fullmatch(value)
    return int(match[1] + match[2]) if match else otherwise


def child(el: Element, *path: str) -> Element | None:
    """The first element along a path of names."""
    at: Element | None = el
    for name in path:
        at = next((below for below in at if local(below) == name), None) if at is not None else None
    return at


def children(el: Element, *names: str) -> Iterator[Element]:
    """The elements of these names right below."""
    return (below for below in el if local(below) in names)


def below(el: Element, *names: str) -> Iterator[Element]:
    """The elements of these names at any depth."""
    return (inner for inner in el.iter("*") if local(inner) in names)


def is_on(el: Element | None) -> bool:
    """Whether a switch of an office format is set: it is there, and does not say no."""
    return el is not None and value(el, "val").lower() not in {"0", "false", "off"}


def all_text(el: Element) -> str:
    """The text of an element and all below."""
    return "".join(el.itertext())


def as_html(el: Element) -> str:
    """What an element of XHTML holds, as HTML."""
    for inner in el.iter("*"):
        inner.tag = local(inner)
    _etree.cleanup_namespaces(el)
    return cast("str", _etree.tostring(el, encoding="unicode", method="html", with_tail=False))


def indented(root: Element) -> str:
    """A tree as text, one element a line where it holds no text."""
    _etree.indent(root)
    return cast("str", _etree.tostring(root, encoding="unicode"))


def _fault(error: Exception) -> Exception:
    """What a parser's complaint means: it also says so when memory or its own bounds were not enough."""
    code = getattr(error, "code", 0)
    if code == _NO_MEMORY:
        return MemoryError()
    if code in _BOUNDS:
        return TooComplex("The document's XML is larger or deeper than any we read.", hint="Look for another source.")
    return _broken()


def _broken() -> BrokenDocument:
    return BrokenDocument(
        "The document's XML is damaged and cannot be read.", hint="Look for another version of the document."
    )
