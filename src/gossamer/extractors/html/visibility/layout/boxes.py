"""Boxes out of sight by themselves: moved away, scaled, squeezed, clipped or filtered to nothing."""

import re
from functools import lru_cache

from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.css.colours import CLEAR, stops
from gossamer.extractors.html.visibility.css.declarations import GLOBAL
from gossamer.extractors.html.visibility.css.lengths import number, pixels
from gossamer.extractors.html.visibility.css.syntax import NUMBER
from gossamer.extractors.html.visibility.layout.transforms import is_face_lost, leaves_nothing

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
_FIGURE = re.compile(r"[+-]?\d+(?:\.\d+)?")
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


def is_gone_alone(style: Style, tag: str) -> bool:
    """Whether a box is out of sight whatever stands round it; told once for all that are styled alike."""
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
        float(figure) <= _FAR or float(figure) > _FAR_RIGHT for place in places for figure in _FIGURE.findall(place)
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
    """Whether a box shows nothing of what leaves it, or only to those who scroll."""
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
    return bool(inks) and all(ink[3] < CLEAR for ink in inks)


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
        if name == "opacity" and amount is not None and amount < CLEAR:
            return True
        if name == "contrast" and amount is not None and amount < 0.05:
            return True
        if name == "blur" and (pixels(inside) or 0) >= 8:
            return True
    return style.get("-webkit-text-security", "none") in {"disc", "circle", "square"}
