"""What a SQLite store makes of its pages is made in portions: whoever comes next goes on, and nobody waits for all."""

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy, StoreDamaged
from gossamer.filedb.lock import FileLock
from gossamer.stores.sqlite import pages, vector_rows, word_search
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, keep, page_of, pointing, vectors_of

PAGES = 12
FIRST = Path(__file__).parents[1] / "cases" / "stores" / "schema-1" / "store.sqlite"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.sqlite"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is a portion."""
    monkeypatch.setattr(pages, "PORTION", 1)
    monkeypatch.setattr(vector_rows, "PORTION", 1)


async def open_store(path: Path, *, patience_s: float = 60.0) -> SqliteStore:
    return await SqliteStore.open_file(path, clock=SetClock(), patience_s=patience_s)


def url(number: int) -> str:
    return f"https://example.com/{number}"


async def make_store(path: Path) -> None:
    store = await open_store(path)
    for number in range(PAGES):
        page = page_of(f"harbours number{number}", url=url(number))
        await store.save(page, chunks_of(page))
        await store.save_vectors(page, vectors_of(chunks_of(page)))
    await store.close()


def change(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def outdate(path: Path) -> None:
    """Make the file that of a version which prepared words and vectors in another way."""
    change(
        path,
        "UPDATE meta SET value = '1' WHERE key = 'store.words'",
        "DELETE FROM meta WHERE key IN ('store.vectors8', 'store.vectors2')",
        "DELETE FROM vectors8",
        "DELETE FROM vectors2",
        "INSERT INTO fts (fts) VALUES ('delete-all')",
    )


def prepare(path: Path, *, portions: int) -> bool:
    """Somebody prepares so many portions, and is killed; tell whether more is left."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        has_more = True
        for _ in range(portions):
            connection.execute("BEGIN IMMEDIATE")
            has_more = pages.prepare(connection) or vector_rows.prepare(connection)
            connection.execute("COMMIT")
        return has_more


def words_are_sound(path: Path) -> bool:
    """Whether the index has the words of every chunk once, and is whole."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO fts (fts) VALUES ('integrity-check')")
        (indexed,) = connection.execute("SELECT count(*) FROM fts_docsize").fetchone()
        (kept,) = connection.execute("SELECT count(*) FROM chunks").fetchone()
        return indexed == kept


async def test_a_store_of_the_first_version_is_prepared_portion_by_portion(path: Path) -> None:
    path.parent.mkdir()
    shutil.copyfile(FIRST, path)
    store = await open_store(path)
    assert [hit.url for hit in await store.find("harbour", count=5)] == ["https://docs.example.com/guide"]
    assert len(await store.nearest(pointing((1.0, 1.0)), count=5)) == 2
    await store.close()
    assert words_are_sound(path)


async def test_whoever_comes_next_goes_on_where_the_last_one_stopped(path: Path) -> None:
    await make_store(path)
    outdate(path)
    assert prepare(path, portions=5)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM fts_docsize").fetchone() == (5,)
    assert prepare(path, portions=1)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM fts_docsize").fetchone() == (6,)
    store = await open_store(path)
    assert len(await store.find("harbours", count=100)) == PAGES
    assert len(await store.nearest(pointing((1.0, 1.0)), count=100)) == PAGES
    await store.close()
    assert not prepare(path, portions=1)
    assert words_are_sound(path)


async def test_a_store_that_is_closed_at_once_has_come_further(path: Path) -> None:
    await make_store(path)
    outdate(path)
    store = await open_store(path)
    await store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert word_search.is_begun(connection)
        assert word_search.is_made(connection) or word_search.reached(connection) > 0


async def test_until_the_words_are_ready_a_search_says_so_and_everything_else_works(path: Path) -> None:
    await make_store(path)
    outdate(path)
    prepare(path, portions=5)
    with FileLock(path.with_name("store.lock")):
        store = await open_store(path, patience_s=0.2)
        assert len(await store.pages(count=100)) == PAGES
        assert await store.page(url(9))
        assert len([record async for record in store.export()]) == PAGES
        with pytest.raises(StoreBusy):
            await store.find("harbours", count=100)
        # While nobody can write: once the lock is free, closing goes on with it.
        with contextlib.closing(sqlite3.connect(path)) as connection, pytest.raises(StoreBusy, match="5 of 12 pages"):
            word_search.must_be_made(connection)
        await store.close()


async def test_pages_that_change_while_the_words_are_made_are_found_by_their_present_ones(path: Path) -> None:
    await make_store(path)
    outdate(path)
    prepare(path, portions=5)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        for number in (0, 9):
            pages.remove(connection, url(number))
    prepare(path, portions=1)
    store = await open_store(path)
    for number in (1, 10):
        await keep(store, page_of("quays", url=url(number), at=2_000_000.0))
    await keep(store, page_of("quays", url=url(PAGES)))
    assert {hit.url for hit in await store.find("quays", count=100)} == {url(1), url(10), url(PAGES)}
    expected = {url(number) for number in range(PAGES)} - {url(number) for number in (0, 1, 9, 10)}
    assert {hit.url for hit in await store.find("harbours", count=100)} == expected
    await store.close()
    assert words_are_sound(path)


async def test_an_index_of_another_version_that_was_half_made_is_begun_anew(path: Path) -> None:
    await make_store(path)
    change(path, "UPDATE meta SET value = '1:7' WHERE key = 'store.words'")
    store = await open_store(path)
    assert len(await store.find("harbours", count=100)) == PAGES
    await store.close()
    assert words_are_sound(path)


async def test_damaged_words_are_made_again_and_nothing_else_is_touched(path: Path) -> None:
    await make_store(path)
    change(path, "UPDATE fts_data SET block = randomblob(length(block)) WHERE id > 1000")
    path.with_name("store.suspect").touch()
    store = await open_store(path)
    assert len(await store.find("harbours", count=100)) == PAGES
    await store.close()
    assert words_are_sound(path)
    assert not path.with_name("store.suspect").exists()
    assert list(path.parent.glob("corrupt-*")) == []


BROKEN = {
    "garbled": "UPDATE fts_data SET block = randomblob(length(block)) WHERE id > 1000",
    "zeroed": "UPDATE fts_data SET block = zeroblob(length(block)) WHERE id > 1000",
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
async def test_whoever_looks_after_a_store_is_told_of_damaged_words_and_the_next_makes_them_again(
    path: Path, damage: str
) -> None:
    await make_store(path)
    assert SqliteStore.remark(f"sqlite://{path}") == ""
    change(path, damage)
    with pytest.raises(StoreDamaged, match="word index"):
        SqliteStore.remark(f"sqlite://{path}")
    store = await open_store(path)
    assert len(await store.find("harbours", count=100)) == PAGES
    await store.close()
    assert SqliteStore.remark(f"sqlite://{path}") == ""
    assert list(path.parent.glob("corrupt-*")) == []


async def test_words_are_not_looked_at_while_somebody_writes(path: Path) -> None:
    await make_store(path)
    change(path, BROKEN["zeroed"])
    with FileLock(path.with_name("store.lock")):
        assert SqliteStore.remark(f"sqlite://{path}") == ""
