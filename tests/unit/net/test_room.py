"""Large bodies share one room: they wait in order, give back what they took, and never lock each other out."""

import asyncio

import pytest

from gossamer.errors import Busy
from gossamer.net.room import SMALL_BYTES, Place, Room

LONG_S = 30.0


async def waiting(room: Room, size: int, limit_s: float = LONG_S) -> "asyncio.Task[int]":
    """Somebody who stands in the queue already."""
    task = asyncio.create_task(room.take(size, limit_s))
    await asyncio.sleep(0)
    assert not task.done()
    return task


def later(seconds: float = LONG_S) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_what_fits_has_its_place_at_once() -> None:
    room = Room(100)
    assert [await room.take(60, 0), await room.take(40, 0)] == [60, 40]
    assert room.free_bytes == 0


async def test_who_does_not_fit_waits_until_enough_is_given_back() -> None:
    room = Room(100)
    first, second = await room.take(50, 0), await room.take(50, 0)
    third = await waiting(room, 80)
    room.give_back(first)
    await asyncio.sleep(0)
    assert not third.done()
    room.give_back(second)
    assert await third == 80
    assert room.free_bytes == 20


async def test_who_comes_later_does_not_overtake_however_little_it_needs() -> None:
    room = Room(100)
    first = await room.take(60, 0)
    large = await waiting(room, 100)
    little = await waiting(room, 10)
    room.give_back(first)
    assert await large == 100
    assert not little.done()
    room.give_back(100)
    assert await little == 10


async def test_who_waits_too_long_is_told_that_we_are_busy_and_leaves_the_queue() -> None:
    room = Room(100)
    first = await room.take(60, 0)
    large = await waiting(room, 100, limit_s=0.01)
    little = await waiting(room, 40)
    with pytest.raises(Busy) as caught:
        await large
    assert caught.value.retryable
    assert caught.value.hint
    assert await little == 40
    room.give_back(first)
    assert room.free_bytes == 60


async def test_who_is_cancelled_while_waiting_leaves_the_queue() -> None:
    room = Room(100)
    await room.take(60, 0)
    large = await waiting(room, 100)
    little = await waiting(room, 40)
    large.cancel()
    assert await little == 40
    assert large.cancelled()


async def test_a_place_that_comes_together_with_a_cancellation_is_passed_on() -> None:
    room = Room(100)
    first = await room.take(100, 0)
    gone = await waiting(room, 100)
    following = await waiting(room, 100)
    room.give_back(first)
    gone.cancel()
    assert await following == 100
    assert gone.cancelled()
    room.give_back(100)
    assert room.free_bytes == 100


async def test_what_could_never_fit_takes_the_whole_room() -> None:
    assert await Room(100).take(1000, 0) == 100


async def test_a_small_body_passes_a_full_room() -> None:
    room = Room(SMALL_BYTES)
    await room.take(SMALL_BYTES, 0)
    place = Place(room, most_bytes=2 * SMALL_BYTES, until=later())
    async with asyncio.timeout(LONG_S):
        await place.hold(SMALL_BYTES)
    place.leave()
    assert room.free_bytes == 0


async def test_a_large_body_takes_its_place_once_and_gives_it_back_once() -> None:
    room = Room(4 * SMALL_BYTES)
    place = Place(room, most_bytes=3 * SMALL_BYTES, until=later())
    await place.hold(SMALL_BYTES + 1)
    await place.hold(2 * SMALL_BYTES)
    assert room.free_bytes == SMALL_BYTES
    place.leave()
    place.leave()
    assert room.free_bytes == 4 * SMALL_BYTES


async def test_a_large_body_gives_up_waiting_before_its_own_time_is_over() -> None:
    room = Room(SMALL_BYTES)
    await room.take(SMALL_BYTES, 0)
    until = later(0.2)
    with pytest.raises(Busy):
        async with asyncio.timeout_at(until):
            await Place(room, most_bytes=SMALL_BYTES, until=until).hold(SMALL_BYTES + 1)
    assert room.free_bytes == 0


async def test_a_body_without_a_room_never_waits() -> None:
    place = Place(None, most_bytes=2**30, until=later())
    await place.hold(2**30)
    place.leave()
