"""Processes that use a store, for `bench.store`.

`python -m bench._store_user load STORE PAGES SECONDS SEED` does what servers do, with pauses, and prints for each kind
of operation its wall milliseconds, and the CPU of all. `python -m bench._store_user open sqlite|duckdb PATH` prints
what opening adds to a process that has all of the engine but its store.
"""

import asyncio
import gc
import json
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable

from bench._gauge import resident_mb

from gossamer.compose import SystemClock

PAUSE_S = (0.2, 0.4)
CAP = 1_000_000


async def load(address: str, pages: int, seconds: float, seed: int) -> None:
    """60 % page read, 25 % page write, 10 % library search, 5 % ledger."""
    import numpy as np
    from bench._store_fill import MODEL, chunks_of, page_of, texts, url_of, vectors_of

    from gossamer.stores import open_store

    dice, numbers, pool = random.Random(seed), np.random.default_rng(seed), texts(20)
    store = await open_store(address, clock=SystemClock())

    async def read() -> None:
        page = await store.page(url_of(dice.randrange(1, pages + 1)))
        assert page
        await store.chunks(page)
        await store.vectors(page, MODEL)

    async def write() -> None:
        text = dice.choice(pool)
        page = page_of(text, dice.randrange(1, pages + 1), at=time.time())
        await store.save(page, chunks_of(page, text.spans))
        await store.save_vectors(page, vectors_of(numbers, len(text.spans)))

    async def search() -> None:
        await store.find(" ".join(dice.sample(pool[0].rows.page.text.split(), 3)), count=10)
        await store.nearest(vectors_of(numbers, 1), count=10)

    async def spend() -> None:
        op = f"{seed}-{time.monotonic_ns()}"
        await store.reserve(op, provider="bench", day="2026-11-16", amount=1, cap=CAP, ttl_s=60)

    for first in (read, write, search, spend):
        await first()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    walls: dict[str, list[float]] = defaultdict(list)
    cpu, until = 0.0, time.monotonic() + seconds
    while time.monotonic() < until:
        (work,) = dice.choices((read, write, search, spend), (60, 25, 10, 5))
        began, spent = time.monotonic(), time.process_time()
        await work()
        walls[work.__name__].append((time.monotonic() - began) * 1000)
        cpu += (time.process_time() - spent) * 1000
        await asyncio.sleep(dice.uniform(*PAUSE_S))
    print(json.dumps({"walls": walls, "cpu": cpu}))
    await store.close()


async def opening(kind: str, path: str) -> None:
    """CPU milliseconds and megabytes of importing a store, opening it and reading a page."""
    import gossamer.engine  # noqa: F401  what a server has loaded before

    gc.collect()
    before, began = resident_mb(os.getpid()), time.process_time()
    close = await _read_ours(path) if kind == "sqlite" else _read_duckdb(path)
    spent = (time.process_time() - began) * 1000
    gc.collect()
    print(json.dumps({"cpu": spent, "mb": resident_mb(os.getpid()) - before, "numpy": "numpy" in sys.modules}))
    await close()


async def _read_ours(path: str) -> Callable[[], Awaitable[None]]:
    from gossamer.stores import open_store

    store = await open_store(f"sqlite://{path}", clock=SystemClock())
    assert await store.page("https://site1.example.com/pages/1")
    return store.close


def _read_duckdb(path: str) -> Callable[[], Awaitable[None]]:
    import duckdb

    connection = duckdb.connect(path, config={"threads": 2, "memory_limit": "512MB"})
    connection.execute("SELECT * FROM chunks WHERE document = 1").fetchall()
    return lambda: asyncio.to_thread(connection.close)


def main() -> None:
    """Do as the arguments say."""
    kind, *rest = sys.argv[1:]
    if kind == "load":
        asyncio.run(load(rest[0], int(rest[1]), float(rest[2]), int(rest[3])))
    else:
        asyncio.run(opening(*rest))


if __name__ == "__main__":
    main()
