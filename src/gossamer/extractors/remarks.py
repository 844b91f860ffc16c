"""What stands in Markdown and is shown to nobody: comments, elements that hide or are no text; code stays."""

import re
from typing import NamedTuple

from gossamer.extractors.code_places import CodePlaces, line_end
from gossamer.extractors.raw_tags import BLOCKS, VOID, Tag, read_tag
from gossamer.extractors.sight.hidden import NEVER_SHOWN

_SIGN = re.compile(
    r"(?P<open><!--|<\?|<!\[CDATA\[|<!(?=[a-z]))|(?P<note>^[ ]{0,3}\[(?://|comment)\]:[ ]*(?:#|<>)[^\n]*$)"
    r"|<(?P<end>/?)(?P<name>[a-z][a-z0-9-]{0,30})(?=[\s/>]|\Z)",
    re.MULTILINE | re.IGNORECASE,
)
_TAG_END = re.compile(">")
_CLOSED_BY = {
    "<!--": re.compile("-->"),
    "<?": re.compile(r"\?>"),
    "<![cdata[": re.compile("]]>"),
    "<!": _TAG_END,
}
_LINE_BEGINS = re.compile(r"[ \t]*(?:(?:>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*")
_LINE_CHARS = 200
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_WORD = re.compile(r"\w")
_RAW = frozenset({"script", "style", "title", "textarea", "iframe", "noembed", "noframes", "noscript", "pre"})
"""The first end tag ends them, whatever stands before it."""
_SHOWN_UNENDED = frozenset({"object", "applet", "select"})
"""Without an end they hide nothing."""
_UNSHOWN = NEVER_SHOWN - VOID - {"option", "optgroup", "progress", "meter"}


class _Piece(NamedTuple):
    """What a sign begins."""

    end: int
    shown: str = ""
    hidden: int = 0


def uncommented(text: str) -> tuple[str, int]:
    """Markdown without what no reader of the page sees, and how many such parts it had."""
    reader = _Reader(text)
    kept: list[str] = []
    hidden, at = 0, 0
    while found := _SIGN.search(text, at):
        start = found.start()
        code = reader.places.end_of(start, since=at)
        if code is not None:
            kept.append(text[at:code])
            at = code
            continue
        piece = reader.piece(found)
        kept += (text[at:start], piece.shown)
        hidden += piece.hidden
        at = piece.end
    kept.append(text[at:])
    return "".join(kept), hidden


class _Reader:
    """Reads what the signs of a text begin, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._raw = 0
        """As far as here the text goes to the browser as it stands."""
        self._tried = 0
        """Where a tag that never ends was looked for, the next one is not looked for again."""
        self._listing = 0
        """As far as here reaches the last `pre`, which empty lines do not end."""
        self._unended_names: set[str] = set()
        self._next: dict[re.Pattern[str], tuple[int, int, int]] = {}
        self.places = CodePlaces(text)

    def piece(self, found: re.Match[str]) -> _Piece:
        """What stands at a sign that is no code."""
        start = found.start()
        if found["note"]:
            return _Piece(found.end(), hidden=1)
        is_raw = start < self._raw
        if not is_raw and _is_escaped(self._text, start):
            return _Piece(found.end(), found[0])
        begins = is_raw or _begins_line(self._text, start)
        if found["open"]:
            return self._remark(found["open"].lower(), start, begins=begins)
        name = found["name"].lower()
        if found["end"]:
            return self._end_tag(found, name, begins=begins)
        is_block = name in BLOCKS or name in _UNSHOWN
        is_loose = start >= self._tried and (is_raw or (begins and is_block))
        tag = read_tag(self._text, start, found["name"], is_loose=is_loose)
        self._tried = max(self._tried, tag.end)
        if begins and (is_block or self._is_alone(tag)):
            self._goes_raw(start, name)
        if not tag.is_one:
            return self._unended(found, tag) if is_loose and is_block else _Piece(found.end(), found[0])
        if name in VOID:
            return _Piece(tag.end, hidden=1) if tag.hides else _Piece(tag.end, tag.shown, tag.messages)
        if tag.hides or (name in _UNSHOWN and name not in self._unended_names):
            end = self._element_end(name, tag.end)
            if tag.hides or end < len(self._text) or name not in _SHOWN_UNENDED:
                return _Piece(end, hidden=tag.hides or tag.messages > 0 or self._holds_words(tag.end, end))
            self._unended_names.add(name)
        return _Piece(tag.end, tag.shown, tag.messages)

    def _remark(self, sign: str, start: int, *, begins: bool) -> _Piece:
        """A comment or the like; one that is never closed takes the rest along where a browser gets it."""
        inside = start + (2 if sign == "<!--" else len(sign))
        end = self._find(_CLOSED_BY[sign], inside)
        if end is None and sign != "<!--":
            end = self._find(_TAG_END, inside)
        if end is None:
            is_gone = begins or sign == "<!--"
            return _Piece(len(self._text), hidden=1) if is_gone else _Piece(inside, self._text[start:inside])
        if begins:
            self._shut(line_end(self._text, end))
        return _Piece(end, hidden=1)

    def _end_tag(self, found: re.Match[str], name: str, *, begins: bool) -> _Piece:
        """An end tag as its name alone: whatever else it holds, nobody sees."""
        if begins and name in BLOCKS:
            self._goes_raw(found.start(), name)
        end = self._find(_TAG_END, found.end())
        if end is None or end > self._paragraph_end(found.end()):
            return _Piece(found.end(), found[0])
        is_plain = not self._text[found.end() : end - 1].strip()
        return _Piece(end, f"{found[0]}>") if is_plain or begins else _Piece(found.end(), found[0])

    def _unended(self, found: re.Match[str], tag: Tag) -> _Piece:
        """A tag that never ends, at the beginning of a line: the browser takes its paragraph for attributes."""
        end = self._paragraph_end(tag.end)
        return _Piece(end, hidden=self._holds_words(found.end(), end))

    def _is_alone(self, tag: Tag) -> bool:
        return tag.is_one and not self._text[tag.end : line_end(self._text, tag.end)].strip()

    def _goes_raw(self, start: int, name: str) -> None:
        if name == "pre" and start >= self._listing:
            self._listing = self._element_end(name, start + len(name))
            self._shut(self._listing)
        elif start >= self._raw:
            self._shut(self._paragraph_end(start))

    def _shut(self, until: int) -> None:
        self._raw = max(self._raw, until)
        self.places.shut(until)

    def _paragraph_end(self, at: int) -> int:
        end = self._find(_EMPTY_LINE, at)
        return len(self._text) if end is None else end - 1

    def _element_end(self, name: str, inside: int) -> int:
        """The place behind an element; one that is never closed takes the rest along, as in a browser."""
        depth = 1
        tags = re.compile(rf"<!--|<(/?){name}(?=[\s/>])", re.IGNORECASE)
        while tag := tags.search(self._text, inside):
            inside = tag.end()
            if tag[0] == "<!--":
                inside = inside if name in _RAW else self._behind(_CLOSED_BY["<!--"], inside - 2)
                continue
            # A paragraph is closed by the next one and never stands in another.
            depth += -1 if tag[1] else name != "p" and name not in _RAW
            if depth == 0:
                return self._behind(_TAG_END, inside)
        return len(self._text)

    def _behind(self, what: re.Pattern[str], at: int) -> int:
        end = self._find(what, at)
        return len(self._text) if end is None else end

    def _find(self, what: re.Pattern[str], at: int) -> int | None:
        """The place behind the next such sign; a stretch that was looked through is not looked through again."""
        since, start, end = self._next.get(what, (0, -1, -1))
        if not since <= at <= start:
            found = what.search(self._text, at)
            start, end = found.span() if found else (len(self._text), -1)
            self._next[what] = at, start, end
        return None if end < 0 else end

    def _holds_words(self, start: int, end: int) -> bool:
        last = self._text.rfind("</", start, end)
        return _WORD.search(self._text, start, end if last < 0 else last) is not None


def _is_escaped(text: str, at: int) -> bool:
    before = text[max(0, at - _LINE_CHARS) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _begins_line(text: str, at: int) -> bool:
    """Whether nothing but blanks and the marks of lists and quotes stand before a place in its line."""
    start = max(0, at - _LINE_CHARS)
    line, is_whole = text[start:at].rpartition("\n")[2], start == 0 or "\n" in text[start:at]
    return is_whole and _LINE_BEGINS.fullmatch(line) is not None
