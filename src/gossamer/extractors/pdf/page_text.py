"""The lines of a PDF page with their places, from pdfium in few calls."""

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from gossamer.extractors.pdf.invisible_text import Drawn, address_of

MAX_LINKS = 300
_HYPHENS = "\x02\ufffe"
"""How the reader marks a hyphen that only the line's end needed."""
_BREAK = re.compile(f"\r\n|[\r\n{_HYPHENS}]+")
_LEADERS = re.compile(r"(?:\s?[.·…_]){5,}\s*")
_GAP = 1.4
"""A gap of so many heights is no space between words."""
GUTTER = 0.7
"""How many heights of a letter wide a gutter is at least."""
_MOST_GUTTERS = 3
_LEAST_LINES = 6
_THROUGH = 0.6
"""How many of the lines across its place leave a gutter free at least."""
_BARE = re.compile(r"[^ \x00]+")
_NEARLY_ALL = 0.8
_SAME = 0.1
"""Heights that differ by no larger share are one size."""
_SAMPLES = 24
MAX_SPACES = 120
"""So many spaces stand between two words of code at most."""


class Line(NamedTuple):
    """A stretch of text on one line, without a gap in it; places count upwards from the lower left corner."""

    left: float
    right: float
    bottom: float
    top: float
    size: float
    """The height of its letters; where they differ, that of the middle one."""
    text: str
    is_hyphened: bool = False
    """Whether its last word goes on in the next line."""
    links: tuple[tuple[int, int, str], ...] = ()
    """Where links lead: from and to within the text, and the address."""
    pitch: float = 0.0
    """How wide each character of a monospaced line is; 0 for other lines."""


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


class _Gap(NamedTuple):
    """A wide space within a line: its edges, its place in the text, and that of the word behind it."""

    left: float
    right: float
    space: int
    after: int


class _Piece(NamedTuple):
    """A stretch of the text of a page, with its wide spaces."""

    start: int
    end: int
    narrow: tuple[_Gap, ...] = ()
    is_hyphened: bool = False

    def parted(self, place: float) -> tuple["_Piece", ...]:
        """Both sides of a place that a wide space leaves free; the piece itself where none does."""
        for at, gap in enumerate(self.narrow):
            if gap.left < place < gap.right:
                before = _Piece(self.start, gap.space, self.narrow[:at])
                return before, self._replace(start=gap.after, narrow=self.narrow[at + 1 :])
        return (self,)


def _widest_way(gaps: Sequence[_Gap]) -> tuple[float, int]:
    """The place across the page that most gaps leave free, and how many do."""
    edges = sorted([(gap.left, 1) for gap in gaps] + [(gap.right, -1) for gap in gaps])
    place, most, free = 0.0, 0, 0
    for at, (edge, step) in enumerate(edges):
        free += step
        if free > most:
            place, most = (edge + edges[at + 1][0]) / 2, free
    return place, most


class PageText:
    """The characters of one page."""

    def __init__(self, page: Any, words: Any, drawn: Drawn) -> None:
        import pypdfium2.raw as raw

        self._raw = cast("Any", raw)
        self._page, self._words = page, words
        self._rect = self._raw.FS_RECTF()
        self._monospaced = drawn.monospaced
        self._wide: list[_Gap] = []
        self.text = self._characters()
        for at in drawn.unseen:
            if at < len(self.text) and self.text[at] not in "\r\n":
                self.text[at] = "\x00"

    def lines(self) -> Iterator[Line]:
        """All lines in the order of the file, parted where a gap lies between two words."""
        text = "".join(self.text)
        links, pieces = self._links(), list[_Piece]()
        start = 0
        while start < len(text):
            match = _BREAK.search(text, start)
            end = match.start() if match else len(text)
            pieces += self._pieces(text, start, end)
            if match and match[0][0] in _HYPHENS and pieces:
                pieces[-1] = pieces[-1]._replace(is_hyphened=True)
            start = match.end() if match else len(text)
        for piece in self._parted(pieces):
            if line := self._line(text, piece.start, piece.end, links, is_hyphened=piece.is_hyphened):
                yield line

    def _characters(self) -> list[str]:
        """One entry for each character that pdfium counts, so that indexes stay true."""
        count = self._words.count_chars()
        whole = self._words.get_text_range(0, count) if count > 0 else ""
        if len(whole) == count:
            return list(whole)
        code = self._raw.FPDFText_GetUnicode
        units = (code(self._words, at) for at in range(count))
        return [chr(unit) if unit and not 0xD800 <= unit < 0xE000 else "\x00" for unit in units]

    def _pieces(self, text: str, start: int, end: int) -> Iterator["_Piece"]:
        """A line as one piece, or several when there are gaps in it."""
        while start < end and text[start] in " \x00":
            start += 1
        while start < end and text[end - 1] in " \x00":
            end -= 1
        if start >= end:
            return
        low, high = self._box(start)[2:]
        size = max(high - low, 1.0)
        narrow: list[_Gap] = []
        space = text.find(" ", start, end)
        while space >= 0:
            after = space + 1
            while after < end and text[after] in " \x00":
                after += 1
            if after < end:
                left, right = self._box(space - 1)[1], self._box(after)[0]
                if right - left > _GAP * size:
                    self._wide.append(_Gap(left, right, space, after))
                    yield _Piece(start, space, tuple(narrow))
                    start, narrow = after, []
                elif right - left > GUTTER * size:
                    narrow.append(_Gap(left, right, space, after))
            space = text.find(" ", after, end)
        yield _Piece(start, end, tuple(narrow))

    def _parted(self, pieces: list["_Piece"]) -> list["_Piece"]:
        """The pieces, parted at gutters too narrow to be seen in one line: many lines leave the same place free."""
        wide = self._wide
        for _ in range(_MOST_GUTTERS):
            place, count = _widest_way([*wide, *(gap for piece in pieces for gap in piece.narrow)])
            if count < _LEAST_LINES:
                break
            others = [gap for gap in wide if not gap.left < place < gap.right]
            across = sum(self._box(one.start)[0] < place < self._box(one.end - 1)[1] for one in pieces)
            if count < _THROUGH * (across + len(wide) - len(others)):
                break
            wide, pieces = others, [part for piece in pieces for part in piece.parted(place)]
        return pieces

    def _line(self, text: str, start: int, end: int, links: list[_Link], *, is_hyphened: bool) -> Line | None:
        stretch = text[start:end].replace("\x00", "")
        if not stretch.strip():
            return None
        first, last, middle = self._box(start), self._box(end - 1), self._box((start + end) // 2)
        left, right = min(first[0], last[0]), max(first[1], last[1])
        bottom, top = min(middle[2], first[2]), max(middle[3], first[3])
        size = self._size(text, start, end, [box[3] - box[2] for box in (first, last, middle)])
        linked = tuple(self._linked(text, start, end, (left, right, bottom, top), links)) if links else ()
        pitch = first[1] - first[0] if self._is_monospaced(text, start, end) else 0.0
        if pitch:
            stretch = stretch if linked else self._spaced(text, start, end, pitch)
        shown = stretch if linked or pitch else without_leaders(stretch)
        return Line(left, right, bottom, top, size, shown.rstrip(), is_hyphened, linked, pitch)

    def _size(self, text: str, start: int, end: int, sizes: list[float]) -> float:
        """The height of a line's letters: a larger first word does not make a line large."""
        if max(sizes) - min(sizes) < _SAME * max(sizes):
            return sorted(sizes)[1]
        places = [at for at in range(start, end, max(1, (end - start) // _SAMPLES)) if text[at] not in " \x00"]
        return sorted(high - low for _, _, low, high in map(self._box, places))[len(places) // 2]

    def _is_monospaced(self, text: str, start: int, end: int) -> bool:
        """Whether a stretch is set in a monospaced font: its first word, and nearly all others."""
        if not self._monospaced or not self._is_in_monospaced(start):
            return False
        words = [(match.start(), len(match[0])) for match in _BARE.finditer(text, start, end)]
        fixed = sum(length for at, length in words if self._is_in_monospaced(at))
        return fixed >= _NEARLY_ALL * sum(length for _, length in words)

    def _is_in_monospaced(self, at: int) -> bool:
        return address_of(self._raw.FPDFText_GetTextObject(self._words, at)) in self._monospaced

    def _spaced(self, text: str, start: int, end: int, pitch: float) -> str:
        """A monospaced stretch with each word in its column."""
        line, left = "", self._box(start)[0]
        for match in _BARE.finditer(text, start, end):
            column = round((self._box(match.start())[0] - left) / pitch) if line else 0
            line += " " * max(min(column - len(line), MAX_SPACES), 1 if line else 0) + match[0]
        return line

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


def without_leaders(text: str) -> str:
    """A line of a table of contents without the dots that lead to the number of the page."""
    return _LEADERS.sub(" … ", text)
