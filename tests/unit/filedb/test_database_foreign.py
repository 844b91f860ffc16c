"""Databases of other programs, named by mistake: they are told apart, and nothing of them is changed."""

import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.errors import StoreUnavailable
from gossamer.filedb.sqlite import Database, Journal, Schema
from gossamer.states.sqlite import SqliteState
from gossamer.stores import open_store
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.clock import SetClock

NOTES = Schema(name="notes", migrations=("CREATE TABLE notes (text TEXT NOT NULL)",))
MODE = 0o644


def make(path: Path, *scripts: str, mode: str = "delete") -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        for script in scripts:
            connection.execute(script)


def with_log(path: Path) -> None:
    """Left by kill -9: all its tables are in the log alone."""
    make(path, mode="wal")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE things (name TEXT)")
    copies = {file: file.read_bytes() for file in path.parent.iterdir()}
    connection.close()
    for file, content in copies.items():
        if not file.name.endswith("-shm"):
            file.write_bytes(content)


FOREIGN: dict[str, Callable[[Path], None]] = {
    "any table": lambda path: make(path, "CREATE TABLE things (name TEXT)"),
    "a log": lambda path: make(path, "CREATE TABLE things (name TEXT)", mode="wal"),
    "everything in the log": with_log,
    "a meta of one other column": lambda path: make(path, "CREATE TABLE meta (k TEXT)"),
    "a meta of other columns": lambda path: make(path, "CREATE TABLE meta (k, v)", "INSERT INTO meta VALUES (1, 2)"),
    "a meta like ours beside its own": lambda path: make(
        path,
        "CREATE TABLE meta (key TEXT, value TEXT)",
        "INSERT INTO meta VALUES ('version', '12')",
        "CREATE TABLE things (name TEXT)",
    ),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "things.sqlite"


def seen(path: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of the database and its log; SQLite's index of a log is made by whoever looks at it."""
    files = [file for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]
    return {file.name: (file.stat().st_mode, file.read_bytes()) for file in files}


@pytest.mark.parametrize("journal", ["wal", "truncate"])
@pytest.mark.parametrize("make_foreign", FOREIGN.values(), ids=FOREIGN)
async def test_nothing_of_another_programs_database_is_changed(
    path: Path, make_foreign: Callable[[Path], None], journal: Journal
) -> None:
    make_foreign(path)
    path.chmod(MODE)
    before = seen(path)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="another program") as caught:
            await Database.open(path, NOTES, clock=SetClock(), journal=journal)
        assert str(path) in caught.value.message
        assert "Name a file of its own" in str(caught.value)
        assert seen(path) == before
    assert [file for file in path.parent.iterdir() if file.is_dir()] == []


def make_duckdb(path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE things (name VARCHAR)")


OTHER: dict[str, tuple[Callable[[Path], object], str]] = {
    "a text": (lambda path: path.write_text("Milk, bread.\n"), "no SQLite database"),
    "a long text": (lambda path: path.write_text("Milk, bread.\n" * 9_000), "no SQLite database"),
    "a database that is cut": (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(4_000)), "no SQLite"),
    "one of DuckDB": (make_duckdb, "is a DuckDB file"),
}


@pytest.mark.parametrize("kind", [SqliteStore, SqliteState])
@pytest.mark.parametrize(("make_other", "said"), OTHER.values(), ids=OTHER)
async def test_a_file_that_is_no_sqlite_database_is_refused_and_left_as_it_is(
    path: Path, make_other: Callable[[Path], object], said: str, kind: type[SqliteStore] | type[SqliteState]
) -> None:
    make_other(path)
    path.chmod(MODE)
    before = seen(path)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=said) as caught:
            await kind.open_file(path, clock=SetClock())
        assert "of its own" in caught.value.hint
        assert seen(path) == before
    assert list(path.parent.glob("corrupt-*")) == []


async def test_a_library_of_duckdb_is_refused_though_it_is_one_of_gossamers(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    path = tmp_path / "lib.duckdb"
    store = await open_store(f"duckdb://{path}", clock=SetClock())
    before = path.stat()
    with pytest.raises(StoreUnavailable, match="is a DuckDB file"):
        await SqliteStore.open_file(path, clock=SetClock())
    assert (path.stat().st_ino, path.stat().st_mode) == (before.st_ino, before.st_mode)
    await store.close()


async def test_a_library_that_was_overwritten_is_moved_aside(path: Path) -> None:
    await (await SqliteStore.open_file(path, clock=SetClock())).close()
    path.write_text("Milk, bread.\n")
    await (await SqliteStore.open_file(path, clock=SetClock())).close()
    (moved,) = path.parent.glob(f"corrupt-*/{path.name}")
    assert moved.read_text() == "Milk, bread.\n"


@pytest.mark.parametrize("kind", [SqliteStore, SqliteState])
async def test_stores_and_states_keep_away_from_it(path: Path, kind: type[SqliteStore] | type[SqliteState]) -> None:
    FOREIGN["a meta of one other column"](path)
    before = seen(path)
    with pytest.raises(StoreUnavailable, match="another program"):
        await kind.open_file(path, clock=SetClock())
    assert seen(path) == before


async def test_a_file_whose_maker_was_killed_after_its_first_table_is_ours(path: Path) -> None:
    make(path, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    database = await Database.open(path, NOTES, clock=SetClock())
    assert await database.read(lambda it: it.execute("SELECT count(*) FROM notes").fetchone()) == (0,)
    await database.close()


async def test_a_file_of_ours_whose_tables_are_all_in_the_log_is_ours(path: Path, tmp_path: Path) -> None:
    database = await Database.open(path, NOTES, clock=SetClock())
    await database.write(lambda it: it.execute("INSERT INTO notes VALUES ('kept')"))
    copy = tmp_path / "copy"
    copy.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(path.with_name(path.name + suffix), copy)
    await database.close()
    database = await Database.open(copy / path.name, NOTES, clock=SetClock())
    assert await database.read(lambda it: it.execute("SELECT text FROM notes").fetchall()) == [("kept",)]
    await database.close()
