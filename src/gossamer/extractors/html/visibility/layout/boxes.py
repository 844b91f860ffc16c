"""Boxes out of sight by themselves: moved away, scaled, squeezed, turned in 3-D, clipped or filtered to nothing."""

import math
import re
from functools import lru_cache

from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.css.colours import INVISIBLE_BELOW, stops
from gossamer.extractors.html.visibility.css.declarations import GLOBAL
from gossamer.extractors.html.visibility.css.values import EXPONENT, NUMBER, number, pixels

Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
_ROTATION = re.compile(r"(rotate(?:x|y|z|3d)?)\(([^()]*)\)")
_ANGLE = re.compile(rf"([+-]?{NUMBER}{EXPONENT})(deg|rad|grad|turn)?")
_DEGREES = {"": 1.0, "deg": 1.0, "rad": 180 / math.pi, "grad": 0.9, "turn": 360.0}
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_STRAIGHT: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_MAX_TURNS = 20
_EDGE_ON = 0.02
_FIGURE = re.compile(rf"[+-]?{NUMBER}")
_SIDES = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
"""Which of the given lengths each side takes."""
_WHOLE = 990.0
"""Next to all of a width or height, which count as 1,000 pixels."""
_FAR = -900.0
_FAR_RIGHT = 4_000.0
_FAR_FIXED = -400.0
_WHOLE_SIDE, _SCREEN = 1_000.0, 800.0
"""What `100%` and `100vh` come to."""
_TALLEST = 1_500.0
"""Hardly a screen has more pixels from top to bottom."""
_PLACED = ("absolute", "fixed")
_INLINE_NAMES = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span "
    "strike strong sub sup time tt u var"
)
_INLINE = frozenset(_INLINE_NAMES.split())
_CUTTING = frozenset({"hidden", "clip"})
_KEEPING = frozenset({*_CUTTING, "auto", "scroll", "overlay"})
"""What a box without room shows nothing with, though it may be scrolled."""
_PLANE = (0, 1, 4, 5, 12, 13)
"""Where a matrix of space says what one of the plane says."""
_CALL = re.compile(r"(?<![a-z0-9-])([a-z0-9-]{1,40})\(([^()]*)\)")
_SCREENS = re.compile(rf"({NUMBER})(?:%|[sld]?vw)")
_PLAIN_FIGURE = re.compile(r"[+-]?\d+(?:\.\d+)?")
_NO_SIZE = re.compile(r"/\s*0(?:px|%)?(?![.\d])")
_THROWING = frozenset({"transform", "offset-path", "offset-position", "transform-origin"})
_SCALING = frozenset({"transform", "scale", "zoom"})
_SLANT = re.compile(r"skew[xy]?\(([^(),]*)")
_OPPOSITE = (("top", "bottom"), ("bottom", "top"), ("left", "right"), ("right", "left"))
_NO_ROOM = frozenset({"0 0 0", "0 0 0px", "0 0 0%"})
_LETTERS_ON_ONE_SPOT, _WORDS_ON_ONE_SPOT = -10, -100
_LOW, _NARROW = 4, 4
"""Of a box so low, or placed and so narrow, no letter can be read."""
_OFTEN_CHARS = 500
"""Styles of more characters are not kept."""
_ALL_OF_IT = re.compile(r"(?:[01](?:px)?[\s,]*){1,4}")


def is_face_lost(transform: str, rotate: str, *, is_back_hidden: bool) -> bool:
    """Whether a box is turned edge-on, or shows its back where the back cannot be seen."""
    turned = _STRAIGHT
    for axis, degrees in [*_turn_of(rotate), *_turns_in(transform)][:_MAX_TURNS]:
        turned = _product(turned, _rotation(axis, math.radians(degrees)))
    return abs(turned[2][2]) < _EDGE_ON or (is_back_hidden and turned[2][2] < 0)


def _turn_of(rotation: str) -> list[tuple[tuple[float, float, float], float]]:
    """The `rotate` property: an axis by its name or by three numbers, and an angle, in either order."""
    words = rotation.split()
    angle = next((degrees for word in words if word[-1:].isalpha() and (degrees := _degrees(word)) is not None), None)
    if angle is None:
        return []
    named = next((_AXES[word] for word in words if word in _AXES), None)
    figures = [value for word in words if (value := number(word)) is not None]
    axis = (figures[0], figures[1], figures[2]) if len(figures) == 3 else named or _AXES["z"]
    return [(axis, angle)]


def _turns_in(transform: str) -> list[tuple[tuple[float, float, float], float]]:
    turns: list[tuple[tuple[float, float, float], float]] = []
    for name, inside in _ROTATION.findall(transform):
        parts = inside.split(",")
        degrees = _degrees(parts[-1].strip())
        if degrees is None:
            continue
        if name == "rotate3d" and len(parts) == 4:
            x, y, z = (number(part) or 0.0 for part in parts[:3])
            turns.append(((x, y, z), degrees))
        else:
            turns.append((_AXES[name[6:] if name[6:] in _AXES else "z"], degrees))
    return turns


def _degrees(value: str) -> float | None:
    match = _ANGLE.fullmatch(value)
    return float(match[1]) * _DEGREES[match[2] or ""] if match else None


def _rotation(axis: tuple[float, float, float], angle: float) -> Matrix:
    length = math.hypot(*axis)
    if not length or not math.isfinite(length) or not math.isfinite(angle):
        return _STRAIGHT
    x, y, z = (part / length for part in axis)
    cos, sin = math.cos(angle), math.sin(angle)
    rest = 1 - cos
    return (
        (cos + rest * x * x, rest * x * y - sin * z, rest * x * z + sin * y),
        (rest * x * y + sin * z, cos + rest * y * y, rest * y * z - sin * x),
        (rest * x * z - sin * y, rest * y * z + sin * x, cos + rest * z * z),
    )


def _product(left: Matrix, right: Matrix) -> Matrix:
    def row(of: tuple[float, float, float]) -> tuple[float, float, float]:
        first, second, third = (sum(of[at] * right[at][column] for at in range(3)) for column in range(3))
        return first, second, third

    return row(left[0]), row(left[1]), row(left[2])


def leaves_nothing(shape: str, inside: str) -> bool:
    """Whether a shape of `clip-path` is too small to show a letter."""
    inside, _, centre = inside.partition(" at ")
    inside = inside.strip()
    parts = inside.partition(" round ")[0].replace(",", " ").split()
    lengths = [pixels(part) for part in parts]
    if shape == "inset" and 1 <= len(lengths) <= 4:
        top, right, bottom, left = (lengths[at] or 0.0 for at in _SIDES[len(lengths)])
        return top + bottom >= _WHOLE or left + right >= _WHOLE
    if shape in {"circle", "ellipse"}:
        known = [length for length in lengths if length is not None]
        return bool(known) and (min(known) <= 1 or _is_off_centre(centre, max(known)))
    if shape == "polygon":
        points = {tuple(point.split()) for point in inside.split(",")}
        is_flat = len(points) < 3 or any(len({point[axis : axis + 1] for point in points}) == 1 for axis in (0, 1))
        return is_flat or any(_is_beside([point[axis] for point in points if len(point) == 2]) for axis in (0, 1))
    if shape == "xywh" and len(lengths) >= 4:
        return any(length is not None and length <= 1 for length in lengths[2:4])
    if shape == "rect" and len(lengths) >= 4:
        top, right, bottom, left = (
            (0.0 if at in {0, 3} else 1_000.0) if length is None else length for at, length in enumerate(lengths[:4])
        )
        return right - left <= 1 or bottom - top <= 1
    if shape == "shape":
        return len(set(_FIGURE.findall(inside))) == 1
    return shape == "path" and _is_flat_path(inside)


def _is_beside(places: list[str]) -> bool:
    """Whether all places on an axis lie before the box or behind it."""
    offsets = [pixels(place) for place in places]
    known = [place for place in offsets if place is not None]
    return bool(known) and len(known) == len(places) and (max(known) <= 0 or min(known) >= _WHOLE + 10)


def _is_off_centre(centre: str, radius: float) -> bool:
    """Whether a circle round a place does not reach into the box."""
    offsets = [pixels(part) for part in centre.split()]
    return any(place is not None and place + radius <= 0 for place in offsets)


def _is_flat_path(inside: str) -> bool:
    """Whether a drawn path has no room in it, or lies left of the box or above it."""
    figures = [float(digits) for digits in _FIGURE.findall(inside)]
    across, down = figures[::2], figures[1::2]
    if not across or not down or max(figures) - min(figures) <= 1:
        return True
    is_of_points = not re.search(r"[a-km-zA-KN-Z]", re.sub(r"[lzLZmM]|nonzero|evenodd", "", inside))
    if not is_of_points:
        return max(figures) <= 0
    points = list(zip(across, down, strict=False))
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], points[0]], strict=True))
    return abs(area) < 4 or max(across) <= 0 or max(down) <= 0


def is_gone_alone(style: Style, tag: str) -> bool:
    """Whether a box is out of sight whatever stands round it; computed once for all boxes of the same style."""
    if sum(map(len, style.values())) > _OFTEN_CHARS:
        return _is_gone_alone(style, tag)
    return _is_gone_often(frozenset(style.items()), tag)


def _is_gone_alone(style: Style, tag: str) -> bool:
    return (
        is_away(style)
        or is_turned_away(style)
        or is_squeezed(style, tag)
        or is_cut_away(style)
        or is_filtered_away(style)
    )


@lru_cache(maxsize=2_048)
def _is_gone_often(declared: frozenset[tuple[str, str]], tag: str) -> bool:
    return _is_gone_alone(dict(declared), tag)


def is_away(style: Style) -> bool:
    """Moved off the screen or put behind the page."""
    position = style.get("position", "")
    if position not in {"", "static", *GLOBAL}:
        if any(_is_far(style.get(side, "")) for side in ("left", "right", "top", "bottom")):
            return True
        if style.get("z-index", "").startswith("-") or length(style, "left") > _FAR_RIGHT:
            return True
        if position == "fixed" and any(_is_off_screen(style.get(side, "")) for side in ("top", "bottom")):
            return True
        if position == "fixed" and any(_is_beside_screen(style.get(side, "")) for side in ("left", "right")):
            return True
        if position == "absolute" and style.get("right", "").endswith("vw") and _is_beside_screen(style["right"]):
            return True
    if any(_is_far(style.get(name, "")) for name in ("text-indent", "margin-left", "margin-top", "margin-right")):
        return True
    indent = length(style, "text-indent")
    if length(style, "margin-left") > _FAR_RIGHT or indent > _FAR_RIGHT or (indent >= 900 and _is_cut(style)):
        return True
    return any(_is_far(part) for part in style.get("translate", "").split())


def _is_far(value: str) -> bool:
    length = pixels(value) if value else None
    return length is not None and length <= _FAR


def _is_off_screen(value: str) -> bool:
    """Whether a box that never scrolls, so far from an edge of the screen, is above or below it."""
    length = pixels(value) if value else None
    if length is None:
        return False
    if value.endswith("%"):
        return length >= _WHOLE_SIDE
    return length <= _FAR_FIXED or length >= (_SCREEN if value.endswith("vh") else _TALLEST)


def _is_beside_screen(value: str) -> bool:
    """Whether a box that never scrolls, so far from one side of the screen, is beyond the other."""
    share = _SCREENS.fullmatch(value)
    return share is not None and float(share[1]) >= 100


def length(style: Style, name: str) -> float:
    """A length that a style says; 0 where it says none."""
    value = pixels(style.get(name, ""))
    return 0.0 if value is None else value


def scale(style: Style) -> float:
    """By how much letters grow."""
    if _SCALING.isdisjoint(style):
        return 1.0
    factor = 1.0
    for name, inside in _CALL.findall(style.get("transform", "")):
        parts = [number(part) for part in inside.split(",")]
        if name.startswith("scale") and parts[0] is not None:
            factor *= min(abs(part) for part in parts[:2] if part is not None)
    for name in ("scale", "zoom"):
        parts = [number(part) for part in style.get(name, "").split()[:2]]
        sizes = [abs(part) for part in parts if part is not None]
        factor *= min(sizes) if sizes and (name == "scale" or sizes[0] > 0) else 1.0
    return factor


def is_turned_away(style: Style) -> bool:
    """Moved far, shrunk to nothing or turned edge-on by a transformation."""
    if scale(style) < 0.02:
        return True
    if _is_thrown(style):
        return True
    is_back_hidden = style.get("backface-visibility") == "hidden"
    if is_face_lost(style.get("transform", ""), style.get("rotate", ""), is_back_hidden=is_back_hidden):
        return True
    for name, inside in _CALL.findall(style.get("transform", "")):
        parts = inside.split(",")
        if name.startswith("translate") and any(_is_far(part.strip()) for part in parts[:2]):
            return True
        if name.startswith("translate") and any((pixels(part.strip()) or 0) > _FAR_RIGHT for part in parts[:2]):
            return True
        if name == "matrix3d" and len(parts) == 16:
            parts = [parts[at] for at in _PLANE]
        if name.startswith("matrix") and len(parts) == 6 and _is_flat([number(part) for part in parts]):
            return True
    return False


def _is_thrown(style: Style) -> bool:
    """Turned round a point far away, moved along a path there, or slanted until it is a line."""
    if _THROWING.isdisjoint(style):
        return False
    is_turned = style.get("transform", "none") != "none" or style.get("rotate", "none") != "none"
    places = [style.get("offset-path", ""), style.get("offset-position", "")]
    if "path(" not in places[0] and "ray(" not in places[0]:
        places[0] = ""
    places += [style.get("transform-origin", "")] if is_turned else []
    if any(
        float(figure) <= _FAR or float(figure) > _FAR_RIGHT
        for place in places
        for figure in _PLAIN_FIGURE.findall(place)
    ):
        return True
    slants = [number(part.strip().removesuffix("deg")) for part in _SLANT.findall(style.get("transform", ""))]
    return any(slant is not None and abs(slant % 180 - 90) < 1 for slant in slants)


def _is_flat(parts: list[float | None]) -> bool:
    """Whether a matrix leaves nothing of a plane, or moves it far away."""
    a, b, c, d, x, y = (part or 0.0 for part in parts)
    return abs(a * d - b * c) < 0.001 or min(x, y) <= _FAR


def _is_cut(style: Style) -> bool:
    return any(style.get(name) in _CUTTING for name in ("overflow-x", "overflow-y"))


def is_cut_off(style: Style) -> bool:
    """Whether a box clips its overflow, or shows it only after scrolling."""
    return any(style.get(name) in _KEEPING for name in ("overflow-x", "overflow-y"))


def is_squeezed(style: Style, tag: str) -> bool:
    """Kept in a box too low or too narrow to show a letter."""
    if length(style, "letter-spacing") <= _LETTERS_ON_ONE_SPOT or length(style, "word-spacing") <= _WORDS_ON_ONE_SPOT:
        return True
    if not is_cut_off(style) or length(style, "padding-bottom") > 5:
        return False
    is_placed = style.get("position") in _PLACED
    if is_inline(style, tag):
        return False
    if style.get("flex", "") in _NO_ROOM or (is_placed and any(_is_shut(style, *sides) for sides in _OPPOSITE)):
        return True
    if not is_placed and ("flex" in style or length(style, "min-height") > 1 or length(style, "min-width") > 1):
        return False
    tall = [_sized(style, name) for name in ("height", "max-height")]
    if style.get("height", "auto") == "auto" and "max-height" not in style:
        tall.append(0.0 if style.get("line-height") in {"0", "0px", "1px"} else 1_000.0)
    wide = [_sized(style, name) for name in ("width", "max-width")]
    return min(tall) <= _LOW or min(wide) <= (_NARROW if is_placed else 0)


def _is_shut(style: Style, near: str, far: str) -> bool:
    """Whether one side of a placed box is pushed all the way to the other."""
    share = _SCREENS.fullmatch(style.get(far, ""))
    return length(style, near) >= 0 and near in style and share is not None and float(share[1]) >= 100


def is_inline(style: Style, tag: str) -> bool:
    """Whether a box flows in a line: sizes and what it cuts off say nothing of it."""
    if style.get("position") in _PLACED or "float" in style:
        return False
    return tag in _INLINE and style.get("display", "inline") == "inline"


def _sized(style: Style, name: str) -> float:
    value = pixels(style.get(name, ""))
    return 1_000.0 if value is None else value


def is_cut_away(style: Style) -> bool:
    """Clipped or masked to nothing."""
    clip = style.get("clip", "")
    is_clipped = clip.startswith("rect(") and style.get("position", "absolute") in _PLACED
    if is_clipped and (_ALL_OF_IT.fullmatch(clip[5:-1].strip()) or leaves_nothing("rect", clip[5:-1])):
        return True
    if style.get("content", "").startswith(("url(", "image-set(", "linear-gradient(")):
        return True
    match = _CALL.search(style.get("clip-path", ""))
    if match and leaves_nothing(match[1], match[2]):
        return True
    mask = style.get("mask-image", "")
    if mask not in {"", "none"} and (_NO_SIZE.search(mask) or _is_flat_size(style.get("mask-size", ""))):
        return True
    inks = stops(mask)
    return bool(inks) and all(ink[3] < INVISIBLE_BELOW for ink in inks)


def _is_flat_size(value: str) -> bool:
    return any(length is not None and length <= 1 for length in map(pixels, value.split()))


def calls(style: Style, name: str) -> list[tuple[str, str]]:
    """The functions that a value calls, and what it hands them."""
    return _CALL.findall(style.get(name, ""))


def is_filtered_away(style: Style) -> bool:
    """Made too faint, too blurred or too small to be read by other means than colour and size."""
    adjusted = number(style.get("font-size-adjust", ""))
    if adjusted is not None and adjusted < 0.1:
        return True
    for name, inside in _CALL.findall(style.get("filter", "")):
        amount = number(inside)
        if name == "opacity" and amount is not None and amount < INVISIBLE_BELOW:
            return True
        if name == "contrast" and amount is not None and amount < 0.05:
            return True
        if name == "blur" and (pixels(inside) or 0) >= 8:
            return True
    return style.get("-webkit-text-security", "none") in {"disc", "circle", "square"}
