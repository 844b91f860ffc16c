"""Every registered state against the common suite."""

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


def test_every_registered_state_is_tested_here() -> None:
    assert set(STATES) == {"memory", "sqlite"}


async def test_an_unknown_kind_of_address_is_told_the_kinds_there_are() -> None:
    with pytest.raises(UnknownName, match="memory:, sqlite:"):
        await open_state("redis://localhost", clock=SetClock())


async def test_a_folder_that_cannot_be_made_names_the_way_out() -> None:
    with pytest.raises(StoreUnavailable, match="Set DATA_DIR"):
        await open_state("sqlite:///proc/gossamer/state.sqlite", clock=SetClock())
