"""Pacing: when the next request may start. First come, first served.

`next_start` is the sliding window that every pace per span is made of. `Queues` keeps the pace of each key for all that
share a state; `gossamer.net.pace` keeps that of each site. How many run at once is a semaphore's business.
"""

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext

from gossamer.errors import Busy, StoreError
from gossamer.model.http import NetworkSlots
from gossamer.ports import Call, Clock, State

_SWAPS = 5
_LONGEST_S = 60.0
"""A start that lies further ahead was written by a clock that has been set back since."""
_MINUTE_S = 60.0


def next_start(
    starts: Iterable[float], *, most: int, span_s: float, now: float, ahead_s: float = math.inf
) -> tuple[float, list[float]]:
    """When the next may start so that no span holds more than `most`, and all starts that count from then on.

    Starts that lie further ahead than `ahead_s` do not count.
    """
    recent = sorted(start for start in starts if now - span_s < start <= now + ahead_s)[-most:]
    start = max(now, recent[0] + span_s) if len(recent) >= most else now
    return start, [*recent, start]


class _Line:
    def __init__(self) -> None:
        self.head = asyncio.Lock()
        self.waiting = 0
        self.next_at = 0.0
        self.starts: list[float] = []
        """Those of the last minute and those reserved, where the state is away."""


class Queues:
    """Keeps the pace of each key for all that share the state; without it, within this process.

    Who waits stands in its process's line, and only the head of each line reserves a start in the state: nobody who
    gave up leaves more than one gap behind.
    """

    def __init__(
        self, state: State, clock: Clock, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._state = state
        self._clock = clock
        self._sleep = sleep
        self._lines: dict[str, _Line] = {}

    async def turn(self, key: str, title: str, per_second: float, call: Call) -> None:
        """Wait for a start; a caller that could not get one before its deadline is refused at once."""
        gap_s = 1 / per_second
        line = self._lines.setdefault(key, _Line())
        self._refuse_late(line.waiting * gap_s, title, call)
        line.waiting += 1
        try:
            async with line.head:
                wait_s = await self._reserve(key, line, gap_s) - self._clock.now()
                self._refuse_late(wait_s, title, call)
                if wait_s > 0:
                    await self._sleep(wait_s)
        finally:
            line.waiting -= 1

    async def minute(self, key: str, title: str, most: int, call: Call) -> None:
        """Wait until a start is one of at most `most` within any minute; like `turn`, refuse what would be too late."""
        line = self._lines.setdefault(key, _Line())
        wait_s = await self._start_in_minute(key, line, title, most, call) - self._clock.now()
        if wait_s > 0:
            await self._sleep(wait_s)

    async def _start_in_minute(self, key: str, line: _Line, title: str, most: int, call: Call) -> float:
        name = f"minute:{key}"
        start = self._clock.now()
        try:
            for _ in range(_SWAPS):
                written = await self._state.get(name)
                start, starts = self._next_in_minute(_times(written), most)
                self._refuse_late(start - self._clock.now(), title, call)
                if await self._state.swap(name, written, json.dumps(starts), ttl_s=_MINUTE_S + _LONGEST_S):
                    break
        except StoreError:
            start, line.starts = self._next_in_minute(line.starts, most)
            self._refuse_late(start - self._clock.now(), title, call)
        return start

    def _next_in_minute(self, starts: list[float], most: int) -> tuple[float, list[float]]:
        return next_start(starts, most=most, span_s=_MINUTE_S, now=self._clock.now(), ahead_s=_LONGEST_S)

    def _refuse_late(self, wait_s: float, title: str, call: Call) -> None:
        if wait_s > call.remaining_s:
            raise Busy(
                f"Too many of our searches wait for {title}: our turn would come after the time of this call.",
                hint=f"Try again in {math.ceil(wait_s)} s.",
                retry_after_s=wait_s,
            )

    async def _reserve(self, key: str, line: _Line, gap_s: float) -> float:
        name = f"pace:{key}"
        start = max(self._clock.now(), line.next_at if line.next_at - self._clock.now() <= _LONGEST_S else 0.0)
        try:
            for _ in range(_SWAPS):
                written = await self._state.get(name)
                shared = _time(written)
                start = max(self._clock.now(), shared if shared - self._clock.now() <= _LONGEST_S else 0.0)
                if await self._state.swap(name, written, repr(start + gap_s), ttl_s=gap_s + _LONGEST_S):
                    break
        except StoreError:
            pass
        line.next_at = start + gap_s
        return start


class SlotPools:
    """The slots of this process: whose policies name the same ones wait for each other."""

    def __init__(self) -> None:
        self._pools: dict[NetworkSlots, asyncio.Semaphore] = {}

    def held(self, slots: NetworkSlots | None) -> AbstractAsyncContextManager[None]:
        """One of the slots, as long as the block lasts; a policy without slots never waits."""
        return nullcontext() if slots is None else self._pools.setdefault(slots, asyncio.Semaphore(slots.at_once))


def _time(written: str | None) -> float:
    try:
        return float(written or 0.0)
    except ValueError:
        return 0.0


def _times(written: str | None) -> list[float]:
    try:
        return [float(start) for start in json.loads(written or "[]")]
    except (ValueError, TypeError):
        return []
