"""Parses the fields of a search result: address, title, date, duration, size and counts of a `Hit`."""

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple, TypeVar

from gossamer.model.search import Details, Found, Hit
from gossamer.ports import Provider
from gossamer.steps.text.clean_line import plain, plain_address

Row = TypeVar("Row")

_NOTHING = Details()
_MAX_NAMES = 20
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_FIRST = re.compile(r"\s*([A-Za-z]{3,9})\.? ([0-9]{1,2}), ([0-9]{4})\b")
_DAY_FIRST = re.compile(r"\s*([0-9]{1,2}) ([A-Za-z]{3,9})\.?,? ([0-9]{4})\b")
_AGE = re.compile(r"\s*([0-9]{1,4}|an?) (second|sec|minute|min|hour|hr|day|week|month|year)s?\.? ago\b", re.IGNORECASE)
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
"""What is shorter than a day is today, as far as anybody can tell."""
_CLOCK = re.compile(r"(?:([0-9]{1,3}):)?([0-9]{1,3}):([0-9]{2})")


def hit(
    engine: str,
    url: str | None,
    title: str | None,
    snippet: str | None = "",
    *,
    published: str | None = None,
    details: Details = _NOTHING,
) -> Hit | None:
    """The hit that a row describes; a row without an http(s) address is none, one without a title shows its address."""
    address = plain_address(url or "")
    if not address:
        return None
    return Hit(
        url=address,
        title=plain(title or "", max_chars=200) or plain(address, max_chars=200),
        snippet=plain(snippet or ""),
        engine=engine,
        published=published,
        details=details,
    )


def results_of(
    provider: Provider,
    rows: Sequence[Row],
    read: Callable[[Row], Hit | None],
    *,
    total: int | None = None,
    suggestions: Iterable[str] = (),
) -> Found:
    """What a reply's rows say: a hit for each that names an address; suggestions as lines, empty ones left out."""
    return Found(
        hits=tuple(result for row in rows if (result := read(row))),
        total=total,
        suggestions=tuple(filter(None, (plain(text, max_chars=200) for text in suggestions))),
        engines=(provider.name,) if rows else (),
    )


def first_address(*urls: str | None) -> str:
    """The first that is an http(s) address: services put names and numbers where an address is missing."""
    return next((url for url in urls if url and plain_address(url)), "")


def names(people: list[str]) -> tuple[str, ...]:
    """Authors in their order, as far as a reader cares."""
    lines = (plain(name, max_chars=100) for name in people[:_MAX_NAMES])
    return tuple(line for line in lines if line)


def day(text: str | None, today: date | None = None) -> str | None:
    """The ISO day that a text begins with: `2026-09-02T…`, `Sep 2, 2026`, `2 September 2026`.

    An age such as "3 days ago" is counted from the day of the query; where nobody names that, it gives no day.
    """
    text = text or ""
    try:
        if match := _AGE.match(text):
            return _before(today, match[1], match[2].lower())
        if match := _MONTH_FIRST.match(text):
            return _day(match[3], match[1], match[2])
        if match := _DAY_FIRST.match(text):
            return _day(match[3], match[2], match[1])
        return date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        return None


def _before(today: date | None, number: str, unit: str) -> str | None:
    days = _UNIT_DAYS.get(unit, 0) * (int(number) if number.isdigit() else 1)
    try:
        return (today - timedelta(days=days)).isoformat() if today else None
    except OverflowError:
        return None


def _day(year: str, month: str, of_month: str) -> str:
    name = month[:3].lower()
    return date(int(year), _MONTHS.index(name) + 1, int(of_month)).isoformat()


def day_of(seconds: float | None) -> str | None:
    """The UTC day of a Unix time; nothing for a time that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat() if seconds else None
    except (ValueError, OverflowError, OSError):
        return None


def seconds(clock: str | None) -> int | None:
    """The length of a film: `41:56`, `1:02:03`."""
    match = _CLOCK.fullmatch((clock or "").strip())
    return int(match[1] or 0) * 3600 + int(match[2]) * 60 + int(match[3]) if match else None


def size(width: int | None, height: int | None) -> str:
    """`1920x1080`, or nothing when a side is unknown."""
    return f"{width}x{height}" if width and height and min(width, height) > 0 else ""


def counted(count: int | None, noun: str) -> str:
    """`1 vote`, `2 votes`; what is not told is none."""
    return f"{count or 0} {noun}{'' if count == 1 else 's'}"


def number(text: str | None) -> int | None:
    """A count that came as text."""
    return int(text) if text and len(text) < 19 and text.isascii() and text.isdigit() else None


_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)(?![a-zA-Z0-9])([^<>]*)>")
"""A name is never cut short to try again: one without end would be gone through once for each of its letters."""
_ATTRIBUTE = re.compile(r'(?<![a-zA-Z-])([a-zA-Z-]+)="([^"]*)"')


class Tag(NamedTuple):
    """A tag of the page, and where it stands."""

    name: str
    is_end: bool
    attributes: Mapping[str, str]
    start: int
    end: int

    @property
    def classes(self) -> frozenset[str]:
        """The classes it has."""
        return frozenset(self.attributes.get("class", "").split())


def tags_of(text: str) -> list[Tag]:
    """Every tag in its order."""
    return [
        Tag(match[2].lower(), bool(match[1]), _attributes(match[3]), match.start(), match.end())
        for match in _TAG.finditer(text)
    ]


def inside(tags: Sequence[Tag], place: int, text: str) -> str:
    """What stands between a tag and the next of its name; nothing when there is none."""
    start, name = tags[place].end, tags[place].name
    return text[start : next((tags[at].start for at in range(place + 1, len(tags)) if tags[at].name == name), start)]


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): html.unescape(value) for name, value in _ATTRIBUTE.findall(text)}
