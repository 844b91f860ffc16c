"""YAML subset that API descriptions use, read into values: mappings, lists, strings of every style, flow collections.

Anchors, tags, complex keys and whatever else is rare there is not guessed at: `NotPlainYaml`, and the text is shown as
it came. Every line is looked at once.
"""

import json
import re
from typing import Any

_MAX_DEPTH = 60
_KEY = re.compile(
    r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|(?![\s\"'\[\]{},&*!|>%@`#?]|-(?:\s|$))(?:[^:\s]|:(?=\S)|[ \t]+(?=[^\s:#]))+)"
    r"[ \t]*:(?:[ \t]+(.*)|$)"
)
_BLOCK = re.compile(r"([|>])([+-]?[1-9]?[+-]?)(?:\s+#.*)?")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_FRACTION = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d{1,3})?")
_WORDS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_FLOW = re.compile(
    r"\s*(?:([\[\]{},])|\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'"
    r"|([^\s\[\]{},\"':#&*!|>%@`](?:[^\[\]{},:#]|:(?=\S)|(?<=\S)#)*)|(:))"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "", "e": "", "a": "", "b": "", "v": "", "f": "", "_": " ", "N": "\n"}


class NotPlainYaml(ValueError):
    """More than is read here, or no YAML."""


def read_yaml(text: str) -> Any:
    """The value that the first document of a text stands for; keys are texts."""
    return _Reader(text).document()


class _Reader:
    """Goes through the lines once; a list item's text takes the place of its line."""

    def __init__(self, text: str) -> None:
        lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
        start = next((at for at, line in enumerate(lines) if line.strip() and line[0] not in "#%"), 0)
        self._at = start + 1 if lines[start][:3] == "---" and not lines[start][3:].strip() else start
        self._lines = lines
        self._depth = 0

    def document(self) -> Any:
        """All of the document."""
        root = self._node(-1)
        if self._peek() is not None:
            raise NotPlainYaml
        return root

    def _peek(self) -> tuple[int, str] | None:
        """The indent and the text of the next line that says something."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            body = line.lstrip(" ")
            if line[:3] in {"---", "..."} and not line[3:].strip():
                self._at = len(self._lines)
                return None
            if body.strip() and body[0] != "#":
                if body[0] == "\t":
                    raise NotPlainYaml
                return len(line) - len(body), body.rstrip()
            self._at += 1
        return None

    def _node(self, outer: int, *, is_value: bool = False) -> Any:
        """What stands below a line, deeper than it; a list may stand right below its key."""
        line = self._peek()
        if line is None:
            return None
        indent, body = line
        is_item = body == "-" or body.startswith("- ")
        if indent <= outer and not (is_value and is_item and indent == outer):
            return None
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise NotPlainYaml
        value = self._list(indent) if is_item else self._mapping(indent) if _KEY.fullmatch(body) else self._lone(outer)
        self._depth -= 1
        return value

    def _list(self, indent: int) -> list[Any]:
        items: list[Any] = []
        while (line := self._peek()) and line[0] == indent and (line[1] == "-" or line[1].startswith("- ")):
            rest = line[1][1:].lstrip(" ")
            if rest and rest[0] != "#":
                deeper = indent + len(line[1]) - len(rest)
                self._lines[self._at] = " " * deeper + rest
                items.append(self._node(deeper - 1))
            else:
                self._at += 1
                items.append(self._node(indent))
        if line and line[0] > indent:
            raise NotPlainYaml
        return items

    def _mapping(self, indent: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        while (line := self._peek()) and line[0] == indent and (pair := _KEY.fullmatch(line[1])):
            name = pair[1]
            key = _unquoted(name) if name[0] in "\"'" else name
            if key == "<<":
                raise NotPlainYaml
            rest = (pair[2] or "").strip()
            self._at += 1
            fields[key] = self._node(indent, is_value=True) if not rest or rest[0] == "#" else self._value(rest, indent)
        if line and line[0] >= indent:
            raise NotPlainYaml
        return fields

    def _lone(self, outer: int) -> Any:
        """A value that stands alone on its line."""
        rest = self._lines[self._at].strip()
        self._at += 1
        return self._value(rest, outer)

    def _value(self, rest: str, indent: int) -> Any:
        """A value that begins at the end of a line whose indent is given."""
        if block := _BLOCK.fullmatch(rest):
            return self._block(block, indent)
        if rest[0] in "\"'":
            return self._quoted(rest, indent)
        if rest[0] in "[{":
            return self._flow(rest)
        if rest[0] in "&*!%@`|>" or rest[:2] in {"?", "? "}:
            raise NotPlainYaml
        pieces = [_COMMENT.sub("", rest)]
        while pieces[-1] == rest or len(pieces) > 1:
            line = self._peek()
            if line is None or line[0] <= indent:
                break
            if _KEY.fullmatch(line[1]):
                raise NotPlainYaml
            self._at += 1
            pieces.append(_COMMENT.sub("", line[1]))
        return _scalar(pieces[0].strip()) if len(pieces) == 1 else " ".join(piece.strip() for piece in pieces)

    def _block(self, head: re.Match[str], outer: int) -> str:
        """A text over several lines, as it stands or folded."""
        given_indent = next((int(sign) for sign in head[2] if sign.isdigit()), 0)
        indent = outer + given_indent if given_indent and outer >= 0 else given_indent
        lines: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            depth = len(line) - len(line.lstrip(" "))
            if line.strip():
                indent = indent or depth
                if depth < indent or depth <= outer:
                    break
            lines.append(line[indent:].rstrip("\r") if line.strip() else "")
            self._at += 1
        text = "\n".join(lines).rstrip("\n")
        if head[1] == ">":
            text = re.sub(r"(?<=\S)\n(\n*)(?=\S)", lambda ends: ends[1] or " ", text)
        return text if "-" in head[2] else f"{text}\n"

    def _quoted(self, rest: str, indent: int) -> str:
        mark = rest[0]
        whole = re.compile(r"\"(?:[^\"\\]|\\.)*\"" if mark == '"' else r"'(?:[^']|'')*'")
        pieces = [rest]
        count = _ticks(rest, mark)
        while count % 2:
            matched = self._peek()
            if matched is None or matched[0] <= indent:
                raise NotPlainYaml
            self._at += 1
            pieces.append(matched[1])
            count += _ticks(matched[1], mark)
        text = " ".join(pieces)
        matched = whole.match(text)
        if matched is None or _COMMENT.sub("", text[matched.end() :]).strip():
            raise NotPlainYaml
        return _unquoted(matched[0])

    def _flow(self, rest: str) -> Any:
        """A list or mapping in brackets, over as many lines as it takes."""
        pieces, depth = [rest], _opened(rest)
        while depth > 0:
            line = self._peek()
            if line is None:
                raise NotPlainYaml
            self._at += 1
            pieces.append(line[1])
            depth += _opened(line[1])
        return _Flow(" ".join(pieces)).value()


class _Flow:
    """Lists and mappings in brackets."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, Any]] = []
        at = 0
        while at < len(text):
            match = _FLOW.match(text, at)
            if match is None:
                if text[at:].strip() and text[at:].lstrip()[0] != "#":
                    raise NotPlainYaml
                break
            self._tokens.append(_token(match))
            at = match.end()
        self._tokens.append(("", None))
        self._at = 0

    def value(self) -> Any:
        """The value, and nothing behind it."""
        result = self._one(0)
        if self._tokens[self._at][0]:
            raise NotPlainYaml
        return result

    def _one(self, depth: int) -> Any:
        kind, value = self._take()
        if depth > _MAX_DEPTH or kind not in {"value", "[", "{"}:
            raise NotPlainYaml
        if kind == "value":
            return value
        return self._items(depth) if kind == "[" else self._fields(depth)

    def _items(self, depth: int) -> list[Any]:
        items: list[Any] = []
        while self._tokens[self._at][0] != "]":
            items.append(self._one(depth + 1))
            self._comma("]")
        self._take()
        return items

    def _fields(self, depth: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        while self._tokens[self._at][0] != "}":
            kind, key = self._take()
            if kind != "value" or self._take()[0] != ":":
                raise NotPlainYaml
            is_empty = self._tokens[self._at][0] in {",", "}"}
            fields[str(key)] = None if is_empty else self._one(depth + 1)
            self._comma("}")
        self._take()
        return fields

    def _comma(self, end: str) -> None:
        if self._tokens[self._at][0] == ",":
            self._at += 1
        elif self._tokens[self._at][0] != end:
            raise NotPlainYaml

    def _take(self) -> tuple[str, Any]:
        if self._at >= len(self._tokens) - 1:
            raise NotPlainYaml
        self._at += 1
        return self._tokens[self._at - 1]


def _token(match: re.Match[str]) -> tuple[str, Any]:
    sign, double, single, plain, colon = match.groups()
    if sign or colon:
        return sign or colon, None
    if double is not None:
        return "value", _unquoted(f'"{double}"')
    return "value", single.replace("''", "'") if single is not None else _scalar(plain.strip())


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FRACTION.fullmatch(text) else text


def _unquoted(text: str) -> str:
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return re.sub(r"\\(.)", lambda sign: _ESCAPES.get(sign[1], sign[1]), text[1:-1])


def _ticks(line: str, mark: str) -> int:
    """How many marks of a kind stand on a line that are not escaped."""
    return (re.sub(r"\\.", "", line) if mark == '"' else line).count(mark)


def _opened(line: str) -> int:
    """How many brackets a line opens more than it closes, outside of quotes."""
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'", "", line)
    return sum(bare.count(sign) for sign in "[{") - sum(bare.count(sign) for sign in "]}")
