"""Text of sheets and slides that nobody sees: too small, in the colour of its ground, in a format that shows nothing.

Only a ground that is known counts. A cell without a fill stands on white; text on a slide may stand on a picture or on
another shape, so that there only the fill of its own shape, or of the slide, is known.
"""

import re
from collections.abc import Iterator

from gossamer.extractors.documents.xml import below, child, children, local, value, whole
from gossamer.extractors.sight.colours import Colour, ink_of, is_close
from gossamer.extractors.tree import Element

_WHITE: Colour = (255, 255, 255)
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})?([0-9a-fA-F]{6})")
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
    found: set[int] = set()
    for at, style in enumerate(children(styles, "xf") if styles is not None else ()):
        font, fill = whole(value(style, "fontId"), otherwise=-1), whole(value(style, "fillId"), otherwise=-1)
        ink, is_tiny = inks[font] if 0 <= font < len(inks) else (None, False)
        ground = grounds[fill] if 0 <= fill < len(grounds) else _WHITE
        is_alike = ink is not None and ground is not None and is_close(ink, ground)
        if is_tiny or is_alike or value(style, "numFmtId") in blank:
            found.add(at)
    return found


def _font(font: Element) -> tuple[Colour | None, bool]:
    """The colour of a font, where it is known, and whether it is too small to read."""
    size, colour = child(font, "sz"), child(font, "color")
    said = value(size, "val") if size is not None else ""
    is_tiny = bool(_SIZE.fullmatch(said)) and float(said) <= _TINY_POINTS
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
    return _colour(value(colour, "rgb"))


def slide_ground(root: Element) -> Colour | None:
    """The colour that a slide itself is painted with."""
    said = child(root, "cSld", "bg", "bgPr", "solidFill")
    return _painted(said) if said is not None else None


def blank_unseen(shape: Element, ground: Colour | None) -> int:
    """Empty the runs of a shape that cannot be seen; return how many held text."""
    about = child(shape, "spPr")
    fill = child(about, "solidFill") if about is not None else None
    under = _painted(fill) if fill is not None else ground
    if about is not None and any(local(el) in {"gradFill", "blipFill", "pattFill"} for el in about):
        under = None
    hidden = 0
    for run, said in _runs(shape):
        size, ink = value(said, "sz"), child(said, "solidFill")
        is_tiny = bool(_SIZE.fullmatch(size)) and float(size) <= 100 * _TINY_POINTS
        colour = _painted(ink) if ink is not None else None
        if is_tiny or (colour is not None and under is not None and is_close(colour, under)):
            for text in children(run, "t"):
                hidden += bool((text.text or "").strip())
                text.text = ""
    return hidden


def _runs(shape: Element) -> Iterator[tuple[Element, Element]]:
    for run in below(shape, "r", "fld"):
        if (said := child(run, "rPr")) is not None:
            yield run, said


def _painted(fill: Element) -> Colour | None:
    colour = child(fill, "srgbClr")
    return _colour(value(colour, "val")) if colour is not None and not len(colour) else None


def _colour(said: str) -> Colour | None:
    found = _HEX.fullmatch(said)
    ink = ink_of(f"#{found[1].lower()}") if found else None
    return ink[:3] if ink else None
