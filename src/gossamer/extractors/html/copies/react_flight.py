"""React's stream: the page that `self.__next_f.push` hands to a script, piece by piece, written as HTML again.

The pieces make rows, `id:JSON`; an element is `["$", tag, key, properties]`, and `"$L5"` stands for row 5.
"""

import json
import re
from contextlib import suppress
from html import escape
from typing import cast

from gossamer.extractors.html.copies.json_prose import MAX_CHARS, MAX_NODES, prose_of

_PUSH = re.compile(r"__next_f\.push\(\[1,\s*(\"(?:[^\"\\]|\\.)*+\")\]\)", re.DOTALL)
_ROW = re.compile(rb"([0-9a-f]{1,6}):")
_TEXT = re.compile(rb"T([0-9a-f]{1,8}),")
_REFERENCE = re.compile(r"\$[L@]?([0-9a-f]{1,6})")
_TAG = re.compile(r"[a-z][a-z0-9]{0,12}")
_NEVER = frozenset(
    {"script", "style", "noscript", "template", "iframe", "svg", "link", "meta", "title", "head", "html", "body"}
)
_ATTRIBUTES = {"className": "class", "href": "href", "src": "src", "alt": "alt", "id": "id", "role": "role"}
_MAX_DEPTH = 200
_STREAM_CHARS = 8_000_000


def pushed(scripts: list[str]) -> str:
    """All that the scripts of a page hand on, joined."""
    parts: list[str] = []
    size = 0
    for script in scripts:
        for match in _PUSH.finditer(script):
            try:
                part = str(json.loads(match[1]))
            except ValueError:
                continue
            size += len(part)
            if size > _STREAM_CHARS:
                return "".join(parts)
            parts.append(part)
    return "".join(parts)


def streamed_page(stream: str) -> tuple[str, int]:
    """The page in a stream as HTML, and how many characters of text it has."""
    writer = _Writer(_rows(stream))
    writer.all()
    if writer.size:
        return "".join(writer.pieces), writer.size
    return prose_of(writer.properties)


def _rows(stream: str) -> dict[str, object]:
    raw = stream.encode("utf-8", "replace")
    rows: dict[str, object] = {}
    at = 0
    while match := _ROW.match(raw, at):
        name, at = match[1].decode(), match.end()
        if text := _TEXT.match(raw, at):
            at = text.end() + int(text[1], 16)
            rows[name] = _Text(raw[text.end() : at].decode("utf-8", "replace"))
            continue
        end = raw.find(b"\n", at)
        end = len(raw) if end < 0 else end
        if raw[at : at + 1] in {b"[", b"{", b'"'}:
            with suppress(ValueError, RecursionError):
                rows[name] = json.loads(raw[at:end])
        at = end + 1
    return rows


class _Text(str):
    """A row that is text, and no JSON."""

    __slots__ = ()


class _Writer:
    def __init__(self, rows: dict[str, object]) -> None:
        self._rows = rows
        self._met: set[str] = set()
        self._nodes = 0
        self.pieces: list[str] = []
        self.size = 0
        self.properties: list[object] = []
        """What parts of the application were given besides elements."""

    def all(self) -> None:
        """Write all rows, each where it is asked for first."""
        for name in list(self._rows):
            if name not in self._met:
                self._met.add(name)
                row = self._rows[name]
                if not isinstance(row, str):
                    self._write(row, 0, is_child=False)

    def _write(self, node: object, depth: int, *, is_child: bool) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES or self.size > MAX_CHARS or depth > _MAX_DEPTH:
            return
        if isinstance(node, str):
            self._text(node, depth, is_child=is_child)
        elif isinstance(node, list):
            items = cast("list[object]", node)
            if len(items) >= 4 and items[0] == "$" and isinstance(items[3], dict):
                self._element(str(items[1]), cast("dict[str, object]", items[3]), depth)
            else:
                for item in items:
                    self._write(item, depth + 1, is_child=is_child)
        elif isinstance(node, dict):
            for value in cast("dict[str, object]", node).values():
                if not isinstance(value, str):
                    self._write(value, depth + 1, is_child=False)
        elif is_child and isinstance(node, int | float) and not isinstance(node, bool):
            self.pieces.append(str(node))

    def _text(self, text: str, depth: int, *, is_child: bool) -> None:
        match = _REFERENCE.fullmatch(text)
        if match:
            if match[1] in self._rows and match[1] not in self._met:
                self._met.add(match[1])
                self._write(self._rows[match[1]], depth + 1, is_child=is_child)
        elif is_child:
            text = text[1:] if text.startswith("$$") else text
            self.size += len(text.strip())
            self.pieces.append(escape(text, quote=False))

    def _element(self, tag: str, properties: dict[str, object], depth: int) -> None:
        if tag in _NEVER:
            return
        is_tag = bool(_TAG.fullmatch(tag))
        if is_tag:
            self.pieces.append(f"<{tag}{_attributes(properties)}>")
        else:
            self.properties.append({key: value for key, value in properties.items() if key != "children"})
        markup = properties.get("dangerouslySetInnerHTML")
        if isinstance(markup, dict):
            self._markup(cast("dict[str, object]", markup).get("__html"))
        self._write(properties.get("children"), depth + 1, is_child=True)
        if not is_tag:
            for key, value in properties.items():
                if key != "children" and isinstance(value, list):
                    self._write(cast("object", value), depth + 1, is_child=False)
        if is_tag:
            self.pieces.append(f"</{tag}>")

    def _markup(self, html: object) -> None:
        if isinstance(html, str) and (match := _REFERENCE.fullmatch(html)):
            html = self._rows.get(match[1])
        if isinstance(html, str):
            self.size += len(re.sub(r"<[^<>]*>", "", html))
            self.pieces.append(html)


def _attributes(properties: dict[str, object]) -> str:
    """The attributes that bear on reading, those that hide among them."""
    parts = [
        f' {name}="{escape(value)}"'
        for key, name in _ATTRIBUTES.items()
        if isinstance(value := properties.get(key), str)
    ]
    if properties.get("hidden") not in (None, False):
        parts.append(" hidden")
    if str(properties.get("aria-hidden", "")).lower() == "true":
        parts.append(' aria-hidden="true"')
    style = properties.get("style")
    if isinstance(style, dict):
        rules = cast("dict[str, object]", style).items()
        css = ";".join(f"{re.sub('[A-Z]', lambda sign: f'-{sign[0].lower()}', key)}:{value}" for key, value in rules)
        parts.append(f' style="{escape(css)}"')
    return "".join(parts)
