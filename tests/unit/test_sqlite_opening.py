"""Opening a database: migrations, newer and damaged files."""

import logging
import sqlite3
from pathlib import Path

import pytest

from gossamer.errors import StoreUnavailable
from gossamer.sqlite import Database, Schema
from gossamer.testing.state_contract import SetClock

SCRIPT = "CREATE TABLE notes (text TEXT NOT NULL)"
CLOCK = SetClock(1_700_000_000.0)


def version(number: int, extra: str = "") -> Schema:
    scripts = (SCRIPT, f"ALTER TABLE notes ADD COLUMN more TEXT; {extra}")
    return Schema(name="notes", migrations=scripts[:number])


async def open_notes(path: Path, schema: Schema | None = None) -> Database:
    return await Database.open(path, schema or version(1), clock=CLOCK)


async def keep(database: Database, text: str) -> None:
    await database.write(lambda it: it.execute("INSERT INTO notes (text) VALUES (?)", (text,)))


def texts(connection: sqlite3.Connection) -> list[str]:
    return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY rowid")]


def delete(path: Path) -> None:
    path.unlink()


def make_folder(path: Path) -> None:
    path.mkdir(parents=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite"


async def test_a_file_is_migrated_and_keeps_what_it_holds(path: Path) -> None:
    database = await open_notes(path)
    await keep(database, "one")
    await database.close()
    database = await open_notes(path, version(2))
    assert await database.read(lambda it: it.execute("SELECT text, more FROM notes").fetchall()) == [("one", None)]
    await database.close()


async def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    await (await open_notes(path)).close()
    with pytest.raises(StoreUnavailable, match="cannot be brought up to date"):
        await open_notes(path, version(2, "no sql"))
    database = await open_notes(path)
    await keep(database, "one")
    assert await database.read(texts) == ["one"]
    await database.close()


async def test_two_schemas_share_a_file(path: Path) -> None:
    database = await open_notes(path)
    other = await open_notes(path, Schema(name="other", migrations=("CREATE TABLE other (x)",)))
    await keep(database, "one")
    assert await other.read(texts) == ["one"]
    await other.close()
    await database.close()


async def test_a_newer_file_is_moved_aside_with_one_warning(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        newer = await open_notes(path, version(2))
        await keep(newer, "from the future")
        await newer.close()
        caplog.clear()
        database = await open_notes(path)
        assert await database.read(texts) == []
        await database.close()
        delete(path)
        (warning,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
        assert "newer Gossamer" in warning.getMessage()
    folders = sorted(folder.name for folder in path.parent.glob("newer-*"))
    assert folders == ["newer-20231114T221320Z", "newer-20231114T221320Z-2"]
    kept = await open_notes(path.parent / folders[0] / path.name, version(2))
    assert await kept.read(texts) == ["from the future"]
    await kept.close()


async def test_a_newer_file_that_only_gained_something_is_used(path: Path) -> None:
    newer = await open_notes(path, version(2, "INSERT INTO meta VALUES ('notes.schema_min', '1');"))
    await keep(newer, "from the future")
    await newer.close()
    database = await open_notes(path)
    assert await database.read(texts) == ["from the future"]
    await database.close()


async def test_a_file_that_somebody_has_open_is_not_moved(path: Path) -> None:
    newer = await open_notes(path, version(2))
    with pytest.raises(StoreUnavailable, match="another process has it open"):
        await open_notes(path)
    assert [file.name for file in path.parent.glob("newer-*")] == []
    await keep(newer, "still here")
    assert await newer.read(texts) == ["still here"]
    await newer.close()


async def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (x)")
    connection.close()
    with pytest.raises(StoreUnavailable, match="another program"):
        await open_notes(path)
    assert [file.name for file in path.parent.glob("corrupt-*")] == []


async def test_a_folder_in_the_place_of_the_file_is_said(path: Path) -> None:
    make_folder(path)
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        await open_notes(path)


async def test_a_lock_that_cannot_be_made_is_said(path: Path) -> None:
    make_folder(path.with_name("notes.lock"))
    with pytest.raises(StoreUnavailable, match="Set DATA_DIR"):
        await open_notes(path)


async def test_damage_met_while_running_is_looked_into_at_the_next_opening(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = await open_notes(path)
    await database.write(lambda it: it.executemany("INSERT INTO notes VALUES (?)", [("x" * 3000,)] * 200))
    await database.close()
    with path.open("r+b") as file:
        file.seek(6 * 8192)
        file.write(b"\xff" * 8192 * 60)
    database = await open_notes(path)
    with pytest.raises(StoreUnavailable, match="damaged"):
        await database.read(texts)
    await database.close()
    assert caplog.text == ""
    database = await open_notes(path)
    assert await database.read(texts) == []
    await database.close()
    assert caplog.text.count("could not be used") == 1
    assert len(list(path.parent.glob("corrupt-*/notes.sqlite"))) == 1
    assert not path.with_name("notes.suspect").exists()


GARBLED = {
    "its number": "UPDATE meta SET value = 'x' WHERE key = 'notes.schema'",
    "its tables": "ALTER TABLE notes ADD COLUMN stranger",
}


@pytest.mark.parametrize("garble", GARBLED.values(), ids=GARBLED)
async def test_a_file_whose_schema_is_garbled_is_moved_aside(path: Path, garble: str) -> None:
    await (await open_notes(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute(garble)
    connection.close()
    database = await open_notes(path)
    await keep(database, "one")
    assert await database.read(texts) == ["one"]
    await database.close()
    assert len(list(path.parent.glob("corrupt-*"))) == 1


async def test_a_suspect_file_that_is_sound_is_used(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told: list[bool] = []
    schema = Schema(name="notes", migrations=(SCRIPT,), ready=lambda _, is_suspect: told.append(is_suspect))
    for is_suspect in (False, True, False):
        if is_suspect:
            path.with_name("notes.suspect").touch()
        await (await open_notes(path, schema)).close()
    assert told == [False, True, False]
    assert caplog.text == ""
