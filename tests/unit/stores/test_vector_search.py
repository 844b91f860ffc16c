"""Searching a SQLite store by vectors in the way of large libraries, against the reference."""

import contextlib
import random
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gossamer.model.page import Vectors
from gossamer.ports import Store
from gossamer.stores.memory import MemoryStore
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.stores.sqlite.vector_search import nearest
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import chunks_of, page_of, pointing

DIMENSION, PAGES = 24, 120
MODEL = pointing((1.0,)).model


def drawn(dice: random.Random) -> list[float]:
    return [dice.gauss(0, 1) for _ in range(DIMENSION)]


def url_of(number: int) -> str:
    return f"https://site{number % 3}.example.com/{number}"


async def fill(store: Store) -> None:
    dice = random.Random(8)
    for number in range(PAGES):
        page = page_of("word " * dice.randrange(1, 5), url=url_of(number), title=str(number))
        chunks = chunks_of(page, size=5)
        await store.save(page, chunks)
        data = b"".join(pointing(drawn(dice)).data for _ in chunks)
        await store.save_vectors(page, Vectors(model=MODEL, dimension=DIMENSION, data=data))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open_file(path, clock=SetClock())
    await fill(store)
    yield store
    await store.close()


async def agree(path: Path, *, site: str = "") -> None:
    """Whether a look at quarters first, as if the library were large, finds what the reference finds."""
    reference, dice = MemoryStore(), random.Random(9)
    await fill(reference)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for count in (1, 7, PAGES):
            asked = pointing(drawn(dice))
            expected = await reference.nearest(asked, count=count, site=site)
            assert expected
            for many in (0, PAGES * 10):
                found = nearest(connection, asked, count, site, many=many)
                assert [hit.url for hit in found] == [hit.url for hit in expected]
                assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=2e-6)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("site", ["", "site2.example.com"])
async def test_a_large_library_is_searched_like_any(path: Path, site: str) -> None:
    await agree(path, site=site)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("kept", [0, 50])
async def test_pages_whose_quarters_were_never_made_are_found_too(path: Path, kept: int) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM vectors2 WHERE document > ?", (kept,))
    await agree(path)


async def test_quarters_that_are_missing_are_made_when_a_store_is_opened(path: Path, store: SqliteStore) -> None:
    await store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        made = connection.execute("SELECT document, model, dimension, i2 FROM vectors2 ORDER BY document").fetchall()
        connection.execute("DELETE FROM vectors2")
        connection.execute("DELETE FROM meta WHERE key = 'store.vectors2'")
    again = await SqliteStore.open_file(path, clock=SetClock())
    await again.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT document, model, dimension, i2 FROM vectors2 ORDER BY document").fetchall()
    assert len(made) == PAGES
    assert rows == made


async def test_bytes_that_were_made_in_another_way_are_made_again(path: Path, store: SqliteStore) -> None:
    await store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        made = connection.execute("SELECT document, i8 FROM vectors8 ORDER BY document").fetchall()
        connection.execute("UPDATE vectors8 SET i8 = zeroblob(length(i8))")
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'store.vectors8'")
    again = await SqliteStore.open_file(path, clock=SetClock())
    await again.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT document, i8 FROM vectors8 ORDER BY document").fetchall() == made
    await agree(path)


async def test_vectors_that_are_let_go_of_leave_nothing(path: Path, store: SqliteStore) -> None:
    await store.remove(url_of(1))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM vectors2").fetchone() == (PAGES - 1,)
        await store.forget_vectors(MODEL)
        assert connection.execute("SELECT count(*) FROM vectors2").fetchone() == (0,)
