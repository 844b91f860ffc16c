"""What a damaged store still holds is carried into the new one: the ledger first, then page by page."""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.errors import StoreError
from gossamer.stores.sqlite import SqliteStore
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
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    data[(root - 1) * size : root * size] = b"\xff" * size
    path.write_bytes(data)


async def damaged(path: Path) -> SqliteStore:
    """Open a store whose damage was met before, so that it is looked at closely."""
    path.with_name("store.suspect").touch()
    return await open_store(path)


async def pages_of(store: SqliteStore) -> int:
    """How many pages there are once all that was queued is done."""
    for _ in range(PAGES + 2):
        await keep(store, page_of("A turn at the lock.", url="https://example.com/turn", at=3.0))
    return len(await store.pages(count=100)) - 1


async def test_pages_vectors_and_ledger_survive_a_broken_table_of_models(path: Path) -> None:
    await make_store(path)
    break_page_of(path, "models")
    store = await damaged(path)
    assert await store.spent("paid", DAY) == 250
    assert await pages_of(store) == PAGES
    stats = await store.stats()
    assert (stats.versions, stats.models) == (PAGES, {"small": PAGES})
    assert len(await store.find("harbours", count=100)) == PAGES
    await store.close()
    assert len(list(path.parent.glob("corrupt-*/store.sqlite"))) == 1


async def test_texts_survive_whose_chunks_cannot_be_read(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    break_page_of(path, "chunks")
    store = await damaged(path)
    assert await pages_of(store) == PAGES
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


async def test_how_many_pages_could_not_be_read_is_told(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await make_store(path)
    break_page_of(path, "models")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE documents SET body = x'00' WHERE id <= 3")
    store = await damaged(path)
    assert await pages_of(store) == PAGES - 3
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
    saved = await pages_of(store)
    assert PAGES // 2 <= saved <= PAGES
    for number in range(PAGES):
        page = await store.page(f"https://example.com/{number}")
        assert page is None or page.text.startswith("harbours ")
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
    assert await pages_of(store) == PAGES
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
    assert await pages_of(store) == PAGES
    await store.close()
