"""CSS values: numbers, lengths in pixels of an ordinary screen, splitting outside of brackets.

Where digits could be shared out between two parts of a pattern, all ways would be tried before it gives up (ReDoS). So
the quantifiers are possessive: what a part has taken it keeps.
"""

import math
import re
from collections.abc import Callable
from functools import partial

from gossamer.errors import TooComplex

NUMBER = r"(?:\d++(?:\.\d*+)?|\.\d++)"
"""A number without its sign."""
EXPONENT = r"(?:e[+-]?\d++)?"
_HOLDING = re.compile(r"[\"'(\[]")
_UNITS = {
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "q": 0.945,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
    "ch": 8.0,
    "cap": 11.0,
    "ic": 16.0,
    "lh": 19.0,
    "rlh": 19.0,
    "vw": 12.8,
    "vh": 8.0,
    "vi": 12.8,
    "vb": 8.0,
    "vmin": 8.0,
    "vmax": 12.8,
    "svw": 12.8,
    "lvw": 12.8,
    "dvw": 12.8,
    "svh": 8.0,
    "lvh": 8.0,
    "dvh": 8.0,
    "cqw": 12.8,
    "cqh": 8.0,
    "cqi": 12.8,
    "cqb": 8.0,
    "cqmin": 8.0,
    "cqmax": 12.8,
    "fr": 1.0,
}
_LENGTH = re.compile(rf"([+-]?{NUMBER}{EXPONENT})(%|[a-z]{{0,5}})")
_PLAIN = "sin cos tan asin acos atan atan2 pow sqrt hypot log exp"
_WHOLE: dict[str, Callable[[float], int]] = {
    "nearest": round,
    "up": math.ceil,
    "down": math.floor,
    "to-zero": math.trunc,
}


def too_complex() -> TooComplex:
    """The error of a page whose style sheets ask for more than any honest one."""
    return TooComplex(
        "The page has style sheets too complex to tell what it hides.",
        hint="It is not read; look for another source.",
    )


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


def _clamped(least: float, value: float, most: float) -> float:
    return max(least, min(value, most))


def _sign(value: float) -> float:
    return math.copysign(1.0, value) if value else 0.0


def _rounded(whole: Callable[[float], int], value: float, step: float = 1.0) -> float:
    return whole(value / step) * step


def _left(value: float, step: float) -> float:
    return value % step


def _way(value: float, first: float, last: float) -> float:
    return (value - first) / (last - first)


_ANGLES = {"deg": math.pi / 180, "grad": math.pi / 200, "rad": 1.0, "turn": 2 * math.pi}
_CONSTANTS = {"pi": math.pi, "e": math.e, "infinity": math.inf, "-infinity": -math.inf, "nan": 0.0}
_TOKEN = re.compile(
    rf"\s*(?:([+-]?{NUMBER}{EXPONENT}(?:%|[a-z]{{0,5}}))|([a-z-]*[a-z])?(\()"
    r"|(-?infinity|pi|e|nan)\b|([-+*/,)]))"
)
_ROUNDED = re.compile(r"\bround\(\s*(up|down|nearest|to-zero)\s*,")
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "": float,
    "calc": float,
    "min": min,
    "max": max,
    "clamp": _clamped,
    "abs": math.fabs,
    "sign": _sign,
    **{f"round-{way}": partial(_rounded, whole) for way, whole in _WHOLE.items()},
    "mod": _left,
    "rem": math.fmod,
    **{name: getattr(math, name) for name in _PLAIN.split()},
    "progress": _way,
}
_IS_SUM = re.compile(r"(?:-webkit-)?(?:round|" + "|".join(filter(None, _FUNCTIONS)) + r")\(")
_MAX_SUM_CHARS = 2_000


def pixels(value: str, *, of: float = 1000.0, em: float = 16.0, root: float = 16.0) -> float | None:
    """A length in pixels; percentages are `of` something. None when it is no length that we understand."""
    value = value.strip()
    match = _LENGTH.fullmatch(value)
    if match is not None:
        return _measured(match[1], match[2], of, em, root)
    if _IS_SUM.match(value):
        return _Sum(value.removeprefix("-webkit-"), of, em, root).value()
    return None


def number(value: str) -> float | None:
    """A number or a percentage, as opacity and scale take them."""
    match = _LENGTH.fullmatch(value.strip())
    if match is None or match[2] not in {"", "%"}:
        return pixels(value, of=1.0) if _IS_SUM.match(value.strip()) else None
    return float(match[1]) / (100 if match[2] else 1)


def _measured(digits: str, unit: str, of: float, em: float, root: float) -> float | None:
    if unit == "%":
        return float(digits) * of / 100
    factor = 1.0 if not unit else root if unit == "rem" else em if unit == "em" else _UNITS.get(unit)
    return None if factor is None else float(digits) * factor


class _Sum:
    """A small sum such as `calc(-100% - 20px)`, worked out once, from left to right."""

    def __init__(self, text: str, of: float, em: float, root: float) -> None:
        if len(text) > _MAX_SUM_CHARS:
            raise too_complex()
        text += ")" * (text.count("(") - text.count(")"))
        text = _ROUNDED.sub(r"round-\1(", text).replace("round(", "round-nearest(")
        self._tokens = [match.groups("") for match in _TOKEN.finditer(text)]
        self._tokens.reverse()
        self._units = (of, em, root)

    def value(self) -> float | None:
        """The result; None for what makes no sense."""
        try:
            total = self._term()
        except (IndexError, ArithmeticError, TypeError, ValueError):
            return None
        except RecursionError:
            raise too_complex() from None
        return 0.0 if math.isnan(total) else total

    def _term(self) -> float:
        measure, name, opening, constant, _ = self._tokens.pop()
        if measure:
            return self._measure(measure)
        if constant:
            return _CONSTANTS[constant]
        if not opening or name not in _FUNCTIONS:
            raise TypeError
        inside = [self._sum()]
        while (sign := self._tokens.pop()[4]) == ",":
            inside.append(self._sum())
        if sign != ")":
            raise TypeError
        return _FUNCTIONS[name](*inside)

    def _measure(self, text: str) -> float:
        match = _LENGTH.fullmatch(text)
        if match is None:
            raise TypeError
        if match[2] in _ANGLES:
            return float(match[1]) * _ANGLES[match[2]]
        length = _measured(match[1], match[2], *self._units)
        if length is None:
            raise TypeError
        return length

    def _sum(self) -> float:
        total = self._product()
        while self._tokens and (self._tokens[-1][4] in {"+", "-"} or self._tokens[-1][0][:1] in {"+", "-"}):
            sign = self._tokens.pop()[4] if self._tokens[-1][4] else "+"
            total += self._product() * (-1 if sign == "-" else 1)
        return total

    def _product(self) -> float:
        total = self._term()
        while self._tokens and self._tokens[-1][4] in {"*", "/"}:
            is_divided = self._tokens.pop()[4] == "/"
            factor = self._term()
            total = total / factor if is_divided else total * factor
        return total
