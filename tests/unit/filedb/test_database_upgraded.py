"""A newer Gossamer upgrades a file that an older one has open: the older one goes on as if it opened the file now."""

import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gossamer.errors import StoreDamaged, StoreUnavailable
from gossamer.filedb.lock import FileLock
from gossamer.filedb.sqlite import Database, Schema
from gossamer.filedb.wrapper import Reopening
from gossamer.testing.clock import SetClock
from tests.patience import once_free
from tests.unit.filedb.notes import keep, texts

SCRIPT = "CREATE TABLE notes (text TEXT NOT NULL)"
ADDING = "CREATE TABLE more (text TEXT); REPLACE INTO meta VALUES ('notes.schema_min', '1')"
WRITING = "UPDATE notes SET text = upper(text); REPLACE INTO meta VALUES ('notes.schema_read', '1')"
LOSING = "-- destructive\nALTER TABLE notes RENAME TO pieces"
FORBIDDING = "UPDATE notes SET text = upper(text)"


async def open_notes(path: Path, *more: str) -> Database:
    schema = Schema(name="notes", migrations=(SCRIPT, *more))
    return await Database.open(path, schema, clock=SetClock(), patience_s=10.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite"


@pytest.fixture
async def older(path: Path) -> AsyncIterator[Database]:
    """One that has read and written."""
    database = await open_notes(path)
    await keep(database, "one")
    assert await database.read(texts) == ["one"]
    yield database
    await database.close()


async def test_an_upgrade_that_only_adds_is_nothing_to_who_has_the_file_open(older: Database, path: Path) -> None:
    newer = await open_notes(path, ADDING)
    await keep(older, "two")
    await keep(newer, "three")
    assert await older.read(texts) == ["one", "two", "three"]
    await newer.close()
    await keep(older, "four")


async def test_an_upgrade_that_lets_older_ones_only_read_lets_who_has_the_file_open_only_read(
    older: Database, path: Path
) -> None:
    newer = await open_notes(path, WRITING)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="newer Gossamer, which lets this one only read it") as told:
            await keep(older, "two")
        assert not isinstance(told.value, StoreDamaged)
        assert await older.read(texts) == ["ONE"]
    await keep(newer, "three")
    assert await older.read(texts) == ["ONE", "three"]
    await newer.close()


@pytest.mark.parametrize("script", [LOSING, FORBIDDING])
async def test_an_upgrade_that_keeps_older_ones_away_is_noticed_by_who_has_the_file_open(
    older: Database, path: Path, script: str
) -> None:
    newer = await open_notes(path, script)
    with pytest.raises(StoreDamaged, match="newer Gossamer"):
        await older.read(texts)
    with pytest.raises(StoreDamaged, match="newer Gossamer"):
        await keep(older, "two")
    assert await newer.read(lambda it: it.execute("SELECT count(*) FROM sqlite_schema").fetchone())
    await newer.close()
    assert not path.with_name("notes.suspect").exists()


@pytest.mark.parametrize("script", [LOSING, FORBIDDING])
async def test_who_is_kept_away_goes_on_without_the_file_and_begins_one_once_the_newer_has_closed_it(
    path: Path, script: str
) -> None:
    clock = SetClock()
    older = Reopening(Database, lambda: open_notes(path), clock=clock)
    await older.use(lambda it: keep(it, "one"))
    newer = await open_notes(path, script)
    with pytest.raises(StoreUnavailable, match=r"newer Gossamer.*another process has it open"):
        await older.use(lambda it: keep(it, "two"))
    assert list(path.parent.glob("newer-*")) == []
    await newer.close()
    clock.advance(10.0)
    await once_free(lambda: older.use(lambda it: keep(it, "three")))
    assert await older.use(lambda it: it.read(texts)) == ["three"]
    await older.close()
    assert len(list(path.parent.glob("newer-*/notes.sqlite"))) == 1


async def test_who_was_kept_from_writing_during_an_upgrade_finds_no_damage_in_it(path: Path) -> None:
    await (await open_notes(path)).close()
    with FileLock(path.with_name("notes.lock")):
        older = await open_notes(path)
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE meta SET value = '2' WHERE key = 'notes.schema'")
    with pytest.raises(StoreDamaged, match="newer Gossamer"):
        await keep(older, "one")
    await older.close()
    assert not path.with_name("notes.suspect").exists()


@pytest.mark.parametrize("table", ["notes", "meta"])
async def test_a_table_that_another_program_took_away_is_told_to_be_missing_and_is_no_mistake_of_ours(
    older: Database, path: Path, table: str
) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TABLE {table}")
    with pytest.raises(StoreDamaged, match=f"not as they were made: no such table: {table}"):
        await older.read(texts)
    with pytest.raises(StoreDamaged, match=f"not as they were made: no such table: {table}"):
        await keep(older, "two")


async def test_who_lost_a_table_while_running_begins_a_new_file(path: Path) -> None:
    notes = Reopening(Database, lambda: open_notes(path), clock=SetClock())
    await notes.use(lambda it: keep(it, "one"))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE notes RENAME COLUMN text TO words")
    await notes.use(lambda it: keep(it, "two"))
    assert await notes.use(lambda it: it.read(texts)) == ["two"]
    await notes.close()
    assert len(list(path.parent.glob("corrupt-*/notes.sqlite"))) == 1
