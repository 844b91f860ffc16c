"""A server in miniature for the crash test: saves, reads and searches until it is killed, and says what it did.

Usage: store_worker.py STORE NAME FIRST SEED. Prints `ready`, then `intent PAGE NUMBER` before and `done PAGE NUMBER`
after each save of a page of its own, and `wrong REASON` for anything that must not happen.
"""

import asyncio
import random
import sys
import time
from pathlib import Path

from gossamer.errors import GossamerError
from gossamer.stores.sqlite import SqliteStore
from gossamer.testing.store_cases import chunks_of, page_of


class Clock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


def say(*words: object) -> None:
    print(*words, flush=True)


async def work(path: Path, name: str, first: int, seed: int) -> None:
    dice = random.Random(seed)
    store = await SqliteStore.open_file(path, clock=Clock())
    say("ready")
    for number in range(first, first + 1_000_000):
        own, shared = dice.randrange(5), f"https://example.com/shared/{dice.randrange(10)}"
        url = f"https://example.com/{name}/{own}"
        say("intent", own, number)
        page = page_of(f"number {number} of {name} " * 100, url=url, at=float(number))
        await store.save(page, chunks_of(page))
        say("done", own, number)
        if (await store.page(url)) is None:
            say("wrong: a page just saved is gone")
        page = page_of(f"shared {number} of {name} " * 100, url=shared, at=time.time())
        await store.save(page, chunks_of(page))
        kept = await store.page(f"https://example.com/shared/{dice.randrange(10)}")
        chunks = await store.chunks(kept) if kept else ()
        if kept and chunks and "".join(chunk.text for chunk in chunks) != kept.text:
            say("wrong: chunks of another text")
        if number % 10 == 0 and not await store.find(f"number {name}", count=3):
            say("wrong: nothing found")


if __name__ == "__main__":
    try:
        asyncio.run(work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    except (GossamerError, OSError) as error:
        say("wrong:", type(error).__name__, error)
