"""CSS colours: parsing, mixing, contrast, and the opacity below which one is invisible."""

import colorsys
import math
import re

from gossamer.extractors.html.visibility.css.values import EXPONENT, NUMBER, number, split_outside

_LISTED = (
    "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 "
    "black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 "
    "cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc "
    "crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 "
    "darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 "
    "darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b "
    "darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 "
    "deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 "
    "forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 "
    "gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c "
    "indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 "
    "lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 "
    "lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa "
    "lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 "
    "lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa "
    "mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee "
    "mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa "
    "mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 "
    "orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee "
    "palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd "
    "powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 "
    "saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d "
    "silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa "
    "springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 "
    "violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 canvas ffffff "
    "canvastext 000000 window ffffff field ffffff "
)
_WORDS = _LISTED.split()

NAMED: dict[str, int] = {name: int(code, 16) for name, code in zip(_WORDS[::2], _WORDS[1::2], strict=True)}
"""0xRRGGBB by name."""
Colour = tuple[int, int, int]
Ink = tuple[int, int, int, float]
"""Red, green, blue and how opaque it is, 0 to 1."""
Light = tuple[float, float, float]

INVISIBLE_BELOW = 0.1
"""The opacity below which text, a colour or an element counts as hidden."""
OPAQUE_FROM = 1 - INVISIBLE_BELOW
"""The opacity above which a colour hides what lies below it."""
_CLOSE = 20
_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-z])")
_CALL = re.compile(r"\b(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(([^()]{0,200})\)")
_OF_OTHERS = re.compile(r"\b(color-mix|light-dark)\(((?:[^()]|\([^()]{0,200}\)){0,400})\)")
_CALC = re.compile(r"calc\([^()]*\)")
_PERCENT = re.compile(r"(?<![\w.-])(\d{1,3}(?:\.\d{0,9})?)%\s*$|^\s*(\d{1,3}(?:\.\d{0,9})?)%")
_PART = re.compile(rf"[+-]?{NUMBER}{EXPONENT}(?:%|deg|rad|grad|turn)?|\bnone\b")
_WORD = re.compile(r"[a-z]+")
_TURN = {"deg": 1.0, "rad": 57.29578, "grad": 0.9, "turn": 360.0}


def ink_of(value: str) -> Ink | None:
    """The first colour that a value names; None when it names none that we know."""
    if "calc(" in value:
        value = _CALC.sub(lambda sum_: f"{number(sum_[0]) or 0:g}", value)
    if match := _OF_OTHERS.search(value):
        parts = split_outside(match[2], ",")
        return ink_of(parts[0]) if match[1] == "light-dark" else _mixed(parts[1:])
    if match := _HEX.search(value):
        digits = match[1] if len(match[1]) > 4 else "".join(digit * 2 for digit in match[1])
        red, green, blue, *alpha = bytes.fromhex(digits)
        return red, green, blue, alpha[0] / 255 if alpha else 1.0
    if match := _CALL.search(value):
        name, inside = match.groups()
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
    """A colour made from another one: known where it is that one, or cannot be seen."""
    channels, _, alpha = inside.removeprefix("from ").partition("/")
    base = ink_of(channels)
    share = _share(alpha.strip(), of=1.0) if _PART.fullmatch(alpha.strip()) else 1.0
    if share < INVISIBLE_BELOW:
        return 0, 0, 0, 0.0
    is_same = channels.split()[-3:] == list(name[:3])
    return (*base[:3], base[3] * share) if base and is_same else None


def _mixed(parts: list[str]) -> Ink | None:
    """Two colours in one, mixed as light is; a share that is not said is what the other leaves."""
    if len(parts) != 2:
        return None
    first_ink, other = (ink_of(_PERCENT.sub("", part)) for part in parts)
    shares = [float(match[1] or match[2]) / 100 if (match := _PERCENT.search(part)) else None for part in parts]
    if first_ink is None or other is None:
        return None
    first = shares[0] if shares[0] is not None else 0.5 if shares[1] is None else 1 - shares[1]
    second = shares[1] if shares[1] is not None else 1 - first
    total = first + second
    if total <= 0 or min(first, second) < 0:
        return None
    first, second = first / total, second / total
    alpha = first_ink[3] * first + other[3] * second
    if not alpha:
        return 0, 0, 0, 0.0
    red, green, blue = (
        _byte((a * first_ink[3] * first + b * other[3] * second) / alpha)
        for a, b in zip(first_ink[:3], other[:3], strict=True)
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
    """Linear light as the sRGB values that screens take."""
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


def is_close(first: Colour, other: Colour) -> bool:
    """Whether text in one colour is invisible on a background in the other."""
    return all(abs(a - b) <= _CLOSE for a, b in zip(first, other, strict=True))
