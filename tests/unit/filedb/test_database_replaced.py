"""A file that takes the place of another, as a restored copy does, has nothing to do with the log that is there."""

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from gossamer.errors import StoreUnavailable
from gossamer.filedb.sqlite import Database, Schema
from gossamer.filedb.wrapper import Reopening
from gossamer.testing.clock import SetClock
from tests.unit.filedb.notes import keep, texts

NOTES = Schema(name="notes", migrations=("CREATE TABLE notes (text TEXT NOT NULL)",))
RESTORED = [f"restored {number} " * 500 for number in range(50)]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows replaces no file that somebody has open")


async def open_notes(path: Path) -> Database:
    return await Database.open(path, NOTES, clock=SetClock(), patience_s=10.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite"


@pytest.fixture
async def copy(tmp_path: Path) -> Path:
    """A file of ours from elsewhere."""
    path = tmp_path / "elsewhere" / "notes.sqlite"
    database = await open_notes(path)
    await keep(database, *RESTORED)
    await database.close()
    return path


async def fill(database: Database) -> None:
    """Make a log of many pages."""
    for number in range(20):
        await keep(database, *(f"former {number} " * 500 for _ in range(10)))


async def open_used(path: Path) -> Database:
    database = await open_notes(path)
    await fill(database)
    return database


def replace(path: Path, copy: Path) -> None:
    shutil.copy(copy, path.with_name("new"))
    path.with_name("new").rename(path)


def assert_sound(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert list(path.parent.glob("corrupt-*")) == []
    assert not path.with_name("notes.stale").exists()


async def test_who_has_a_file_open_that_is_replaced_goes_on_with_the_new_one(
    path: Path, copy: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notes = Reopening(Database, lambda: open_notes(path), clock=SetClock())
    await notes.use(fill)
    replace(path, copy)
    assert await notes.use(lambda it: it.read(texts)) == RESTORED
    await notes.use(lambda it: keep(it, "two"))
    assert await notes.use(lambda it: it.read(texts)) == [*RESTORED, "two"]
    await notes.close()
    assert_sound(path)
    assert len(list(path.parent.glob("replaced-*/notes.sqlite-wal"))) == 1
    assert "was replaced" in caplog.text


async def test_a_file_that_was_replaced_is_opened_once_all_have_let_go_of_the_one_before(
    path: Path, copy: Path
) -> None:
    databases = [await open_used(path), await open_used(path)]
    replace(path, copy)
    for database in databases:
        with pytest.raises(StoreUnavailable, match="was replaced by another file, and another process has"):
            await open_notes(path)
        with pytest.raises(StoreUnavailable, match="moved"):
            await database.read(texts)
        await database.close()
    database = await open_notes(path)
    assert await database.read(texts) == RESTORED
    await database.close()
    assert_sound(path)


async def test_who_ends_without_a_look_at_a_file_that_was_replaced_leaves_word_of_its_log(
    path: Path, copy: Path
) -> None:
    database = await open_used(path)
    replace(path, copy)
    await database.close()
    for _ in range(2):
        database = await open_notes(path)
        assert await database.read(texts) == RESTORED
        await database.close()
    assert_sound(path)


async def test_a_log_that_was_copied_with_its_file_is_read_by_the_first_and_by_the_second(
    path: Path, tmp_path: Path
) -> None:
    database = await open_used(path)
    kept = await database.read(texts)
    moved = tmp_path / "moved" / path.name
    shutil.copytree(path.parent, moved.parent)
    await database.close()
    first = await open_notes(moved)
    second = await open_notes(moved)
    assert await first.read(texts) == await second.read(texts) == kept
    await keep(second, "last")
    for database in (first, second):
        await database.close()
    assert_sound(moved)
    assert list(moved.parent.glob("replaced-*")) == []


async def test_the_log_of_a_file_that_was_removed_and_made_again_stays(path: Path) -> None:
    former = await open_used(path)
    path.unlink()
    database = await open_notes(path)
    await keep(database, "one")
    await former.close()
    await keep(database, "two")
    other = await open_notes(path)
    assert await other.read(texts) == ["one", "two"]
    for each in (database, other):
        await each.close()
    assert_sound(path)
    assert list(path.parent.glob("replaced-*")) == []
