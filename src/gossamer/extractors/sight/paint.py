"""What letters and what they stand on are painted with, as far as a style tells."""

from typing import NamedTuple

from gossamer.extractors.sight.cascade import Style
from gossamer.extractors.sight.colours import CLEAR, Colour, Ink, ink_of, is_close, over, stops
from gossamer.extractors.sight.lengths import pixels

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


def ink_in(said: str, around: Ink | None) -> Ink | None:
    """What `color` says; None when that is not known."""
    if said in TAKEN_OVER or said == "currentcolor":
        return around
    return BLACK if said in UNSET else ink_of(said)


def fill_in(said: str, around: tuple[Ink | None, bool]) -> tuple[Ink | None, bool]:
    """What letters are filled with, and whether that is anything but their ink."""
    if not said or said in TAKEN_OVER:
        return around
    return (None, False) if said == "currentcolor" or said in UNSET else (ink_of(said), True)


def stroke_in(style: Style, around: Stroke | None, em: float) -> Stroke:
    """The outline of letters that are `em` pixels high."""
    px, ink, is_below = around or Stroke()
    if (said := style.get("-webkit-text-stroke-width", "")) and said not in TAKEN_OVER:
        px = _STROKES.get(said) or pixels(said, em=em) or 0.0
    if (said := style.get("-webkit-text-stroke-color", "")) and said not in TAKEN_OVER:
        ink = ink_of(said)
    if (said := style.get("paint-order", "")) and said not in TAKEN_OVER:
        is_below = said.split()[0] == "stroke"
    return Stroke(px, ink, is_below)


def of_scheme(scheme: str, ink: Ink | None, ground: Colour | None) -> tuple[Ink | None, Colour | None]:
    """Ink and ground of a page that paints neither; it may be dark for everybody."""
    if ground is None:
        return ink, ground
    is_dark = "dark" in scheme.split() and "light" not in scheme.split()
    ink = None if ink is _WHITE_INK else ink
    return (ink or _WHITE_INK, DARK) if is_dark else (ink, WHITE)


def ground_in(style: Style, attribute: str, around: Colour | None, ink: Ink) -> tuple[Colour | None, bool]:
    """What the element is painted on, None when that is not known; and whether a picture shows in its letters."""
    image, said = style.get("background-image", "none"), style.get("background-color", "")
    is_painted = image not in {"none", *UNSET, *TAKEN_OVER}
    if style.get("background-clip", "") == "text":
        return around, is_painted or bool(said)
    if is_painted:
        painted = stops(image)
        is_plain = bool(painted) and all(stop[3] > 1 - CLEAR and is_close(stop[:3], painted[0][:3]) for stop in painted)
        return (painted[0][:3] if is_plain else None), False
    paint = (
        ink if said == "currentcolor" else ink_of(said) if said else ink_of(attribute.lower()) if attribute else None
    )
    if paint is None or paint[3] < CLEAR:
        return around, False
    if paint[3] > 1 - CLEAR:
        return paint[:3], False
    return (None if around is None else over(paint, around)), False
