"""Work that several wait for is done once, and ends with the last of them."""

import asyncio

import pytest

from gossamer.net.flights import Flights


class Work:
    def __init__(self, result: int | Exception = 7) -> None:
        self.result = result
        self.started = 0
        self.was_cancelled = False
        self.go_on = asyncio.Event()

    async def __call__(self) -> int:
        self.started += 1
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_several_callers_share_one_piece_of_work() -> None:
    flights, work = Flights[int](), Work()
    callers = [asyncio.create_task(flights.join("a", work)) for _ in range(3)]
    await settle()
    work.go_on.set()
    assert await asyncio.gather(*callers) == [7, 7, 7]
    assert work.started == 1
    assert await flights.join("a", work) == 7
    assert work.started == 2


async def test_a_caller_who_leaves_does_not_take_the_work_away() -> None:
    flights, work = Flights[int](), Work()
    first = asyncio.create_task(flights.join("a", work))
    second = asyncio.create_task(flights.join("a", work))
    await settle()
    first.cancel()
    await settle()
    work.go_on.set()
    assert await second == 7
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_the_work_stops_when_the_last_caller_leaves() -> None:
    flights, work = Flights[int](), Work()
    only = asyncio.create_task(flights.join("a", work))
    await settle()
    only.cancel()
    with pytest.raises(asyncio.CancelledError):
        await only
    await settle()
    assert work.was_cancelled


async def test_a_failure_reaches_every_caller() -> None:
    flights, work = Flights[int](), Work(ValueError("no"))
    callers = [asyncio.create_task(flights.join("a", work)) for _ in range(2)]
    await settle()
    work.go_on.set()
    for caller in callers:
        with pytest.raises(ValueError, match="no"):
            await caller
