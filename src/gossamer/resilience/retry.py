"""Retry policy: whether a failed service is asked once more, and after which pause."""

from dataclasses import dataclass

from gossamer.errors import BrokenReply, GossamerError, RateLimited, Unreachable

_LATE = 504
_FIRST_S = 0.2
_LIMITED_S = 1.0
"""After a limit that names no time: most of them count seconds."""
_SHARE = 0.5
"""Of the time that is left: a pause that takes more leaves too little for the answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """How patient a caller is with each service, as its contract says."""

    most: int = 1
    """How often a service is asked again after an error on its side or in the network."""
    when_limited: bool = False
    """Whether it is also asked again after it asked us to slow down."""
    when_late: bool = False
    """Whether it is also asked again after it said itself that it was late (504)."""


def pause_s(
    retries: RetryPolicy, error: GossamerError, *, tried: int, from_network: bool, left_s: float, chance: float
) -> float | None:
    """Seconds to wait before asking again; None: do not.

    A server error or a broken connection may pass; a refusal, an unreadable reply and lost time do not. `tried`
    counts the attempts made, `chance` (0 to 1) spreads those who failed together.
    """
    is_limit = isinstance(error, RateLimited)
    is_late = error.status == _LATE and retries.when_late
    may_pass = isinstance(error, Unreachable) or (isinstance(error, BrokenReply) and from_network) or is_late
    if tried > retries.most or not (may_pass or (is_limit and retries.when_limited)):
        return None
    first_s = _LIMITED_S if is_limit and error.retry_after_s is None else _FIRST_S
    wait_s = (error.retry_after_s or 0.0) + (0.5 + chance / 2) * first_s * 2 ** (tried - 1)
    return wait_s if wait_s <= _SHARE * left_s else None
