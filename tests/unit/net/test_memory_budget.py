"""Large bodies share one room: they wait in order, give back what they took, and never lock each other out."""

import asyncio

import pytest

from gossamer.errors import Busy
from gossamer.net.response import (
    FAIR_BYTES_PER_S,
    REVIEW_S,
    SMALL_BYTES,
    STEP_BYTES,
    Holding,
    Place,
    Room,
    place_in,
)

LONG_S = 30.0
MIB = 2**20


def one() -> Holding:
    return Holding(end=lambda: None)


async def taken(room: Room, size: int) -> Holding:
    holding = one()
    await room.take(holding, size, 0)
    return holding


async def waiting(room: Room, size: int, limit_s: float = LONG_S) -> "tuple[Holding, asyncio.Task[None]]":
    """Somebody who stands in the queue already."""
    holding = one()
    task = asyncio.create_task(room.take(holding, size, limit_s))
    await asyncio.sleep(0)
    assert not task.done()
    return holding, task


def later(seconds: float = LONG_S) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_what_fits_has_its_place_at_once() -> None:
    room = Room(100)
    assert [(await taken(room, size)).taken for size in (60, 40)] == [60, 40]
    assert room.free_bytes == 0


async def test_who_does_not_fit_waits_until_enough_is_given_back() -> None:
    room = Room(100)
    first, second = await taken(room, 50), await taken(room, 50)
    third, coming = await waiting(room, 80)
    room.give_back(first)
    await asyncio.sleep(0)
    assert not coming.done()
    room.give_back(second)
    await coming
    assert third.taken == 80
    assert room.free_bytes == 20


async def test_who_comes_later_does_not_overtake_however_little_it_needs() -> None:
    room = Room(100)
    first = await taken(room, 60)
    large, large_comes = await waiting(room, 100)
    _, little_comes = await waiting(room, 10)
    room.give_back(first)
    await large_comes
    assert not little_comes.done()
    room.give_back(large)
    await little_comes


async def test_who_has_a_place_grows_before_those_who_have_none() -> None:
    room = Room(100)
    first, growing = await taken(room, 60), await taken(room, 40)
    _, entering = await waiting(room, 100)
    grown = asyncio.create_task(room.take(growing, 60, LONG_S))
    await asyncio.sleep(0)
    room.give_back(first)
    await grown
    assert growing.taken == 100
    assert not entering.done()
    room.give_back(growing)
    await entering


async def test_who_waits_too_long_is_told_that_we_are_busy_and_leaves_the_queue() -> None:
    room = Room(100)
    first = await taken(room, 60)
    _, large_comes = await waiting(room, 100, limit_s=0.01)
    _, little_comes = await waiting(room, 40)
    with pytest.raises(Busy) as caught:
        await large_comes
    assert caught.value.retryable
    assert caught.value.hint
    await little_comes
    room.give_back(first)
    assert room.free_bytes == 60


async def test_who_is_cancelled_while_waiting_leaves_the_queue() -> None:
    room = Room(100)
    await taken(room, 60)
    _, large_comes = await waiting(room, 100)
    _, little_comes = await waiting(room, 40)
    large_comes.cancel()
    await little_comes
    assert large_comes.cancelled()


async def test_a_place_that_comes_together_with_a_cancellation_is_passed_on() -> None:
    room = Room(100)
    first = await taken(room, 100)
    _, gone = await waiting(room, 100)
    following, comes = await waiting(room, 100)
    room.give_back(first)
    gone.cancel()
    await comes
    assert gone.cancelled()
    room.give_back(following)
    assert room.free_bytes == 100


async def test_what_could_never_fit_takes_the_whole_room() -> None:
    assert (await taken(Room(100), 1000)).taken == 100


async def test_a_small_body_passes_a_full_room() -> None:
    room = Room(SMALL_BYTES)
    await taken(room, SMALL_BYTES)
    async with asyncio.timeout(LONG_S), place_in(room, most_bytes=2 * SMALL_BYTES, until=later()) as place:
        await place.hold(SMALL_BYTES)
    assert room.free_bytes == 0


async def test_a_large_body_takes_its_place_once_and_gives_it_back() -> None:
    room = Room(4 * SMALL_BYTES)
    async with place_in(room, most_bytes=3 * SMALL_BYTES, until=later()) as place:
        await place.hold(SMALL_BYTES + 1)
        await place.hold(2 * SMALL_BYTES)
        assert room.free_bytes == SMALL_BYTES
    assert room.free_bytes == 4 * SMALL_BYTES


async def test_a_large_body_gives_up_waiting_before_its_own_time_is_over() -> None:
    room = Room(SMALL_BYTES)
    await taken(room, SMALL_BYTES)
    until = later(0.2)
    with pytest.raises(Busy):
        async with asyncio.timeout_at(until), place_in(room, most_bytes=SMALL_BYTES, until=until) as place:
            await place.hold(SMALL_BYTES + 1)
    assert room.free_bytes == 0


class Bodies:
    """Bodies that come into one room, each as far as the test lets it come."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.tasks: list[asyncio.Task[None]] = []

    def come(self, *, most_bytes: int, sizes: tuple[int, ...], forever: bool = True) -> "asyncio.Task[None]":
        async def run() -> None:
            async with place_in(self.room, most_bytes=most_bytes, until=later()) as place:
                await self._grow(place, sizes)
                if forever:
                    await asyncio.Event().wait()

        task = asyncio.create_task(run())
        self.tasks.append(task)
        return task

    async def _grow(self, place: Place, sizes: tuple[int, ...]) -> None:
        for size in sizes:
            await place.hold(size)
            await asyncio.sleep(REVIEW_S / 10 if size > SMALL_BYTES else 0)

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def test_what_is_announced_and_does_not_come_keeps_nobody_waiting_for_long() -> None:
    room = Room(10 * MIB)
    bodies = Bodies(room)
    liars = [bodies.come(most_bytes=5 * MIB, sizes=(SMALL_BYTES + 1,)) for _ in range(2)]
    await asyncio.sleep(0)
    assert room.free_bytes == 0
    async with asyncio.timeout(LONG_S / 2):
        await bodies.come(most_bytes=8 * MIB, sizes=(MIB, 8 * MIB), forever=False)
    assert not any(liar.done() for liar in liars)
    await bodies.end()
    assert room.free_bytes == 10 * MIB


async def test_what_has_come_and_goes_no_further_gives_way_the_slowest_first() -> None:
    room = Room(10 * MIB)
    bodies = Bodies(room)
    silent = bodies.come(most_bytes=5 * MIB, sizes=(5 * MIB,))
    steady = tuple(MIB + number * FAIR_BYTES_PER_S // 2 for number in range(8))
    lively = bodies.come(most_bytes=5 * MIB, sizes=steady)
    await asyncio.sleep(0)
    async with asyncio.timeout(LONG_S / 2):
        await bodies.come(most_bytes=4 * MIB, sizes=(4 * MIB,), forever=False)
    with pytest.raises(Busy, match="gave way"):
        await silent
    assert not lively.done()
    await bodies.end()
    assert room.free_bytes == 10 * MIB


async def test_a_place_that_shrank_grows_again_step_by_step() -> None:
    room = Room(10 * MIB)
    bodies = Bodies(room)
    goes_on = asyncio.Event()

    async def run() -> None:
        async with place_in(room, most_bytes=10 * MIB, until=later()) as place:
            await place.hold(MIB)
            await goes_on.wait()
            await place.hold(MIB + 1)
            assert room.free_bytes == 10 * MIB - (MIB + 1) - STEP_BYTES

    slow = asyncio.create_task(run())
    await asyncio.sleep(0)
    async with asyncio.timeout(LONG_S / 2):
        await bodies.come(most_bytes=9 * MIB, sizes=(MIB,), forever=False)
    assert room.free_bytes == 9 * MIB
    goes_on.set()
    await slow
    assert room.free_bytes == 10 * MIB


async def test_bodies_that_all_wait_for_more_do_not_lock_each_other_out() -> None:
    room = Room(10 * MIB)
    ended: list[int] = []
    growing: list[asyncio.Task[None]] = []

    def holding(number: int) -> Holding:
        def end() -> None:
            ended.append(number)
            growing[number].cancel()
            room.give_back(both[number])

        return Holding(end=end, held=5 * MIB)

    both = [holding(number) for number in range(2)]
    for each in both:
        await room.take(each, 5 * MIB, 0)
    growing += [asyncio.create_task(room.take(each, MIB, LONG_S)) for each in both]
    async with asyncio.timeout(LONG_S / 2):
        await asyncio.wait(growing)
    assert len(ended) == 1
    assert both[1 - ended[0]].taken == 6 * MIB


async def test_who_is_silent_gives_way_before_who_waits_for_us() -> None:
    room = Room(12 * MIB)
    ended: list[str] = []
    growing, silent = (
        Holding(end=lambda name=name: ended.append(name), held=6 * MIB) for name in ("growing", "silent")
    )
    for each in (growing, silent):
        await room.take(each, 6 * MIB, 0)
    more = asyncio.create_task(room.take(growing, MIB, LONG_S))
    async with asyncio.timeout(LONG_S / 2):
        while not ended:  # noqa: ASYNC110 - the room looks once a second
            await asyncio.sleep(REVIEW_S / 10)
    room.give_back(silent)
    await more
    assert ended == ["silent"]


async def test_an_end_that_is_not_the_rooms_doing_passes_through() -> None:
    room = Room(10 * MIB)
    with pytest.raises(TimeoutError):
        async with place_in(room, most_bytes=MIB, until=later()):
            raise TimeoutError
