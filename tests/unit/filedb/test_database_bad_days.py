"""A database on a bad day: unclean ends, files that go away, disks of others, copies before a loss."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
import threading
from pathlib import Path, PurePosixPath

import pytest

from gossamer.errors import BadSettings, StoreBusy, StoreDamaged, StoreUnavailable
from gossamer.filedb.address import path_of
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.filedb.sqlite import Database, Journal, Schema, chosen_journal, journal_of
from gossamer.filedb.sqlite.connections import kind_of, open_moved
from gossamer.testing.clock import SetClock
from tests.unit.filedb.notes import keep, texts

SCRIPT = "CREATE TABLE notes (text TEXT NOT NULL)"
LOSING = "-- destructive\nDELETE FROM notes"


def schema(*more: str) -> Schema:
    return Schema(name="notes", migrations=(SCRIPT, *more))


async def open_notes(
    path: Path, *more: str, clock: SetClock | None = None, journal: Journal = "auto", patience_s: float = 10.0
) -> Database:
    clock = clock or SetClock()
    return await Database.open(path, schema(*more), clock=clock, journal=journal, patience_s=patience_s)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite"


async def test_a_migration_that_loses_something_leaves_a_copy(path: Path) -> None:
    database = await open_notes(path)
    await keep(database, "one")
    await database.close()
    database = await open_notes(path, LOSING)
    assert await database.read(texts) == []
    await database.close()
    copy = path.with_name("notes.bak-1")
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        assert texts(connection) == ["one"]
    assert oct(copy.stat().st_mode & 0o777) == "0o600"


async def test_a_new_file_has_nothing_to_lose_and_no_copy(path: Path) -> None:
    await (await open_notes(path, LOSING)).close()
    assert list(path.parent.glob("*.bak-*")) == []


def mark(path: Path, **values: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        rows = [(f"notes.{key}", value) for key, value in values.items()]
        connection.executemany("REPLACE INTO meta VALUES (?, ?)", rows)


async def test_a_newer_file_that_may_be_read_is_only_read(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    database = await open_notes(path)
    await keep(database, "one")
    await database.close()
    mark(path, schema="9", schema_min="9", schema_read="1")
    for _ in range(2):
        database = await open_notes(path)
        assert await database.read(texts) == ["one"]
        with pytest.raises(StoreUnavailable, match="newer Gossamer"):
            await keep(database, "two")
        await database.close()
    assert caplog.text == ""
    assert list(path.parent.glob("newer-*")) == []


async def test_a_newer_file_that_may_not_be_read_is_moved_aside(path: Path) -> None:
    await (await open_notes(path)).close()
    mark(path, schema="9", schema_min="9", schema_read="2")
    database = await open_notes(path)
    await keep(database, "one")
    await database.close()
    assert len(list(path.parent.glob("newer-*/notes.sqlite"))) == 1


async def leave_uncleanly(path: Path) -> None:
    """End as kill -9 does: the log stays."""
    database = await open_notes(path)
    rows = [(f"{number} " * 1_000,) for number in range(200)]
    await database.write(lambda it: it.executemany("INSERT INTO notes (text) VALUES (?)", rows))
    await leave_log(database, path)


async def leave_log(database: Database, path: Path) -> None:
    await database.checkpoint()
    await keep(database, "last")
    copies = {file: file.read_bytes() for file in path.parent.glob("notes.sqlite*")}
    await database.close()
    for file, content in copies.items():
        file.write_bytes(content)


def garble(path: Path) -> None:
    """Break a page in the middle of the file, which nothing needs that opens it."""
    with path.open("r+b") as file:
        file.seek(8192 * 20)
        file.write(b"\xff" * 8192)


async def found_out(database: Database) -> bool:
    """Whether a look over the whole file, in the background, found it damaged."""
    with contextlib.suppress(StoreDamaged):
        for _ in range(200):
            await database.read(lambda it: it.execute("SELECT 1").fetchone())
            await database.compute(lambda: threading.Event().wait(0.01))
        return False
    return True


async def test_a_file_that_was_not_closed_is_looked_over_in_the_background_once_a_day(path: Path) -> None:
    await leave_uncleanly(path)
    garble(path)
    clock = SetClock()
    database = await open_notes(path, clock=clock)
    assert await found_out(database)
    await database.close()
    database = await open_notes(path, clock=clock)
    assert await database.read(texts) == []
    await database.close()
    assert len(list(path.parent.glob("corrupt-*/notes.sqlite"))) == 1


@pytest.mark.parametrize(("hours", "is_found"), [(1, False), (25, True)])
async def test_a_file_that_was_looked_over_is_so_again_only_a_day_later(path: Path, hours: int, is_found: bool) -> None:
    clock = SetClock()
    await leave_uncleanly(path)
    database = await open_notes(path, clock=clock)
    assert not await found_out(database)
    await leave_log(database, path)
    garble(path)
    clock.advance(hours * 3600.0)
    database = await open_notes(path, clock=clock)
    assert await found_out(database) is is_found
    await database.close()


async def test_a_file_that_is_moved_away_is_noticed_before_anything_is_written_to_it(path: Path) -> None:
    database = await open_notes(path)
    await keep(database, "one")
    path.rename(path.with_name("elsewhere"))
    with pytest.raises(StoreDamaged, match="moved, removed or emptied"):
        await keep(database, "two")
    with pytest.raises(StoreDamaged, match="moved, removed or emptied"):
        await database.read(texts)
    await database.close()


async def test_a_file_that_is_emptied_is_begun_anew_once_all_have_let_go_of_it(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = await open_notes(path)
    await keep(database, "one")
    os.truncate(path, 0)
    async with asyncio.timeout(5):
        with pytest.raises(StoreUnavailable, match="was emptied, and another process has it open"):
            await open_notes(path)
        with pytest.raises(StoreDamaged, match="emptied"):
            await database.read(texts)
        with pytest.raises(StoreDamaged, match="emptied"):
            await keep(database, "two")
        await database.close()
        database = await open_notes(path)
    await keep(database, "three")
    assert (await database.read(texts))[-1] == "three"
    await database.close()
    assert "journal" not in caplog.text


@pytest.mark.parametrize("length", [0, 5_000, 20_000])
async def test_what_came_before_a_log_that_is_cut_stays(path: Path, length: int) -> None:
    database = await open_notes(path)
    await keep(database, "one")
    await database.close()
    database = await open_notes(path)
    for text in ("two", "three " * 10_000):
        await keep(database, text)
    assert len(await database.read(texts)) == 3
    os.truncate(path.with_name("notes.sqlite-wal"), length)
    with pytest.raises(StoreDamaged, match="log of the database was cut"):
        await keep(database, "four")
    with pytest.raises(StoreDamaged, match="log of the database was cut"):
        await database.read(texts)
    await database.close()
    database = await open_notes(path)
    assert await database.read(texts) == ["one", "two"][: 2 if length == 20_000 else 1]
    await keep(database, "five")
    await database.close()
    assert list(path.parent.glob("corrupt-*")) == []


async def test_who_waits_for_one_holder_waits_once(path: Path) -> None:
    database = await open_notes(path, patience_s=4.0)
    with FileLock(path.with_name("notes.lock")):
        with pytest.raises(StoreBusy):
            await keep(database, "one")
        async with asyncio.timeout(3.8):
            with pytest.raises(StoreBusy):
                await keep(database, "two")
    await keep(database, "three")
    assert await database.read(texts) == ["one", "two", "three"]
    await database.close()


@pytest.mark.parametrize(("journal", "mode"), [("auto", "wal"), ("wal", "wal"), ("truncate", "truncate")])
async def test_the_journal_can_be_chosen(path: Path, journal: Journal, mode: str) -> None:
    database = await open_notes(path, journal=journal)
    await keep(database, "one")
    assert await database.write(lambda it: it.execute("PRAGMA journal_mode").fetchone()) == (mode,)
    other = await open_notes(path, journal=journal)
    await keep(other, "two")
    assert await database.read(texts) == ["one", "two"]
    await other.close()
    await database.close()
    assert path.with_name("notes.sqlite-wal").exists() is False


async def test_a_file_changes_its_journal_when_it_is_opened_with_another(path: Path) -> None:
    for journal in ("wal", "truncate", "wal"):
        database = await open_notes(path, journal=journal)
        await keep(database, journal)
        await database.close()
    database = await open_notes(path)
    assert await database.read(texts) == ["wal", "truncate", "wal"]
    await database.close()


MOUNTS = """\
/dev/sda1 / ext4 rw,relatime 0 0
server:/home /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/me/local ext4 rw 0 0
//nas/media /mnt/with\\040space cifs rw 0 0
me@host:/ /mnt/ssh fuse.sshfs rw 0 0
tmpfs /over tmpfs rw 0 0
other:/ /over nfs rw 0 0
broken line
"""
KINDS = {
    "the root": ("/var/lib", "ext4"),
    "a network": ("/home/me", "nfs4"),
    "a disk below a network": ("/home/me/local/data", "ext4"),
    "a name that only begins alike": ("/home2/me", "ext4"),
    "a space": ("/mnt/with space/x", "cifs"),
    "a network behind a program": ("/mnt/ssh/x", "fuse.sshfs"),
    "one over another": ("/over", "nfs"),
}


@pytest.mark.parametrize(("folder", "kind"), KINDS.values(), ids=KINDS)
def test_the_file_system_of_a_folder_is_known_by_the_table_of_mounts(folder: str, kind: str) -> None:
    assert kind_of(PurePosixPath(folder), MOUNTS) == kind


def test_a_folder_on_this_machine_has_the_fast_journal(tmp_path: Path) -> None:
    assert chosen_journal(tmp_path, "auto") == ("wal", "")
    assert chosen_journal(tmp_path, "truncate") == ("truncate", "")


def test_an_address_can_name_its_journal() -> None:
    assert journal_of("sqlite:///home/me/store.sqlite") == "auto"
    assert journal_of("sqlite:///home/me/store.sqlite?journal=truncate") == "truncate"
    assert path_of("sqlite:///home/me/store.sqlite?journal=truncate") == Path("/home/me/store.sqlite")
    with pytest.raises(BadSettings, match="auto, wal or truncate"):
        journal_of("sqlite:///home/me/store.sqlite?journal=other")


async def test_a_write_that_takes_long_holds_up_neither_the_event_loop_nor_readers(path: Path) -> None:
    database = await open_notes(path)
    begun, go_on = threading.Event(), threading.Event()

    def write(connection: sqlite3.Connection) -> None:
        begun.set()
        go_on.wait(20)
        connection.execute("INSERT INTO notes (text) VALUES ('late')")

    writing = asyncio.create_task(database.write(write))
    assert await asyncio.to_thread(begun.wait, 20)
    assert await database.read(texts) == []
    assert not writing.done()
    go_on.set()
    await writing
    assert await database.read(texts) == ["late"]
    await database.close()


async def test_what_this_process_itself_is_slow_at_is_blamed_on_nobody_else(path: Path) -> None:
    database = await open_notes(path, patience_s=0.5)
    is_over = threading.Event()
    with pytest.raises(StoreBusy, match="much to do"):
        await database.write(lambda _: is_over.wait(60))
    is_over.set()
    await database.close()


def test_a_journal_is_moved_aside_with_the_file_that_it_belongs_to(path: Path) -> None:
    path.parent.mkdir()
    names = {path.name, *(f"{path.name}{side}" for side in ("-wal", "-shm", "-journal"))}
    for name in names:
        path.with_name(name).touch()
    folder = Files(path).move_aside("corrupt", 0.0)
    assert {file.name for file in folder.iterdir()} == names
    assert list(path.parent.iterdir()) == [folder]


def test_what_was_half_written_to_a_file_that_was_moved_aside_is_taken_back(tmp_path: Path) -> None:
    path, moved = tmp_path / "notes.sqlite", tmp_path / "moved"
    moved.mkdir()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = TRUNCATE")
        connection.execute(SCRIPT)
        connection.executemany("INSERT INTO notes VALUES (?)", [("x" * 5_000,)] * 50)
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("UPDATE notes SET text = replace(text, 'x', 'y')")
        for name in ("notes.sqlite", "notes.sqlite-journal"):
            shutil.copyfile(tmp_path / name, moved / name)
    with contextlib.closing(open_moved(moved / "notes.sqlite")) as connection:
        assert set(texts(connection)) == {"x" * 5_000}
