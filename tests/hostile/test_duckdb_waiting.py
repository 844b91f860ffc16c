"""A DuckDB file that somebody keeps: callers are told in time, and what waited is freed when nobody waits any more."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy
from gossamer.filedb.lock import FileLock
from gossamer.stores.duckdb.store import DuckdbStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import keep, page_of

PATIENCE_S = 3.0
PROMISED_S = 40.0
"""Far less than twenty times that patience."""
IMPORTING = """
import asyncio, sys, threading
importers = {}
def note(event, args):
    if event == "import":
        importers.setdefault(args[0], threading.current_thread())
sys.addaudithook(note)
from gossamer.stores import open_store
from gossamer.testing.clock import SetClock
async def main():
    store = await open_store(sys.argv[1], clock=SetClock())
    await store.close()
asyncio.run(main())
drivers = {name: thread is threading.main_thread() for name, thread in importers.items() if name.startswith("duckdb")}
assert drivers and not any(drivers.values()), drivers
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "store.duckdb"


@pytest.fixture
def holder(path: Path) -> Iterator[FileLock]:
    """Has the file, and does not hear that others want it."""
    lock = FileLock(path.with_name(f"{path.name}.lock"))
    assert lock.try_take()
    yield lock
    lock.close()


async def open_store(path: Path, patience_s: float = PATIENCE_S) -> DuckdbStore:
    return await DuckdbStore.open_file(path, clock=SetClock(), patience_s=patience_s)


def threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("gossamer")}


def open_files(folder: Path) -> list[str]:
    if not Path("/proc/self/fd").exists():
        return []
    links = (str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink())
    return sorted(name for name in links if name.startswith(str(folder)))


async def assert_freed(before: set[threading.Thread], folder: Path, files: list[str]) -> None:
    for thread in threads() - before:
        await asyncio.to_thread(thread.join, PROMISED_S)
    assert threads() - before == set()
    assert open_files(folder) == files


async def test_who_asks_while_somebody_keeps_the_file_is_told_in_time_and_once_closed_nothing_is_left(
    path: Path, holder: FileLock
) -> None:
    before, files = threads(), open_files(path.parent)
    began = time.monotonic()
    store = await open_store(path)
    for _ in range(20):
        with pytest.raises(StoreBusy, match="one process at a time"):
            await store.page("https://example.com/")
    await store.close()
    assert time.monotonic() - began < PROMISED_S
    await assert_freed(before, path.parent, files)


async def test_those_behind_one_another_are_all_freed(path: Path, holder: FileLock) -> None:
    assert path.parent.exists()
    before, files = threads(), open_files(path.parent)
    stores = await asyncio.gather(*(open_store(path) for _ in range(4)))
    assert len(threads() - before) == 4
    await asyncio.gather(*(store.close() for store in stores))
    await assert_freed(before, path.parent, files)
    assert holder.is_marked is False


async def test_an_opening_that_is_cancelled_leaves_nothing(path: Path, holder: FileLock) -> None:
    before, files = threads(), open_files(path.parent)
    opening = asyncio.create_task(open_store(path, patience_s=60))
    await asyncio.wait({opening}, timeout=0.3)
    opening.cancel()
    await asyncio.wait({opening})
    assert opening.cancelled()
    await assert_freed(before, path.parent, files)
    assert not holder.is_marked


async def test_a_store_opened_meanwhile_works_as_soon_as_the_file_is_free(path: Path, holder: FileLock) -> None:
    store, page = await open_store(path), page_of("Late.")
    with pytest.raises(StoreBusy):
        await keep(store, page)
    holder.free()
    async with asyncio.timeout(60):
        while not await answers(store):
            pass
    assert await store.page(page.url) == page
    await store.close()


async def test_what_was_to_be_kept_when_the_store_was_closed_is_kept_once_the_file_is_free(
    path: Path, holder: FileLock
) -> None:
    before, files = threads(), open_files(path.parent)
    store, page = await open_store(path), page_of("Late.")
    with pytest.raises(StoreBusy):
        await keep(store, page)
    await store.close()
    holder.free()
    await assert_freed(before, path.parent, files)
    store = await open_store(path, patience_s=60)
    assert await store.page(page.url) == page
    await store.close()


async def answers(store: DuckdbStore) -> bool:
    try:
        await asyncio.sleep(0.01)  # it says at once that it has to be waited for
        await store.models()
    except StoreBusy:
        return False
    return True


async def test_what_waits_is_bounded_and_what_is_not_kept_is_said(path: Path, holder: FileLock) -> None:
    before, files = threads(), open_files(path.parent)
    store = await open_store(path)
    large = "x" * 8_000_000
    told: list[str] = []
    for number in range(12):
        with pytest.raises(StoreBusy) as caught:
            await store.save(page_of(large, url=f"https://example.com/{number}"), ())
        told.append(caught.value.message)
    kept = ["not kept" not in message for message in told]
    assert kept[0]
    assert not kept[-1]
    holder.free()
    await store.close()
    await assert_freed(before, path.parent, files)
    store = await open_store(path, patience_s=60)
    assert len(await store.pages(count=50)) == sum(kept)
    await store.close()


async def test_lock_files_that_are_removed_under_those_who_use_them_part_nobody(path: Path) -> None:
    one, other = await open_store(path, 60), await open_store(path, 60)
    held = FileLock(path.with_name(f"{path.name}.lock"))
    for number in range(6):
        for lock in ("lock", "want"):
            path.with_name(f"{path.name}.{lock}").unlink(missing_ok=True)
        store = (one, other)[number % 2]
        await keep(store, page_of(f"Number {number}.", url=f"https://example.com/{number}"))
        # Whose turn it is has the file of this name.
        assert not held.try_take()
    for store in (one, other):
        assert len(await store.pages(count=50)) == 6
    held.close()
    await asyncio.gather(one.close(), other.close())


def test_the_driver_is_loaded_in_a_thread_of_its_own(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, f"duckdb://{path}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
