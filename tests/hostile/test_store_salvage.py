"""What a damaged store still holds is carried into the new one: the ledger first, then page by page."""

import contextlib
import os
import random
import re
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gossamer.errors import StoreError
from gossamer.filedb.wrapper import reopening
from gossamer.model.page import Listed
from gossamer.ports import Store
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, keep, page_of, vectors_of

PAGES = 40
DAY = "1970-01-12"
"""The day of a set clock."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.sqlite"


async def open_store(path: Path) -> SqliteStore:
    return await SqliteStore.open_file(path, clock=SetClock())


async def make_store(path: Path) -> None:
    store = await open_store(path)
    await store.reserve("op", provider="paid", day=DAY, amount=300, cap=1_000, ttl_s=3600)
    await store.settle("op", 250)
    for number in range(PAGES):
        for at in (1.0, 2.0):
            words = " ".join(f"{(number + 1) * place * at:.0f}" for place in range(1_500))
            page = page_of(f"harbours {words}", url=f"https://example.com/{number}", at=at)
            await store.save(page, chunks_of(page, size=900))
        await store.save_vectors(page, vectors_of(chunks_of(page, size=900)))
    await store.close()


def break_page_of(path: Path, table: str) -> None:
    """Overwrite a leaf of a table, as a failing disk does."""
    place, data = page_of_table(path, table)
    write_at(path, place, b"\xff" * len(data))


async def damaged(path: Path) -> SqliteStore:
    """Open a store whose damage was met before, so that it is looked at closely."""
    path.with_name("store.suspect").touch()
    return await open_store(path)


def page_of_table(path: Path, table: str) -> tuple[int, bytes]:
    """Where in the file a small table lies, and what is there."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    place = (root - 1) * 8192
    return place, path.read_bytes()[place : place + 8192]


def zero_rows_of(path: Path, table: str) -> None:
    """Overwrite the rows of a small table and leave what finds them, so that reading it is no error."""
    place, _ = page_of_table(path, table)
    write_at(path, place + 2_000, bytes(6_192))


def write_at(path: Path, place: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(data)


def lasting(path: Path) -> Store:
    """A store as a server has it."""
    return reopening(Store, lambda: open_store(path), clock=SetClock())


async def pages_of(store: SqliteStore, path: Path) -> int:
    """How many pages there are once the rescue is over; each write gives it a turn, however busy the machine is."""
    for _ in range(50 * PAGES):
        await keep(store, page_of("A turn at the lock.", url="https://example.com/turn", at=3.0))
        if not list(path.parent.glob("corrupt-*/*.unsaved")):
            return len(await store.pages(count=100)) - 1
    pytest.fail(f"{50 * PAGES} turns were not enough for the rescue")


async def test_pages_vectors_and_ledger_survive_a_broken_table_of_models(path: Path) -> None:
    await make_store(path)
    break_page_of(path, "models")
    store = await damaged(path)
    assert await store.spent("paid", DAY) == 250
    assert await pages_of(store, path) == PAGES
    stats = await store.stats()
    assert (stats.versions, stats.models) == (PAGES, {"small": PAGES})
    assert len(await store.find("harbours", count=100)) == PAGES
    await store.close()
    assert len(list(path.parent.glob("corrupt-*/store.sqlite"))) == 1


async def test_texts_survive_whose_chunks_cannot_be_read(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    break_page_of(path, "chunks")
    store = await damaged(path)
    assert await pages_of(store, path) == PAGES
    for number in range(PAGES):
        page = await store.page(f"https://example.com/{number}")
        assert page is not None
        assert page.text.startswith("harbours ")
        assert await store.chunks(page) == ()
    page = await store.page("https://example.com/7")
    assert page is not None
    await store.save(page, chunks_of(page, size=900))
    assert [hit.url for hit in await store.find("harbours", count=100)] == [page.url]
    assert (await store.stats()).versions == PAGES
    await store.close()
    assert f"{PAGES} pages were saved" in caplog.text
    assert "none was lost" in caplog.text


def lose_value(path: Path, table: str, column: str, where: str) -> None:
    """Put nothing where the schema wants something, as only damage does."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        (schema,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        loose = re.sub(rf"({column} \w+) NOT NULL", r"\1", schema)
        assert loose != schema
        for sql, change in ((loose, f"UPDATE {table} SET {column} = NULL WHERE {where}"), (schema, "SELECT 1")):
            connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute(change)


async def test_a_row_that_no_store_takes_stops_no_rescue(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    lose_value(path, "chunks", "tokens", "cid = 10 * 4096")
    store = await damaged(path)
    assert await pages_of(store, path) == PAGES
    assert await store.spent("paid", DAY) == 250
    await store.close()
    assert f"{PAGES} pages were saved" in caplog.text
    assert not list(path.parent.glob("*/*.unsaved"))


async def test_where_a_row_of_the_ledger_is_damaged_the_day_counts_as_spent(path: Path) -> None:
    await make_store(path)
    lose_value(path, "ledger", "provider", "1")
    store = await damaged(path)
    assert not await store.reserve("next", provider="paid", day=DAY, amount=1, cap=1_000, ttl_s=3600)
    assert await pages_of(store, path) == PAGES
    await store.close()


async def test_pages_that_no_index_names_are_saved(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    before = [page_of_table(path, name) for name in ("sqlite_autoindex_documents_1", "documents_newest")]
    store = await open_store(path)
    for number in range(3):
        await keep(store, page_of("harbours", url=f"https://example.com/last{number}"))
    await store.close()
    for place, data in before:
        write_at(path, place, data)
    store = await damaged(path)
    assert await pages_of(store, path) == PAGES + 3
    await store.close()
    assert "none was lost" not in caplog.text


async def test_how_many_pages_could_not_be_read_is_told(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    break_page_of(path, "models")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE documents SET body = x'00' WHERE id <= 3")
    store = await damaged(path)
    assert await pages_of(store, path) == PAGES - 3
    await store.close()
    assert f"{PAGES - 3} pages were saved" in caplog.text
    assert "3 could not be read" in caplog.text


async def test_pages_that_can_still_be_read_survive_those_that_cannot(path: Path) -> None:
    await make_store(path)
    size = path.stat().st_size // 8192
    data = bytearray(path.read_bytes())
    for page in range(size // 2, size // 2 + 4):
        data[page * 8192 : (page + 1) * 8192] = b"\x00" * 8192
    path.write_bytes(data)
    store = await damaged(path)
    saved = await pages_of(store, path)
    assert PAGES // 2 <= saved <= PAGES
    for number in range(PAGES):
        page = await store.page(f"https://example.com/{number}")
        assert page is None or page.text.startswith("harbours ")
    await store.close()


USES: dict[str, Callable[[Store], Awaitable[object]]] = {
    "a page is removed": lambda store: store.remove("https://example.com/7"),
    "pages go for space": lambda store: store.trim(most_bytes=2**20),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("table", ["vectors8", "vectors2"])
async def test_rows_that_cannot_be_deleted_with_their_page_are_damage(
    path: Path, table: str, use: Callable[[Store], Awaitable[object]]
) -> None:
    await make_store(path)
    zero_rows_of(path, table)
    store = lasting(path)
    assert len(await store.pages(count=100)) == PAGES
    await use(store)
    assert await store.spent("paid", DAY) == 250
    await store.close()
    assert len(list(path.parent.glob("corrupt-*/store.sqlite"))) == 1
    store = lasting(path)
    pages = await store.pages(count=100)
    assert PAGES - 1 <= len(pages) <= PAGES
    assert await store.remove(pages[0].url)
    await store.close()


async def test_a_write_that_the_disk_lost_is_damage_even_if_each_table_alone_looks_sound(path: Path) -> None:
    await make_store(path)
    before = page_of_table(path, "vectors8")
    store = lasting(path)
    page = page_of("harbours", url="https://example.com/last")
    await store.save(page, chunks_of(page))
    await store.save_vectors(page, vectors_of(chunks_of(page)))
    await store.close()
    write_at(path, *before)
    store = lasting(path)
    await store.remove(page.url)
    assert len(list(path.parent.glob("corrupt-*/store.sqlite"))) == 1
    await store.close()
    store = lasting(path)
    assert len(await store.pages(count=100)) == PAGES
    await store.close()


CUT_BYTES = {"one page": 8_192, "a page and a part": 11_000, "many pages": 100_000}


@pytest.mark.parametrize("missing", CUT_BYTES.values(), ids=CUT_BYTES)
async def test_what_is_left_of_a_file_that_was_cut_survives(
    path: Path, missing: int, caplog: pytest.LogCaptureFixture
) -> None:
    await make_store(path)
    os.truncate(path, path.stat().st_size - missing)
    store = await open_store(path)
    assert await store.spent("paid", DAY) == 250
    saved = await pages_of(store, path)
    assert saved >= PAGES - missing // 8_192
    for number in range(saved):
        page = await store.page(f"https://example.com/{number}")
        assert page is None or page.text.startswith("harbours ")
    await store.close()
    assert f"{saved} pages were saved" in caplog.text
    assert saved == PAGES or "none was lost" not in caplog.text


async def test_nobody_is_told_that_none_was_lost_where_pages_were(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await make_store(tmp_path / "store.sqlite")
    sound = (tmp_path / "store.sqlite").read_bytes()
    dice, told = random.Random(7), set()
    for attempt in range(25):
        path = tmp_path / str(attempt) / "store.sqlite"
        path.parent.mkdir()
        path.write_bytes(sound)
        one, other = (dice.randrange(1, len(sound) // 8192) * 8192 for _ in range(2))
        write_at(path, one, sound[other : other + 8192])
        write_at(path, other, sound[one : one + 8192])
        caplog.clear()
        await (await damaged(path)).close()
        saved = {page.url for page in await pages_in(path)}
        if saved < {f"https://example.com/{number}" for number in range(PAGES)}:
            assert "none was lost" not in caplog.text
            told.add("could not be read" in caplog.text)
        shutil.rmtree(path.parent)
    assert True in told


async def pages_in(path: Path) -> tuple[Listed, ...]:
    """The pages of a store that nobody has open."""
    store = await open_store(path)
    try:
        return await store.pages(count=100)
    finally:
        await store.close()


async def test_a_garbled_number_of_pages_holds_up_nobody_who_writes(path: Path) -> None:
    await make_store(path)
    break_page_of(path, "documents_newest")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE sqlite_sequence SET seq = 900000 WHERE name = 'documents'")
    store = await damaged(path)
    await keep(store, page_of("Written meanwhile.", url="https://example.com/turn", at=3.0))
    assert list(path.parent.glob("corrupt-*/*.unsaved"))
    assert await pages_of(store, path) == PAGES
    await store.close()


LOST: dict[str, Callable[[Path], object]] = {
    "its table is broken": lambda path: break_page_of(path, "ledger"),
    "the whole file is": lambda path: path.write_bytes(b"garbage " * 10_000),
}


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
async def test_a_day_whose_ledger_cannot_be_read_counts_as_spent(path: Path, lose: Callable[[Path], object]) -> None:
    await make_store(path)
    lose(path)
    store = await damaged(path)
    assert not await store.reserve("new", provider="paid", day=DAY, amount=1, cap=10**9, ttl_s=60)
    assert await store.reserve("new", provider="paid", day="1970-01-13", amount=1, cap=10, ttl_s=60)
    await store.close()


async def test_a_damaged_store_from_before_there_was_a_ledger_costs_no_day(path: Path) -> None:
    await make_store(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE ledger")
        connection.execute("UPDATE meta SET value = '2' WHERE key = 'store.schema'")
    store = await damaged(path)
    assert await store.reserve("new", provider="paid", day=DAY, amount=1, cap=10, ttl_s=60)
    assert await pages_of(store, path) == PAGES
    await store.close()


async def test_a_store_that_others_have_open_is_not_moved_under_them(path: Path) -> None:
    await make_store(path)
    other = await open_store(path)
    break_page_of(path, "models")
    path.with_name("store.suspect").touch()
    with pytest.raises(StoreError, match="another process has it open"):
        await open_store(path)
    assert list(path.parent.glob("corrupt-*")) == []
    await other.close()
    store = await open_store(path)
    assert await pages_of(store, path) == PAGES
    await store.close()


async def test_damage_that_one_process_met_is_got_over_by_all_who_use_the_store(path: Path) -> None:
    await make_store(path)
    zero_rows_of(path, "vectors8")
    finder, other = lasting(path), lasting(path)
    assert await other.page("https://example.com/3")
    with contextlib.suppress(StoreError):
        await finder.remove("https://example.com/7")
    assert list(path.parent.glob("corrupt-*")) == []
    assert await other.remove("https://example.com/nowhere") is False
    assert len(list(path.parent.glob("corrupt-*/store.sqlite"))) == 1
    await other.close()
    await finder.close()
    assert len(await pages_in(path)) >= PAGES - 1
