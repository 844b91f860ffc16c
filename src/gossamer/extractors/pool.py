"""The server's side of the worker processes: a few kept warm, each under limits, replaced when they fail."""

import asyncio
from collections.abc import Mapping

from gossamer.errors import BrokenDocument, ContentError, GossamerError, Outcome, TimedOut, TooComplex
from gossamer.extractors import wire
from gossamer.extractors.process import WorkerDied, WorkerProcess
from gossamer.extractors.wire import BrokenFrame
from gossamer.model.http import HttpReply
from gossamer.model.page import Extracted, View
from gossamer.ports import Call, Clock

PAGES_PER_WORKER = 200
_WALL_FACTOR = 3
"""How much longer than its processor time a page may take on the clock: the machine may be busy."""


class WorkerPool:
    """Reads pages in at most `size` worker processes, started on first use.

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
        self._slots = asyncio.Semaphore(size)
        self._memory_mb = memory_mb
        self._cpu_s = cpu_s
        self._clock = clock
        self._env = dict(env or {})
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(worker.pid for worker in (*self._idle, *self._busy) if worker.is_running)

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
        while self._leaving:
            await asyncio.gather(*self._leaving)

    async def _within_limits(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        try:
            async with asyncio.timeout(_seconds(call.remaining_s)):
                async with self._slots:
                    return await self._read(reply, view)
        except TimeoutError as error:
            raise TimedOut("The page came, but was not read in time.", hint="Try again with more time.") from error

    async def _read(self, reply: HttpReply, view: View) -> Extracted:
        header = wire.request(reply.headers.get("content-type", ""), reply.url, view)
        for _ in range(2):
            try:
                async with asyncio.timeout(_WALL_FACTOR * self._cpu_s):
                    said, text = await self._ask(header, reply.body)
                return wire.result_of(said, text)
            except WorkerDied as died:
                if died.ran_out_of_cpu:
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

    async def _take(self) -> WorkerProcess:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_running:
                return worker
            self._discard(worker)
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


def _seconds(remaining: float) -> float | None:
    return None if remaining == float("inf") else remaining


def _too_complex() -> TooComplex:
    return TooComplex(
        "Reading the page takes more time or memory than a page may.", hint="It is not read; look for another source."
    )
