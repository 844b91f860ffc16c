"""Hidden indirectly: by an SVG clip path, mask or filter, a collapsed table column, a reversed text direction.

Clip paths, masks and filters that a page draws itself may leave nothing of a box. The cells of a collapsed column are
not shown, though nothing is said of the cells. Text that a style reverses is read backwards, and the other way round: a
short piece is told as its reader sees it, which is how some pages write addresses of mail. A long one, or one of
several pieces, breaks into lines that nobody can read.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from gossamer.extractors.html.tree import Element, attr, children
from gossamer.extractors.html.visibility.css.cascade import Cascade, Style
from gossamer.extractors.html.visibility.css.colours import INVISIBLE_BELOW, ink_of
from gossamer.extractors.html.visibility.css.values import number, pixels, too_complex

_BY_TAG = {"clippath": "clip-path", "mask": "mask-image", "filter": "filter"}
_NAMED = re.compile(r"url\(\s*[\"']?#([^)\"'\s]+)")
_OPEN = ("use", "image", "foreignobject", "text")
"""Shapes that are not measured: they count as drawn."""
_SIDES = {"rect": ("width", "height"), "circle": ("r",), "ellipse": ("rx", "ry")}
_DARK = frozenset({"none", "black", "#000", "#000000"})
_MAKING = frozenset({"feflood", "feimage", "feturbulence"})
"""What paints something of its own in place of what is filtered."""
_JOINING = frozenset({"femerge", "feblend", "fecomposite"})
_MAX_PARTS, _MAX_DEPTH = 100_000, 20
_BLURRED, _FAR = 8.0, 900.0
_COLUMNS = ("col", "colgroup")
_CELLS = frozenset({"td", "th"})
_PARTS = frozenset({"thead", "tbody", "tfoot"})
_MOST_SPANNED = 1_000
"""As many columns, or rows, a cell or a column spans at most, in browsers too."""
_MOST_STEPS = 5_000_000
_OVERRIDES = frozenset({"bidi-override", "isolate-override"})
_LONGEST = 80
_MOST_PIECES = 1_000
_LOOKED_AT = 1_000
_MIRRORED = str.maketrans("()[]{}<>", ")(][}{><")
_LEFT, _RIGHT = frozenset({"L"}), frozenset({"R", "AL"})


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
    if any(
        (share := number(attr(part, name))) is not None and share < INVISIBLE_BELOW
        for name in ("opacity", "fill-opacity")
    ):
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
    return ink is not None and (max(ink[:3]) < 20 or ink[3] < INVISIBLE_BELOW)


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


def collapsed_cells(root: Element, cascade: Cascade) -> Iterator[Element]:
    """The cells that stand in collapsed columns alone; one that reaches beyond them is shown in part, and stays."""
    collapsed_columns = [
        el for el in root.iter(*_COLUMNS) if el in cascade.styled and _visibility(el, cascade) == "collapse"
    ]
    for table in dict.fromkeys(next(el.iterancestors("table"), None) for el in collapsed_columns):
        if table is not None and (collapsed := _collapsed(table, cascade)):
            yield from _within(table, collapsed)


def _collapsed(table: Element, cascade: Cascade) -> set[int]:
    """The numbers of the columns that are collapsed."""
    columns: set[int] = set()
    at = 0
    for el in children(table):
        if el.tag not in _COLUMNS:
            continue
        group_visibility = _visibility(el, cascade)
        parts = [child for child in children(el) if child.tag == "col"] or [el]
        for part in parts:
            span = _span(part, "span")
            if (_visibility(part, cascade) or group_visibility) == "collapse":
                columns.update(range(at, min(at + span, _MOST_SPANNED)))
            at += span
    return columns


def _within(table: Element, collapsed: set[int]) -> Iterator[Element]:
    last, looked = max(collapsed), 0
    for rows in _groups(table):
        held: dict[int, int] = {}
        """The first row that each column is free again in, below a cell that spans several."""
        for row_number, row in enumerate(rows):
            at = 0
            for cell in children(row):
                while held.get(at, 0) > row_number:
                    at += 1
                    looked += 1
                if cell.tag not in _CELLS or at > last:
                    continue
                if looked > _MOST_STEPS:
                    raise too_complex()
                columns = range(at, min(at + _span(cell, "colspan"), _MOST_SPANNED))
                shown = sum(column not in collapsed for column in columns)
                looked += len(columns)
                if not shown:
                    yield cell
                elif shown < len(columns):
                    cell.set("colspan", str(shown))
                if (down := _span(cell, "rowspan")) > 1:
                    held.update(dict.fromkeys(columns, row_number + down))
                at = columns.stop


def _groups(table: Element) -> Iterator[list[Element]]:
    """The rows of a table, by the parts of it that cells do not reach across."""
    loose = [child for child in children(table) if child.tag == "tr"]
    if loose:
        yield loose
    for part in children(table):
        if part.tag in _PARTS:
            yield [row for row in children(part) if row.tag == "tr"]


def _visibility(el: Element, cascade: Cascade) -> str:
    return cascade.of(el).get("visibility", "") if el in cascade.styled else ""


def _span(el: Element, name: str) -> int:
    value = attr(el, name).strip()
    return (
        min(max(int(value), 1), _MOST_SPANNED) if value.isdecimal() and len(value) < len(str(_MOST_SPANNED)) + 2 else 1
    )


def is_turned(el: Element, style: Style) -> bool:
    """Whether the signs of an element follow one another as the style says, whatever they are."""
    return style.get("unicode-bidi", "isolate-override" if el.tag == "bdo" else "") in _OVERRIDES


class Directions:
    """Which way the text of elements runs, asked where it is turned."""

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade
        self._known: dict[Element, str] = {}

    def settle(self, turned: Mapping[Element, Style]) -> int:
        """Show turned text as its reader sees it, or not at all; gives how many texts are gone."""
        hidden = 0
        for el, style in turned.items():
            pieces = _pieces(el)
            if not pieces or not _runs_against("".join(pieces), self._of(el, style)):
                continue
            holder = next((part for part in el.iter("*") if (part.text or "").strip()), None)
            if len(pieces) == 1 and len(pieces[0]) <= _LONGEST and holder is not None:
                holder.text = pieces[0][::-1].translate(_MIRRORED)
                continue
            hidden += 1
            for part in el.iter():
                part.text, part.tail = "", part.tail if part is el else ""
        return hidden

    def _of(self, el: Element, style: Style) -> str:
        if style.get("direction", "") in {"ltr", "rtl"}:
            return style["direction"]
        path, direction = list[Element](), "ltr"
        for up in (el, *el.iterancestors()):
            if up in self._known:
                direction = self._known[up]
                break
            path.append(up)
            declared = self._cascade.of(up).get("direction", "") or attr(up, "dir").strip().lower()
            if declared in {"ltr", "rtl"}:
                direction = declared
                break
        self._known.update(dict.fromkeys(path, direction))
        return direction


def _pieces(el: Element) -> list[str]:
    """The texts in an element; of very many the first."""
    pieces: list[str] = []
    for text in islice(el.itertext(), _MOST_PIECES):
        pieces += [text] if text.strip() else []
        if len(pieces) > 1:
            break
    return pieces


def _runs_against(text: str, direction: str) -> bool:
    """Whether most letters of a text run the other way."""
    kinds = [unicodedata.bidirectional(sign) for sign in text[:_LOOKED_AT]]
    left, right = (sum(kind in way for kind in kinds) for way in (_LEFT, _RIGHT))
    return right > left if direction == "ltr" else left > right
