"""Whether text is hidden by opacity, font size or colour: one element's visibility.

Judged by its attributes, its computed style and what it inherits, against the colour it stands on; `::first-line` and
`::first-letter` have a style of their own.
"""

from collections.abc import Mapping
from typing import NamedTuple

from gossamer.extractors.html.tree import Element, attr, words
from gossamer.extractors.html.visibility.css.cascade import Cascade, Style
from gossamer.extractors.html.visibility.css.colours import (
    INVISIBLE_BELOW,
    OPAQUE_FROM,
    Colour,
    Ink,
    ink_of,
    is_close,
    over,
    stops,
)
from gossamer.extractors.html.visibility.css.declarations import Declarations
from gossamer.extractors.html.visibility.css.values import number, pixels
from gossamer.extractors.html.visibility.layout.boxes import calls, is_gone_alone, scale
from gossamer.extractors.html.visibility.layout.clipping import GRID, ClipBox, has_flat_cells, inner, is_folded, placed

WHITE: Colour = (255, 255, 255)
DARK: Colour = (18, 18, 18)
BLACK: Ink = (0, 0, 0, 1.0)
_WHITE_INK: Ink = (255, 255, 255, 1.0)
UNSET = frozenset({"initial", "revert", "revert-layer"})
TAKEN_OVER = frozenset({"inherit", "unset"})
STROKED = frozenset({"-webkit-text-stroke-width", "-webkit-text-stroke-color", "paint-order"})
_STROKES = {"thin": 1.0, "medium": 3.0, "thick": 5.0}
_COVERING = 0.15
"""An outline that is wider, measured in heights of letters, leaves nothing of what it runs round."""
_THINNEST_PX = 0.3
"""A thinner stroke shows no letter."""
_TELLING = frozenset({"aria-hidden", "hidden", "popover", "color", "bgcolor", "open"})
_TELLING_TAGS = frozenset({"html", "body", "dialog", "rp", "details", "bdo", "marquee"})
_AS_IF_UNSAID = frozenset({"", "revert", "revert-layer"})
_LIGHTENING = frozenset({"screen", "lighten", "plus-lighter", "color-dodge"})
_TINY = 4.0
"""The font size, in pixels, below which text counts as hidden."""
NOT_DISPLAYED = frozenset({"none", "table-column", "table-column-group"})
_CUTTING = frozenset({"overflow-x", "overflow-y", "contain"})
_SIGHT_PROPERTY_NAMES = (
    "color -webkit-text-fill-color background-image background-color background-clip color-scheme text-shadow "
    "white-space font-size transform scale zoom opacity visibility text-indent"
)
_SIGHT_PROPERTIES = frozenset(_SIGHT_PROPERTY_NAMES.split()) | _CUTTING | STROKED | GRID
"""What `look` asks a style for, where nothing round an element cuts it off."""
_ONE_LINE = frozenset({"nowrap", "pre"})
_FONT_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0}
_HIDING = frozenset({"color", "-webkit-text-fill-color", "font-size", "opacity", "background-color"})
"""What browsers let a first line have of what can hide it."""
_LINE_CHARS = 250
"""So much stands on one line of a wide screen."""
_LETTER_CHARS = 2


class Stroke(NamedTuple):
    """The outline of letters."""

    px: float = 0.0
    ink: Ink | None = None
    """None when it is that of the letters."""
    is_below: bool = False
    """Whether letters are filled when their outline has been drawn."""

    def hides(self, ink: Ink | None, ground: Colour | None, font_px: float) -> bool | None:
        """Whether it paints letters over; None when it makes no difference.

        Half of an outline lies within the letters, whose lines are about a tenth as wide as they are high.
        """
        own = self.ink or ink or BLACK
        if self.px < _THINNEST_PX or own[3] < INVISIBLE_BELOW:
            return None
        if ground is None or not is_close(over(own, ground), ground):
            return False
        is_over_all = self.px >= _COVERING * font_px and own[3] > OPAQUE_FROM and not self.is_below
        return True if is_over_all else None


def ink_in(value: str, inherited: Ink | None) -> Ink | None:
    """What `color` says; None when that is not known."""
    if value in TAKEN_OVER or value == "currentcolor":
        return inherited
    return BLACK if value in UNSET else ink_of(value)


def fill_in(value: str, inherited: tuple[Ink | None, bool]) -> tuple[Ink | None, bool]:
    """What letters are filled with, and whether that is anything but their ink."""
    if not value or value in TAKEN_OVER:
        return inherited
    return (None, False) if value == "currentcolor" or value in UNSET else (ink_of(value), True)


def stroke_in(style: Style, inherited: Stroke | None, em: float) -> Stroke:
    """The outline of letters that are `em` pixels high."""
    px, ink, is_below = inherited or Stroke()
    if (value := style.get("-webkit-text-stroke-width", "")) and value not in TAKEN_OVER:
        px = _STROKES.get(value) or pixels(value, em=em) or 0.0
    if (value := style.get("-webkit-text-stroke-color", "")) and value not in TAKEN_OVER:
        ink = ink_of(value)
    if (value := style.get("paint-order", "")) and value not in TAKEN_OVER:
        is_below = value.split()[0] == "stroke"
    return Stroke(px, ink, is_below)


def of_scheme(scheme: str, ink: Ink | None, ground: Colour | None) -> tuple[Ink | None, Colour | None]:
    """Ink and ground of a page that paints neither; it may be dark for all readers."""
    if ground is None:
        return ink, ground
    is_dark = "dark" in scheme.split() and "light" not in scheme.split()
    ink = None if ink is _WHITE_INK else ink
    return (ink or _WHITE_INK, DARK) if is_dark else (ink, WHITE)


def ground_in(style: Style, attribute: str, inherited: Colour | None, ink: Ink) -> tuple[Colour | None, bool]:
    """What the element is painted on, None when that is not known; and whether a picture shows in its letters."""
    image, value = style.get("background-image", "none"), style.get("background-color", "")
    is_painted = image not in {"none", *UNSET, *TAKEN_OVER}
    if style.get("background-clip", "") == "text":
        return inherited, is_painted or bool(value)
    if is_painted:
        painted = stops(image)
        is_plain = bool(painted) and all(
            stop[3] > OPAQUE_FROM and is_close(stop[:3], painted[0][:3]) for stop in painted
        )
        return (painted[0][:3] if is_plain else None), False
    paint = (
        ink if value == "currentcolor" else ink_of(value) if value else ink_of(attribute.lower()) if attribute else None
    )
    if paint is None or paint[3] < INVISIBLE_BELOW:
        return inherited, False
    if paint[3] > OPAQUE_FROM:
        return paint[:3], False
    return (None if inherited is None else over(paint, inherited)), False


class Cover(NamedTuple):
    """A painted box that lies over others."""

    layer: tuple[int, int]
    """How near it is to the reader: its `z-index`, and its place on the page."""
    is_sealed: bool = False
    """Nothing further in can rise above it."""


class Seen(NamedTuple):
    """What an element takes over from the one round it."""

    font_px: float = 16.0
    root_px: float = 16.0
    scale: float = 1.0
    opacity: float = 1.0
    is_invisible: bool = False
    ink: Ink | None = None
    fill: Ink | None = None
    """What letters are filled with, where that is not their ink."""
    is_filled: bool = False
    stroke: Stroke | None = None
    ground: Colour | None = None
    is_shaded: bool = False
    """Letters without ink that a shadow, or a picture cut to their shape, shows."""
    indent: float = 0.0
    is_on_one_line: bool = False
    frame: ClipBox | None = None
    """What cuts the element off where it leaves it."""
    cover: Cover | None = None
    """What lies over it."""
    grid: Element | None = None
    """The nearest one that lays what stands in it into rows or columns without room."""

    @property
    def hides_text(self) -> bool:
        """Whether text standing directly in the element cannot be seen."""
        if self.is_invisible or self.cover or self.font_px * self.scale < _TINY:
            return True
        if self.frame and self.is_on_one_line and self.frame.x + self.indent >= self.frame.width:
            return True
        if self.is_shaded:
            return False
        if self.stroke and (is_hidden := self.stroke.hides(self.ink, self.ground, self.font_px)) is not None:
            return is_hidden
        paint = self.paint
        if paint is None:
            return False
        return paint[3] < INVISIBLE_BELOW or self.is_painted_over

    @property
    def paint(self) -> Ink | None:
        """What letters are painted with; None when that is not known."""
        return self.fill if self.is_filled else self.ink

    @property
    def is_painted_over(self) -> bool:
        """Whether nothing but its colour, which is that of the ground, hides the text."""
        paint = self.paint
        if paint is None or self.ground is None or self.is_invisible or self.cover or self.font_px * self.scale < _TINY:
            return False
        return paint[3] >= INVISIBLE_BELOW and is_close(over(paint, self.ground), self.ground)


def seen_of(el: Element, style: Style, inherited: Seen) -> Seen:
    """What can be seen of text directly in the element."""
    ink_attribute, ground_attribute = attr(el, "color") if el.tag == "font" else "", attr(el, "bgcolor")
    size_attribute = attr(el, "text") if el.tag == "body" else ""
    has_attributes = bool(ink_attribute or ground_attribute or size_attribute)
    if not has_attributes and (not style or _says_nothing(style, inherited, el.tag)):
        return inherited
    ink = inherited.ink
    if value := (ink_attribute or size_attribute).lower():
        ink = ink_of(value) or ink
    if value := style.get("color", ""):
        ink = ink_in(value, inherited.ink)
    fill, is_filled = fill_in(style.get("-webkit-text-fill-color", ""), (inherited.fill, inherited.is_filled))
    ground, is_cut_to_letters = ground_in(style, ground_attribute, inherited.ground, ink or BLACK)
    if el.tag == "html" and ground is inherited.ground and "color-scheme" in style:
        ink, ground = of_scheme(style["color-scheme"], ink, ground)
    shadow = ink_of(style.get("text-shadow", ""))
    has_own_ink = "color" in style or "-webkit-text-fill-color" in style or bool(ink_attribute)
    wrapping = style.get("white-space", "")
    font_px = _font(style.get("font-size", ""), inherited)
    return Seen(
        font_px=font_px,
        root_px=font_px if el.tag == "html" else inherited.root_px,
        scale=inherited.scale * scale(style),
        opacity=inherited.opacity * _opacity(style),
        is_invisible=_is_invisible(style.get("visibility", ""), inherited),
        ink=ink,
        fill=fill,
        is_filled=is_filled,
        stroke=inherited.stroke if STROKED.isdisjoint(style) else stroke_in(style, inherited.stroke, font_px),
        ground=ground,
        is_shaded=is_cut_to_letters
        or bool(shadow and shadow[3] >= INVISIBLE_BELOW)
        or (inherited.is_shaded and not has_own_ink),
        indent=_indent(style, inherited),
        is_on_one_line=wrapping in _ONE_LINE if wrapping and wrapping not in TAKEN_OVER else inherited.is_on_one_line,
        frame=_frame(style, inherited, el.tag),
        cover=inherited.cover,
        grid=el if has_flat_cells(el, style) else inherited.grid,
    )


def _says_nothing(style: Style, inherited: Seen, tag: str) -> bool:
    """Whether a style changes nothing of what is taken over."""
    return inherited.frame is None and _SIGHT_PROPERTIES.isdisjoint(style) and tag != "html"


def is_gone(style: Style, inherited: Seen, *, tag: str) -> bool:
    """Whether an element so styled, and all in it, is out of sight."""
    display = style.get("display", "")
    if display in NOT_DISPLAYED or style.get("content-visibility") == "hidden":
        return True
    if display == "contents":
        return False
    return (
        inherited.opacity * _opacity(style) < INVISIBLE_BELOW
        or is_gone_alone(style, tag)
        or _is_mixed_away(style, inherited)
        or _is_cut_off(style, inherited)
    )


def _is_mixed_away(style: Style, inherited: Seen) -> bool:
    """Whether light is added to ink on a white ground, or black ink turned into white."""
    if "mix-blend-mode" not in style and "filter" not in style:
        return False
    if inherited.ground is None or not is_close(inherited.ground, WHITE) or "background-color" in style:
        return False
    ink = ink_of(style.get("color", "")) or inherited.ink or BLACK
    is_inverted = any(name == "invert" and (number(share or "1") or 0) > 0.9 for name, share in calls(style, "filter"))
    return style.get("mix-blend-mode") in _LIGHTENING or (is_inverted and is_close(ink[:3], BLACK[:3]))


def _frame(style: Style, inherited: Seen, tag: str) -> ClipBox | None:
    if style.get("display") == "contents" or (inherited.frame is None and _CUTTING.isdisjoint(style)):
        return inherited.frame
    here = placed(inherited.frame, style, inherited.font_px) if inherited.frame else None
    return inner(here, style, tag, inherited.font_px)


def _is_cut_off(style: Style, inherited: Seen) -> bool:
    """Whether all of an element lies outside of the frame round it."""
    here = placed(inherited.frame, style, inherited.font_px) if inherited.frame else None
    return here is not None and here.is_outside


def _indent(style: Style, inherited: Seen) -> float:
    value = style.get("text-indent", "")
    if not value or value in TAKEN_OVER:
        return inherited.indent
    width = inherited.frame.width if inherited.frame else 1_000.0
    return pixels(value, of=width, em=inherited.font_px) or 0.0


def _opacity(style: Style) -> float:
    value = number(style["opacity"]) if "opacity" in style else None
    return 1.0 if value is None else min(1.0, max(0.0, value))


def _is_invisible(value: str, inherited: Seen) -> bool:
    if not value or value in TAKEN_OVER:
        return inherited.is_invisible
    return value in {"hidden", "collapse"}


def _font(value: str, inherited: Seen) -> float:
    if not value or value in TAKEN_OVER:
        return inherited.font_px
    if value in UNSET:
        return 16.0
    if value in {"smaller", "larger"}:
        return inherited.font_px * (0.83 if value == "smaller" else 1.2)
    length = pixels(value, of=inherited.font_px, em=inherited.font_px, root=inherited.root_px)
    return _FONT_SIZES.get(value, 16.0) if length is None else max(0.0, length)


def at_first(root: Element) -> Seen:
    """What is known of a page before anything is said: its ground, unless it has sheets elsewhere."""
    if any("stylesheet" in attr(el, "rel").lower() for el in root.iter("link")):
        return Seen()
    schemes = [attr(el, "content") for el in root.iter("meta") if attr(el, "name").strip().lower() == "color-scheme"]
    ink, ground = of_scheme(schemes[0].lower() if schemes else "", None, WHITE)
    return Seen(ink=ink, ground=ground)


def is_plain(el: Element) -> bool:
    """Whether neither the tag nor an attribute of an element bears on what is seen; its style is another matter."""
    return el.tag not in _TELLING_TAGS and _TELLING.isdisjoint(el.keys())


def is_out(el: Element, style: Style, inherited: Seen) -> bool:
    """Whether the element and all in it are out of sight."""
    if attr(el, "aria-hidden").strip().lower() == "true":
        return True
    if is_marked_hidden(el, style):
        return True
    if (el.tag == "dialog" and "open" not in el.attrib) or "popover" in el.attrib:
        return True
    if el.tag == "rp":
        return len(words(el)) > 1
    if el.tag == "marquee":
        style = _of_marquee(el, style)
    if not style and inherited.opacity >= 1:
        return False
    return is_gone(style, inherited, tag=el.tag) or is_folded(el, style, inherited.grid)


def _of_marquee(el: Element, style: Style) -> Style:
    """The style of a box whose text runs through it, which its attributes may make too small for any."""
    sizes = {name: f"{attr(el, name)}px" for name in ("width", "height") if attr(el, name).strip().isdigit()}
    return {"display": "inline-block", "overflow-x": "hidden", "overflow-y": "hidden", **sizes, **style}


def is_marked_hidden(el: Element, style: Style) -> bool:
    """Whether the attribute hides the element, and no style shows it in spite of that."""
    is_marked = "hidden" in el.attrib and attr(el, "hidden").lower() != "until-found"
    return is_marked and style.get("display", "") in _AS_IF_UNSAID


def is_shut(details: Element, summary: Element, style: Style, inherited: Seen) -> bool:
    """Whether `details` cannot be opened, since its summary line is hidden."""
    is_missing = is_marked_hidden(summary, style) or is_gone(style, inherited, tag="summary")
    return "open" not in details.attrib and is_missing


def _may_hide(declared: Declarations) -> bool:
    return not _HIDING.isdisjoint(declared)


class FirstLines:
    """The elements of a page whose first line, or first letter, is styled by itself."""

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade
        lines, letters = (cascade.drawn(name, _may_hide) for name in ("first-line", "first-letter"))
        single = {
            el: matched
            for el, matched in letters.items()
            if not len(el) and len((el.text or "").strip()) <= _LETTER_CHARS
        }
        self.styled = {**single, **lines}

    def hides(self, el: Element, here: Seen, variables: Mapping[str, str]) -> bool:
        """Whether the first line of an element cannot be seen, and that by its own style."""
        if here.hides_text:
            return False
        line_style = self._cascade.of_drawn(el, self.styled[el], variables)
        style: Style = {name: value for name, value in line_style.items() if name in _HIDING}
        share = number(style.get("opacity", "1"))
        return (share is not None and share < INVISIBLE_BELOW) or seen_of(el, style, here).hides_text

    def is_alone(self, el: Element) -> bool:
        """Whether an element may have no other line."""
        size = 0
        for text in el.itertext():
            size += len(text.strip())
            if size > _LINE_CHARS:
                return False
        return True

    def blank(self, el: Element) -> int:
        """Take out what stands before the first break of an element with more lines; gives how many texts that was.

        Without one nobody can tell where the line ends, and all that may be on it goes.
        """
        hidden = bool((el.text or "").strip())
        el.text = ""
        for child in list(el):
            if child.tag == "br":
                break
            hidden = hidden or bool(words(child)) or bool((child.tail or "").strip())
            child.tail = ""
            child.drop_tree()
        return int(hidden)
