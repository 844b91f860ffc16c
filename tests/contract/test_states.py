"""Every registered state against the common suite."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gossamer.errors import StoreUnavailable, UnknownName
from gossamer.ports import State
from gossamer.states import STATES, open_state
from gossamer.states.memory import MemoryState
from gossamer.states.records import SWEEP_S
from gossamer.states.sqlite import SWEEP_ROWS
from gossamer.testing.state_contract import KEYS, OPERATIONS, Operation, SetClock, StateContract, told


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


class TestMemoryState(StateContract):
    @pytest.fixture
    async def state(self, clock: SetClock) -> AsyncIterator[State]:
        state = await open_state("memory:", clock=clock)
        yield state
        await state.close()


class TestSqliteState(StateContract):
    @pytest.fixture
    async def state(self, clock: SetClock, tmp_path: Path) -> AsyncIterator[State]:
        state = await open_state(f"sqlite://{tmp_path}/data/state.sqlite", clock=clock)
        yield state
        await state.close()

    @pytest.fixture
    async def other(self, state: State, clock: SetClock, tmp_path: Path) -> AsyncIterator[State]:
        other = await open_state(f"sqlite://{tmp_path}/data/state.sqlite", clock=clock)
        yield other
        await other.close()


async def test_two_who_share_a_file_lose_no_addition_and_never_share_a_lease(tmp_path: Path, clock: SetClock) -> None:
    states = [await open_state(f"sqlite://{tmp_path}/state.sqlite", clock=clock) for _ in range(2)]
    sums = await asyncio.gather(*(state.add("hits", ttl_s=10) for _ in range(40) for state in states))
    assert sorted(sums) == list(range(1, 81))
    leases = [state.lease("probe", f"holder {n} {state}", ttl_s=10) for n in range(9) for state in states]
    assert sum(map(bool, await asyncio.gather(*leases))) == 1
    taken = await asyncio.gather(*(state.window("money", cap=25, window_s=1e9) for _ in range(20) for state in states))
    assert sorted(each.count for each in taken if each.is_within) == list(range(1, 26))
    for state in states:
        assert await state.get("hits") == "80"
        await state.close()


async def test_a_grant_is_known_to_all_who_share_a_file_and_survives_them(tmp_path: Path, clock: SetClock) -> None:
    address = f"sqlite://{tmp_path}/state.sqlite"
    first, second = [await open_state(address, clock=clock) for _ in range(2)]
    former = await first.lease("probe", "first", ttl_s=10)
    clock.advance(10)
    present = await second.lease("probe", "second", ttl_s=10)
    assert not await first.put_under("probe", former, "key", "stale", ttl_s=10)
    await first.close()
    await second.close()
    clock.advance(-1_000)
    third = await open_state(address, clock=clock)
    assert await third.put_under("probe", present, "key", "still held", ttl_s=10)
    await third.release("probe", "second")
    assert await third.lease("probe", "third", ttl_s=10) > present
    await third.close()


async def test_a_grant_has_a_larger_number_also_after_the_file_was_lost(tmp_path: Path, clock: SetClock) -> None:
    numbers: list[int] = []
    for name in ("one", "two"):
        state = await open_state(f"sqlite://{tmp_path}/{name}.sqlite", clock=clock)
        numbers += [await state.lease(f"probe {n}", "ann", ttl_s=10) for n in range(5)]
        await state.close()
        clock.advance(1)
    assert numbers == sorted(set(numbers))


async def test_a_process_that_was_not_running_when_the_clock_was_set_back_keeps_to_the_promise(
    tmp_path: Path, clock: SetClock
) -> None:
    address = f"sqlite://{tmp_path}/state.sqlite"
    state = await open_state(address, clock=clock)
    await state.put("key", "value", ttl_s=10)
    await state.close()
    clock.advance(-1_000)
    state = await open_state(address, clock=clock)
    await state.put("other", "value", ttl_s=10)
    assert await state.get("key") == "value"
    clock.advance(10)
    assert await state.get("key") is None
    await state.close()


async def test_what_has_expired_is_removed_a_bounded_number_of_rows_at_a_time(tmp_path: Path, clock: SetClock) -> None:
    path = tmp_path / "state.sqlite"
    state = await open_state(f"sqlite://{path}", clock=clock)
    await state.put("kept", "x", ttl_s=1e6)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = [(f"old {number}", 0.0, float(number), "x") for number in range(3 * SWEEP_ROWS)]
        with connection:
            connection.executemany("INSERT INTO entries (key, since, until, value) VALUES (?, ?, ?, ?)", rows)
        clock.advance(SWEEP_S)
        left: list[int] = []
        for number in range(5):
            await state.put("kept", str(number), ttl_s=1e6)
            left.append(connection.execute("SELECT count(*) FROM entries").fetchone()[0] - 1)
        assert left == [2 * SWEEP_ROWS, SWEEP_ROWS, 0, 0, 0]
    await state.close()


async def test_who_is_refused_writes_nothing_unless_the_clock_was_set_back(tmp_path: Path, clock: SetClock) -> None:
    path = tmp_path / "state.sqlite"
    state = await open_state(f"sqlite://{path}", clock=clock)
    await state.lease("probe", "ann", ttl_s=10)
    await state.window("hits", 5, cap=5, window_s=10)

    async def is_written() -> bool:
        (before,) = connection.execute("PRAGMA data_version").fetchone()
        assert not await state.lease("probe", "bob", ttl_s=10)
        assert not (await state.window("hits", cap=5, window_s=10)).is_within
        return (before,) != connection.execute("PRAGMA data_version").fetchone()

    with contextlib.closing(sqlite3.connect(path)) as connection:
        clock.advance(1)
        assert not await is_written()
        clock.advance(-100)
        assert await is_written()
        assert not await is_written()
    await state.close()


_TOGETHER = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.differing_executors],
)


@given(operations=st.lists(st.tuples(OPERATIONS, st.sampled_from([0, 0, 0, 1, 30, 90, -4, -50, -5_000])), max_size=25))
@_TOGETHER
async def test_the_file_and_the_memory_agree_also_when_the_clock_jumps(
    tmp_path: Path, operations: list[tuple[Operation, int]]
) -> None:
    clock = SetClock()
    model = MemoryState(clock)
    state = await open_state(f"sqlite://{tmp_path}/{uuid4().hex}/state.sqlite", clock=clock)
    ours: list[int] = []
    models: list[int] = []
    # Both begin with a change, so that both sweep at the same moments.
    for each in (state, model):
        await each.put("first", "", ttl_s=0)
    for operation, jump_s in operations:
        assert await told(state, operation, ours) == await told(model, operation, models)
        clock.advance(jump_s)
        assert [await state.get(key) for key in KEYS] == [await model.get(key) for key in KEYS]
    assert ours == models
    await state.close()


def test_every_registered_state_is_tested_here() -> None:
    assert set(STATES) == {"memory", "sqlite"}


async def test_an_unknown_kind_of_address_is_told_the_kinds_there_are() -> None:
    with pytest.raises(UnknownName, match="memory:, sqlite:"):
        await open_state("redis://localhost", clock=SetClock())


async def test_a_folder_that_cannot_be_made_names_the_way_out() -> None:
    with pytest.raises(StoreUnavailable, match="Set DATA_DIR"):
        await open_state("sqlite:///proc/gossamer/state.sqlite", clock=SetClock())
