"""What every state promises about leases: one holder at a time, and numbers that tell the present from the former."""

import asyncio

from gossamer.ports import State
from gossamer.testing.clock import SetClock


class StateLeasesContract:
    """Part of `StateContract`."""

    async def test_a_lease_has_one_holder_until_it_ends_or_is_given_back(self, state: State, clock: SetClock) -> None:
        assert await state.lease("probe", "ann", ttl_s=10)
        assert not await state.lease("probe", "bob", ttl_s=10)
        clock.advance(8)
        assert await state.lease("probe", "ann", ttl_s=10)
        clock.advance(8)
        assert not await state.lease("probe", "bob", ttl_s=10)
        await state.release("probe", "bob")
        assert not await state.lease("probe", "bob", ttl_s=10)
        await state.release("probe", "ann")
        assert await state.lease("probe", "bob", ttl_s=10)
        clock.advance(10)
        assert await state.lease("probe", "ann", ttl_s=10)

    async def test_every_grant_has_a_larger_number_than_all_before(self, state: State, clock: SetClock) -> None:
        numbers: list[int] = []
        for holder, pause_s, is_given_back in [
            ("ann", 0, True),
            ("ann", 0, False),
            ("bob", 10, True),
            ("bob", 999, True),
        ]:
            clock.advance(pause_s)
            numbers.append(await state.lease("probe", holder, ttl_s=10))
            if is_given_back:
                await state.release("probe", holder)
        numbers.append(await state.lease("another", "ann", ttl_s=10))
        assert numbers == sorted(set(numbers))
        assert numbers[0] > 0

    async def test_renewing_in_time_keeps_the_number_and_renewing_late_does_not(
        self, state: State, clock: SetClock
    ) -> None:
        first = await state.lease("probe", "ann", ttl_s=10)
        clock.advance(9)
        assert await state.lease("probe", "ann", ttl_s=10) == first
        clock.advance(10)
        assert await state.lease("probe", "ann", ttl_s=10) > first

    async def test_only_the_present_grant_may_write(self, state: State, clock: SetClock) -> None:
        former = await state.lease("probe", "ann", ttl_s=10)
        assert await state.put_under("probe", former, "key", "ann", ttl_s=100)
        assert not await state.put_under("other", former, "key", "another lease", ttl_s=100)
        clock.advance(10)
        present = await state.lease("probe", "bob", ttl_s=10)
        assert await state.put_under("probe", present, "key", "bob", ttl_s=100)
        assert not await state.put_under("probe", former, "key", "ann again", ttl_s=100)
        assert not await state.put_under("probe", 0, "key", "nobody", ttl_s=100)
        await state.release("probe", "bob")
        assert not await state.put_under("probe", present, "key", "too late", ttl_s=100)
        assert await state.get("key") == "bob"

    async def test_leases_and_values_of_one_name_are_different_things(self, state: State) -> None:
        await state.put("name", "value", ttl_s=10)
        assert await state.lease("name", "ann", ttl_s=10)
        await state.release("name", "ann")
        assert await state.get("name") == "value"

    async def test_of_many_that_want_a_lease_at_once_one_gets_it(self, state: State) -> None:
        got = await asyncio.gather(*(state.lease("probe", f"holder {n}", ttl_s=10) for n in range(20)))
        assert sum(map(bool, got)) == 1
