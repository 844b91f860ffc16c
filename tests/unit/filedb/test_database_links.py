"""A database that is reached by a link: everything of it lies beside the file itself, whatever its name is."""

import os
from pathlib import Path

import pytest

from gossamer.errors import StoreBusy, StoreUnavailable
from gossamer.filedb.address import path_of
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.filedb.processes import count_sharers
from gossamer.states.sqlite import SqliteState
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, page_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows lets few users make links")


@pytest.fixture
def real(tmp_path: Path) -> Path:
    (tmp_path / "real").mkdir()
    return tmp_path / "real" / "store.sqlite"


@pytest.fixture
def link(tmp_path: Path, real: Path) -> Path:
    """A name for a file that is not there yet."""
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "library.sqlite"
    path.symlink_to(real)
    return path


def by_folder(tmp_path: Path, real: Path) -> Path:
    (tmp_path / "linked").symlink_to(real.parent)
    return tmp_path / "linked" / real.name


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def open_store(path: Path) -> SqliteStore:
    return await SqliteStore.open(f"sqlite://{path}", clock=SetClock())


async def keep(store: SqliteStore, text: str) -> None:
    page = page_of(text)
    await store.save(page, chunks_of(page))


async def test_lock_log_and_marks_lie_beside_the_file_that_a_link_leads_to(link: Path, real: Path) -> None:
    store = await open_store(link)
    await keep(store, "one")
    assert Files(path_of(f"sqlite://{link}")).has_log()
    assert {"store.sqlite", "store.sqlite-wal", "store.lock", "store.users"} <= names(real.parent)
    assert names(link.parent) == {link.name}
    await store.close()
    assert names(real.parent) == {"store.sqlite", "store.lock", "store.users"}


async def test_two_names_of_one_file_have_one_lock_and_are_counted_together(
    link: Path, real: Path, tmp_path: Path
) -> None:
    first, second = await open_store(link), await open_store(by_folder(tmp_path, real))
    assert count_sharers(real) == 2
    await keep(first, "one")
    state = await SqliteState.open(f"sqlite://{link}", clock=SetClock())
    with FileLock(real.with_name("store.lock")), pytest.raises(StoreBusy):
        await state.put("key", "value", ttl_s=60)
    assert len(await second.pages(count=9)) == 1
    for part in (first, second, state):
        await part.close()


async def test_a_damaged_file_behind_a_link_is_moved_aside_and_the_link_stays(link: Path, real: Path) -> None:
    store = await open_store(link)
    await keep(store, "one")
    await store.close()
    real.write_bytes(b"nothing that SQLite could read" * 1_000)
    store = await open_store(link)
    await keep(store, "two")
    await store.close()
    assert len(list(real.parent.glob("corrupt-*/store.sqlite"))) == 1
    assert link.is_symlink()
    assert link.samefile(real)


async def test_a_link_to_a_folder_that_is_not_there_begins_a_library_there(tmp_path: Path) -> None:
    link = tmp_path / "store.sqlite"
    link.symlink_to(tmp_path / "away" / "library.sqlite")
    store = await open_store(link)
    await keep(store, "one")
    await store.close()
    assert oct((tmp_path / "away").stat().st_mode & 0o777) == "0o700"
    assert names(tmp_path / "away") == {"library.sqlite", "library.lock", "library.users"}


async def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    link = tmp_path / "store.sqlite"
    link.symlink_to(link)
    with pytest.raises(StoreUnavailable, match=r"store\.sqlite is no file"):
        await open_store(link)
    assert names(tmp_path) == {"store.sqlite"}


async def test_a_file_that_becomes_a_link_while_it_is_open_is_opened_where_it_leads(link: Path, real: Path) -> None:
    store = await open_store(real)
    await keep(store, "one")
    elsewhere = real.with_name("elsewhere.sqlite")
    real.rename(elsewhere)
    real.symlink_to(elsewhere)
    with pytest.raises(StoreUnavailable, match="moved"):
        await keep(store, "two")
    await store.close()
    store = await open_store(real)
    await keep(store, "three")
    assert "elsewhere.sqlite-wal" in names(real.parent)
    await store.close()
