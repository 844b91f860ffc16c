"""Count the files of `src/gossamer` that a call enters: `python scripts/trace_calls.py [--list]`.

Three calls are traced, each after another call of its kind has opened and warmed what it uses. A file counts when a
function of it is entered or resumed between the request and its reply, in any thread of this process; importing a
module does not count.

fetch   `web_fetch` of a new page, from the SDK's server to the reply. Pipes and HTTP are not in it, nor is the worker
        process, where the page is parsed.
select  `Store.page` of a kept page, through the wrapper that an engine has round its SQLite store: one SELECT.
search  `web_search` with one provider in the settings; counted are the provider objects that it built.

The small web of the demo answers from a process of its own. The exit code is 1 when a call is beyond its limit.
"""

import argparse
import asyncio
import gc
import multiprocessing
import os
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

from mcp import Client

import gossamer
from gossamer.compose import SystemClock
from gossamer.demo.web import MiniWeb
from gossamer.ports import Provider
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.load import load
from gossamer.stores import lazy_store

MOST_FILES = {"fetch": 64, "select": 5}
"""A fetch took 60 before it kept the targets of links and the bytes of replies, and looked for descriptions of APIs."""
ASKED = "searxng"
"""The one provider that the traced search may build."""
SOURCE = f"{Path(gossamer.__file__).parent}{os.sep}"
WARM_PAGE, NEW_PAGE = "/ferry/timetable", "/gazette/lighthouse-relit"


class Tracer:
    """A profile function for every thread that begins after it; it records within `recording` alone."""

    def __init__(self) -> None:
        self._files: set[str] | None = None
        threading.setprofile(self._enter)
        sys.setprofile(self._enter)

    @contextmanager
    def recording(self) -> Generator[set[str]]:
        """The files that are entered meanwhile, by their path below the package."""
        files = self._files = set()
        try:
            yield files
        finally:
            self._files = None

    def _enter(self, frame: FrameType, event: str, _argument: object) -> None:
        files, code = self._files, frame.f_code
        if files is None or event != "call" or code.co_name == "<module>":
            return
        if code.co_filename.startswith(SOURCE):
            files.add(code.co_filename.removeprefix(SOURCE))


def serve_pages(parent: Connection) -> None:
    """Serve the small web until the parent hangs up."""
    with MiniWeb() as web:
        parent.send(web.url)
        parent.poll(None)


@contextmanager
def small_web() -> Generator[str]:
    """The address of the small web in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve_pages, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send(None)
        process.join()


@asynccontextmanager
async def opened(base: str, folder: Path) -> AsyncGenerator[tuple[Service, Client]]:
    """A server of the core tools on the small web, and a client of it."""
    (folder / "gossamer.toml").touch()
    environment = {
        "GOSSAMER_CONFIG": str(folder / "gossamer.toml"),
        "DATA_DIR": str(folder),
        "SEARXNG_URL": base,
        "GOSSAMER_SEARCH__PROVIDERS": ASKED,
        "GOSSAMER_NET__ALLOW_PRIVATE": base.removeprefix("http://"),
    }
    service = Service(load(environ=environment))
    try:
        async with Client(build_server(service)) as client:
            yield service, client
    finally:
        await service.close()


async def call(client: Client, tool: str, **arguments: Any) -> None:
    """Call a tool, which has to succeed."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise SystemExit(f"{tool} failed: {result.content}")


async def trace(base: str, folder: Path, names: list[str]) -> dict[str, set[str]]:
    """What each call entered; of `search`, the names of the providers that it built."""
    tracer, entered = Tracer(), dict[str, set[str]]()
    async with opened(base, folder) as (service, client):
        await call(client, "web_fetch", url=base + WARM_PAGE)
        if "fetch" in names:
            with tracer.recording() as entered["fetch"]:
                await call(client, "web_fetch", url=base + NEW_PAGE)
        if "select" in names:
            store = lazy_store(service.settings.store_address, clock=SystemClock(), most_bytes=2**30)
            await store.remove("https://example.org/none")  # a write, so that the file is open for writing too
            await store.page(base + WARM_PAGE)
            with tracer.recording() as entered["select"]:
                page = await store.page(base + WARM_PAGE)
            await store.close()
            if page is None:
                raise SystemExit("The page that was fetched is not in the store.")
        if "search" in names:
            await call(client, "web_search", query="electric ferry charging time", results_count=3)
            gc.collect()
            entered["search"] = {thing.name for thing in gc.get_objects() if isinstance(thing, Provider)}
    sys.setprofile(None)
    threading.setprofile(None)
    return entered


def report(entered: dict[str, set[str]], *, is_listing: bool) -> bool:
    """Print what was counted, and tell whether all of it is within its limit."""
    is_within = True
    for name, things in entered.items():
        if name == "search":
            is_good = things == {ASKED}
            print(f"{name}: built {len(things)} providers, asked {ASKED}{'' if is_good else ': TOO MANY'}")
        else:
            is_good = len(things) <= MOST_FILES[name]
            print(f"{name}: {len(things)} files, at most {MOST_FILES[name]}{'' if is_good else ': TOO MANY'}")
        if is_listing or not is_good:
            print("".join(f"  {thing}\n" for thing in sorted(things)), end="")
        is_within = is_within and is_good
    return is_within


def main() -> int:
    """Trace the calls that were named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("calls", nargs="*", default=["fetch", "select", "search"], help="fetch, select, search")
    parser.add_argument("--list", action="store_true", help="list the files even where they are few enough")
    options = parser.parse_args()
    with small_web() as base, tempfile.TemporaryDirectory(prefix="gossamer-trace-") as folder:
        entered = asyncio.run(trace(base, Path(folder), options.calls))
    return 0 if report(entered, is_listing=options.list) else 1


if __name__ == "__main__":
    sys.exit(main())
