"""Opening a database beside others: what waits for their lock, what does not, and what is left behind."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy, StoreUnavailable
from gossamer.filedb.lock import FileLock
from gossamer.filedb.sqlite import Database, Schema
from gossamer.states.sqlite import SqliteState
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S, once_free
from tests.unit.filedb.notes import texts

NOTES = Schema(name="notes", migrations=("CREATE TABLE notes (text TEXT NOT NULL)",))
CLOCK = SetClock(1_700_000_000.0)

ADDRESSES = {
    "three slashes": ("sqlite:///home/me/store.sqlite", "/home/me/store.sqlite"),
    "four slashes": ("sqlite:////home/me/store.sqlite", "/home/me/store.sqlite"),
    "spaces and signs": ("sqlite:///home/me/my data %20?#.db", "/home/me/my data %20?#.db"),
}

BESIDE = {
    "the usual ending": ("store.sqlite", "store.lock", "store.users"),
    "another ending": ("store.lock", "store.lock.lock", "store.lock.users"),
    "no ending": ("store", "store.lock", "store.users"),
}


async def open_notes(path: Path, schema: Schema = NOTES, *, patience_s: float = 10.0) -> Database:
    return await Database.open(path, schema, clock=CLOCK, patience_s=patience_s)


def add(text: str) -> Callable[[sqlite3.Connection], int]:
    return lambda connection: connection.execute("INSERT INTO notes VALUES (?)", (text,)).rowcount


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite"


async def test_what_was_kept_can_be_read_by_who_opens_it_while_the_lock_is_held(path: Path) -> None:
    database = await open_notes(path)
    await database.write(add("one"))
    await database.close()
    with FileLock(path.with_name("notes.lock")):
        database = await open_notes(path, patience_s=1.0)
        assert await database.read(texts) == ["one"]
        with pytest.raises(StoreBusy):
            await database.write(add("two"))
    await once_free(lambda: database.write(lambda _: None))
    assert await database.read(texts) == ["one", "two"]
    await database.close()


async def test_making_a_file_waits_for_the_lock_within_patience_and_leaves_nothing_behind(path: Path) -> None:
    path.parent.mkdir()
    with FileLock(path.with_name("notes.lock")):
        for _ in range(3):
            with pytest.raises(StoreBusy):
                await open_notes(path, patience_s=0.2)
        writers = [one for one in threading.enumerate() if one.name.startswith("gossamer-write")]
        for writer in writers:
            await asyncio.to_thread(writer.join, LONG_S)
        assert not any(writer.is_alive() for writer in writers)
    database = await open_notes(path)
    await database.write(add("one"))
    await database.close()


async def test_many_may_open_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    async def use(path: Path, who: int) -> bool:
        database = await open_notes(path)
        try:
            return bool(await database.write(add(str(who)))) and str(who) in await database.read(texts)
        finally:
            await database.close()

    for number in range(40):
        path = tmp_path / str(number) / "notes.sqlite"
        assert await asyncio.gather(*(use(path, who) for who in range(6))) == [True] * 6


async def test_statistics_of_the_tables_are_no_damage(path: Path) -> None:
    database = await open_notes(path)
    await database.write(add("one"))
    await database.close()
    connection = sqlite3.connect(path)
    connection.execute("ANALYZE")
    connection.close()
    database = await open_notes(path)
    assert await database.read(texts) == ["one"]
    await database.close()
    assert list(path.parent.glob("corrupt-*")) == []


async def test_lock_files_that_cannot_be_opened_leave_none_open(path: Path) -> None:
    path.parent.mkdir()
    path.with_name("notes.users").mkdir()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(StoreUnavailable):
            await open_notes(path)
    for thread in threading.enumerate():
        if thread.name.startswith("gossamer-write"):
            await asyncio.to_thread(thread.join, 10)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1


@pytest.mark.parametrize(("asked", "journal"), [("truncate", "delete"), ("wal", "wal")])
async def test_a_state_keeps_the_journal_that_its_address_asks_for(path: Path, asked: str, journal: str) -> None:
    state = await SqliteState.open(f"sqlite://{path}?journal={asked}", clock=SetClock())
    await state.put("key", "value", ttl_s=60)
    await state.close()
    connection = sqlite3.connect(path)
    (found,) = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    assert found == journal
