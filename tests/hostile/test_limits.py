"""Limits over several processes on one state: exact under contention, and a killed process is no burden for ever."""

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gossamer.limits.limiter import Entry, Limiter, Rate, Refused
from gossamer.limits.slots import GENERATION_S
from gossamer.states.sqlite import SqliteState
from tests.patience import LONG_S

WORKER = Path(__file__).with_name("limit_worker.py")
PROCESSES = 4
CAP = 7

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@dataclass
class Shifted:
    """The machine's clock, some time later."""

    later_s: float = 0.0

    def now(self) -> float:
        return time.time() + self.later_s

    def monotonic(self) -> float:
        return time.monotonic() + self.later_s


@dataclass
class Worker:
    process: asyncio.subprocess.Process

    @classmethod
    async def start(cls, path: Path, cap: int, work: str, count: int) -> "Worker":
        pipe = asyncio.subprocess.PIPE
        command = [sys.executable, str(WORKER), str(path), str(cap), work, str(count)]
        worker = cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe))
        assert await worker.line() == ["ready"]
        return worker

    async def line(self) -> list[str]:
        assert self.process.stdout
        return (await asyncio.wait_for(self.process.stdout.readline(), LONG_S)).decode().split()

    def go(self) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"\n")

    async def rest(self) -> list[list[str]]:
        """All that it says until it ends."""
        lines: list[list[str]] = []
        while line := await self.line():
            lines.append(line)
        await asyncio.wait_for(self.process.wait(), LONG_S)
        return lines

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


@contextlib.asynccontextmanager
async def workers(path: Path, cap: int, work: str, count: int, *, many: int = PROCESSES) -> AsyncIterator[list[Worker]]:
    started = await asyncio.gather(*(Worker.start(path, cap, work, count) for _ in range(many)))
    try:
        yield started
    finally:
        for worker in started:
            await worker.kill()


@contextlib.asynccontextmanager
async def open_limiter(path: Path, clock: Shifted, cap: int = CAP) -> AsyncIterator[Limiter]:
    state = await SqliteState.open_file(path, clock=clock)
    rate = Rate(count=cap, seconds=999_999)
    limits = Limiter(
        state,
        clock=clock,
        key=bytes(32),
        requests=rate,
        tools={},
        in_flight=cap,
        in_flight_total=1_000,
        failed_logins=Rate(count=60, seconds=60),
        retry_s=0.05,
    )
    try:
        yield limits
    finally:
        await limits.close()
        await state.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


async def test_four_processes_at_once_admit_exactly_what_a_window_holds(path: Path) -> None:
    async with workers(path, 333, "admit", 160) as started:
        for worker in started:
            worker.go()
        said = await asyncio.gather(*(worker.rest() for worker in started))
    assert [lines[-1] for lines in said] == [["done", "False"]] * PROCESSES
    assert sum(lines.count(["admitted"]) for lines in said) == 333


async def test_killing_some_of_them_admits_no_more(path: Path) -> None:
    async with workers(path, 333, "admit", 16_000) as started:
        for worker in started:
            worker.go()
        heard = [await worker.line() for worker in started[:2] for _ in range(5)]
        for worker in started[:2]:
            await worker.kill()
        said = await asyncio.gather(*(worker.rest() for worker in started))
    assert heard.count(["admitted"]) + sum(lines.count(["admitted"]) for lines in said) <= 333
    async with open_limiter(path, Shifted(), cap=333) as limits:
        assert await limits.admit("ann") is not None


async def test_four_processes_at_once_run_no_more_than_allowed_and_no_fewer(path: Path) -> None:
    async with workers(path, CAP, "run", 1_600) as started:
        for worker in started:
            worker.go()
        said = await asyncio.gather(*(worker.rest() for worker in started))
    assert [lines[-1] for lines in said] == [["done", "False"]] * PROCESSES
    spans = [(float(line[1]), float(line[2])) for lines in said for line in lines if line[0] == "ran"]
    changes = sorted([(end, -1) for _, end in spans] + [(begin, 1) for begin, _ in spans])
    running = most = 0
    for _, change in changes:
        running += change
        most = max(most, running)
    assert most == CAP
    async with open_limiter(path, Shifted()) as limits:
        entries = await asyncio.gather(*(limits.enter("ann") for _ in range(CAP + 1)))
        assert sum(isinstance(entry, Entry) for entry in entries) == CAP


async def test_what_a_killed_process_was_running_is_forgotten_soon(path: Path) -> None:
    async with workers(path, CAP, "hold", CAP, many=1) as started:
        started[0].go()
        assert await started[0].line() == ["held", str(CAP)]
        async with open_limiter(path, Shifted()) as limits:
            assert await limits.enter("ann") == Refused(whose="user")
        await started[0].kill()
    async with open_limiter(path, Shifted(later_s=2 * GENERATION_S)) as limits:
        entries = await asyncio.gather(*(limits.enter("ann") for _ in range(CAP + 1)))
        assert sum(isinstance(entry, Entry) for entry in entries) == CAP


async def test_a_process_that_ends_in_order_leaves_nothing_behind(path: Path) -> None:
    async with workers(path, CAP, "hold", CAP, many=1) as started:
        started[0].go()
        assert await started[0].line() == ["held", str(CAP)]
        started[0].go()
        assert await started[0].rest() == [["done", "False"]]
    async with open_limiter(path, Shifted()) as limits:
        entries = await asyncio.gather(*(limits.enter("ann") for _ in range(CAP)))
        assert all(isinstance(entry, Entry) for entry in entries)


async def test_a_state_that_another_process_has_locked_holds_nobody_up(path: Path) -> None:
    async with open_limiter(path, Shifted()) as limits:
        assert await limits.admit("ann") is None
        pipe = asyncio.subprocess.PIPE
        command = [sys.executable, "-c", HOLD, str(path.with_name("state.lock"))]
        holder = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        try:
            assert holder.stdout
            assert await holder.stdout.readline() == b"held\n"
            async with asyncio.timeout(LONG_S):
                waits = await asyncio.gather(*(limits.admit("ann") for _ in range(CAP)))
                entries = await asyncio.gather(*(limits.enter("ann") for _ in range(CAP + 1)))
            assert sum(wait is None for wait in waits) == CAP - 1
            assert sum(isinstance(entry, Entry) for entry in entries) == CAP
            assert limits.is_degraded
        finally:
            await holder.communicate(b"")
        async with asyncio.timeout(LONG_S):
            while limits.is_degraded:  # noqa: ASYNC110  it is a probe of the limiter's own that changes it
                await asyncio.sleep(0.01)
        assert await limits.admit("ann") is not None
        assert isinstance(await limits.enter("ann"), Refused)
