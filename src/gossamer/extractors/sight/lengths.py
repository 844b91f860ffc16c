"""Lengths and numbers as style sheets write them, in pixels of an ordinary screen."""

import re

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
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)(%|[a-z]{0,5})")
_TOKEN = re.compile(
    r"\s*(?:([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?(?:%|[a-z]{0,5}))|(calc|min|max|clamp)?(\()|([-+*/,)]))"
)
_MAX_TERMS = 40


def pixels(value: str, *, of: float = 1000.0, em: float = 16.0, root: float = 16.0) -> float | None:
    """A length in pixels; percentages are `of` something. None when it is no length that we understand."""
    value = value.strip()
    found = _LENGTH.fullmatch(value)
    if found is not None:
        return _measured(found[1], found[2], of, em, root)
    if value.startswith(("calc(", "min(", "max(", "clamp(", "-webkit-calc(")):
        return _Sum(value.removeprefix("-webkit-"), of, em, root).value()
    return None


def number(value: str) -> float | None:
    """A number or a percentage, as opacity and scale take them."""
    found = _LENGTH.fullmatch(value.strip())
    if found is None or found[2] not in {"", "%"}:
        return pixels(value, of=1.0) if value.strip().startswith("calc(") else None
    return float(found[1]) / (100 if found[2] else 1)


def _measured(digits: str, unit: str, of: float, em: float, root: float) -> float | None:
    if unit == "%":
        return float(digits) * of / 100
    factor = 1.0 if not unit else root if unit == "rem" else em if unit == "em" else _UNITS.get(unit)
    return None if factor is None else float(digits) * factor


class _Sum:
    """A small sum such as `calc(-100% - 20px)`, worked out once, from left to right."""

    def __init__(self, text: str, of: float, em: float, root: float) -> None:
        self._tokens = [found.groups("") for found in _TOKEN.finditer(text[:400])][:_MAX_TERMS]
        self._tokens.reverse()
        self._units = (of, em, root)

    def value(self) -> float | None:
        """The result; None for what makes no sense."""
        try:
            return self._term()
        except (IndexError, ZeroDivisionError, TypeError, RecursionError):
            return None

    def _term(self) -> float:
        measure, name, opening, _ = self._tokens.pop()
        if measure:
            found = _LENGTH.fullmatch(measure)
            length = _measured(found[1], found[2], *self._units) if found else None
            if length is None:
                raise TypeError
            return length
        if not opening:
            raise TypeError
        inside = [self._sum()]
        while (sign := self._tokens.pop()[3]) == ",":
            inside.append(self._sum())
        if sign != ")":
            raise TypeError
        if name == "clamp":
            return max(inside[0], min(inside[1], inside[2]))
        return min(inside) if name == "min" else max(inside) if name == "max" else inside[0]

    def _sum(self) -> float:
        total = self._product()
        while self._tokens and (self._tokens[-1][3] in {"+", "-"} or self._tokens[-1][0][:1] in {"+", "-"}):
            sign = self._tokens.pop()[3] if self._tokens[-1][3] else "+"
            total += self._product() * (-1 if sign == "-" else 1)
        return total

    def _product(self) -> float:
        total = self._term()
        while self._tokens and self._tokens[-1][3] in {"*", "/"}:
            is_divided = self._tokens.pop()[3] == "/"
            factor = self._term()
            total = total / factor if is_divided else total * factor
        return total
