"""Every registered store against the common suite."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gossamer.errors import BadSettings, StoreUnavailable, UnknownName
from gossamer.ports import Store
from gossamer.stores import STORES, lazy_store, open_store
from gossamer.stores.memory import MemoryStore
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import chunks_of, page_of
from gossamer.testing.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    async def store(self, clock: SetClock) -> AsyncIterator[Store]:
        store = await open_store("memory:", clock=clock)
        yield store
        await store.close()


class TestSqliteStore(StoreContract):
    @pytest.fixture
    async def store(self, clock: SetClock, tmp_path: Path) -> AsyncIterator[Store]:
        store = await open_store(f"sqlite://{tmp_path}/data/store.sqlite", clock=clock)
        yield store
        await store.close()


class TestDuckdbStore(StoreContract):
    @pytest.fixture
    async def store(self, clock: SetClock, tmp_path: Path) -> AsyncIterator[Store]:
        store = await open_store(f"duckdb://{tmp_path}/data/store.duckdb", clock=clock)
        yield store
        await store.close()


class TestWrappedStore(StoreContract):
    """What wraps a store keeps all its promises."""

    @pytest.fixture
    async def store(self, clock: SetClock) -> AsyncIterator[Store]:
        store = lazy_store("memory:", clock=clock, most_bytes=10**9)
        yield store
        await store.close()


async def test_a_library_stays_about_as_large_as_it_may(tmp_path: Path) -> None:
    clock, most = SetClock(), 2_000_000
    address = f"sqlite://{tmp_path}/store.sqlite"
    store = lazy_store(address, clock=clock, most_bytes=most)
    for number in range(120):
        words = " ".join(f"{number * place:x}" for place in range(4_000))
        page = page_of(words, url=f"https://example.org/{number}")
        await store.save(page, chunks_of(page, size=2_000))
        clock.advance(10)
    assert await store.page("https://example.org/119") is not None
    assert await store.page("https://example.org/0") is None
    await store.close()
    # One look in twenty saves, and a trimming that goes on while others save.
    assert (tmp_path / "store.sqlite").stat().st_size < 3 * most


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
async def test_processes_that_end_at_once_let_go_of_no_more_than_has_to(tmp_path: Path, kind: str) -> None:
    clock, address = SetClock(), f"{kind}://{tmp_path}/store.{kind}"
    store = await open_store(address, clock=clock)

    async def fill(number: int, into: Store) -> str:
        words = " ".join(f"{number * 7_919 + place * 104_729:x}" for place in range(4_000))
        page = page_of(words, url=f"https://example.org/{number}")
        await into.save(page, chunks_of(page, size=2_000))
        clock.advance(10)
        return page.url

    for number in range(80):
        await fill(number, store)
    full = await store.stats()
    await store.close()
    most = full.size_bytes * 3 // 4
    for number in range(80, 85):
        short = lazy_store(address, clock=clock, most_bytes=most)
        url = await fill(number, short)
        await short.close()
        store = await open_store(address, clock=clock)
        assert await store.page(url) is not None
        full = await store.stats()
        await store.close()
        assert 45 <= full.pages < 80
    assert full.size_bytes <= most
    if kind == "sqlite":
        assert (tmp_path / "store.sqlite").stat().st_size <= most + 2 * 2**20


def test_every_registered_store_is_tested_here() -> None:
    assert set(STORES) == {"memory", "sqlite", "duckdb"}


@pytest.mark.parametrize("address", ["", "/tmp/store.sqlite", "mysql://me:secret@host/db", "SQLITE:///x"])
async def test_an_unknown_kind_of_address_is_told_the_kinds_there_are(address: str) -> None:
    with pytest.raises(UnknownName) as caught:
        await open_store(address, clock=SetClock())
    assert "memory:, sqlite:, duckdb:" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["sqlite:", "sqlite://", "sqlite:///", "sqlite://store.sqlite", "sqlite:///a\0b"])
async def test_a_sqlite_address_without_a_full_path_is_refused(address: str) -> None:
    with pytest.raises(BadSettings, match="three slashes"):
        await open_store(address, clock=SetClock())


@pytest.mark.parametrize("address", ["duckdb:", "duckdb:///", "duckdb://store.duckdb"])
async def test_a_duckdb_address_without_a_full_path_is_refused(address: str) -> None:
    with pytest.raises(BadSettings, match="duckdb:///home"):
        await open_store(address, clock=SetClock())


async def test_a_driver_that_is_not_installed_is_named_with_the_way_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(BadSettings, match=r'pip install "gossamer\[duckdb\]"'):
        await open_store(f"duckdb://{tmp_path}/store.duckdb", clock=SetClock())


async def test_a_folder_that_cannot_be_made_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (f"{tmp_path}/file/data", "/proc/gossamer", "/proc/gossamer/data"):
        with pytest.raises(StoreUnavailable, match="Set DATA_DIR"):
            await open_store(f"sqlite://{folder}/store.sqlite", clock=SetClock())
        with pytest.raises(StoreUnavailable, match="Set DATA_DIR"):
            await open_store(f"duckdb://{folder}/store.duckdb", clock=SetClock())


@pytest.mark.promise("002.147")
async def test_memory_holds_a_bounded_number_of_pages() -> None:
    store = MemoryStore(most_pages=2)
    for number in range(3):
        await store.save(page_of("words", url=f"https://example.org/{number}"), ())
    assert [await store.page(f"https://example.org/{number}") is None for number in range(3)] == [True, False, False]
