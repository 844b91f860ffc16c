"""JSON-LD scripts: read as they are written, since no browser ever refused one.

What is no JSON is read by a second, forgiving reader: trailing commas, comments, CDATA, entities in the place of
quotes, several objects in a row, quotes within strings, an end that is missing. Both take linear time.
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import cast

from gossamer.extractors.html.tree import Element, attr

MAX_SCRIPTS = 20
MAX_CHARS = 200_000
MAX_NODES = 2_000
MAX_DEPTH = 60
_MAX_REPAIRED = 400_000
"""Characters of a page that the forgiving reader takes: it is fifty times as slow."""

Node = dict[str, object]
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]++|\\.|"(?!\s*+(?:[,:}\]]|/[/*]|<!|\Z)|[^\S\n]*+\n\s*+"))*+(?:"|\Z))'
    r"|(?P<skipped>//[^\n]*+|/\*.*?(?:\*/|\Z)|<!--|-->|<!\[CDATA\[|\]\]>)"
    r"|(?P<mark>[{}\[\],])"
    r"|(?P<bare>[^\s{}\[\]:,;\"/<>]++)",
    re.DOTALL,
)
"""A quote ends a string only where something may follow it."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_PREFIX = re.compile(r"(?:schema:|https?://schema\.org/)(?=\w)")
_PREFIXED = re.compile(r'"(?:schema:|https?://schema\.org/)\w{1,60}"\s{0,9}:')
_ALIASES = {"type": "@type", "id": "@id", "graph": "@graph", "value": "@value"}


def documents(root: Element) -> Iterator[object]:
    """What each script of the page holds."""
    scripts = (
        el for el in root.iter("script") if attr(el, "type").partition(";")[0].strip().lower() == "application/ld+json"
    )
    left = _MAX_REPAIRED
    for script, _ in zip(scripts, range(MAX_SCRIPTS), strict=False):
        text = script.text or ""
        if len(text) > MAX_CHARS:
            continue
        try:
            parsed: object = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            left -= len(text)
            if left < 0:
                return
            parsed = read_leniently(text)
        yield _in_plain_names(parsed, text)


def read_leniently(text: str) -> list[object]:
    """The objects and lists of a text that is almost JSON."""
    if text.count("&quot;") + text.count("&#34;") > text.count('"'):
        text = unescape(text)
    if '"' not in text:
        text = text.replace("'", '"')
    roots: list[object] = []
    stack: list[Node | list[object]] = []
    key: str | None = None
    for match in _TOKEN.finditer(text):
        written = match[0]
        value: object
        match match.lastgroup:
            case "mark" if written in "{[":
                value = opened = cast("Node", {}) if written == "{" else cast("list[object]", [])
                if len(stack) < MAX_DEPTH:
                    _add(stack[-1] if stack else roots, key, value)
                stack.append(opened)
                key = None
            case "mark":
                if written != "," and stack and isinstance(stack[-1], dict) is (written == "}"):
                    stack.pop()
                key = None
            case "string" | "bare":
                value = _string(written) if written[0] == '"' else _bare(written)
                if stack and isinstance(stack[-1], dict) and key is None:
                    key = str(value)
                elif stack:
                    _add(stack[-1], key, value)
                    key = None
            case _:
                pass
    return roots


def _add(container: Node | list[object], key: str | None, value: object) -> None:
    if isinstance(container, list):
        container.append(value)
    elif key is not None:
        container[key] = value


def _string(written: str) -> str:
    """A string without its quotes; what is escaped for no reason is itself."""
    body = written[1:-1] if len(written) > 1 and written.endswith('"') else written[1:]
    if "\\" not in body:
        return body
    line = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2]), body)
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _bare(written: str) -> object:
    if written in _WORDS:
        return _WORDS[written]
    return json.loads(written) if _NUMBER.fullmatch(written) and not re.match(r"-?0\d", written) else written


def _in_plain_names(parsed: object, text: str) -> object:
    """The same with the names of its vocabulary as most pages write them: `name` for `schema:name`."""
    is_aliased = '"@type"' not in text and '"@context"' in text and '"type"' in text
    if is_aliased or _PREFIXED.search(text):
        for node in walk(parsed):
            for name in list(node):
                plain = _PREFIX.sub("", _ALIASES.get(name, name) if is_aliased else name)
                if plain != name and plain not in node:
                    node[plain] = node.pop(name)
    return parsed


def walk(tree: object) -> Iterator[Node]:
    """The objects inside a value, breadth first."""
    queue = [tree]
    for value in queue:
        if isinstance(value, dict):
            node = cast("Node", value)
            yield node
            queue.extend(node.values())
        elif isinstance(value, list):
            queue.extend(cast("list[object]", value))
