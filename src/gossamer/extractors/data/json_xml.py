"""JSON and XML: what a known shape means (OpenAPI, feed, notebook), else the data itself, laid out."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from gossamer.extractors.data.graphql import read_introspection, schema_in
from gossamer.extractors.data.openapi import is_openapi, read_openapi
from gossamer.extractors.data.postman import is_postman, read_postman
from gossamer.extractors.data.yaml_subset import NotPlainYaml, read_yaml
from gossamer.extractors.feed import read_json_feed
from gossamer.extractors.html.tree import Element
from gossamer.extractors.invisible_characters import clean
from gossamer.extractors.office.safe_xml import all_text, indented, parse_xml
from gossamer.extractors.text.plain_text import fenced, read_markdown, shown
from gossamer.model.page import Extracted, View

MAX_TREE_CHARS = 3 * 1024 * 1024
"""Longer data is shown as it came: as values it would take ten times its size."""
_MOST_CHARS = 10 * 1024 * 1024
_OUTPUT_CHARS = 2_000
_JSON = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_OPENING = frozenset("{[")
_CLOSING = frozenset("}]")
_DESCRIBED = (
    re.compile(r"^['\"]?(?:openapi|swagger)['\"]?[ \t]*:", re.MULTILINE),
    re.compile(r"^['\"]?paths['\"]?[ \t]*:", re.MULTILINE),
)
"""The two keys that a description of an interface has at its beginning of lines."""


def read_json(text: str, *, url: str, view: View) -> Extracted:
    """Show JSON with one value a line, in a fence; what does not parse (or was cut) is shown as it came."""
    pretty = text.strip()
    if len(text) <= MAX_TREE_CHARS:
        try:
            parsed = json.loads(text)
            if known := _known(parsed, url, view):
                return known
            pretty = _spread(text) or pretty
        except (ValueError, RecursionError, MemoryError):
            pass
    return _data(pretty, "json", view)


def is_json(text: str) -> bool:
    """Whether a text that says to be something else is a JSON object or list, as interfaces answer it."""
    text = text.strip()
    if not 2 <= len(text) <= MAX_TREE_CHARS or (text[0], text[-1]) not in {("{", "}"), ("[", "]")}:
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError, MemoryError):
        return False


def read_described(text: str, *, view: View) -> Extracted | None:
    """An interface that is described in YAML, as its endpoints; None for any other text."""
    if len(text) > MAX_TREE_CHARS or not all(sign.search(text) for sign in _DESCRIBED):
        return None
    try:
        parsed = read_yaml(text)
    except (NotPlainYaml, RecursionError):
        return None
    if isinstance(parsed, dict):
        fields = cast("dict[str, Any]", parsed)
        fields |= {name: str(fields[name]) for name in ("openapi", "swagger") if isinstance(fields.get(name), float)}
        if is_openapi(fields):
            return read_openapi(fields, view=view)
    return None


def _spread(text: str) -> str:
    """One value a line, numbers and names as they were written; nothing where that is more than a page may hold."""
    pieces: list[str] = []
    room, depth, last = _MOST_CHARS, 0, ""
    for match in _JSON.finditer(text):
        sign = match[0]
        depth -= sign in _CLOSING
        is_empty = sign in _CLOSING and last in _OPENING
        is_new = last in _OPENING or last == "," or sign in _CLOSING
        if is_new and not is_empty and pieces:
            pieces.append("\n" + "  " * depth)
            room -= len(pieces[-1])
        depth += sign in _OPENING
        pieces.append(": " if sign == ":" else _unescaped(sign) if "\\" in sign else sign)
        room -= len(pieces[-1])
        if room < 0:
            return ""
        last = sign
    return "".join(pieces)


def _unescaped(value: str) -> str:
    """A string with every sign written as itself."""
    return json.dumps(json.loads(value), ensure_ascii=False)


def read_json_lines(text: str, *, view: View) -> Extracted:
    """Show JSON Lines as they are: one record a line."""
    return _data(text.strip(), "jsonl", view)


def read_xml(text: str, *, view: View) -> Extracted:
    """Show XML laid out in a fence, as text without its tags; comments are left out."""
    if len(text) > MAX_TREE_CHARS:
        return _data(text.strip(), "xml", view)
    root = parse_xml(text, forgives=True)
    if view.format == "text":
        return shown("\n".join(_lines(root)), view=view)
    return _data(indented(root), "xml", view)


def _lines(root: Element) -> Iterator[str]:
    """The text of each element that holds some on a line of its own; elements amid a text stay in it."""
    left = [root]
    while left:
        el = left.pop()
        is_text = not len(el) or (el.text or "").strip() or any((child.tail or "").strip() for child in el)
        if not is_text:
            left.extend([*el][::-1])
            continue
        for line in all_text(el).splitlines():
            if squeezed := " ".join(line.split()):
                yield squeezed


def _known(value: object, url: str, view: View) -> Extracted | None:
    """What a value of a known shape is read as."""
    if is_openapi(value):
        return read_openapi(cast("dict[str, Any]", value), view=view)
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, Any]", value)
    if is_postman(fields):
        return read_postman(fields, view=view)
    if schema := schema_in(fields):
        return read_introspection(schema, view=view)
    if str(fields.get("version", "")).startswith("https://jsonfeed.org/version/") and "items" in fields:
        return read_json_feed(fields, url=url, view=view)
    if "nbformat" in fields and isinstance(fields.get("cells"), list):
        return _notebook(fields, url, view)
    return None


def _notebook(book: dict[str, Any], url: str, view: View) -> Extracted:
    """A notebook as its text, its code in fences, and the beginning of what the code printed."""
    about = _fields(_fields(book.get("metadata")).get("language_info"))
    language = str(about.get("name", "python"))[:30]
    parts: list[str] = []
    for cell in map(_fields, cast("list[Any]", book["cells"])):
        text = _joined(cell.get("source"))
        if cell.get("cell_type") != "code":
            parts.append(text)
            continue
        parts.append(fenced(text, language) if text.strip() else "")
        outputs = cell.get("outputs")
        for output in map(_fields, cast("list[Any]", outputs) if isinstance(outputs, list) else []):
            printed = _printed(output)
            if printed.strip():
                parts.append(fenced(printed[:_OUTPUT_CHARS].rstrip(), "text"))
    return read_markdown("\n\n".join(part for part in parts if part.strip()), view=view, url=url)


def _printed(output: dict[str, Any]) -> str:
    """What a cell has printed, returned or failed with, as text."""
    if output.get("output_type") == "error":
        return f"{str(output.get('ename', ''))[:200]}: {output.get('evalue', '')!s}".strip(": ")
    return _joined(output.get("text") or _fields(output.get("data")).get("text/plain"))


def _data(text: str, language: str, view: View) -> Extracted:
    if view.format != "markdown" or not clean(text)[0].strip():
        return shown(text, view=view)
    return shown(fenced(text, language), view=view, is_markdown=True)


def _fields(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return "".join(str(part) for part in cast("list[Any]", value))
    return value if isinstance(value, str) else ""
