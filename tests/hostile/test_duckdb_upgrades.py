"""DuckDB files of earlier and later versions: brought up to date, only read, or left to the newer one."""

import stat
from pathlib import Path

import duckdb
import pytest

from gossamer.errors import StoreUnavailable
from gossamer.stores.duckdb.database import Database
from gossamer.stores.duckdb.open_file import Schema
from gossamer.stores.duckdb.store import DuckdbStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import keep, page_of, pointing

FIRST = "CREATE TABLE things (name VARCHAR); INSERT INTO things VALUES ('kept')"
ADDING = "CREATE TABLE more (name VARCHAR); INSERT INTO meta VALUES ('store.schema_min', '1')"
LOSING = "-- destructive\nDROP TABLE things"
FAILING = "CREATE TABLE half (name VARCHAR); SELECT * FROM nothing"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.duckdb"


async def opened(path: Path, *scripts: str, tables: frozenset[str] = frozenset()) -> Database:
    schema = Schema(
        migrations=scripts,
        tables=tables,
        is_ready=lambda _: True,
        make_ready=lambda _: None,
        salvage=lambda *_: (it for it in ((0, lambda _: None),)),
        begin_lost=lambda *_: None,
    )
    return await Database.open(path, schema, clock=SetClock(), patience_s=60)


async def names(database: Database) -> list[str]:
    rows = await database.read(lambda it: it.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall())
    await database.close()
    return [name for (name,) in rows]


def rows_of(path: Path, statement: str) -> list[tuple[object, ...]]:
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute(statement).fetchall()


async def test_scripts_that_are_missing_are_applied_in_their_order(path: Path) -> None:
    assert await names(await opened(path, FIRST)) == ["meta", "things"]
    assert await names(await opened(path, FIRST, ADDING, "DROP TABLE more")) == ["meta", "things"]
    assert rows_of(path, "SELECT value FROM meta WHERE key = 'store.schema'") == [("3",)]


async def test_before_a_step_that_loses_something_the_file_is_copied_for_its_owner_alone(path: Path) -> None:
    await (await opened(path, FIRST)).close()
    for _ in range(2):
        assert await names(await opened(path, FIRST, LOSING)) == ["meta"]
    (copy,) = path.parent.glob("*.bak-*")
    assert copy.name == "store.duckdb.bak-1"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert rows_of(copy, "SELECT name FROM things") == [("kept",)]


async def test_a_step_that_fails_changes_nothing_and_is_said(path: Path) -> None:
    await (await opened(path, FIRST)).close()
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        await opened(path, FIRST, FAILING)
    assert await names(await opened(path, FIRST)) == ["meta", "things"]


async def test_a_new_file_needs_no_copy(path: Path) -> None:
    await (await opened(path, FIRST, LOSING)).close()
    assert list(path.parent.glob("*.bak-*")) == []


async def test_a_table_that_is_gone_is_damage(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await (await opened(path, FIRST)).close()
    with duckdb.connect(path) as connection:
        connection.execute("DROP TABLE things")
    database = await opened(path, FIRST, tables=frozenset({"meta", "things"}))
    assert await names(database) == ["meta", "things"]
    assert caplog.text.count("a table of it is missing") == 1
    assert len(list(path.parent.glob("corrupt-*/store.duckdb"))) == 1


def set_meta(path: Path, **values: str) -> None:
    with duckdb.connect(path) as connection:
        for key, value in values.items():
            connection.execute("DELETE FROM meta WHERE key = ?", [f"store.{key}"])
            connection.execute("INSERT INTO meta VALUES (?, ?)", [f"store.{key}", value])


async def open_store(path: Path) -> DuckdbStore:
    return await DuckdbStore.open_file(path, clock=SetClock(), patience_s=60)


async def test_a_newer_schema_that_older_code_may_read_is_only_read_and_says_so(path: Path) -> None:
    store = await open_store(path)
    page = await keep(store, page_of("Kept."))
    await store.close()
    set_meta(path, schema="999", schema_min="999", schema_read="1")
    before = path.read_bytes()
    store = await open_store(path)
    for _ in range(2):
        assert await store.page(page.url) == page
        with pytest.raises(StoreUnavailable, match=r"newer Gossamer.*Update Gossamer"):
            await keep(store, page_of("More.", url="https://example.com/more"))
    assert [hit.url for hit in await store.find("kept", count=5)] == [page.url]
    await store.close()
    assert path.read_bytes() == before
    assert not list(path.parent.glob("newer-*"))


async def test_a_file_that_a_newer_gossamer_upgrades_and_uses_is_left_to_it(path: Path) -> None:
    """Moving it aside under the newer one would part their pages, and then again with its next look."""
    older, newer = await open_store(path), await open_store(path)
    page = await keep(newer, page_of("Kept."))
    upgrade = "UPDATE meta SET value = '999' WHERE key IN ('store.schema', 'store.schema_min')"
    await newer._database.write(lambda it: it.execute(upgrade))
    with pytest.raises(StoreUnavailable, match=r"newer Gossamer.*Update Gossamer"):
        await older.page(page.url)
    assert not list(path.parent.glob("newer-*"))
    for store in (older, newer):
        await store.close()


async def test_bytes_that_were_made_in_another_way_are_made_again(path: Path) -> None:
    store = await open_store(path)
    page = await keep(store, page_of("Kept."))
    await store.save_vectors(page, pointing((3.0, 4.0)))
    await store.close()
    made = rows_of(path, "SELECT i8 FROM vectors")
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE vectors SET i8 = '\\x01\\x01'::BLOB")
    set_meta(path, vectors8="1")
    await (await open_store(path)).close()
    assert rows_of(path, "SELECT i8 FROM vectors") == made == [(bytes((76, 102)),)]


async def test_a_document_never_gets_the_number_of_one_that_is_gone(path: Path) -> None:
    store = await open_store(path)
    numbers: list[int] = []
    for number in range(3):
        page = await keep(store, page_of("Kept.", url=f"https://example.com/{number}"))
        numbers += [id_ for (id_,) in await ids(store)]
        await store.remove(page.url)
        assert await ids(store) == []
    await store.close()
    store = await open_store(path)
    await keep(store, page_of("Kept."))
    numbers += [id_ for (id_,) in await ids(store)]
    await store.close()
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 4


async def ids(store: DuckdbStore) -> list[tuple[int]]:
    return await store._database.read(lambda it: it.execute("SELECT id FROM documents").fetchall())
