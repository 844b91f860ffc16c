"""What a spreadsheet's cell shows: dates, shares and numbers as a person reads them, not as they are stored."""

import re
from datetime import datetime, timedelta
from functools import lru_cache

_DATES = frozenset({*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)})
_SHARES = frozenset({9, 10})
_NO_CODE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_CELL = re.compile(r"[A-Z]{1,3}([0-9]{1,7})")
_LETTERS = re.compile(r"[A-Z]{1,3}")
MAX_COLUMNS = 16_384
_NOISY = 15
"""Digits that a number has where arithmetic has left its traces."""


class Formats:
    """Which cell styles are dates and shares."""

    def __init__(self, codes: dict[int, str], styles: list[int], *, is_1904: bool = False) -> None:
        self._dates = {at for at, number in enumerate(styles) if _is_date(number, codes.get(number, ""))}
        self._shares = {
            at for at, number in enumerate(styles) if number in _SHARES or codes.get(number, "").endswith("%")
        }
        self._special = self._dates | self._shares
        self._start = datetime(1904, 1, 1) if is_1904 else datetime(1899, 12, 30)  # noqa: DTZ001  sheets know no zones

    def shown(self, raw: str, style: int) -> str:
        """A number as its style shows it; a short one without any is written as it is stored."""
        if len(raw) < _NOISY and "E" not in raw and style not in self._special:
            return raw
        try:
            number = float(raw)
        except ValueError:
            return raw
        if style in self._dates:
            return self._date(number) or raw
        if style in self._shares:
            return f"{_plain(number * 100)}%"
        return _plain(number)

    def _date(self, number: float) -> str:
        if not -1 < number < 2_958_466:
            return ""
        try:
            at = self._start + timedelta(seconds=round(number * 86_400))
        except OverflowError:
            return ""
        if number < 1:
            return f"{at:%H:%M:%S}".removesuffix(":00")
        if (at.hour, at.minute, at.second) == (0, 0, 0):
            return f"{at:%Y-%m-%d}"
        return f"{at:%Y-%m-%d %H:%M:%S}".removesuffix(":00")


def column_of(reference: str) -> int:
    """The column of a cell's name, counted from 0; -1 for a name that is none."""
    return _number(reference.rstrip("0123456789"))


@lru_cache(maxsize=1024)
def _number(letters: str) -> int:
    """The number that a column's letters stand for."""
    if not _LETTERS.fullmatch(letters):
        return -1
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1 if number <= MAX_COLUMNS else -1


def row_of(reference: str) -> int:
    """The row of a cell's name, counted from 1; 0 for a name that is none."""
    found = _CELL.fullmatch(reference)
    return int(found[1]) if found else 0


def _is_date(number: int, code: str) -> bool:
    if code:
        return bool(re.search(r"[ymdhs]", _NO_CODE.sub("", code).lower())) and "general" not in code.lower()
    return number in _DATES


def _plain(number: float) -> str:
    """A number without the noise of its storage."""
    if number == int(number) if abs(number) < 1e15 else False:
        return str(int(number))
    return f"{number:.15g}"
