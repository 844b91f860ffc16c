"""Conditional rules: `@media` on a wide, light screen with mouse and scripts; `@supports` in a browser of today."""

import re
from collections.abc import Callable

from gossamer.extractors.html.visibility.css.declarations import PROPERTIES, is_valid
from gossamer.extractors.html.visibility.css.selector_parser import Generated, NoSelector, read_selector
from gossamer.extractors.html.visibility.css.values import pixels, split_outside, too_complex

_FOREIGN = ("-moz-", "-ms-", "-o-", "-apple-", "-webkit-touch-callout", "-webkit-overflow-scrolling")
"""What other browsers have, and those of telephones."""
_PROPERTY = re.compile(r"\(\s*(-{0,2}[a-z][\w-]*)\s*:(.*)\)", re.DOTALL)
_WELL_KNOWN = re.compile(
    r"(?:backdrop-filter: ?(?:blur\(\d+\w*\)|none)|object-fit: ?(?:cover|contain)|aspect-ratio: ?\d+(?: ?/ ?\d+)?"
    r"|(?:grid-|row-|column-)?gap: ?\d+\w*|(?:-webkit-)?appearance: ?none|font-variation-settings: ?normal"
    r"|grid-template-columns: ?subgrid|grid-template-rows: ?(?:subgrid|masonry)?|scroll-behavior: ?smooth"
    r"|-webkit-line-clamp: ?\d+|scrollbar-(?:width: ?(?:thin|none)|gutter: ?stable)|mix-blend-mode: ?multiply"
    r"|text-wrap: ?(?:balance|pretty)|grid-area: ?auto|mask-repeat: ?[a-z-]+)"
)
"""What pages ask for most, and browsers of today have."""
_OF_ONE_WORD = frozenset({"display", "position", "visibility", "float"})
_ONE_WORD = re.compile(r"[a-z]{1,20}")
_OF_LAYOUT = (
    *("grid", "flex", "flow", "box", "table", "ruby", "math", "block", "inline", "item", "mason", "lane", "run"),
    *("contents", "none", "compact", "marker", "center", "page", "foot", "running", "inside", "outside", "snap"),
    *("top", "bottom", "left", "right", "start", "end", "initial", "inherit", "unset", "revert", "stack", "anchor"),
)
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
    match = _NUMBER.fullmatch(text.replace(" ", ""))
    if match is None:
        return pixels(text) if "(" in text else None
    below = float(match[2] or 1)
    return float(match[1]) / below * _UNITS.get(match[3], 1.0) if below else None


def is_supported(condition: str, depth: int = 0) -> bool | None:
    """Whether a condition holds; None when that is unknown."""
    if depth > _MAX_DEPTH:
        raise too_complex()
    condition = condition.strip().lower()
    if condition.startswith(("not ", "not(")):
        inner = is_supported(condition[3:], depth + 1)
        return None if inner is None else not inner
    spaced = condition.replace(")and", ") and").replace(")or", ") or").replace("and(", "and (").replace("or(", "or (")
    terms = [term for term in split_outside(spaced, " ") if term]
    if len(terms) == 1:
        return _term(terms[0], depth)
    answers = [_term(term, depth) for term in terms[::2]]
    joints = set(terms[1::2])
    if joints == {"and"}:
        return False if False in answers else None if None in answers else True
    if joints == {"or"}:
        return True if True in answers else None if None in answers else False
    return None


def _term(term: str, depth: int) -> bool | None:
    if term.startswith("selector("):
        return _knows_selector(term[9:].removesuffix(")").strip())
    if not term.startswith("("):
        return None
    if match := _PROPERTY.fullmatch(term):
        return _knows(match[1], match[2].strip())
    return is_supported(term[1:].removesuffix(")"), depth + 1) if term.endswith(")") else None


def _knows(name: str, value: str) -> bool | None:
    if name.startswith("--"):
        return True
    if name.startswith(_FOREIGN):
        return False
    if name in PROPERTIES and is_valid(name, value):
        return True
    if name in _OF_ONE_WORD and _is_no_word_of(value):
        return False
    return True if _WELL_KNOWN.fullmatch(f"{name}:{value}") else None


def _is_no_word_of(value: str) -> bool:
    """Whether a value is one word that means nothing; parts of words that browsers know may make up a new one."""
    return bool(_ONE_WORD.fullmatch(value)) and not any(part in value for part in _OF_LAYOUT)


def _knows_selector(text: str) -> bool | None:
    try:
        read_selector(text)
    except Generated:
        return True
    except NoSelector:
        return None
    return True
