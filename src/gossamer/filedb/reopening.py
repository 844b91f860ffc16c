"""Reopening: a part is opened at its first use, and again after a failure; for stores and states."""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Generic, Protocol, TypeVar, cast

from gossamer.errors import GossamerError, StoreDamaged, StoreError, StoreUnavailable
from gossamer.filedb.refusals import closed
from gossamer.ports import Clock
from gossamer.ports.forwarding import Forwarding

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


def reopening(port: type[Any], open_part: Callable[[], Awaitable[Part]], *, clock: Clock) -> Part:
    """A part of a port that opens itself: at its first use, and again when it has to be."""
    return cast("Part", Reopening(port, open_part, clock=clock))


class Reopening(Forwarding, Generic[Part]):
    """Opens a part at its first use; once more when it was found damaged, or could not be opened a while ago.

    So a disk that was full, a folder that came back, or a file that had to be moved aside is noticed without a
    restart, and meanwhile each use raises the `StoreError` that tells why.
    """

    def __init__(self, port: type[Any], open_part: Callable[[], Awaitable[Part]], *, clock: Clock) -> None:
        super().__init__(port)
        self._open_part = open_part
        self._clock = clock
        self._opening: asyncio.Task[Part] | None = None
        self._error: StoreError | None = None
        self._retry_at = 0.0
        self._is_closed = False

    def forwarded(self, name: str) -> Callable[..., Any]:
        """A method of the port, done with the part that is open then."""

        async def call(*args: Any, **options: Any) -> Any:
            return await self.use(lambda part: getattr(part, name)(*args, **options))

        async def iterate(*args: Any, **options: Any) -> AsyncIterator[Any]:
            async def begin(part: Part) -> AsyncIterator[Any]:
                return getattr(part, name)(*args, **options)

            async for item in await self.use(begin):
                yield item

        return call if inspect.iscoroutinefunction(getattr(self._port, name)) else iterate

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
                raise closed()
            if again is not None and self._clock.monotonic() < self._retry_at:
                raise again.but()
            self._opening = asyncio.create_task(_awaited(self._open_part()))
            patience_s = _AGAIN_S
        else:
            patience_s = 0.0
        opening = self._opening
        # One caller who gives up takes nobody else's opening along.
        await asyncio.wait([opening], timeout=None if again is None else patience_s)
        if again is not None and not opening.done():
            raise again.but()
        return self._result(opening)

    def _result(self, opening: asyncio.Task[Part]) -> Part:
        if opening.cancelled():
            raise closed()
        error = opening.exception()
        if error is None:
            self._error = None
            return opening.result()
        if self._opening is opening:
            self._opening = None
            if isinstance(error, StoreError):
                self._error, self._retry_at = error, self._clock.monotonic() + _RETRY_S
        raise (error.but() if isinstance(error, GossamerError) else error) from None

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
