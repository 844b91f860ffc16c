"""DNS resolution in threads of our own: a hanging name delays only those who asked for it."""

import asyncio
import socket
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary

from gossamer.errors import Busy, TimedOut, Unreachable
from gossamer.resilience.deadline import BLAME

Resolve = Callable[[str], Awaitable[Sequence[str]]]

_THREADS = 1024
"""Each that hangs takes 17 KiB."""
_AT_ONCE = 64
_OF_ONE_DOMAIN = 8
_POLITE_S = 0.1
"""How long a name waits for its turn among quick ones before it is asked for all the same."""
_KEEP_S = 30.0
_SERVE_S = 3600.0
"""How old an answer may be that stands in while no more names can be asked for."""
_KEEP_NAMES = 4096
_BUSY_S = 1.0
_SHARED = frozenset({"ac", "co", "com", "edu", "go", "gob", "gov", "ne", "net", "or", "org"})
"""Second labels below which countries let everybody register: `example.co.uk` is a domain, `co.uk` is none."""


class NoConnection(TimedOut):
    """A name or address did not answer in time: nothing of this host can be had, whatever was asked for."""


class _Threads:
    """Short-lived threads of our own, for work that may hang: daemons outside every executor hold up no exit.

    Each starts the next one before it does its own work: starting takes a while, and a loop that had to start
    hundreds would stand still.
    """

    def __init__(self, thread: type[threading.Thread]) -> None:
        self._thread = thread
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Callable[[], None], Callable[[], None]]] = deque()
        self._is_starting = False

    def run(self, work: Callable[[], None], fail: Callable[[], None]) -> None:
        """Do the work in a thread; `fail` is called when the system has none to spare."""
        with self._lock:
            self._waiting.append((work, fail))
            if self._is_starting:
                return
            self._is_starting = True
        self._start()

    def _start(self) -> None:
        try:
            self._thread(target=self._work, name="gossamer-lookup", daemon=True).start()
        except RuntimeError:
            with self._lock:
                failed = [fail for _, fail in self._waiting]
                self._waiting.clear()
                self._is_starting = False
            for fail in failed:
                fail()

    def _work(self) -> None:
        with self._lock:
            work, _ = self._waiting.popleft()
            self._is_starting = bool(self._waiting)
            is_followed = self._is_starting
        if is_followed:
            self._start()
        work()


class SystemResolver:
    """The operating system's resolver, one short-lived thread a name and 1,024 at most, those given up included."""

    def __init__(
        self,
        *,
        look_up: Callable[..., Sequence[Any]] = socket.getaddrinfo,
        threads: int = _THREADS,
        thread: type[threading.Thread] = threading.Thread,
    ) -> None:
        self._look_up = look_up
        self._free = threading.Semaphore(threads)
        self._threads = _Threads(thread)

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

        def end(found: list[str], error: Exception | None) -> None:
            self._free.release()
            with suppress(RuntimeError):  # the loop has closed: nobody waits any more
                loop.call_soon_threadsafe(finish, found, error)

        def work() -> None:
            found: list[str] = []
            failed: Exception | None = None
            try:
                rows = self._look_up(host, None, type=socket.SOCK_STREAM)
                found = list(dict.fromkeys(str(row[4][0]) for row in rows))
            except (OSError, UnicodeError) as error:
                failed = error if isinstance(error, OSError) else OSError(f"{host} is not a name")
            finally:
                end(found, failed)

        if not self._free.acquire(blocking=False):
            raise _busy(host)
        self._threads.run(work, lambda: end([], _busy(host)))
        return await answer


class _Places:
    """How many names are asked for at once: few of one domain, and in all as many as hang and a few more.

    Who waits for one of its domain's places is in nobody else's way. The places of all only smooth a rush of names
    that answer: they are waited for so briefly that names that hang in all of them delay the others by next to
    nothing.
    """

    def __init__(self, *, at_once: int, of_one_domain: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._of_one_domain = of_one_domain
        self._domains: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def one(self, host: str) -> AsyncGenerator[None]:
        """Wait for a place."""
        of_domain = self._domains.setdefault(domain_of(host), asyncio.Semaphore(self._of_one_domain))
        async with of_domain:
            has_place = await self._wait_a_moment()
            try:
                yield
            finally:
                if has_place:
                    self._free.release()

    async def _wait_a_moment(self) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(_POLITE_S):
                return await self._free.acquire()
        return False


class Lookups:
    """A resolver with a time limit and a short memory, so that one fetch never sees two answers for a name.

    All who ask for a name share one look-up, which goes on without them: what it learns serves the next. What is
    kept is not yet judged: whoever dials judges each time. While so many names hang that no more can be asked for,
    a name that answered within the last hour is taken to lead where it led then, and a new one is told that we are
    busy, at once.
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
        """Until when which addresses hold; none stand for a name that hung. Addresses stay for longer, to stand in."""

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The addresses of a name, at least one; a name that hung a moment ago is timed out at once."""
        until, found = self._kept.get(host, (float("-inf"), ()))
        left_s = until - self._monotonic()
        if left_s > 0 and not found:
            raise self._hangs(host)
        if left_s > 0:
            return found
        flight = self._flights.get(host)
        if flight is None:
            flight = self._flights[host] = asyncio.create_task(self._find(host))
            flight.add_done_callback(lambda done: self._land(host, done))
        await asyncio.wait({flight})
        try:
            return flight.result()
        except Busy:
            if found and left_s > -_SERVE_S:
                return found
            raise

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
            if time_of() - asked_at < BLAME * self._limit_s:
                raise _busy(host) from error
            self._keep(host, ())
            raise self._hangs(host) from error
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

    def _hangs(self, host: str) -> NoConnection:
        """The same for every caller: the time that is left would show when another user asked for this name."""
        return NoConnection(
            f"Looking up {host} took longer than {self._limit_s:g} s.",
            hint=f"Try again in {_KEEP_S:.0f} s, or raise net.connect_timeout_s.",
            retry_after_s=_KEEP_S,
        )


def domain_of(host: str) -> str:
    """The registrable domain, as near as it gets without a list of all suffixes: the last two labels, or three."""
    labels = host.split(".")
    is_shared = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SHARED
    return ".".join(labels[-3 if is_shared else -2 :])


def _no_such_name(host: str) -> Unreachable:
    hint = "Check the spelling of the host and whether this machine is online, or try again later."
    return Unreachable(f"There is no address for {host}.", hint=hint)


def _busy(host: str) -> Busy:
    return Busy(
        f"{host} was not looked up: we are looking up too many names at once.",
        hint="Try again in a moment.",
        retry_after_s=_BUSY_S,
    )
