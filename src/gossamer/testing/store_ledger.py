"""What every store promises about money."""

import asyncio

import pytest

from gossamer.errors import InvalidArgument
from gossamer.model.records import Spending
from gossamer.ports import Store
from gossamer.testing.clock import SetClock

_DAY = "2026-11-16"


def _entry(amount: int, *, until: float | None = None) -> Spending:
    return Spending(op="a", provider="paid", day=_DAY, amount=amount, until=until)


_LATER = 10.0**10
MERGED = {
    "the same": (_entry(20), _entry(20), 20),
    "set aside, then settled": (_entry(60, until=_LATER), _entry(20), 60),
    "expired, then settled": (_entry(60, until=0.0), _entry(60), 60),
    "settled, then set aside": (_entry(20), _entry(60, until=_LATER), 20),
    "settled twice, for more": (_entry(20), _entry(50), 50),
    "settled twice, for less": (_entry(50), _entry(20), 50),
    "set aside twice, for more": (_entry(20, until=_LATER), _entry(50, until=_LATER), 50),
    "set aside twice, for longer": (_entry(20, until=0.0), _entry(20, until=_LATER), 20),
}
"""What is known of an attempt, what another ledger says of it, and what it counts for then."""


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

    async def test_a_clock_that_is_set_back_lets_nothing_count_twice(self, store: Store, clock: SetClock) -> None:
        await _reserve(store, "a", 60)
        clock.advance(60)
        assert await _reserve(store, "b", 100)
        clock.advance(-60)
        assert await store.spent("paid", _DAY) == 100
        await store.settle("b", 100)
        assert await store.spent("paid", _DAY) == 100
        await store.settle("a", 5)
        assert await store.spent("paid", _DAY) == 105

    async def test_a_clock_that_is_set_back_frees_nothing(self, store: Store, clock: SetClock) -> None:
        await _reserve(store, "a", 60)
        clock.advance(-500_000)
        assert await store.spent("paid", _DAY) == 60
        assert not await _reserve(store, "b", 41)
        assert await _reserve(store, "a", 60)
        assert await store.spent("paid", _DAY) == 60

    async def test_a_clock_that_was_years_ahead_clears_nothing(self, store: Store, clock: SetClock) -> None:
        await _reserve(store, "a", 60)
        await store.settle("a", 60)
        clock.advance(10 * 365 * 86_400)
        assert await _reserve(store, "later", 100, day="2036-11-16")
        clock.advance(-10 * 365 * 86_400)
        assert await store.spent("paid", _DAY) == 60
        assert not await _reserve(store, "b", 41)

    async def test_a_year_of_days_is_kept_and_no_more(self, store: Store) -> None:
        days = [
            f"{year}-{month:02}-{day:02}" for year in (2024, 2025) for month in range(1, 13) for day in range(1, 19)
        ]
        for day in days:
            assert await _reserve(store, day, 1, day=day)
        kept = [day for day in days if await store.spent("paid", day)]
        assert kept == days[-400:]

    @pytest.mark.parametrize(("known", "entry", "spent"), MERGED.values(), ids=MERGED)
    async def test_what_two_ledgers_know_of_an_attempt_never_shrinks(
        self, store: Store, known: Spending, entry: Spending, spent: int
    ) -> None:
        assert await store.restore(known)
        before = await store.spent("paid", _DAY)
        is_changed = await store.restore(entry)
        assert before <= await store.spent("paid", _DAY) == spent
        after = [it async for it in store.export()]
        assert is_changed == (after != [known])
        assert not await store.restore(entry)
        assert [it async for it in store.export()] == after

    async def test_amounts_below_zero_are_refused(self, store: Store) -> None:
        with pytest.raises(InvalidArgument):
            await _reserve(store, "a", -1)
        await _reserve(store, "a", 1)
        with pytest.raises(InvalidArgument):
            await store.settle("a", -1)
        assert await store.spent("paid", _DAY) == 1


async def _reserve(store: Store, op: str, amount: int, *, provider: str = "paid", day: str = _DAY) -> bool:
    return await store.reserve(op, provider=provider, day=day, amount=amount, cap=100, ttl_s=60)
