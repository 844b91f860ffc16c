"""How long a page may be used without asking its site again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

DAY_S = 86_400.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Freshness:
    """Whether the page may be kept at all, and until when it needs no second look."""

    may_keep: bool
    until: float


def freshness(headers: Mapping[str, str], *, now: float) -> Freshness:
    """A day, or less where the server says so by `max-age` or else by `Expires`; `no-store` is never kept."""
    rules = [rule.strip().lower() for rule in headers.get("cache-control", "").split(",")]
    if "no-store" in rules:
        return Freshness(may_keep=False, until=now)
    if "no-cache" in rules:
        return Freshness(may_keep=True, until=now)
    ages = [rule.partition("=")[2].strip('"') for rule in rules if rule.startswith("max-age=")]
    seconds = [float(age) for age in ages if age.isascii() and age.isdigit() and len(age) < 12]
    if not seconds and "expires" in headers:
        seconds = [_time(headers["expires"]) - now]
    allowed = seconds[0] if seconds else DAY_S
    return Freshness(may_keep=True, until=now + max(0.0, min(allowed, DAY_S)))


def _time(date: str) -> float:
    """UTC seconds of an HTTP date; `0` and other nonsense mean long ago, as RFC 9111 asks."""
    try:
        when = parsedate_to_datetime(date)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
