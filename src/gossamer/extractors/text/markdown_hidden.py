"""Hidden parts of Markdown: comments and elements that a renderer does not show; code is kept to the letter."""

import re
from typing import NamedTuple

from gossamer.extractors.html.visibility.strip_hidden import NEVER_SHOWN
from gossamer.extractors.text.sanitise import BLOCKS, VOID, Tag, read_tag

_QUOTE = r"(?:[ ]{0,3}>[ ]?)"
_FENCE = re.compile(rf"({_QUOTE}{{0,9}})([ \t]*)(`{{3,}}|~{{3,}})")
_BLANKS = re.compile(r"[ \t]*")
_ITEM = re.compile(r"([ \t]*(?:[-*+]|[0-9]{1,9}[.)]))(?:([ \t]{1,4})(?![ \t])|(?=[ \t]|$))")
_RUN = re.compile(r"\\.|`+", re.DOTALL)
_BREAK = re.compile(r"\n[ \t]*(?:\n|[#>|]|[-*+=](?:[ \t]|[-=])|[0-9]{1,9}[.)][ \t]|```|~~~|<[a-z/!?])", re.IGNORECASE)
"""Where a paragraph ends: code within a line does not reach across."""
_CELL = re.compile(r"(?<!\\)\|")
_TABLE = re.compile(r"^[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*\|", re.MULTILINE)
_DEEP = 4
"""As many blanks make a line code by themselves, or part of the paragraph before it."""
_MOST_MARKS = 50
_LONGEST = 2_000


class CodePlaces:
    """Tells, from the beginning of a text to its end, whether a place is code; where in doubt, it is none."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 0
        """The beginning of the first line that was not looked at."""
        self._offset = 0
        """How deep the text of the list stands that may be open."""
        self._is_free = True
        """Whether the last line was empty or code: behind one of a paragraph a deep line belongs to it."""
        self._shut = 0
        self._has_cells = _TABLE.search(text) is not None

    def shut(self, until: int) -> None:
        """Take what stands before a place for markup that a browser gets as it is: nothing in it is code."""
        self._shut = max(self._shut, until)

    def end_of(self, place: int, *, since: int) -> int | None:
        """The place behind the code that is open at `place`, None where none is; all before `since` is settled."""
        if place < self._shut:
            return None
        end = self._block_end(place, max(since, self._shut))
        return self._span_end(place, max(since, self._shut)) if end is None else end

    def _block_end(self, place: int, since: int) -> int | None:
        while self._line <= place:
            start = self._line
            if start < since:
                self._line = since if self._text[since - 1] == "\n" else line_end(self._text, since) + 1
                self._is_free = False
                continue
            stop = self._after(start, line_end(self._text, start))
            if stop is not None and stop > place:
                return stop
        return None

    def _after(self, start: int, end: int) -> int | None:
        """Go on behind a line, or behind the fence that it opens; the place behind it where it is code."""
        text, self._line = self._text, end + 1
        blanks = _BLANKS.match(text, start, end)
        if blanks is None or blanks.end() == end:
            self._is_free = True
            return None
        width = _width(blanks[0])
        if self._is_free and width >= self._offset + _DEEP:
            return end
        fence = _FENCE.match(text, start, end)
        if (
            fence
            and (fence[1] or width < self._offset + _DEEP)
            and not ("`" in fence[3] and "`" in text[fence.end() : end])
        ):
            stop = self._fence_end(fence, end)
            self._line = stop if text[stop - 1] == "\n" else stop + 1
            self._is_free = True
            return stop
        item = _ITEM.match(text, start, end)
        if item:
            self._offset = _width(item[1]) + (_width(item[0]) - _width(item[1]) if item[2] else 1)
        elif self._is_free and width < self._offset:
            self._offset = width if width > 1 else 0
        self._is_free = False
        return None

    def _fence_end(self, fence: re.Match[str], at: int) -> int:
        """The place behind a fence: its closing marks, or a line that ends what it stands in."""
        text, sign, size, depth = self._text, fence[3][0], len(fence[3]), fence[1].count(">")
        width = _width(fence[2]) if self._offset or depth else 0
        quote = re.compile(rf"{_QUOTE}{{{depth}}}([ \t]*)")
        while at < len(text):
            start, at = at + 1, line_end(text, at + 1)
            inside = quote.match(text, start, at)
            if inside is None:
                return start
            if inside.end() == at:
                continue
            here = _width(inside[1])
            if here < width:
                return start
            rest = text[inside.end() : at].rstrip()
            if here < width + _DEEP and len(rest) >= size and not rest.strip(sign):
                return at
        return len(text)

    def _span_end(self, place: int, since: int) -> int | None:
        """The place behind the code within a paragraph that is open at `place`."""
        while run := _RUN.search(self._text, since, place):
            since = run.end()
            if run[0][0] == "`" and len(run[0]) <= _MOST_MARKS:
                end = self._closed(run)
                if end > place:
                    return end
                since = max(since, end)
        return None

    def _closed(self, run: re.Match[str]) -> int:
        """The place behind the marks that close as many; 0 when none do."""
        marks = re.compile(rf"(?<!`)`{{{len(run[0])}}}(?!`)").search(self._text, run.end(), run.end() + _LONGEST)
        if marks is None or _BREAK.search(self._text, run.end(), marks.start()):
            return 0
        is_split = self._has_cells and _CELL.search(self._text, run.end(), marks.start())
        return 0 if is_split else marks.end()


def line_end(text: str, at: int) -> int:
    """Where the line ends that a place stands in."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _width(blanks: str) -> int:
    return len(blanks.expandtabs(4))


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


def strip_hidden_markup(text: str) -> tuple[str, int]:
    """Markdown without what no reader of the page sees, and how many such parts it had."""
    reader = _Reader(text)
    pieces: list[str] = []
    hidden, at = 0, 0
    while match := _SIGN.search(text, at):
        start = match.start()
        code = reader.places.end_of(start, since=at)
        if code is not None:
            pieces.append(text[at:code])
            at = code
            continue
        piece = reader.piece(match)
        pieces += (text[at:start], piece.shown)
        hidden += piece.hidden
        at = piece.end
    pieces.append(text[at:])
    return "".join(pieces), hidden


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

    def piece(self, match: re.Match[str]) -> _Piece:
        """What stands at a sign that is no code."""
        start = match.start()
        if match["note"]:
            return _Piece(match.end(), hidden=1)
        is_raw = start < self._raw
        if not is_raw and _is_escaped(self._text, start):
            return _Piece(match.end(), match[0])
        begins = is_raw or _begins_line(self._text, start)
        if match["open"]:
            return self._remark(match["open"].lower(), start, begins=begins)
        name = match["name"].lower()
        if match["end"]:
            return self._end_tag(match, name, begins=begins)
        is_block = name in BLOCKS or name in _UNSHOWN
        is_loose = start >= self._tried and (is_raw or (begins and is_block))
        tag = read_tag(self._text, start, match["name"], is_loose=is_loose)
        self._tried = max(self._tried, tag.end)
        if begins and (is_block or self._is_alone(tag)):
            self._goes_raw(start, name)
        if not tag.is_one:
            return self._unended(match, tag) if is_loose and is_block else _Piece(match.end(), match[0])
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

    def _end_tag(self, match: re.Match[str], name: str, *, begins: bool) -> _Piece:
        """An end tag as its name alone: whatever else it holds is invisible."""
        if begins and name in BLOCKS:
            self._goes_raw(match.start(), name)
        end = self._find(_TAG_END, match.end())
        if end is None or end > self._paragraph_end(match.end()):
            return _Piece(match.end(), match[0])
        is_plain = not self._text[match.end() : end - 1].strip()
        return _Piece(end, f"{match[0]}>") if is_plain or begins else _Piece(match.end(), match[0])

    def _unended(self, match: re.Match[str], tag: Tag) -> _Piece:
        """A tag that never ends, at the beginning of a line: the browser takes its paragraph for attributes."""
        end = self._paragraph_end(tag.end)
        return _Piece(end, hidden=self._holds_words(match.end(), end))

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
            match = what.search(self._text, at)
            start, end = match.span() if match else (len(self._text), -1)
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
