"""Puts one value into JSON with comments, and leaves every other character as it was."""

import json
import re
from collections.abc import Sequence
from typing import Any

from gossamer.cli.clients.jsonc import BOM, COMMENT, Member, Node, NotJson, read_node
from gossamer.cli.clients.table import Refused

_NEWLINE = re.compile(r"\r\n|\n|\r")
_BLANKS = re.compile(r"[ \t]*+")
_REST_OF_LINE = re.compile(rf"(?:[ \t]*+{COMMENT})*")
_UNIT = "  "
_AROUND = f"{BOM} \t\r\n"


def read_json(text: str) -> Any:
    """The value of a text; an empty object where there is none."""
    node = _read(text)
    return {} if node is None else node.value


def put_json(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`: replaced where something stands there, else added after its neighbours."""
    node = _read(text, path)
    if node is None:
        newline = "" if not text.strip(BOM) or text.endswith(("\n", "\r")) else _newline(text)
        return f"{text}{newline}{rendered_json(_nested(path, value), newline=_newline(text))}{_newline(text)}"
    root = node
    for depth, key in enumerate(path):
        member = _member(node, key)
        if member is None:
            return _inserted(text, root, node, key, _nested(path[depth + 1 :], value))
        node = member.node
    return text[: node.start] + _inline(value) + text[node.end :]


def rendered_json(value: Any, *, indent: str = "", unit: str = _UNIT, newline: str = "\n") -> str:
    """A value as people write it: a line for each key, lists on one line."""
    if not isinstance(value, dict) or not value:
        return _inline(value)
    inner = indent + unit
    lines = (
        f"{newline}{inner}{_inline(key)}: {rendered_json(one, indent=inner, unit=unit, newline=newline)}"
        for key, one in value.items()  # pyright: ignore[reportUnknownVariableType]  any JSON
    )
    return f"{{{','.join(lines)}{newline}{indent}}}"


def _read(text: str, path: Sequence[str] = ()) -> Node | None:
    try:
        return read_node(text, path)
    except NotJson as error:
        raise Refused(f"it is not valid JSON: {error}") from error


def _member(node: Node, key: str) -> Member | None:
    found = [member for member in node.members if member.key == key]
    if len(found) > 1:
        raise Refused(f"it names {key} twice in one object")
    return found[0] if found else None


def _inserted(text: str, root: Node, node: Node, key: str, value: Any) -> str:
    """The text with a new last member in an object, after the comments that belong to the one before it."""
    last = node.members[-1] if node.members else None
    end = last.node.end if last else node.start + 1
    start = node.comma or end
    match = _REST_OF_LINE.match(text, start)
    tail = match.end() if match else start
    newline, unit = _newline(text), _unit(text, root)
    base = _indent(text, node.start)
    indent = _indent(text, last.start) if last else base + unit
    comma_before = "," if last and node.comma is None else ""
    comma_after = "," if node.comma is not None else ""
    # A comment may run to the end of its line, and would swallow what is put behind it.
    if "//" not in text[start:tail] and _is_on_one_line(text, node):
        added = f"{' ' if last else ''}{_inline(key)}: {_inline(value)}{comma_after}"
    else:
        shown = rendered_json(value, indent=indent, unit=unit, newline=newline)
        closing = "" if _NEWLINE.search(text, tail, node.end) else newline + base
        added = f"{newline}{indent}{_inline(key)}: {shown}{comma_after}{closing}"
    return text[:end] + comma_before + text[end:tail] + added + text[tail:]


def _is_on_one_line(text: str, node: Node) -> bool:
    """Whether a new member goes beside its neighbours; an empty object is opened up unless all is on one line."""
    if node.members:
        return not _NEWLINE.search(text, node.start, node.members[-1].start)
    whole = text.strip(_AROUND)
    return len(whole) > node.end - node.start and not _NEWLINE.search(whole)


def _inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _newline(text: str) -> str:
    match = _NEWLINE.search(text)
    return match[0] if match else "\n"


def _unit(text: str, root: Node) -> str:
    """What one level is indented by: what the first key of the file is."""
    has_lines = root.members and _NEWLINE.search(text, root.start, root.members[0].start)
    return (_indent(text, root.members[0].start) if has_lines else "") or _UNIT


def _indent(text: str, at: int) -> str:
    """The blanks with which a line begins."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    match = _BLANKS.match(text, start)
    return match[0] if match else ""
