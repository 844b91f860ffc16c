"""Every registered store against the common suite."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gossamer.errors import BadSettings, StoreUnavailable, UnknownName
from gossamer.ports import Store
from gossamer.stores import STORES, open_store
from gossamer.stores.memory import MemoryStore
from gossamer.testing.state_contract import SetClock
from gossamer.testing.store_cases import page_of
from gossamer.testing.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    async def store(self) -> AsyncIterator[Store]:
        store = await open_store("memory:", clock=SetClock())
        yield store
        await store.close()


class TestSqliteStore(StoreContract):
    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        store = await open_store(f"sqlite://{tmp_path}/data/store.sqlite", clock=SetClock())
        yield store
        await store.close()


def test_every_registered_store_is_tested_here() -> None:
    assert set(STORES) == {"memory", "sqlite"}


@pytest.mark.parametrize("address", ["", "/tmp/store.sqlite", "mysql://me:secret@host/db", "SQLITE:///x"])
async def test_an_unknown_kind_of_address_is_told_the_kinds_there_are(address: str) -> None:
    with pytest.raises(UnknownName) as caught:
        await open_store(address, clock=SetClock())
    assert "memory:, sqlite:" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["sqlite:", "sqlite://", "sqlite:///", "sqlite://store.sqlite", "sqlite:///a\0b"])
async def test_a_sqlite_address_without_a_full_path_is_refused(address: str) -> None:
    with pytest.raises(BadSettings, match="three slashes"):
        await open_store(address, clock=SetClock())


async def test_a_folder_that_cannot_be_made_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (f"{tmp_path}/file/data", "/proc/gossamer", "/proc/gossamer/data"):
        with pytest.raises(StoreUnavailable, match="Set DATA_DIR"):
            await open_store(f"sqlite://{folder}/store.sqlite", clock=SetClock())


async def test_memory_holds_a_bounded_number_of_pages() -> None:
    store = MemoryStore(most_pages=2)
    for number in range(3):
        await store.save(page_of("words", url=f"https://example.org/{number}"), ())
    assert [await store.page(f"https://example.org/{number}") is None for number in range(3)] == [True, False, False]
