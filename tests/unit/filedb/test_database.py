import asyncio
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy, StoreUnavailable
from gossamer.filedb.address import path_of
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.filedb.sqlite import Database, Schema
from gossamer.filedb.sqlite.error_mapping import ours
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S
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


async def open_notes(path: Path, schema: Schema = NOTES, *, patience_s: float = LONG_S) -> Database:
    return await Database.open(path, schema, clock=CLOCK, patience_s=patience_s)


def add(text: str) -> Callable[[sqlite3.Connection], int]:
    return lambda connection: connection.execute("INSERT INTO notes VALUES (?)", (text,)).rowcount


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def size_of(path: Path) -> int:
    return path.stat().st_size


def make_file(path: Path, *, mode: int) -> None:
    path.touch(mode=mode)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    database = await open_notes(path)
    yield database
    await database.close()


@pytest.mark.parametrize(("address", "expected"), ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_names_a_file(address: str, expected: str) -> None:
    assert path_of(address) == Path(expected)


@pytest.mark.parametrize(("name", "lock", "users"), BESIDE.values(), ids=BESIDE)
def test_the_locks_lie_beside_the_database_and_are_never_it(name: str, lock: str, users: str) -> None:
    files = Files(Path("/data") / name)
    assert (files.lock.name, files.users.name) == (lock, users)


async def test_folder_and_files_are_for_their_owner_only(path: Path, database: Database) -> None:
    await database.write(add("one"))
    modes = {file.name: mode_of(file) for file in path.parent.iterdir()}
    assert mode_of(path.parent) == 0o700
    assert {"notes.sqlite", "notes.sqlite-wal", "notes.lock", "notes.users"} <= modes.keys()
    assert set(modes.values()) == {0o600}


async def test_a_file_that_others_could_read_is_closed_to_them(path: Path) -> None:
    path.parent.mkdir()
    make_file(path, mode=0o644)
    await (await open_notes(path)).close()
    assert mode_of(path) == 0o600


async def test_a_write_is_read_by_everybody_once_it_returns(path: Path, database: Database) -> None:
    other = await open_notes(path)
    await database.write(add("one"))
    await other.write(add("two"))
    assert await database.read(texts) == await other.read(texts) == ["one", "two"]
    await other.close()


async def test_a_write_that_fails_leaves_nothing_behind(database: Database) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        add("half")(connection)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await database.write(fail)
    await database.write(add("whole"))
    assert await database.read(texts) == ["whole"]


async def test_reads_in_turn_have_one_thread_and_reads_at_once_several(database: Database) -> None:
    in_turn = {await database.read(lambda _: threading.get_ident()) for _ in range(20)}
    assert len(in_turn) == 1
    both = threading.Barrier(2, timeout=LONG_S)
    await asyncio.gather(*(database.read(lambda _: both.wait()) for _ in range(2)))


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StoreUnavailable):
        await database.read(add("one"))


async def test_a_mistake_in_our_own_sql_is_not_dressed_up(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await database.read(lambda connection: connection.execute("SELECT * FROM nowhere"))


async def test_a_full_disk_is_said_and_the_next_write_works(database: Database) -> None:
    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count = 10")
        add("x" * 1_000_000)(connection)

    with pytest.raises(StoreUnavailable, match="disk is full"):
        await database.write(fill)
    await database.write(lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchall())
    await database.write(add("fits"))
    assert await database.read(texts) == ["fits"]


async def test_a_caller_is_told_after_its_patience_and_the_write_is_done_all_the_same(path: Path) -> None:
    database = await open_notes(path, patience_s=3.0)
    with FileLock(path.with_name("notes.lock")):
        with pytest.raises(StoreBusy, match="waits its turn"):
            await database.write(add("late"))
        assert await database.read(texts) == []
    await database.write(add("after"))
    assert await database.read(texts) == ["late", "after"]
    await database.close()


async def test_a_late_failure_is_reported(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    database = await open_notes(path, patience_s=3.0)
    with FileLock(path.with_name("notes.lock")), pytest.raises(StoreBusy):
        await database.write(lambda connection: connection.execute("no sql"))
    await database.close()
    assert "What had waited for the store could not be done" in caplog.text


async def test_the_queue_of_writes_is_bounded(path: Path) -> None:
    database = await open_notes(path)
    with FileLock(path.with_name("notes.lock")):
        writes = [asyncio.create_task(database.write(add(str(n)))) for n in range(1_010)]
        await asyncio.wait(writes, timeout=0.2)
        refused = [task for task in writes if task.done()]
    results = await asyncio.gather(*writes, return_exceptions=True)
    assert 1 <= len(refused) <= 10
    assert sum(isinstance(result, StoreBusy) for result in results) == len(refused)
    await database.close()


async def test_a_write_goes_on_when_its_caller_is_cancelled(database: Database) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def slow(connection: sqlite3.Connection) -> None:
        begun.set()
        may_end.wait(LONG_S)
        add("kept")(connection)

    task = asyncio.create_task(database.write(slow))
    await asyncio.to_thread(begun.wait, LONG_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_end.set()
    await database.write(add("next"))
    assert await database.read(texts) == ["kept", "next"]


async def test_closing_finishes_the_writes_that_are_running_and_queued(path: Path) -> None:
    database = await open_notes(path)
    begun, may_end = threading.Event(), threading.Event()

    def slow(connection: sqlite3.Connection) -> None:
        begun.set()
        may_end.wait(LONG_S)
        add("running")(connection)

    writes = [asyncio.create_task(database.write(work)) for work in (slow, add("queued"))]
    await asyncio.to_thread(begun.wait, LONG_S)
    closing = asyncio.create_task(database.close())
    await asyncio.wait({closing}, timeout=0.1)
    assert not closing.done()
    may_end.set()
    await asyncio.gather(closing, *writes)
    database = await open_notes(path)
    assert await database.read(texts) == ["running", "queued"]
    await database.close()


async def test_closing_ends_a_long_read(path: Path) -> None:
    database = await open_notes(path)
    begun = threading.Event()

    def endless(connection: sqlite3.Connection) -> None:
        begun.set()
        connection.execute("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n")

    await database.read(texts)
    reading = asyncio.create_task(database.read(endless))
    await asyncio.to_thread(begun.wait, LONG_S)
    async with asyncio.timeout(LONG_S):
        await database.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await reading


async def test_an_idle_database_closes_at_once_and_only_once(path: Path) -> None:
    database = await open_notes(path)
    await asyncio.gather(*(database.read(texts) for _ in range(8)))
    await database.write(add("one"))
    async with asyncio.timeout(LONG_S):
        await database.close()
        await database.close()
    assert not path.with_name("notes.sqlite-wal").exists()
    for work in (database.read(texts), database.write(texts), database.compute(list)):
        with pytest.raises(StoreUnavailable, match="closed"):
            await work


async def test_closing_gives_up_on_a_lock_that_is_never_freed(path: Path) -> None:
    database = await open_notes(path, patience_s=3.0)
    await database.write(add("one"))
    with FileLock(path.with_name("notes.lock")):
        await database.close()
    await database.close()


@pytest.mark.parametrize("megabytes", [9, 70])
async def test_a_long_log_is_moved_into_the_file(path: Path, database: Database, megabytes: int) -> None:
    await database.write(add("x" * megabytes * 2**20))
    assert size_of(path) > megabytes * 2**20
    await database.write(add("next"))
    assert size_of(path.with_name("notes.sqlite-wal")) < 8 * 2**20


async def test_nothing_here_loads_numpy() -> None:
    code = (
        "import sys, gossamer.stores.sqlite.store, gossamer.stores.memory, gossamer.states.sqlite;"
        "sys.exit('numpy' in sys.modules)"
    )
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], check=True)


def test_every_fault_of_the_disk_has_a_sentence_and_a_next_step() -> None:
    for code in ("BUSY", "FULL", "READONLY", "PERM", "CANTOPEN", "IOERR", "INTERRUPT", "CORRUPT", "NOTADB"):
        error = sqlite3.OperationalError()
        error.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{code}")
        known = ours(error)
        assert known is not None
        assert known.message
        assert known.hint
