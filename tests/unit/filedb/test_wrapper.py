"""What is opened late, and again after a bad day."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol

import pytest

from gossamer.errors import StoreDamaged, StoreUnavailable
from gossamer.filedb.wrapper import Reopening, reopening
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
    opener = Reopening(Part, place.open, clock=SetClock())
    assert place.tries == 0
    assert await asyncio.gather(*(opener.use(number) for _ in range(3))) == [0, 0, 0]
    assert place.tries == 1
    await opener.close()
    assert place.opened[0].is_closed


async def test_what_was_never_used_is_never_opened() -> None:
    place = Place()
    opener = Reopening(Part, place.open, clock=SetClock())
    await opener.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await opener.use(number)
    assert place.tries == 0


async def test_what_could_not_be_opened_is_tried_again_after_a_while_and_told_at_once_before() -> None:
    clock, place = SetClock(), Place(errors=[StoreUnavailable("Full.")])
    opener = Reopening(Part, place.open, clock=clock)
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="Full"):
            await opener.use(number)
    assert place.tries == 1
    clock.advance(4.9)
    with pytest.raises(StoreUnavailable, match="Full"):
        await opener.use(number)
    clock.advance(0.1)
    assert await opener.use(number) == 0
    await opener.close()


async def test_a_bug_is_no_bad_day_and_is_not_kept() -> None:
    opener = Reopening(Part, Place(errors=[ValueError("a bug")]).open, clock=SetClock())
    with pytest.raises(ValueError, match="a bug"):
        await opener.use(number)
    assert await opener.use(number) == 0
    await opener.close()


async def test_what_is_found_damaged_is_closed_and_opened_again_for_the_same_work() -> None:
    place = Place()
    opener = Reopening(Part, place.open, clock=SetClock())
    assert await asyncio.gather(*(opener.use(damaged_at_first) for _ in range(3))) == [1, 1, 1]
    assert [part.is_closed for part in place.opened] == [True, False]
    await opener.close()


async def test_what_cannot_be_opened_again_after_damage_says_so() -> None:
    place = Place()
    opener = Reopening(Part, place.open, clock=SetClock())
    await opener.use(number)
    place.errors.append(StoreUnavailable("Others have it open."))
    with pytest.raises(StoreUnavailable, match="Others"):
        await opener.use(damaged_at_first)
    await opener.close()


async def test_one_who_gives_up_takes_nobody_elses_opening_along() -> None:
    place = Place(gate=asyncio.Event())
    opener = Reopening(Part, place.open, clock=SetClock())
    first, second = (asyncio.create_task(opener.use(number)) for _ in range(2))
    await asyncio.wait({first, second}, timeout=0.01)
    first.cancel()
    assert place.gate
    place.gate.set()
    assert await second == 0
    assert place.tries == 1
    await opener.close()


async def test_closing_ends_an_opening_that_takes_its_time() -> None:
    opener = Reopening(Part, Place(gate=asyncio.Event()).open, clock=SetClock())
    waiting = asyncio.create_task(opener.use(number))
    await asyncio.wait({waiting}, timeout=0.01)
    await opener.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await waiting


async def test_who_used_a_part_that_another_found_damaged_has_its_turn_with_the_new_one() -> None:
    place = Place()
    opener = Reopening(Part, place.open, clock=SetClock())
    begun, found = asyncio.Event(), asyncio.Event()

    async def use_long(part: Part) -> int:
        begun.set()
        await found.wait()
        if part.is_closed:
            raise StoreUnavailable("The store is closed.", hint="Open it again.")
        return part.number

    other = asyncio.create_task(opener.use(use_long))
    await begun.wait()
    assert await opener.use(damaged_at_first) == 1
    found.set()
    assert await other == 1
    await opener.close()


async def test_who_comes_after_an_attempt_that_failed_does_not_wait_long_for_the_next() -> None:
    clock, place = SetClock(), Place(errors=[StoreUnavailable("Held.")])
    opener = Reopening(Part, place.open, clock=clock)
    with pytest.raises(StoreUnavailable, match="Held"):
        await opener.use(number)
    clock.advance(5)
    place.gate = asyncio.Event()
    async with asyncio.timeout(LONG_S):
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="Held"):
                await opener.use(number)
    assert place.tries == 2
    place.gate.set()
    assert await opener.use(number) == 0
    await opener.close()


class Port(Protocol):
    """What the parts below can do."""

    async def add(self, one: int, *, other: int) -> int: ...

    def count(self, *, to: int) -> AsyncIterator[int]: ...

    async def close(self) -> None: ...


class Adder:
    """A part whose methods are of both kinds."""

    async def add(self, one: int, *, other: int) -> int:
        return one + other

    async def count(self, *, to: int) -> AsyncIterator[int]:
        for number in range(to):
            yield number

    async def beyond_the_port(self) -> None: ...

    async def close(self) -> None: ...


async def open_adder() -> Port:
    return Adder()


async def test_every_method_of_a_port_is_forwarded_whether_it_is_awaited_or_iterated() -> None:
    part = reopening(Port, open_adder, clock=SetClock())
    assert await part.add(1, other=2) == 3
    assert await part.add(2, other=2) == 4
    assert [number async for number in part.count(to=3)] == [0, 1, 2]
    await part.close()
    with pytest.raises(StoreUnavailable):
        await part.add(1, other=2)


async def test_what_a_port_does_not_have_is_not_forwarded() -> None:
    part = reopening(Port, open_adder, clock=SetClock())
    assert not hasattr(part, "beyond_the_port")
    assert not hasattr(part, "_hidden")
