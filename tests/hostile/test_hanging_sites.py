"""Names and sites that hang, by the hundred: they hold up nobody else, and what is too much is told at once."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from gossamer.errors import Busy
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.net.client import WebDoor
from gossamer.net.exchange import Wire, trust
from gossamer.net.guard import Target
from gossamer.net.pinned_backend import PinnedBackend, dial_as_told
from gossamer.net.policy import NetPolicy
from gossamer.net.response import ReplyLimits
from gossamer.ports import Call
from gossamer.states.memory import MemoryState
from tests.hostile.test_door import CLOCK, PUBLIC, Server, reply
from tests.patience import LONG_S


@asynccontextmanager
async def opened(**policy: Any) -> AsyncGenerator[WebDoor]:
    """A door to sites that are all one listener; names with "hang" in them never resolve, `/silent` never answers."""

    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        if path == "/silent":
            await asyncio.Event().wait()
        writer.write(reply(b"<p>ok</p>", 200, "Connection: close"))

    async def resolve(host: str) -> list[str]:
        if "hang" in host:
            await asyncio.Event().wait()
        return [PUBLIC]

    async with Server(answer).open() as port:

        async def dial(_address: str, _port: int) -> tuple[str, int]:
            return "127.0.0.1", port

        settings = NetPolicy(robots="ignore", **policy)
        door = WebDoor(settings, resolve=resolve, dial=dial, clock=CLOCK, state=MemoryState(CLOCK))
        try:
            yield door
        finally:
            await door.close()


async def fetch(door: WebDoor, url: str) -> HttpReply:
    return await door.send(HttpRequest(url=url), Call(clock=CLOCK, deadline=CLOCK.monotonic() + 20 * LONG_S))


async def end(tasks: Iterable["asyncio.Task[HttpReply]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_two_thousand_names_that_hang_hold_up_no_page() -> None:
    """They are many more than the connections that there are."""
    async with opened(connect_timeout_s=10 * LONG_S, page_timeout_s=10 * LONG_S) as door:
        hanging = [asyncio.create_task(fetch(door, f"http://hang.e{number}.example/")) for number in range(2_000)]
        for number in range(5):
            async with asyncio.timeout(LONG_S):
                assert (await fetch(door, f"http://quick{number}.example/")).body == b"<p>ok</p>"
        assert not any(task.done() for task in hanging)
        await end(hanging)


async def test_three_hundred_sites_that_are_silent_hold_up_no_page() -> None:
    async with opened(silence_s=10 * LONG_S, page_timeout_s=10 * LONG_S) as door:
        silent = [asyncio.create_task(fetch(door, f"http://s{number}.example/silent")) for number in range(300)]
        for number in range(5):
            async with asyncio.timeout(LONG_S):
                assert (await fetch(door, f"http://quick{number}.example/")).body == b"<p>ok</p>"
        assert not any(task.done() for task in silent)
        await end(silent)


async def test_when_every_connection_is_taken_the_site_is_not_blamed() -> None:
    asked = asyncio.Event()

    async def answer(_path: str, _writer: asyncio.StreamWriter) -> None:
        asked.set()
        await asyncio.Event().wait()

    async with Server(answer).open() as port:

        async def judged(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        one = Wire(PinnedBackend(judged, dial_as_told), trust(None), connections=1)
        limits = ReplyLimits(connect_s=LONG_S, silence_s=10 * LONG_S, max_bytes=1000, overflow="cut")
        target = Target(scheme="http", host="site.example", port=port, path="/")
        silent = asyncio.create_task(one.exchange(target, {"host": "site.example"}, limits))
        async with asyncio.timeout(LONG_S):
            await asked.wait()
            with pytest.raises(Busy, match=r"too many sites at once") as caught:
                await one.exchange(target, {"host": "site.example"}, replace(limits, connect_s=0.3))
        assert caught.value.hint
        await end([silent])
        await one.close()
