"""Circuit breaker arithmetic: when a failing service is left alone, and for how long."""

import math
from dataclasses import dataclass, replace

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
    TimedOut,
    TooLarge,
    Unreachable,
    UpstreamError,
)

IN_A_ROW = 5
WINDOW_S = 10.0
IN_WINDOW = 3
"""So many attempts within the window, all of them failed, are an outage too."""
PROBE_S = 30.0
"""How often somebody looks whether an outage is over."""
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
    told = replace(
        health,
        outcome=error.outcome,
        message=error.message[:_MAX_CHARS],
        hint=error.hint[:_MAX_CHARS],
        quiet_until=max(health.quiet_until, now + wait_s) if wait_s else health.quiet_until,
    )
    if wait_s and isinstance(error, Denied | QuotaExhausted | RateLimited):
        return replace(told, failed=0, times=(), is_out=False)
    failed, times = health.failed + 1, (*health.times, now)[-IN_WINDOW:]
    all_failed = len(times) == IN_WINDOW and now - times[0] <= WINDOW_S and not 0 <= now - health.ok_at <= WINDOW_S
    if not health.is_out and (failed >= IN_A_ROW or all_failed):
        told = replace(told, is_out=True, quiet_until=max(told.quiet_until, now + PROBE_S))
    return replace(told, failed=failed, times=times)


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
    """For how long the service is not to be asked; 0: it may be. A clock that was set back makes nobody wait."""
    left_s = health.quiet_until - now
    return left_s if 0 < left_s <= LONGEST_S else 0.0


def begin_probe(health: Health, *, now: float) -> Health:
    """What the others see while one of all callers looks whether an outage is over."""
    return replace(health, quiet_until=now + PROBE_S)


def told(health: Health, title: str, *, now: float) -> GossamerError:
    """Why the service is not asked now, as the failure that it is."""
    left_s = quiet_s(health, now=now)
    why = f"failed {health.failed} times in a row and" if health.is_out else "cannot be used now and"
    said = f"{title} {why} is left alone for {math.ceil(left_s)} s more; it last said: {health.message}"
    if health.outcome is Outcome.RATE_LIMITED:
        limited = RateLimited(title, retry_after_s=left_s)
        return limited.but(message=said) if health.is_out else limited
    return _KINDS.get(health.outcome, BrokenReply)(said, hint=health.hint, retry_after_s=left_s)


def _wait_s(error: GossamerError) -> float:
    """For how long an error alone keeps us away."""
    named_s = max(0.0, error.retry_after_s or 0.0)
    if isinstance(error, QuotaExhausted):
        return named_s or QUOTA_S
    return DENIED_S if isinstance(error, Denied) else named_s
