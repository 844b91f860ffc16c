"""Paint: the colours of letters and of what they stand on, as far as a style tells."""

from typing import NamedTuple

from gossamer.extractors.html.visibility.css.cascade import Style
from gossamer.extractors.html.visibility.css.colours import CLEAR, Colour, Ink, ink_of, is_close, over, stops
from gossamer.extractors.html.visibility.css.lengths import pixels

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
"""What is thinner shows nobody a letter."""


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
        if self.px < _THINNEST_PX or own[3] < CLEAR:
            return None
        if ground is None or not is_close(over(own, ground), ground):
            return False
        is_over_all = self.px >= _COVERING * font_px and own[3] > 1 - CLEAR and not self.is_below
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
    """Ink and ground of a page that paints neither; it may be dark for everybody."""
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
        is_plain = bool(painted) and all(stop[3] > 1 - CLEAR and is_close(stop[:3], painted[0][:3]) for stop in painted)
        return (painted[0][:3] if is_plain else None), False
    paint = (
        ink if value == "currentcolor" else ink_of(value) if value else ink_of(attribute.lower()) if attribute else None
    )
    if paint is None or paint[3] < CLEAR:
        return inherited, False
    if paint[3] > 1 - CLEAR:
        return paint[:3], False
    return (None if inherited is None else over(paint, inherited)), False
