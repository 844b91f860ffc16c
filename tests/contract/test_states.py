"""Every registered state against the common suite."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gossamer.errors import StoreUnavailable, UnknownName
from gossamer.ports import State
from gossamer.states import STATES, open_state
from gossamer.testing.state_contract import SetClock, StateContract


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


async def test_two_who_share_a_file_lose_no_addition_and_never_share_a_lease(tmp_path: Path, clock: SetClock) -> None:
    states = [await open_state(f"sqlite://{tmp_path}/state.sqlite", clock=clock) for _ in range(2)]
    sums = await asyncio.gather(*(state.add("hits", ttl_s=10) for _ in range(40) for state in states))
    assert sorted(sums) == list(range(1, 81))
    leases = [state.lease("probe", f"holder {n} {state}", ttl_s=10) for n in range(9) for state in states]
    assert sum(await asyncio.gather(*leases)) == 1
    for state in states:
        assert await state.get("hits") == "80"
        await state.close()


def test_every_registered_state_is_tested_here() -> None:
    assert set(STATES) == {"memory", "sqlite"}


async def test_an_unknown_kind_of_address_is_told_the_kinds_there_are() -> None:
    with pytest.raises(UnknownName, match="memory:, sqlite:"):
        await open_state("redis://localhost", clock=SetClock())


async def test_a_folder_that_cannot_be_made_names_the_way_out() -> None:
    with pytest.raises(StoreUnavailable, match="Set DATA_DIR"):
        await open_state("sqlite:///proc/gossamer/state.sqlite", clock=SetClock())
