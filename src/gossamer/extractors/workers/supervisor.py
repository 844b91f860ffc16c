"""Supervisor of the pool's processes: starts, recycles and replaces workers, with a spare ready while pages wait."""

import asyncio
import contextlib
import logging
import sys

from gossamer.errors import ContentError
from gossamer.extractors.workers.sandbox import Missing
from gossamer.extractors.workers.worker_process import WorkerDied, WorkerProcess
from gossamer.ports import Clock

_LOG = logging.getLogger("gossamer")
PAGES_PER_WORKER = 200
_WARY_S = 60.0
"""For how long after a worker was lost one more is kept ready than is needed, while pages wait."""


class Supervisor:
    """At most `most` workers at once; of those that nobody needs, `size` stay.

    While pages wait, a spare is started as soon as a worker may be lost: when its page takes long, and for a minute
    after one was lost. So a worker that is killed has its successor ready, and where nobody waits there is no spare.
    """

    def __init__(self, *, size: int, most: int, memory_mb: int, cpu_s: int, clock: Clock) -> None:
        self._size = size
        self._most = most
        self._memory_mb = memory_mb
        self._cpu_s = cpu_s
        self._clock = clock
        self._idle: list[WorkerProcess] = []
        self._running: set[WorkerProcess] = set()
        self._attended: set[asyncio.Task[None]] = set()
        self._warming: set[asyncio.Task[None]] = set()
        self._awaiting = 0
        self._starting = 0
        self._none_starts = asyncio.Event()
        self._none_starts.set()
        self._wary_until = 0.0
        self.is_closed = False
        self.missing: Missing | None = None
        """Of the workers' sandbox, what is not in force; None before the first page was read."""

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(worker.pid for worker in self._running if worker.is_running)

    def reading(self, task: asyncio.Task[object]) -> WorkerProcess | None:
        """The worker that reads for this task."""
        return next((worker for worker in self._running if worker.reader is task), None)

    def warm(self) -> None:
        """Have a worker ready before it is asked for; it starts in the background."""
        is_coming = len(self._warming) > self._awaiting
        is_full = len(self._running) + self._starting >= self._most
        if not (self._idle or is_coming or is_full or self.is_closed):
            task = asyncio.get_running_loop().create_task(self._warm())
            self._warming.add(task)
            task.add_done_callback(self._warming.discard)

    async def take(self, *, is_crowded: bool) -> WorkerProcess:
        """A worker for one page: an idle one, else one that is on the way already, else a new one."""
        while True:
            worker = self._next_idle()
            if worker is not None:
                if is_crowded and self._clock.monotonic() < self._wary_until:
                    self.warm()
                return worker
            if len(self._warming) <= self._awaiting:
                return await self._start()
            self._awaiting += 1
            try:
                await asyncio.wait(self._warming, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._awaiting -= 1

    def give_back(self, worker: WorkerProcess, *, is_whole: bool) -> None:
        """Keep a worker for the next page after a whole answer, unless enough are idle; else see to a successor."""
        worker.reader = None
        self._note_sandbox(worker)
        if is_whole and not worker.is_spent and worker.pages < PAGES_PER_WORKER and not self.is_closed:
            if len(self._idle) < self._size:
                self._idle.append(worker)
            else:
                self._end(worker)
            return
        self._end(worker)
        self._wary_until = self._clock.monotonic() + _WARY_S
        self.warm()

    async def close(self) -> None:
        """End all workers; pages in the middle fail."""
        self.is_closed = True
        for worker in tuple(self._running):
            self._end(worker)
        while self._warming:
            await asyncio.wait(self._warming)
        await self._none_starts.wait()
        while self._attended:
            await asyncio.gather(*self._attended)

    def _next_idle(self) -> WorkerProcess | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_running:
                return worker
            self._end(worker)
        return None

    async def _warm(self) -> None:
        with contextlib.suppress(ContentError):
            worker = await self._start()
            with contextlib.suppress(WorkerDied):
                await worker.ready()
            if self.is_closed or not worker.is_running:
                self._end(worker)
            else:
                self._idle.append(worker)

    async def _start(self) -> WorkerProcess:
        if self.is_closed:
            raise _closing()
        self._starting += 1
        self._none_starts.clear()
        try:
            worker = await WorkerProcess.start(memory_mb=self._memory_mb, cpu_s=self._cpu_s)
        except OSError as error:
            raise ContentError(
                "The process that reads pages could not be started.", hint="See what is missing: gossamer doctor."
            ) from error
        finally:
            self._starting -= 1
            if not self._starting:
                self._none_starts.set()
        self._running.add(worker)
        task = asyncio.get_running_loop().create_task(self._attend(worker))
        self._attended.add(task)
        task.add_done_callback(self._attended.discard)
        if self.is_closed:
            self._end(worker)
            raise _closing()
        return worker

    async def _attend(self, worker: WorkerProcess) -> None:
        """Be there when a worker ends; one that was killed while it was idle, and had been of use, is replaced."""
        await worker.gone()
        if worker in self._idle:
            self._end(worker)
            if worker.pages:
                self.warm()

    def _note_sandbox(self, worker: WorkerProcess) -> None:
        """Remember what a worker says of its sandbox; where Linux lacks a part, the log has a line."""
        if self.missing is None and worker.missing is not None:
            self.missing = worker.missing
            if self.missing and sys.platform == "linux":
                parts = "; ".join(f"{name}: {reason}" for name, reason in self.missing.items())
                _LOG.warning("The process that reads pages is not confined in full (%s). See: gossamer doctor.", parts)

    def _end(self, worker: WorkerProcess) -> None:
        """End a worker now; who attends to it waits for the end."""
        worker.kill()
        self._running.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)


def _closing() -> ContentError:
    return ContentError("The server is closing.", hint="Start it again.")
