"""Names to addresses, in threads of our own: a hanging name delays nobody but those who asked for it."""

import asyncio
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary

from gossamer.errors import Busy, TimedOut, Unreachable

Resolve = Callable[[str], Awaitable[Sequence[str]]]

_THREADS = 512
_AT_ONCE = 64
_OF_ONE_DOMAIN = 8
_KEEP_S = 30.0
_KEEP_NAMES = 512
_FAIR_SHARE = 0.5
"""Of the time limit: a name that had less than this to answer, after a wait for its place, is not said to hang."""
_BUSY_S = 1.0
_SHARED = frozenset({"ac", "co", "com", "edu", "go", "gob", "gov", "ne", "net", "or", "org"})
"""Second labels below which countries let everybody register: `example.co.uk` is a domain, `co.uk` is none."""


class NoConnection(TimedOut):
    """A name or address did not answer in time: nothing of this host can be had, whatever was asked for."""


class SystemResolver:
    """The operating system's resolver, one short-lived thread a name and 512 at most, those given up included.

    The threads are daemons outside every executor: one that hangs in the C library never holds up the exit.
    """

    def __init__(
        self,
        *,
        look_up: Callable[..., Sequence[Any]] = socket.getaddrinfo,
        threads: int = _THREADS,
        thread: type[threading.Thread] = threading.Thread,
    ) -> None:
        self._look_up = look_up
        self._threads = threading.Semaphore(threads)
        self._thread = thread

    async def __call__(self, host: str) -> Sequence[str]:
        """The addresses of a name, in the system's order; OSError when there are none, Busy without a thread."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def finish(found: list[str], error: Exception | None) -> None:
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
            finally:
                self._threads.release()
            with suppress(RuntimeError):  # the loop has closed: nobody waits any more
                loop.call_soon_threadsafe(finish, found, failed)

        if not self._threads.acquire(blocking=False):
            raise _busy(host)
        try:
            self._thread(target=work, name="gossamer-lookup", daemon=True).start()
        except RuntimeError as error:  # the system has no thread to spare
            self._threads.release()
            raise _busy(host) from error
        return await answer


class _Places:
    """How many names are asked for at once, in all and of one domain: nobody's names take every place."""

    def __init__(self, *, at_once: int, of_one_domain: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._of_one_domain = of_one_domain
        self._domains: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def one(self, host: str) -> AsyncGenerator[None]:
        """Wait for a place; who waits for one of a domain's takes none of all."""
        of_domain = self._domains.setdefault(_domain(host), asyncio.Semaphore(self._of_one_domain))
        async with of_domain, self._free:
            yield


class Lookups:
    """A resolver with a time limit and a short memory, so that one fetch never sees two answers for a name.

    All who ask for a name share one look-up, which goes on without them: what it learns serves the next. What is
    kept is not yet judged: whoever dials judges each time.
    """

    def __init__(
        self,
        resolve: Resolve,
        *,
        limit_s: float,
        monotonic: Callable[[], float] = time.monotonic,
        at_once: int = _AT_ONCE,
        of_one_domain: int = _OF_ONE_DOMAIN,
    ) -> None:
        self._resolve = resolve
        self._limit_s = limit_s
        self._monotonic = monotonic
        self._places = _Places(at_once=at_once, of_one_domain=of_one_domain)
        self._flights: dict[str, asyncio.Task[tuple[str, ...]]] = {}
        self._kept: OrderedDict[str, tuple[float, tuple[str, ...]]] = OrderedDict()
        """Until when which addresses hold; none stand for a name that hung."""

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The addresses of a name, at least one; a name that hung a moment ago is timed out at once."""
        until, found = self._kept.get(host, (float("-inf"), ()))
        left_s = until - self._monotonic()
        if left_s > 0 and not found:
            raise self._hangs(host, left_s)
        if left_s > 0:
            return found
        flight = self._flights.get(host)
        if flight is None:
            flight = self._flights[host] = asyncio.create_task(self._find(host))
            flight.add_done_callback(lambda done: self._land(host, done))
        await asyncio.wait({flight})
        return flight.result()

    def _land(self, host: str, flight: "asyncio.Task[tuple[str, ...]]") -> None:
        del self._flights[host]
        if not flight.cancelled():
            flight.exception()  # marks it as seen, should nobody wait any more

    async def _find(self, host: str) -> tuple[str, ...]:
        time_of = asyncio.get_running_loop().time
        asked_at = float("inf")
        try:
            async with asyncio.timeout(self._limit_s), self._places.one(host):
                asked_at = time_of()
                found = tuple(await self._resolve(host))
        except TimeoutError as error:
            if time_of() - asked_at < _FAIR_SHARE * self._limit_s:
                raise _busy(host) from error
            self._keep(host, ())
            raise self._hangs(host, _KEEP_S) from error
        except OSError as error:
            raise _no_such_name(host) from error
        if not found:
            raise _no_such_name(host)
        self._keep(host, found)
        return found

    def _keep(self, host: str, found: tuple[str, ...]) -> None:
        self._kept[host] = (self._monotonic() + _KEEP_S, found)
        self._kept.move_to_end(host)
        while len(self._kept) > _KEEP_NAMES:
            self._kept.popitem(last=False)

    def _hangs(self, host: str, left_s: float) -> NoConnection:
        return NoConnection(
            f"Looking up {host} took longer than {self._limit_s:g} s.",
            hint=f"Try again in {left_s:.0f} s, or raise net.connect_timeout_s.",
            retry_after_s=left_s,
        )


def _domain(host: str) -> str:
    """Whose name it is, as near as can be told without a list of all endings: its last two labels, or three."""
    labels = host.split(".")
    is_shared = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SHARED
    return ".".join(labels[-3 if is_shared else -2 :])


def _no_such_name(host: str) -> Unreachable:
    return Unreachable(f"There is no address for {host}.", hint="Check the spelling of the host, or try again later.")


def _busy(host: str) -> Busy:
    return Busy(
        f"{host} was not looked up: we are looking up too many names at once.",
        hint="Try again in a moment.",
        retry_after_s=_BUSY_S,
    )
