"""Boxes that cut off what leaves them, and what leaves them.

A frame is known by the sizes that are said in so many pixels; where one is not said, only what is moved by a whole
width or more is outside. What is moved by its own height stays, unless it says how high it is.
"""

import math
import re
from typing import NamedTuple

from gossamer.extractors.sight.boxes import is_inline
from gossamer.extractors.sight.cascade import Style
from gossamer.extractors.sight.figures import FIGURE
from gossamer.extractors.sight.lengths import pixels

_PAGE = frozenset({"html", "body"})
_CUTTING = frozenset({"hidden", "clip"})
_CONTAINED = frozenset({"paint", "strict", "content"})
_SHARE = re.compile(rf"([+-]?{FIGURE})(%|[sld]?vw)")
_MOVE = re.compile(r"translate(x|y|3d)?\(([^()]*)\)")
_ANCHORS = frozenset({"relative", "absolute", "fixed", "sticky", "-webkit-sticky"})
_BLOCKS = frozenset({"", "block", "flow-root", "list-item"})
_GROWING = frozenset({"td", "th", "tr", "table", "tbody"})


class Frame(NamedTuple):
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


def placed(frame: Frame, style: Style, em: float) -> Frame | None:
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


def inner(frame: Frame | None, style: Style, tag: str, em: float) -> Frame | None:
    """The frame of what stands in an element that begins there: its own, if it cuts off."""
    is_anchor = style.get("position", "") in _ANCHORS or style.get("transform", "none") != "none"
    if is_inline(style, tag) or not (cuts(style, "overflow-x") or cuts(style, "overflow-y")):
        return frame._replace(anchor=(frame.x, frame.y)) if frame and is_anchor else frame
    if tag in _PAGE:
        return Frame(is_anchor=True)
    is_whole = style.get("display", "") in _BLOCKS
    is_sized = tag not in _GROWING and not style.get("display", "").startswith("table") and "flex" not in style
    return Frame(
        width=_size(style, "width", ("left", "right"), em) if is_sized and cuts(style, "overflow-x") else math.inf,
        height=_size(style, "height", ("top", "bottom"), em) if is_sized and cuts(style, "overflow-y") else math.inf,
        is_anchor=is_anchor or "contain" in style,
        is_whole=is_whole,
    )


def cuts(style: Style, axis: str) -> bool:
    """Whether a box cuts off what leaves it on one axis."""
    return style.get(axis) in _CUTTING or not _CONTAINED.isdisjoint(style.get("contain", "").split())


def _absolute(frame: Frame, style: Style, em: float) -> tuple[float, float]:
    start = frame.anchor or (0.0, 0.0)
    found: list[float] = []
    for near, far, flow, begin, size in (
        ("left", "right", frame.x, start[0], frame.width),
        ("top", "bottom", frame.y, start[1], frame.height),
    ):
        of = size if frame.anchor is None else None
        if near in style and style[near] != "auto":
            found.append(begin + _length(style, near, of, em))
        elif frame.anchor is None and _length(style, far, of, em) >= size:
            found.append(-math.inf)
        else:
            found.append(flow)
    return found[0], found[1]


def _side(style: Style, near: str, far: str, of: float, em: float) -> float:
    return _length(style, near, of, em) if style.get(near, "auto") != "auto" else -_length(style, far, of, em)


def _is_plain_block(style: Style) -> bool:
    """Whether a block takes all of the width that there is."""
    if style.get("position") == "absolute" or "width" in style or "max-width" in style or "float" in style:
        return False
    return style.get("display", "") in _BLOCKS


def _own_height(style: Style, around: float, em: float) -> float | None:
    """The height that a box is told to have; None where it is that of its text."""
    share = _SHARE.fullmatch(style.get("height", ""))
    if share and share[2] == "%":
        return float(share[1]) / 100 * around if around != math.inf else None
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
    said = [
        length
        for edge in (name, f"max-{name}")
        if "%" not in style.get(edge, "%") and (length := pixels(style[edge], em=em)) is not None
    ]
    if not said:
        return math.inf
    least = _length(style, f"min-{name}", None, em)
    return max(min(said), least) + sum(_length(style, f"padding-{side}", None, em) for side in sides)


def _sum(one: float, other: float) -> float:
    """A sum that stays a number."""
    return other if math.isinf(other) else one + other
