"""The server's side of the worker processes: a few kept warm, each under limits, replaced when they fail."""

import asyncio
import contextlib
from collections.abc import Generator, Mapping

from gossamer.errors import BrokenDocument, ContentError, GossamerError, Outcome, TimedOut, TooComplex
from gossamer.extractors import wire
from gossamer.extractors.lanes import Lane
from gossamer.extractors.process import WorkerDied, WorkerProcess
from gossamer.extractors.wire import BrokenFrame
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, View
from gossamer.ports import Call, Clock

PAGES_PER_WORKER = 200
_WALL_FACTOR = 3
"""How much longer than its processor time a page may take on the clock: the machine may be busy."""
QUICK_S = 0.5
"""What a page may take before it has to give way to others; an ordinary one takes a tenth of it."""
_LIGHT_BYTES = 512 * 1024
"""What an ordinary page has at most."""
_MOST_BYTES = 128 * 2**20
_WARY_S = 60.0
"""For how long after a worker had to be ended one more is kept ready than is needed, while pages wait."""
_SLOW = 1
"""Pages beyond their quick time that run at once."""


class WorkerPool:
    """Reads pages in worker processes, started when they are needed: `size` of them, and one more for long work.

    Small pages go first. When others wait, a page that is not read within half a second moves to the slow lane, with
    less of the machine; if that is taken, it is stopped and read again from its beginning when its turn comes. So pages
    built to be slow hold up one another, and ordinary ones pass them by.
    A page that overruns its limits ends its worker, never the server. A worker that dies in mid-page is replaced and
    the page tried once more: it may have been the victim of a neighbour. `env` is added to the workers' environment,
    which otherwise holds nothing of the server's.
    """

    def __init__(
        self,
        *,
        size: int = 2,
        memory_mb: int = 160,
        cpu_s: int = 10,
        clock: Clock,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._quick = Lane(size, light=_LIGHT_BYTES)
        self._slow = Lane(_SLOW)
        self._size = size + _SLOW
        self._memory_mb = memory_mb
        self._cpu_s = cpu_s
        self._clock = clock
        self._env = dict(env or {})
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        self._warming: asyncio.Task[None] | None = None
        self._wary_until = 0.0
        self._held_bytes = 0
        self._is_closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(worker.pid for worker in (*self._idle, *self._busy) if worker.is_running)

    def warm(self) -> None:
        """Have a worker ready before it is asked for; it starts in the background."""
        is_full = len(self._idle) + len(self._busy) > self._size
        is_warming = self._warming is not None and not self._warming.done()
        if not (self._idle or is_full or is_warming or self._is_closed):
            self._warming = asyncio.get_running_loop().create_task(self._warm())

    async def extract(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        """Read a body as `view` says, until the call's deadline."""
        since = self._clock.monotonic()
        outcome = Outcome.ERROR
        try:
            result = await self._within_limits(reply, view, call)
            outcome = result.outcome
        except GossamerError as error:
            outcome = error.outcome
            raise
        finally:
            call.record("extract", outcome, since=since, size=len(reply.body))
        return result

    async def close(self) -> None:
        """End all workers; pages in the middle fail."""
        self._is_closed = True
        for worker in (*self._idle, *self._busy):
            self._discard(worker)
        self._idle.clear()
        if self._warming is not None:
            await asyncio.wait({self._warming})
        while self._leaving:
            await asyncio.gather(*self._leaving)

    async def _within_limits(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        try:
            async with asyncio.timeout(_seconds(call.remaining_s)):
                with self._held(len(reply.body)):
                    await self._quick.enter(len(reply.body))
                    return await self._in_turn(reply, view)
        except TimeoutError as error:
            raise TimedOut("The page came, but was not read in time.", hint="Try again with more time.") from error

    @contextlib.contextmanager
    def _held(self, size: int) -> Generator[None]:
        """Count what waits here in memory; when it is too much, another large page is turned away at once."""
        if size > _LIGHT_BYTES and self._held_bytes + size > _MOST_BYTES:
            raise TimedOut(
                "Too many large pages wait to be read.", hint="Try again in a minute, or with fewer pages at once."
            )
        self._held_bytes += size
        try:
            yield
        finally:
            self._held_bytes -= size

    async def _in_turn(self, reply: HttpReply, view: View) -> Extracted:
        """Read a page that has a place in the quick lane; it leaves its lane when it is read."""
        lane: Lane | None = self._quick
        reading = asyncio.create_task(self._read(reply, view))
        try:
            while not (await asyncio.wait({reading}, timeout=QUICK_S / 2))[0]:
                if lane is self._slow or not self._quick.is_crowded or not self._is_late(reading):
                    continue
                if self._slow.try_enter():
                    self._slow_down(reading)
                    self._quick.leave()
                    lane = self._slow
                else:
                    await _stopped(reading)
                    self._quick.leave()
                    lane = None
                    await self._slow.enter(len(reply.body))
                    lane = self._slow
                    reading = asyncio.create_task(self._read(reply, view))
            return reading.result()
        finally:
            await _stopped(reading)
            if lane is not None:
                lane.leave()

    def _is_late(self, reading: asyncio.Task[Extracted]) -> bool:
        now = asyncio.get_running_loop().time()
        return any(worker.reader is reading and now - worker.asked_at > QUICK_S for worker in self._busy)

    def _slow_down(self, reading: asyncio.Task[Extracted]) -> None:
        for worker in self._busy:
            if worker.reader is reading:
                worker.slow_down()

    async def _read(self, reply: HttpReply, view: View) -> Extracted:
        header = wire.request(reply.headers.get("content-type", ""), reply.url, view)
        for _ in range(2):
            try:
                async with asyncio.timeout(_WALL_FACTOR * self._cpu_s):
                    said, text = await self._ask(header, reply.body)
                return wire.result_of(said, text)
            except WorkerDied as died:
                if died.is_own_fault:
                    raise _too_complex() from died
            except TimeoutError as error:
                raise _too_complex() from error
            except BrokenFrame as error:
                raise BrokenDocument("The page cannot be read.", hint="Look for another source.") from error
        raise _too_complex()

    async def _ask(self, header: wire.Header, body: bytes) -> tuple[wire.Header, str]:
        """Have one worker read a page; it goes back to the others only after a whole answer."""
        worker = await self._take()
        is_whole = False
        worker.reader = asyncio.current_task()
        self._busy.add(worker)
        try:
            answer = await worker.ask(header, body)
            is_whole = not worker.is_spent and worker.pages < PAGES_PER_WORKER and not self._is_closed
            return answer
        finally:
            self._busy.discard(worker)
            if is_whole:
                self._idle.append(worker)
            else:
                self._discard(worker)
                self._wary_until = self._clock.monotonic() + _WARY_S
                self.warm()

    async def _take(self) -> WorkerProcess:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_running:
                if self._quick.is_crowded and self._clock.monotonic() < self._wary_until:
                    self.warm()
                return worker
            self._discard(worker)
        if self._warming is not None and not self._warming.done():
            await asyncio.wait({self._warming})
            if self._idle:
                return self._idle.pop()
        return await self._start()

    async def _warm(self) -> None:
        with contextlib.suppress(ContentError):
            worker = await self._start()
            self._busy.add(worker)
            with contextlib.suppress(WorkerDied):
                await worker.ready()
            self._busy.discard(worker)
            if self._is_closed or not worker.is_running:
                self._discard(worker)
            else:
                self._idle.append(worker)

    async def _start(self) -> WorkerProcess:
        if self._is_closed:
            raise ContentError("The server is closing.", hint="Start it again.")
        try:
            return await WorkerProcess.start(memory_mb=self._memory_mb, cpu_s=self._cpu_s, env=self._env)
        except OSError as error:
            raise ContentError(
                "The process that reads pages could not be started.", hint="See what is missing: gossamer doctor."
            ) from error

    def _discard(self, worker: WorkerProcess) -> None:
        """End a worker now and wait for it in the background."""
        worker.kill()
        task = asyncio.get_running_loop().create_task(worker.gone())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)


async def _stopped(reading: asyncio.Task[Extracted]) -> None:
    """End a reading that is still under way, and its worker with it; what it failed with is nobody's any more."""
    if not reading.done():
        reading.cancel()
        await asyncio.wait({reading})
    if not reading.cancelled():
        reading.exception()


def _seconds(remaining: float) -> float | None:
    return None if remaining == float("inf") else remaining


def _too_complex() -> TooComplex:
    return TooComplex(
        "Reading the page takes more time or memory than a page may.", hint="It is not read; look for another source."
    )
