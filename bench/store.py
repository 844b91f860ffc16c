"""What the store costs, beside DuckDB held open: `python -m bench.store [--chunks 10000,100000] [--processes 1,8]`.

A million chunks: `--chunks 10000,100000,1000000`; that takes 5 GB of disk and some minutes. A page has 40 chunks of 620
characters, with 256 numbers each. "Read" is `page`, `chunks` and `vectors` of an address, every row checked against its
hash; "write" is `save` and `save_vectors` in the place of another text; "near" and "words" are `nearest` and `find`
over all pages, ten results; "words" asks for a middling and a rare word, "question" for eight. DuckDB does the same
reading, writing and scanning with plain SQL on a file of its own, without checks and without a word index, and in the
thread that asks. What reading and "near" take in their own thread stands beside what they cost who awaits them: reading
goes three times to a thread and back, "near" once. All CPU, all threads, in turns, medians. Both files are in the
system's memory when a round begins, so that it is not the disk that is measured.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench._gauge import machine
from bench._pages import Writer
from bench._store_fill import CHUNKS, MODEL, Text, chunks_of, fill, page_of, texts, url_of, vectors_of
from bench._store_floor import Floor
from bench._store_report import Samples, Size, report

from gossamer.compose import SystemClock
from gossamer.ports import Store
from gossamer.stores import open_store
from gossamer.stores.shared.page_rows import load_page
from gossamer.stores.sqlite import pages as page_table
from gossamer.stores.sqlite import vector_rows
from gossamer.stores.sqlite.vector_search import nearest

LOAD_S = 8.0
ROUNDS, READS, WRITES, SCANS = 15, 20, 4, 4
"""Rounds, and how often each thing is done in one."""


class Timed:
    """CPU milliseconds of one doing, over several."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples

    async def ours(self, name: str, times: int, work: Callable[[], Awaitable[object]]) -> None:
        """Of our store."""
        began = time.process_time()
        for _ in range(times):
            assert await work()
        self._note(f"ours {name}", began, times)

    def bare(self, name: str, times: int, work: Callable[[], object]) -> None:
        """Of our store's own functions, in this thread."""
        began = time.process_time()
        for _ in range(times):
            assert work()
        self._note(f"bare {name}", began, times)

    def floor(self, name: str, times: int, work: Callable[[], object]) -> None:
        """Of DuckDB, in this thread."""
        began = time.process_time()
        for _ in range(times):
            assert work()
        self._note(f"floor {name}", began, times)

    def _note(self, name: str, began: float, times: int) -> None:
        self._samples.setdefault(name, []).append((time.process_time() - began) * 1000 / times)


async def measure(folder: Path, chunks: int, pool: tuple[Text, ...]) -> Size:
    """Make both files and measure them in turns."""
    size, pages = Size(chunks=chunks), chunks // CHUNKS
    path, floor_path = folder / "store.sqlite", folder / "floor.duckdb"
    await fill(path, pages, pool)
    floor = Floor(floor_path)
    floor.fill(pages, pool)
    floor.close()
    size.bytes = {"ours": path.stat().st_size / chunks, "floor": floor_path.stat().st_size / chunks}
    size.opened = {"ours": opened("sqlite", path), "floor": opened("duckdb", floor_path)}
    bare = contextlib.closing(sqlite3.connect(path, isolation_level=None))
    store = await open_store(f"sqlite://{path}", clock=SystemClock())
    floor = Floor(floor_path)
    try:
        with bare as connection:
            for number in range(ROUNDS + 1):
                bring_into_memory(path, floor_path)
                timed = Timed(Samples() if number == 0 else size.cpu)
                read_in_turns(timed, connection, floor, pages, number)
                await a_round(timed, store, floor, pages, pool, number)
                look_in_turns(timed, connection, number)
    finally:
        floor.close()
        await store.close()
    return size


def bring_into_memory(*files: Path) -> None:
    """Let the system hold these files, of which it may have let go; in a process of its own.

    Closing a database file here would end the locks that SQLite has on it.
    """
    subprocess.run(["cat", *files], stdout=subprocess.DEVNULL, check=True)


def read_in_turns(timed: Timed, connection: sqlite3.Connection, floor: Floor, pages: int, number: int) -> None:
    """Read pages as the store's thread does, and as DuckDB does."""
    dice = random.Random(number)

    def read() -> object:
        url = url_of(dice.randrange(1, pages + 1))
        page, _ = load_page(connection, url, "", used_at=page_table.USED_AT)
        assert page
        return page_table.load_chunks(connection, page) and vector_rows.load(connection, page, MODEL)

    timed.bare("read", READS, read)
    timed.floor("read", READS, lambda: floor.read(url_of(dice.randrange(1, pages + 1))))


def look_in_turns(timed: Timed, connection: sqlite3.Connection, number: int) -> None:
    """Look for what is near as the store's thread does."""
    dice = np.random.default_rng(1_000 + number)

    def near() -> object:
        connection.execute("BEGIN")
        found = nearest(connection, vectors_of(dice, 1), 10, "")
        connection.rollback()
        return found

    timed.bare("near", SCANS, near)


async def a_round(timed: Timed, store: Store, floor: Floor, pages: int, pool: tuple[Text, ...], number: int) -> None:
    """Everything once; the first round only warms."""
    dice, writer = np.random.default_rng(number), Writer()

    def any_page() -> int:
        return int(dice.integers(1, pages + 1))

    async def read() -> object:
        page = await store.page(url_of(any_page()))
        assert page
        return await store.chunks(page) and await store.vectors(page, MODEL)

    async def write() -> object:
        text = pool[int(dice.integers(len(pool)))]
        page = page_of(text, any_page(), at=1e6 + number)
        saved = await store.save(page, chunks_of(page, text.spans))
        await store.save_vectors(page, vectors_of(dice, CHUNKS))
        return saved

    def write_floor() -> object:
        text = pool[int(dice.integers(len(pool)))]
        page = page_of(text, any_page())
        floor.write(any_page(), chunks_of(page, text.spans), vectors_of(dice, CHUNKS))
        return True

    words = f"{writer.word(800 + number)} {writer.word(12_000 + 10 * number)}"
    question = writer.question(number)
    await timed.ours("read", READS, read)
    await timed.ours("write", WRITES, write)
    timed.floor("write", WRITES, write_floor)
    await timed.ours("near", SCANS, lambda: store.nearest(vectors_of(dice, 1), count=10))
    timed.floor("near", SCANS, lambda: floor.nearest(vectors_of(dice, 1), 10))
    await timed.ours("words", SCANS, lambda: store.find(words, count=10))
    await timed.ours("question", SCANS, lambda: store.find(question, count=10))


def opened(kind: str, path: Path) -> dict[str, float]:
    """CPU and memory that opening adds to a fresh process; of five the median."""
    command = [sys.executable, "-m", "bench._store_user", "open", kind, str(path)]
    said = [json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(5)]
    return {name: statistics.median(float(each[name]) for each in said) for name in ("cpu", "mb", "numpy")}


def load(path: Path, pages: int, processes: int) -> dict[str, Any]:
    """Let so many processes use a store at once, with pauses."""
    command = [sys.executable, "-m", "bench._store_user", "load", f"sqlite://{path}", str(pages), str(LOAD_S)]
    started = [
        subprocess.Popen([*command, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for seed in range(processes)
    ]
    for each in started:
        assert each.stdout
        assert each.stdout.readline() == "ready\n"
    said = [json.loads(line) for line in _together(started)]
    walls = {
        name: [wall for one in said for wall in one["walls"].get(name, ())] for name in ("read", "write", "search")
    }
    done = sum(len(each) for one in said for each in one["walls"].values())
    return {"walls": walls, "cpu": sum(one["cpu"] for one in said) / done, "done": done}


def _together(started: list[subprocess.Popen[str]]) -> list[str]:
    for each in started:
        assert each.stdin
        each.stdin.write("\n")
        each.stdin.flush()
    return [each.communicate()[0] for each in started]


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",") if each]


async def run(chunks: list[int], processes: list[int], where: str | None) -> None:
    """Measure every size, then the processes on the largest of up to 100,000 chunks."""
    pool = texts()
    sizes: list[Size] = []
    loads: dict[int, dict[str, Any]] = {}
    load_chunks = max((each for each in chunks if each <= 100_000), default=chunks[0])
    for each in chunks:
        with tempfile.TemporaryDirectory(dir=where) as name:
            sizes.append(await measure(Path(name), each, pool))
            if each == load_chunks:
                loads = {count: load(Path(name) / "store.sqlite", each // CHUNKS, count) for count in processes}
    print(f"{machine()}\n")
    report(sizes, loads, load_chunks)


def main() -> None:
    """Measure and report; NumPy in one thread, as in our server."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--chunks", type=_numbers, default=[10_000, 100_000], help="sizes of store, with commas")
    options.add_argument("--processes", type=_numbers, default=[1, 2, 8, 20], help="how many at once; empty for none")
    options.add_argument("--folder", default=None, help="where the files are made; the system's temporary folder")
    given = options.parse_args()
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        os.execv(sys.executable, [sys.executable, "-m", "bench.store", *sys.argv[1:]])
    asyncio.run(run(given.chunks, given.processes, given.folder))


if __name__ == "__main__":
    main()
