"""JSON-LD: the structured data of a page as nodes."""

import json
from collections.abc import Iterator
from typing import cast

from gossamer.extractors.html.tree import Element, attr
from gossamer.extractors.invisible_characters import clean_line

MAX_SCRIPTS = 20
MAX_CHARS = 200_000
MAX_NODES = 2_000
_DIGEST_NODES, _DIGEST_FIELDS, _DIGEST_LINE, _DIGEST_CHARS = 4, 20, 200, 2_000
_STRUCTURE = frozenset(
    {"", "BreadcrumbList", "ListItem", "WebSite", "SearchAction", "ImageObject", "ReadAction", "SiteNavigationElement"}
)
"""What describes the site's building and not the page."""

Node = dict[str, object]


def nodes(root: Element) -> list[Node]:
    """All objects in the page's JSON-LD, outer ones first; what does not parse is passed over."""
    collected: list[Node] = []
    scripts = (
        el for el in root.iter("script") if attr(el, "type").partition(";")[0].strip().lower() == "application/ld+json"
    )
    for script, _ in zip(scripts, range(MAX_SCRIPTS), strict=False):
        text = script.text or ""
        if len(text) > MAX_CHARS:
            continue
        try:
            parsed = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        for node in _walk(parsed):
            if len(collected) >= MAX_NODES:
                return collected
            collected.append(node)
    return collected


def _walk(tree: object) -> Iterator[Node]:
    """Objects inside a value, breadth first."""
    queue = [tree]
    for value in queue:
        if isinstance(value, dict):
            node = cast("Node", value)
            yield node
            queue.extend(node.values())
        elif isinstance(value, list):
            queue.extend(cast("list[object]", value))


def kinds(node: Node) -> set[str]:
    """The types of an object, without their vocabulary."""
    types = node.get("@type", "")
    names = cast("list[object]", types) if isinstance(types, list) else [types]
    return {name.rpartition("/")[2] for name in names if isinstance(name, str)}


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
            named = cast("Node", value)
            value = named.get("name") or named.get("@value")
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip() if isinstance(value, (str, int, float)) else ""


def first(structured: list[Node], key: str, *, of: frozenset[str] = frozenset()) -> str:
    """The first text under `key`, of the given types if any are given."""
    return next((value for node in structured if (not of or of & kinds(node)) and (value := text(node, key))), "")


def digest(structured: list[Node]) -> str:
    """The plain fields of the first objects that have a type, as a small JSON list; empty where there are none."""
    digests: list[dict[str, str]] = []
    left = _DIGEST_CHARS
    for node in structured:
        if len(digests) == _DIGEST_NODES or not kinds(node) - _STRUCTURE:
            continue
        small: dict[str, str] = {}
        for name, line in _plain_fields(node):
            left -= len(name) + len(line)
            if left >= 0:
                small[name] = line
        if len(small) > 1:
            digests.append(small)
    return json.dumps(digests, ensure_ascii=False, separators=(",", ":")) if digests else ""


def _plain_fields(node: Node) -> Iterator[tuple[str, str]]:
    for name, _ in zip(node, range(_DIGEST_FIELDS), strict=False):
        if name != "@context" and (line := clean_line(text(node, name), limit=_DIGEST_LINE)):
            yield clean_line(name, limit=60), line
