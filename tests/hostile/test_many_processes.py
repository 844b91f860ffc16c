"""Twenty processes on one folder: killed, stopped and started again, they lose nothing and nobody sees a lock."""

import asyncio
import contextlib
import json
import os
import random
import signal
import sqlite3
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gossamer.compose import SystemClock
from gossamer.model.records import Spending
from gossamer.ports import Store
from gossamer.states import open_state
from gossamer.stores import open_store
from gossamer.testing.store_cases import chunks_of, page_of
from tests.hostile import many_worker as worker

ROOT = Path(__file__).parents[2]
MODULES = {
    "sqlite": ["gossamer.stores.sqlite.store", "gossamer.stores.sqlite.vector_search"],
    "duckdb": ["gossamer.stores.duckdb.store", "gossamer.stores.duckdb.vector_search", "duckdb"],
}
STALL_S = 300
"""Nobody says a word for so long: something hangs."""


@dataclass(frozen=True, kw_only=True)
class Load:
    store: str
    processes: int
    operations: int
    """Of each process."""
    kills: int
    stops: int
    own: int
    """Pages that each process has for itself."""
    shared: int
    cap: int
    pause_s: float
    """Between two operations of a process, in the mean; a processor should be idle now and then."""
    open_s: float
    """So long it takes at most from opening to a first answer, also after a kill. The time in line for a processor
    does not count: machines are shared, and how long the line is says nothing of the store."""


_AHEAD = 1.2
"""More kills than are asked for, since nobody can be killed any more once the last operations are done."""
RESTART_S = 3
"""The promise: who was killed is there again within this time."""
TURNS_S = 30
"""A DuckDB file is used in turn, so who opens it waits for up to 19 others, each of which opens it anew (0.2 s) and may
work for 0.2 s. Their time in line for a processor is not known to who waits for them: four times as much is allowed."""

LOADS = {
    "a crowd on sqlite": Load(
        store="sqlite",
        processes=20,
        operations=200,
        kills=200,
        stops=40,
        own=20,
        shared=200,
        cap=150,
        pause_s=0.2,
        open_s=RESTART_S,
    ),
    "200 restarts on sqlite": Load(
        store="sqlite",
        processes=2,
        operations=150,
        kills=200,
        stops=0,
        own=20,
        shared=50,
        cap=10,
        pause_s=0,
        open_s=RESTART_S,
    ),
    "a crowd on duckdb": Load(
        store="duckdb",
        processes=20,
        operations=40,
        kills=50,
        stops=10,
        own=5,
        shared=40,
        cap=25,
        pause_s=0.2,
        open_s=TURNS_S,
    ),
}


@dataclass
class Crowd:
    """The workers, what they said, and whom to kill next."""

    load: Load
    folder: Path
    dice: random.Random = field(default_factory=lambda: random.Random(5))
    said: dict[str, list[list[str]]] = field(default_factory=lambda: defaultdict(list))
    pids: dict[str, int] = field(default_factory=dict)
    """Of the workers that have opened their files and are not being killed."""
    names: dict[int, str] = field(default_factory=dict)
    """Of every process that has opened its files."""
    kills: int = 0
    stops: int = 0
    begun: int = 0

    def __post_init__(self) -> None:
        self.workers = [f"worker{number}" for number in range(self.load.processes)]
        self.store = f"{self.load.store}://{self.folder}/store.{self.load.store}"
        self.state = f"sqlite://{self.folder}/state.sqlite"

    async def run(self) -> None:
        command = [
            sys.executable,
            "-m",
            "tests.hostile.many_worker",
            "gossamer.states.sqlite",
            *MODULES[self.load.store],
        ]
        pipe = asyncio.subprocess.PIPE
        parent = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, cwd=ROOT)
        assert parent.stdin
        assert parent.stdout
        try:
            for name in self.workers:
                self.start(name, parent.stdin)
            while self.begun:
                line = await asyncio.wait_for(parent.stdout.readline(), STALL_S)
                assert line, "the first process ended"
                self.hear(line.decode().split(), parent.stdin)
        finally:
            for pid in self.names:
                send(pid, signal.SIGKILL)
            parent.kill()
            await parent.wait()

    def start(self, name: str, to: asyncio.StreamWriter) -> None:
        finished = [int(words[0]) for words in self.said[f"op {name}"]]
        task = {
            "name": name,
            "first": max(finished, default=-1) + 1,
            "count": self.load.operations,
            "own": self.load.own,
            "shared": self.load.shared,
            "cap": self.load.cap,
            "pause_s": self.load.pause_s,
            "store": self.store,
            "state": self.state,
        }
        to.write(json.dumps(task).encode() + b"\n")
        self.begun += 1

    def hear(self, words: list[str], to: asyncio.StreamWriter) -> None:
        kind, name, *rest = words
        self.said[kind].append(words[1:])
        self.said[f"{kind} {name}"].append(rest)
        match kind:
            case "open":
                self.pids[name] = int(rest[0])
                self.names[int(rest[0])] = name
                self.disturb()
            case "end":
                self.pids.pop(name, None)
            case "gone":
                self.begun -= 1
                # One that ended while it opened its files was not killed by us, and has said why.
                whose = self.names.pop(int(name), None)
                if whose and not self.said[f"end {whose}"] and not self.said[f"wrong {whose}"]:
                    self.start(whose, to)
            case "op" | "intent":
                self.disturb()
            case _:
                pass

    def disturb(self) -> None:
        """Kill or stop somebody whenever so much was done that the kills are spread over the whole run.

        A crowd that is ahead of us, since we had no processor, is caught up with: who is there again is killed at once.
        """
        share = len(self.said["op"]) / (self.load.processes * self.load.operations)
        if not self.pids:
            return
        name = self.dice.choice(sorted(self.pids))
        if self.kills < share * self.load.kills * _AHEAD:
            self.kills += 1
            send(self.pids.pop(name), signal.SIGKILL)
        elif self.stops < share * self.load.stops:
            self.stops += 1
            send(self.pids[name], signal.SIGSTOP)
            loop = asyncio.get_running_loop()
            loop.call_later(self.dice.uniform(0.02, 0.5), send, self.pids[name], signal.SIGCONT)


def send(pid: int, what: signal.Signals) -> None:
    # It may have ended by itself since it last spoke; the number is not given to another so soon.
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, what)


@contextlib.asynccontextmanager
async def opened(address: str) -> AsyncIterator[Store]:
    store = await open_store(address, clock=SystemClock())
    try:
        yield store
    finally:
        await store.close()


async def fill(address: str, pages: int) -> None:
    async with opened(address) as store:
        for number in range(pages):
            page = page_of(worker.text_of("nobody", 0), url=worker.shared_url(number), at=1.0)
            await worker.keep(store, page)


@pytest.mark.alone
@pytest.mark.parametrize("load", LOADS.values(), ids=LOADS)
async def test_processes_that_are_killed_and_stopped_lose_nothing(load: Load, tmp_path: Path) -> None:
    if load.store == "duckdb":
        pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    crowd = Crowd(load=load, folder=tmp_path)
    await fill(crowd.store, load.shared)
    await crowd.run()
    assert [" ".join(words) for words in crowd.said["wrong"]] == []
    assert len(crowd.said["end"]) == load.processes
    assert crowd.kills >= load.kills
    assert crowd.stops >= load.stops - 1
    opening_ms = sorted(int(took) - int(idle) for _, _, took, idle in crowd.said["open"])
    longest_ms = max(int(took) for _, _, took, _ in crowd.said["open"])
    print(f"opened {len(opening_ms)} times within {opening_ms[-1]} ms, with the time in line {longest_ms} ms")
    assert opening_ms[-1] <= load.open_s * 1000
    async with opened(crowd.store) as store:
        await every_acknowledged_page_is_there(store, crowd)
        await caps_are_exact(store, crowd)
        await every_shared_page_is_whole(store, load.shared)
    if load.store == "sqlite":
        nothing_is_torn(tmp_path / "store.sqlite")
    no_page_of_the_file_is_broken(tmp_path / "state.sqlite")


async def every_acknowledged_page_is_there(store: Store, crowd: Crowd) -> None:
    assert len(crowd.said["done"]) >= crowd.load.processes
    for name in crowd.workers:
        done = {int(own): int(number) for own, number in crowd.said[f"done {name}"]}
        intended = {int(own): int(number) for own, number in crowd.said[f"intent {name}"]}
        for own, last in intended.items():
            page = await store.page(worker.own_url(name, own))
            assert page or own not in done
            if page:
                assert done.get(own, 0) <= page.fetched_at <= last
                assert page.text == worker.text_of(name, int(page.fetched_at))
                assert await store.chunks(page) == chunks_of(page, size=worker.CHUNK_CHARS)


async def caps_are_exact(store: Store, crowd: Crowd) -> None:
    wanted = {
        f"{name}-{index}"
        for name in crowd.workers
        for index in range(crowd.load.operations)
        if worker.kind_of(name, index) == "spend"
    }
    room = min(crowd.load.cap, len(wanted))
    stored = {record.op async for record in store.export() if isinstance(record, Spending)}
    assert {op for _, op in crowd.said["spent"]} <= stored <= wanted
    assert await store.spent("paid", worker.DAY) == len(stored) == room
    state = await open_state(crowd.state, clock=SystemClock())
    taken = int(await state.get("money") or 0)
    await state.close()
    assert len(crowd.said["took"]) <= taken
    assert room <= taken <= crowd.load.cap


async def every_shared_page_is_whole(store: Store, pages: int) -> None:
    for number in range(pages):
        page = await store.page(worker.shared_url(number))
        assert page
        assert await store.chunks(page) == chunks_of(page, size=worker.CHUNK_CHARS)
        assert len(page.text) == worker.CHUNKS * worker.CHUNK_CHARS
    assert len(await store.pages(count=10_000)) >= pages


def no_page_of_the_file_is_broken(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def nothing_is_torn(path: Path) -> None:
    no_page_of_the_file_is_broken(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO fts (fts) VALUES ('integrity-check')")
        scanned = connection.execute("SELECT url, id FROM documents NOT INDEXED WHERE view = ''").fetchall()
        for url, document in scanned:
            found = connection.execute("SELECT id FROM documents WHERE url = ? AND view = ''", (url,)).fetchall()
            assert found == [(document,)]
        assert connection.execute("SELECT count(*) FROM documents WHERE url > '' AND view = ''").fetchone() == (
            len(scanned),
        )
        assert set(_orphans(connection)) == set()


def _orphans(connection: sqlite3.Connection) -> Iterator[int]:
    """Chunks without a page."""
    for (document,) in connection.execute("SELECT DISTINCT cid / 4096 FROM chunks"):
        if not connection.execute("SELECT 1 FROM documents WHERE id = ?", (document,)).fetchone():
            yield document
