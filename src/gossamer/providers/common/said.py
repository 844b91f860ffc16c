"""What services say of a result, in the forms that a `Hit` has."""

import re
from datetime import UTC, date, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_FIRST = re.compile(r"\s*([A-Za-z]{3,9})\.? ([0-9]{1,2}), ([0-9]{4})\b")
_DAY_FIRST = re.compile(r"\s*([0-9]{1,2}) ([A-Za-z]{3,9})\.?,? ([0-9]{4})\b")
_CLOCK = re.compile(r"(?:([0-9]{1,3}):)?([0-9]{1,3}):([0-9]{2})")


def day(text: str | None) -> str | None:
    """The ISO day that a text begins with: `2026-09-02T…`, `Sep 2, 2026`, `2 September 2026`.

    An age such as "3 days ago" counts from a moment nobody named, so it gives no day.
    """
    said = text or ""
    try:
        if match := _MONTH_FIRST.match(said):
            return _day(match[3], match[1], match[2])
        if match := _DAY_FIRST.match(said):
            return _day(match[3], match[2], match[1])
        return date.fromisoformat(said.strip()[:10]).isoformat()
    except ValueError:
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


def number(text: str | None) -> int | None:
    """A count that came as text."""
    return int(text) if text and len(text) < 19 and text.isascii() and text.isdigit() else None
