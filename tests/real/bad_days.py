"""What tests of bad days share: a server on the wire, what it notes, and somebody who is stopped inside a lock."""

import contextlib
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from gossamer.demo.web import MiniWeb
from tests.real.processes import Wire, open_wire

PUBLIC = "http://island.example"
"""The web as one of the public, for who goes through it as a proxy: what is opened is asked for each time."""
PAGES = ("/ferry/timetable", "/ferry/fares", "/island/faq", "/island/history")
PLAIN = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner", sys.executable, "-m", "gossamer"]
"""Gossamer as a user for whom the modes of files count, which they do not for root."""
AGAIN_S = 60
"""A store that could not be opened is tried again every 5 s."""

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def serving(environment: dict[str, str], command: list[str] | None = None) -> Generator[Wire]:
    with open_wire(environment, command) as wire:
        wire.handshake()
        yield wire


def public(environment: dict[str, str]) -> dict[str, str]:
    """The same where pages come through the web of the test as a proxy."""
    proxy = {"GOSSAMER_NET__PROXY": environment["SEARXNG_URL"], "GOSSAMER_NET__NO_PROXY": "127.0.0.1"}
    return {**environment, **proxy}


def notes(result: dict[str, Any]) -> str:
    """What is noted of the store."""
    assert not result.get("isError"), result
    said = result["_meta"].get("gossamer/note", [])
    return " ".join(note for note in said if "not fetched again so soon" not in note)


def fetch(wire: Wire, web: MiniWeb, page: str, **more: object) -> str:
    """What is noted beside a page; that there is a page is asserted."""
    result = wire.call("web_fetch", url=f"{PUBLIC}{page}", **more)
    assert len(result["content"][0]["text"]) > 100
    return notes(result)


def kept(folder: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        return {f"/{url.split('/', 3)[3]}" for (url,) in connection.execute("SELECT url FROM documents")}


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Generator[Path]:
    """A folder on a disk of its own that is soon full."""
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"nothing can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Take all the space that is left."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 512):
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(size))
    return filler


def until(found: Callable[[], object]) -> None:
    """Ask until it is so: the promise is seconds, and machines are noisy."""
    deadline = time.monotonic() + AGAIN_S
    while not found():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.5)


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
