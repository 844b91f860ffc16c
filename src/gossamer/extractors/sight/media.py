"""Whether rules for some media apply on an ordinary screen: wide, light, with a mouse and with scripts."""

import re
from collections.abc import Callable

from gossamer.extractors.sight.lengths import pixels
from gossamer.extractors.sight.limits import too_complex

_WIDTH, _HEIGHT = 1280.0, 800.0
_MAX_DEPTH = 16
_SIZES = {
    "width": _WIDTH,
    "device-width": _WIDTH,
    "height": _HEIGHT,
    "device-height": _HEIGHT,
    "resolution": 1.0,
    "-webkit-device-pixel-ratio": 1.0,
    "aspect-ratio": _WIDTH / _HEIGHT,
    "color": 8.0,
    "monochrome": 0.0,
    "color-index": 0.0,
    "grid": 0.0,
    "horizontal-viewport-segments": 1.0,
    "vertical-viewport-segments": 1.0,
    "-webkit-transform-3d": 1.0,
}
_UNITS = {
    "px": 1.0,
    "em": 16.0,
    "rem": 16.0,
    "pt": 4 / 3,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "vw": 12.8,
    "dpi": 1 / 96,
}
_WORDS = {
    "orientation": "landscape",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-contrast": "no-preference",
    "forced-colors": "none",
    "inverted-colors": "none",
    "scripting": "enabled",
    "display-mode": "browser",
    "update": "fast",
    "overflow-block": "scroll",
    "overflow-inline": "scroll",
    "video-dynamic-range": "standard",
    "video-color-gamut": "srgb",
    "environment-blending": "opaque",
    "nav-controls": "back",
    "scan": "progressive",
    "color-gamut": "srgb",
    "dynamic-range": "standard",
}
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?|-?\.\d+)(?:/(\d+(?:\.\d+)?))?([a-z]*)")
_HOLDING = re.compile(r"[\"'(\[]")
_ORDER = re.compile(r"(<=|>=|<|>|=)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
}


def is_for_screen(query: str) -> bool:
    """Judge a list of media queries; what no browser would understand does not apply."""
    query = query.lower().strip()
    return not query or any(_holds(part.strip(), 0) for part in split_outside(query, ","))


def split_outside(text: str, sign: str) -> list[str]:
    """Split at a sign that stands outside brackets and quotes."""
    if sign not in text:
        return [text]
    if _HOLDING.search(text) is None:
        return text.split(sign)
    parts, depth, quote, start = list[str](), 0, "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote and text[at - 1] != "\\" else quote
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth = max(0, depth - 1)
        elif char == sign and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _holds(query: str, depth: int) -> bool:
    """Judge one query, or what stands in brackets within one."""
    if depth > _MAX_DEPTH:
        raise too_complex()
    if query.startswith(("not ", "not(")):
        return not _holds(query[3:].strip(), depth + 1)
    terms = _terms(query.removeprefix("only "))
    if "or" in terms:
        return any(_holds(term, depth + 1) for term in terms if term != "or")
    return all(_term_holds(term, depth) for term in terms if term != "and") if terms else False


def _terms(query: str) -> list[str]:
    """Words and bracketed parts."""
    return [term for term in split_outside(query.replace(")and", ") and").replace("and(", "and ("), " ") if term]


def _term_holds(term: str, depth: int) -> bool:
    if not term.startswith("("):
        return term in {"screen", "all"}
    inside = term[1:].removesuffix(")").strip()
    if inside.startswith(("(", "not ", "not(")):
        return _holds(inside, depth + 1)
    return _feature_holds(inside)


def _feature_holds(feature: str) -> bool:
    if _ORDER.search(feature):
        return _range_holds([part.strip() for part in _ORDER.split(feature)])
    name, colon, value = (part.strip() for part in feature.partition(":"))
    if not colon:
        return bool(_SIZES.get(name)) or _WORDS.get(name, "none") not in {"none", "no-preference"}
    edge, size_name = ("", name) if name in _SIZES else _edge(name)
    if size_name in _SIZES:
        size = _number(value)
        sign = {"min": ">=", "max": "<=", "": "="}[edge]
        return size is not None and _COMPARE[sign](_SIZES[size_name], size)
    return _WORDS.get(name) == value


def _edge(name: str) -> tuple[str, str]:
    """`min-width` as an edge and a size; the prefixed pixel ratio has it in the middle."""
    for edge in ("min", "max"):
        if f"{edge}-" in name:
            return edge, name.replace(f"{edge}-", "", 1)
    return "", name


def _range_holds(parts: list[str]) -> bool:
    """Judge `400px <= width < 700px`."""
    values = [_SIZES.get(part, _number(part)) if at % 2 == 0 else None for at, part in enumerate(parts)]
    for at in range(1, len(parts), 2):
        left, right = values[at - 1], values[at + 1]
        if left is None or right is None or not _COMPARE[parts[at]](left, right):
            return False
    return True


def _number(text: str) -> float | None:
    found = _NUMBER.fullmatch(text.replace(" ", ""))
    if found is None:
        return pixels(text) if "(" in text else None
    below = float(found[2] or 1)
    return float(found[1]) / below * _UNITS.get(found[3], 1.0) if below else None
