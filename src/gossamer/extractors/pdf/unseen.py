"""Characters of a PDF page that its reader cannot see.

They are drawn without ink, in the colour of the paper, too small, beside the page, or painted over.
"""

import ctypes
from typing import Any, NamedTuple, cast

from gossamer.extractors.pdf.grounds import Box, Crowded, Ground, Grounds, meet
from gossamer.extractors.sight.colours import CLEAR, Colour, over

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
_NOBODY = 0
"""The owner of blanks and line ends, which are drawn by no one."""

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


def unseen_characters(page: Any, words: Any) -> frozenset[int]:
    """The places of unseen characters in the page's text, none on nearly all pages.

    Text without ink that lies on a picture is the text of a scanned page, which its reader sees in the picture. A page
    may hold more than is looked through; what is not judged then counts as unseen.
    """
    import pypdfium2.raw as raw

    look = _Look(cast("Any", raw), page)
    seen = [text.address for text in look.texts if not look.is_unseen(text)]
    if len(seen) == len(look.texts) and look.is_whole:
        return frozenset()
    known, owner = {_NOBODY, *seen}, look.raw.FPDFText_GetTextObject
    return frozenset(at for at in range(words.count_chars()) if _address(owner(words, at)) not in known)


class _Look:
    """All that is drawn on one page, in the order in which it is painted."""

    def __init__(self, raw: Any, page: Any) -> None:
        self.raw = raw
        self.texts: list[_Text] = []
        self.is_whole = True
        """Whether nothing on the page was passed over."""
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
        if text.size < _TINY_PT or text.opacity < CLEAR:
            return True
        if text.mode >= _CLIPPING:
            return False
        try:
            if text.mode == _INVISIBLE:
                return not self._grounds.is_on_image(text.box)
            return not self._grounds.shows(text.box, text.order, text.ink)
        except Crowded:
            return True

    def _take(self, item: Any, around: Matrix, depth: int) -> None:
        self._order += 1
        if not item or self._order > MAX_OBJECTS or depth > _MAX_DEPTH:
            self.is_whole = False
            return
        raw, kind = self.raw, self.raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_FORM:
            inside = _product(self._matrix(item), around)
            for at in range(min(raw.FPDFFormObj_CountObjects(item), MAX_OBJECTS + 1)):
                self._take(raw.FPDFFormObj_GetObject(item, at), inside, depth + 1)
        elif kind == raw.FPDF_PAGEOBJ_TEXT:
            self.texts.append(self._text(item, around))
        elif kind in {raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING}:
            is_image = kind == raw.FPDF_PAGEOBJ_IMAGE
            ground = Ground(self._order, self._box(item, around), None, is_solid=False, is_image=is_image)
            self._painted.append(ground)
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
        if opacity > CLEAR:
            self._painted.append(
                Ground(self._order, self._box(item, around), over((*ink, opacity), _WHITE), is_solid=is_solid)
            )

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
