"""Values: the numbers, dates and names that a statement gives, so that two statements can be compared."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gossamer.steps.answers.question import Question

ValueKind = Literal["number", "date", "name"]

_MONTH_NAMES = """
january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct
|november nov|december dec
"""
_MONTHS = {name: n for n, names in enumerate(_MONTH_NAMES.split("|"), 1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})\b"
    rf"|\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH})\.?,? (?P<year>\d{{4}})\b"
    rf"|\b(?P<month2>{_MONTH})\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year2>\d{{4}})\b"
    rf"|\b(?P<month3>{_MONTH})\.?,? (?P<year3>\d{{4}})\b"
    rf"|\b(?P<day4>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month4>{_MONTH})\b"
    rf"|\b(?P<month5>{_MONTH})\.? (?P<day5>\d{{1,2}})(?:st|nd|rd|th)?\b"
    r"|(?<![\d.,/-])(?P<only>1[0-9]{3}|20[0-9]{2})(?![\d%]|[.,/-]\d)",
    re.IGNORECASE,
)
_TO_NINETEEN = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {
    **{name: number for number, name in enumerate(_TO_NINETEEN.split())},
    **{name: 10 * number for number, name in enumerate(_TENS.split(), 2)},
}
_LARGE = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_WORD = "|".join(sorted((*_SMALL, *_LARGE), key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<digits>\d{{1,3}}(?:[,\u00a0\u202f ]\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\w|[.:]\d)"
    rf"(?: (?P<times>hundred|thousand|million|billion|trillion|dozen)\b)?"
    rf"|\b(?P<words>(?:{_WORD})(?:(?:[ -]| and )(?:{_WORD}))*)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-ZÀ-ÞΑ-ΩА-Я][\w'’.-]*(?:(?: (?:of|de|da|van|von|the|la|le))? [A-ZÀ-ÞΑ-ΩА-Я][\w'’-]*)*")
_FIRST_WORD = re.compile(r"^\W*\w+$")
_NO_NAMES = """
the a an it its he she they this that these those in on at by for from of and or but if as is was his her their there
here when while after before since until with without to no not all some most many each both one two first today now i
we you our my your however although according about over under between during what which who
"""
_NOT_NAMES = frozenset(_NO_NAMES.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Value:
    """What a statement gives: as it is written, and what it is compared by."""

    kind: ValueKind
    text: str
    number: float = 0.0
    date: tuple[int, int, int] = (0, 0, 0)
    """Year, month and day, 0 where it is not said."""
    words: frozenset[str] = frozenset()
    """Of a name."""


def values(question: Question, text: str, known: frozenset[str]) -> tuple[Value, ...]:
    """The values in a text of the kind that the question asks for; none that the question has, nor of `known` words."""
    asked = question.text.casefold()
    dates = tuple(value for value in _dates(text) if value.text.casefold() not in asked)
    if question.kind == "time":
        return dates
    numbers = tuple(value for value in _numbers(text) if value.text.casefold() not in asked)
    if question.kind == "number":
        return numbers
    names = tuple(value for value in _names(text) if not value.words & known)
    if question.kind in {"person", "place"}:
        return names
    return (names if question.kind == "thing" else ()) or (numbers if question.kind in {"thing", "other"} else ())


def agree(left: tuple[Value, ...], right: tuple[Value, ...]) -> bool:
    """Whether any value of one can be one of the other."""
    return any(_are_alike(one, other) for one in left for other in right)


def _are_alike(one: Value, other: Value) -> bool:
    if one.kind != other.kind:
        return False
    if one.kind == "number":
        return abs(one.number - other.number) <= 1e-9 * max(1.0, abs(one.number))
    if one.kind == "date":
        return all(not left or not right or left == right for left, right in zip(one.date, other.date, strict=True))
    return bool(one.words & other.words)


def _dates(text: str) -> Iterator[Value]:
    for match in _DATE.finditer(text):
        part = {name.rstrip("2345"): value for name, value in match.groupdict().items() if value}
        if "iso" in part:
            year, month, day = map(int, part["iso"].split("-"))
        else:
            year, month = int(part.get("year") or part.get("only") or 0), _MONTHS.get(part.get("month", "").lower(), 0)
            day = int(part.get("day", 0))
        yield Value(kind="date", text=match[0], date=(year, month, day))


def _numbers(text: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        if (match["words"] or "").lower() == "one":
            continue
        if match["words"]:
            number = _in_words(match["words"])
        else:
            number = float(re.sub(r"[,\s]", "", match["digits"])) * _LARGE.get((match["times"] or "").lower(), 1.0)
        yield Value(kind="number", text=match[0], number=number)


def _in_words(text: str) -> float:
    """The number that words spell: `twelve hundred`, `two hundred and five`."""
    total = part = 0.0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in _SMALL:
            part += _SMALL[word]
        elif word in _LARGE and _LARGE[word] <= 100:
            part = (part or 1) * _LARGE[word]
        elif word in _LARGE:
            total += (part or 1) * _LARGE[word]
            part = 0.0
    return total + part


def _names(text: str) -> Iterator[Value]:
    for match in _NAME.finditer(text):
        words = frozenset(re.findall(r"[\w'’]+", match[0].casefold())) - _NOT_NAMES
        starts = _FIRST_WORD.match(text[: match.end()]) is not None
        if words and not (starts and len(words) == 1):
            yield Value(kind="name", text=match[0], words=words)
