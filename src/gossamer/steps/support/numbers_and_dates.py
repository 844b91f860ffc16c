"""Facts: the numbers, units and dates that a text states, in one form each, whatever way and language they are written.

`1,909`, `1.909` and `1909` are one number, `March 3, 2020`, `3. März 2020` and `2020-03-03` one date, `5 km` and
`5,000 metres` one length. Where a spelling can be read in two ways, both are kept.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isclose
from typing import NamedTuple

from gossamer.steps.support.fact_words import (
    BOUNDS,
    BOUNDS_BEFORE,
    MONTHS,
    MULTIPLIERS,
    NUMBER_WORDS,
    SPACELESS_UNITS,
    TENS,
    UNITS,
    Unit,
)

_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[$€£¥₹]\s?)?"
    r"(?P<digits>[0-9]{1,3}(?:[,.' \u00a0\u202f][0-9]{3}){1,6}(?![0-9])(?:[.,][0-9]{1,12})?"
    r"|[0-9]{1,15}(?:[.,][0-9]{1,12})?)"
    r"(?!\.[0-9])(?P<ending>(?:st|nd|rd|th|º|ª|er|ère|e)\b|s\b)?"
)
_PARTS = re.compile(r"(?<![\w.])[0-9]{1,6}(?:\.[0-9]{1,6}){2,6}(?![\w])")
"""A version or an address: as a whole or not at all."""
_ISO = re.compile(r"(?<![0-9])(?P<y>[0-9]{4})[-/.](?P<m>[0-9]{1,2})[-/.](?P<d>[0-9]{1,2})(?![0-9])")
_SLASHED = re.compile(r"(?<![0-9/.])(?P<a>[0-9]{1,2})[/.-](?P<b>[0-9]{1,2})[/.-](?P<y>[0-9]{4})(?![0-9])")
_HAN_DATE = re.compile(
    r"(?:(?P<y>[0-9]{4})\s?[年년]\s?)?(?P<m>[0-9]{1,2})\s?[月월](?:\s?(?P<d>[0-9]{1,2})\s?[日日일号號])?"
)
_HAN_YEAR = re.compile(r"(?P<y>[0-9]{3,4})\s?[年년](?![间間代])")
_MONTH = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
_DAY_FIRST = re.compile(
    rf"(?<![\w.])(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th|er|º|\.)?\s{{1,3}}(?:of\s|de\s|di\s|d')?(?P<m>{_MONTH})\b\.?"
    rf"(?:,?\s{{1,3}}(?:de\s|del\s)?(?P<y>[0-9]{{4}})(?![0-9]))?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"\b(?P<m>{_MONTH})\b\.?(?:\s{{1,3}}(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9:]))?"
    rf"(?:,?\s{{1,3}}(?:of\s|de\s|del\s)?(?P<y>[0-9]{{4}})(?![0-9]))?",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\w:])(?P<h>[0-9]{1,2})(?:[:.](?P<min>[0-5][0-9]))?\s?(?P<half>[ap]\.?m\b\.?)|(?<![\w:])(?P<h24>[0-2]?[0-9]):(?P<m24>[0-5][0-9])(?!:?[0-9])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[%‰°]\s?[CF]?\b|[%‰$€£¥₹]")
_AFTER = re.compile(r"[\s\u00a0\u202f-]{0,2}(?P<word>(?:per\scent\b|°\s?[CF]\b|[^\W\d_]+(?:/[^\W\d_]+)?\.?|[%‰$€£¥₹]))")
_HAN_NUMBER = re.compile("[〇零一二三四五六七八九十百千万萬億亿两兩]{2,12}")
_HAN_DIGITS = {
    sign: value
    for value, signs in enumerate(("〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for sign in signs
}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8}
_CLOSE = 0.012
"""How far a converted or rounded number may be off."""
_FAR = 1.3
"""How far above a bound a number may lie that is still what the bound speaks of."""
_DECADE = "decade"
_PRECISE = 1e-9
_DECIMALS_AFTER = 3
"""So many digits behind a sign may be thousands."""


class Date(NamedTuple):
    """A date or a part of one; 0 stands for what is not told."""

    year: int
    month: int
    day: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """A number or a date, where it stands in its text, and in how many ways it can be read."""

    start: int
    end: int
    text: str
    values: tuple[float, ...] = ()
    unit: Unit | None = None
    dates: tuple[Date, ...] = ()
    bound: str = ""
    """`>`, `<`, `~`: that it is more, less or about as much."""
    exact: str = ""
    """A version or an address, as it is written."""
    is_rounded: bool = False
    """Whether it is told in millions or the like, and so only about."""


def facts(text: str) -> list[Fact]:
    """The numbers and dates of a text in order; none of them overlap."""
    level = _level(text)
    taken = [False] * (len(level) + 1)
    made: list[Fact] = []
    for each in (*_dates(level), *_clocks(level), *_parts(level), *_numbers(level), *_in_words(level)):
        if not any(taken[each.start : each.end]):
            taken[each.start : each.end] = [True] * (each.end - each.start)
            made.append(each)
    return sorted(made, key=lambda fact: fact.start)


def _level(text: str) -> str:
    """The same text with the digits of every script written as 0 to 9; every character keeps its place."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def _dates(text: str) -> Iterator[Fact]:
    for match in _ISO.finditer(text):
        yield from _dated(match, (_date(match["y"], match["m"], match["d"]),))
    for match in _SLASHED.finditer(text):
        readings = (_date(match["y"], match["a"], match["b"]), _date(match["y"], match["b"], match["a"]))
        yield from _dated(match, readings)
    for match in _HAN_DATE.finditer(text):
        yield from _dated(match, (_date(match["y"], match["m"], match["d"]),))
    for match in _HAN_YEAR.finditer(text):
        yield from _dated(match, (_date(match["y"], None, None),))
    for match in (*_DAY_FIRST.finditer(text), *_MONTH_FIRST.finditer(text)):
        parts = match.groupdict()
        month = MONTHS[match["m"].casefold()]
        is_word = not parts["d"] and not parts["y"] and match["m"].casefold() in {"may", "mar", "mars", "marzo", "mai"}
        if match["m"][:1].isupper() or parts["d"] or parts["y"]:
            yield from () if is_word else _dated(match, (_date(parts["y"], str(month), parts["d"]),))


def _date(year: str | None, month: str | None, day: str | None) -> Date:
    return Date(int(year or 0), int(month or 0), int(day or 0))


def _dated(match: re.Match[str], readings: Sequence[Date]) -> Iterator[Fact]:
    possible = tuple(dict.fromkeys(each for each in readings if each.month <= 12 and each.day <= 31))
    if possible:
        yield Fact(start=match.start(), end=match.end(), text=match[0].strip(), dates=possible)


def _clocks(text: str) -> Iterator[Fact]:
    for match in _CLOCK.finditer(text):
        if match["half"]:
            hour = int(match["h"]) % 12 + (12 if match["half"][0] in "pP" else 0)
            minutes = hour * 60 + int(match["min"] or 0)
        else:
            minutes = int(match["h24"]) * 60 + int(match["m24"])
        yield Fact(start=match.start(), end=match.end(), text=match[0], exact=f"clock {minutes}")


def _parts(text: str) -> Iterator[Fact]:
    for match in _PARTS.finditer(text):
        yield Fact(start=match.start(), end=match.end(), text=match[0], exact=match[0])


def _numbers(text: str) -> Iterator[Fact]:
    for match in _NUMBER.finditer(text):
        values = _readings(match["digits"])
        end, unit = match.end(), UNITS.get((match["sign"] or "").strip())
        ending = match["ending"] or ""
        if ending == "s":
            unit = Unit(_DECADE, 1)
        yield _whole(text, match.start(), end, values, unit)


def _whole(text: str, start: int, end: int, values: tuple[float, ...], unit: Unit | None) -> Fact:
    """The number with its multiplier, its unit and its bound."""
    is_rounded = False
    after = _AFTER.match(text, end)
    word = _named(after)
    if after and word in MULTIPLIERS:
        values = tuple(value * MULTIPLIERS[word] for value in values)
        end, is_rounded = after.end("word"), True
        after = _AFTER.match(text, end)
        word = _named(after)
    elif factor := MULTIPLIERS.get(text[end : end + 1] if not text[end : end + 1].isascii() else ""):
        values, end, is_rounded = tuple(value * factor for value in values), end + 1, True
        after = _AFTER.match(text, end)
        word = _named(after)
    if after and unit is None and word in UNITS:
        unit, end = UNITS[word], after.end("word")
    elif unit is None:
        name = next((name for name in SPACELESS_UNITS if text.startswith(name, end)), "")
        unit, end = (UNITS[name], end + len(name)) if name else (None, end)
    return Fact(
        start=start,
        end=end,
        text=text[start:end].strip(),
        values=values,
        unit=unit,
        bound=_bound(text, start, end),
        is_rounded=is_rounded,
    )


def _named(after: re.Match[str] | None) -> str:
    if after is None:
        return ""
    word = after["word"].replace(" ", "")
    return word if word in UNITS else word.rstrip(".").casefold()


def _bound(text: str, start: int, end: int) -> str:
    before = text[max(0, start - 24) : start].casefold().rstrip()
    after = text[end : end + 16].casefold().lstrip()
    for phrase, bound in BOUNDS_BEFORE:
        if before.endswith(phrase) and not before[: -len(phrase)][-1:].isalpha():
            return bound
    return next((bound for phrase, bound in BOUNDS if after.startswith(phrase)), "")


def _readings(digits: str) -> tuple[float, ...]:
    """What a row of digits and signs may mean: a sign before three digits is for thousands or for decimals."""
    signs = [char for char in digits if not char.isdigit()]
    if not signs:
        return (float(digits),)
    plain = "".join(char for char in digits if char.isdigit())
    tail = len(digits) - 1 - max(digits.rfind(sign) for sign in set(signs))
    as_decimal = float(f"{plain[: len(plain) - tail]}.{plain[len(plain) - tail :]}")
    if len(signs) > 1:
        return (float(plain),) if len(set(signs)) == 1 else (as_decimal,)
    if signs[0] not in ",.":
        return (float(plain),)
    if tail == _DECIMALS_AFTER and digits[0] != "0":
        return (float(plain), as_decimal)
    return (as_decimal,)


def _in_words(text: str) -> Iterator[Fact]:
    """Numbers in words: `twenty-five`, `two hundred`, `zwölf`; and in Chinese characters, of two or more."""
    words = [(match.start(), match.end(), match[0].casefold()) for match in _WORD.finditer(text)]
    at = 0
    while at < len(words):
        start, end, word = words[at]
        at += 1
        if word not in NUMBER_WORDS:
            continue
        value = NUMBER_WORDS[word]
        if value in TENS and at < len(words) and 0 < NUMBER_WORDS.get(words[at][2], 0) < 10 and words[at][0] - end <= 1:
            value, end, at = value + NUMBER_WORDS[words[at][2]], words[at][1], at + 1
        while at < len(words) and words[at][2] in {"hundred", "thousand"} and words[at][0] - end <= 1:
            value, end, at = value * (100 if words[at][2] == "hundred" else 1000), words[at][1], at + 1
        yield _whole(text, start, end, (float(value),), None)
    for match in _HAN_NUMBER.finditer(text):
        yield _whole(text, match.start(), match.end(), (float(_han(match[0])),), None)


def _han(signs: str) -> int:
    if not any(sign in _HAN_UNITS for sign in signs):
        return int("".join(str(_HAN_DIGITS[sign]) for sign in signs))
    total = part = digit = 0
    for sign in signs:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
        elif _HAN_UNITS[sign] >= 10**4:
            total, part, digit = total + (part + digit or 1) * _HAN_UNITS[sign], 0, 0
        else:
            part, digit = part + (digit or 1) * _HAN_UNITS[sign], 0
    return total + part + digit


def states(evidence: Sequence[Fact], claimed: Fact) -> bool:
    """Whether one of these facts, or several parts of a date together, state the claimed one."""
    if any(_is_same(each, claimed) for each in evidence):
        return True
    return any(_is_dated(evidence, date) for date in claimed.dates)


def _is_dated(evidence: Sequence[Fact], date: Date) -> bool:
    """Whether day and month stand together, and the year stands anywhere near."""
    known = [other for each in evidence for other in each.dates]
    years = {int(value) for each in evidence if each.unit is None for value in each.values}
    years |= {other.year for other in known}
    is_in_year = not date.year or date.year in years
    days = [other for other in known if other.month == date.month and (not date.day or other.day == date.day)]
    return is_in_year and (not date.month or any(not other.year or not date.year for other in days))


def _is_same(fact: Fact, claimed: Fact) -> bool:
    if claimed.exact or fact.exact:
        return claimed.exact == fact.exact
    if claimed.dates:
        if any(_covers(other, date) for other in fact.dates for date in claimed.dates):
            return True
        return any(date[1:] == (0, 0) and float(date.year) in fact.values for date in claimed.dates)
    if fact.dates:
        is_bare = claimed.unit is None
        return is_bare and any(float(part) in claimed.values for date in fact.dates for part in date if part)
    kinds = {each.unit.kind for each in (claimed, fact) if each.unit}
    if len(kinds) > 1 or (_DECADE in kinds and not (claimed.unit and fact.unit)):
        return False
    return _is_as_much(fact, claimed)


def _covers(known: Date, claimed: Date) -> bool:
    return all(not part or part == other for part, other in zip(claimed, known, strict=True))


def _is_as_much(fact: Fact, claimed: Fact) -> bool:
    ours = claimed.unit.factor if claimed.unit and fact.unit else 1
    theirs = fact.unit.factor if claimed.unit and fact.unit else 1
    is_converted = not isclose(ours, theirs)
    is_loose = is_converted or (claimed.is_rounded and not fact.is_rounded)
    for value in claimed.values:
        for other in fact.values:
            mine, its = value * ours, other * theirs
            if isclose(mine, its, rel_tol=_PRECISE) or (is_loose and isclose(mine, its, rel_tol=_CLOSE)):
                return True
            if claimed.bound == ">" and mine < its <= mine * _FAR and not fact.bound:
                return True
            if claimed.bound == "<" and mine / _FAR <= its < mine and not fact.bound:
                return True
            if claimed.bound == "~" and isclose(mine, its, rel_tol=0.06):
                return True
    return False
