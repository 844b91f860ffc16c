"""How long a page may be used without asking its site again."""

from collections.abc import Mapping
from dataclasses import dataclass

DAY_S = 86_400.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Freshness:
    """Whether the page may be kept at all, and until when it needs no second look."""

    may_keep: bool
    until: float


def freshness(headers: Mapping[str, str], *, now: float) -> Freshness:
    """A day, or less where the server says so; `no-store` is never kept."""
    rules = [rule.strip().lower() for rule in headers.get("cache-control", "").split(",")]
    if "no-store" in rules:
        return Freshness(may_keep=False, until=now)
    if "no-cache" in rules:
        return Freshness(may_keep=True, until=now)
    ages = [rule.partition("=")[2].strip('"') for rule in rules if rule.startswith("max-age=")]
    seconds = [min(float(age), DAY_S) for age in ages if age.isascii() and age.isdigit() and len(age) < 12]
    return Freshness(may_keep=True, until=now + (seconds[0] if seconds else DAY_S))
