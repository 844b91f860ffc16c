"""Negative cache: recent failures per URL, and a cap on forced refreshes."""

import hashlib
import json
import math
from contextlib import suppress
from dataclasses import dataclass

from gossamer.errors import Busy, GossamerError, NotFound, Outcome, RateLimited, StoreError, TimedOut, Unreachable
from gossamer.model.http import FetchPolicy
from gossamer.ports import Clock, State

_KINDS: dict[Outcome, tuple[type[GossamerError], float]] = {
    Outcome.NOT_FOUND: (NotFound, 60.0),
    Outcome.UNREACHABLE: (Unreachable, 30.0),
    Outcome.TIMEOUT: (TimedOut, 30.0),
}
"""What is remembered, and for how many seconds; what we refuse ourselves costs nobody anything."""
_LONGEST_S = 60.0
_QUOTE_CHARS = 400
"""Of what the other side said: as much as is ever shown."""
_PAUSE_S = 5.0
"""No site is asked again within it by those who insist."""
_MOST_FORCED = 4
"""Forced visits to one address within the pause, whatever came of them: a page that may not be kept, or a refusal
that is not remembered, would be asked for without end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """One remembered failure."""

    written: str
    """As it lies in the state."""
    outcome: Outcome
    message: str
    hint: str
    at: float
    """UTC seconds."""
    kept_s: float
    is_forced: bool
    """Whether it came of a forced refresh."""
    status: int | None
    quote: str
    """What the other side said of it."""

    def is_new(self, now: float) -> bool:
        """Whether a forced refresh found it so short a time ago that another one gets the same failure."""
        return self.is_forced and now - self.at < _PAUSE_S

    def error(self, now: float) -> GossamerError:
        """The failure as later callers get it: that it is remembered, and how to ask all the same."""
        age_s = min(max(0.0, now - self.at), self.kept_s)
        when = f"in {math.ceil(_PAUSE_S - age_s)} s" if self.is_new(now) else "at once"
        error = self.news()
        return error.but(
            message=f"{error.message} This is remembered from {age_s:.0f} s ago.",
            hint=f"{error.hint} force_refresh asks again {when}.".strip(),
            retry_after_s=self.kept_s - age_s if error.retryable else None,
        )

    def news(self) -> GossamerError:
        """The failure as those get it who waited while it happened."""
        kind, _ = _KINDS[self.outcome]
        error = kind(self.message, hint=self.hint, retry_after_s=self.kept_s if kind.retryable else None)
        return error.but(status=self.status, quote=self.quote)


@dataclass(frozen=True, kw_only=True, slots=True)
class NegativeCache:
    """Remembers failures in the state, for all processes that share it; without the state nothing is remembered.

    What a site told one identity says nothing to another, nor does what it did not tell within another time. What one
    user met is not told to another (`Call.tenant`).
    """

    state: State
    clock: Clock

    async def recall(self, url: str, policy: FetchPolicy, *, tenant: str = "") -> Miss | None:
        """The failure that this address ended in a moment ago, asked by this user with this policy."""
        with suppress(StoreError, ValueError, LookupError, TypeError):
            written = await self.state.get(_key(url, policy, tenant))
            if written is None:
                return None
            record = json.loads(written)
            if record["outcome"] == Outcome.TIMEOUT and record["timeout_s"] != policy.timeout_s:
                return None
            miss = Miss(
                written=written,
                outcome=Outcome(record["outcome"]),
                message=str(record["message"]),
                hint=str(record["hint"]),
                at=float(record["at"]),
                kept_s=float(record["kept_s"]),
                is_forced=record.get("is_forced") is True,
                status=status if isinstance(status := record.get("status"), int) else None,
                quote=str(record.get("quote", ""))[:_QUOTE_CHARS],
            )
            # A clock that was set back must not make a moment last for hours.
            return miss if miss.outcome in _KINDS and 0 <= self.clock.now() - miss.at < miss.kept_s else None
        return None

    async def remember(
        self, url: str, policy: FetchPolicy, error: GossamerError, *, is_forced: bool = False, tenant: str = ""
    ) -> None:
        """Remember a failure that may pass; a site that names a shorter time is asked again after it.

        That we were busy ourselves is nothing to remember of a site.
        """
        if error.outcome not in _KINDS or isinstance(error, Busy):
            return
        _, kept_s = _KINDS[error.outcome]
        if error.retry_after_s is not None:
            kept_s = min(error.retry_after_s, _LONGEST_S)
        record = {
            "outcome": error.outcome.value,
            "message": error.message,
            "hint": error.hint,
            "at": self.clock.now(),
            "kept_s": kept_s,
            "is_forced": is_forced,
            "status": error.status,
            "quote": error.quote[:_QUOTE_CHARS],
            "timeout_s": policy.timeout_s,
        }
        with suppress(StoreError):
            await self.state.put(_key(url, policy, tenant), json.dumps(record), ttl_s=kept_s)

    async def insist(self, url: str, *, tenant: str = "") -> None:
        """Count a user's forced visit; raise when there were so many that the site is left alone for a moment."""
        with suppress(StoreError):
            key = f"forced:{_hash(f'{url}|{tenant}')}"
            window = await self.state.window(key, cap=_MOST_FORCED, window_s=_PAUSE_S)
            if not window.is_within:
                wait_s = math.ceil(window.rest_s)
                raise RateLimited("This page", retry_after_s=wait_s).but(
                    message="Too many forced refreshes of this page:",
                    hint=f"try again in {wait_s} s, or leave `force_refresh` out to read the kept copy.",
                )

    async def forget(self, url: str, policy: FetchPolicy, miss: Miss, *, tenant: str = "") -> None:
        """Drop a failure that no longer holds, unless it has been replaced by a newer one."""
        with suppress(StoreError):
            await self.state.swap(_key(url, policy, tenant), miss.written, None, ttl_s=0.0)


def _key(url: str, policy: FetchPolicy, tenant: str) -> str:
    return f"miss:{_hash(f'{url}|{policy.identity}|{tenant}')}"


def _hash(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
