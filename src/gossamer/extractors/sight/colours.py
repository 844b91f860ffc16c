"""Colours as style sheets write them, and whether one can be told from another."""

import colorsys
import math
import re

from gossamer.extractors.sight.colour_names import NAMED
from gossamer.extractors.sight.figures import EXPONENT, FIGURE
from gossamer.extractors.sight.lengths import number
from gossamer.extractors.sight.media import split_outside

Colour = tuple[int, int, int]
Ink = tuple[int, int, int, float]
"""Red, green, blue and how opaque it is, 0 to 1."""
Light = tuple[float, float, float]

CLEAR = 0.1
"""Below this a colour, or a part of a page, cannot be seen."""
_CLOSE = 20
_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-z])")
_CALL = re.compile(r"\b(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(([^()]{0,200})\)")
_OF_OTHERS = re.compile(r"\b(color-mix|light-dark)\(((?:[^()]|\([^()]{0,200}\)){0,400})\)")
_CALC = re.compile(r"calc\([^()]*\)")
_PERCENT = re.compile(r"(?<![\w.-])(\d{1,3}(?:\.\d{0,9})?)%\s*$|^\s*(\d{1,3}(?:\.\d{0,9})?)%")
_PART = re.compile(rf"[+-]?{FIGURE}{EXPONENT}(?:%|deg|rad|grad|turn)?|\bnone\b")
_WORD = re.compile(r"[a-z]+")
_TURN = {"deg": 1.0, "rad": 57.29578, "grad": 0.9, "turn": 360.0}


def ink_of(value: str) -> Ink | None:
    """The first colour that a value names; None when it names none that we know."""
    if "calc(" in value:
        value = _CALC.sub(lambda sum_: f"{number(sum_[0]) or 0:g}", value)
    if found := _OF_OTHERS.search(value):
        parts = split_outside(found[2], ",")
        return ink_of(parts[0]) if found[1] == "light-dark" else _mixed(parts[1:])
    if found := _HEX.search(value):
        digits = found[1] if len(found[1]) > 4 else "".join(digit * 2 for digit in found[1])
        red, green, blue, *alpha = bytes.fromhex(digits)
        return red, green, blue, alpha[0] / 255 if alpha else 1.0
    if found := _CALL.search(value):
        name, inside = found.groups()
        if inside.lstrip().startswith("from "):
            return _of_another(name, inside.strip())
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


def stops(image: str) -> list[Ink]:
    """The colours of a gradient; none where anything else is painted."""
    if "gradient(" not in image or "url(" in image:
        return []
    words = split_outside(image.partition("(")[2].removesuffix(")"), ",")
    return [ink for word in words if (ink := ink_of(word))]


def _of_another(name: str, inside: str) -> Ink | None:
    """A colour made from another one: told where it is that one, or cannot be seen."""
    channels, _, alpha = inside.removeprefix("from ").partition("/")
    base = ink_of(channels)
    share = _share(alpha.strip(), of=1.0) if _PART.fullmatch(alpha.strip()) else 1.0
    if share < CLEAR:
        return 0, 0, 0, 0.0
    is_same = channels.split()[-3:] == list(name[:3])
    return (*base[:3], base[3] * share) if base and is_same else None


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
    return _by_lightness(name, parts, alpha)


def _by_lightness(name: str, parts: list[str], alpha: float) -> Ink | None:
    """A colour by its lightness and two axes, or by its lightness, its strength and its hue."""
    is_new = name.startswith("ok")
    if name not in {"lab", "lch", "oklab", "oklch"}:
        return None
    lightness = _share(parts[0], of=1.0, bare=1.0 if is_new else 100.0)
    most = 0.5 if is_new else 200.0
    first, second = (min(most, max(-most, _share(part, of=0.4 if is_new else 125.0))) for part in parts[1:3])
    if name.endswith("lch"):
        turn = _hue(parts[2]) * math.tau
        first, second = first * math.cos(turn), first * math.sin(turn)
    lightness = min(1.0, max(0.0, lightness))
    light = _light_of_oklab(lightness, first, second) if is_new else _light_of_lab(lightness * 100, first, second)
    return (*_bytes(_shown(light)), alpha)


def _light_of_oklab(lightness: float, a: float, b: float) -> Light:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _light_of_lab(lightness: float, a: float, b: float) -> Light:
    """From the white of paper to that of screens."""
    middle = (lightness + 16) / 116
    x, y, z = (
        white * (part**3 if part > 6 / 29 else (part - 4 / 29) * 108 / 841)
        for white, part in ((0.96422, middle + a / 500), (1.0, middle), (0.82521, middle - b / 200))
    )
    return (
        3.1338561 * x - 1.6168667 * y - 0.4906146 * z,
        -0.9787684 * x + 1.9161415 * y + 0.0334540 * z,
        0.0719453 * x - 0.2289914 * y + 1.4052427 * z,
    )


def _shown(light: Light) -> Light:
    """Amounts of light as screens are told them."""
    red, green, blue = (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in light)
    return red, green, blue


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
