"""SVG references: clip paths, masks and filters that a page draws itself and that leave nothing of a box."""

import re
from collections.abc import Iterable
from itertools import islice

from gossamer.extractors.html.tree import Element, attr, children
from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.css.colours import CLEAR, ink_of
from gossamer.extractors.html.visibility.css.lengths import number, pixels
from gossamer.extractors.html.visibility.css.syntax import too_complex

_BY_TAG = {"clippath": "clip-path", "mask": "mask-image", "filter": "filter"}
_NAMED = re.compile(r"url\(\s*[\"']?#([^)\"'\s]+)")
_OPEN = ("use", "image", "foreignobject", "text")
"""What nobody measures: it counts as drawn."""
_SIDES = {"rect": ("width", "height"), "circle": ("r",), "ellipse": ("rx", "ry")}
_DARK = frozenset({"none", "black", "#000", "#000000"})
_MAKING = frozenset({"feflood", "feimage", "feturbulence"})
"""What paints something of its own in place of what is filtered."""
_JOINING = frozenset({"femerge", "feblend", "fecomposite"})
_MAX_PARTS, _MAX_DEPTH = 100_000, 20
_BLURRED, _FAR = 8.0, 900.0


class References:
    """The names of what leaves nothing, by the property that it is named in."""

    def __init__(self, root: Element) -> None:
        self._left = _MAX_PARTS
        self._empty = {
            (_BY_TAG[el.tag], attr(el, "id").lower())
            for el in root.iter(*_BY_TAG)
            if attr(el, "id") and self._is_empty(el)
        }

    def hide(self, style: Style) -> bool:
        """Whether a box so styled is cut, masked or filtered to nothing."""
        if not self._empty:
            return False
        return any(
            (name, match[1].lower()) in self._empty
            for name in _BY_TAG.values()
            if name in style and (match := _NAMED.search(style[name]))
        )

    def _is_empty(self, el: Element) -> bool:
        if el.tag == "filter":
            return _is_filtered_away([part for part in children(el) if part.tag.startswith("fe")])
        if el.tag == "mask" and any(_figure(el, side) == 0 for side in ("width", "height")):
            return True
        is_lit = el.tag == "clippath" or "alpha" in attr(el, "mask-type") + attr(el, "style")
        units = "clippathunits" if el.tag == "clippath" else "maskcontentunits"
        least = 0.01 if attr(el, units).lower() == "objectboundingbox" else 1.0
        for part in el.iter("*"):
            self._left -= 1
            if self._left < 0:
                raise too_complex()
            if _is_drawn(part, least) and (is_lit or _is_lit(part)):
                return False
        return True


def _is_drawn(part: Element, least: float) -> bool:
    """Whether a shape has any room in it."""
    if "display:none" in attr(part, "style").replace(" ", ""):
        return False
    if part.tag in _OPEN:
        return True
    if part.tag in {"path", "polygon", "polyline"}:
        figures = re.findall(r"[\d.]+", attr(part, "d") or attr(part, "points"))
        return len(set(figures)) > 1 or bool(attr(part, "style") or attr(part, "class"))
    if part.tag not in _SIDES:
        return False
    if attr(part, "style") or attr(part, "class"):
        return True
    sizes = [_figure(part, side) for side in _SIDES[part.tag]]
    return all(size is not None and size > least for size in sizes) and not _is_beside(part)


def _is_beside(part: Element) -> bool:
    """Whether a rectangle lies left of all there is, or above it."""
    edges = [
        (_figure(part, at) or 0.0) + (_figure(part, size) or 0.0) for at, size in (("x", "width"), ("y", "height"))
    ]
    return part.tag == "rect" and min(edges) <= 0


def _figure(part: Element, name: str) -> float | None:
    value = attr(part, name).strip().lower()
    return pixels(value) if value else None


def _is_lit(part: Element) -> bool:
    """Whether a shape of a mask lets anything through: black does not."""
    if part.tag in {"use", "image", "foreignobject"} or attr(part, "style") or attr(part, "class"):
        return True
    if any((share := number(attr(part, name))) is not None and share < CLEAR for name in ("opacity", "fill-opacity")):
        return False
    paints = (
        next((attr(up, name).strip().lower() for up in _up_to_mask(part) if attr(up, name)), "none")
        for name in ("fill", "stroke")
    )
    return any(paint not in _DARK and not _is_black(paint) for paint in paints)


def _up_to_mask(part: Element) -> Iterable[Element]:
    yield part
    for up in islice(part.iterancestors(), _MAX_DEPTH):
        yield up
        if up.tag == "mask":
            return


def _is_black(paint: str) -> bool:
    ink = ink_of(paint) if "url(" not in paint else None
    return ink is not None and (max(ink[:3]) < 20 or ink[3] < CLEAR)


def _is_filtered_away(parts: list[Element]) -> bool:
    """Whether a filter leaves nothing to read: it has no part, paints over all, or one part makes all unreadable."""
    if all(part.tag in _MAKING for part in parts):
        return True
    return not any(part.tag in _JOINING for part in parts) and any(map(_is_ruinous, parts))


def _is_ruinous(part: Element) -> bool:
    if part.tag == "fecolormatrix":
        figures = attr(part, "values").replace(",", " ").split()
        return len(figures) == 20 and all(number(figure) == 0 for figure in figures[15:])
    if part.tag == "fecomponenttransfer":
        return any(_is_clear(func) for func in part.iter("fefunca"))
    if part.tag == "fegaussianblur":
        deviations = [number(figure) for figure in attr(part, "stddeviation").split()]
        return any(figure is not None and figure >= _BLURRED for figure in deviations)
    return part.tag == "feoffset" and any(abs(_figure(part, side) or 0.0) >= _FAR for side in ("dx", "dy"))


def _is_clear(func: Element) -> bool:
    """Whether a function of opacity gives none."""
    if attr(func, "type") == "linear":
        return number(attr(func, "slope")) == 0 and not number(attr(func, "intercept") or "0")
    figures = attr(func, "tablevalues").replace(",", " ").split()
    return bool(figures) and all(number(figure) == 0 for figure in figures)
