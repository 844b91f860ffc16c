"""One worker process, seen from the server: start, exchange of frames, stop."""

import asyncio
import codecs
import contextlib
import math
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Any

from gossamer.extractors.workers import frames
from gossamer.extractors.workers.frames import BrokenFrame, Header
from gossamer.extractors.workers.sandbox import Missing, missing_of

_PIECE_BYTES = 256 * 1024
_NICE = 15


_OWN_FAULTS = frozenset(
    {signal.SIGXCPU, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP, signal.SIGFPE}
)


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
