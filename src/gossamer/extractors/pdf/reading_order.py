"""Lines of a PDF page in reading order: the file's own where it goes down the page, else by columns and gutters.

The lines and their positions come from pdfium in few calls: this is the one file that touches its raw side.
"""

import ctypes
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

MAX_LINKS = 300
_HYPHENS = "\x02\ufffe"
"""How the reader marks a hyphen that only the line's end needed."""
_BREAK = re.compile(f"\r\n|[\r\n{_HYPHENS}]+")
_LEADERS = re.compile(r"(?:\s?[.·…_]){5,}\s*")
_GAP = 1.4
"""A gap of so many heights is no space between words."""
PROSE_CHARS = 20
"""Lines of prose are longer, most cells of a table shorter."""
_MAX_DEPTH = 12
_GUTTER = 0.7
"""How many heights of a letter wide a gutter is at least."""
_BAND = 0.6
_BESIDE = 0.8

_Placed = TypeVar("_Placed")


class Line(NamedTuple):
    """A stretch of text on one line, without a gap in it; places count upwards from the lower left corner."""

    left: float
    right: float
    bottom: float
    top: float
    size: float
    """The height of its letters."""
    text: str
    is_hyphened: bool = False
    """Whether its last word goes on in the next line."""
    links: tuple[tuple[int, int, str], ...] = ()
    """Where links lead: from and to within the text, and the address."""


def is_same_row(first: Line, other: Line) -> bool:
    """Whether two stretches stand beside one another."""
    return abs((first.top + first.bottom) - (other.top + other.bottom)) < min(first.size, other.size)


@dataclass(frozen=True, slots=True)
class _Link:
    left: float
    right: float
    bottom: float
    top: float
    address: str


class PageText:
    """The characters of one page."""

    def __init__(self, page: Any, words: Any, unseen: frozenset[int] = frozenset()) -> None:
        import pypdfium2.raw as raw

        self._raw = cast("Any", raw)
        self._page, self._words = page, words
        self._rect = self._raw.FS_RECTF()
        self.text = self._characters()
        for at in unseen:
            if at < len(self.text) and self.text[at] not in "\r\n":
                self.text[at] = "\x00"

    def lines(self) -> Iterator[Line]:
        """All lines in the order of the file, parted where a gap lies between two words."""
        text = "".join(self.text)
        links = self._links()
        start = 0
        while start < len(text):
            match = _BREAK.search(text, start)
            end = match.start() if match else len(text)
            is_hyphened = match is not None and match[0][0] in _HYPHENS
            pieces = list(self._pieces(text, start, end))
            for at, (low, high) in enumerate(pieces):
                if line := self._line(text, low, high, links, is_hyphened=is_hyphened and at == len(pieces) - 1):
                    yield line
            start = match.end() if match else len(text)

    def _characters(self) -> list[str]:
        """One entry for each character that pdfium counts, so that indexes stay true."""
        count = self._words.count_chars()
        whole = self._words.get_text_range(0, count) if count > 0 else ""
        if len(whole) == count:
            return list(whole)
        code = self._raw.FPDFText_GetUnicode
        units = (code(self._words, at) for at in range(count))
        return [chr(unit) if unit and not 0xD800 <= unit < 0xE000 else "\x00" for unit in units]

    def _pieces(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """A line as one piece, or several when there are gaps in it."""
        while start < end and text[start] in " \x00":
            start += 1
        while start < end and text[end - 1] in " \x00":
            end -= 1
        if start >= end:
            return
        low, high = self._box(start)[2:]
        size = max(high - low, 1.0)
        space = text.find(" ", start, end)
        while space >= 0:
            after = space + 1
            while after < end and text[after] in " \x00":
                after += 1
            if after < end and self._box(after)[0] - self._box(space - 1)[1] > _GAP * size:
                yield start, space
                start = after
            space = text.find(" ", after, end)
        yield start, end

    def _line(self, text: str, start: int, end: int, links: list[_Link], *, is_hyphened: bool) -> Line | None:
        stretch = text[start:end].replace("\x00", "")
        if not stretch.strip():
            return None
        first, last, middle = self._box(start), self._box(end - 1), self._box((start + end) // 2)
        sizes = sorted(box[3] - box[2] for box in (first, last, middle))
        left, right = min(first[0], last[0]), max(first[1], last[1])
        bottom, top = min(middle[2], first[2]), max(middle[3], first[3])
        linked = tuple(self._linked(text, start, end, (left, right, bottom, top), links)) if links else ()
        shown = stretch if linked else _LEADERS.sub(" … ", stretch)
        return Line(left, right, bottom, top, sizes[1], shown.rstrip(), is_hyphened, linked)

    def _box(self, at: int) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of a character's field."""
        if not self._raw.FPDFText_GetLooseCharBox(self._words, at, self._rect):
            return 0.0, 0.0, 0.0, 0.0
        rect = self._rect
        return rect.left, rect.right, min(rect.bottom, rect.top), max(rect.bottom, rect.top)

    def _linked(
        self, text: str, start: int, end: int, box: tuple[float, float, float, float], links: list[_Link]
    ) -> Iterator[tuple[int, int, str]]:
        """The stretches of a line that lie under a link; a line with characters taken out keeps none."""
        if "\x00" in text[start:end]:
            return
        left, right, bottom, top = box
        middle = (bottom + top) / 2
        near = [
            place
            for place in links
            if place.bottom <= middle <= place.top and place.left < right and place.right > left
        ]
        at = start
        for link in sorted(near, key=lambda place: place.left)[:20]:
            inside = [n for n in range(at, end) if link.left - 1 <= sum(self._box(n)[:2]) / 2 <= link.right + 1]
            if inside and text[inside[0] : inside[-1] + 1].strip():
                yield inside[0] - start, inside[-1] + 1 - start, link.address
                at = inside[-1] + 1

    def _links(self) -> list[_Link]:
        """The page's links into the web with their places."""
        raw, links, at = self._raw, list[_Link](), ctypes.c_int(0)
        link = raw.FPDF_LINK()
        for _ in range(MAX_LINKS):
            if not raw.FPDFLink_Enumerate(self._page, at, link):
                break
            address = self._address(link)
            if address and raw.FPDFLink_GetAnnotRect(link, self._rect):
                rect = self._rect
                low, high = min(rect.bottom, rect.top), max(rect.bottom, rect.top)
                links.append(_Link(rect.left, rect.right, low, high, address))
        return links

    def _address(self, link: Any) -> str:
        raw, document = self._raw, self._page.pdf
        action = raw.FPDFLink_GetAction(link)
        size = raw.FPDFAction_GetURIPath(document, action, None, 0) if action else 0
        if not 8 < size < 2_048:
            return ""
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(document, action, buffer, size)
        address = buffer.raw[: size - 1].decode("utf-8", "replace")
        return address if address.startswith(("http://", "https://")) else ""


class _Sides(NamedTuple):
    """The lines before a gutter, those after it, and those across it."""

    left: list[Line]
    right: list[Line]
    across: list[Line]


def by_place(lines: Sequence[Line], *, is_leftward: bool = False, depth: int = 0) -> list[Line]:
    """Part lines into columns or bands again and again; what cannot be parted is read from the top.

    What lies across two columns parts what is above it from what is below it.
    """

    def inside(part: Sequence[Line]) -> list[Line]:
        return by_place(part, is_leftward=is_leftward, depth=depth + 1)

    if len(lines) > 1 and depth < _MAX_DEPTH:
        sizes = sorted(line.size for line in lines)
        usual = max(sizes[len(sizes) // 2], 1.0)
        if sides := _sides(lines, usual):
            return [line for part in _zones(sides, is_leftward=is_leftward) for line in inside(part)]
        bands = parted([(-line.top, -line.bottom) for line in lines], lines, gap=_BAND * usual)
        if len(bands) > 1:
            return [line for band in bands for line in inside(band)]
    return _rows(lines)


def is_prose(lines: Sequence[Line]) -> bool:
    """Whether lines are as long as those of a text."""
    return sum(len(line.text) for line in lines) >= PROSE_CHARS * len(lines)


def parted(spans: Sequence[tuple[float, float]], things: Sequence[_Placed], *, gap: float = 0.0) -> list[list[_Placed]]:
    """Things in groups between whose spans nothing lies for more than `gap`."""
    groups: list[list[_Placed]] = []
    end = float("-inf")
    for (low, high), thing in sorted(zip(spans, things, strict=True), key=lambda pair: pair[0]):
        if not groups or low > end + gap:
            groups.append([])
        groups[-1].append(thing)
        end = max(end, high)
    return groups


def _sides(lines: Sequence[Line], usual: float) -> _Sides | None:
    """The lines on both sides of the best gutter: with many lines on either side, and few across."""
    lefts, rights = sorted(line.left for line in lines), sorted(line.right for line in lines)
    best, place = 0, 0.0
    for start in lefts:
        before, after = bisect_right(rights, start - _GUTTER * usual), len(lines) - bisect_left(lefts, start)
        across = len(lines) - before - after
        worth = min(before, after) - across
        if min(before, after) > 1 and worth > best:
            best, place = worth, start
    if not best:
        return None
    sides = _Sides([], [], [])
    for line in lines:
        which = sides.right if line.left >= place else sides.left if line.right <= place - _GUTTER * usual else None
        (sides.across if which is None else which).append(line)
    return sides if _are_columns(sides) else None


def _are_columns(sides: _Sides) -> bool:
    """Whether two sides stand beside one another, and are not the cells of rows."""
    few, many = sorted((sides.left, sides.right), key=len)
    low = max(min(line.bottom for line in side) for side in (few, many))
    high = min(max(line.top for line in side) for side in (few, many))
    if not any(low <= (line.top + line.bottom) / 2 <= high for line in few):
        return False
    if is_prose(few) and is_prose(many):
        return True
    others = sorted(many, key=_height)
    heights = [_height(line) for line in others]
    beside = 0
    for line in few:
        at = bisect_left(heights, _height(line))
        beside += any(is_same_row(line, other) for other in others[max(0, at - 1) : at + 1])
    return beside < _BESIDE * len(few)


def _height(line: Line) -> float:
    return line.top + line.bottom


def _zones(sides: _Sides, *, is_leftward: bool) -> list[list[Line]]:
    """From the top: what lies across, the columns below it, what lies across below them."""
    across = sorted(sides.across, key=_height, reverse=True)
    heights = [-_height(line) for line in across]
    zones: list[tuple[list[Line], list[Line]]] = [([], []) for _ in range(len(across) + 1)]
    for which, side in enumerate((sides.right, sides.left) if is_leftward else (sides.left, sides.right)):
        for line in side:
            zones[bisect_left(heights, -_height(line))][which].append(line)
    parts: list[list[Line]] = [[]]
    for zone, line in zip(zones, [*across, None], strict=True):
        if any(zone):
            parts += [*zone, []]
        if line is not None:
            parts[-1].append(line)
    return [part for part in parts if part]


def _rows(lines: Sequence[Line]) -> list[Line]:
    """From the top, and within a row from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=_height, reverse=True):
        if rows and is_same_row(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda part: part.left)]


_MAX_LINES = 1_500
"""A page with more is a drawing or a trap; it keeps the order of its file."""
_FEW_RISES = 2
"""Heads and feet explain so many."""
_LEAST_ROWS = 6
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


class _Stretch(NamedTuple):
    """Lines that the file writes down the page, column after column, and the box they fill."""

    at: int
    left: float
    right: float
    bottom: float
    top: float
    lines: Sequence[Line]


def reading_order(lines: Sequence[Line]) -> list[Line]:
    """Lines in the order in which a person reads them.

    Most programs write a page in that order, and know better than its geometry where columns and boxes end. Where the
    file goes up again, what it wrote until then is put where it stands. All lines are put by place when the file jumps
    about on the page, or goes across two columns of prose line by line.
    """
    if len(lines) > _MAX_LINES:
        return list(lines)
    is_leftward = 2 * sum(bool(_RIGHT_TO_LEFT.search(line.text)) for line in lines) > len(lines)
    rises = _rises(lines, is_leftward=is_leftward)
    if len(rises) > max(_FEW_RISES, len(lines) // 10) or _is_interleaved(lines):
        return by_place(lines, is_leftward=is_leftward)
    return _placed(list(_stretches(lines, rises)), is_leftward=is_leftward)


def _rises(lines: Sequence[Line], *, is_leftward: bool) -> list[int]:
    """The lines with which the file goes up again, and not to a next column."""
    return [
        at
        for at, (before, line) in enumerate(pairwise(lines), 1)
        if line.bottom > before.top and (line.right > before.left if is_leftward else line.left < before.right)
    ]


def _is_interleaved(lines: Sequence[Line]) -> bool:
    """Whether many rows hold two long stretches with one gutter between all of them."""
    pairs = [
        (line, next_)
        for line, next_ in pairwise(lines)
        if is_same_row(line, next_) and next_.left > line.right and min(len(line.text), len(next_.text)) >= PROSE_CHARS
    ]
    if len(pairs) < _LEAST_ROWS or 2 * len(pairs) < 0.4 * len(lines):
        return False
    starts = sorted(next_.left for _, next_ in pairs)
    usual = starts[len(starts) // 2]
    return sum(abs(start - usual) < pairs[0][0].size for start in starts) > 0.8 * len(starts)


def _stretches(lines: Sequence[Line], rises: list[int]) -> Iterator[_Stretch]:
    for start, end in pairwise([0, *rises, len(lines)]):
        if start < end:
            lefts, rights, bottoms, tops, *_ = zip(*lines[start:end], strict=True)
            yield _Stretch(start, min(lefts), max(rights), min(bottoms), max(tops), lines[start:end])


def _placed(stretches: list[_Stretch], *, is_leftward: bool) -> list[Line]:
    """Stretches from the top, those beside one another column by column.

    Stretches of prose that reach into one another are parted into their lines; others stay as they were written, since
    they are the labels of a drawing.
    """
    bands = parted([(-stretch.top, -stretch.bottom) for stretch in stretches], stretches)
    if len(bands) > 1:
        return [line for band in bands for line in _placed(band, is_leftward=is_leftward)]
    columns = parted([(stretch.left, stretch.right) for stretch in stretches], stretches)
    if len(columns) > 1:
        columns = columns[::-1] if is_leftward else columns
        return [line for column in columns for line in _placed(column, is_leftward=is_leftward)]
    lines = [line for stretch in sorted(stretches) for line in stretch.lines]
    if len(stretches) > 1 and all(is_prose(stretch.lines) for stretch in stretches):
        return by_place(lines, is_leftward=is_leftward)
    return lines
