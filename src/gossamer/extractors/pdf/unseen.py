"""Characters of a PDF page that its reader cannot see.

They are drawn without ink, in the colour of the paper, too small, beside the page, or painted over.
"""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from gossamer.extractors.sight.colours import CLEAR, Colour, is_close

MAX_OBJECTS = 50_000
_MAX_DEPTH = 6
_INVISIBLE = 3
_STROKED = frozenset({1, 5})
_CLIPPING = 7
_TINY_PT = 1.8
_WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (0, 0, 0)
_RECTANGLE_SEGMENTS = 6
_SOLID = 1 - CLEAR
_MOST_GROUNDS = 400
"""Rectangles and pictures that are looked through for each text; a page with more is drawn, not written on."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
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


class _Ground(NamedTuple):
    """What lies on the page beside text: a filled rectangle, or something of unknown colours."""

    order: int
    box: Box
    ink: Colour | None
    is_image: bool


def unseen_characters(page: Any, words: Any) -> frozenset[int]:
    """The places of unseen characters in the page's text, none on nearly all pages.

    Text without ink that lies on a picture is the text of a scanned page, which its reader sees in the picture.
    """
    import pypdfium2.raw as raw

    look = _Look(cast("Any", raw), page)
    texts = [text for text in look.texts if look.is_unseen(text)]
    if not texts:
        return frozenset()
    unseen = {text.address for text in texts}
    owner = look.raw.FPDFText_GetTextObject
    return frozenset(at for at in range(words.count_chars()) if _address(owner(words, at)) in unseen)


class _Look:
    """All that is drawn on one page, in the order in which it is painted."""

    def __init__(self, raw: Any, page: Any) -> None:
        self.raw = raw
        self.texts: list[_Text] = []
        self._grounds: list[_Ground] = []
        self._order = 0
        rect = raw.FS_RECTF()
        has_box = raw.FPDF_GetPageBoundingBox(page, rect)
        self._page: Box | None = (rect.left, rect.bottom, rect.right, rect.top) if has_box else None
        for at in range(min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS)):
            self._take(raw.FPDFPage_GetObject(page, at), (1, 0, 0, 1, 0, 0), 0)

    def is_unseen(self, text: _Text) -> bool:
        """Whether nothing of a text can be read on the page."""
        if self._page is not None and not _meet(text.box, self._page):
            return True
        if text.size < _TINY_PT or text.opacity < CLEAR:
            return True
        if text.mode == _INVISIBLE:
            return not any(ground.is_image and _meet(text.box, ground.box) for ground in self._grounds)
        if text.mode >= _CLIPPING:
            return False
        below: Colour | None = _WHITE
        for ground in self._around(text):
            if ground.order < text.order:
                below = ground.ink
            elif ground.ink is not None and (is_close(ground.ink, _WHITE) or is_close(ground.ink, _BLACK)):
                return True
        return below is not None and is_close(text.ink, below)

    def _around(self, text: _Text) -> Iterator[_Ground]:
        """What a text lies on or under."""
        if len(self._grounds) > _MOST_GROUNDS:
            yield _Ground(0, text.box, None, is_image=False)
            return
        for ground in self._grounds:
            if ground.ink is None or ground.order < text.order:
                if _meet(text.box, ground.box):
                    yield ground
            elif _holds(ground.box, text.box):
                yield ground

    def _take(self, item: Any, around: Matrix, depth: int) -> None:
        self._order += 1
        if not item or self._order > MAX_OBJECTS or depth > _MAX_DEPTH:
            return
        raw, kind = self.raw, self.raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_FORM:
            inside = _product(self._matrix(item), around)
            for at in range(min(raw.FPDFFormObj_CountObjects(item), MAX_OBJECTS)):
                self._take(raw.FPDFFormObj_GetObject(item, at), inside, depth + 1)
        elif kind == raw.FPDF_PAGEOBJ_TEXT:
            self.texts.append(self._text(item, around))
        elif kind in {raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING}:
            self._grounds.append(_Ground(self._order, self._box(item, around), None, kind == raw.FPDF_PAGEOBJ_IMAGE))
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            self._path(item, around)

    def _text(self, item: Any, around: Matrix) -> _Text:
        raw, size = self.raw, ctypes.c_float()
        raw.FPDFTextObj_GetFontSize(item, size)
        a, b, c, d, _, _ = _product(self._matrix(item), around)
        mode = raw.FPDFTextObj_GetTextRenderMode(item)
        ink, opacity = self._ink(item, is_stroke=mode in _STROKED)
        scale = abs(a * d - b * c) ** 0.5
        return _Text(_address(item), self._order, self._box(item, around), abs(size.value) * scale, mode, ink, opacity)

    def _path(self, item: Any, around: Matrix) -> None:
        raw, fill, is_stroked = self.raw, ctypes.c_int(), ctypes.c_int()
        if not raw.FPDFPath_GetDrawMode(item, fill, is_stroked) or not fill.value:
            return
        ink, opacity = self._ink(item, is_stroke=False)
        is_solid = opacity > _SOLID and raw.FPDFPath_CountSegments(item) <= _RECTANGLE_SEGMENTS
        self._grounds.append(_Ground(self._order, self._box(item, around), ink if is_solid else None, is_image=False))

    def _ink(self, item: Any, *, is_stroke: bool) -> tuple[Colour, float]:
        parts = [ctypes.c_uint() for _ in range(4)]
        read = self.raw.FPDFPageObj_GetStrokeColor if is_stroke else self.raw.FPDFPageObj_GetFillColor
        if not read(item, *parts):
            return _BLACK, 1.0
        red, green, blue, alpha = (part.value for part in parts)
        return (red, green, blue), alpha / 255

    def _matrix(self, item: Any) -> Matrix:
        found = self.raw.FS_MATRIX()
        if not self.raw.FPDFPageObj_GetMatrix(item, found):
            return 1, 0, 0, 1, 0, 0
        return found.a, found.b, found.c, found.d, found.e, found.f

    def _box(self, item: Any, around: Matrix) -> Box:
        """Where an object lies on the page, what it is drawn in included."""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        if not self.raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            return 0, 0, 0, 0
        a, b, c, d, e, f = around
        corners = [(x, y) for x in (left.value, right.value) for y in (bottom.value, top.value)]
        across = [a * x + c * y + e for x, y in corners]
        along = [b * x + d * y + f for x, y in corners]
        return min(across), min(along), max(across), max(along)


def _address(item: Any) -> int:
    return ctypes.cast(item, ctypes.c_void_p).value or 0


def _product(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
