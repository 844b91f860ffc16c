"""A DuckDB file belongs to one process: several that use it at once, one that is killed, one that is stopped."""

import asyncio
import contextlib
import signal
import stat
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import duckdb
import pytest

from gossamer.errors import StoreBusy
from gossamer.filedb.lock import FileLock
from gossamer.filedb.processes import count_sharers
from gossamer.stores.duckdb.store import DuckdbStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, keep, page_of
from tests.patience import LONG_S

WORKER = Path(__file__).with_name("duckdb_worker.py")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.duckdb"


@contextlib.asynccontextmanager
async def opened(path: Path, *, patience_s: float = 60.0) -> AsyncIterator[DuckdbStore]:
    store = await DuckdbStore.open_file(path, clock=SetClock(), patience_s=patience_s)
    try:
        yield store
    finally:
        await store.close()


@contextlib.asynccontextmanager
async def worker(path: Path, name: str, pages: int) -> AsyncIterator[asyncio.subprocess.Process]:
    pipe = asyncio.subprocess.PIPE
    command = [sys.executable, str(WORKER), str(path), name, str(pages)]
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGCONT)
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()


async def said(process: asyncio.subprocess.Process, last: str) -> list[str]:
    """What a worker says up to `last`."""
    assert process.stdout
    lines: list[str] = []
    async with asyncio.timeout(4 * LONG_S):
        while lines[-1:] != [last]:
            line = (await process.stdout.readline()).decode().strip()
            assert line, lines
            lines.append(line)
    return lines


async def test_processes_that_save_at_once_lose_nothing_and_meet_no_error(path: Path) -> None:
    names = ["a", "b", "c", "d"]
    async with contextlib.AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(worker(path, name, 8)) for name in names]
        heard = await asyncio.gather(*(said(process, "done") for process in processes))
        assert [line for lines in heard for line in lines if line.startswith("wrong")] == []
        async with opened(path) as store:
            for name in names:
                for number in range(8):
                    page = await store.page(f"https://example.com/{name}/{number}")
                    assert page
                    assert page.text == f"number {number} of {name} " * 60
                    assert await store.chunks(page) == chunks_of(page)
            assert len(await store.find("number", count=100)) == 32


async def test_processes_whose_lock_files_are_removed_meet_no_error_and_lose_nothing(path: Path) -> None:
    names = ["a", "b", "c"]
    async with contextlib.AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(worker(path, name, 10)) for name in names]
        heard: list[str] = []
        for number in range(0, 9, 2):
            heard += await said(processes[number % 3], f"saved {number}")
            for lock in ("lock", "want"):
                path.with_name(f"{path.name}.{lock}").unlink(missing_ok=True)
        for process in processes:
            heard += await said(process, "done")
        assert [line for line in heard if line.startswith("wrong")] == []
        async with opened(path) as store:
            assert len(await store.pages(count=100)) == 30


async def test_a_killed_process_leaves_the_file_to_others_with_all_that_it_acknowledged(path: Path) -> None:
    for kill in range(4):
        async with worker(path, f"victim{kill}", 1_000) as process:
            await said(process, f"saved {kill}")
            process.kill()
            lines = (await process.communicate())[0].decode().split()
        acknowledged = [int(number) for number in lines if number.isdigit()]
        async with opened(path) as store:
            for number in range(max(acknowledged, default=kill) + 1):
                page = await store.page(f"https://example.com/victim{kill}/{number}")
                assert page
                assert await store.chunks(page) == chunks_of(page)


async def test_an_idle_holder_hands_the_file_over_and_both_see_everything(path: Path) -> None:
    async with worker(path, "idle", 1) as process:
        await said(process, "done")
        async with asyncio.timeout(LONG_S), opened(path, patience_s=4 * LONG_S) as store:
            assert await store.page("https://example.com/idle/0")
            await keep(store, page_of("Mine."))
        assert process.returncode is None


async def test_a_stopped_holder_makes_callers_wait_once_and_what_was_to_be_kept_is_kept_later(path: Path) -> None:
    before, late = page_of("Before.", url="https://example.com/before"), page_of("Late.")
    async with opened(path, patience_s=4) as store:
        await keep(store, before)
        async with worker(path, "stopped", 1_000) as process:
            await said(process, "saved 3")
            process.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            with pytest.raises(StoreBusy, match="held by another process"):
                await keep(store, late)
            assert time.monotonic() - began < LONG_S
            began = time.monotonic()
            for _ in range(5):
                with pytest.raises(StoreBusy):
                    await store.page(before.url)
            # Five times their patience would be twenty seconds.
            assert time.monotonic() - began < 18
        async with asyncio.timeout(LONG_S):
            while not await answers(store):
                pass
        assert await store.page(late.url) == late
        assert await store.page(before.url) == before


async def answers(store: DuckdbStore) -> bool:
    try:
        await store.models()
    except StoreBusy:
        return False
    return True


async def test_everything_waits_for_the_lease_and_it_is_given_up_to_whoever_wants_it(path: Path) -> None:
    page = page_of("Some text.")
    async with opened(path) as store:
        holder, want = (FileLock(path.with_name(f"{path.name}.{it}")) for it in ("lock", "want"))
        assert not holder.try_take()
        assert await asyncio.to_thread(want.own, within_s=LONG_S)
        assert await asyncio.to_thread(holder.own, within_s=LONG_S)
        want.free()
        # Closed, and all of it in the file.
        assert not path.with_name(f"{path.name}.wal").exists()
        saving, reading = (asyncio.create_task(it) for it in (keep(store, page), store.page(page.url)))
        await asyncio.wait({saving, reading}, timeout=0.3)
        assert not saving.done()
        assert not reading.done()
        holder.free()
        assert (await saving).version == 1
        await reading
        for lock in (holder, want):
            lock.close()


async def test_those_who_share_a_file_are_counted_as_long_as_they_live(path: Path) -> None:
    assert count_sharers(path) == 0
    async with opened(path) as store, worker(path, "other", 1) as process:
        await said(process, "done")
        assert count_sharers(path) == 2
        process.kill()
        await process.communicate()
        assert count_sharers(path) == 1
        assert await store.page("https://example.com/other/0")
    assert count_sharers(path) == 0


async def test_every_file_is_for_its_owner_alone_wherever_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "open" / "store.duckdb"
    path.parent.mkdir(mode=0o755)
    async with opened(path) as store:
        for number in range(3):
            await keep(store, page_of("Some text.", url=f"https://example.com/{number}"))
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
            for folder in ("store.duckdb.processes", "store.duckdb.tmp"):
                assert modes.pop(folder) == 0o700
            assert set(modes.values()) == {0o600}
            assert {"store.duckdb", "store.duckdb.wal"} <= set(modes)


async def test_a_file_that_another_program_has_open_is_said_to_be(path: Path) -> None:
    async with opened(path) as store:
        await keep(store, page_of("Some text."))
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(path), stdin=pipe, stdout=pipe)
    assert process.stdout
    assert await process.stdout.readline() == b"open\n"
    try:
        with pytest.raises(StoreBusy, match="Another program"):
            await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)
    finally:
        await process.communicate(b"")
    async with opened(path) as store:
        assert await store.page(page_of("").url)


async def test_duckdb_neither_downloads_nor_loads_anything_nor_reads_other_files(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    async with opened(path) as store:
        for statement in ("INSTALL vss", "LOAD vss", f"FROM read_csv('{tmp_path}/other.csv')"):
            with pytest.raises(duckdb.PermissionException):
                await store._database.read(lambda it, statement=statement: it.execute(statement))
        with pytest.raises(duckdb.CatalogException, match="not in the catalog"):
            await store._database.read(lambda it: it.execute("SELECT stem('harbours', 'english')"))
        await keep(store, page_of("Some text."))
