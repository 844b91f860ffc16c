"""Invisible text of a PDF page: characters that its reader cannot see; and which text is set in a monospaced font.

They are drawn without ink, in the colour of the paper, too small, beside the page, or painted over. What lies on the
page beside its text is found by its position: what text is on or under.
"""

import ctypes
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from gossamer.extractors.html.visibility.css.colours import INVISIBLE_BELOW, OPAQUE_FROM, Colour, is_close, over

MOST_LOOKS = 300_000
"""How often a page's texts may be laid against what is drawn there."""
_TILE_PT = 32.0
_FARTHEST_PT = 20_000.0
_MOST_TILES = 64
"""What lies on more tiles is looked at for every text."""
_POINTS = tuple((across / 16, along / 4) for across in range(1, 16, 2) for along in (1, 3))
"""Where in its box a text is looked at, as shares of the box's width and height."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
Point = tuple[float, float]


class Ground(NamedTuple):
    """Something that is painted; `ink` is None for unknown colours."""

    order: int
    box: Box
    ink: Colour | None
    is_solid: bool
    """Whether all of the box is painted, and nothing below shines through."""
    is_image: bool = False


class Crowded(Exception):
    """More is drawn on a page than is looked through."""


class Grounds:
    """The grounds of a page in the order in which they are painted."""

    def __init__(self, painted: Sequence[Ground]) -> None:
        self._painted = painted
        self._tiles: dict[Point, list[int]] = {}
        self._large: list[int] = []
        self._looks = 0
        for at, ground in enumerate(painted):
            tiles = _tiles(ground.box)
            if not tiles:
                self._large.append(at)
            for tile in tiles:
                self._tiles.setdefault(tile, []).append(at)

    def is_on_image(self, box: Box) -> bool:
        """Whether most of a box lies on pictures, before or behind it."""
        left = _points(box)
        half = len(left) / 2
        for ground in self._near(box):
            if ground.is_image:
                left = [point for point in left if not _has(ground.box, point)]
        return len(left) <= half

    def shows(self, box: Box, order: int, ink: Colour) -> bool:
        """Whether at least half of a text contrasts with its background and is not painted over."""
        near = self._near(box)
        if not near:
            return not is_close(ink, _WHITE)
        left, seen = _points(box), 0
        half = len(left) / 2
        for ground in reversed(near):
            inside = [point for point in left if _has(ground.box, point)]
            if not inside or (ground.order > order and not _blots(ground)):
                continue
            is_seen = ground.order < order and (ground.ink is None or not is_close(ink, ground.ink))
            if is_seen or ground.is_solid:
                seen += is_seen and len(inside)
                left = [point for point in left if point not in inside]
        return seen + (0 if is_close(ink, _WHITE) else len(left)) >= half

    def _near(self, box: Box) -> list[Ground]:
        """What a box touches, in the order of painting."""
        if self._looks > MOST_LOOKS:
            raise Crowded
        tiles = _tiles(box)
        places = {at for tile in tiles for at in self._tiles.get(tile, ())} if tiles else range(len(self._painted))
        self._looks += len(places) + len(self._large)
        if self._looks > MOST_LOOKS:
            raise Crowded
        return [self._painted[at] for at in sorted({*places, *self._large}) if meet(box, self._painted[at].box)]


def meet(first: Box, other: Box) -> bool:
    """Whether two boxes have an area in common."""
    return first[0] < other[2] and other[0] < first[2] and first[1] < other[3] and other[1] < first[3]


def _blots(ground: Ground) -> bool:
    """Whether what is painted later hides what is below; other colours may be a marker's, which lets it through."""
    return ground.is_solid and ground.ink is not None and (is_close(ground.ink, _WHITE) or is_close(ground.ink, _BLACK))


def _points(box: Box) -> list[Point]:
    left, bottom, right, top = box
    return [(left + (right - left) * across, bottom + (top - bottom) * along) for across, along in _POINTS]


def _has(box: Box, point: Point) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _tiles(box: Box) -> list[Point]:
    """The tiles of the page that a box lies on; none when they are many."""
    left, bottom, right, top = (_tile(edge) for edge in box)
    if (right - left + 1) * (top - bottom + 1) > _MOST_TILES:
        return []
    return [(across, along) for across in range(left, right + 1) for along in range(bottom, top + 1)]


def _tile(edge: float) -> int:
    """The number of a tile; an edge that is no number counts as far away."""
    return int(min(_FARTHEST_PT, max(-_FARTHEST_PT, edge)) // _TILE_PT)


MAX_OBJECTS = 50_000
_MAX_DEPTH = 6
_INVISIBLE = 3
_STROKED = frozenset({1, 5})
_CLIPPING = 7
_TINY_PT = 1.8
_WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (0, 0, 0)
_RECTANGLE_SEGMENTS = 6
_NO_OWNER = 0
"""The owner of blanks and line ends, which no text object draws."""

_FIXED_PITCH = 1
"""A flag of a font; many programs do not set it."""
_MONOSPACED = re.compile(
    r"mono(?!type)|nimbusmon|courier|typewriter|consol|menlo|monaco|inconsolata|lettergothic|anonymouspro|hack-|"
    r"(?:source|fira)code|cascadia|^(?:cm|ec|tc|sf|lm|t1|ot1|tx|px|pl|cs|la)\w{0,3}tt|^pcr[rb]",
    re.IGNORECASE,
)
"""How fonts of code are called, TeX's (`CMTT10`, `SFTT1000`, `t1xtt`) among them."""
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_NAME_BYTES = 128

Matrix = tuple[float, float, float, float, float, float]


class _Text(NamedTuple):
    """A piece of text as it is drawn."""

    address: int
    order: int
    box: Box
    size: float
    mode: int
    ink: Colour
    opacity: float


class Drawn(NamedTuple):
    """What a page's text looks like."""

    unseen: frozenset[int]
    """The places of characters in the page's text that nobody sees; none on nearly all pages."""
    monospaced: frozenset[int]
    """The addresses of the text objects that are set in a monospaced font."""


def look_at(page: Any, words: Any) -> Drawn:
    """How the characters of a page are drawn.

    Text without ink that lies on a picture is the text of a scanned page, which its reader sees in the picture. A page
    may hold more than is looked through; what is not judged then counts as unseen.
    """
    import pypdfium2.raw as raw

    look = _Look(cast("Any", raw), page)
    seen = [text.address for text in look.texts if not look.is_unseen(text)]
    monospaced = frozenset(look.monospaced)
    if len(seen) == len(look.texts) and look.is_whole:
        return Drawn(frozenset(), monospaced)
    known, owner = {_NO_OWNER, *seen}, look.raw.FPDFText_GetTextObject
    unseen = frozenset(at for at in range(words.count_chars()) if address_of(owner(words, at)) not in known)
    return Drawn(unseen, monospaced)


class _Look:
    """All that is drawn on one page, in the order in which it is painted."""

    def __init__(self, raw: Any, page: Any) -> None:
        self.raw = raw
        self.texts: list[_Text] = []
        self.is_whole = True
        """Whether nothing on the page was passed over."""
        self.monospaced: list[int] = []
        self._fonts: dict[int, bool] = {}
        self._painted: list[Ground] = []
        self._order = 0
        rect = raw.FS_RECTF()
        has_box = raw.FPDF_GetPageBoundingBox(page, rect)
        self._page: Box | None = (rect.left, rect.bottom, rect.right, rect.top) if has_box else None
        for at in range(min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS + 1)):
            self._take(raw.FPDFPage_GetObject(page, at), (1, 0, 0, 1, 0, 0), 0)
        self._grounds = Grounds(self._painted)

    def is_unseen(self, text: _Text) -> bool:
        """Whether nothing of a text can be read on the page."""
        if self._page is not None and not meet(text.box, self._page):
            return True
        if text.size < _TINY_PT or text.opacity < INVISIBLE_BELOW:
            return True
        if text.mode >= _CLIPPING:
            return False
        try:
            if text.mode == _INVISIBLE:
                return not self._grounds.is_on_image(text.box)
            return not self._grounds.shows(text.box, text.order, text.ink)
        except Crowded:
            return True

    def _take(self, item: Any, outer: Matrix, depth: int) -> None:
        self._order += 1
        if not item or self._order > MAX_OBJECTS or depth > _MAX_DEPTH:
            self.is_whole = False
            return
        raw, kind = self.raw, self.raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_FORM:
            inside = _product(self._matrix(item), outer)
            for at in range(min(raw.FPDFFormObj_CountObjects(item), MAX_OBJECTS + 1)):
                self._take(raw.FPDFFormObj_GetObject(item, at), inside, depth + 1)
        elif kind == raw.FPDF_PAGEOBJ_TEXT:
            self.texts.append(self._text(item, outer))
        elif kind in {raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING}:
            is_image = kind == raw.FPDF_PAGEOBJ_IMAGE
            ground = Ground(self._order, self._box(item, outer), None, is_solid=False, is_image=is_image)
            self._painted.append(ground)
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            self._path(item, outer)

    def _text(self, item: Any, outer: Matrix) -> _Text:
        raw, size = self.raw, ctypes.c_float()
        raw.FPDFTextObj_GetFontSize(item, size)
        a, b, c, d, _, _ = _product(self._matrix(item), outer)
        mode = raw.FPDFTextObj_GetTextRenderMode(item)
        ink, opacity = self._ink(item, is_stroke=mode in _STROKED)
        scale = abs(a * d - b * c) ** 0.5
        address = address_of(item)
        if self._is_monospaced(raw.FPDFTextObj_GetFont(item)):
            self.monospaced.append(address)
        return _Text(address, self._order, self._box(item, outer), abs(size.value) * scale, mode, ink, opacity)

    def _is_monospaced(self, font: Any) -> bool:
        key = address_of(font)
        if key and key not in self._fonts:
            name = ctypes.create_string_buffer(_NAME_BYTES)
            self.raw.FPDFFont_GetBaseFontName(font, name, _NAME_BYTES)
            plain = _SUBSET.sub("", name.value.decode("utf-8", "replace"))
            is_flagged = self.raw.FPDFFont_GetFlags(font) & _FIXED_PITCH == _FIXED_PITCH
            self._fonts[key] = is_flagged or bool(_MONOSPACED.search(plain))
        return self._fonts.get(key, False)

    def _path(self, item: Any, outer: Matrix) -> None:
        raw, fill, is_stroked = self.raw, ctypes.c_int(), ctypes.c_int()
        if not raw.FPDFPath_GetDrawMode(item, fill, is_stroked) or not fill.value:
            return
        ink, opacity = self._ink(item, is_stroke=False)
        is_solid = opacity > OPAQUE_FROM and raw.FPDFPath_CountSegments(item) <= _RECTANGLE_SEGMENTS
        if opacity > INVISIBLE_BELOW:
            self._painted.append(
                Ground(self._order, self._box(item, outer), over((*ink, opacity), _WHITE), is_solid=is_solid)
            )

    def _ink(self, item: Any, *, is_stroke: bool) -> tuple[Colour, float]:
        parts = [ctypes.c_uint() for _ in range(4)]
        read = self.raw.FPDFPageObj_GetStrokeColor if is_stroke else self.raw.FPDFPageObj_GetFillColor
        if not read(item, *parts):
            return _BLACK, 1.0
        red, green, blue, alpha = (part.value for part in parts)
        return (red, green, blue), alpha / 255

    def _matrix(self, item: Any) -> Matrix:
        matrix = self.raw.FS_MATRIX()
        if not self.raw.FPDFPageObj_GetMatrix(item, matrix):
            return 1, 0, 0, 1, 0, 0
        return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f

    def _box(self, item: Any, outer: Matrix) -> Box:
        """Where an object lies on the page, what it is drawn in included."""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        if not self.raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            return 0, 0, 0, 0
        a, b, c, d, e, f = outer
        corners = [(x, y) for x in (left.value, right.value) for y in (bottom.value, top.value)]
        across = [a * x + c * y + e for x, y in corners]
        along = [b * x + d * y + f for x, y in corners]
        return min(across), min(along), max(across), max(along)


def address_of(item: Any) -> int:
    """Where an object of the reader lies in memory, which names it while its page is open."""
    return ctypes.cast(item, ctypes.c_void_p).value or 0


def _product(first: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    p, q, r, s, t, u = other
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u
