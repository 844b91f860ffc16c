"""Colours as style sheets write them, and whether one can be told from another."""

import colorsys
import re

from gossamer.extractors.sight.colour_names import NAMED
from gossamer.extractors.sight.media import split_outside

Colour = tuple[int, int, int]
Ink = tuple[int, int, int, float]
"""Red, green, blue and how opaque it is, 0 to 1."""

CLEAR = 0.1
"""Below this a colour, or a part of a page, cannot be seen."""
_CLOSE = 20
_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-z])")
_CALL = re.compile(r"\b(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(([^()]{0,200})\)")
_OF_OTHERS = re.compile(r"\b(color-mix|light-dark)\(((?:[^()]|\([^()]{0,200}\)){0,400})\)")
_PERCENT = re.compile(r"(?<![\w.-])(\d{1,3}(?:\.\d{0,9})?)%\s*$|^\s*(\d{1,3}(?:\.\d{0,9})?)%")
_PART = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:%|deg|rad|grad|turn)?|\bnone\b")
_WORD = re.compile(r"[a-z]+")
_TURN = {"deg": 1.0, "rad": 57.29578, "grad": 0.9, "turn": 360.0}


def ink_of(value: str) -> Ink | None:
    """The first colour that a value names; None when it names none that we know."""
    if found := _OF_OTHERS.search(value):
        parts = split_outside(found[2], ",")
        return ink_of(parts[0]) if found[1] == "light-dark" else _mixed(parts[1:])
    if found := _HEX.search(value):
        digits = found[1] if len(found[1]) > 4 else "".join(digit * 2 for digit in found[1])
        red, green, blue, *alpha = bytes.fromhex(digits)
        return red, green, blue, alpha[0] / 255 if alpha else 1.0
    if found := _CALL.search(value):
        name, inside = found.groups()
        if name == "color":
            inside = inside.strip().partition(" ")[2]
        return _called(name, _PART.findall(inside))
    for word in _WORD.findall(value):
        if word == "transparent":
            return 0, 0, 0, 0.0
        if word in NAMED:
            code = NAMED[word]
            return code >> 16, code >> 8 & 255, code & 255, 1.0
    return None


def _mixed(parts: list[str]) -> Ink | None:
    """Two colours in one, mixed as light is; a share that is not said is what the other leaves."""
    if len(parts) != 2:
        return None
    one, other = (ink_of(_PERCENT.sub("", part)) for part in parts)
    said = [float(found[1] or found[2]) / 100 if (found := _PERCENT.search(part)) else None for part in parts]
    if one is None or other is None:
        return None
    first = said[0] if said[0] is not None else 0.5 if said[1] is None else 1 - said[1]
    second = said[1] if said[1] is not None else 1 - first
    total = first + second
    if total <= 0 or min(first, second) < 0:
        return None
    first, second = first / total, second / total
    alpha = one[3] * first + other[3] * second
    if not alpha:
        return 0, 0, 0, 0.0
    red, green, blue = (
        _byte((a * one[3] * first + b * other[3] * second) / alpha) for a, b in zip(one[:3], other[:3], strict=True)
    )
    return red, green, blue, alpha * min(1.0, total)


def _called(name: str, parts: list[str]) -> Ink | None:
    if len(parts) < 3:
        return None
    alpha = min(1.0, max(0.0, _share(parts[3], of=1.0))) if len(parts) > 3 else 1.0
    if name.startswith("rgb"):
        red, green, blue = (_byte(_share(part, of=255.0)) for part in parts[:3])
        return red, green, blue, alpha
    if name == "color":
        red, green, blue = (_share(part, of=1.0) for part in parts[:3])
        return (*_bytes((red, green, blue)), alpha)
    if name.startswith("hsl"):
        lightness, strength = _share(parts[2], of=1.0, bare=100.0), _share(parts[1], of=1.0, bare=100.0)
        return (*_bytes(colorsys.hls_to_rgb(_hue(parts[0]), lightness, strength)), alpha)
    if name == "hwb":
        white, black = _share(parts[1], of=1.0, bare=100.0), _share(parts[2], of=1.0, bare=100.0)
        if white + black >= 1:
            return (*_grey(white / (white + black)), alpha)
        pure = colorsys.hls_to_rgb(_hue(parts[0]), 0.5, 1.0)
        red, green, blue = (part * (1 - white - black) + white for part in pure)
        return (*_bytes((red, green, blue)), alpha)
    return _greyish(name, parts, alpha)


def _greyish(name: str, parts: list[str], alpha: float) -> Ink | None:
    """A colour by its lightness, where it has next to no colour otherwise."""
    if name in {"lab", "lch"}:
        lightness, strength = _share(parts[0], of=1.0, bare=100.0), _share(parts[1], of=125.0)
    elif name in {"oklab", "oklch"}:
        lightness, strength = _share(parts[0], of=1.0), 300 * _share(parts[1], of=0.4)
    else:
        return None
    if abs(strength) > 6 and 0.01 < lightness < 0.99:
        return None
    return (*_grey(lightness), alpha)


def _share(part: str, *, of: float, bare: float = 1.0) -> float:
    """A number; a percentage is a share `of` something, a number without a sign is counted in units of 1/`bare`."""
    if part == "none":
        return 0.0
    if part.endswith("%"):
        return float(part[:-1]) * of / 100
    return float(part.rstrip("degratun")) / bare


def _hue(part: str) -> float:
    unit = next((unit for unit in _TURN if part.endswith(unit)), "deg")
    return _share(part.removesuffix(unit), of=360.0) * _TURN[unit] / 360 % 1.0


def _byte(value: float) -> int:
    return round(min(255.0, max(0.0, value)))


def _bytes(parts: tuple[float, float, float]) -> Colour:
    red, green, blue = (_byte(255 * part) for part in parts)
    return red, green, blue


def _grey(lightness: float) -> Colour:
    return _bytes((lightness, lightness, lightness))


def over(ink: Ink, ground: Colour) -> Colour:
    """How an ink looks on a ground."""
    red, green, blue = (round(a * ink[3] + b * (1 - ink[3])) for a, b in zip(ink[:3], ground, strict=True))
    return red, green, blue


def is_close(one: Colour, other: Colour) -> bool:
    """Whether text in one colour cannot be told from a ground in the other."""
    return all(abs(a - b) <= _CLOSE for a, b in zip(one, other, strict=True))
