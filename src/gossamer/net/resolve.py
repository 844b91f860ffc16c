"""Names to addresses, in threads of our own: a hanging name delays nobody but those who asked for it."""

import asyncio
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from gossamer.errors import TimedOut, Unreachable

Resolve = Callable[[str], Awaitable[Sequence[str]]]

_THREADS = 64
_KEEP_S = 30.0
_KEEP_NAMES = 512


class NoConnection(TimedOut):
    """A name or address did not answer in time: nothing of this host can be had, whatever was asked for."""


class SystemResolver:
    """The operating system's resolver, one short-lived thread a name and 64 at once.

    The threads are daemons outside every executor: one that hangs in the C library never holds up the exit.
    """

    def __init__(self, *, look_up: Callable[..., Sequence[Any]] = socket.getaddrinfo, threads: int = _THREADS) -> None:
        self._look_up = look_up
        self._free = asyncio.Semaphore(threads)

    async def __call__(self, host: str) -> Sequence[str]:
        """The addresses of a name, in the system's order; OSError when there are none."""
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def finish(found: list[str], error: Exception | None) -> None:
            self._free.release()
            if answer.done():
                return
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(found)

        def work() -> None:
            found: list[str] = []
            failed: Exception | None = None
            try:
                rows = self._look_up(host, None, type=socket.SOCK_STREAM)
                found = list(dict.fromkeys(str(row[4][0]) for row in rows))
            except (OSError, UnicodeError) as error:
                failed = error if isinstance(error, OSError) else OSError(f"{host} is not a name")
            with suppress(RuntimeError):  # the loop has closed: nobody waits any more
                loop.call_soon_threadsafe(finish, found, failed)

        threading.Thread(target=work, name="gossamer-lookup", daemon=True).start()
        return await answer


class Lookups:
    """A resolver with a time limit and a short memory, so that one fetch never sees two answers for a name.

    What is kept is not yet judged: whoever dials judges each time.
    """

    def __init__(self, resolve: Resolve, *, limit_s: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._resolve = resolve
        self._limit_s = limit_s
        self._monotonic = monotonic
        self._kept: OrderedDict[str, tuple[float, tuple[str, ...]]] = OrderedDict()

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The addresses of a name, at least one."""
        kept = self._kept.get(host)
        if kept is not None and self._monotonic() < kept[0]:
            return kept[1]
        try:
            async with asyncio.timeout(self._limit_s):
                found = tuple(await self._resolve(host))
        except TimeoutError as error:
            raise NoConnection(
                f"Looking up {host} took longer than {self._limit_s:g} s.",
                hint="Try again, or raise net.connect_timeout_s.",
            ) from error
        except OSError as error:
            raise _no_such_name(host) from error
        if not found:
            raise _no_such_name(host)
        self._kept[host] = (self._monotonic() + _KEEP_S, found)
        self._kept.move_to_end(host)
        while len(self._kept) > _KEEP_NAMES:
            self._kept.popitem(last=False)
        return found


def _no_such_name(host: str) -> Unreachable:
    return Unreachable(f"There is no address for {host}.", hint="Check the spelling of the host, or try again later.")
