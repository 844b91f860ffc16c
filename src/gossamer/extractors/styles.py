"""The little of CSS that hides text: declarations, rules of the page's own style sheets, lengths and colours."""

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_CSS_CHARS = 500_000
MAX_RULES = 3_000

Declarations = dict[str, str]

PROPERTIES_NAMES = (
    "display visibility opacity font-size position left right top bottom text-indent margin-left margin-top clip "
    "clip-path transform width height max-width max-height overflow overflow-x overflow-y z-index color "
    "background background-color background-image font filter"
)
PROPERTIES = frozenset(PROPERTIES_NAMES.split())
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_MIN_WIDTH = re.compile(r"min-width\s*:\s*([\d.]+)(px|em|rem)")
_LENGTH = re.compile(r"(-?[\d.]+)\s*(px|em|rem|ex|ch|pt|pc|in|cm|mm|vw|vh|vmin|vmax|%)?")
_PIXELS = {"px": 1, "em": 16, "rem": 16, "ex": 8, "ch": 8, "pt": 1.33, "pc": 16, "in": 96, "cm": 38, "mm": 3.8}
_RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)\s*(?:[,/]\s*([\d.]+)(%?)\s*)?\)")
_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-f])")
_NAMED = {
    "white": (255, 255, 255),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
    "black": (0, 0, 0),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
}

Colour = tuple[int, int, int]


class Rule(NamedTuple):
    """One rule that could hide something."""

    selector: str
    declarations: Declarations


def declarations(text: str) -> Declarations:
    """Read declarations, lower case; an important one is not overridden by a later plain one."""
    found: Declarations = {}
    for part in text.lower().split(";"):
        name, colon, value = part.partition(":")
        name, value = name.strip(), value.strip()
        if colon and name in PROPERTIES and (value.endswith("!important") or "!important" not in found.get(name, "")):
            found[name] = value
    return found


def rules(css: str) -> Iterator[Rule]:
    """The rules that apply on a screen, in order, as far as they say anything that can hide text."""
    pieces = re.split(r"([{}])", _COMMENT.sub(" ", css[:MAX_CSS_CHARS]))
    count, depth, skipped = 0, 0, 0
    for before, brace, after in zip(pieces[::2], pieces[1::2], pieces[2::2], strict=False):
        if brace == "}":
            skipped = 0 if depth == skipped else skipped
            depth = max(0, depth - 1)
            continue
        depth += 1
        head = before.rpartition(";")[2].strip()
        if skipped:
            continue
        if head.startswith("@"):
            skipped = 0 if _applies(head.lower()) else depth
        elif (found := declarations(after)) and count < MAX_RULES:
            count += 1
            yield Rule(head, found)


def _applies(at_rule: str) -> bool:
    """Whether what stands inside an at-rule is seen on an ordinary screen."""
    if at_rule.startswith(("@supports", "@layer", "@container")):
        return True
    if not at_rule.startswith("@media"):
        return False
    if any(
        word in at_rule for word in ("print", "speech", "max-width", "prefers-", "orientation", "max-height", "not ")
    ):
        return False
    return all(float(size) * _PIXELS[unit] <= 1280 for size, unit in _MIN_WIDTH.findall(at_rule) if size.count(".") < 2)


def pixels(value: str, *, of: float = 1000.0) -> float | None:
    """A length in pixels on an ordinary screen; percentages are `of` something. None when it is no length."""
    found = _LENGTH.match(value.strip())
    if not found or found[1].count(".") > 1 or not found[1].strip("-."):
        return None
    number, unit = float(found[1]), found[2] or "px"
    return number * (of / 100 if unit == "%" else _PIXELS.get(unit, 10))


def colour(value: str) -> Colour | None:
    """The opaque colour that a value names first; None for any other."""
    if found := _HEX.search(value):
        digits = found[1] if len(found[1]) > 4 else "".join(digit * 2 for digit in found[1])
        if len(digits) == 8 and int(digits[6:], 16) < 26:
            return None
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if found := _RGB.search(value):
        return None if is_clear(value) else (int(found[1]), int(found[2]), int(found[3]))
    return next((_NAMED[word] for word in re.findall(r"[a-z]+", value) if word in _NAMED), None)


def is_clear(value: str) -> bool:
    """Whether a colour is (nearly) transparent."""
    found = _RGB.search(value)
    if found and found[4] and found[4].count(".") < 2 and found[4] != ".":
        return float(found[4]) * (0.01 if found[5] else 1) < 0.1
    return "transparent" in value


def is_close(one: Colour, other: Colour) -> bool:
    """Whether text in one colour cannot be told from a ground in the other."""
    return all(abs(a - b) <= 12 for a, b in zip(one, other, strict=True))
