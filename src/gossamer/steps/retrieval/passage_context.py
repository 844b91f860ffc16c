"""Passage context: the table header, code fence or heading without which a span cannot be understood."""

import re
from itertools import islice

from gossamer.model.page import Chunk
from gossamer.steps.text.index_text import says_something
from gossamer.steps.text.segmentation import Block, blocks, text_lines
from gossamer.steps.tokens.count import count

LED = frozenset({"table", "fence"})
"""What its later lines cannot be understood without the first of."""
_TOKENS = 160
"""As much as the header of a table of sixteen columns; how much of it is shown, the room decides."""
_CHARS = 1 << 12
"""Of a header: names of columns that are longer together are none."""
_WIDTHS = (32, 20, 12, 7, 3)
"""To how many characters the names of columns are cut, until they are few enough together."""
_OPENING_TOKENS = 24
"""Of code: the name of a language, and perhaps of a file."""
_LONGEST_FENCE = 16
_MOST_CHARS = 8
"""Of a token in a header: one of more is not worth being counted."""
_FEWEST_NAMED = 3
"""Columns that have names though no header is marked."""
_RULE = re.compile(r"[ \t:|]*-[ \t:|-]*")
_PIPE = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_FENCE = re.compile(r"`{3,}|~{3,}")
_FENCE_LINE = re.compile(r"^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)", re.MULTILINE)
_UNREPEATED = re.compile(
    rf"`{{{_LONGEST_FENCE + 1},}}|~{{{_LONGEST_FENCE + 1},}}|[>*+.)-][ \t>*+.)\d-]*(?:`{{3}}|~{{3}})"
)


def has_unrepeated_code(text: str) -> bool:
    """Whether a text has code that a part of it cannot begin with the fence of: too long, in a quote or in an item."""
    return _UNREPEATED.search(text) is not None


def closing(text: str) -> str:
    """What would end the code that a text ends within; empty where it ends within none."""
    if "```" not in text and "~~~" not in text:
        return ""
    *_, last = blocks(text)
    return last.fence if len(last.fence) <= _LONGEST_FENCE else ""


def shortened(lead: str, most_tokens: int) -> str:
    """A lead of at most so many tokens: the names of columns cut, code without its language; empty where that is none.

    A few letters of a name say more than no name, so that the header of a wide table is never lost for its width.
    """
    if count(lead) <= most_tokens:
        return lead
    if fence := _FENCE.match(lead):
        return fence[0] if len(fence[0]) <= _LONGEST_FENCE else ""
    names = [" ".join(name.split()) for name in _PIPE.split(_LINK.sub(r"\1", lead.partition("\n")[0].strip(" \t|")))]
    for width in _WIDTHS:
        header = f"| {' | '.join(_cut(name, width) for name in names)} |\n|{'-|' * len(names)}"
        if len(header) <= _MOST_CHARS * most_tokens and count(header) <= most_tokens:
            return header
    return ""


def _cut(name: str, width: int) -> str:
    """A name with a sign that it is cut, where there is room for one."""
    if len(name) <= width:
        return name
    return name[: width - 1].rstrip("\\ ") + "…" if width > _WIDTHS[-1] else name[:width].rstrip("\\ ")


def _header(text: str, start: int, end: int) -> tuple[str, int]:
    """The first two lines of a table where the second is a rule, and where what is read before the others ends.

    A page whose table has no header has the names of its columns in the first row below an empty one; where there are
    but two columns, the first row is more likely to be one fact of many.
    """
    lines = list(islice(text_lines(text, start, min(end, start + _CHARS)), 3))
    if len(lines) < 2 or not _RULE.fullmatch(text, *lines[1]):
        return "", start
    names, rule = (text[slice(*line)] for line in lines[:2])
    if says_something(names):
        return shortened(f"{names}\n{rule}", _TOKENS), lines[1][1]
    if len(lines) < 3 or _cells(rule.strip(" \t|")) + 1 < _FEWEST_NAMED:
        return "", lines[1][1]
    return shortened(f"{text[slice(*lines[2])]}\n{rule}", _TOKENS), lines[2][1]


def _is_begun(table: str) -> bool:
    """Whether a table ends before what is read before its rows does."""
    names, _, rule = table.partition("\n")
    return len(table) < _CHARS and (not rule or (not says_something(names) and _RULE.fullmatch(rule) is not None))


def _cells(text: str) -> int:
    return len(_PIPE.findall(text))


class Leads:
    """Goes from chunk to chunk and knows what has to be read before what each of them holds.

    Chunks may end within code, within a table, within a row of it, and even within its header. The space between two
    is not at hand: a row that goes on is told by the cells that it lacks.
    """

    def __init__(self) -> None:
        self.text = ""
        """What has to be read before the later lines of the block."""
        self.head = 0
        """Where what is read before the others ends itself."""
        self.rest = 0
        """How many characters of the chunk end a row that was begun before it."""
        self.goes_on = False
        """Whether the chunk begins with a part of what the one before ended with."""
        self.fence = ""
        self._in_table = False
        self._opening = ""
        """The first lines of a table as far as they are known, before the names of its columns are."""
        self._row_cells = 0
        self._end = -1

    def enter(self, chunk: Chunk) -> None:
        """Find out what a chunk begins with."""
        in_table = self._in_table and chunk.start - self._end <= 1
        self.head = self.rest = 0
        if in_table and not _begins_row(chunk.text):
            in_table = self._is_unfinished
            self.rest = len(chunk.text.partition("\n")[0]) if in_table else 0
        if in_table and self._opening:
            self._go_on_with_header(chunk.text)
        self.goes_on = bool(self.fence) or in_table
        if self.rest:
            self._row_cells += _cells(chunk.text[: self.rest])
        self._end = chunk.end

    def is_rest(self, block: Block) -> bool:
        """Whether a block of the chunk is a part of what the chunk before ended with."""
        return self.goes_on and block.start - self.rest <= bool(self.rest) and block.kind in LED

    def begin(self, text: str, block: Block) -> None:
        """Meet a block that is no such part."""
        self.text, self.head, self._opening = "", block.start, ""
        if block.kind == "fence":
            first = next(text_lines(text, block.start, min(block.end, block.start + _CHARS)))
            self.text, self.head = shortened(text[slice(*first)].strip(), _OPENING_TOKENS), first[1]
        elif block.kind == "table":
            self.text, self.head = _header(text, block.start, block.end)
            table = text[block.start : min(block.end, block.start + _CHARS)]
            self._opening = table if not self.text and _is_begun(table) else ""

    def leave(self, text: str, block: Block) -> None:
        """Go past a block."""
        self.fence, self._in_table = block.fence, block.kind == "table" and block.end == len(text)
        if self._in_table:
            self._row_cells = _cells(text[max(block.start, text.rfind("\n", 0, block.end) + 1) : block.end])

    def is_open(self, following: Chunk | None) -> bool:
        """Whether the block that was left goes on in the next chunk."""
        if self.fence or following is None or not self._in_table or following.start - self._end > 1:
            return bool(self.fence)
        return _begins_row(following.text) or self._is_unfinished

    def over(self, chunk: Chunk) -> str:
        """What has to be read before a chunk; quicker than going from block to block."""
        self.enter(chunk)
        lead = self.text if self.goes_on else ""
        for line in _FENCE_LINE.finditer(chunk.text):
            if not self.fence:
                self.fence, self.text = line[1], shortened(line[0].strip(), _OPENING_TOKENS)
            elif line[1].startswith(self.fence) and not line[2].strip():
                self.fence = ""
        if self.fence:
            self._in_table = False
        elif self.rest < len(chunk.text):
            self._go_past_rows(chunk.text)
        return lead

    @property
    def _is_unfinished(self) -> bool:
        is_cut = self._opening and "\n" not in self._opening
        return bool(is_cut) or self._row_cells < _cells(self.text.rpartition("\n")[2])

    def _go_on_with_header(self, text: str) -> None:
        first = text.partition("\n")[0]
        gap = "\n" if "\n" in self._opening or _RULE.fullmatch(first) else " "
        whole = f"{self._opening}{gap}{text[:_CHARS]}"
        self.text, end = _header(whole, 0, len(whole))
        self.head = max(0, end - len(self._opening) - 1)
        self._opening = whole if not self.text and _is_begun(whole) else ""

    def _go_past_rows(self, text: str) -> None:
        """Meet the rows that a chunk ends with."""
        first = end = len(text)
        while first and _begins_row(text[(start := text.rfind("\n", 0, first - 1) + 1) : first]):
            first = start
        self._in_table = first < end
        if self._in_table:
            block = Block("table", first, end, "")
            if not self.is_rest(block):
                self.begin(text, block)
            self.leave(text, block)


def _begins_row(text: str) -> bool:
    return text.lstrip(" \t").startswith("|")
