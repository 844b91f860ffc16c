"""What every state promises.

Inherit `StateContract` and give it two fixtures: `clock`, a `SetClock`, and `state`, an empty state on that clock.
Where several processes can open one state, add `other`: the same state, opened once more with the same clock.
"""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import InvalidArgument
from gossamer.ports import State
from gossamer.states.memory import MemoryState
from gossamer.testing.clock import SetClock
from gossamer.testing.state_clock import StateClockContract
from gossamer.testing.store_keeping import RANDOM_RUNS

KEYS = ("a", "b")
_KINDS = (
    *("put", "add", "window", "swap", "set if absent", "drop"),
    *("lease", "release", "put under", "put under a former", "wait"),
)
OPERATIONS = st.tuples(st.sampled_from(_KINDS), st.sampled_from(KEYS), st.integers(0, 9))

Operation = tuple[str, str, int]


async def apply(state: State, operation: Operation, grants: list[int]) -> object:
    """Do what `operation` says and return what the state answers; `grants` gathers the numbers of its leases.

    Numbers differ between states and only their order is promised, so what is returned is whether a lease was got.
    """
    kind, key, number = operation
    value, ttl_s = str(number % 3), 5 + number
    match kind:
        case "put":
            return await state.put(key, value, ttl_s=ttl_s)
        case "add":
            return await state.add(key, number - 3, ttl_s=ttl_s)
        case "window":
            return await state.window(key, number - 3, cap=9, window_s=ttl_s)
        case "swap":
            return await state.swap(key, value, str(number), ttl_s=ttl_s)
        case "set if absent":
            return await state.swap(key, None, value, ttl_s=ttl_s)
        case "drop":
            return await state.swap(key, value, None, ttl_s=ttl_s)
        case "lease":
            return await _lease(state, key, value, ttl_s, grants)
        case "release":
            return await state.release(key, value)
        case "put under" | "put under a former":
            back = 1 if kind == "put under" else 2
            grant = grants[-back] if len(grants) >= back else 0
            return await state.put_under(key, grant, "b", value, ttl_s=ttl_s)
        case _:
            return None


async def _lease(state: State, name: str, holder: str, ttl_s: float, grants: list[int]) -> bool:
    grant = await state.lease(name, holder, ttl_s=ttl_s)
    if grant and grant not in grants:
        assert grant > max(grants, default=0)
        grants.append(grant)
    return grant > 0


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


__all__ = ["SetClock", "StateContract"]

VALUES = {"empty": "", "other scripts": "日本語 عربي 👍", "control characters": "a\x00b\n", "long": "x" * 100_000}
COUNTING: dict[str, Callable[[State], Awaitable[object]]] = {
    "add": lambda state: state.add("key", ttl_s=10),
    "window": lambda state: state.window("key", cap=9, window_s=10),
}


class StateContract(StateClockContract, StateLeasesContract):
    """Promises about values, counters, comparisons, windows, leases and time."""

    @pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
    async def test_a_value_comes_back_exactly(self, state: State, value: str) -> None:
        await state.put("key", value, ttl_s=10)
        assert await state.get("key") == value
        assert await state.get("Key") is None

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

    @pytest.mark.parametrize("count", COUNTING.values(), ids=COUNTING)
    async def test_adding_to_what_is_no_number_is_refused(
        self, state: State, count: Callable[[State], Awaitable[object]]
    ) -> None:
        await state.put("key", "value", ttl_s=10)
        with pytest.raises(InvalidArgument):
            await count(state)
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

    async def test_additions_at_once_lose_nothing(self, state: State) -> None:
        sums = await asyncio.gather(*(state.add("hits", ttl_s=10) for _ in range(50)))
        assert sorted(sums) == list(range(1, 51))

    async def test_takers_at_once_get_exactly_what_there_is(self, state: State) -> None:
        seen = await asyncio.gather(*(state.window("money", 3, cap=50, window_s=1e9) for _ in range(40)))
        assert sorted(each.count for each in seen if each.is_within) == list(range(3, 51, 3))
        seen = await asyncio.gather(*(state.window("calls", cap=20, window_s=1e9) for _ in range(40)))
        assert sum(each.is_within for each in seen) == 20

    async def test_of_many_swaps_at_once_one_is_done(self, state: State) -> None:
        done = await asyncio.gather(*(state.swap("key", None, str(number), ttl_s=10) for number in range(20)))
        assert sum(done) == 1

    @given(operations=st.lists(OPERATIONS, max_size=20))
    @settings(RANDOM_RUNS, max_examples=40)
    async def test_random_operations_end_as_in_the_memory_state(
        self, state: State, clock: SetClock, operations: list[Operation]
    ) -> None:
        clock.advance(1_000)
        model = MemoryState(clock)
        ours: list[int] = []
        models: list[int] = []
        for operation in operations:
            assert await told(state, operation, ours) == await told(model, operation, models)
            for key in KEYS:
                assert await state.get(key) == await model.get(key)
            if operation[0] == "wait":
                clock.advance(operation[2])


async def told(state: State, operation: Operation, grants: list[int]) -> object:
    """What a state answers, a refusal being an answer too."""
    try:
        return await apply(state, operation, grants)
    except InvalidArgument:
        return InvalidArgument
