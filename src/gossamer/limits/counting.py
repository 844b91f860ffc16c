"""The state that processes share, for counting: asked in the background, and done without while it is away."""

import asyncio
import hmac
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from gossamer.model.records import WindowCount
from gossamer.ports import State

_STALL_S = 0.05
"""A timer later than this says that this process was busy, and nothing about the state."""
_CLOSE_S = 1.0
_LOG = logging.getLogger("gossamer")
_PROBE = "limit:probe"

T = TypeVar("T")


class Away(Exception):
    """The state did not do what it was asked."""


class Shared:
    """Asks the state, and knows whether it answers.

    When an answer fails or takes longer than `patience_s`, `is_degraded` is set and those who wait are told through
    `on_slow`. From then on nobody asks but a probe every `retry_s`; the first that is answered in time ends it, and
    `on_well` is called. Names reach the state hashed with `key`, which all who share it must share.
    """

    def __init__(
        self,
        state: State,
        *,
        key: bytes,
        on_well: Callable[[], None],
        patience_s: float,
        retry_s: float,
        is_degraded: bool = False,
    ) -> None:
        self._state = state
        self._key = key
        self._on_well = on_well
        self._patience_s = patience_s
        self._retry_s = retry_s
        self._tasks: set[asyncio.Task[None]] = set()
        self._probing: asyncio.Task[None] | None = None
        self._is_closing = False
        self.is_degraded = is_degraded
        if is_degraded:
            self._probing = self.spawn(self._probe())

    def hashed(self, name: str) -> str:
        """A name as the state may hold it: the same in every process, and not to be guessed without the key."""
        return hmac.digest(self._key, name.encode(), "sha256").hex()[:24]

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something that nobody waits for, until `close` does."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def add(self, key: str, amount: int, *, ttl_s: float, on_slow: Callable[[], None]) -> int:
        """Add to a counter and return the sum; `on_slow` is called once if that takes too long."""
        return await self._ask(self._state.add(key, amount, ttl_s=ttl_s), on_slow)

    async def window(
        self, key: str, amount: int, *, cap: int, window_s: float, keep_s: float, on_slow: Callable[[], None]
    ) -> WindowCount:
        """Count in a fixed window; `on_slow` is called once if that takes too long."""
        return await self._ask(self._state.window(key, amount, cap=cap, window_s=window_s, keep_s=keep_s), on_slow)

    async def count(self, key: str, *, on_slow: Callable[[], None]) -> int:
        """What a counter holds; less than nothing, which an outage can leave behind, is nothing."""
        text = await self._ask(self._state.get(key), on_slow)
        with suppress(ValueError):
            return max(0, int(text or 0))
        return 0

    async def close(self) -> None:
        """Let what was begun come to its end, for a second at most; a probe is not waited for."""
        self._is_closing = True
        if self._probing:
            self._probing.cancel()
        while self._tasks:
            _, late = await asyncio.wait(set(self._tasks), timeout=_CLOSE_S)
            for task in late:
                task.cancel()

    async def _ask(self, work: Coroutine[Any, Any, T], on_slow: Callable[[], None]) -> T:
        asking = _Asking(self._patience_s, self._degrade, on_slow)
        try:
            return await work
        except Exception as error:  # whatever the state fails with, no request may
            self._degrade(f" ({type(error).__name__})")
            raise Away from error
        finally:
            asking.end()

    def _degrade(self, why: str = "") -> None:
        if not self.is_degraded:
            self.is_degraded = True
            _LOG.warning("The shared state does not answer%s. Limits hold per process until it does.", why)
            if not self._is_closing:
                self._probing = self.spawn(self._probe())

    async def _probe(self) -> None:
        while self.is_degraded:
            await asyncio.sleep(self._retry_s)
            started = time.monotonic()
            with suppress(Exception):  # still away, in whatever way
                await self._state.add(_PROBE, ttl_s=60)
                self.is_degraded = time.monotonic() - started > self._patience_s
        _LOG.warning("The shared state answers again. Limits hold for all processes together.")
        self._on_well()


class _Asking:
    """One question under way, and its patience."""

    __slots__ = ("_call_late", "_due", "_patience_s", "_timer")

    def __init__(self, patience_s: float, *call_late: Callable[[], None]) -> None:
        self._patience_s = patience_s
        self._call_late = call_late
        self._wait()

    def end(self) -> None:
        """Stop waiting."""
        self._timer.cancel()

    def _wait(self) -> None:
        self._due = time.monotonic() + self._patience_s
        self._timer = asyncio.get_running_loop().call_later(self._patience_s, self._is_over)

    def _is_over(self) -> None:
        if time.monotonic() - self._due > _STALL_S:
            self._wait()
            return
        for call in self._call_late:
            call()
