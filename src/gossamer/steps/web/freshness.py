"""Freshness: how long a page is used without asking its site, and which views its bytes serve meanwhile.

A page in text is asked for as Markdown, and at a better address where one is known; HTML is not, and a selector wants
the page itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Literal

from gossamer.errors import Outcome
from gossamer.model.page import Page, View

Kind = Literal["text", "html", "part"]
_ALL: tuple[Kind, ...] = ("text", "html", "part")
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
DAY_S = 86_400.0
STALE_S = 30 * DAY_S
_PASSING = frozenset({Outcome.TIMEOUT, Outcome.UNREACHABLE, Outcome.RATE_LIMITED, Outcome.ERROR})
"""`error` is a site that breaks off or answers nonsense; what a page holds is judged elsewhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Freshness:
    """Whether the page may be kept at all, and until when it needs no second look."""

    may_keep: bool
    until: float


def freshness(headers: Mapping[str, str], *, now: float, silent_s: float = DAY_S) -> Freshness:
    """A day, or less where the server says so; `no-store` is never kept, `no-cache` and `Vary: *` are asked each time.

    What is said to readers (`max-age`) counts before what is said to shared caches (`s-maxage`), which we may be too,
    and before a date; what the page has aged on its way is taken off. `silent_s` holds where nothing is said.
    """
    rules = [rule.strip().lower() for rule in headers.get("cache-control", "").split(",")]
    if "no-store" in rules:
        return Freshness(may_keep=False, until=now)
    if "no-cache" in rules or "*" in headers.get("vary", ""):
        return Freshness(may_keep=True, until=now)
    allowed = _said(rules, "max-age")
    allowed = _said(rules, "s-maxage") if allowed is None else allowed
    if allowed is None and "expires" in headers:
        allowed = (_time(headers["expires"]) or 0.0) - (_time(headers.get("date", "")) or now)
    if allowed is None:
        allowed = silent_s
    else:
        allowed -= _number(headers.get("age", "")) or 0.0
    return Freshness(may_keep=True, until=now + max(0.0, min(allowed, DAY_S)))


def stands_in(page: Page, outcome: Outcome, *, now: float) -> bool:
    """Whether a kept page may be shown in place of a failure: one that passes, and a copy of at most thirty days.

    What the site said for certain (gone, denied, forbidden by robots.txt) is never covered up.
    """
    return outcome in _PASSING and now - page.fetched_at <= STALE_S


def age_of(fetched_at: float, *, now: float) -> int:
    """How old a copy is, in whole seconds, by the time of the fetch that the caller knows of."""
    return max(0, int(now - fetched_at))


def age_in_words(seconds: float) -> str:
    """An age as people say it, in one unit."""
    for size, unit in ((DAY_S, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} seconds"


def _said(rules: Sequence[str], name: str) -> float | None:
    """The first readable number that a directive is given."""
    numbers = (_number(rule.partition("=")[2].strip('"')) for rule in rules if rule.startswith(f"{name}="))
    return next((number for number in numbers if number is not None), None)


def _number(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


def _time(date: str) -> float | None:
    """UTC seconds of an HTTP date; None for `0` and other nonsense, which as an expiry means long ago (RFC 9111)."""
    try:
        when = parsedate_to_datetime(date)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def kind_of(view: View) -> Kind:
    """How a page is asked for, so that it can be read in this view."""
    if view.selector:
        return "part"
    return "html" if view.format == "html" else "text"


def kinds_served(
    asked: Kind, headers: Mapping[str, str], *, is_elsewhere: bool, leads_elsewhere: bool
) -> tuple[Kind, ...]:
    """The kinds of views that a reply serves which was asked for in one of them.

    `is_elsewhere`: it came from another address than the page's own, which a selector never wants. `leads_elsewhere`:
    all others would rather be read there.
    """
    kinds = _ALL
    if is_elsewhere:
        kinds = ("text", "html")
    elif asked == "part" and leads_elsewhere:
        kinds = ("part",)
    if asked == "text" and headers.get("content-type", "").partition(";")[0].strip().lower() in _MARKDOWN:
        return ("text",)
    if "accept" in {name.strip().lower() for name in headers.get("vary", "").split(",")}:
        return tuple(kind for kind in kinds if (kind == "text") == (asked == "text"))
    return kinds


def is_worth_keeping(headers: Mapping[str, str], fresh: Freshness, *, now: float) -> bool:
    """Whether the bytes of a reply may serve again: while they are fresh, or once their site confirms them."""
    return fresh.may_keep and (fresh.until > now or "etag" in headers or "last-modified" in headers)
