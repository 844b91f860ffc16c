"""Bad days of a DuckDB store under a running server: answers go on, say so, and it gets over them."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from gossamer.demo.web import MiniWeb
from tests.real.bad_days import PAGES, PLAIN, PUBLIC, fetch, fill, public, serving, small_disk, stopped_inside, until
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
def store(tmp_path: Path, environment: dict[str, str]) -> Path:
    """The library has a folder of its own, since the state has bad days of its own."""
    path = tmp_path / "library" / "store.duckdb"
    environment["GOSSAMER_STORE"] = f"duckdb://{path}"
    return path


def kept(store: Path) -> set[str]:
    with duckdb.connect(store, read_only=True) as connection:
        rows = connection.execute("SELECT url FROM documents").fetchall()
    return {f"/{url.split('/', 3)[3]}" for (url,) in rows}


@pytest.fixture
def disk(store: Path) -> Iterator[Path]:
    """The library on a disk of its own."""
    with small_disk(store.parent, 8) as folder:
        yield folder


def test_a_full_disk_is_told_and_space_that_comes_back_is_noticed(
    disk: Path, store: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    filler = fill(disk)
    with serving(environment) as wire:
        assert "was not kept" in fetch(wire, web, PAGES[0])
        filler.unlink()
        until(lambda: fetch(wire, web, PAGES[1]) == "")
        filler = fill(disk)
        until(lambda: "disk is full" in fetch(wire, web, PAGES[2]))
        filler.unlink()
        until(lambda: fetch(wire, web, PAGES[3]) == "")
    assert kept(store) >= {PAGES[1], PAGES[3]}


@counts
@posix
def test_a_folder_that_may_not_be_written_is_told_and_used_once_it_may(
    store: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    store.parent.mkdir(parents=True, mode=0o500)
    with serving(environment, PLAIN) as wire:
        told = fetch(wire, web, PAGES[0])
        assert "was not kept" in told
        assert "DATA_DIR" in told
        store.parent.chmod(0o700)
        until(lambda: fetch(wire, web, PAGES[1]) == "")
    assert PAGES[1] in kept(store)
    assert oct(store.stat().st_mode & 0o777) == "0o600"


@counts
@posix
def test_rights_lost_while_running_keep_nobody_from_an_answer(
    store: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment, PLAIN) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        before = {file: file.stat().st_mode for file in store.parent.iterdir()}
        for file in before:
            file.chmod(0)
        store.parent.chmod(0)
        try:
            told = [fetch(wire, web, page) for page in PAGES]
            assert all(said == "" or "library could not be" in said or "was not kept" in said for said in told), told
        finally:
            store.parent.chmod(0o700)
            for file, mode in before.items():
                if file.exists():
                    file.chmod(mode & 0o777)
        until(lambda: fetch(wire, web, PAGES[1]) == "")
    assert {PAGES[0], PAGES[1]} <= kept(store)


@counts
@posix
def test_a_file_of_another_user_is_left_alone(store: Path, environment: dict[str, str], web: MiniWeb) -> None:
    if not is_root:
        pytest.skip("only root can make a file of another user")
    store.parent.mkdir(parents=True, mode=0o700)
    store.write_bytes(b"another's")
    store.chmod(0o600)
    os.chown(store, 12345, 12345)
    with serving(environment, PLAIN) as wire:
        assert "was not kept" in fetch(wire, web, PAGES[0])
    assert store.read_bytes() == b"another's"
    assert (store.stat().st_uid, store.stat().st_mode & 0o777) == (12345, 0o600)


def garbage(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(b"garbage " * (file.stat().st_size // 8))


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 3)


@posix
@pytest.mark.parametrize("damage", [garbage, truncate])
def test_a_file_damaged_while_running_is_moved_aside_and_pages_are_kept_again(
    damage: Callable[[Path], None], store: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    assert Cli(environment)("fetch", f"{PUBLIC}{PAGES[0]}").returncode == 0
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[1]) == ""
        damage(store)
        # Who has the file open may have all of it at hand; whoever opens it next meets the damage.
        assert Cli(environment)("library", "list").returncode == 0
        assert list(store.parent.glob("corrupt-*/*.duckdb"))
        assert fetch(wire, web, PAGES[3]) == ""
    assert PAGES[3] in kept(store)


@posix
def test_a_folder_removed_while_running_is_made_again(store: Path, environment: dict[str, str], web: MiniWeb) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        shutil.rmtree(store.parent)
        until(lambda: fetch(wire, web, PAGES[1]) == "")
    assert PAGES[1] in kept(store)


def test_the_store_of_a_newer_gossamer_is_read_and_not_written_where_it_allows_that(
    store: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    assert Cli(environment)("fetch", f"{PUBLIC}{PAGES[0]}").returncode == 0
    with duckdb.connect(store) as connection:
        connection.execute("DELETE FROM meta WHERE key IN ('store.schema', 'store.schema_min')")
        for key, value in {"schema": "999", "schema_min": "999", "schema_read": "1"}.items():
            connection.execute("INSERT INTO meta VALUES (?, ?)", [f"store.{key}", value])
    with serving(environment) as wire:
        assert Cli(environment)("library", "show", f"{PUBLIC}{PAGES[0]}").returncode == 0
        assert "newer Gossamer" in fetch(wire, web, PAGES[1])
    assert kept(store) == {PAGES[0]}
    assert list(store.parent.glob("newer-*")) == []


@posix
def test_a_server_started_while_somebody_keeps_the_file_says_why_and_keeps_the_page_later(
    store: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    store.parent.mkdir(parents=True)
    with serving(environment) as wire:
        with stopped_inside(store.with_name("store.duckdb.lock")):
            assert "one process at a time" in fetch(wire, web, PAGES[0])
            assert "one process at a time" in fetch(wire, web, PAGES[1])
        until(lambda: fetch(wire, web, PAGES[2]) == "")
    assert kept(store) == set(PAGES[:3])
