"""What reading a page costs, the first time and again, in small and large stores.

    python -m bench.read [--rounds 5] [--minilm FILE]

Pages of 1,500, 12,000 and 100,000 tokens are read by `web.readFromPage` of the installed server over stdio, with its
defaults, while its store holds 1, 100 and 10,000 other pages. "First": fetched, extracted, cut, given vectors, kept and
ranked. "Again": another question, same process. "Fetched": the same page by `WebFetch` as plain text, which is neither
cut nor given vectors, so that first less fetched is what reading costs after extraction. "Kept": a first question to
another process on the same store. CPU is the server's own, without the worker process that extracts. The floor is the
least that NumPy has to do for the same page: rows of a table looked up and summed by sentence and chunk; for a question
three products and a sort. "MiniLM" is what embedding the page's chunks takes with an int8 MiniLM-L6: one of the same
shape that is made here, unless an ONNX file of the real one is named. The stores take turns, page by page.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import _peers as peers
from bench._gauge import cpu_ms, machine
from bench._pages import Writer
from bench._report import Target, table
from bench._site import served
from bench._wire import Failed, Pipe, calling

from gossamer import embedders
from gossamer.compose import SystemClock, new_call
from gossamer.model.page import Page, Vectors
from gossamer.steps.retrieval.chunk import chunk, with_headings
from gossamer.stores import open_store
from tests.components import Missing

SIZES = (1_500, 12_000, 100_000)
STORES = (1, 100, 10_000)
FILLERS = 20
"""Different texts among the pages that fill a store."""

AGAIN = 4
"""How often a page is asked again."""

Kind = str
KINDS: tuple[Kind, ...] = ("first", "again", "fetched", "kept")


@dataclass(kw_only=True, slots=True)
class Cell:
    """The samples of one kind of read."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


Cells = dict[tuple[int, int, Kind], Cell]


async def fill(folder: Path, writer: Writer, pages: int) -> None:
    """Put pages with chunks and vectors into the store that a server will find there."""
    store = await open_store(
        f"sqlite:///{(folder / 'data' / 'store.sqlite').as_posix().lstrip('/')}", clock=SystemClock()
    )
    embedder = embedders.local_embedder(multilingual=False).speaking("english")
    texts = [writer.markdown(1_500, 10_000 + seed) for seed in range(min(FILLERS, pages))]
    known: dict[str, Vectors] = {}
    now = time.time()
    for n in range(pages):
        text, url = texts[n % len(texts)], f"https://filler.test/{n}"
        chunks = chunk(url, text, size=128)
        if text not in known:
            known[text] = await embedder.embed([with_headings(one) for one in chunks], new_call(timeout_s=600))
        page = Page(url=url, final_url=url, title=f"Filler {n}", text=text, fetched_at=now, fresh_until=now + 86_400)
        await store.save(page, chunks)
        await store.save_vectors(page, known[text])
    await store.close()


class Reader:
    """A server with its process warm: everything it needs was loaded for a page that nobody counts."""

    def __init__(self, pipe: Pipe, warm_url: str) -> None:
        self._pipe = pipe
        self._number = 1
        pipe.open("2025")
        for question in ("warm words", "other words"):
            self.read(warm_url, question)

    def read(self, url: str, question: str) -> tuple[float, float]:
        """Wall and CPU milliseconds of one read."""
        wall, spent, result = self._call("web.readFromPage", url=url, query=[question])
        if not result["structuredContent"]["queries"][0]["results"]:
            raise Failed(f"nothing was found on {url}")
        return wall, spent

    def fetch(self, url: str) -> tuple[float, float]:
        """The same of fetching a page without reading it, by an address that it is not kept under."""
        return self._call("WebFetch", url=f"{url}?fetched", format="text", includeLinks=False)[:2]

    def _call(self, tool: str, **arguments: Any) -> tuple[float, float, dict[str, Any]]:
        self._number += 1
        before, began = cpu_ms([self._pipe.process.pid]), time.perf_counter()
        result = self._pipe.ask(calling("2025", self._number, tool, **arguments))
        wall = (time.perf_counter() - began) * 1000
        spent = cpu_ms([self._pipe.process.pid]) - before
        if result.get("isError"):
            raise Failed(f"{tool} answered {result['content'][0]['text'][:200]}")
        return wall, spent, result


def measure(writer: Writer, rounds: int) -> Cells:
    """Every size of page in every size of store; stores take turns, since a machine is not as fast all the time."""
    cells: Cells = {(size, pages, kind): Cell() for size in SIZES for pages in STORES for kind in KINDS}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        homes = {pages: Path(stack.enter_context(tempfile.TemporaryDirectory())) for pages in STORES}
        for pages, home in homes.items():
            asyncio.run(fill(home, writer, pages))
            for size in SIZES:
                for n in range(rounds):
                    (folder / _name(pages, size, n)).write_text(writer.html(size, pages * 100 + size + n))
        (folder / "warm.html").write_text(writer.html(1_500, 1))
        # Through a proxy, since what the operator opens is asked for at each reading.
        proxy = f"http://{stack.enter_context(served(folder))}"
        for kinds in (("first", *["again"] * AGAIN, "fetched"), ("kept",)):
            with ExitStack() as opened:
                readers: dict[int, Reader] = {}
                for pages, home in homes.items():
                    settings = peers.environment(
                        home,
                        GOSSAMER_TOOLS="google,websearch",
                        SIMILARITY_THRESHOLD="0",
                        GOSSAMER_NET__PROXY=proxy,
                        GOSSAMER_LOG__LEVEL="error",
                    )
                    pipe = opened.enter_context(Pipe(peers.gossamer().command, settings))
                    readers[pages] = Reader(pipe, "http://warm.example/warm.html")
                walk(readers, "http://pages.example", writer, rounds, kinds, cells)
    return cells


def walk(
    readers: dict[int, Reader], site: str, writer: Writer, rounds: int, kinds: tuple[Kind, ...], cells: Cells
) -> None:
    """Read every page once for each kind; pages of the same size are apart from one another."""
    for n in range(rounds):
        for size in SIZES:
            for pages, reader in readers.items():
                for number, kind in enumerate(kinds):
                    url, question = f"{site}/{_name(pages, size, n)}", writer.question(n * 100 + number)
                    wall, spent = reader.fetch(url) if kind == "fetched" else reader.read(url, question)
                    cells[size, pages, kind].wall.append(wall)
                    cells[size, pages, kind].cpu.append(spent)
            time.sleep(0.3)  # so that the pace which sites are asked at is never waited for


def _name(pages: int, size: int, n: int) -> str:
    return f"{pages}-{size}-{n}.html"


def floors() -> dict[int, tuple[float, float]]:
    """CPU milliseconds of bare NumPy for a page of each size, made ready and asked; one thread, as in our server."""
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "bench._floor", *map(str, SIZES)]
    said = subprocess.run(command, env=alone, capture_output=True, text=True, check=True).stdout
    return {size: (ready, asked) for size, (ready, asked) in zip(SIZES, json.loads(said), strict=True)}


def minilm(file: str) -> dict[int, float] | None:
    """CPU milliseconds of a small transformer for the chunks of a page of each size, or None where it cannot run."""
    command = [sys.executable, "-m", "bench._minilm", file, *map(str, SIZES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"MiniLM was not measured: {done.stderr.strip().splitlines()[-1]}\n")
        return None
    return dict(zip(SIZES, json.loads(done.stdout), strict=True))


def report(cells: Cells, least: dict[int, tuple[float, float]], transformer: dict[int, float] | None) -> None:
    """The tables of docs/benchmarks.md."""
    rows: list[list[str]] = []
    for size in SIZES:
        for pages in STORES:
            row = [f"{size:,}", f"{pages:,}"]
            for kind in KINDS:
                cell = cells[size, pages, kind]
                row += [f"{statistics.median(cell.wall):.0f}", f"{statistics.median(cell.cpu):.1f}"]
            rows.append(row)
    heads = [f"{kind}, {what} ms" for kind in KINDS for what in ("wall", "CPU")]
    print(table(["tokens of the page", "pages in the store", *heads], rows))
    print()
    floor_rows = [
        [
            f"{size:,}",
            f"{ready:.2f}",
            f"{together(cells, size, 'first') / (ready + ask):.0f}",
            f"{ask:.3f}",
            f"{together(cells, size, 'again') / ask:.0f}",
            f"{transformer[size]:.0f}" if transformer else "",
        ]
        for size, (ready, ask) in least.items()
    ]
    print(
        table(
            [
                "tokens of the page",
                "floor: ready, CPU ms",
                "first / floor",
                "floor: asked",
                "again / floor",
                "MiniLM, CPU ms",
            ],
            floor_rows,
        )
    )
    print()
    for target in targets(cells, transformer):
        print(target.line())


def together(cells: Cells, size: int, kind: Kind) -> float:
    """The median CPU over all stores."""
    return statistics.median([each for pages in STORES for each in cells[size, pages, kind].cpu])


def targets(cells: Cells, transformer: dict[int, float] | None) -> list[Target]:
    """What was promised, and what came of it."""
    read_ms = together(cells, 12_000, "first") - together(cells, 12_000, "fetched")
    small, large = STORES[0], STORES[-1]

    def grows(size: int, kind: Kind) -> float:
        return statistics.median(cells[size, large, kind].cpu) / statistics.median(cells[size, small, kind].cpu)

    walls = [each for pages in STORES for kind in ("again", "kept") for each in cells[12_000, pages, kind].wall]
    first = [each for pages in STORES for each in cells[1_500, pages, "first"].wall]
    return [
        Target(
            name="12,000 tokens, first less fetched, CPU",
            value=read_ms,
            most=120,
            unit=" ms",
        ),
        Target(
            name="the same, of what an int8 MiniLM takes for embedding alone",
            value=read_ms / transformer[12_000] if transformer else None,
            most=0.05,
        ),
        Target(name="12,000 tokens, again, CPU", value=together(cells, 12_000, "again"), most=10, unit=" ms"),
        Target(
            name="12,000 tokens, cached, P50 (the specification's 300)",
            value=statistics.median(walls),
            most=300,
            unit=" ms",
        ),
        Target(
            name="1,500 tokens, first, P50 (the specification's 3 s)",
            value=statistics.median(first),
            most=3000,
            unit=" ms",
        ),
        *(
            Target(
                name=f"{size:,} tokens, {kind}, CPU at 10,000 pages, of that at 1", value=grows(size, kind), most=1.3
            )
            for size in SIZES
            for kind in ("again", "kept")
        ),
    ]


def main() -> None:
    """Measure and report."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5, help="pages of each size in each store")
    options.add_argument("--minilm", default="-", help="an ONNX file of the real MiniLM, int8")
    given = options.parse_args()
    writer = Writer()
    try:
        cells = measure(writer, given.rounds)
    except Missing as error:
        sys.exit(f"not measured: {error}")
    print(f"{machine()}  \n{peers.versions()}\n")
    report(cells, floors(), minilm(given.minilm))


if __name__ == "__main__":
    main()
