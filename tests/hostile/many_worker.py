"""Servers in miniature for the test of many processes: they read, save, search and spend until they are killed.

This process (`python -m tests.hostile.many_worker MODULE..`) imports everything, opens nothing, and then forks one
worker for each line of its input: a JSON object of `name`, `first` and `count` (operations), `own` and `shared`
(pages), `cap`, `pause_s`, `store` and `state`. All of them speak on one pipe, in lines that the system keeps whole,
and what was said before a kill is never lost:

    open NAME PID MS IDLE_MS    both files are open and have answered; how long it stood in line for a processor
    intent NAME PAGE NUMBER     before a page of its own is saved, and `done` after it
    spent NAME OP, took NAME OP money was set aside in the ledger, or in the state
    op NAME INDEX               this operation is over
    wrong NAME REASON           something that must not happen
    end NAME                    everything is done and closed
    gone PID STATUS             said by the first process of each that ended, after all its lines
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gossamer.compose import SystemClock
from gossamer.filedb.address import path_of
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.ports import State, Store
from gossamer.states.sqlite import SqliteState
from gossamer.stores import store_class
from gossamer.testing.store_cases import chunks_of, page_of

CHUNKS, CHUNK_CHARS = 40, 120
DIMENSION = 16
DAY = "2026-11-16"

Kind = Literal["read", "save", "search", "spend"]


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def kind_of(name: str, index: int) -> Kind:
    """What a worker does as its operation `index`, however often it was killed before."""
    dice = random.Random(f"{name} {index}").random()
    return "read" if dice < 0.6 else "save" if dice < 0.85 else "search" if dice < 0.95 else "spend"


def text_of(writer: str, number: int) -> str:
    """A page of 40 chunks, each of which says whose it is."""
    lines = (f"{writer} wrote line {line} of number {number}, in the harbour. " for line in range(CHUNKS))
    return "".join(f"{line:.<{CHUNK_CHARS - 1}}\n" for line in lines)


def vectors_of(chunks: tuple[Chunk, ...]) -> Vectors:
    data = np.random.default_rng(len(chunks)).normal(size=(len(chunks), DIMENSION)).astype(np.float16)
    return Vectors(model="small", dimension=DIMENSION, data=data.tobytes())


def asked() -> Vectors:
    return Vectors(model="small", dimension=DIMENSION, data=np.ones(DIMENSION, np.float16).tobytes())


def shared_url(number: int) -> str:
    return f"https://shared.example.com/{number}"


def own_url(name: str, number: int) -> str:
    return f"https://{name}.example.com/{number}"


async def keep(store: Store, page: Page) -> None:
    chunks = chunks_of(page, size=CHUNK_CHARS)
    await store.save(page, chunks)
    await store.save_vectors(page, vectors_of(chunks))


@dataclass
class Worker:
    store: Store
    state: State
    name: str
    own: int
    shared: int
    cap: int
    pause_s: float
    """Between two operations, in the mean: people think in between."""
    index: int = 0

    async def run(self, first: int, count: int) -> None:
        for self.index in range(first, count):
            dice = random.Random()
            await asyncio.sleep(dice.expovariate(1) * self.pause_s)
            await {"read": self.read, "save": self.save, "search": self.search, "spend": self.spend}[
                kind_of(self.name, self.index)
            ](dice)
            say("op", self.name, self.index)

    async def read(self, dice: random.Random) -> None:
        is_own = dice.random() < 0.5
        url = own_url(self.name, dice.randrange(self.own)) if is_own else shared_url(dice.randrange(self.shared))
        page = await self.store.page(url)
        if page is None:
            if not is_own:
                say("wrong", self.name, "a shared page is gone")
            return
        chunks = await self.store.chunks(page)
        # Somebody may have saved another text of a shared page since.
        if (is_own or chunks) and "".join(chunk.text for chunk in chunks) != page.text:
            say("wrong", self.name, "chunks of another text than the page's")
        if len({line.partition("number")[2].partition(",")[0] for line in page.text.splitlines()}) != 1:
            say("wrong", self.name, "a page of two versions")

    async def save(self, dice: random.Random) -> None:
        if dice.random() < 0.5:
            page = page_of(text_of(self.name, self.index), url=shared_url(dice.randrange(self.shared)), at=time.time())
            await keep(self.store, page)
            return
        own = dice.randrange(self.own)
        page = page_of(text_of(self.name, self.index), url=own_url(self.name, own), at=float(self.index))
        say("intent", self.name, own, self.index)
        await keep(self.store, page)
        say("done", self.name, own, self.index)

    async def search(self, dice: random.Random) -> None:
        if dice.random() < 0.5:
            found = await self.store.find("harbour", count=5)
        else:
            found = await self.store.nearest(asked(), count=5)
        if not found:
            say("wrong", self.name, "nothing was found")

    async def spend(self, _dice: random.Random) -> None:
        op = f"{self.name}-{self.index}"
        if await self.store.reserve(op, provider="paid", day=DAY, amount=1, cap=self.cap, ttl_s=3_600):
            await self.store.settle(op, 1)
            say("spent", self.name, op)
        if (await self.state.window("money", cap=self.cap, window_s=1e9)).is_within:
            say("took", self.name, op)


async def work(task: dict[str, Any]) -> None:
    name, clock = task["name"], SystemClock()
    began, idle_ms = time.monotonic(), in_line_ms()
    opened_by: Any = store_class(task["store"])
    # With more patience than usual: the crowd leaves no processor idle.
    store: Store = await opened_by.open_file(path_of(task["store"]), clock=clock, patience_s=90)
    state: State = await SqliteState.open_file(path_of(task["state"]), clock=clock, patience_s=90)
    await store.page(shared_url(0))
    await state.get("money")
    say("open", name, os.getpid(), round((time.monotonic() - began) * 1000), in_line_ms() - idle_ms)
    worker = Worker(store, state, name, task["own"], task["shared"], task["cap"], task["pause_s"])
    await worker.run(task["first"], task["count"])
    await store.close()
    await state.close()
    say("end", name)


def in_line_ms() -> int:
    """For how long all threads of this process were ready to run and had no processor; 0 where that is not known."""
    waited_ns = 0
    for thread in Path("/proc/self/task").glob("*/schedstat"):
        # A thread may end meanwhile.
        with contextlib.suppress(OSError):
            waited_ns += int(thread.read_text().split()[1])
    return waited_ns // 1_000_000


def begin(task: dict[str, Any]) -> None:
    if os.fork():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        asyncio.run(work(task))
    except BaseException:  # noqa: BLE001  whatever it is, the test must hear of it
        say("wrong", task["name"], traceback.format_exc(limit=-4)[-3_000:].replace("\n", " / "))
    os._exit(0)


def reap(*_: object) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        say("gone", pid, status)


def main() -> None:
    for module in sys.argv[1:]:
        import_module(module)
    signal.signal(signal.SIGCHLD, reap)
    for line in sys.stdin:
        begin(json.loads(line))


if __name__ == "__main__":
    main()
