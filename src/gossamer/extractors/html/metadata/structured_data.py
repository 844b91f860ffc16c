"""Structured data: the JSON-LD objects of a page, and how one of them is read."""

import re
from typing import cast

from gossamer.extractors.html.metadata.json_ld import MAX_NODES, Node, documents, walk
from gossamer.extractors.html.tree import Element

__all__ = ("Node", "kinds", "named", "nodes", "text", "values")

_VOCABULARY = re.compile(r".*[/#:]")


def nodes(root: Element) -> list[Node]:
    """All objects in the page's JSON-LD, outer ones first; of what is no JSON, what can be read."""
    collected: list[Node] = []
    for document in documents(root):
        for node in walk(document):
            if len(collected) >= MAX_NODES:
                return collected
            collected.append(node)
    return collected


def kinds(node: Node) -> set[str]:
    """The types of an object, without their vocabulary."""
    types = node.get("@type", "")
    names = cast("list[object]", types) if isinstance(types, list) else [types]
    return {_VOCABULARY.sub("", name[:200]) for name in names if isinstance(name, str)} - {""}


def values(node: Node, key: str) -> list[object]:
    """All values of a field, one or a list."""
    value = node.get(key)
    return cast("list[object]", value) if isinstance(value, list) else [value]


def text(node: Node, key: str) -> str:
    """A field as text: itself, the name of an object, or the first of a list."""
    return named(node.get(key))


def named(value: object) -> str:
    """A value as text: itself, the name of an object, or the first of a list."""
    for _ in range(3):
        if isinstance(value, list):
            items = cast("list[object]", value)
            value = items[0] if items else None
        elif isinstance(value, dict):
            node = cast("Node", value)
            value = node.get("name") or node.get("@value")
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip() if isinstance(value, (str, int, float)) else ""
