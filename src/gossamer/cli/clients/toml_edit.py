"""Puts one value into a TOML file, and leaves every other character as it was."""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from gossamer.cli.clients.jsonc import BOM
from gossamer.cli.clients.table import Refused

_NAME = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*+')"""
_NAMES = rf"{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME})*"
_SPACE = re.compile(r"(?:[ \t\r\n]++|#[^\r\n]*+)*")
_HEADER = re.compile(rf"\[\[?[ \t]*+({_NAMES})[ \t]*+\]\]?[ \t]*+(?:#[^\r\n]*+)?")
_KEY = re.compile(rf"({_NAMES})[ \t]*+=[ \t]*+")
_PIECE = re.compile(
    r'"""(?s:\\.|[^\\])*?"{3,5}'
    r"|'''(?s:.)*?'{3,5}"
    r'|"(?:[^"\\\r\n]|\\.)*"'
    r"|'[^'\r\n]*+'"
    r"|[\[\]{}]|#[^\r\n]*+|\r\n|[\r\n]|[^\"'\[\]{}#\r\n]++"
)

Key = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Header:
    """A line that opens a table, with its comment."""

    key: Key
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pair:
    """A value and its whole key."""

    key: Key
    start: int
    end: int


def read_toml(text: str) -> Any:
    """The value of a text; numbers with a point stay as they are written, since they are only compared."""
    try:
        return tomllib.loads(text.removeprefix(BOM), parse_float=str)
    except (ValueError, RecursionError) as error:
        raise Refused(f"it is not valid TOML: {error}") from error


def put_toml(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`: a table is added at the end, anything else is put into a table that is there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if _is_table(value):
        parted = "" if not text.strip(BOM) else newline if text.endswith("\n") else newline * 2
        return text + parted + rendered_toml(path, value).replace("\n", newline) + newline
    header: _Header | None = None
    for part in _parts(text):
        if part.key == tuple(path) and isinstance(part, _Pair):
            return text[: part.start] + _written(value) + text[part.end :]
        if part.key == tuple(path[:-1]) and isinstance(part, _Header):
            header = part
    if header is None:
        raise Refused(f"it writes {'.'.join(path[:-1])} as an inline table or in another way that is not edited here")
    return f"{text[: header.end]}{newline}{path[-1]} = {_written(value)}{text[header.end :]}"


def rendered_toml(path: Sequence[str], table: dict[str, Any]) -> str:
    """A table as people write it, each table inside it under a line of its own."""
    lines = [f"[{'.'.join(path)}]"]
    lines += [f"{key} = {_written(value)}" for key, value in table.items() if not _is_table(value)]
    inner = [rendered_toml([*path, key], value) for key, value in table.items() if _is_table(value)]
    return "\n\n".join(["\n".join(lines), *inner])


def _written(value: Any) -> str:
    """A text or a list of texts; JSON's strings are TOML's, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _parts(text: str) -> Iterator[_Header | _Pair]:
    """Every header and value of a text that is known to be TOML."""
    table: Key = ()
    at = _end(_SPACE, text, len(BOM) if text.startswith(BOM) else 0)
    while at < len(text):
        if header := _HEADER.match(text, at):
            table, at = _names(header[1]), header.end()
            yield _Header(key=table, end=at)
        elif key := _KEY.match(text, at):
            at = _value_end(text, key.end())
            yield _Pair(key=table + _names(key[1]), start=key.end(), end=at)
        else:
            raise Refused("it is laid out in a way that is not edited here")
        at = _end(_SPACE, text, at)


def _value_end(text: str, at: int) -> int:
    """Where the value that begins here ends: at the end of its line, of the line of its last bracket, or a comment."""
    start, depth = at, 0
    while piece := _PIECE.match(text, at):
        if depth == 0 and piece[0][0] in "#\r\n":
            break
        depth += (piece[0] in {"[", "{"}) - (piece[0] in {"]", "}"})
        at = piece.end()
    return start + len(text[start:at].rstrip(" \t"))


def _names(dotted: str) -> Key:
    """The parts of a dotted key, unquoted by the parser itself."""
    found: list[str] = []
    value: Any = tomllib.loads(f"{dotted} = 0")
    while _is_table(value):
        ((name, value),) = value.items()
        found.append(name)
    return tuple(found)


def _is_table(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
