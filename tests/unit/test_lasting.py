"""What is opened late, and again after a bad day."""

import asyncio
from dataclasses import dataclass, field

import pytest

from gossamer.errors import StoreDamaged, StoreUnavailable
from gossamer.sqlite.lasting import Lasting
from gossamer.testing.clock import SetClock
from tests.patience import LONG_S


@dataclass
class Part:
    number: int
    is_closed: bool = False

    async def close(self) -> None:
        self.is_closed = True


@dataclass
class Place:
    """Where parts are opened, on good and bad days."""

    opened: list[Part] = field(default_factory=list[Part])
    errors: list[Exception] = field(default_factory=list[Exception])
    tries: int = 0
    gate: asyncio.Event | None = None

    async def open(self) -> Part:
        self.tries += 1
        if self.gate:
            await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        self.opened.append(Part(len(self.opened)))
        return self.opened[-1]


async def number(part: Part) -> int:
    return part.number


async def damaged_at_first(part: Part) -> int:
    if part.number == 0:
        raise StoreDamaged("Broken.")
    return part.number


async def test_nothing_is_opened_before_it_is_used_and_then_once() -> None:
    place = Place()
    lasting = Lasting(place.open, clock=SetClock())
    assert place.tries == 0
    assert await asyncio.gather(*(lasting.use(number) for _ in range(3))) == [0, 0, 0]
    assert place.tries == 1
    await lasting.close()
    assert place.opened[0].is_closed


async def test_what_was_never_used_is_never_opened() -> None:
    place = Place()
    lasting = Lasting(place.open, clock=SetClock())
    await lasting.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await lasting.use(number)
    assert place.tries == 0


async def test_what_could_not_be_opened_is_tried_again_after_a_while_and_told_at_once_before() -> None:
    clock, place = SetClock(), Place(errors=[StoreUnavailable("Full.")])
    lasting = Lasting(place.open, clock=clock)
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="Full"):
            await lasting.use(number)
    assert place.tries == 1
    clock.advance(4.9)
    with pytest.raises(StoreUnavailable, match="Full"):
        await lasting.use(number)
    clock.advance(0.1)
    assert await lasting.use(number) == 0
    await lasting.close()


async def test_a_bug_is_no_bad_day_and_is_not_kept() -> None:
    lasting = Lasting(Place(errors=[ValueError("a bug")]).open, clock=SetClock())
    with pytest.raises(ValueError, match="a bug"):
        await lasting.use(number)
    assert await lasting.use(number) == 0
    await lasting.close()


async def test_what_is_found_damaged_is_closed_and_opened_again_for_the_same_work() -> None:
    place = Place()
    lasting = Lasting(place.open, clock=SetClock())
    assert await asyncio.gather(*(lasting.use(damaged_at_first) for _ in range(3))) == [1, 1, 1]
    assert [part.is_closed for part in place.opened] == [True, False]
    await lasting.close()


async def test_what_cannot_be_opened_again_after_damage_says_so() -> None:
    place = Place()
    lasting = Lasting(place.open, clock=SetClock())
    await lasting.use(number)
    place.errors.append(StoreUnavailable("Others have it open."))
    with pytest.raises(StoreUnavailable, match="Others"):
        await lasting.use(damaged_at_first)
    await lasting.close()


async def test_one_who_gives_up_takes_nobody_elses_opening_along() -> None:
    place = Place(gate=asyncio.Event())
    lasting = Lasting(place.open, clock=SetClock())
    first, second = (asyncio.create_task(lasting.use(number)) for _ in range(2))
    await asyncio.wait({first, second}, timeout=0.01)
    first.cancel()
    assert place.gate
    place.gate.set()
    assert await second == 0
    assert place.tries == 1
    await lasting.close()


async def test_closing_ends_an_opening_that_takes_its_time() -> None:
    lasting = Lasting(Place(gate=asyncio.Event()).open, clock=SetClock())
    waiting = asyncio.create_task(lasting.use(number))
    await asyncio.wait({waiting}, timeout=0.01)
    await lasting.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await waiting


async def test_who_used_a_part_that_another_found_damaged_has_its_turn_with_the_new_one() -> None:
    place = Place()
    lasting = Lasting(place.open, clock=SetClock())
    begun, found = asyncio.Event(), asyncio.Event()

    async def use_long(part: Part) -> int:
        begun.set()
        await found.wait()
        if part.is_closed:
            raise StoreUnavailable("The store is closed.", hint="Open it again.")
        return part.number

    other = asyncio.create_task(lasting.use(use_long))
    await begun.wait()
    assert await lasting.use(damaged_at_first) == 1
    found.set()
    assert await other == 1
    await lasting.close()


async def test_who_comes_after_an_attempt_that_failed_does_not_wait_long_for_the_next() -> None:
    clock, place = SetClock(), Place(errors=[StoreUnavailable("Held.")])
    lasting = Lasting(place.open, clock=clock)
    with pytest.raises(StoreUnavailable, match="Held"):
        await lasting.use(number)
    clock.advance(5)
    place.gate = asyncio.Event()
    async with asyncio.timeout(LONG_S):
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="Held"):
                await lasting.use(number)
    assert place.tries == 2
    place.gate.set()
    assert await lasting.use(number) == 0
    await lasting.close()
