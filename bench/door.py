"""What the guarded door costs: `python bench/door.py [SECONDS]`.

Fetches pages of three sizes from a server on loopback, four at once, through the engine's door to the web (guard,
robots.txt, limits; the pace alone is lifted) and with plain httpx2, in turns of one run. Per kind of page: fetches a
second and processor time per fetch of both, and what the door costs more; a quarter is what it may.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import httpx2

from gossamer.compose import SystemClock, new_call
from gossamer.model.http import HttpRequest
from gossamer.net.client import WebDoor
from gossamer.net.pace import AT_ONCE, Pace
from gossamer.net.policy import NetPolicy
from gossamer.states.memory import MemoryState

ROUNDS = 6
MAY_COST = 0.25

SERVER = """
import asyncio, gzip, random, sys
random.seed(7)
words = ["".join(random.choices("etaoinshrdlu", k=random.randint(2, 9))) for _ in range(2000)]
def page(size):
    text = "<title>Page</title>"
    while len(text) < size:
        text += "<p>" + " ".join(random.choices(words, k=60)) + ".</p>"
    return text[:size].encode()
PAGES = {"/2k": (page(2_000), b""), "/50k": (page(50_000), b""),
         "/1m": (gzip.compress(page(1_000_000)), b"Content-Encoding: gzip\\r\\n")}
async def serve(reader, writer):
    try:
        while True:
            path = (await reader.readuntil(b"\\r\\n\\r\\n")).split(b" ")[1].decode()
            body, packed = PAGES.get(path, (b"", b""))
            status = b"200 OK" if body else b"404 Not Found"
            writer.write(b"HTTP/1.1 %s\\r\\nContent-Type: text/html\\r\\n%sContent-Length: %d\\r\\n\\r\\n" % (
                status, packed, len(body)) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
PAGES = {"2 kB": "/2k", "50 kB": "/50k", "1 MB, gzip": "/1m"}

Get = Callable[[str], Awaitable[int]]


async def instantly(_seconds: float) -> None:
    """No pause between requests."""


async def spend(get: Get, url: str, seconds: float) -> tuple[int, float, float]:
    """How many fetches were done in the time, with the processor time and the time they took."""
    done = 0
    cpu, since = time.process_time(), time.perf_counter()

    async def keep_on() -> None:
        nonlocal done
        while time.perf_counter() - since < seconds:
            await get(url)
            done += 1

    await asyncio.gather(*(keep_on() for _ in range(AT_ONCE)))
    return done, time.process_time() - cpu, time.perf_counter() - since


def main(seconds: float) -> None:
    """Print one line per page kind, and whether the promise is kept."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        asyncio.run(compare(int(server.stdout.readline()), seconds))
        server.kill()


async def compare(port: int, seconds: float) -> None:
    clock = SystemClock()
    state = MemoryState(clock)
    door = WebDoor(NetPolicy(allow_private=(f"127.0.0.1:{port}",)), clock=clock, state=state)
    door._pace = Pace(clock, state, sleep=instantly)  # noqa: SLF001 - a promise to sites is no cost
    async with httpx2.AsyncClient(trust_env=False) as plain:

        async def through_door(url: str) -> int:
            return len((await door.send(HttpRequest(url=url), new_call())).body)

        async def plainly(url: str) -> int:
            return len((await plain.get(url)).content)

        print(f"{'page':12} door/s  plain/s  door ms CPU  plain ms CPU    cost")
        total = {"door": 0.0, "plain": 0.0}
        for name, path in PAGES.items():
            url = f"http://127.0.0.1:{port}{path}"
            assert await through_door(url) == await plainly(url)
            sums = {"door": [0, 0.0, 0.0], "plain": [0, 0.0, 0.0]}
            for _ in range(ROUNDS):
                for who, get in (("door", through_door), ("plain", plainly)):
                    sums[who] = [a + b for a, b in zip(sums[who], await spend(get, url, seconds), strict=True)]
            rate = {who: done / took for who, (done, _, took) in sums.items()}
            cost = {who: 1000 * cpu / done for who, (done, cpu, _) in sums.items()}
            total = {who: total[who] + cost[who] for who in total}
            print(f"{name:12}{rate['door']:7.0f}{rate['plain']:9.0f}{cost['door']:13.2f}", end="")
            print(f"{cost['plain']:14.2f}{verdict(cost['door'] / cost['plain'] - 1)}")
        print(f"all three together{verdict(total['door'] / total['plain'] - 1)}")
    await door.close()


def verdict(cost: float) -> str:
    return f"{cost:+8.0%}  {'met' if cost <= MAY_COST else 'NOT MET'} (at most {MAY_COST:+.0%})"


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.5)
