"""Single-flight: concurrent callers of one key share one result, within the process and across processes."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

from gossamer.errors import StoreError
from gossamer.ports import Clock, State

HELD_S = 5.0
"""How long the name stays taken when its holder dies."""
_BEAT_S = 1.5
_FIRST_PAUSE_S = 0.02
_LONGEST_PAUSE_S = 0.25

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Shares work between those in this process who wait for it; it ends when the last of them has gone."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[T]] = {}
        self._waiting: dict[str, int] = {}

    async def join(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Start the work, or wait for the one under way; a cancelled caller takes only itself away."""
        task = self._tasks.get(key)
        if task is None:
            task = asyncio.create_task(work())
            task.add_done_callback(mark_seen)
            self._tasks[key] = task
            self._waiting[key] = 0
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task)
        finally:
            if self._tasks.get(key) is task:
                self._waiting[key] -= 1
                if task.done() or not self._waiting[key]:
                    del self._tasks[key], self._waiting[key]
                    task.cancel()


class LeasedFlight:
    """Lets one of all processes that share a state work on a name, while the others wait for what it finds.

    It only spares work: without the state, or after waiting in vain, everybody works alone.
    """

    def __init__(self, state: State, clock: Clock) -> None:
        self._state = state
        self._clock = clock

    async def take(
        self,
        name: str,
        work: Callable[[], Awaitable[T]],
        *,
        found: Callable[[], Awaitable[T | None]],
        patience_s: float,
        away: Callable[[StoreError], object] = lambda _: None,
    ) -> T:
        """Do the work, or hand back what `found` finds of another process's; a holder that died is replaced.

        `found` is asked again by who holds the name: somebody may have finished since the caller looked. Where the
        state could not be asked, `away` is told why.
        """
        holder = secrets.token_hex(8)
        until = self._clock.monotonic() + patience_s
        pause_s = _FIRST_PAUSE_S
        while not await self._is_ours(name, holder, away):
            if self._clock.monotonic() >= until:
                return await work()
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            result = await found()
            if result is not None:
                return result
        beat = asyncio.create_task(self._hold(name, holder, away))
        try:
            result = await found()
            return await work() if result is None else result
        finally:
            beat.cancel()
            with suppress(StoreError):
                await self._state.release(name, holder)

    async def _is_ours(self, name: str, holder: str, away: Callable[[StoreError], object]) -> bool:
        """Take or renew the lease; while the state is away every caller works."""
        try:
            return await self._state.lease(name, holder, ttl_s=HELD_S) > 0
        except StoreError as error:
            away(error)
            return True

    async def _hold(self, name: str, holder: str, away: Callable[[StoreError], object]) -> None:
        while True:
            await asyncio.sleep(_BEAT_S)
            await self._is_ours(name, holder, away)


def mark_seen(task: asyncio.Task[Any]) -> None:
    """Retrieve the failure of a task without waiters, so that asyncio does not report it as never retrieved."""
    if not task.cancelled():
        task.exception()
