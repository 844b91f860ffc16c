"""Opening that is put off until it is needed, and done again after a bad day: for stores and states."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from copy import copy
from typing import Generic, Protocol, TypeVar

from gossamer.errors import StoreDamaged, StoreError, StoreUnavailable
from gossamer.ports import Clock

_RETRY_S = 5.0
"""Between two attempts to open what could not be opened; callers in between are told at once."""
_AGAIN_S = 0.5
"""How long who makes another attempt waits for it: the first one has waited for as long as it takes."""


class Closable(Protocol):
    """What is kept open."""

    async def close(self) -> None:
        """Let go of it."""
        ...


Part = TypeVar("Part", bound=Closable)
T = TypeVar("T")


class Lasting(Generic[Part]):
    """Opens a part at its first use; once more when it was found damaged, or could not be opened a while ago.

    So a disk that was full, a folder that came back, or a file that had to be moved aside is noticed without a
    restart, and meanwhile each use raises the `StoreError` that tells why.
    """

    def __init__(self, open_part: Callable[[], Awaitable[Part]], *, clock: Clock) -> None:
        self._open_part = open_part
        self._clock = clock
        self._opening: asyncio.Task[Part] | None = None
        self._error: StoreError | None = None
        self._retry_at = 0.0
        self._is_closed = False

    async def use(self, work: Callable[[Part], Awaitable[T]]) -> T:
        """Do `work` with the part; what finds it damaged is done once more with the one opened in its place."""
        part = await self._opened()
        try:
            return await work(part)
        except StoreDamaged:
            await self._let_go(part)
        except StoreUnavailable:
            # Somebody else may have found it damaged meanwhile, and closed it.
            if self._is_closed or self._has(part):
                raise
        return await work(await self._opened())

    async def close(self) -> None:
        """Close the part if it was opened, and open it no more."""
        self._is_closed = True
        opening, self._opening = self._opening, None
        if opening is None:
            return
        if not opening.done():
            opening.cancel()
            await asyncio.wait([opening])
        with contextlib.suppress(StoreError, asyncio.CancelledError):
            await opening.result().close()

    async def _opened(self) -> Part:
        again = self._error
        if self._opening is None:
            if self._is_closed:
                raise _closed()
            if again is not None and self._clock.monotonic() < self._retry_at:
                raise copy(again).with_traceback(None)
            self._opening = asyncio.create_task(_awaited(self._open_part()))
            patience_s = _AGAIN_S
        else:
            patience_s = 0.0
        opening = self._opening
        # One caller who gives up takes nobody else's opening along.
        await asyncio.wait([opening], timeout=None if again is None else patience_s)
        if again is not None and not opening.done():
            raise copy(again).with_traceback(None)
        return self._result(opening)

    def _result(self, opening: asyncio.Task[Part]) -> Part:
        if opening.cancelled():
            raise _closed()
        error = opening.exception()
        if error is None:
            self._error = None
            return opening.result()
        if self._opening is opening:
            self._opening = None
            if isinstance(error, StoreError):
                self._error, self._retry_at = error, self._clock.monotonic() + _RETRY_S
        raise copy(error).with_traceback(None) from None

    async def _let_go(self, part: Part) -> None:
        """Close a part, unless somebody has already."""
        if self._has(part):
            self._opening = None
            with contextlib.suppress(StoreError):
                await part.close()

    def _has(self, part: Part) -> bool:
        opening = self._opening
        if opening is None or not opening.done() or opening.cancelled() or opening.exception() is not None:
            return False
        return opening.result() is part


async def _awaited(part: Awaitable[Part]) -> Part:
    return await part


def _closed() -> StoreUnavailable:
    return StoreUnavailable("The store is closed.", hint="Open it again.")
