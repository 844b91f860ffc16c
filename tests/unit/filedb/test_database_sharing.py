"""Several who have one database open: locks that were removed, two journals, and who closes under a held lock."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy
from gossamer.filedb.lock import FileLock
from gossamer.filedb.processes import Sharer
from gossamer.filedb.sqlite import Database, Journal, Schema
from gossamer.stores import open_store
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import keep, page_of
from tests.patience import LONG_S, once_free
from tests.unit.filedb.notes import texts

NOTES = Schema(name="notes", migrations=("CREATE TABLE notes (text TEXT NOT NULL)",))
PATIENCE_S = 4 * LONG_S


async def open_notes(path: Path, *, patience_s: float = PATIENCE_S, journal: Journal = "auto") -> Database:
    return await Database.open(path, NOTES, clock=SetClock(), patience_s=patience_s, journal=journal)


def add(text: str) -> Callable[[sqlite3.Connection], object]:
    return lambda connection: connection.execute("INSERT INTO notes VALUES (?)", (text,))


def mode(connection: sqlite3.Connection) -> str:
    return connection.execute("PRAGMA journal_mode").fetchone()[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite"


def test_who_takes_a_lock_whose_file_was_removed_takes_the_one_that_has_its_name(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first, second = FileLock(path), FileLock(path)
    path.unlink()
    third = FileLock(path)
    with first:
        assert not second.try_take()
        assert not third.try_take()
    with third:
        assert not first.try_take()
        assert not second.take(within_s=0)
    assert second.try_take()
    for lock in (first, second, third):
        lock.close()


def test_who_waited_for_a_lock_whose_file_was_removed_waits_for_the_new_one(tmp_path: Path) -> None:
    path, order = tmp_path / "lock", list[str]()
    old, waiting = FileLock(path), FileLock(path)

    def wait() -> None:
        with waiting:
            order.append("got it")

    with old:
        thread = threading.Thread(target=wait)
        thread.start()
        path.unlink()
        new = FileLock(path)
        assert new.try_take()
    thread.join(0.2)
    order.append("freed")
    new.free()
    thread.join()
    assert order == ["freed", "got it"]
    for lock in (old, waiting, new):
        lock.close()


def test_a_lock_in_a_folder_that_is_gone_is_the_one_that_is_open(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    first, second = FileLock(folder / "lock"), FileLock(folder / "lock")
    (folder / "lock").unlink()
    folder.rmdir()
    with first:
        assert not second.try_take()
    first.close()
    second.close()


async def test_those_who_write_agree_on_a_lock_after_its_file_was_removed(path: Path) -> None:
    first = await open_notes(path)
    await first.write(add("one"))
    path.with_name("notes.lock").unlink()
    second = await open_notes(path)
    await second.write(add("two"))
    with FileLock(path.with_name("notes.lock")):
        writing = [asyncio.ensure_future(it.write(add("three"))) for it in (first, second)]
        await asyncio.wait(writing, timeout=0.3)
        assert not any(it.done() for it in writing)
    await asyncio.gather(*writing)
    assert await first.read(texts) == ["one", "two", "three", "three"]
    await first.close()
    await second.close()


async def test_who_writes_is_known_as_a_user_again_after_that_file_was_removed(path: Path) -> None:
    database = await open_notes(path)
    await database.write(add("one"))
    path.with_name("notes.users").unlink()
    await database.write(add("two"))
    other = FileLock(path.with_name("notes.users"))
    assert other.is_marked
    assert not other.own(within_s=0)
    other.close()
    await database.close()


BESIDE: dict[str, tuple[Journal, Journal]] = {
    "truncate beside wal": ("wal", "truncate"),
    "the reverse": ("truncate", "wal"),
}


@pytest.mark.parametrize(("first", "second"), BESIDE.values(), ids=BESIDE)
async def test_who_asks_for_another_journal_uses_the_one_in_use_until_it_is_alone(
    path: Path, first: Journal, second: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    early = await open_notes(path, journal=first)
    await early.write(add("one"))
    late = await open_notes(path, journal=second)
    async with asyncio.timeout(LONG_S):
        await late.write(add("two"))
        await early.write(add("three"))
    assert await late.write(mode) == await early.write(mode) == first
    assert await early.read(texts) == await late.read(texts) == ["one", "two", "three"]
    await early.close()
    await late.write(add("four"))
    await late.close()
    assert f"in use with the journal `{first}`" in caplog.text
    alone = await open_notes(path, journal=second)
    assert await alone.write(mode) == second
    assert await alone.read(texts) == ["one", "two", "three", "four"]
    await alone.close()


async def test_a_log_left_by_who_was_killed_is_read_by_who_asks_for_another_journal(path: Path) -> None:
    database = await open_notes(path, journal="wal")
    await database.write(add("one"))
    left = {file: file.read_bytes() for file in path.parent.glob("notes.sqlite*")}
    await database.close()
    for file, content in left.items():
        file.write_bytes(content)
    database = await open_notes(path, journal="truncate")
    assert await database.write(mode) == "truncate"
    assert await database.read(texts) == ["one"]
    await database.close()


async def test_who_only_reads_closes_at_once_while_another_holds_the_lock(path: Path) -> None:
    database = await open_notes(path)
    await database.write(add("one"))
    await database.close()
    with FileLock(path.with_name("notes.lock")):
        database = await open_notes(path)
        assert await database.read(texts) == ["one"]
        database.post(add("may be lost"))
        async with asyncio.timeout(LONG_S):
            await database.close()
    for thread in threading.enumerate():
        if thread.name.startswith("gossamer-write"):
            await asyncio.to_thread(thread.join, LONG_S)
            assert not thread.is_alive()
    database = await open_notes(path)
    assert await database.read(texts) == ["one"]
    await database.close()


async def test_a_library_that_was_only_read_closes_at_once_while_another_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    clock = SetClock()
    store = await SqliteStore.open_file(path, clock=clock)
    kept = await keep(store, page_of("harbour"))
    await store.close()
    clock.advance(100_000)
    with FileLock(path.with_name("store.lock")):
        store = await SqliteStore.open_file(path, clock=clock, patience_s=PATIENCE_S)
        assert await store.page(kept.url) == kept
        async with asyncio.timeout(LONG_S):
            await store.close()


async def test_a_process_that_closes_waits_once_for_who_holds_the_lock(path: Path) -> None:
    database = await open_notes(path, patience_s=4.0)
    await database.write(add("one"))
    with FileLock(path.with_name("notes.lock")):
        with pytest.raises(StoreBusy):
            await database.write(add("two"))
        async with asyncio.timeout(3.8):
            await database.close()


async def test_what_waits_for_the_lock_is_bounded_by_its_size(path: Path) -> None:
    database = await open_notes(path, patience_s=3.0)
    size = 20 * 2**20
    with FileLock(path.with_name("notes.lock")):
        for number in range(3):
            with pytest.raises(StoreBusy, match="for 3 s"):
                await database.write(add(str(number)), size=size)
        with pytest.raises(StoreBusy, match="this is not kept"):
            await database.write(add("too much"), size=size)
        with pytest.raises(StoreBusy, match="for 3 s"):
            await database.write(add("small"))
    await once_free(lambda: database.write(lambda _: None))
    await database.write(add("after all these"))
    await database.write(add("one larger than all"), size=10**9)
    assert await database.read(texts) == ["0", "1", "2", "small", "after all these", "one larger than all"]
    await database.close()


async def test_a_page_that_too_much_waits_before_is_told_not_to_be_kept(tmp_path: Path) -> None:
    store = await SqliteStore.open_file(tmp_path / "store.sqlite", clock=SetClock(), patience_s=6)
    text = "harbour " * 2_000_000
    with FileLock(tmp_path / "store.lock"):
        told = list[str]()
        for number in range(6):
            with pytest.raises(StoreBusy) as caught:
                await store.save(page_of(text, url=f"https://example.com/{number}"), ())
            told.append(caught.value.message)
    refused = [number for number, said in enumerate(told) if "not kept" in said]
    assert refused
    assert refused[0] > 0
    await once_free(lambda: store.remove("https://example.com/none"))
    kept = {listed.url for listed in await store.pages(count=20)}
    assert kept == {f"https://example.com/{number}" for number in range(6) if number not in refused}
    await store.close()


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
async def test_what_is_left_of_those_that_were_killed_goes_when_the_next_one_comes(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"store.{kind}"
    folder = tmp_path / f"{path.name}.processes"
    folder.mkdir()
    living = FileLock(folder / "1-living")
    assert living.try_take()
    for number in range(20):
        (folder / f"{number}-dead").touch()
    store = await open_store(f"{kind}://{path}", clock=SetClock())
    await keep(store, page_of("Something."))
    assert len(list(folder.iterdir())) == 2
    await store.close()
    assert [it.name for it in folder.iterdir()] == ["1-living"]
    living.close()


def test_however_many_were_killed_each_that_comes_clears_some(tmp_path: Path) -> None:
    folder = tmp_path / "store.sqlite.processes"
    folder.mkdir()
    for number in range(250):
        (folder / f"{number}-dead").touch()
    left: list[int] = []
    for _ in range(3):
        Sharer(tmp_path / "store.sqlite").close()
        left.append(len(list(folder.iterdir())) if folder.exists() else 0)
    assert left == [150, 50, 0]
