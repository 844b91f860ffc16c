"""Where code stands in Markdown: between fences, indented, or within a line; it is shown to the letter."""

import re

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
        around = re.compile(rf"{_QUOTE}{{{depth}}}([ \t]*)")
        while at < len(text):
            start, at = at + 1, line_end(text, at + 1)
            inside = around.match(text, start, at)
            if inside is None:
                return start
            if inside.end() == at:
                continue
            here = _width(inside[1])
            if here < width:
                return start
            said = text[inside.end() : at].rstrip()
            if here < width + _DEEP and len(said) >= size and not said.strip(sign):
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
