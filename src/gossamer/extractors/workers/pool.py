"""Worker pool: admits pages by size, gives each to a warm process under limits, and replaces processes that fail."""

import asyncio
import contextlib
import heapq
import logging
import math
import os
from collections.abc import Generator
from dataclasses import replace
from hashlib import blake2b
from itertools import count

from gossamer.errors import BrokenDocument, Busy, EmptyPage, GossamerError, Outcome, TimedOut, TooComplex
from gossamer.extractors.sniff import kind_of
from gossamer.extractors.workers import frames
from gossamer.extractors.workers.frames import BrokenFrame
from gossamer.extractors.workers.sandbox import Missing
from gossamer.extractors.workers.worker_process import Supervisor, WorkerDied, WorkerProcess
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, View
from gossamer.ports import STAGE_PART, Call, Clock


class AdmissionQueue:
    """At most `size` inside at once; of those who wait, the lightest goes first, then who came first.

    Whoever weighs more than `light` leaves the last free place to others, unless there is only one at all.
    """

    def __init__(self, size: int, *, light: float = math.inf) -> None:
        self._free = size
        self._light = light if size > 1 else math.inf
        self._numbers = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @property
    def is_crowded(self) -> bool:
        """Whether somebody waits."""
        return any(not turn.done() for *_, turn in self._waiting)

    def try_enter(self, weight: int = 0) -> bool:
        """Go in at once if there is room and nobody lighter waits."""
        if self._has_room(weight) and not (self._waiting and self._waiting[0][0] <= weight):
            self._free -= 1
            return True
        return False

    async def enter(self, weight: int) -> None:
        """Wait for room and go in."""
        if self.try_enter(weight):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (weight, next(self._numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Go out and let the next one in."""
        self._free += 1
        while self._waiting and self._has_room(self._waiting[0][0]):
            *_, turn = heapq.heappop(self._waiting)
            if not turn.done():
                self._free -= 1
                turn.set_result(None)

    def _has_room(self, weight: int) -> bool:
        return self._free > (weight > self._light)


_LOG = logging.getLogger("gossamer")
_SALT = os.urandom(16)
_WALL_FACTOR = 3
"""How much longer than its processor time a page may take on the clock: the machine may be busy."""
QUICK_S = 0.5
"""What a page may take before it has to give way to others; an ordinary one takes a tenth of it."""
_OWN_SHARE = 0.5
"""Of that time, what it must have spent at work itself."""
_HANGS = 6
"""After as many times as long a page gives way whatever it did meanwhile."""
_LIGHT_BYTES = 512 * 1024
"""What an ordinary page has at most."""
_MOST_BYTES = 128 * 2**20
_BEGINNING = 2 * 2**20
_NOT_WHOLE = f"The page is too large to be read whole: this is what its first {_BEGINNING // 2**20} MiB hold."
_SLOW = 1
"""Pages beyond their quick time that run at once."""
_SPARE = 1
"""Workers that are ready to take the place of one that is lost."""


class WorkerPool:
    """Reads pages in worker processes, started when they are needed: `size` of them, and one more for long work.

    Small pages go first. When others wait, a page that is not read within `quick_s` moves to the slow lane, with less
    of the machine; if that is taken, it is stopped and read again from its beginning when its turn comes. So pages
    built to be slow hold up one another, and ordinary ones pass them by.
    A page that overruns its limits ends its worker, never the server; while others wait, its successor is started when
    the page becomes slow. A worker that dies in mid-page, or that the machine gave no time to, is replaced and the page
    tried once more: it may have been the victim of a neighbour.
    """

    def __init__(
        self,
        *,
        size: int = 2,
        memory_mb: int = 144,
        cpu_s: int = 10,
        quick_s: float = QUICK_S,
        clock: Clock,
    ) -> None:
        self._quick = AdmissionQueue(size, light=_LIGHT_BYTES)
        self._slow = AdmissionQueue(_SLOW)
        self._supervisor = Supervisor(
            size=size, most=size + _SLOW + _SPARE, memory_mb=memory_mb, cpu_s=cpu_s, clock=clock
        )
        self._cpu_s = cpu_s
        self._quick_s = quick_s
        self._clock = clock
        self._held_bytes = 0

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return self._supervisor.pids

    @property
    def missing(self) -> Missing | None:
        """Of the workers' sandbox, what is not in force; None before the first page was read."""
        return self._supervisor.missing

    def warm(self) -> None:
        """Have a worker ready before it is asked for; it starts in the background."""
        self._supervisor.warm()

    def check(self, view: View) -> None:
        """Raise for a selector that is none."""
        if view.selector:
            from gossamer.extractors.html.selectors import check_selector

            check_selector(view.selector)

    async def extract(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        """Read a body as `view` says, until the call's deadline."""
        since = self._clock.monotonic()
        outcome = Outcome.ERROR
        try:
            result = await self._within_limits(reply, view, call)
            outcome = result.outcome
            note_faults(result, reply, call)
        except GossamerError as error:
            outcome = error.outcome
            raise
        finally:
            call.record("extract", outcome, since=since, size=len(reply.body))
        return result

    async def close(self) -> None:
        """End all workers; pages in the middle fail."""
        await self._supervisor.close()

    async def _within_limits(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        try:
            async with asyncio.timeout(_seconds(call.remaining_s)):
                with self._held(len(reply.body)):
                    await self._quick.enter(len(reply.body))
                    return await self._in_turn(reply, view)
        except TimeoutError as error:
            raise TimedOut("The page came, but was not read in time.", hint="Try again with more time.") from error
        except BrokenFrame as error:
            raise BrokenDocument("The page cannot be read.", hint="Look for another source.") from error

    @contextlib.contextmanager
    def _held(self, size: int) -> Generator[None]:
        """Count what waits here in memory; when it is too much, another large page is turned away at once."""
        if size > _LIGHT_BYTES and self._held_bytes + size > _MOST_BYTES:
            raise Busy(
                "Too many large pages wait to be read.", hint="Try again in a minute, or with fewer pages at once."
            )
        self._held_bytes += size
        try:
            yield
        finally:
            self._held_bytes -= size

    async def _in_turn(self, reply: HttpReply, view: View) -> Extracted:
        """Read a page that has a place in the quick lane; it leaves its lane when it is read."""
        lane: AdmissionQueue | None = self._quick
        reading = asyncio.create_task(self._read(reply, view))
        try:
            while not (await asyncio.wait({reading}, timeout=self._quick_s / 2))[0]:
                if not self._quick.is_crowded or not self._is_late(reading):
                    continue
                self._supervisor.warm()
                if lane is self._slow:
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
        """Whether a page takes long by its own doing; on a busy machine any page takes long by the clock."""
        worker = self._supervisor.reading(reading)
        if worker is None:
            return False
        waited_s = asyncio.get_running_loop().time() - worker.asked_at
        return waited_s > _HANGS * self._quick_s or (
            waited_s > self._quick_s and worker.worked_s > self._quick_s * _OWN_SHARE
        )

    def _slow_down(self, reading: asyncio.Task[Extracted]) -> None:
        worker = self._supervisor.reading(reading)
        if worker is not None:
            worker.slow_down()

    async def _read(self, reply: HttpReply, view: View) -> Extracted:
        """Read a page; of a text that takes more memory than a worker has, the beginning is read by another."""
        header = frames.request(reply.headers.get("content-type", ""), reply.url, view)
        try:
            answer, text = await self._reply_to(header, reply.body)
            if answer.get("full") is True and len(reply.body) > _BEGINNING:
                result = frames.result_of(*await self._reply_to(header, reply.body[:_BEGINNING]))
                return replace(result, message=f"{result.message} {_NOT_WHOLE}".strip())
            if not (answer.get("last") and "error" in answer and _is_page(reply)):
                return frames.result_of(answer, text)
        except TooComplex:
            if not _is_page(reply):
                raise
        return await self._read_simply(reply, view)

    async def _read_simply(self, reply: HttpReply, view: View) -> Extracted:
        """Read a page that took all time or memory, or broke its reader, by rules that ask for little of either."""
        header = frames.request(reply.headers.get("content-type", ""), reply.url, view, is_plain=True)
        try:
            return frames.result_of(*await self._reply_to(header, reply.body))
        except EmptyPage as error:
            raise _too_complex() from error

    async def _reply_to(self, header: frames.Header, body: bytes) -> tuple[frames.Header, str]:
        fault: GossamerError = _too_complex()
        for _ in range(2):
            try:
                return await self._ask(header, body)
            except WorkerDied as died:
                if died.is_own_fault:
                    raise _too_complex() from died
                fault = _too_complex()
            except TimeoutError:
                fault = TimedOut("The page came, but the machine is too busy to read it.", hint="Try again later.")
        raise fault

    async def _ask(self, header: frames.Header, body: bytes) -> tuple[frames.Header, str]:
        """Have one worker read a page; it goes back to the others only after a whole answer.

        A page that has used up its processor time is too complex; one that got little of it may be read another time.
        """
        worker: WorkerProcess | None = None
        is_whole = False
        try:
            async with asyncio.timeout(_WALL_FACTOR * self._cpu_s):
                worker = await self._supervisor.take(is_crowded=self._quick.is_crowded)
                worker.reader = asyncio.current_task()
                answer = await worker.ask(header, body)
            is_whole = True
            return answer
        except TimeoutError as error:
            if worker is not None and worker.worked_s >= self._cpu_s:
                raise _too_complex() from error
            raise
        finally:
            if worker is not None:
                self._supervisor.give_back(worker, is_whole=is_whole)


async def _stopped(reading: asyncio.Task[Extracted]) -> None:
    """End a reading that is still under way, and its worker with it; what it failed with is nobody's any more."""
    if not reading.done():
        reading.cancel()
        await asyncio.wait({reading})
    if not reading.cancelled():
        reading.exception()


def note_faults(result: Extracted, reply: HttpReply, call: Call) -> None:
    """Tell log and metrics which stages failed; of the address they get no more than a hash."""
    for stage in result.faults:
        call.record(f"{STAGE_PART}{stage}", Outcome.ERROR, since=call.clock.monotonic())
    if result.faults:
        _LOG.warning("Reading a page failed in part (%s); page %s.", ", ".join(result.faults), _hash(reply.url))


def _is_page(reply: HttpReply) -> bool:
    return kind_of(reply.body, reply.headers.get("content-type", ""), reply.url) in {"html", "xml"}


def _hash(url: str) -> str:
    """Names an address in the log: equal for equal ones within one process, meaningless elsewhere."""
    return blake2b(url.encode("utf-8", "replace"), key=_SALT, digest_size=8).hexdigest()


def _seconds(remaining: float) -> float | None:
    return None if remaining == float("inf") else remaining


def _too_complex() -> TooComplex:
    return TooComplex(
        "Reading the page takes more time or memory than a page may.", hint="It is not read; look for another source."
    )
