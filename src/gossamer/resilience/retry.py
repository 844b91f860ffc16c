"""Retry policy: whether a failed service is asked once more, and after which pause.

A few lines of our own: whether to ask again is decided by an error or a reply, by what `Retry-After` says and by the
time that is left, none of which a library that repeats after exceptions knows.
"""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from gossamer.errors import BrokenReply, GossamerError, RateLimited, TimedOut, Unreachable
from gossamer.model.http import HttpReply
from gossamer.ports import Call, Clock, retry_after
from gossamer.resilience.deadline import PAUSE

_LATE = 504

T = TypeVar("T")


@dataclass(kw_only=True, slots=True)
class Trial:
    """One of the attempts at something."""

    number: int
    """1 for the first."""
    status: int | None = None
    """That of the reply, once there is one."""


async def retried(work: Callable[[Trial], Awaitable[T]], pause: Callable[[GossamerError, Trial], Awaitable[bool]]) -> T:
    """Do the work until it succeeds, or until `pause`, which waits before the next attempt, says that there is none."""
    number = 0
    while True:
        trial = Trial(number=(number := number + 1))
        try:
            return await work(trial)
        except GossamerError as error:
            if not await pause(error, trial):
                raise


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """How often a service is asked again, after which failures, with which pauses."""

    most: int = 1
    """How often it is asked again after an error on its side or in the network."""
    when_limited: bool = False
    """Whether it is also asked again after it asked us to slow down."""
    when_late: bool = False
    """Whether it is also asked again after it said itself that it was late (504)."""
    statuses: frozenset[int] | None = None
    """The statuses after which it is asked again, where a specification lists them; None: the error decides."""
    after_faults: bool = True
    """Whether it is also asked again when the network failed before there was a reply."""
    first_s: float = 0.2
    """The first pause."""
    limited_s: float | None = 1.0
    """The first pause after a limit that names no time, most of which count seconds; None: as after any failure."""
    factor: float = 2.0
    """How many times as long as the last one every further pause is."""
    jitter: float = 0.5
    """The share of a pause that chance may take away, to spread those who failed together."""
    named: Literal["added", "at least", "exactly"] = "added"
    """How the time that a service names meets our own pause: before it, in its place where longer, or in its place."""
    longest_named_s: float = math.inf
    """A service that names a longer time is left alone."""
    share: float = PAUSE
    """Of the time that is left: the longest pause."""

    async def run(
        self,
        work: Callable[[Trial], Awaitable[T]],
        call: Call,
        *,
        on_retry: Callable[[GossamerError], Awaitable[None]] | None = None,
    ) -> T:
        """Do the work, again where that may help; `on_retry` hears of a failure before the pause that follows it."""

        async def pause(error: GossamerError, trial: Trial) -> bool:
            wait_s = self.pause_s(error, tried=trial.number, status=trial.status, left_s=call.remaining_s)
            if wait_s is None:
                return False
            if on_retry:
                await on_retry(error)
            await asyncio.sleep(wait_s)
            return True

        return await retried(work, pause)

    def pause_s(
        self, error: GossamerError, *, tried: int, status: int | None, left_s: float, chance: float | None = None
    ) -> float | None:
        """Seconds to wait before asking again; None: do not.

        `tried` counts the attempts made, `status` is that of the reply, None where none came. A reply with status 200
        that tells of a failure counts as what it tells.
        """
        if not self._may_pass(error, status):
            return None
        is_limit = isinstance(error, RateLimited) and error.retry_after_s is None
        first_s = self.limited_s if is_limit and self.limited_s is not None else self.first_s
        return self.wait_s(tried=tried, named_s=error.retry_after_s, left_s=left_s, first_s=first_s, chance=chance)

    def wait_s(
        self, *, tried: int, named_s: float | None, left_s: float, first_s: float, chance: float | None = None
    ) -> float | None:
        """The pause before one more attempt at what may pass; None where there is to be none."""
        if tried > self.most or (named_s or 0.0) > self.longest_named_s:
            return None
        chance = random.random() if chance is None else chance  # noqa: S311  spreads requests, hides nothing
        own_s = first_s * self.factor ** (tried - 1) * (1 - self.jitter * chance)
        if named_s is None:
            wait_s = own_s
        elif self.named == "exactly":
            wait_s = named_s
        else:
            wait_s = named_s + own_s if self.named == "added" else max(named_s, own_s)
        return wait_s if wait_s <= self.share * left_s and wait_s < left_s else None

    def _may_pass(self, error: GossamerError, status: int | None) -> bool:
        """A server error or a broken connection may pass; a refusal, an unreadable reply and lost time do not."""
        if isinstance(error, RateLimited):
            return self.when_limited
        if self.statuses is None:
            is_late = status == _LATE and self.when_late
            return isinstance(error, Unreachable) or (isinstance(error, BrokenReply) and status is None) or is_late
        if status is None:
            return self.after_faults and isinstance(error, Unreachable | BrokenReply | TimedOut)
        has_failed = status in self.statuses or (status == 200 and error.context.get("reason") == "failed")
        return has_failed and isinstance(error, Unreachable | TimedOut)


PAGES = RetryPolicy(most=2, longest_named_s=5.0)
"""Of page requests: a site that wants to be left alone for longer than a few seconds is."""
LIMITED_PAGES = RetryPolicy(
    when_limited=True,
    statuses=frozenset(),
    after_faults=False,
    first_s=1.0,
    limited_s=None,
    factor=3.0,
    jitter=0.0,
    named="exactly",
    share=1.0,
)
"""Of pages whose site limits us, where a contract asks again: after one second and three, or when the site says."""


class Dropped(BrokenReply):
    """The connection ended before a reply had begun, so that nothing was said yet."""


class RetryBudget:
    """How often one page may still be asked for; one budget for all its redirects.

    A loop of its own: a server error is a reply here, which is handed back when no attempt is left.
    """

    def __init__(self, *, clock: Clock, pause_s: float, limit_s: float) -> None:
        self._clock = clock
        self._pause_s = pause_s
        self._until = asyncio.get_running_loop().time() + limit_s
        self._retried = 0

    async def ask(self, work: Callable[[], Awaitable[HttpReply]]) -> HttpReply:
        """Ask; a server error or a dropped connection is asked again, everything else is an answer."""
        while True:
            try:
                reply = await work()
            except Dropped:
                pause_s = self._next_s(None)
                if pause_s is None:
                    raise
            else:
                pause_s = self._next_s(retry_after(reply, now=self._clock.now())) if reply.status >= 500 else None
                if pause_s is None:
                    return reply
            await asyncio.sleep(pause_s)

    def _next_s(self, named_s: float | None) -> float | None:
        """The pause before the next attempt, None when there is to be none."""
        left_s = self._until - asyncio.get_running_loop().time()
        pause_s = PAGES.wait_s(tried=self._retried + 1, named_s=named_s, left_s=left_s, first_s=self._pause_s)
        self._retried += pause_s is not None
        return pause_s
