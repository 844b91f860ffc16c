"""What every state promises.

Inherit `StateContract` and give it two fixtures: `clock`, a `SetClock`, and `state`, an empty state on that clock.
"""

import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gossamer.errors import InvalidArgument
from gossamer.ports import State
from gossamer.states.memory import MemoryState

VALUES = {"empty": "", "other scripts": "日本語 عربي 👍", "control characters": "a\x00b\n", "long": "x" * 100_000}


@dataclass
class SetClock:
    """A clock that only its owner moves."""

    time: float = 1_000_000.0

    def now(self) -> float:
        """The time as set."""
        return self.time

    def monotonic(self) -> float:
        """The same time."""
        return self.time

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.time += seconds


class StateContract:
    """Promises about values, counters, comparisons and leases."""

    @pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
    async def test_a_value_comes_back_exactly(self, state: State, value: str) -> None:
        await state.put("key", value, ttl_s=10)
        assert await state.get("key") == value
        assert await state.get("Key") is None

    async def test_a_value_lasts_for_its_time_and_no_longer(self, state: State, clock: SetClock) -> None:
        await state.put("key", "value", ttl_s=10)
        clock.advance(9.9)
        assert await state.get("key") == "value"
        clock.advance(0.1)
        assert await state.get("key") is None

    async def test_setting_a_value_again_starts_its_time_anew(self, state: State, clock: SetClock) -> None:
        await state.put("key", "one", ttl_s=10)
        clock.advance(8)
        await state.put("key", "two", ttl_s=10)
        clock.advance(8)
        assert await state.get("key") == "two"

    async def test_a_counter_adds_up_within_the_time_its_first_addition_began(
        self, state: State, clock: SetClock
    ) -> None:
        assert await state.add("hits", ttl_s=10) == 1
        clock.advance(6)
        assert await state.add("hits", 5, ttl_s=10) == 6
        assert await state.get("hits") == "6"
        assert await state.add("hits", -2, ttl_s=10) == 4
        clock.advance(4)
        assert await state.get("hits") is None
        assert await state.add("hits", 3, ttl_s=10) == 3

    async def test_a_counter_has_no_upper_end(self, state: State) -> None:
        assert await state.add("hits", 2**70, ttl_s=10) == 2**70
        assert await state.add("hits", ttl_s=10) == 2**70 + 1

    async def test_adding_to_what_is_no_number_is_refused(self, state: State) -> None:
        await state.put("key", "value", ttl_s=10)
        with pytest.raises(InvalidArgument):
            await state.add("key", ttl_s=10)
        assert await state.get("key") == "value"

    async def test_a_value_is_swapped_only_for_the_one_expected(self, state: State, clock: SetClock) -> None:
        assert not await state.swap("key", "one", "two", ttl_s=10)
        assert await state.swap("key", None, "one", ttl_s=10)
        assert not await state.swap("key", None, "two", ttl_s=10)
        assert await state.swap("key", "one", "two", ttl_s=10)
        assert await state.get("key") == "two"
        assert await state.swap("key", "two", None, ttl_s=10)
        assert await state.get("key") is None
        assert await state.swap("key", None, None, ttl_s=10)
        await state.put("key", "three", ttl_s=10)
        clock.advance(10)
        assert not await state.swap("key", "three", "four", ttl_s=10)
        assert await state.swap("key", None, "four", ttl_s=10)

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

    async def test_leases_and_values_of_one_name_are_different_things(self, state: State) -> None:
        await state.put("name", "value", ttl_s=10)
        assert await state.lease("name", "ann", ttl_s=10)
        await state.release("name", "ann")
        assert await state.get("name") == "value"

    async def test_additions_at_once_lose_nothing(self, state: State) -> None:
        sums = await asyncio.gather(*(state.add("hits", ttl_s=10) for _ in range(50)))
        assert sorted(sums) == list(range(1, 51))

    async def test_of_many_that_want_a_lease_at_once_one_gets_it(self, state: State) -> None:
        got = await asyncio.gather(*(state.lease("probe", f"holder {n}", ttl_s=10) for n in range(20)))
        assert sum(got) == 1

    async def test_sweeping_takes_only_what_has_expired(self, state: State, clock: SetClock) -> None:
        for number in range(20):
            await state.put(f"short {number}", "x", ttl_s=5)
            await state.lease(f"short {number}", "ann", ttl_s=5)
        await state.put("long", "x", ttl_s=1000)
        await state.lease("long", "ann", ttl_s=1000)
        clock.advance(120)
        await state.put("other", "x", ttl_s=10)
        assert await state.get("short 3") is None
        assert await state.get("long") == "x"
        assert not await state.lease("long", "bob", ttl_s=10)

    @given(operations=st.deferred(lambda: st.lists(_OPERATIONS, max_size=20)))
    @settings(
        max_examples=40,
        deadline=None,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
            HealthCheck.too_slow,
        ],
    )
    async def test_random_operations_end_as_in_the_memory_state(
        self, state: State, clock: SetClock, operations: list[tuple[str, str, int]]
    ) -> None:
        clock.advance(1_000)
        model = MemoryState(clock)
        for operation in operations:
            assert await _apply(state, clock, operation) == await _apply(model, clock, operation)
            for key in _KEYS:
                assert await state.get(key) == await model.get(key)
            if operation[0] == "wait":
                clock.advance(operation[2])


_KEYS = ("a", "b")
_KINDS = ("put", "add", "swap", "set if absent", "drop", "lease", "release", "wait")
_OPERATIONS = st.tuples(st.sampled_from(_KINDS), st.sampled_from(_KEYS), st.integers(0, 9))


async def _apply(state: State, clock: SetClock, operation: tuple[str, str, int]) -> object:
    kind, key, number = operation
    value, ttl_s = str(number % 3), 5 + number
    match kind:
        case "put":
            return await state.put(key, value, ttl_s=ttl_s)
        case "add":
            return await state.add(key, number, ttl_s=ttl_s)
        case "swap":
            return await state.swap(key, value, str(number), ttl_s=ttl_s)
        case "set if absent":
            return await state.swap(key, None, value, ttl_s=ttl_s)
        case "drop":
            return await state.swap(key, value, None, ttl_s=ttl_s)
        case "lease":
            return await state.lease(key, value, ttl_s=ttl_s)
        case "release":
            return await state.release(key, value)
        case _:
            return clock.now()
