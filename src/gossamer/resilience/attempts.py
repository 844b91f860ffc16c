"""Retry policy of the model tools: exactly the attempts and pauses that their specifications name."""

from dataclasses import dataclass

from gossamer.errors import BrokenReply, GossamerError, RateLimited, TimedOut, Unreachable


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempts:
    """How often a service is asked, after which failures, with which pauses."""

    most: int
    """All attempts together."""
    statuses: frozenset[int]
    """Server errors after which it is asked again; a 429 always is one of them."""
    after_faults: bool
    """Whether it is also asked again when the network failed before there was a reply."""
    first_s: float
    """The first pause; every further one is twice as long."""
    spread: float = 0.0
    """The share of a pause that chance may take away."""


def rest_s(
    rule: Attempts, error: GossamerError, *, tried: int, status: int | None, left_s: float, chance: float
) -> float | None:
    """Seconds to wait before asking again; None: do not.

    `status` is that of the reply, None where none came. A reply with status 200 that tells of a failure counts as
    what it tells. The service's own word on when to come back is obeyed, unless it is beyond the time left.
    """
    if tried >= rule.most or not _may_pass(rule, error, status):
        return None
    wait_s = rule.first_s * 2 ** (tried - 1) * (1 - rule.spread * chance)
    if error.retry_after_s is not None:
        wait_s = max(error.retry_after_s, wait_s if rule.spread else 0.0)
    return wait_s if wait_s < left_s else None


def _may_pass(rule: Attempts, error: GossamerError, status: int | None) -> bool:
    if isinstance(error, RateLimited):
        return True
    if status is None:
        return rule.after_faults and isinstance(error, Unreachable | BrokenReply | TimedOut)
    has_failed = status in rule.statuses or (status == 200 and error.context.get("reason") == "failed")
    return has_failed and isinstance(error, Unreachable | TimedOut)
