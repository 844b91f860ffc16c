"""kill -9 in mid-write, two writers, held locks, and files that are not what they seem."""

import asyncio
import contextlib
import random
import re
import shutil
import sqlite3
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy, StoreError
from gossamer.stores.sqlite import SqliteStore
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import chunks_of, keep, page_of

WORKER = Path(__file__).with_name("store_worker.py")
WORKERS, KILLS = 4, 15

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
            await worker.hear(dice.randrange(1, 30))
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
        await process.communicate()


async def test_saving_and_closing_wait_for_the_lock_and_reading_does_not(path: Path) -> None:
    store = await open_store(path)
    kept = await keep(store, page_of("Kept before."))
    async with holder(path) as process:
        saving = asyncio.create_task(keep(store, page_of("Saved meanwhile.", at=2000.0)))
        await asyncio.wait({saving}, timeout=0.3)
        assert not saving.done()
        async with asyncio.timeout(2):
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
    store = await open_store(path, patience_s=0.3)
    async with holder(path):
        with pytest.raises(StoreBusy):
            await keep(store, page_of("Late."))
    other = await open_store(path)
    await keep(other, page_of("Another.", url="https://example.com/other"))
    await store.close()
    assert [listed.chars for listed in await other.pages(count=5)] == [8, 5]
    await other.close()


async def make_store(path: Path) -> None:
    store = await open_store(path)
    for number in range(20):
        page = page_of(f"Page number {number} about harbours. " * 40, url=f"https://example.com/{number}")
        await store.save(page, chunks_of(page))
    await store.close()


BROKEN = {
    "garbage": lambda data: b"garbage " * 10_000,
    "a few bytes": lambda data: b"x",
    "text": lambda data: b"<html>not a database</html>" * 100,
    "cut in the middle": lambda data: data[: len(data) // 2],
    "cut within a page": lambda data: data[:20_000],
    "a header without a body": lambda data: data[:100],
    "pages overwritten": lambda data: data[:8192] + bytes(8192 * 4) + data[8192 * 5 :],
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
async def test_a_broken_file_is_moved_aside_and_the_store_works(
    path: Path, damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    await make_store(path)
    rewrite(path, damage)
    store = await open_store(path)
    with contextlib.suppress(StoreError):
        await store.find("harbours", count=5)
        await store.pages(count=5)
        await store.page("https://example.com/3")
    await store.close()
    store = await open_store(path)
    page = await keep(store, page_of("A new beginning."))
    assert await store.page(page.url) == page
    assert len(await store.find("beginning", count=5)) == 1
    await store.close()
    assert caplog.text.count("could not be used") == 1
    assert len(list(path.parent.glob("corrupt-*/store.sqlite"))) == 1


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


async def test_an_empty_file_is_a_new_store(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    rewrite(path, lambda data: b"")
    store = await open_store(path)
    assert await store.pages(count=5) == ()
    await store.close()
    assert caplog.text == ""


async def test_the_store_of_a_newer_gossamer_is_moved_aside(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = '999' WHERE key = 'store.schema'")
    for _ in range(2):
        store = await open_store(path)
        assert await store.pages(count=5) == ()
        await store.close()
    assert caplog.text.count("newer Gossamer") == 1
    assert len(list(path.parent.glob("newer-*/store.sqlite"))) == 1


GARBLED = {
    "the text of a chunk": "UPDATE chunks SET text = replace(text, 'harbours', 'airports')",
    "bytes that are no text": "UPDATE chunks SET text = CAST(x'ff00ff' AS TEXT)",
    "the place of a chunk": "UPDATE chunks SET start = start + 1",
    "the section of a chunk": "UPDATE chunks SET section = '['",
    "a chunk that is gone": "DELETE FROM chunks WHERE cid % 4096 = 1",
    "a compressed text": "UPDATE documents SET body = x'00'",
    "another text": "UPDATE documents SET body = (SELECT body FROM documents AS other WHERE other.id = documents.id % 20 + 1)",
    "the hash": "UPDATE documents SET content_hash = 'abc'",
    "the details": "UPDATE documents SET details = '{'",
    "details of another shape": "UPDATE documents SET details = '[]'",
    "a column of another kind": "UPDATE documents SET title = x'00'",
}


@pytest.mark.parametrize("garble", GARBLED.values(), ids=GARBLED)
async def test_a_garbled_page_is_reported_as_none_and_can_be_saved_again(path: Path, garble: str) -> None:
    await make_store(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(garble)
    store = await open_store(path)
    pages = [page_of(f"Page number {n} about harbours. " * 40, url=f"https://example.com/{n}") for n in range(3)]
    assert await store.page(pages[0].url) is None
    assert await store.chunks(pages[1]) == ()
    assert len(await store.pages(count=100)) in {18, 19}
    for page in pages:
        assert await store.save(page, chunks_of(page)) == page
        assert await store.page(page.url) == page
        assert await store.chunks(page) == chunks_of(page)
    assert {"https://example.com/0", "https://example.com/1"} <= {
        hit.url for hit in await store.find("harbours", count=50)
    }
    assert await store.remove("https://example.com/7")
    await store.close()
    nothing_is_torn(path)


async def test_bytes_flipped_anywhere_never_come_back_as_a_page(tmp_path: Path) -> None:
    await make_store(tmp_path / "store.sqlite")
    sound = (tmp_path / "store.sqlite").read_bytes()
    texts = {f"https://example.com/{n}": f"Page number {n} about harbours. " * 40 for n in range(20)}
    dice = random.Random(11)
    for attempt in range(25):
        path = tmp_path / str(attempt) / "store.sqlite"
        path.parent.mkdir()
        data = bytearray(sound)
        for _ in range(20):
            data[dice.randrange(100, len(data))] = dice.randrange(256)
        path.write_bytes(data)
        with contextlib.suppress(StoreError):
            store = await open_store(path)
            for url, text in texts.items():
                with contextlib.suppress(StoreError):
                    page = await store.page(url)
                    assert page is None or page.text == text
                    chunks = await store.chunks(page) if page else ()
                    assert not chunks or "".join(chunk.text for chunk in chunks) == text
                with contextlib.suppress(StoreError):
                    await store.find(f"harbours {url}", count=5)
            await store.close()
        shutil.rmtree(path.parent)


async def test_a_broken_word_index_is_made_again(path: Path) -> None:
    await make_store(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE fts_data SET block = x'ffffffffffff' WHERE id > 10")
    store = await open_store(path)
    with pytest.raises(StoreError):
        await store.find("harbours", count=5)
    await store.close()
    store = await open_store(path)
    assert len(await store.find("harbours", count=50)) == 20
    assert len(await store.pages(count=50)) == 20
    await store.close()
    assert re.findall("corrupt", str(list(path.parent.iterdir()))) == []
