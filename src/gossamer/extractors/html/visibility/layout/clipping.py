"""Overflow clipping: boxes that cut off what leaves them, and grids whose rows take no room.

A frame is known by the sizes that are said in so many pixels; where one is not said, only what is moved by a whole
width or more is outside. What is moved by its own height stays, unless it says how high it is.
"""

import math
import re
from typing import NamedTuple

from gossamer.extractors.html.tree import Element, children
from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.css.values import NUMBER, pixels
from gossamer.extractors.html.visibility.layout.boxes import is_cut_off, is_inline, length

GRID = frozenset({"grid-template-rows", "grid-template-columns", "grid-auto-rows"})
_DISPLAYS = frozenset({"grid", "inline-grid", "block grid", "inline grid"})
_REPEAT = re.compile(r"repeat\(\s*(\d{1,4})\s*,([^()]*)\)")
_NAMES = re.compile(r"\[[^\[\]]*\]")
_MINMAX = re.compile(r"minmax\(\s*(?:0|0px|auto)\s*,\s*(0[a-z%]*)\s*\)")
_MANY = 10_000
_SIZED = frozenset({"height", "min-height", "aspect-ratio", "contain-intrinsic-size"})
_NOT_SIZED = frozenset({"", "auto", "none", "0", "0px"})
_PAGE = frozenset({"html", "body"})
_CUTTING = frozenset({"hidden", "clip"})
_CONTAINED = frozenset({"paint", "strict", "content"})
_SHARE = re.compile(rf"([+-]?{NUMBER})(%|[sld]?vw)")
_MOVE = re.compile(r"translate(x|y|3d)?\(([^()]*)\)")
_ANCHORS = frozenset({"relative", "absolute", "fixed", "sticky", "-webkit-sticky"})
_BLOCKS = frozenset({"", "block", "flow-root", "list-item"})
_GROWING = frozenset({"td", "th", "tr", "table", "tbody"})


class ClipBox(NamedTuple):
    """A box that cuts off, and where in it an element begins."""

    width: float = math.inf
    height: float = math.inf
    x: float = 0.0
    y: float = 0.0
    is_anchor: bool = False
    """Whether what is placed absolutely is placed within it."""
    anchor: tuple[float, float] | None = None
    """Where the element begins that such places start from; None when that is the frame itself."""
    is_whole: bool = True
    """Whether the element is as wide as the frame."""

    @property
    def is_outside(self) -> bool:
        """Whether nothing of what begins there can be seen."""
        return self.x >= self.width or self.y >= self.height or self.x <= -self.width or self.y <= -self.height


def placed(frame: ClipBox, style: Style, em: float) -> ClipBox | None:
    """Where an element begins; None when the frame does not cut it off."""
    position = style.get("position", "")
    if position == "fixed" or (position == "absolute" and not frame.is_anchor):
        return None
    x, y = (frame.x, frame.y)
    if position == "absolute":
        x, y = _absolute(frame, style, em)
    elif position == "relative":
        x += _side(style, "left", "right", frame.width, em)
        y += _side(style, "top", "bottom", frame.height, em)
    across = frame.width if frame.is_whole else None
    x += _length(style, "margin-left", across, em) + _length(style, "padding-left", across, em)
    y += _length(style, "margin-top", None, em) + _length(style, "padding-top", None, em)
    is_whole = frame.is_whole and _is_plain_block(style)
    right, down = _moved(style, frame.width if is_whole else None, _own_height(style, frame.height, em), em)
    return frame._replace(x=_sum(x, right), y=_sum(y, down), is_whole=is_whole)


def inner(frame: ClipBox | None, style: Style, tag: str, em: float) -> ClipBox | None:
    """The frame of what stands in an element that begins there: its own, if it cuts off."""
    is_anchor = style.get("position", "") in _ANCHORS or style.get("transform", "none") != "none"
    if is_inline(style, tag) or not (cuts(style, "overflow-x") or cuts(style, "overflow-y")):
        return frame._replace(anchor=(frame.x, frame.y)) if frame and is_anchor else frame
    if tag in _PAGE:
        return ClipBox(is_anchor=True)
    is_whole = style.get("display", "") in _BLOCKS
    is_sized = tag not in _GROWING and not style.get("display", "").startswith("table") and "flex" not in style
    return ClipBox(
        width=_size(style, "width", ("left", "right"), em) if is_sized and cuts(style, "overflow-x") else math.inf,
        height=_size(style, "height", ("top", "bottom"), em) if is_sized and cuts(style, "overflow-y") else math.inf,
        is_anchor=is_anchor or "contain" in style,
        is_whole=is_whole,
    )


def cuts(style: Style, axis: str) -> bool:
    """Whether a box cuts off what leaves it on one axis."""
    return style.get(axis) in _CUTTING or not _CONTAINED.isdisjoint(style.get("contain", "").split())


def _absolute(frame: ClipBox, style: Style, em: float) -> tuple[float, float]:
    start = frame.anchor or (0.0, 0.0)
    values: list[float] = []
    for near, far, flow, begin, size in (
        ("left", "right", frame.x, start[0], frame.width),
        ("top", "bottom", frame.y, start[1], frame.height),
    ):
        of = size if frame.anchor is None else None
        if near in style and style[near] != "auto":
            values.append(begin + _length(style, near, of, em))
        elif frame.anchor is None and _length(style, far, of, em) >= size:
            values.append(-math.inf)
        else:
            values.append(flow)
    return values[0], values[1]


def _side(style: Style, near: str, far: str, of: float, em: float) -> float:
    return _length(style, near, of, em) if style.get(near, "auto") != "auto" else -_length(style, far, of, em)


def _is_plain_block(style: Style) -> bool:
    """Whether a block takes all of the width that there is."""
    if style.get("position") == "absolute" or "width" in style or "max-width" in style or "float" in style:
        return False
    return style.get("display", "") in _BLOCKS


def _own_height(style: Style, parent_height: float, em: float) -> float | None:
    """The height that the style gives a box; None where it is that of its text."""
    share = _SHARE.fullmatch(style.get("height", ""))
    if share and share[2] == "%":
        return float(share[1]) / 100 * parent_height if parent_height != math.inf else None
    height = _size(style, "height", ("top", "bottom"), em) if "height" in style else math.inf
    return None if height == math.inf else height


def _moved(style: Style, width: float | None, height: float | None, em: float) -> tuple[float, float]:
    """How far a transformation moves a box."""
    x = y = 0.0
    moves = [(axis, inside.split(",")) for axis, inside in _MOVE.findall(style.get("transform", ""))]
    moves += [("", style["translate"].split())] if "translate" in style else []
    for axis, parts in moves:
        if axis != "y":
            x = _sum(x, _measured(parts[0], width, em))
        if axis == "y" or len(parts) > 1:
            y = _sum(y, _measured(parts[0 if axis == "y" else 1], height, em))
    return x, y


def _length(style: Style, name: str, of: float | None, em: float) -> float:
    return _measured(style.get(name, ""), of, em)


def _measured(value: str, of: float | None, em: float) -> float:
    """A length; shares are of a size, which may be unknown (infinite), or of nothing that we know (None)."""
    value = value.strip()
    if share := _SHARE.fullmatch(value):
        part = float(share[1]) / 100
        if share[2] != "%":
            return math.copysign(math.inf, part) if of == math.inf and abs(part) >= 1 else part * 1280
        if of is None:
            return 0.0
        return part * of if of != math.inf else math.copysign(math.inf, part) if abs(part) >= 1 else 0.0
    return (pixels(value, em=em) or 0.0) if value and "%" not in value else 0.0


def _size(style: Style, name: str, sides: tuple[str, str], em: float) -> float:
    """The most that a box measures on one axis, with its padding."""
    sizes = [
        length
        for edge in (name, f"max-{name}")
        if "%" not in style.get(edge, "%") and (length := pixels(style[edge], em=em)) is not None
    ]
    if not sizes:
        return math.inf
    least = _length(style, f"min-{name}", None, em)
    return max(min(sizes), least) + sum(_length(style, f"padding-{side}", None, em) for side in sides)


def _sum(first: float, other: float) -> float:
    """A sum that stays a number."""
    return other if math.isinf(other) else first + other


def flat_tracks(value: str) -> int:
    """How many rows or columns a grid has, if all of them are flat; 0 when one is not."""
    text = _MINMAX.sub(r"\1", _NAMES.sub(" ", value))
    tracks = 0
    for count, inside in _REPEAT.findall(text):
        if not all(map(_is_flat, inside.split())):
            return 0
        tracks += int(count) * len(inside.split())
    rest = _REPEAT.sub(" ", text).split()
    return min(_MANY, tracks + len(rest)) if all(map(_is_flat, rest)) else 0


def _is_flat(track: str) -> bool:
    size = pixels(track)
    return size is not None and size <= (0 if track.endswith("fr") else 1)


def has_flat_cells(el: Element, style: Style) -> bool:
    """Whether an element lays all that stands in it into rows, or into columns, that have no room."""
    if GRID.isdisjoint(style) or style.get("display", "") not in _DISPLAYS:
        return False
    return _has_flat_rows(el, style) or flat_tracks(style.get("grid-template-columns", "")) > 0


def _has_flat_rows(el: Element, style: Style) -> bool:
    if flat_tracks(style.get("grid-auto-rows", "")) and style.get("grid-template-rows", "none") == "none":
        return True
    columns = style.get("grid-template-columns", "none")
    rows = flat_tracks(style.get("grid-template-rows", "")) if "(" not in columns else 0
    return rows > 0 and sum(1 for _ in children(el)) <= rows * len(columns.split())


def is_folded(el: Element, style: Style, grid: Element | None) -> bool:
    """Whether nothing of an element is seen, since it cuts off what leaves it and takes no room.

    `grid` is what lays elements into flat cells. A row that is flat by its share of what is left grows with what it
    holds, unless that cuts itself off.
    """
    if el.tag in {"html", "body"} or not (is_cut_off(style) or "contain" in style):
        return False
    if any(style.get(name, "") not in _NOT_SIZED for name in _SIZED) or length(style, "padding-bottom") > 5:
        return False
    if grid is not None and el.getparent() is grid and is_cut_off(style):
        return True
    return _is_size_contained(style, el.tag) or _is_flat_grid(el, style)


def _is_flat_grid(el: Element, style: Style) -> bool:
    """Whether all rows of a grid that cuts off are flat, whatever stands in them."""
    if GRID.isdisjoint(style) or "fr" in style.get("grid-template-rows", "") + style.get("grid-auto-rows", ""):
        return False
    is_grid = style.get("display", "") in _DISPLAYS and "flex" not in style
    return is_grid and not (el.text or "").strip() and _has_flat_rows(el, style)


def _is_size_contained(style: Style, tag: str) -> bool:
    """Whether a box is as high as if it were empty."""
    contained = {*style.get("contain", "").split(), *style.get("container-type", "").replace("/", " ").split()}
    if contained.isdisjoint({"size", "strict"}) or "flex" in style or is_inline(style, tag):
        return False
    is_stretched = "top" in style and "bottom" in style
    return not is_stretched and (is_cut_off(style) or not contained.isdisjoint({"strict", "paint", "content"}))
