"""Bad days of the store, made to happen under a running server: answers go on, say so, and it gets over them."""

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from gossamer.demo.web import MiniWeb
from gossamer.stores.sqlite import SqliteStore
from gossamer.testing.clock import SetClock
from gossamer.testing.store_cases import chunks_of, page_of
from tests.real.processes import Cli, Wire, open_wire

PAGES = ("/ferry/timetable", "/ferry/fares", "/island/faq", "/island/history")
PLAIN = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner", sys.executable, "-m", "gossamer"]
"""Gossamer as a user for whom the modes of files count, which they do not for root."""
AGAIN_S = 30
"""A store that could not be opened is tried again every 5 s."""

is_root = os.name == "posix" and os.getuid() == 0
counts = pytest.mark.skipif(
    is_root and shutil.which("setpriv") is None, reason="modes count for nothing here: root without setpriv"
)
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and modes of POSIX")

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(environment: dict[str, str]) -> Path:
    return Path(environment["DATA_DIR"])


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """The data folder on a disk of its own that is soon full."""
    folder.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"nothing can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextlib.contextmanager
def serving(environment: dict[str, str], command: list[str] | None = None) -> Generator[Wire]:
    with open_wire(environment, command) as wire:
        wire.handshake()
        yield wire


def notes(result: dict[str, Any]) -> str:
    """What is noted of the store."""
    assert not result.get("isError"), result
    said = result["_meta"].get("gossamer/note", [])
    return " ".join(note for note in said if "not fetched again so soon" not in note)


def fetch(wire: Wire, web: MiniWeb, page: str, **more: object) -> str:
    """What is noted beside a page; that there is a page is asserted."""
    result = wire.call("web_fetch", url=f"{web.url}{page}", **more)
    assert len(result["content"][0]["text"]) > 100
    return notes(result)


def kept(folder: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        return {f"/{url.split('/', 3)[3]}" for (url,) in connection.execute("SELECT url FROM documents")}


def until(found: Callable[[], object]) -> None:
    """Ask until it is so: the promise is seconds, and machines are noisy."""
    deadline = time.monotonic() + AGAIN_S
    while not found():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.5)


def fill(folder: Path) -> Path:
    """Take all the space that is left."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        for size in (65536, 512):
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(size))
    return filler


def test_a_full_disk_is_told_and_space_that_comes_back_is_noticed(
    small_disk: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        filler = fill(small_disk)
        until(lambda: "disk is full" in fetch(wire, web, PAGES[1], force_refresh=True))
        before = web.count(PAGES[0])
        assert fetch(wire, web, PAGES[0]) == ""
        assert web.count(PAGES[0]) == before
        filler.unlink()
        assert fetch(wire, web, PAGES[2]) == ""
    assert kept(small_disk) >= {PAGES[0], PAGES[2]}


def test_a_store_that_found_the_disk_full_is_opened_once_there_is_space(
    small_disk: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    filler = fill(small_disk)
    with serving(environment) as wire:
        assert "was not kept" in fetch(wire, web, PAGES[0])
        filler.unlink()
        until(lambda: fetch(wire, web, PAGES[1]) == "")
    assert PAGES[1] in kept(small_disk)


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


@counts
@posix
def test_rights_lost_while_running_keep_nobody_from_an_answer(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment, PLAIN) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        for file in folder.iterdir():
            file.chmod(0)
        folder.chmod(0)
        try:
            told = [fetch(wire, web, page) for page in PAGES]
            # What is open stays open; what has to be opened anew cannot be.
            assert all(said == "" or "The library could not be read" in said for said in told)
        finally:
            folder.chmod(0o700)
            for file in folder.iterdir():
                file.chmod(0o600)
        until(lambda: fetch(wire, web, PAGES[1], force_refresh=True) == "")
    assert PAGES[0] in kept(folder)


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
    assert Cli(environment)("fetch", f"{web.url}{PAGES[0]}").returncode == 0
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


@contextlib.contextmanager
def stopped_inside(lock: Path) -> Generator[None]:
    """Another process that holds a lock and is stopped; it is gone when the block ends."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout
    assert holder.stdin
    try:
        assert holder.stdout.readline() == b"held\n"
        holder.send_signal(signal.SIGSTOP)
        yield
    finally:
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()


@posix
def test_a_process_stopped_inside_the_lock_delays_writes_alone(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    with serving(environment) as wire:
        assert fetch(wire, web, PAGES[0]) == ""
        with stopped_inside(folder / "store.lock"):
            started = time.monotonic()
            read = wire.call("web_read", urls=[f"{web.url}{PAGES[1]}"], queries=["When does it leave?"])
            assert "was not kept" in notes(read)
            assert time.monotonic() - started < 10
            before = web.count(PAGES[0])
            started = time.monotonic()
            assert fetch(wire, web, PAGES[0]) == ""
            assert time.monotonic() - started < 5
            assert web.count(PAGES[0]) == before
        until(lambda: PAGES[1] in kept(folder))


@posix
def test_a_library_that_cannot_be_opened_yet_delays_no_list_of_tools(
    folder: Path, environment: dict[str, str], web: MiniWeb
) -> None:
    folder.mkdir(parents=True, mode=0o700)
    with stopped_inside(folder / "store.lock"), serving(environment) as wire:
        began = time.monotonic()
        assert wire.receive(wire.send("tools/list"))["result"]["tools"]
        assert time.monotonic() - began < 5
        assert not folder.joinpath("store.sqlite").exists()
        assert "was not kept" in fetch(wire, web, PAGES[0])
