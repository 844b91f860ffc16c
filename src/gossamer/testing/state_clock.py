"""What every state promises about time: expiry, fixed windows, and clocks that jump."""

import pytest

from gossamer.ports import State
from gossamer.testing.clock import SetClock

DAY_S = 86_400
JUMPS = {"a moment": 3.0, "an hour": 3_600.0, "ten years": 3_650.0 * DAY_S}


class StateClockContract:
    """Part of `StateContract`."""

    @pytest.fixture
    def other(self, state: State) -> State:
        """Another who uses the state; of one that is a process's own there is no other."""
        return state

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

    async def test_a_window_counts_to_its_cap_and_tells_when_it_ends(self, state: State, clock: SetClock) -> None:
        clock.time = 600_000.0 + 450.0
        for count in range(1, 21):
            seen = await state.window("ann", cap=20, window_s=600)
            assert (seen.is_within, seen.count, seen.rest_s) == (True, count, 150.0)
        clock.advance(149)
        for _ in range(3):
            seen = await state.window("ann", cap=20, window_s=600)
            assert (seen.is_within, seen.count, seen.rest_s) == (False, 20, 1.0)
        assert (await state.window("bob", cap=20, window_s=600)).count == 1
        clock.advance(1)
        seen = await state.window("ann", cap=20, window_s=600)
        assert (seen.is_within, seen.count, seen.rest_s) == (True, 1, 600.0)

    async def test_a_window_has_room_for_less_when_more_would_not_fit(self, state: State, clock: SetClock) -> None:
        clock.time = 600_000.0
        assert (await state.window("ann", 15, cap=20, window_s=600)).is_within
        assert not (await state.window("ann", 6, cap=20, window_s=600)).is_within
        seen = await state.window("ann", 5, cap=20, window_s=600)
        assert (seen.is_within, seen.count) == (True, 20)
        assert (await state.window("ann", -1, cap=20, window_s=600)).count == 19
        seen = await state.window("ann", -9, cap=5, window_s=600)
        assert (seen.is_within, seen.count) == (True, 10)
        assert not (await state.window("bob", 21, cap=20, window_s=600)).is_within
        assert (await state.window("bob", 20, cap=20, window_s=600)).count == 20

    async def test_a_window_of_part_of_a_second_ends_later_than_now(self, state: State, clock: SetClock) -> None:
        for _ in range(50):
            clock.advance(0.1)
            assert 0 < (await state.window("ann", cap=5, window_s=0.1)).rest_s <= 0.2

    @pytest.mark.parametrize("jump_s", JUMPS.values(), ids=JUMPS)
    async def test_a_clock_set_back_ends_nothing_early_and_keeps_nothing_longer_than_it_was_given(
        self, state: State, clock: SetClock, jump_s: float
    ) -> None:
        await state.put("key", "value", ttl_s=10)
        await state.window("hits", 5, cap=5, window_s=10)
        held = await state.lease("probe", "ann", ttl_s=10)
        clock.advance(-jump_s)
        assert await state.get("key") == "value"
        assert not (await state.window("hits", cap=5, window_s=10)).is_within
        assert await state.lease("probe", "bob", ttl_s=10) == 0
        assert await state.put_under("probe", held, "written", "by ann", ttl_s=100)
        clock.advance(9.9)
        assert await state.get("key") == "value"
        assert not (await state.window("hits", cap=5, window_s=10)).is_within
        assert await state.lease("probe", "bob", ttl_s=10) == 0
        clock.advance(0.2)
        assert await state.get("key") is None
        assert (await state.window("hits", cap=5, window_s=10)).count == 1
        assert await state.lease("probe", "bob", ttl_s=10) > held

    @pytest.mark.parametrize("jump_s", JUMPS.values(), ids=JUMPS)
    async def test_what_nobody_touches_after_the_clock_was_set_back_ends_too(
        self, state: State, clock: SetClock, jump_s: float
    ) -> None:
        await state.put("key", "value", ttl_s=10)
        clock.advance(-jump_s)
        await state.put("other", "value", ttl_s=10)
        clock.advance(10)
        assert await state.get("key") is None

    @pytest.mark.parametrize("jump_s", JUMPS.values(), ids=JUMPS)
    async def test_who_was_silent_while_the_clock_jumped_lets_nothing_last_longer_than_it_was_given(
        self, state: State, other: State, clock: SetClock, jump_s: float
    ) -> None:
        await other.put("first", "value", ttl_s=10)
        clock.advance(jump_s)
        held = await state.lease("probe", "ann", ttl_s=10)
        await state.put("key", "value", ttl_s=10)
        await state.add("hits", 5, ttl_s=10)
        clock.advance(1 - jump_s)
        for _ in range(10):
            assert await other.lease("probe", "bob", ttl_s=10) == 0
            assert await other.get("hits") == "5"
            assert await other.get("key") == await state.get("key") == "value"
            clock.advance(1)
        assert await other.get("key") is None
        assert await other.add("hits", ttl_s=10) == 1
        assert await other.lease("probe", "bob", ttl_s=10) > held

    async def test_a_change_by_anybody_dates_anew_what_nobody_touches(
        self, state: State, other: State, clock: SetClock
    ) -> None:
        await other.put("first", "value", ttl_s=10)
        clock.advance(3_600)
        await state.put("key", "value", ttl_s=10)
        clock.advance(1 - 3_600)
        assert not await other.swap("absent", "one", "two", ttl_s=10)
        clock.advance(9.9)
        assert await state.get("key") == "value"
        clock.advance(0.1)
        assert await state.get("key") is None

    async def test_a_window_goes_on_when_the_clock_is_set_back(self, state: State, clock: SetClock) -> None:
        clock.time = 600_000.0 + 500.0
        assert (await state.window("ann", 20, cap=20, window_s=600)).is_within
        clock.advance(-3 * DAY_S)
        seen = await state.window("ann", cap=20, window_s=600)
        assert (seen.is_within, seen.count, seen.rest_s) == (False, 20, 100.0)
        clock.advance(100)
        assert (await state.window("ann", cap=20, window_s=600)).count == 1

    async def test_a_count_kept_beyond_its_window_is_found_by_a_clock_set_back_into_it(
        self, state: State, clock: SetClock
    ) -> None:
        clock.time = 600_000.0 + 450.0
        for count in (1, 2):
            seen = await state.window("ann 1000", cap=2, window_s=600, keep_s=1_200)
            assert (seen.is_within, seen.count, seen.rest_s) == (True, count, 150.0)
        clock.advance(150 + 1_199)
        seen = await state.window("ann 1000", cap=2, window_s=600, keep_s=1_200)
        assert (seen.is_within, seen.count, seen.rest_s) == (False, 2, 0.0)
        assert (await state.window("ann 1002", cap=2, window_s=600, keep_s=1_200)).count == 1
        clock.advance(-1_299)
        seen = await state.window("ann 1000", cap=2, window_s=600, keep_s=1_200)
        assert (seen.is_within, seen.count, seen.rest_s) == (False, 2, 100.0)
        clock.advance(100 + 1_200)
        assert (await state.window("ann 1000", cap=2, window_s=600, keep_s=1_200)).count == 1

    @pytest.mark.parametrize("jump_s", [3_600.0, 3_650.0 * DAY_S])
    async def test_after_a_sleep_everything_has_ended_and_a_former_holder_is_told(
        self, state: State, clock: SetClock, jump_s: float
    ) -> None:
        await state.put("key", "value", ttl_s=10)
        held = await state.lease("probe", "ann", ttl_s=10)
        clock.advance(jump_s)
        assert await state.get("key") is None
        assert not await state.put_under("probe", held, "key", "late", ttl_s=10)
        taken = await state.lease("probe", "bob", ttl_s=10)
        assert taken > held
        assert not await state.put_under("probe", held, "key", "late", ttl_s=10)
        assert await state.put_under("probe", taken, "key", "in time", ttl_s=10)
        assert await state.get("key") == "in time"
