"""What a reader can see of an element, by its computed style and by what it takes over from the one round it."""

from typing import NamedTuple

from gossamer.extractors.sight.boxes import calls, is_gone_alone, scale
from gossamer.extractors.sight.cascade import Style
from gossamer.extractors.sight.colours import CLEAR, Colour, Ink, ink_of, is_close, over
from gossamer.extractors.sight.frames import Frame, inner, placed
from gossamer.extractors.sight.grids import GRID, has_flat_cells
from gossamer.extractors.sight.lengths import number, pixels
from gossamer.extractors.sight.paint import (
    BLACK,
    STROKED,
    TAKEN_OVER,
    UNSET,
    WHITE,
    Stroke,
    fill_in,
    ground_in,
    ink_in,
    of_scheme,
    stroke_in,
)
from gossamer.extractors.tree import Element, attr

_LIGHTENING = frozenset({"screen", "lighten", "plus-lighter", "color-dodge"})
_TINY = 4.0
"""Smaller letters, in pixels, are read by nobody."""
NOT_DISPLAYED = frozenset({"none", "table-column", "table-column-group"})
_CUTTING = frozenset({"overflow-x", "overflow-y", "contain"})
_TOLD_NAMES = (
    "color -webkit-text-fill-color background-image background-color background-clip color-scheme text-shadow "
    "white-space font-size transform scale zoom opacity visibility text-indent"
)
_TOLD = frozenset(_TOLD_NAMES.split()) | _CUTTING | STROKED | GRID
"""What `look` asks a style for, where nothing round an element cuts it off."""
_ONE_LINE = frozenset({"nowrap", "pre"})
_FONT_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0}


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
    frame: Frame | None = None
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
        return paint[3] < CLEAR or self.is_painted_over

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
        return paint[3] >= CLEAR and is_close(over(paint, self.ground), self.ground)


def look(el: Element, style: Style, around: Seen) -> Seen:
    """What can be seen of text directly in the element."""
    ink_attribute, ground_attribute = attr(el, "color") if el.tag == "font" else "", attr(el, "bgcolor")
    size_attribute = attr(el, "text") if el.tag == "body" else ""
    has_attributes = bool(ink_attribute or ground_attribute or size_attribute)
    if not has_attributes and (not style or _says_nothing(style, around, el.tag)):
        return around
    ink = around.ink
    if said := (ink_attribute or size_attribute).lower():
        ink = ink_of(said) or ink
    if said := style.get("color", ""):
        ink = ink_in(said, around.ink)
    fill, is_filled = fill_in(style.get("-webkit-text-fill-color", ""), (around.fill, around.is_filled))
    ground, is_cut_to_letters = ground_in(style, ground_attribute, around.ground, ink or BLACK)
    if el.tag == "html" and ground is around.ground and "color-scheme" in style:
        ink, ground = of_scheme(style["color-scheme"], ink, ground)
    shadow = ink_of(style.get("text-shadow", ""))
    has_own_ink = "color" in style or "-webkit-text-fill-color" in style or bool(ink_attribute)
    wrapping = style.get("white-space", "")
    font_px = _font(style.get("font-size", ""), around)
    return Seen(
        font_px=font_px,
        root_px=font_px if el.tag == "html" else around.root_px,
        scale=around.scale * scale(style),
        opacity=around.opacity * _opacity(style),
        is_invisible=_is_invisible(style.get("visibility", ""), around),
        ink=ink,
        fill=fill,
        is_filled=is_filled,
        stroke=around.stroke if STROKED.isdisjoint(style) else stroke_in(style, around.stroke, font_px),
        ground=ground,
        is_shaded=is_cut_to_letters or bool(shadow and shadow[3] >= CLEAR) or (around.is_shaded and not has_own_ink),
        indent=_indent(style, around),
        is_on_one_line=wrapping in _ONE_LINE if wrapping and wrapping not in TAKEN_OVER else around.is_on_one_line,
        frame=_frame(style, around, el.tag),
        cover=around.cover,
        grid=el if has_flat_cells(el, style) else around.grid,
    )


def _says_nothing(style: Style, around: Seen, tag: str) -> bool:
    """Whether a style changes nothing of what is taken over."""
    return around.frame is None and _TOLD.isdisjoint(style) and tag != "html"


def is_gone(style: Style, around: Seen, *, tag: str) -> bool:
    """Whether an element so styled, and all in it, is out of sight."""
    display = style.get("display", "")
    if display in NOT_DISPLAYED or style.get("content-visibility") == "hidden":
        return True
    if display == "contents":
        return False
    return (
        around.opacity * _opacity(style) < CLEAR
        or is_gone_alone(style, tag)
        or _is_mixed_away(style, around)
        or _is_cut_off(style, around)
    )


def _is_mixed_away(style: Style, around: Seen) -> bool:
    """Whether light is added to ink on a white ground, or black ink turned into white."""
    if "mix-blend-mode" not in style and "filter" not in style:
        return False
    if around.ground is None or not is_close(around.ground, WHITE) or "background-color" in style:
        return False
    ink = ink_of(style.get("color", "")) or around.ink or BLACK
    is_inverted = any(name == "invert" and (number(share or "1") or 0) > 0.9 for name, share in calls(style, "filter"))
    return style.get("mix-blend-mode") in _LIGHTENING or (is_inverted and is_close(ink[:3], BLACK[:3]))


def _frame(style: Style, around: Seen, tag: str) -> Frame | None:
    if style.get("display") == "contents" or (around.frame is None and _CUTTING.isdisjoint(style)):
        return around.frame
    here = placed(around.frame, style, around.font_px) if around.frame else None
    return inner(here, style, tag, around.font_px)


def _is_cut_off(style: Style, around: Seen) -> bool:
    """Whether all of an element lies outside of the frame round it."""
    here = placed(around.frame, style, around.font_px) if around.frame else None
    return here is not None and here.is_outside


def _indent(style: Style, around: Seen) -> float:
    said = style.get("text-indent", "")
    if not said or said in TAKEN_OVER:
        return around.indent
    width = around.frame.width if around.frame else 1_000.0
    return pixels(said, of=width, em=around.font_px) or 0.0


def _opacity(style: Style) -> float:
    said = number(style["opacity"]) if "opacity" in style else None
    return 1.0 if said is None else min(1.0, max(0.0, said))


def _is_invisible(said: str, around: Seen) -> bool:
    if not said or said in TAKEN_OVER:
        return around.is_invisible
    return said in {"hidden", "collapse"}


def _font(said: str, around: Seen) -> float:
    if not said or said in TAKEN_OVER:
        return around.font_px
    if said in UNSET:
        return 16.0
    if said in {"smaller", "larger"}:
        return around.font_px * (0.83 if said == "smaller" else 1.2)
    length = pixels(said, of=around.font_px, em=around.font_px, root=around.root_px)
    return _FONT_SIZES.get(said, 16.0) if length is None else max(0.0, length)


def at_first(root: Element) -> Seen:
    """What is known of a page before anything is said: its ground, unless it has sheets elsewhere."""
    if any("stylesheet" in attr(el, "rel").lower() for el in root.iter("link")):
        return Seen()
    schemes = [attr(el, "content") for el in root.iter("meta") if attr(el, "name").strip().lower() == "color-scheme"]
    ink, ground = of_scheme(schemes[0].lower() if schemes else "", None, WHITE)
    return Seen(ink=ink, ground=ground)
