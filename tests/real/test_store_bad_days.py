"""Bad days of the store, made to happen under a running server: answers go on, say so, and it gets over them."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gossamer.demo.web import MiniWeb
from gossamer.filedb.lock import FileLock
from gossamer.filedb.sqlite.open_file import shape_of
from gossamer.stores.sqlite.store import SqliteStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, page_of
from tests.real.bad_days import PAGES, PLAIN, PUBLIC, fetch, fill, kept, public, serving, small_disk, until
from tests.real.processes import Cli


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return public(environment)


is_root = os.name == "posix" and os.getuid() == 0
counts = pytest.mark.skipif(
    is_root and shutil.which("setpriv") is None, reason="modes count for nothing here: root without setpriv"
)
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and modes of POSIX")


@pytest.fixture
def folder(environment: dict[str, str]) -> Path:
    return Path(environment["DATA_DIR"])


@pytest.fixture
def disk(folder: Path) -> Iterator[Path]:
    """The data folder on a disk of its own."""
    with small_disk(folder, 3):
        yield folder


def test_a_full_disk_is_told_and_space_that_comes_back_is_noticed(
    disk: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        filler = fill(disk)
        until(lambda: "disk is full" in fetch(wire, web, PAGES[1], force_refresh=True))
        before = web.count(PAGES[0])
        assert fetch(wire, web, PAGES[0]) == ""
        assert web.count(PAGES[0]) == before
        filler.unlink()
        assert fetch(wire, web, PAGES[2]) == ""
    assert kept(disk) >= {PAGES[0], PAGES[2]}


def test_what_is_kept_is_read_by_who_starts_on_a_full_disk(
    disk: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
    filler = fill(disk)
    before = web.count(PAGES[0])
    with serving(environment) as wire:
        assert "could not be read" not in fetch(wire, web, PAGES[0])
        assert web.count(PAGES[0]) == before
        assert "The disk is full" in fetch(wire, web, PAGES[1])
        filler.unlink()
        until(lambda: fetch(wire, web, PAGES[2]) == "")
        assert fetch(wire, web, PAGES[0]) == ""
        assert web.count(PAGES[0]) == before
    assert kept(disk) >= {PAGES[0], PAGES[2]}


@counts
@posix
def test_what_is_kept_is_read_by_who_starts_in_a_folder_that_may_not_be_written(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment, PLAIN) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
    # Who closes it last takes its log along.
    assert kept(folder) == {PAGES[0]}
    before = web.count(PAGES[0])
    folder.chmod(0o500)
    try:
        with serving(environment, PLAIN) as wire:
            assert "could not be read" not in fetch(wire, web, PAGES[0])
            assert web.count(PAGES[0]) == before
            assert f"The data folder {folder} cannot be written: Permission denied" in fetch(wire, web, PAGES[1])
    finally:
        folder.chmod(0o700)


def test_a_store_that_found_the_disk_full_is_opened_once_there_is_space(
    disk: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    filler = fill(disk)
    with serving(environment) as wire:
        assert "was not kept" in fetch(wire, web, PAGES[0])
        filler.unlink()
        until(lambda: fetch(wire, web, PAGES[1]) == "")
    assert PAGES[1] in kept(disk)


@counts
@posix
def test_a_folder_that_may_not_be_written_is_told_and_used_once_it_may(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    folder.mkdir(parents=True, mode=0o500)
    with serving(environment, PLAIN) as wire:
        told = fetch(wire, web, PAGES[0])
        assert "was not kept" in told
        assert "DATA_DIR" in told
        folder.chmod(0o700)
        until(lambda: fetch(wire, web, PAGES[1]) == "")
    assert PAGES[1] in kept(folder)
    assert oct(folder.joinpath("store.sqlite").stat().st_mode & 0o777) == "0o600"


LOST = {"all rights": (0, 0), "the right to write": (0o500, 0o400)}


@counts
@posix
@pytest.mark.parametrize(("folder_mode", "file_mode"), LOST.values(), ids=LOST)
def test_rights_lost_while_running_keep_nobody_from_an_answer_that_says_what_is_missing(
    folder_mode: int, file_mode: int, folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment, PLAIN) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        for file in folder.iterdir():
            file.chmod(file_mode)
        folder.chmod(folder_mode)
        try:
            visits = web.count(PAGES[0])
            told = {page: fetch(wire, web, page) for page in PAGES}
        finally:
            folder.chmod(0o700)
            for file in folder.iterdir():
                file.chmod(0o700 if file.is_dir() else 0o600)
        # What is open stays open. What nothing is said of is in the library, and what is not there was said so.
        assert told[PAGES[0]] or web.count(PAGES[0]) == visits
        there = kept(folder)
        for page, said in told.items():
            assert said == "" or ("DATA_DIR" in said and ("was not kept" in said or "could not be read" in said))
            assert (page in there) == (said == "" or page == PAGES[0])
        until(lambda: fetch(wire, web, PAGES[1]) == "")
        assert fetch(wire, web, PAGES[2]) == ""
    assert {PAGES[0], PAGES[1], PAGES[2]} <= kept(folder)
    for file in folder.rglob("*"):
        assert oct(file.stat().st_mode & 0o777) == ("0o700" if file.is_dir() else "0o600")


@counts
@posix
def test_a_file_of_another_user_is_left_alone(folder: Path, environment: dict[str, str], web: MiniWeb) -> None:
    if not is_root:
        pytest.skip("only root can make a file of another user")
    folder.mkdir(parents=True, mode=0o700)
    file = folder / "store.sqlite"
    file.write_bytes(b"another's")
    file.chmod(0o600)
    os.chown(file, 12345, 12345)
    with serving(environment, PLAIN) as wire:
        assert "was not kept" in fetch(wire, web, PAGES[0])
    assert file.read_bytes() == b"another's"
    assert file.stat().st_uid == 12345


def garbage(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(b"garbage " * (file.stat().st_size // 8))


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 3)


async def fill_library(folder: Path) -> None:
    """Far more pages than SQLite keeps at hand, so that it has to look at the file."""
    store = await SqliteStore.open_file(folder / "store.sqlite", clock=SetClock())
    for number in range(150):
        text = " ".join(f"{number * place:x}" for place in range(4_000))
        page = page_of(text, url=f"https://example.com/{number}")
        await store.save(page, chunks_of(page, size=2_000))
    await store.close()


@posix
@pytest.mark.parametrize("damage", [garbage, truncate])
def test_a_file_damaged_while_running_is_moved_aside_and_pages_are_kept_again(
    damage: Callable[[Path], None], folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    asyncio.run(fill_library(folder))
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        damage(folder / "store.sqlite")
        for page in PAGES:
            fetch(wire, web, page, force_refresh=True)
        until(lambda: fetch(wire, web, PAGES[3], force_refresh=True) == "")
        wire.call("web_search", query="harbour 3f4a 2b00 1c")
        until(lambda: list(folder.glob("corrupt-*/store.sqlite")))
        assert fetch(wire, web, PAGES[2], force_refresh=True) == ""
    assert PAGES[2] in kept(folder)


def zero_some(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size // 2)
        opened.write(bytes(65_536))


def halve(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


@pytest.mark.parametrize("damage", [zero_some, halve])
def test_doctor_tells_of_damage_that_nobody_has_met_yet(
    damage: Callable[[Path], None], folder: Path, environment: dict[str, str]
) -> None:
    asyncio.run(fill_library(folder))
    cli = Cli(environment)
    assert "150 pages" in cli("doctor").stdout
    damage(folder / "store.sqlite")
    told = cli("doctor")
    assert told.returncode == 6
    assert "store.sqlite is damaged (" in told.stdout
    assert "word index" not in told.stdout
    assert list(folder.glob("corrupt-*")) == []
    said: list[str] = []
    until(lambda: said.append(cli("library", "list").stderr) or "pages were saved" in said[-1])
    assert "none was lost" not in said[-1]
    assert "library: sqlite://" in cli("doctor").stdout


@posix
def test_a_folder_removed_while_running_is_made_again(folder: Path, environment: dict[str, str], web: MiniWeb) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        shutil.rmtree(folder)
        until(lambda: fetch(wire, web, PAGES[1], force_refresh=True) == "")
    assert PAGES[1] in kept(folder)


def test_the_store_of_a_newer_gossamer_is_read_and_not_written_where_it_allows_that(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    assert Cli(environment)("fetch", f"{PUBLIC}{PAGES[0]}").returncode == 0
    with contextlib.closing(sqlite3.connect(folder / "store.sqlite")) as connection, connection:
        connection.execute(
            "REPLACE INTO meta VALUES ('store.schema', '999'), ('store.schema_min', '999'), ('store.schema_read', '1')"
        )
    with serving(environment) as wire:
        before = web.count(PAGES[0])
        assert fetch(wire, web, PAGES[0]) == ""
        assert web.count(PAGES[0]) == before
        assert "newer Gossamer" in fetch(wire, web, PAGES[1])
    assert kept(folder) == {PAGES[0]}
    assert list(folder.glob("newer-*")) == []


def upgrade(file: Path, *scripts: str, **numbers: int) -> None:
    """Do what a newer version does to a file that others have open."""
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        for script in scripts:
            connection.execute(script)
        rows = [(f"store.{name}", str(number)) for name, number in numbers.items()]
        connection.executemany("REPLACE INTO meta VALUES (?, ?)", [*rows, ("shape", shape_of(connection))])


def test_a_server_only_reads_once_a_newer_gossamer_has_upgraded_its_store_and_allows_that(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        upgrade(folder / "store.sqlite", schema=999, schema_min=999, schema_read=1)
        before = web.count(PAGES[0])
        assert fetch(wire, web, PAGES[0]) == ""
        assert web.count(PAGES[0]) == before
        assert "newer Gossamer" in fetch(wire, web, PAGES[1])
    assert kept(folder) == {PAGES[0]}


@posix
def test_a_server_answers_without_its_store_once_a_newer_gossamer_has_upgraded_it(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        newer = FileLock(folder / "store.users")
        newer.share()
        upgrade(folder / "store.sqlite", "ALTER TABLE chunks RENAME TO pieces", schema=999, schema_min=999)
        for page in PAGES[:2]:
            assert "newer Gossamer" in fetch(wire, web, page)
        assert list(folder.glob("newer-*")) == []
        newer.close()
        until(lambda: fetch(wire, web, PAGES[2]) == "")
    assert len(list(folder.glob("newer-*/store.sqlite"))) == 1
    assert PAGES[2] in kept(folder)


@posix
def test_a_library_restored_under_a_running_server_is_used_as_it_was_saved(
    folder: Path, environment: dict[str, str], web: MiniWeb, tmp_path: Path
) -> None:
    asyncio.run(fill_library(tmp_path / "saved"))
    with serving(environment) as wire:
        for page in PAGES:
            assert fetch(wire, web, page) == ""
        shutil.copy(tmp_path / "saved" / "store.sqlite", folder / "new")
        (folder / "new").rename(folder / "store.sqlite")
        assert Cli(environment)("library", "list").returncode == 6
        assert fetch(wire, web, PAGES[0]) == ""
        assert fetch(wire, web, PAGES[1], force_refresh=True) == ""
    assert kept(tmp_path / "saved") | {PAGES[0], PAGES[1]} == kept(folder)
    assert list(folder.glob("corrupt-*")) == []
    assert len(list(folder.glob("replaced-*/store.sqlite-wal"))) == 1
