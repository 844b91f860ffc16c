"""Work that several wait for is done once, and ends with the last of them; across processes it changes hands."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gossamer.errors import StoreBusy
from gossamer.resilience.single_flight import HELD_S, LeasedFlight, SingleFlight
from gossamer.states.memory import MemoryState
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S


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
    flights, work = SingleFlight[int](), Work()
    callers = [asyncio.create_task(flights.join("a", work)) for _ in range(3)]
    await settle()
    work.go_on.set()
    assert await asyncio.gather(*callers) == [7, 7, 7]
    assert work.started == 1
    assert await flights.join("a", work) == 7
    assert work.started == 2


async def test_a_caller_who_leaves_does_not_take_the_work_away() -> None:
    flights, work = SingleFlight[int](), Work()
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
    flights, work = SingleFlight[int](), Work()
    only = asyncio.create_task(flights.join("a", work))
    await settle()
    only.cancel()
    with pytest.raises(asyncio.CancelledError):
        await only
    await settle()
    assert work.was_cancelled


async def test_a_failure_reaches_every_caller() -> None:
    flights, work = SingleFlight[int](), Work(ValueError("no"))
    callers = [asyncio.create_task(flights.join("a", work)) for _ in range(2)]
    await settle()
    work.go_on.set()
    for caller in callers:
        with pytest.raises(ValueError, match="no"):
            await caller


class AwayState(MemoryState):
    """A state that cannot be used."""

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
        raise StoreBusy("busy")

    async def release(self, name: str, holder: str) -> None:
        raise StoreBusy("busy")


class Shelf:
    """Where finished work is put, for others to find."""

    def __init__(self) -> None:
        self.lying: int | None = None
        self.looked = asyncio.Event()

    async def found(self) -> int | None:
        self.looked.set()
        return self.lying

    def putting(self, work: Work) -> Callable[[], Awaitable[int]]:
        async def do() -> int:
            self.lying = await work()
            return self.lying

        return do


async def leave(task: asyncio.Task[int]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_second_process_gets_what_the_first_one_found() -> None:
    clock, shelf, work, mine = SetClock(), Shelf(), Work(), Work(9)
    state = MemoryState(clock)
    first = asyncio.create_task(
        LeasedFlight(state, clock).take("a", shelf.putting(work), found=shelf.found, patience_s=60)
    )
    await settle()
    second = asyncio.create_task(LeasedFlight(state, clock).take("a", mine, found=shelf.found, patience_s=60))
    await asyncio.wait_for(shelf.looked.wait(), LONG_S)
    assert not second.done()
    work.go_on.set()
    assert await asyncio.wait_for(asyncio.gather(first, second), LONG_S) == [7, 7]
    assert mine.started == 0
    assert await state.lease("a", "anybody", ttl_s=1)


async def test_a_holder_that_died_is_replaced_when_its_time_is_over() -> None:
    clock, shelf, work = SetClock(), Shelf(), Work()
    work.go_on.set()
    state = MemoryState(clock)
    await state.lease("a", "dead", ttl_s=HELD_S)
    task = asyncio.create_task(LeasedFlight(state, clock).take("a", work, found=shelf.found, patience_s=60))
    await asyncio.wait_for(shelf.looked.wait(), LONG_S)
    assert work.started == 0
    clock.advance(HELD_S + 1)
    assert await asyncio.wait_for(task, LONG_S) == 7


async def test_a_name_that_is_never_freed_costs_no_more_than_patience() -> None:
    clock, shelf, work = SetClock(), Shelf(), Work()
    work.go_on.set()
    state = MemoryState(clock)
    await state.lease("a", "stuck", ttl_s=1e9)
    task = asyncio.create_task(LeasedFlight(state, clock).take("a", work, found=shelf.found, patience_s=60))
    await asyncio.wait_for(shelf.looked.wait(), LONG_S)
    clock.advance(61)
    assert await asyncio.wait_for(task, LONG_S) == 7
    assert not await state.lease("a", "anybody", ttl_s=1)


async def test_names_do_not_wait_for_each_other() -> None:
    clock, shelf, work, other = SetClock(), Shelf(), Work(), Work(9)
    other.go_on.set()
    turns = LeasedFlight(MemoryState(clock), clock)
    task = asyncio.create_task(turns.take("a", work, found=shelf.found, patience_s=60))
    await settle()
    assert await turns.take("b", other, found=shelf.found, patience_s=60) == 9
    await leave(task)


ENDS = {"by a failure": False, "by being cancelled": True}


@pytest.mark.parametrize("is_cancelled", ENDS.values(), ids=ENDS)
async def test_work_that_ends_early_frees_the_name(is_cancelled: bool) -> None:
    clock, shelf, work = SetClock(), Shelf(), Work(ValueError("no"))
    state = MemoryState(clock)
    task = asyncio.create_task(LeasedFlight(state, clock).take("a", work, found=shelf.found, patience_s=60))
    await settle()
    assert not await state.lease("a", "another", ttl_s=1)
    if is_cancelled:
        await leave(task)
    else:
        work.go_on.set()
        with pytest.raises(ValueError, match="no"):
            await task
    assert await state.lease("a", "another", ttl_s=1)


async def test_a_holder_that_works_for_long_keeps_the_name() -> None:
    """Every renewal moves the end of the lease, which the state of this test tells."""

    class Told(MemoryState):
        renewed = asyncio.Event()

        async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
            if self._leases:
                self.renewed.set()
            return await super().lease(name, holder, ttl_s=ttl_s)

    clock, shelf, work = SetClock(), Shelf(), Work()
    state = Told(clock)
    task = asyncio.create_task(LeasedFlight(state, clock).take("a", work, found=shelf.found, patience_s=60))
    await settle()
    clock.advance(HELD_S - 1)
    await asyncio.wait_for(state.renewed.wait(), LONG_S)
    clock.advance(2)
    assert not await state.lease("a", "another", ttl_s=1)
    await leave(task)


async def test_a_state_that_is_away_keeps_nobody_from_working() -> None:
    clock, shelf, work = SetClock(), Shelf(), Work()
    work.go_on.set()
    assert await LeasedFlight(AwayState(clock), clock).take("a", work, found=shelf.found, patience_s=60) == 7


async def test_nothing_is_left_running_when_the_work_is_done() -> None:
    clock, shelf, work = SetClock(), Shelf(), Work()
    work.go_on.set()
    before = asyncio.all_tasks()
    await LeasedFlight(MemoryState(clock), clock).take("a", work, found=shelf.found, patience_s=60)
    await settle()
    assert asyncio.all_tasks() == before


async def test_what_somebody_finished_before_we_held_the_name_is_not_done_again() -> None:
    clock, shelf, work = SetClock(), Shelf(), Work()
    shelf.lying = 3
    assert await LeasedFlight(MemoryState(clock), clock).take("a", work, found=shelf.found, patience_s=60) == 3
    assert work.started == 0
