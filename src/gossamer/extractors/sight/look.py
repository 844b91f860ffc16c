"""What a reader can see of an element, by its computed style and by what it takes over from the one round it."""

import re
from typing import NamedTuple

from gossamer.extractors.sight.cascade import Style
from gossamer.extractors.sight.colours import CLEAR, Colour, Ink, ink_of, is_close, over
from gossamer.extractors.sight.lengths import number, pixels
from gossamer.extractors.sight.media import split_outside
from gossamer.extractors.sight.turning import is_face_lost, leaves_nothing
from gossamer.extractors.tree import Element, attr

WHITE: Colour = (255, 255, 255)
_BLACK: Ink = (0, 0, 0, 1.0)
_FAR = -900.0
_FAR_RIGHT = 4_000.0
_FAR_FIXED = -400.0
_WHOLE_SIDE, _SCREEN = 1_000.0, 800.0
"""What `100%` and `100vh` come to."""
_TALLEST = 1_500.0
"""Hardly a screen has more pixels from top to bottom."""
_TINY = 4.0
"""Smaller letters, in pixels, are read by nobody."""
_PLACED = ("absolute", "fixed")
_UNSET = frozenset({"initial", "revert", "revert-layer"})
_TAKEN_OVER = frozenset({"inherit", "unset"})
_FONT_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0}
_INLINE_NAMES = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span "
    "strike strong sub sup time tt u var"
)
_INLINE = frozenset(_INLINE_NAMES.split())
_PLANE = (0, 1, 4, 5, 12, 13)
"""Where a matrix of space says what one of the plane says."""
_CALL = re.compile(r"([a-z0-9-]+)\(([^()]*)\)")
_ALL_OF_IT = re.compile(r"(?:[01](?:px)?[\s,]*){1,4}")


class Seen(NamedTuple):
    """What an element takes over from the one round it."""

    font_px: float = 16.0
    root_px: float = 16.0
    scale: float = 1.0
    opacity: float = 1.0
    is_invisible: bool = False
    ink: Ink | None = None
    ground: Colour | None = None
    is_shaded: bool = False
    """Letters without ink that a shadow, or a picture cut to their shape, shows."""

    @property
    def hides_text(self) -> bool:
        """Whether text standing directly in the element cannot be seen."""
        if self.is_invisible or self.font_px * self.scale < _TINY:
            return True
        if self.ink is None or self.is_shaded:
            return False
        return self.ink[3] < CLEAR or self.is_painted_over

    @property
    def is_painted_over(self) -> bool:
        """Whether nothing but its colour, which is that of the ground, hides the text."""
        if self.ink is None or self.ground is None or self.is_invisible or self.font_px * self.scale < _TINY:
            return False
        return self.ink[3] >= CLEAR and is_close(over(self.ink, self.ground), self.ground)


def look(el: Element, style: Style, around: Seen) -> Seen:
    """What can be seen of text directly in the element."""
    ink_attribute, ground_attribute = attr(el, "color") if el.tag == "font" else "", attr(el, "bgcolor")
    size_attribute = attr(el, "text") if el.tag == "body" else ""
    if not style and not ink_attribute and not ground_attribute and not size_attribute:
        return around
    ink = around.ink
    if said := (ink_attribute or size_attribute).lower():
        ink = ink_of(said) or ink
    if said := style.get("color", ""):
        ink = _ink(said, around.ink)
    if said := style.get("-webkit-text-fill-color", ""):
        ink = _ink(said, ink)
    ground, is_cut_to_letters = _ground(style, ground_attribute, around.ground)
    shadow = ink_of(style.get("text-shadow", ""))
    has_own_ink = "color" in style or "-webkit-text-fill-color" in style or bool(ink_attribute)
    return Seen(
        font_px=_font(style.get("font-size", ""), around),
        root_px=_font(style.get("font-size", ""), around) if el.tag == "html" else around.root_px,
        scale=around.scale * _scale(style),
        opacity=around.opacity * _opacity(style),
        is_invisible=_is_invisible(style.get("visibility", ""), around),
        ink=ink,
        ground=ground,
        is_shaded=is_cut_to_letters or bool(shadow and shadow[3] >= CLEAR) or (around.is_shaded and not has_own_ink),
    )


def is_gone(style: Style, around: Seen, *, tag: str) -> bool:
    """Whether an element so styled, and all in it, is out of sight."""
    display = style.get("display", "")
    if display == "none" or style.get("content-visibility") == "hidden":
        return True
    if display == "contents":
        return False
    return (
        around.opacity * _opacity(style) < CLEAR
        or _is_away(style)
        or _is_turned_away(style)
        or _is_squeezed(style, tag)
        or _is_cut_away(style)
        or _is_filtered_away(style)
    )


def _opacity(style: Style) -> float:
    said = number(style.get("opacity", "1"))
    return 1.0 if said is None else min(1.0, max(0.0, said))


def _is_invisible(said: str, around: Seen) -> bool:
    if not said or said in _TAKEN_OVER:
        return around.is_invisible
    return said in {"hidden", "collapse"}


def _font(said: str, around: Seen) -> float:
    if not said or said in _TAKEN_OVER:
        return around.font_px
    if said in _UNSET:
        return 16.0
    if said in {"smaller", "larger"}:
        return around.font_px * (0.83 if said == "smaller" else 1.2)
    length = pixels(said, of=around.font_px, em=around.font_px, root=around.root_px)
    return _FONT_SIZES.get(said, 16.0) if length is None else max(0.0, length)


def _ink(said: str, around: Ink | None) -> Ink | None:
    if said in _TAKEN_OVER or said == "currentcolor":
        return around
    return _BLACK if said in _UNSET else ink_of(said)


def _ground(style: Style, attribute: str, around: Colour | None) -> tuple[Colour | None, bool]:
    """What the element is painted on, None when that is not known; and whether a picture shows in its letters."""
    image, said = style.get("background-image", "none"), style.get("background-color", "")
    is_painted = image not in {"none", *_UNSET, *_TAKEN_OVER}
    if style.get("background-clip", "") == "text":
        return around, is_painted or bool(said)
    if is_painted:
        return None, False
    ink = ink_of(said) if said else ink_of(attribute.lower()) if attribute else None
    if ink is None or ink[3] < CLEAR:
        return around, False
    if ink[3] > 1 - CLEAR:
        return ink[:3], False
    return (None if around is None else over(ink, around)), False


def _is_away(style: Style) -> bool:
    """Moved off the screen or put behind the page."""
    position = style.get("position", "")
    if position not in {"", "static", *_UNSET, *_TAKEN_OVER}:
        if any(_is_far(style.get(side, "")) for side in ("left", "right", "top", "bottom")):
            return True
        if style.get("z-index", "").startswith("-") or _length(style, "left") > _FAR_RIGHT:
            return True
        if position == "fixed" and any(_is_off_screen(style.get(side, "")) for side in ("top", "bottom")):
            return True
    if any(_is_far(style.get(name, "")) for name in ("text-indent", "margin-left", "margin-top", "margin-right")):
        return True
    indent = _length(style, "text-indent")
    if _length(style, "margin-left") > _FAR_RIGHT or indent > _FAR_RIGHT or (indent >= 900 and _is_cut_off(style)):
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


def _length(style: Style, name: str) -> float:
    said = pixels(style.get(name, ""))
    return 0.0 if said is None else said


def _scale(style: Style) -> float:
    """By how much letters grow."""
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


def _is_turned_away(style: Style) -> bool:
    """Moved far, shrunk to nothing or turned edge-on by a transformation."""
    if _scale(style) < 0.02:
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


def _is_flat(parts: list[float | None]) -> bool:
    """Whether a matrix leaves nothing of a plane, or moves it far away."""
    a, b, c, d, x, y = (part or 0.0 for part in parts)
    return abs(a * d - b * c) < 0.001 or min(x, y) <= _FAR


def _is_cut_off(style: Style) -> bool:
    return any(style.get(name) in {"hidden", "clip"} for name in ("overflow-x", "overflow-y"))


def _is_squeezed(style: Style, tag: str) -> bool:
    """Kept in a box too low or too narrow to show a letter."""
    letters = pixels(style.get("letter-spacing", ""))
    if letters is not None and letters <= -10:
        return True
    if not _is_cut_off(style) or _length(style, "padding-bottom") > 5:
        return False
    is_placed = style.get("position") in _PLACED
    if tag in _INLINE and not is_placed and style.get("display", "inline") == "inline" and "float" not in style:
        return False
    if not is_placed and ("flex" in style or _length(style, "min-height") > 1 or _length(style, "min-width") > 1):
        return False
    tall = [_sized(style, name) for name in ("height", "max-height")]
    if "height" not in style and "max-height" not in style:
        tall.append(0.0 if style.get("line-height") in {"0", "0px", "1px"} else 1_000.0)
    wide = [_sized(style, name) for name in ("width", "max-width")]
    return min(tall) <= 1 or min(wide) <= (1 if is_placed else 0)


def _sized(style: Style, name: str) -> float:
    said = pixels(style.get(name, ""))
    return 1_000.0 if said is None else said


def _is_cut_away(style: Style) -> bool:
    """Clipped or masked to nothing."""
    clip = style.get("clip", "")
    is_clipped = clip.startswith("rect(") and style.get("position", "absolute") in _PLACED
    if is_clipped and _ALL_OF_IT.fullmatch(clip[5:-1].strip()):
        return True
    found = _CALL.search(style.get("clip-path", ""))
    if found and leaves_nothing(found[1], found[2]):
        return True
    mask = style.get("mask-image", "")
    if "gradient(" not in mask:
        return False
    words = split_outside(mask.partition("(")[2].removesuffix(")"), ",")
    inks = [ink for word in words if (ink := ink_of(word))]
    return bool(inks) and all(ink[3] < CLEAR for ink in inks)


def _is_filtered_away(style: Style) -> bool:
    for name, inside in _CALL.findall(style.get("filter", "")):
        amount = number(inside)
        if name == "opacity" and amount is not None and amount < CLEAR:
            return True
        if name == "contrast" and amount is not None and amount < 0.05:
            return True
        if name == "blur" and (pixels(inside) or 0) >= 8:
            return True
    return style.get("-webkit-text-security", "none") in {"disc", "circle", "square"}
