"""Another process on a DuckDB store. Usage: duckdb_worker.py STORE NAME PAGES.

Saves PAGES pages of its own, says `saved N` after each and `done` at the end, and keeps the store open until its input
ends. `wrong REASON` is anything that must not happen.
"""

import asyncio
import sys
import time
from pathlib import Path

from gossamer.errors import GossamerError
from gossamer.stores.duckdb.store import DuckdbStore
from gossamer.testing.store_cases import chunks_of, page_of


class Clock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


def say(*words: object) -> None:
    print(*words, flush=True)


async def work(path: Path, name: str, pages: int) -> None:
    store = await DuckdbStore.open_file(path, clock=Clock(), patience_s=60)
    for number in range(pages):
        page = page_of(f"number {number} of {name} " * 60, url=f"https://example.com/{name}/{number}")
        await store.save(page, chunks_of(page))
        say("saved", number)
        kept = await store.page(page.url)
        if kept != page or await store.chunks(page) != chunks_of(page):
            say("wrong: a page just saved is another")
    say("done")
    await asyncio.to_thread(sys.stdin.read)
    await store.close()


if __name__ == "__main__":
    try:
        asyncio.run(work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
    except (GossamerError, OSError) as error:
        say("wrong:", type(error).__name__, error)
