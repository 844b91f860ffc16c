"""The structured data of a page as one tree for programs: clean, bounded JSON, what the page is about first."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from gossamer.extractors.html.metadata.main_entity import Described, target
from gossamer.extractors.html.metadata.structured_data import Node
from gossamer.extractors.invisible_characters import clean_line
from gossamer.steps.text.clean_line import plain

MAX_BYTES = 16_000
"""Of the tree as UTF-8."""
_MAX_LEVELS = 10
_TEXT_CHARS, _NAME_CHARS = 500, 60
_LEAST = 40
"""Less room than this is none."""
_LEFT_OUT = frozenset({"@context", "@graph"})
_FRAME_BYTES = 60
"""What the names of the tree's own parts take."""
Judge = Callable[[str], str]

OpenGraph = dict[str, "str | list[str | OpenGraph] | OpenGraph"]


def write_tree(described: Described, social: Sequence[tuple[str, str]], *, judge_address: Judge) -> str:
    """All that a page describes, as JSON within `MAX_BYTES`; empty where it describes nothing.

    `items` are the outermost objects, the main entity first; `open_graph` are the fields of the head. An object stands
    where it is first referred to; later it is told by its id. What there is no room for is left out, and `is_cut` says
    so. An address that may not be repeated is judged to be "".
    """
    writer = _Writer(by_id=described.by_id, judge_address=judge_address)
    fields = writer.fields(open_graph(social))
    items = [item for node in described.items if (item := writer.item(node))]
    tree = {
        **({"items": items} if items else {}),
        **({"open_graph": fields} if fields else {}),
        **({"is_cut": True} if writer.is_cut else {}),
    }
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")) if items or fields else ""


def open_graph(social: Sequence[tuple[str, str]]) -> dict[str, object]:
    """The fields by name; a repeated one is a list, and what describes a picture or a film stands in it."""
    fields: dict[str, object] = {}
    for name, value in social:
        parent, _, detail = name.rpartition(":")
        if parent in fields and parent.count(":"):
            _describe(fields, parent, detail, value)
        elif name not in fields:
            fields[name] = value
        elif isinstance(before := fields[name], list):
            cast("list[object]", before).append(value)
        else:
            fields[name] = [before, value]
    return fields


def _describe(fields: dict[str, object], name: str, detail: str, value: str) -> None:
    """Put `og:image:width` into the last picture."""
    before = fields[name]
    values = cast("list[object]", before) if isinstance(before, list) else [before]
    last = values[-1]
    described = cast("dict[str, object]", last) if isinstance(last, dict) else {"url": last}
    described.setdefault(detail, value)
    values[-1] = described
    if not isinstance(before, list):
        fields[name] = described


@dataclass(kw_only=True, slots=True)
class _Writer:
    by_id: dict[str, Node]
    judge_address: Judge
    left: int = MAX_BYTES - _FRAME_BYTES
    is_cut: bool = False
    _written: set[int] = field(default_factory=set[int])

    def item(self, node: Node) -> object:
        """An outermost object, unless it stands within another already."""
        return None if id(node) in self._written else self._value(node, _MAX_LEVELS)

    def fields(self, fields: Mapping[str, object]) -> object:
        """The fields of the head."""
        return self._object(fields, _MAX_LEVELS)

    def _value(self, value: object, levels: int) -> object:
        """What a value is in the tree; None for nothing, and for what there is no room for."""
        if self.left <= _LEAST:
            self.is_cut = True
            return None
        match value:
            case str():
                return self._room_for(self._text(value))
            case bool() | int():
                return self._room_for(value)
            case float():
                return self._room_for(value if math.isfinite(value) else None)
            case list() if levels:
                parts = (self._value(part, levels - 1) for part in cast("list[object]", value))
                self.left -= 2
                return [part for part in parts if part is not None] or None
            case dict() if levels:
                return self._node(cast("Node", value), levels)
            case _:
                return None

    def _node(self, node: Node, levels: int) -> object:
        whole = cast("Node", target(node, self.by_id))
        if id(whole) in self._written:
            name = {key: whole[key] for key in ("@type", "@id", "name") if key in whole} if "@id" in whole else {}
            return self._object(name, 2)
        self._written.add(id(whole))
        return self._object(whole, levels)

    def _object(self, fields: Mapping[str, object], levels: int) -> object:
        written: dict[str, object] = {}
        self.left -= 2
        for name, value in fields.items():
            if name in _LEFT_OUT or value is None or value == "":
                continue
            clean_name = clean_line(name, limit=_NAME_CHARS)
            before = self.left
            self.left -= _size(clean_name) + 2
            part = self._value(value, levels - 1)
            if part is None:
                self.left = before
            elif clean_name not in written:
                written[clean_name] = part
        return written if written.keys() - {"@type"} else None

    def _text(self, text: str) -> str:
        has_markup = "<" in text or "&" in text
        line = plain(text, max_chars=_TEXT_CHARS) if has_markup else clean_line(text, limit=_TEXT_CHARS)
        return self.judge_address(line) if "://" in line[:20] else line

    def _room_for(self, value: object) -> object:
        """The value where there is room for it."""
        if value is None or value == "":
            return None
        size = _size(value) + 1
        if size > self.left:
            self.is_cut = True
            return None
        self.left -= size
        return value


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
