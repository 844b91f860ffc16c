"""Circuit breaker: when a service that fails, limits us (429) or has no quota left is left alone, and for how long.

It is kept in the state, so that all processes share it.
"""

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from gossamer.errors import (
    BlockPage,
    BrokenReply,
    Captcha,
    ContentError,
    Denied,
    GossamerError,
    NotFound,
    Outcome,
    QuotaExhausted,
    RateLimited,
    StoreError,
    TimedOut,
    TooLarge,
    Unreachable,
    UpstreamError,
)
from gossamer.ports import Clock, State

IN_A_ROW = 5
WINDOW_S = 10.0
IN_WINDOW = 3
"""So many attempts within the window, all of them failed, are an outage too."""
PROBE_S = 30.0
"""How often one caller probes whether an outage is over."""
QUOTA_S = 3600.0
DENIED_S = 60.0
LONGEST_S = 86_400.0
_MAX_CHARS = 300

_OF_ONE_QUERY = frozenset({"refusal", "no_search", "no_text", "incomplete"})
"""Reasons that a model has with a query, and not with us."""

_KINDS: dict[Outcome, type[GossamerError]] = {
    Outcome.TIMEOUT: TimedOut,
    Outcome.UNREACHABLE: Unreachable,
    Outcome.NOT_FOUND: NotFound,
    Outcome.CAPTCHA: Captcha,
    Outcome.BLOCKED: BlockPage,
    Outcome.DENIED: Denied,
    Outcome.QUOTA: QuotaExhausted,
    Outcome.TOO_LARGE: TooLarge,
}
_SWAPS = 5
"""How often a change is tried against others who change the same record; lost, it only opens a little later."""
_PATIENCE_S = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Health:
    """What is remembered of a service; all times are UTC seconds."""

    failed: int = 0
    """Failed attempts since the last good one."""
    times: tuple[float, ...] = ()
    """When the last of them ended, as many as the window needs."""
    ok_at: float = 0.0
    """When it was last seen to answer, as far as we know."""
    is_out: bool = False
    """It is asked by probes alone until one of them is answered."""
    quiet_until: float = 0.0
    outcome: Outcome = Outcome.OK
    """How the last failed attempt ended."""
    message: str = ""
    hint: str = ""


_HEALTH = TypeAdapter(Health)


@dataclass(frozen=True, kw_only=True, slots=True)
class CircuitBreakers:
    """What is remembered of services by their key; without the state nothing is, and everybody is asked.

    A service that never failed has no record, so that a good answer writes nothing; when it last answered is then
    known to this process alone.
    """

    state: State
    clock: Clock
    _ok_at: dict[str, float] = field(init=False, default_factory=dict[str, float])

    async def admit(self, key: str, title: str) -> bool:
        """Raise when the service is to be left alone; after an outage one caller in a while is let through.

        Tell whether this is that one, who looks whether the outage is over.
        """
        with suppress(StoreError):
            written, health = await self._recall(key)
            now = self.clock.now()
            if quiet_s(health, now=now):
                raise left_alone(health, title, now=now)
            if health.is_out:
                probing = begin_probe(health, now=now)
                if not await self._swap(key, written, probing):
                    raise left_alone(probing, title, now=now)
                return True
        return False

    async def look(self, key: str) -> Health:
        """What is known of a service, without asking it."""
        with suppress(StoreError):
            return (await self._recall(key))[1]
        return Health()

    async def failed(self, key: str, error: GossamerError, *, longest_s: float = LONGEST_S) -> None:
        """Remember a failed attempt; it keeps us away for so long at most."""
        if is_its_fault(error):
            now = self.clock.now()
            await self._change(
                key, lambda known: after_failure(self._seen(key, known), error, now=now, longest_s=longest_s)
            )

    async def succeeded(self, key: str, *, rest_s: float = 0.0) -> None:
        """Forget what was held against it; one that asks for a rest with its answer gets it."""
        now = self._ok_at[key] = self.clock.now()
        await self._change(
            key,
            lambda known: (
                after_answer(known, now=now, rest_s=rest_s) if rest_s or known != Health(ok_at=known.ok_at) else known
            ),
        )

    def _seen(self, key: str, health: Health) -> Health:
        return replace(health, ok_at=max(health.ok_at, self._ok_at.get(key, 0.0)))

    async def _change(self, key: str, change: Callable[[Health], Health]) -> None:
        """Compare and swap until no change of another process is lost; no answer waits long for it."""
        with suppress(StoreError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                for _ in range(_SWAPS):
                    written, before = await self._recall(key)
                    after = change(before)
                    if after == before or await self._swap(key, written, after):
                        break

    async def _recall(self, key: str) -> tuple[str | None, Health]:
        written = await self.state.get(_name(key))
        if written is not None:
            with suppress(ValidationError):
                return written, _HEALTH.validate_json(written)
        return written, Health()

    async def _swap(self, key: str, written: str | None, health: Health) -> bool:
        ttl_s = LONGEST_S if health.failed or health.quiet_until else WINDOW_S
        return await self.state.swap(_name(key), written, _HEALTH.dump_json(health).decode(), ttl_s=ttl_s)


def is_its_fault(error: GossamerError) -> bool:
    """Whether a failure says something of the service.

    A bad query, a full store or our own queue do not; nor does what a model makes of one query.
    """
    return isinstance(error, UpstreamError | ContentError) and error.context.get("reason") not in _OF_ONE_QUERY


def after_failure(health: Health, error: GossamerError, *, now: float, longest_s: float = LONGEST_S) -> Health:
    """What is known after one more failed attempt.

    A service that names a time is left alone until then, one whose quota is spent for an hour, one that turned our
    key away for a minute: those answer, and are no outage. None keeps us away for longer than `longest_s`.
    """
    wait_s = min(_wait_s(error), longest_s)
    noted = replace(
        health,
        outcome=error.outcome,
        message=error.message[:_MAX_CHARS],
        hint=error.hint[:_MAX_CHARS],
        quiet_until=max(health.quiet_until, now + wait_s) if wait_s else health.quiet_until,
    )
    if wait_s and isinstance(error, Denied | QuotaExhausted | RateLimited):
        return replace(noted, failed=0, times=(), is_out=False)
    failed, times = health.failed + 1, (*health.times, now)[-IN_WINDOW:]
    all_failed = len(times) == IN_WINDOW and now - times[0] <= WINDOW_S and not 0 <= now - health.ok_at <= WINDOW_S
    if not health.is_out and (failed >= IN_A_ROW or all_failed):
        noted = replace(noted, is_out=True, quiet_until=max(noted.quiet_until, now + PROBE_S))
    return replace(noted, failed=failed, times=times)


def after_answer(health: Health, *, now: float, rest_s: float = 0.0) -> Health:
    """What is known after a good answer: nothing but its time, and for how long it asked to be left alone.

    An answer that was under way at the same time ends no rest that another one asked for.
    """
    until = now + min(rest_s, LONGEST_S)
    is_limited = health.outcome is Outcome.RATE_LIMITED and not health.is_out
    if is_limited and quiet_s(health, now=now) and health.quiet_until >= until:
        return replace(health, failed=0, times=(), ok_at=now)
    return Health(ok_at=now, quiet_until=until, outcome=Outcome.RATE_LIMITED) if rest_s else Health(ok_at=now)


def quiet_s(health: Health, *, now: float) -> float:
    """For how long the service is not to be asked; 0: it may be. A clock that was set back ends the wait."""
    left_s = health.quiet_until - now
    return left_s if 0 < left_s <= LONGEST_S else 0.0


def begin_probe(health: Health, *, now: float) -> Health:
    """What the others see while one of all callers looks whether an outage is over."""
    return replace(health, quiet_until=now + PROBE_S)


def left_alone(health: Health, title: str, *, now: float) -> GossamerError:
    """Why the service is not asked now, as the failure that it is."""
    left_s = quiet_s(health, now=now)
    why = f"failed {health.failed} times in a row and" if health.is_out else "cannot be used now and"
    message = f"{title} {why} is left alone for {math.ceil(left_s)} s more; it last said: {health.message}"
    if health.outcome is Outcome.RATE_LIMITED:
        limited = RateLimited(title, retry_after_s=left_s)
        return limited.but(message=message) if health.is_out else limited
    return _KINDS.get(health.outcome, BrokenReply)(message, hint=health.hint, retry_after_s=left_s)


def _wait_s(error: GossamerError) -> float:
    """For how long an error alone keeps us away."""
    named_s = max(0.0, error.retry_after_s or 0.0)
    if isinstance(error, QuotaExhausted):
        return named_s or QUOTA_S
    return DENIED_S if isinstance(error, Denied) else named_s


def _name(key: str) -> str:
    return f"health:{key}"
