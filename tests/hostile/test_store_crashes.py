"""kill -9 in mid-write, several writers, and a lock that somebody holds."""

import asyncio
import contextlib
import random
import sqlite3
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy
from gossamer.stores.sqlite import SqliteStore
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import chunks_of, keep, page_of

WORKER = Path(__file__).with_name("store_worker.py")
WORKERS, KILLS = 4, 14

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@dataclass
class Worker:
    """A process that is killed and started again, and all that it ever said."""

    name: str
    path: Path
    process: asyncio.subprocess.Process | None = None
    said: list[str] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)
    listening: asyncio.Task[None] | None = None

    async def start(self, seed: int) -> None:
        numbers = [int(line.split()[2]) for line in self.said if line.startswith("intent")]
        first = max(numbers, default=0) + 1
        command = [sys.executable, str(WORKER), str(self.path), self.name, str(first), str(seed)]
        self.process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        self.listening = asyncio.create_task(self._listen(self.process))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout
        async for line in process.stdout:
            async with self.news:
                self.said.append(line.decode().strip())
                self.news.notify_all()

    async def hear(self, lines: int) -> None:
        """Wait until this process, once ready, has said so many lines more."""
        goal = len(self.said) + 1 + lines
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: len(self.said) >= goal), 30)

    async def kill(self) -> None:
        assert self.process
        assert self.listening
        self.process.kill()
        await self.process.wait()
        await self.listening


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.sqlite"


async def open_store(path: Path, *, patience_s: float = 10.0) -> SqliteStore:
    return await SqliteStore.open_file(path, clock=SetClock(), patience_s=patience_s)


async def test_kill_9_loses_no_page_that_was_acknowledged(path: Path) -> None:
    dice = random.Random(3)
    workers = [Worker(name=f"worker{n}", path=path) for n in range(WORKERS)]
    try:
        for seed, worker in enumerate(workers):
            await worker.start(seed)
        await asyncio.gather(*(worker.hear(1) for worker in workers))
        for kill in range(KILLS):
            worker = dice.choice(workers)
            await worker.hear(dice.randrange(1, 20))
            await worker.kill()
            await worker.start(100 + kill)
            await worker.hear(dice.randrange(2))
    finally:
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                await worker.kill()
    assert [line for worker in workers for line in worker.said if line.startswith("wrong")] == []
    await everything_acknowledged_is_there(path, workers)
    nothing_is_torn(path)


async def everything_acknowledged_is_there(path: Path, workers: list[Worker]) -> None:
    store = await open_store(path)
    for worker in workers:
        promised: dict[str, dict[str, int]] = defaultdict(dict)
        for line in worker.said:
            if line != "ready":
                kind, page, number = line.split()
                promised[page][kind] = int(number)
        for number, last in promised.items():
            page = await store.page(f"https://example.com/{worker.name}/{number}")
            if "done" in last:
                assert page
            if page:
                assert last.get("done", 0) <= page.fetched_at <= last["intent"]
                assert page.text == f"number {page.fetched_at:.0f} of {worker.name} " * 100
                assert await store.chunks(page) == chunks_of(page)
    await store.close()


def nothing_is_torn(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.execute("INSERT INTO fts (fts) VALUES ('integrity-check')")
        by_key = connection.execute("SELECT count(*) FROM documents WHERE url > '' AND view = ''").fetchone()
        assert by_key == connection.execute("SELECT count(*) FROM documents NOT INDEXED").fetchone()


@contextlib.asynccontextmanager
async def holder(path: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process that holds the write lock until its input ends."""
    command = [sys.executable, "-c", HOLD, str(path.with_name("store.lock"))]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    assert process.stdout
    assert await process.stdout.readline() == b"held\n"
    try:
        yield process
    finally:
        await free(process)


async def free(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        await process.communicate(b"")


async def test_saving_and_closing_wait_for_the_lock_and_reading_does_not(path: Path) -> None:
    store = await open_store(path)
    kept = await keep(store, page_of("Kept before."))
    async with holder(path) as process:
        saving = asyncio.create_task(keep(store, page_of("Saved meanwhile.", at=2000.0)))
        await asyncio.wait({saving}, timeout=0.3)
        assert not saving.done()
        async with asyncio.timeout(5):
            assert await store.page(kept.url) == kept
            assert await store.chunks(kept) == chunks_of(kept)
            assert len(await store.find("before", count=5)) == 1
            assert len(await store.pages(count=5)) == 1
        await free(process)
        assert (await saving).version == 2
    async with holder(path) as process:
        closing = asyncio.create_task(store.close())
        await asyncio.wait({closing}, timeout=0.3)
        assert not closing.done()
        await free(process)
        await closing


async def test_a_save_that_had_to_wait_too_long_is_done_once_the_lock_is_free(path: Path) -> None:
    store = await open_store(path, patience_s=1.0)
    async with holder(path):
        with pytest.raises(StoreBusy):
            await keep(store, page_of("Late."))
    other = await open_store(path)
    await keep(other, page_of("Another.", url="https://example.com/other"))
    await store.close()
    assert {listed.chars for listed in await other.pages(count=5)} == {len("Late."), len("Another.")}
    await other.close()
