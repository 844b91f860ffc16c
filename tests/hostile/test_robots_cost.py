"""A robots.txt made to be slow: it costs its own site's pages some time, and nobody else's."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from gossamer.compose import SystemClock
from gossamer.errors import RobotsDisallowed
from gossamer.model.http import HttpReply
from gossamer.net.guard import Target, read_url
from gossamer.net.robots.policy import RobotsPolicy
from gossamer.states.memory import MemoryState
from tests.patience import LONG_S, share

PATIENCE_S = 8.0
"""A decision takes milliseconds; one that waited for the hostile files would take as long as all of them."""
LONG = "a" * 7_900


def lines(rule: str, size: int) -> bytes:
    """A file of about this size, full of one kind of rule; no two of them are the same."""
    width = len(rule) + 5
    return b"User-agent: *\n" + b"".join(b"%s%04d\n" % (rule.encode(), number) for number in range(size // width))


FILES = {
    "large, needles that nearly fit": lines(f"Disallow: /*{'a' * 49}b{'a' * 40}", 500_000),
    "small, needles that nearly fit": lines(f"Disallow: /*{'a' * 20}b{'a' * 20}", 15_000),
    "short needles": lines("Disallow: /*a", 500_000),
    "many stars": lines(f"Disallow: /{'*a' * 40}b", 500_000),
    "a single rule of stars": b"User-agent: *\nDisallow: /" + b"*a" * 250_000 + b"b\n",
    "plain rules of every length": b"User-agent: *\n" + b"".join(b"Disallow: /%sb\n" % (b"a" * n) for n in range(990)),
    "octets to escape": b"User-agent: *\n" + b"".join(b"Allow: /%d*%s\n" % (n, b"\xff" * 300) for n in range(1_600)),
}


@pytest.mark.parametrize("body", FILES.values(), ids=FILES)
async def test_other_sites_are_decided_while_many_pages_of_a_hostile_one_wait(body: bytes) -> None:
    async def fetch(site: Target) -> HttpReply:
        is_hostile = site.host.startswith("evil")
        return HttpReply(status=200, url="", body=body if is_hostile else b"User-agent: *\nDisallow: /private\n")

    clock = SystemClock()
    manners = RobotsPolicy(fetch, MemoryState(clock=clock), clock)
    pages = [read_url(f"https://evil{number % 4}.example/{LONG}{number}") for number in range(50)]
    waiting = [asyncio.create_task(manners.check(page)) for page in pages]
    took_s: list[float] = []
    for number in range(20):
        started = time.monotonic()
        await manners.check(read_url(f"https://good{number}.example/public"))
        took_s.append(time.monotonic() - started)
        await asyncio.sleep(0)
    assert share(took_s, 0.5) < PATIENCE_S
    async with asyncio.timeout(10 * LONG_S):
        ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(end) for end in ends} <= {type(None), RobotsDisallowed}


async def test_a_site_whose_file_is_merely_long_does_not_wait_for_huge_ones() -> None:
    """Each of ten hostile sites has to be sorted out anew each time, for there are more than are remembered so."""
    long = b"User-agent: *\n" + b"".join(b"Disallow: /private/%d\n" % number for number in range(2_000))

    async def fetch(site: Target) -> HttpReply:
        body = FILES["short needles"] if site.host.startswith("evil") else long
        return HttpReply(status=200, url="", body=body)

    clock = SystemClock()
    manners = RobotsPolicy(fetch, MemoryState(clock=clock), clock)
    pages = [read_url(f"https://evil{number % 10}.example/{LONG}{number}") for number in range(40)]
    waiting = [asyncio.create_task(manners.check(page)) for page in pages]
    for number in range(5):
        async with asyncio.timeout(LONG_S):
            await manners.check(read_url(f"https://good{number}.example/public"))
    assert not all(task.done() for task in waiting)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_a_huge_file_needs_none_of_the_threads_that_others_use() -> None:
    """The only thread of the loop's own pool is taken until the end."""
    is_over = threading.Event()
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=1))
    taken = asyncio.create_task(asyncio.to_thread(is_over.wait, 4 * LONG_S))

    async def fetch(_site: Target) -> HttpReply:
        return HttpReply(status=200, url="", body=FILES["large, needles that nearly fit"])

    clock = SystemClock()
    try:
        async with asyncio.timeout(LONG_S):
            await RobotsPolicy(fetch, MemoryState(clock=clock), clock).check(read_url("https://evil.example/page"))
        assert not taken.done()
    finally:
        is_over.set()
        await taken
