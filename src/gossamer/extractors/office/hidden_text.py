"""Hidden text of office files: switched off, too small, in the colour of its ground, in a format that shows nothing.

Only a ground that is known counts. A cell without a fill stands on white; text on a slide may stand on a picture or on
another shape, so that there only the fill of its own shape, or of the slide, is known.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.extractors.html.tree import Element
from gossamer.extractors.html.visibility.css.colours import Colour, ink_of, is_close
from gossamer.extractors.office.safe_xml import below, child, children, is_on, local, value, whole

WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (0, 0, 0)
_TINY = 4
"""In half points: no reader sees smaller letters."""
_RGB = re.compile(r"[0-9a-fA-F]{6}")
_BYTE = re.compile(r"[0-9a-fA-F]{2}")
_PAPER = frozenset({"background1", "light1", "bg1", "lt1"})


@dataclass(frozen=True, kw_only=True, slots=True)
class TextVisibility:
    """How text looks as far as it is known: what nothing is said of is None, and so is a ground of unknown colour."""

    is_hidden: bool | None = None
    ink: Colour | None = None
    ground: Colour | None = None
    size: int | None = None

    def over(self, inherited: "TextVisibility") -> "TextVisibility":
        """This look where it says something, else the one around it."""
        return TextVisibility(
            is_hidden=inherited.is_hidden if self.is_hidden is None else self.is_hidden,
            ink=self.ink or inherited.ink,
            ground=self.ground or inherited.ground,
            size=inherited.size if self.size is None else self.size,
        )

    @property
    def is_unseen(self) -> bool:
        """Whether no reader sees text that looks so; a text of no colour of its own is set off by every program."""
        if self.is_hidden or (self.size is not None and self.size <= _TINY):
            return True
        return self.ink is not None and is_close(self.ink, self.ground or WHITE)


PLAIN = TextVisibility()


def visibility_of(properties: Element | None) -> TextVisibility:
    """What the properties of a run, a paragraph or a cell say."""
    if properties is None:
        return PLAIN
    hides, size, colour = child(properties, "vanish"), child(properties, "sz"), child(properties, "color")
    return TextVisibility(
        is_hidden=is_on(hides) if hides is not None else None,
        ink=_ink(colour) if colour is not None else None,
        ground=_marked(child(properties, "highlight")) or _ground(child(properties, "shd")),
        size=whole(value(size, "val"), otherwise=2 * _TINY) if size is not None else None,
    )


def _ink(colour: Element) -> Colour | None:
    """A colour of text; the paper's own by its name in the theme, unless it is darkened there."""
    if value(colour, "themeColor") in _PAPER:
        shade = value(colour, "themeShade")
        grey = int(shade, 16) if _BYTE.fullmatch(shade) else 255
        return grey, grey, grey
    return _colour_of_rgb(value(colour, "val"))


def _ground(shading: Element | None) -> Colour | None:
    """What text stands on; a pattern counts as the colour under it, unless it covers all of that."""
    kind = value(shading, "val") if shading is not None else "nil"
    if shading is None or kind == "nil":
        return None
    return _colour_of_rgb(value(shading, "color" if kind == "solid" else "fill")) or (
        _BLACK if kind == "solid" else None
    )


def _marked(highlight: Element | None) -> Colour | None:
    """The colour of a marker, of which Word knows sixteen by name."""
    name = value(highlight, "val").lower() if highlight is not None else "none"
    if name == "none":
        return None
    ink = ink_of({"darkyellow": "olive"}.get(name, name))
    return ink[:3] if ink else None


def _colour_of_rgb(value: str) -> Colour | None:
    ink = ink_of(f"#{value.lower()}") if _RGB.fullmatch(value) else None
    return ink[:3] if ink else None


_WHITE: Colour = (255, 255, 255)
_ARGB = re.compile(r"(?:[0-9a-fA-F]{2})?([0-9a-fA-F]{6})")
_TINY_POINTS = 2.0
_SIZE = re.compile(r"\d{1,4}(?:\.\d{1,4})?")
_WHITE_NUMBERS = frozenset({"1", "9"})
"""White among the numbered colours of old sheets."""
_SHOWS_NOTHING = re.compile(r"\s*;\s*;\s*(?:;\s*)?")


def unseen_styles(root: Element | None) -> set[int]:
    """The styles of cells, by number, whose text cannot be seen."""
    if root is None:
        return set()
    fonts, fills = child(root, "fonts"), child(root, "fills")
    inks = [_font(font) for font in children(fonts, "font")] if fonts is not None else []
    grounds = [_fill(fill) for fill in children(fills, "fill")] if fills is not None else []
    codes = {value(el, "numFmtId"): value(el, "formatCode") for el in below(root, "numFmt")}
    blank = {number for number, code in codes.items() if _SHOWS_NOTHING.fullmatch(code)}
    styles = child(root, "cellXfs")
    unseen: set[int] = set()
    for at, style in enumerate(children(styles, "xf") if styles is not None else ()):
        font, fill = whole(value(style, "fontId"), otherwise=-1), whole(value(style, "fillId"), otherwise=-1)
        ink, is_tiny = inks[font] if 0 <= font < len(inks) else (None, False)
        ground = grounds[fill] if 0 <= fill < len(grounds) else _WHITE
        is_alike = ink is not None and ground is not None and is_close(ink, ground)
        if is_tiny or is_alike or value(style, "numFmtId") in blank:
            unseen.add(at)
    return unseen


def _font(font: Element) -> tuple[Colour | None, bool]:
    """The colour of a font, where it is known, and whether it is too small to read."""
    size, colour = child(font, "sz"), child(font, "color")
    points = value(size, "val") if size is not None else ""
    is_tiny = bool(_SIZE.fullmatch(points)) and float(points) <= _TINY_POINTS
    return (_cell_colour(colour) if colour is not None else None), is_tiny


def _fill(fill: Element) -> Colour | None:
    """What a cell is painted with: white for nothing, None for what is not known."""
    pattern = child(fill, "patternFill")
    if pattern is None:
        return None
    kind, colour = value(pattern, "patternType"), child(pattern, "fgColor")
    if kind in {"", "none"}:
        return _WHITE
    return _cell_colour(colour) if kind == "solid" and colour is not None else None


def _cell_colour(colour: Element) -> Colour | None:
    if value(colour, "tint").strip("0."):
        return None
    if value(colour, "theme") == "0" or value(colour, "indexed") in _WHITE_NUMBERS:
        return _WHITE
    return _colour_of_argb(value(colour, "rgb"))


def slide_ground(root: Element) -> Colour | None:
    """The colour that a slide itself is painted with."""
    fill = child(root, "cSld", "bg", "bgPr", "solidFill")
    return _painted(fill) if fill is not None else None


def blank_unseen(shape: Element, ground: Colour | None) -> int:
    """Empty the runs of a shape that cannot be seen; return how many held text."""
    about = child(shape, "spPr")
    fill = child(about, "solidFill") if about is not None else None
    under = _painted(fill) if fill is not None else ground
    if about is not None and any(local(el) in {"gradFill", "blipFill", "pattFill"} for el in about):
        under = None
    hidden = 0
    for run, properties in _runs(shape):
        size, ink = value(properties, "sz"), child(properties, "solidFill")
        is_tiny = bool(_SIZE.fullmatch(size)) and float(size) <= 100 * _TINY_POINTS
        colour = _painted(ink) if ink is not None else None
        if is_tiny or (colour is not None and under is not None and is_close(colour, under)):
            for text in children(run, "t"):
                hidden += bool((text.text or "").strip())
                text.text = ""
    return hidden


def _runs(shape: Element) -> Iterator[tuple[Element, Element]]:
    for run in below(shape, "r", "fld"):
        if (properties := child(run, "rPr")) is not None:
            yield run, properties


def _painted(fill: Element) -> Colour | None:
    colour = child(fill, "srgbClr")
    return _colour_of_argb(value(colour, "val")) if colour is not None and not len(colour) else None


def _colour_of_argb(value: str) -> Colour | None:
    match = _ARGB.fullmatch(value)
    ink = ink_of(f"#{match[1].lower()}") if match else None
    return ink[:3] if ink else None
