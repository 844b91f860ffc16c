"""Which properties can hide anything on a page: most rules say nothing that could, and are passed over."""

from collections.abc import Callable, Iterable

from gossamer.extractors.sight.colours import CLEAR, Ink, ink_of, is_close, over
from gossamer.extractors.sight.lengths import number, pixels
from gossamer.extractors.sight.styles import PROPERTIES, Declarations

_WHITE = (255, 255, 255)
_SMALL_PX = 8.0
_SHRINKING = 0.8
_FAR = 800.0
_COLOURS = frozenset(
    {"color", "background-color", "background-image", "background-clip", "-webkit-text-fill-color", "text-shadow"}
)
_SIZES = frozenset({"width", "height", "max-width", "max-height", "line-height"})
_MOVES = frozenset({"left", "right", "top", "bottom"})
_WITH = {
    **dict.fromkeys(_SIZES, ("overflow-x", "overflow-y", "position", "display", "float", "flex", "min-width")),
    **dict.fromkeys(_MOVES, ("position",)),
    "z-index": ("position",),
    "clip": ("position",),
    "text-indent": ("overflow-x", "overflow-y"),
}
"""What else decides whether a suspicious value hides."""
_ALONG = ("min-height", "padding-bottom", "height", "max-height")


def _is_far(value: str) -> bool:
    length = pixels(value)
    return length is not None and abs(length) >= _FAR


def _is_flat(value: str) -> bool:
    length = pixels(value)
    return length is not None and length <= 1


def _is_small(value: str) -> bool:
    length = pixels(value, of=16.0)
    if length is None:
        return False
    is_relative = value.endswith(("em", "%")) and not value.endswith("rem")
    return length < _SMALL_PX or (is_relative and length < 16 * _SHRINKING)


def _is_faint(value: str) -> bool:
    share = number(value)
    return share is not None and share < 0.7


_SUSPICIOUS: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(_SIZES, _is_flat),
    **dict.fromkeys((*_MOVES, "text-indent", "margin-left", "margin-right", "margin-top"), _is_far),
    **dict.fromkeys(("transform", "filter", "clip-path", "mask-image", "clip", "translate", "rotate"), "none".__ne__),
    "display": lambda value: value in {"none", "contents"},
    "visibility": "visible".__ne__,
    "content-visibility": "hidden".__eq__,
    "-webkit-text-security": "none".__ne__,
    "opacity": _is_faint,
    "scale": _is_faint,
    "zoom": _is_faint,
    "font-size": _is_small,
    "letter-spacing": lambda value: (pixels(value) or 0) <= -10,
    "z-index": lambda value: value.startswith("-"),
}


def live_properties(said: Iterable[Declarations]) -> frozenset[str]:
    """The properties of which some declaration could hide something, and those that decide with them."""
    live: set[str] = set()
    inks: set[Ink] = {(0, 0, 0, 1.0)}
    grounds: set[Ink] = {(*_WHITE, 1.0)}
    has_variables = False
    for source in said:
        for name, (value, _) in source.items():
            if "var(" in value:
                has_variables = True
            elif name in {"color", "-webkit-text-fill-color"}:
                inks.update(filter(None, (ink_of(value),)))
            elif name == "background-color":
                grounds.update(filter(None, (ink_of(value),)))
            elif name not in live and name in _SUSPICIOUS and _SUSPICIOUS[name](value):
                live.add(name)
    if has_variables:
        return PROPERTIES
    if _may_vanish(inks, grounds):
        live |= _COLOURS
    for name in list(live):
        live.update(_WITH.get(name, ()))
    return frozenset(live | set(_ALONG) if live & _SIZES else live)


def _may_vanish(inks: set[Ink], grounds: set[Ink]) -> bool:
    """Whether some ink on some ground cannot be seen; with too many to compare, some may."""
    if any(ink[3] < CLEAR for ink in inks) or len(inks) * len(grounds) > 10_000:
        return True
    return any(is_close(over(ink, ground[:3]), ground[:3]) for ink in inks for ground in grounds)
