"""Lines of a PDF page with their positions, taken from pdfium in few calls: the one file that touches its raw side."""

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

MAX_LINKS = 300
_HYPHENS = "\x02\ufffe"
"""How the reader marks a hyphen that only the line's end needed."""
_BREAK = re.compile(f"\r\n|[\r\n{_HYPHENS}]+")
_LEADERS = re.compile(r"(?:\s?[.·…_]){5,}\s*")
_GAP = 1.4
"""A gap of so many heights is no space between words."""


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
