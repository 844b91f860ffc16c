"""Rule filter: which properties can hide anything on a page; the cascade passes over all other rules."""

from collections.abc import Callable, Iterable

from gossamer.extractors.html.visibility.css.colours import INVISIBLE_BELOW, Ink, ink_of, is_close, over, stops
from gossamer.extractors.html.visibility.css.declarations import DOUBTFUL, GLOBAL, PROPERTIES, Declarations, is_open
from gossamer.extractors.html.visibility.css.values import number, pixels

_WHITE = (255, 255, 255)
_SMALL_PX = 8.0
_SHRINKING = 0.8
_FAR = 800.0
_COLOURS_NAMES = (
    "color background-color background-image background-clip -webkit-text-fill-color text-shadow color-scheme "
    "-webkit-text-stroke-width -webkit-text-stroke-color paint-order"
)
COLOURS = frozenset(_COLOURS_NAMES.split())
_SIZES = frozenset({"width", "height", "max-width", "max-height", "line-height"})
_MOVES = frozenset({"left", "right", "top", "bottom"})
_WITH = {
    **dict.fromkeys(_SIZES, ("overflow-x", "overflow-y", "position", "display", "float", "flex", "min-width")),
    **dict.fromkeys(_MOVES, ("position",)),
    "z-index": ("position",),
    "backface-visibility": ("transform", "rotate"),
    "clip": ("position",),
    "transform": ("transform-origin",),
    "rotate": ("transform-origin",),
    "mask-image": ("mask-size",),
    "mix-blend-mode": ("background-color", "color"),
    "filter": ("background-color", "color"),
    "text-indent": ("overflow-x", "overflow-y"),
    "unicode-bidi": ("direction",),
    "-webkit-text-stroke-width": tuple(COLOURS),
}
"""What else decides whether a suspicious value hides."""
_CUT = frozenset({"overflow-x", "overflow-y", "contain"})
_CUTTING = frozenset({"hidden", "clip", "paint", "strict", "content", "size"})
_FRAMED_NAMES = (
    "overflow-x overflow-y contain line-height position display float flex left right top bottom transform translate "
    "text-indent white-space margin-left margin-top padding-top padding-right padding-bottom padding-left width height "
    "max-width max-height min-width min-height grid-template-rows grid-template-columns grid-auto-rows container-type "
    "contain-intrinsic-size aspect-ratio"
)
_FRAMED = frozenset(_FRAMED_NAMES.split())
"""What decides whether something leaves a box that cuts it off."""
_COVERING_NAMES = (
    "position left right top bottom width height z-index background-color opacity visibility display transform filter "
    "clip-path mask-image mix-blend-mode"
)
_COVERING = frozenset(_COVERING_NAMES.split())
"""What decides whether one box lies over another."""
_PULLS = frozenset({"margin-top", "grid-row"})
_PULLED = _PULLS | {"grid-column", "min-height", "max-height", "max-width", "float", "align-self", "justify-self"}
"""What decides whether a box lies over a sibling."""
_ALONG = ("min-height", "padding-bottom", "height", "max-height")


def _is_far(value: str) -> bool:
    length = pixels(value)
    return length is not None and abs(length) >= _FAR


def _is_moved(value: str) -> bool:
    length = pixels(value)
    return length is not None and (length >= _FAR or length <= -_FAR / 2)


def _is_flat(value: str) -> bool:
    length = pixels(value)
    return length is not None and length <= 4


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
    **dict.fromkeys(_MOVES, _is_moved),
    **dict.fromkeys(("text-indent", "margin-left", "margin-right", "margin-top"), _is_far),
    **dict.fromkeys(("transform", "filter", "clip-path", "mask-image", "clip", "translate", "rotate"), "none".__ne__),
    "backface-visibility": "hidden".__eq__,
    "mix-blend-mode": "normal".__ne__,
    "display": lambda value: value in {"none", "contents", "table-column", "table-column-group"},
    "font-size-adjust": _is_faint,
    "word-spacing": lambda value: (pixels(value) or 0) <= -100,
    "content": lambda value: value.startswith(("url(", "image-set(", "linear-gradient(")),
    **dict.fromkeys(("offset-path", "offset-position"), "none".__ne__),
    "visibility": "visible".__ne__,
    "content-visibility": "hidden".__eq__,
    "-webkit-text-security": "none".__ne__,
    "opacity": _is_faint,
    "scale": _is_faint,
    "zoom": _is_faint,
    "font-size": _is_small,
    "letter-spacing": lambda value: (pixels(value) or 0) <= -10,
    "z-index": lambda value: value.startswith("-"),
    "unicode-bidi": lambda value: value.endswith("override"),
    "-webkit-text-stroke-width": lambda value: value in {"medium", "thick"} or (pixels(value) or 0) >= 1,
}


def live_properties(declared: Iterable[Declarations]) -> frozenset[str]:
    """The properties of which some declaration could hide something, and those that decide with them."""
    live: set[str] = set()
    inks: set[Ink] = {(0, 0, 0, 1.0)}
    grounds: set[Ink] = {(*_WHITE, 1.0)}
    has_variables = False
    is_over = has_ground = is_recoloured = is_pulled = False
    for source in declared:
        is_over |= source.get("position", ("",))[0] == "absolute"
        for name, (value, _) in source.items():
            is_pulled |= name in _PULLS and (name != "margin-top" or value[:1] == "-")
            if is_open(value):
                has_variables = True
            elif name in {"color", "-webkit-text-fill-color"}:
                inks.update(filter(None, (ink_of(value),)))
            elif name in {"background-image", "color-scheme"}:
                grounds.update(stops(value))
                is_recoloured |= name == "color-scheme" or "currentcolor" in value
            elif name == "background-color":
                has_ground = True
                is_recoloured |= value == "currentcolor"
                grounds.update(filter(None, (ink_of(value),)))
            elif name in _CUT and not _CUTTING.isdisjoint(value.split()):
                live |= _FRAMED
            elif name not in live and name in _SUSPICIOUS and _SUSPICIOUS[name](value):
                live.add(name)
    if has_variables:
        return PROPERTIES
    if is_recoloured or _may_vanish(inks, grounds):
        live |= COLOURS
    if is_over and has_ground:
        live |= _COVERING
    if is_pulled and has_ground:
        live |= _COVERING | _PULLED
    for name in list(live):
        live.update(_WITH.get(name, ()))
    return frozenset(live | set(_ALONG) if live & _SIZES else live)


def only_hiding(declarations: Declarations) -> Declarations:
    """The part of a rule kept when it is unknown whether it applies: it may hide, and may show nothing.

    Colours stay together when they hide what they paint, and go together when they do not.
    """
    hiding: Declarations = {}
    for name, (value, is_important) in declarations.items():
        if is_open(value):
            hiding.update({} if name.startswith("--") else {name: (f"{DOUBTFUL}{value}", is_important)})
        elif hides(name, value):
            hiding[name] = (value, is_important)
    if _hides_by_colour(declarations):
        hiding.update((name, declared) for name, declared in declarations.items() if name in COLOURS)
    return hiding


def hides(name: str, value: str) -> bool:
    """Whether a declaration can hide, by itself or with others; colours left out."""
    if name in {"overflow-x", "overflow-y", "position"}:
        return value in {"hidden", "clip", "absolute", "fixed"}
    if name == "display":
        return value in {"none", "table-column", "table-column-group"}
    return name in _SUSPICIOUS and value not in GLOBAL and _SUSPICIOUS[name](value)


def hides_somehow(name: str, value: str) -> bool:
    """Whether a value can hide as that of a property; that of a variable may be of any."""
    return any(hides(each, value) for each in ((name,) if name in PROPERTIES else _SUSPICIOUS))


def _hides_by_colour(declared: Declarations) -> bool:
    ink = next(
        (ink_of(declared[name][0]) for name in ("-webkit-text-fill-color", "color") if name in declared),
        None,
    )
    if ink is None or declared.get("background-image", ("none", False))[0] != "none":
        return False
    ground = ink_of(declared["background-color"][0]) if "background-color" in declared else (*_WHITE, 1.0)
    if ink[3] < INVISIBLE_BELOW:
        return True
    return ground is not None and ground[3] >= INVISIBLE_BELOW and is_close(over(ink, ground[:3]), ground[:3])


def _may_vanish(inks: set[Ink], grounds: set[Ink]) -> bool:
    """Whether some ink on some ground cannot be seen; with too many to compare, some may."""
    if any(ink[3] < INVISIBLE_BELOW for ink in inks) or len(inks) * len(grounds) > 10_000:
        return True
    return any(is_close(over(ink, ground[:3]), ground[:3]) for ink in inks for ground in grounds)
