"""Many sites that send much and then fall silent: together they hold little memory, and no page pays for it."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from gossamer.errors import Busy, GossamerError, TimedOut
from gossamer.model.http import HttpRequest
from gossamer.net.client import WebDoor
from gossamer.net.policy import NetPolicy
from gossamer.net.response import ROOM_BYTES
from gossamer.ports import Call
from gossamer.states.memory import MemoryState
from tests.patience import LONG_S

MIB = 2**20
SITES = 60
BODY_BYTES = 10 * MIB
SPARE_BYTES = 160 * MIB
"""What growing in steps, sixty beginnings and the test's own server take beside the bodies."""
PIECE = b"a" * 2**16
SENT_BY_LIARS = 5 * len(PIECE)
"""Just enough to count as large."""


class RealClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


CLOCK = RealClock()


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
        sizes = {b"/small": 1000, b"/large": MIB, b"/silent": BODY_BYTES, b"/liar": BODY_BYTES}
        size = sizes.get(path, 0)
        writer.write(b"HTTP/1.1 %d X\r\nContent-Type: text/html\r\n" % (200 if size else 404))
        writer.write(b"Connection: close\r\nContent-Length: %d\r\n\r\n" % size)
        unsent = {b"/silent": len(PIECE), b"/liar": BODY_BYTES - SENT_BY_LIARS}
        left = size - unsent.get(path, 0)
        while left > 0:
            writer.write(PIECE[:left])
            await writer.drain()
            left -= len(PIECE)
        if path in unsent:
            await reader.read()
    writer.close()


@contextlib.asynccontextmanager
async def opened(policy: NetPolicy) -> AsyncGenerator[WebDoor]:
    """A door to a world of many sites, all of them one listener on loopback."""

    async def resolve(_host: str) -> list[str]:
        return ["93.184.215.14"]

    async def dial(_address: str, _port: int) -> tuple[str, int]:
        return "127.0.0.1", port

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port: int = server.sockets[0].getsockname()[1]
        door = WebDoor(policy, resolve=resolve, dial=dial, clock=CLOCK, state=MemoryState(CLOCK))
        try:
            yield door
        finally:
            await door.close()


async def fetch(door: WebDoor, url: str) -> int:
    reply = await door.send(HttpRequest(url=url), Call(clock=CLOCK, deadline=CLOCK.monotonic() + 20 * LONG_S))
    return len(reply.body)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is counted as Linux counts it")
async def test_sixty_silent_bodies_share_one_room_and_leave_it() -> None:
    async with opened(NetPolicy(page_timeout_s=40, silence_s=15)) as door:
        assert await fetch(door, "http://first.example/large") == MIB
        before = most = resident_bytes()
        silent = [asyncio.create_task(fetch(door, f"http://h{number}.example/silent")) for number in range(SITES)]
        small: list[int] = []
        while not all(task.done() for task in silent):
            small.append(await fetch(door, f"http://small{len(small)}.example/small"))
            await asyncio.wait(silent, timeout=0.1)
            most = max(most, resident_bytes())
        ends = [task.exception() for task in silent]
        print(f"{len(small)} small pages beside them, {(most - before) / MIB:.0f} MiB more, {set(map(type, ends))}")
        assert {type(end) for end in ends} == {TimedOut, Busy}
        assert all(isinstance(end, GossamerError) and end.hint for end in ends)
        assert most - before < ROOM_BYTES + SPARE_BYTES
        assert set(small) == {1000}
        assert len(small) > 5
        assert await fetch(door, "http://last.example/large") == MIB


async def test_sites_that_announce_much_and_send_little_keep_no_large_page_waiting() -> None:
    """Forty of them could claim the room three times over, until long after the pages are here."""
    async with opened(NetPolicy(page_timeout_s=10 * LONG_S, silence_s=10 * LONG_S)) as door:
        liars = [asyncio.create_task(fetch(door, f"http://h{number}.example/liar")) for number in range(40)]
        try:
            for number in range(10):
                async with asyncio.timeout(LONG_S):
                    assert await fetch(door, f"http://large{number}.example/large") == MIB
            assert not any(liar.done() for liar in liars)
        finally:
            for liar in liars:
                liar.cancel()
            await asyncio.gather(*liars, return_exceptions=True)


async def test_sites_that_send_much_and_stop_before_the_end_give_way_to_large_pages() -> None:
    async with opened(NetPolicy(page_timeout_s=10 * LONG_S, silence_s=10 * LONG_S)) as door:
        silent = [asyncio.create_task(fetch(door, f"http://h{number}.example/silent")) for number in range(20)]
        try:
            for number in range(10):
                async with asyncio.timeout(LONG_S):
                    assert await fetch(door, f"http://large{number}.example/large") == MIB
            ends = [task.exception() for task in silent if task.done()]
            assert {type(end) for end in ends} <= {Busy}
            assert len(ends) < len(silent)
        finally:
            for task in silent:
                task.cancel()
            await asyncio.gather(*silent, return_exceptions=True)
