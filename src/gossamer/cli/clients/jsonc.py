"""Reads JSON with comments and trailing commas, and remembers where everything stands."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

COMMENT = r"(?://[^\r\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/)"
# Groups are not possessive here: Python before 3.11.5 matches such groups wrongly.
_SPACE = re.compile(rf"(?:[ \t\r\n]++|{COMMENT})*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_WORD = re.compile(r"true|false|null")
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 200
BOM = "\ufeff"


class NotJson(ValueError):
    """The text is not JSON, even leniently read; says what is wrong, and in which line."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written: it is compared and kept, never computed with."""

    written: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A value and its place in the text."""

    start: int
    end: int
    value: Any
    members: tuple["Member", ...] = ()
    """Of an object on the way that was asked for."""
    comma: int | None = None
    """Where the trailing comma of such an object ends."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One key of an object, from its quote to the end of its value."""

    key: str
    start: int
    node: Node


def read_node(text: str, path: Sequence[str] = ()) -> Node | None:
    """The one value of a text, with the places of what stands on the way along `path`.

    None for a text that has no value, as editors leave it behind.
    """
    return _Reader(text).document(path)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


_STRICT = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=_no_number)
"""Reads what holds no comment many times faster; histories of several megabytes are kept in such files."""


class _Reader:
    """Walks through the text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = len(BOM) if text.startswith(BOM) else 0
        self._patience = 2 * len(text)

    def document(self, path: Sequence[str]) -> Node | None:
        self._skip()
        if self._at == len(self._text):
            return None
        node = self._node(0, path)
        self._skip()
        if self._at < len(self._text):
            raise self._wrong("something follows the end of the value")
        return node

    def _node(self, depth: int, path: Sequence[str] = ()) -> Node:
        if depth > _DEEPEST:
            raise self._wrong(f"values are nested more than {_DEEPEST} deep")
        if not path and (node := self._strict()):
            return node
        match self._text[self._at : self._at + 1]:
            case "{":
                return self._object(depth, path)
            case "[":
                return self._array(depth)
            case '"':
                return self._scalar(json.loads(self._token(_STRING, "a string that cannot be read")))
            case "t" | "f" | "n":
                return self._scalar(_WORDS[self._token(_WORD, "an unknown word")])
            case _:
                return self._scalar(Number(self._token(_NUMBER, "a value is missing")))

    def _scalar(self, value: object) -> Node:
        return Node(start=self._began, end=self._at, value=value)

    def _strict(self) -> Node | None:
        """The value that begins here, if it is strict JSON from end to end; vain attempts are not made for ever."""
        if self._patience <= 0:
            return None
        try:
            value, end = _STRICT.raw_decode(self._text, self._at)
        except (ValueError, RecursionError) as error:
            self._patience -= getattr(error, "pos", len(self._text)) - self._at
            return None
        start, self._at = self._at, end
        return Node(start=start, end=end, value=value)

    def _object(self, depth: int, path: Sequence[str]) -> Node:
        start = self._at
        members: list[Member] = []
        comma = None
        self._step()
        while not self._takes("}"):
            if members and comma is None:
                raise self._wrong("a comma or a closing brace is missing")
            began = self._at
            key = json.loads(self._token(_STRING, "a key in double quotes is missing"))
            self._skip()
            if not self._takes(":"):
                raise self._wrong("a colon is missing")
            self._skip()
            further = path[1:] if path and key == path[0] else ()
            members.append(Member(key=key, start=began, node=self._node(depth + 1, further)))
            comma = self._comma()
        value = {member.key: member.node.value for member in members}
        return Node(start=start, end=self._at, value=value, members=tuple(members), comma=comma)

    def _array(self, depth: int) -> Node:
        start = self._at
        items: list[object] = []
        comma = None
        self._step()
        while not self._takes("]"):
            if items and comma is None:
                raise self._wrong("a comma or a closing bracket is missing")
            items.append(self._node(depth + 1).value)
            comma = self._comma()
        return Node(start=start, end=self._at, value=items)

    def _comma(self) -> int | None:
        """Where the comma after a value ends, if one follows; what stands before the next thing is skipped."""
        self._skip()
        if not self._takes(","):
            return None
        end = self._at
        self._skip()
        return end

    def _step(self) -> None:
        self._at += 1
        self._skip()

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _takes(self, character: str) -> bool:
        is_there = self._text.startswith(character, self._at)
        self._at += is_there
        return is_there

    def _token(self, pattern: re.Pattern[str], trouble: str) -> str:
        match = pattern.match(self._text, self._at)
        if not match:
            raise self._wrong(trouble)
        self._began, self._at = self._at, match.end()
        return match[0]

    def _wrong(self, trouble: str) -> NotJson:
        lines = re.split(r"\r\n|\r|\n", self._text[: self._at])
        return NotJson(f"line {len(lines)}, column {len(lines[-1]) + 1}: {trouble}")
