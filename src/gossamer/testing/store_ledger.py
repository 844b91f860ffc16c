"""What every store promises about money."""

import asyncio

import pytest

from gossamer.errors import InvalidArgument
from gossamer.ports import Store
from gossamer.testing.clock import SetClock

_DAY = "2026-11-16"


class LedgerContract:
    """Promises about `reserve`, `settle` and `spent`."""

    async def test_nothing_is_spent_at_first(self, store: Store) -> None:
        assert await store.spent("paid", _DAY) == 0

    async def test_a_cap_is_never_passed(self, store: Store) -> None:
        assert await _reserve(store, "a", 60)
        assert not await _reserve(store, "b", 41)
        assert await _reserve(store, "c", 40)
        assert not await _reserve(store, "d", 1)
        assert await _reserve(store, "e", 0)
        assert await store.spent("paid", _DAY) == 100

    async def test_many_at_once_never_pass_a_cap(self, store: Store) -> None:
        granted = await asyncio.gather(*(_reserve(store, str(n), 7) for n in range(30)))
        assert sum(granted) == 14
        assert await store.spent("paid", _DAY) == 98

    async def test_days_and_providers_are_counted_apart(self, store: Store) -> None:
        assert await _reserve(store, "a", 100)
        assert await _reserve(store, "b", 100, provider="other")
        assert await _reserve(store, "c", 100, day="2026-11-17")
        assert not await _reserve(store, "d", 1)
        assert [await store.spent(*it) for it in (("paid", _DAY), ("other", _DAY), ("paid", "2026-11-17"))] == [100] * 3

    async def test_repeating_an_attempt_is_harmless(self, store: Store) -> None:
        assert await _reserve(store, "a", 100)
        assert await _reserve(store, "a", 100)
        assert await _reserve(store, "a", 5_000)
        assert await store.spent("paid", _DAY) == 100
        for _ in range(2):
            await store.settle("a", 30)
        assert await _reserve(store, "a", 100)
        assert await store.spent("paid", _DAY) == 30

    async def test_settling_puts_the_true_amount_in_place(self, store: Store) -> None:
        await _reserve(store, "a", 60)
        await store.settle("a", 10)
        assert await store.spent("paid", _DAY) == 10
        await store.settle("a", 250)
        assert await store.spent("paid", _DAY) == 250
        await store.settle("unknown", 10)
        assert await store.spent("paid", _DAY) == 250

    async def test_a_reservation_that_nobody_settles_expires(self, store: Store, clock: SetClock) -> None:
        await _reserve(store, "a", 60)
        await _reserve(store, "b", 40)
        await store.settle("b", 40)
        clock.advance(59)
        assert not await _reserve(store, "c", 1)
        clock.advance(1)
        assert await store.spent("paid", _DAY) == 40
        assert await _reserve(store, "c", 60)

    async def test_what_was_spent_late_counts_all_the_same(self, store: Store, clock: SetClock) -> None:
        await _reserve(store, "a", 60)
        clock.advance(100)
        await store.settle("a", 60)
        clock.advance(1_000)
        assert await store.spent("paid", _DAY) == 60

    async def test_an_attempt_that_expired_asks_for_room_again(self, store: Store, clock: SetClock) -> None:
        await _reserve(store, "a", 60)
        clock.advance(60)
        await _reserve(store, "b", 60)
        assert not await _reserve(store, "a", 60)
        assert await _reserve(store, "a", 40)
        assert await store.spent("paid", _DAY) == 100

    async def test_amounts_below_zero_are_refused(self, store: Store) -> None:
        with pytest.raises(InvalidArgument):
            await _reserve(store, "a", -1)
        await _reserve(store, "a", 1)
        with pytest.raises(InvalidArgument):
            await store.settle("a", -1)
        assert await store.spent("paid", _DAY) == 1


async def _reserve(store: Store, op: str, amount: int, *, provider: str = "paid", day: str = _DAY) -> bool:
    return await store.reserve(op, provider=provider, day=day, amount=amount, cap=100, ttl_s=60)
