"""Failures that are remembered for a moment, so that a dead page is not asked for over and over."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass

from gossamer.errors import GossamerError, NotFound, Outcome, StoreError, TimedOut, Unreachable
from gossamer.ports import Clock, State

_KINDS: dict[Outcome, tuple[type[GossamerError], float]] = {
    Outcome.NOT_FOUND: (NotFound, 60.0),
    Outcome.UNREACHABLE: (Unreachable, 30.0),
    Outcome.TIMEOUT: (TimedOut, 30.0),
}
"""What is remembered, and for how many seconds; what we refuse ourselves costs nobody anything."""
_LONGEST_S = 60.0


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

    def error(self, now: float) -> GossamerError:
        """The failure as it is told again: that it is remembered, and how to ask all the same."""
        kind, _ = _KINDS[self.outcome]
        age_s = min(max(0.0, now - self.at), self.kept_s)
        return kind(
            f"{self.message} This is remembered from {age_s:.0f} s ago.",
            hint=f"{self.hint} force_refresh asks again at once.".strip(),
            retry_after_s=self.kept_s - age_s if kind.retryable else None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Misses:
    """Remembers failures by address in the state, for all that share it; without the state nothing is remembered."""

    state: State
    clock: Clock

    async def recall(self, url: str) -> Miss | None:
        """The failure that this address ended in a moment ago."""
        with suppress(StoreError, ValueError, LookupError, TypeError):
            written = await self.state.get(_key(url))
            if written is None:
                return None
            said = json.loads(written)
            miss = Miss(
                written=written,
                outcome=Outcome(said["outcome"]),
                message=str(said["message"]),
                hint=str(said["hint"]),
                at=float(said["at"]),
                kept_s=float(said["kept_s"]),
            )
            # A clock that was set back must not make a moment last for hours.
            return miss if miss.outcome in _KINDS and 0 <= self.clock.now() - miss.at < miss.kept_s else None
        return None

    async def remember(self, url: str, error: GossamerError) -> None:
        """Remember a failure that may be told again; a site that names a shorter time is asked again after it."""
        if error.outcome not in _KINDS:
            return
        _, kept_s = _KINDS[error.outcome]
        if error.retry_after_s is not None:
            kept_s = min(error.retry_after_s, _LONGEST_S)
        said = {
            "outcome": error.outcome.value,
            "message": error.message,
            "hint": error.hint,
            "at": self.clock.now(),
            "kept_s": kept_s,
        }
        with suppress(StoreError):
            await self.state.put(_key(url), json.dumps(said), ttl_s=kept_s)

    async def forget(self, url: str, miss: Miss) -> None:
        """Drop a failure that no longer holds, unless it has been replaced by a newer one."""
        with suppress(StoreError):
            await self.state.swap(_key(url), miss.written, None, ttl_s=0.0)


def _key(url: str) -> str:
    return f"miss:{hashlib.sha256(url.encode('utf-8', 'surrogatepass')).hexdigest()}"
