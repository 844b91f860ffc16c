"""Somebody else holds the write lock, or is stopped inside it: all that writes waits, nothing that reads does."""

import asyncio
import contextlib
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy
from gossamer.filedb.sqlite import Database, Schema
from gossamer.model.page import Page, Vectors
from gossamer.model.records import Kept
from gossamer.states.sqlite import SqliteState
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import chunks_of, keep, page_of, vectors_of

DAY = "2026-11-16"
WAIT_S = 0.3
"""So long a write is seen to wait."""
SOON_S = 60
"""A read that waits for the lock would take for ever."""

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.sqlite"


@contextlib.asynccontextmanager
async def holder(lock: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process that holds a lock until its input ends."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLD, str(lock), stdin=pipe, stdout=pipe)
    assert process.stdout
    assert await process.stdout.readline() == b"held\n"
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def free(process: asyncio.subprocess.Process) -> None:
    await process.communicate(b"")


async def open_store(path: Path, *, patience_s: float = 60.0) -> SqliteStore:
    return await SqliteStore.open_file(path, clock=SetClock(), patience_s=patience_s)


async def fill(store: SqliteStore) -> Page:
    kept = await keep(store, page_of("Kept before. " * 40))
    await store.save_vectors(kept, vectors_of(chunks_of(kept)))
    await store.reserve("known", provider="paid", day=DAY, amount=1, cap=9, ttl_s=60)
    return kept


READS: dict[str, Callable[[SqliteStore, Page], Awaitable[object]]] = {
    "page": lambda store, page: store.page(page.url),
    "chunks": lambda store, page: store.chunks(page),
    "vectors": lambda store, page: store.vectors(page, "small"),
    "former vectors": lambda store, page: store.former_vectors(page, "small"),
    "find": lambda store, _: store.find("before", count=5),
    "nearest": lambda store, _: store.nearest(Vectors(model="small", dimension=2, data=bytes([1] * 4)), count=5),
    "pages": lambda store, _: store.pages(count=5),
    "versions": lambda store, page: store.versions(page.url),
    "models": lambda store, _: store.models(),
    "spent": lambda store, _: store.spent("paid", DAY),
    "stats": lambda store, _: store.stats(),
}
WRITES: dict[str, Callable[[SqliteStore, Page], Awaitable[object]]] = {
    "save": lambda store, _: keep(store, page_of("Saved meanwhile.", at=2_000.0)),
    "save vectors": lambda store, page: store.save_vectors(page, vectors_of(chunks_of(page), byte=2)),
    "forget vectors": lambda store, _: store.forget_vectors("small"),
    "remove": lambda store, page: store.remove(page.url),
    "reserve": lambda store, _: store.reserve("new", provider="paid", day=DAY, amount=1, cap=9, ttl_s=60),
    "settle": lambda store, _: store.settle("known", 2),
    "restore": lambda store, page: store.restore(Kept(page=replace(page, fetched_at=3_000.0))),
    "trim": lambda store, _: store.trim(most_bytes=0),
    "close": lambda store, _: store.close(),
}


async def test_nothing_that_reads_waits_for_the_lock(path: Path) -> None:
    store = await open_store(path)
    kept = await fill(store)
    async with holder(path.with_name("store.lock")) as process:
        for name, read in READS.items():
            async with asyncio.timeout(SOON_S):
                assert await read(store, kept), name
        await free(process)
    await store.close()


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
async def test_everything_that_writes_waits_for_the_lock(
    path: Path, write: Callable[[SqliteStore, Page], Awaitable[object]]
) -> None:
    store = await open_store(path)
    kept = await fill(store)
    files = (path, path.with_name(f"{path.name}-wal"))
    before = content(*files)
    async with holder(path.with_name("store.lock")) as process:
        writing = asyncio.ensure_future(write(store, kept))
        await asyncio.wait({writing}, timeout=WAIT_S)
        assert not writing.done()
        assert content(*files) == before
        await free(process)
        await asyncio.wait_for(writing, SOON_S)
    await store.close()
    assert content(*files) != before


def content(*paths: Path) -> bytes:
    """What lies on disk, read by another process: closing a file drops the locks that SQLite holds on it in ours."""
    there = [str(path) for path in paths if path.exists()]
    return subprocess.run(["sha256sum", *there], capture_output=True, check=True).stdout


async def test_a_checkpoint_waits_for_the_lock(path: Path) -> None:
    schema = Schema(name="test", migrations=("CREATE TABLE words (word TEXT);",))
    database = await Database.open(path, schema, clock=SetClock(), patience_s=60)
    await database.write(lambda it: it.execute("INSERT INTO words VALUES ('word')"))
    before = content(path)
    async with holder(path.with_name("store.lock")) as process:
        moving = asyncio.create_task(database.checkpoint())
        await asyncio.wait({moving}, timeout=WAIT_S)
        assert not moving.done()
        assert content(path) == before
        await free(process)
        await asyncio.wait_for(moving, SOON_S)
    assert content(path) != before
    await database.close()


async def test_a_save_that_had_to_wait_too_long_is_done_once_the_lock_is_free(path: Path) -> None:
    store = await open_store(path, patience_s=1.0)
    async with holder(path.with_name("store.lock")):
        with pytest.raises(StoreBusy):
            await keep(store, page_of("Late."))
    other = await open_store(path)
    await keep(other, page_of("Another.", url="https://example.com/other"))
    await store.close()
    assert {listed.chars for listed in await other.pages(count=5)} == {len("Late."), len("Another.")}
    await other.close()


async def test_who_is_stopped_inside_the_lock_delays_writes_and_no_reads_until_it_goes_on_or_dies(path: Path) -> None:
    store = await open_store(path, patience_s=1.0)
    kept = await fill(store)
    for ending in (signal.SIGCONT, signal.SIGKILL):
        async with holder(path.with_name("store.lock")) as process:
            process.send_signal(signal.SIGSTOP)
            with pytest.raises(StoreBusy):
                await store.reserve(f"during {ending}", provider="paid", day=DAY, amount=1, cap=9, ttl_s=60)
            async with asyncio.timeout(SOON_S):
                assert await store.page(kept.url) == kept
                assert await store.find("before", count=5)
            process.send_signal(ending)
            if ending == signal.SIGCONT:
                await free(process)
    await store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        ops = {op for (op,) in connection.execute("SELECT op FROM ledger")}
    assert ops == {"known", f"during {signal.SIGCONT}", f"during {signal.SIGKILL}"}


async def test_a_state_reads_without_the_lock_and_changes_with_it(tmp_path: Path) -> None:
    clock = SetClock()
    state = await SqliteState.open_file(tmp_path / "state.sqlite", clock=clock, patience_s=60)
    await state.put("key", "value", ttl_s=100)
    changes = [
        state.put("key", "other", ttl_s=100),
        state.add("hits", ttl_s=100),
        state.window("calls", cap=9, window_s=100),
        state.swap("key", "other", "third", ttl_s=100),
        state.lease("probe", "ann", ttl_s=100),
        state.release("probe", "ann"),
    ]
    async with holder(tmp_path / "state.lock") as process:
        tasks = [asyncio.ensure_future(change) for change in changes]
        await asyncio.wait(tasks, timeout=WAIT_S)
        assert not any(task.done() for task in tasks)
        async with asyncio.timeout(SOON_S):
            assert await state.get("key") == "value"
        await free(process)
        await asyncio.wait_for(asyncio.gather(*tasks), SOON_S)
    assert await state.get("key") == "third"
    await state.close()
