"""Worker processes, seen from the server: one process (start, exchange of frames, stop), and their supervisor.

The supervisor starts, recycles and replaces workers, with a spare ready while pages wait.
"""

import asyncio
import codecs
import contextlib
import logging
import math
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Any

from gossamer.errors import ContentError
from gossamer.extractors.workers import frames
from gossamer.extractors.workers.frames import BrokenFrame, Header
from gossamer.extractors.workers.sandbox import Missing, missing_of
from gossamer.ports import Clock

_PIECE_BYTES = 256 * 1024
_NICE = 15


_OWN_FAULTS = frozenset(
    {signal.SIGXCPU, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP, signal.SIGFPE}
)
_LOG = logging.getLogger("gossamer")
PAGES_PER_WORKER = 200
_WARY_S = 60.0
"""For how long after a worker was lost one more is kept ready than is needed, while pages wait."""
_LEAVES_S = 1.0
"""How long a new worker waits at most for those that were killed to give their memory back."""


class WorkerDied(Exception):
    """A worker ended, or talked nonsense, before its answer was complete."""

    def __init__(self, status: int | None) -> None:
        super().__init__(f"worker ended with {status}")
        self.is_own_fault = status is not None and -status in _OWN_FAULTS
        """Whether the page did it: time or memory ran out, or a parser broke. A plain kill comes from outside."""


class WorkerProcess:
    """A running worker that reads one page at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.pages = 0
        self.is_spent = False
        """To be replaced after its page: it said so itself, or it was slowed down."""
        self.reader: asyncio.Task[Any] | None = None
        """Whose page it reads."""
        self.asked_at = math.inf
        """When it got its page, by the event loop's time; a worker that is still starting has none."""
        self._worked_before = 0.0
        self.missing: Missing | None = None
        """Of its sandbox, what is not in force; None until it is ready."""

    @classmethod
    async def start(cls, *, memory_mb: int, cpu_s: int) -> "WorkerProcess":
        """Start a worker with an environment of its own."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "gossamer.worker", str(memory_mb), str(cpu_s)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=environment(),
            limit=_PIECE_BYTES,
        )
        return cls(process)

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def worked_s(self) -> float:
        """The processor time that its page took so far: little of it where others use the machine, none where it hangs.

        Without limit where the system does not tell.
        """
        now = _processor_s(self.pid)
        return now if now == math.inf else now - self._worked_before

    async def ready(self) -> None:
        """Wait until it has loaded all that it needs."""
        if self.missing is None:
            try:
                greeting, _ = await self._answer()
            except (OSError, EOFError) as error:
                raise WorkerDied(await self._process.wait()) from error
            except (BrokenFrame, UnicodeDecodeError) as error:
                raise WorkerDied(None) from error
            self.missing = missing_of(greeting.get("missing"))

    async def ask(self, header: Header, body: bytes) -> tuple[Header, str]:
        """Send a page, await the answer; a worker that dies over it raises."""
        await self.ready()
        stdin = self._process.stdin
        if stdin is None:
            raise WorkerDied(None)
        self.pages += 1
        self.asked_at = asyncio.get_running_loop().time()
        self._worked_before = _processor_s(self.pid)
        try:
            stdin.write(frames.pack(header, body))
            stdin.write(body)
            await stdin.drain()
            reply_header, text = await self._answer()
        except (OSError, EOFError) as error:
            raise WorkerDied(await self._process.wait()) from error
        except (BrokenFrame, UnicodeDecodeError) as error:
            raise WorkerDied(None) from error
        self.is_spent = self.is_spent or bool(reply_header.get("last"))
        return reply_header, text

    async def _answer(self) -> tuple[Header, str]:
        """Read a reply; its text is decoded piece by piece, so that it is held once."""
        stdout = self._process.stdout
        if stdout is None:
            raise EOFError
        header_bytes, body_bytes = frames.unpack_sizes(await stdout.readexactly(frames.SIZES_BYTES))
        if body_bytes > frames.MAX_TEXT_BYTES:
            raise BrokenFrame("a text is longer than any of ours")
        header = frames.unpack_header(await stdout.readexactly(header_bytes))
        decoder = codecs.getincrementaldecoder("utf-8")()
        pieces: list[str] = []
        while body_bytes:
            piece = await stdout.readexactly(min(body_bytes, _PIECE_BYTES))
            body_bytes -= len(piece)
            pieces.append(decoder.decode(piece, final=not body_bytes))
        return header, "".join(pieces)

    def slow_down(self) -> None:
        """Leave the machine to others from now on; there is no way back, so that this is its last page."""
        self.is_spent = True
        with contextlib.suppress(OSError):
            pid = self._process.pid
            os.setpriority(os.PRIO_PROCESS, pid, max(_NICE, os.getpriority(os.PRIO_PROCESS, pid)))

    def kill(self) -> None:
        """End the process now; it has nothing to lose.

        The signal is sent by hand: asyncio's own `kill` may reap a process that has just ended before asyncio hears
        of it, and its status would be lost.
        """
        if self.is_running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)

    async def gone(self) -> None:
        """Wait until the process has ended, and close its pipes."""
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
            # What it was being told is lost with it; older Python complains unless somebody hears of it.
            with contextlib.suppress(OSError):
                await self._process.stdin.wait_closed()


def environment() -> dict[str, str]:
    """All that a worker is told by its environment: our import path, and none of the server's keys.

    NumPy starts no threads in it: Landlock confines the thread that asks for it alone.
    """
    path = os.pathsep.join(part for part in sys.path if part)
    return {"PYTHONPATH": path, "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1"}


def _processor_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.inf
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
        self._attended: dict[WorkerProcess, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()
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
            await asyncio.gather(*self._attended.values())

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
        """Start a worker. A killed one goes first, for both at once would take more memory than the pool is given."""
        if self.is_closed:
            raise _closing()
        self._starting += 1
        self._none_starts.clear()
        try:
            if self._leaving:
                await asyncio.wait(self._leaving, timeout=_LEAVES_S)
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
        self._attended[worker] = asyncio.get_running_loop().create_task(self._attend(worker))
        if self.is_closed:
            self._end(worker)
            raise _closing()
        return worker

    async def _attend(self, worker: WorkerProcess) -> None:
        """Be there when a worker ends; one that was killed while it was idle, and had been of use, is replaced."""
        try:
            await worker.gone()
            if worker in self._idle:
                self._end(worker)
                if worker.pages:
                    self.warm()
        finally:
            self._leaving.discard(self._attended.pop(worker))

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
        if worker in self._attended:
            self._leaving.add(self._attended[worker])
        if worker in self._idle:
            self._idle.remove(worker)


def _closing() -> ContentError:
    return ContentError("The server is closing.", hint="Start it again.")
