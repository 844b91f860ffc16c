"""Limits: never more than allowed of all processes together, and nothing lost, late or for ever."""

import asyncio
import hmac
import random
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import StoreUnavailable
from gossamer.limits.limiter import Entry, Limiter, Rate, Refused
from gossamer.limits.slots import GENERATION_S
from gossamer.model.records import WindowCount
from gossamer.ports import State
from gossamer.states import open_state
from gossamer.states.memory import MemoryState
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S, once_free, tried

KEY = b"k" * 32


class Watched(MemoryState):
    """A state whose every use is seen, takes its turns, and can be held up or broken."""

    def __init__(self, clock: SetClock, seed: int = 0) -> None:
        super().__init__(clock)
        self.uses: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.is_broken = False
        self.held: dict[str, asyncio.Event] = {}
        """Additions to keys with such an ending wait for their event."""
        self.held_looks: dict[str, asyncio.Event] = {}
        self._dice = random.Random(seed)

    def another_door(self) -> "Watched":
        """The same records for another process, to be held up by themselves."""
        other = Watched(SetClock())
        other._clock, other._records = self._clock, self._records
        return other

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        await self._turn(key)
        for ending, may_go_on in self.held.items():
            if key.endswith(ending):
                await may_go_on.wait()
        return await super().add(key, amount, ttl_s=ttl_s)

    async def window(self, key: str, amount: int = 1, *, cap: int, window_s: float, keep_s: float = 0.0) -> WindowCount:
        await self._turn(key)
        return await super().window(key, amount, cap=cap, window_s=window_s, keep_s=keep_s)

    async def get(self, key: str) -> str | None:
        await self._turn(key)
        for ending, may_go_on in self.held_looks.items():
            if key.endswith(ending):
                await may_go_on.wait()
        return await super().get(key)

    async def _turn(self, key: str) -> None:
        self.uses.append(key)
        for _ in range(self._dice.randrange(4)):
            await asyncio.sleep(0)
        await self.may_answer.wait()
        if self.is_broken:
            raise StoreUnavailable("Broken for the test.")


@pytest.fixture
def clock() -> SetClock:
    return SetClock(time=1_000_020.0)


@pytest.fixture(params=["memory", "sqlite"])
async def state(request: pytest.FixtureRequest, clock: SetClock, tmp_path: Path) -> AsyncIterator[State]:
    address = "memory:" if request.param == "memory" else f"sqlite://{tmp_path}/state.sqlite"
    state = await once_free(lambda: open_state(address, clock=clock))
    yield state
    await state.close()


def limiter(state: State, clock: SetClock, **more: Any) -> Limiter:
    given: dict[str, Any] = {
        "key": KEY,
        "requests": Rate(count=5, seconds=60),
        "tools": {},
        "in_flight": 3,
        "in_flight_total": 5,
        "failed_logins": Rate(count=20, seconds=60),
    }
    return Limiter(state, clock=clock, **{**given, "patience_s": 60, "retry_s": 0.01, **more})


def hashed(name: str) -> str:
    return hmac.digest(KEY, name.encode(), "sha256").hex()[:24]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(LONG_S):
        while not holds():  # noqa: ASYNC110  it changes in the code under test, which has no event for it
            await asyncio.sleep(0.005)


async def many(limits: Limiter, user: str, count: int) -> list[Entry | Refused]:
    return await asyncio.gather(*(limits.enter(user) for _ in range(count)))


def entries(results: list[Entry | Refused]) -> list[Entry]:
    return [one for one in results if isinstance(one, Entry)]


def share(clock: SetClock, user: str = "ann", *, later: int = 0) -> str:
    """The end of the key that holds a user's running requests in this generation, or a later one."""
    key = f"limit:running:{hashed(user)}"
    return f"{hashed(user)}:{int((clock.now() + zlib.crc32(key.encode()) % GENERATION_S) // GENERATION_S) + later}"


RATES = {
    "usual": ("120/60", Rate(count=120, seconds=60)),
    "largest": ("9999999/999999", Rate(count=9_999_999, seconds=999_999)),
    "none": ("0", None),
}


@pytest.mark.parametrize(("text", "rate"), RATES.values(), ids=RATES)
def test_a_rate_is_read_as_it_is_written(text: str, rate: Rate | None) -> None:
    assert Rate.parse(text) == rate


def test_rates_of_tools_are_read_and_the_last_word_on_a_tool_holds() -> None:
    assert Rate.by_tool(("web_search=20/600", "web.fetch=1/1", "web_search=5/60", "web_read=0")) == {
        "web_search": Rate(count=5, seconds=60),
        "web.fetch": Rate(count=1, seconds=1),
        "web_read": None,
    }
    assert Rate.by_tool(()) == {}


@pytest.mark.promise("000.56")
async def test_a_window_admits_exactly_its_count_and_then_says_when_it_ends(state: State, clock: SetClock) -> None:
    limits = limiter(state, clock)
    clock.time = 60.0 * 20_000 + 12.5
    assert [await limits.admit("ann") for _ in range(5)] == [None] * 5
    assert await limits.admit("ann") == pytest.approx(47.5)
    assert await limits.admit("bob") is None
    clock.advance(47.4)
    assert await limits.admit("ann") == pytest.approx(0.1)
    clock.advance(0.1)
    assert await limits.admit("ann") is None
    await limits.close()


WAITS = {
    "the window ends meanwhile": (25.0, 0.001),
    "the clock is set back meanwhile": (-3_600.0, 60.0),
    "no time passes": (0.0, 20.0),
}


@pytest.mark.parametrize(("passes_s", "wait_s"), WAITS.values(), ids=WAITS)
async def test_a_refused_caller_waits_for_a_moment_at_least_and_for_a_window_at_most(
    passes_s: float, wait_s: float, clock: SetClock
) -> None:
    state = Watched(clock)
    first, second = limiter(state, clock), limiter(state, clock)
    clock.time = 60.0 * 20_000 + 40
    assert [await first.admit("ann") for _ in range(5)] == [None] * 5
    state.may_answer.clear()
    asking = asyncio.create_task(second.admit("ann"))
    await until(lambda: len(state.uses) == 6)
    clock.advance(passes_s)
    state.may_answer.set()
    assert await asking == pytest.approx(wait_s)
    for limits in (first, second):
        await limits.close()


async def test_a_clock_set_back_finds_the_window_as_full_as_it_was(state: State, clock: SetClock) -> None:
    clock.time = 60.0 * 20_000
    first = limiter(state, clock)
    assert [await first.admit("ann") for _ in range(5)] == [None] * 5
    clock.advance(119)
    assert await first.admit("ann") is None
    clock.advance(-118)
    second = limiter(state, clock)
    assert await second.admit("ann") == pytest.approx(59)
    for limits in (first, second):
        await limits.close()


async def test_what_was_admitted_without_the_state_counts_with_what_was_admitted_through_it(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, retry_s=LONG_S)
    assert [await limits.admit("ann") for _ in range(3)] == [None] * 3
    state.is_broken = True
    assert [await limits.admit("ann") is None for _ in range(4)] == [True, True, False, False]
    assert limits.is_degraded
    await limits.close()


async def test_those_who_come_at_once_are_admitted_up_to_the_count(state: State, clock: SetClock) -> None:
    limits = limiter(state, clock)
    waits = await asyncio.gather(*(limits.admit("ann") for _ in range(64)))
    assert sum(wait is None for wait in waits) == 5
    assert waits[:5] == [None] * 5
    await limits.close()


@pytest.mark.promise("000.129")
async def test_processes_share_a_window(state: State, clock: SetClock) -> None:
    both = [limiter(state, clock), limiter(state, clock)]
    waits = await asyncio.gather(*(limits.admit("ann") for _ in range(10) for limits in both))
    assert sum(wait is None for wait in waits) == 5
    for limits in both:
        await limits.close()


async def test_without_a_rate_nothing_is_counted(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, requests=None)
    assert [await limits.admit("ann") for _ in range(50)] == [None] * 50
    assert [await limits.admit_call("ann", "web_search") for _ in range(50)] == [None] * 50
    assert state.uses == []


async def test_tools_have_windows_of_their_own(state: State, clock: SetClock) -> None:
    rates = {"web_search": Rate(count=2, seconds=600), "web_fetch": Rate(count=1, seconds=60)}
    limits = limiter(state, clock, tools=rates)
    assert [await limits.admit_call("ann", "web_search") is None for _ in range(3)] == [True, True, False]
    assert [await limits.admit_call("ann", "web_fetch") is None for _ in range(2)] == [True, False]
    assert await limits.admit_call("ann", "web_read") is None
    assert await limits.admit_call("bob", "web_search") is None
    assert await limits.admit("ann") is None
    await limits.close()


async def test_a_full_window_asks_the_state_no_more(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock)
    for _ in range(5):
        await limits.admit("ann")
    uses = len(state.uses)
    assert all([await limits.admit("ann") for _ in range(1_000)])
    assert len(state.uses) == uses
    await limits.close()


async def test_a_window_that_others_filled_is_asked_for_once(clock: SetClock) -> None:
    state = Watched(clock)
    first, second = limiter(state, clock), limiter(state, clock)
    assert [await first.admit("ann") for _ in range(5)] == [None] * 5
    uses = len(state.uses)
    assert all(await asyncio.gather(*(second.admit("ann") for _ in range(3))))
    assert len(state.uses) == uses + 1
    for limits in (first, second):
        await limits.close()


async def test_requests_that_come_together_go_together(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, requests=Rate(count=1_000, seconds=60), in_flight=100, in_flight_total=100)
    await asyncio.gather(*(limits.admit("ann") for _ in range(64)))
    assert len(state.uses) == 1
    await many(limits, "ann", 64)
    added = Counter(key.split(":")[1] for key in state.uses)
    assert added["running"] <= 6, "two counters, each looked at twice and added to once"
    await limits.close()


async def test_names_and_addresses_never_reach_the_state(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, tools={"web_search": Rate(count=1, seconds=60)})
    await limits.admit("ann-lee")
    await limits.admit_call("ann-lee", "web_search")
    await limits.failed_login("192.0.2.77")
    await limits.enter("ann-lee")
    await limits.close()
    assert len(set(state.uses)) >= 4
    assert not [key for key in state.uses if "ann" in key or "192" in key or "lee" in key]


async def test_what_the_state_holds_cannot_be_guessed_without_the_key(clock: SetClock) -> None:
    async def uses(key: bytes) -> set[str]:
        state = Watched(clock)
        limits = limiter(state, clock, key=key, requests=Rate(count=1, seconds=60))
        await limits.admit("192.0.2.77")
        await limits.failed_login("192.0.2.77")
        await limits.close()
        return set(state.uses)

    mine, mine_again, theirs = [await uses(key) for key in (KEY, KEY, b"x" * 32)]
    assert mine == mine_again
    assert not mine & theirs


@tried(150)
@given(
    seed=st.integers(0, 2**32),
    cap=st.integers(1, 6),
    steps=st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9), st.floats(-30, 50)), max_size=12),
)
async def test_no_interleaving_admits_more_or_less_than_the_count_of_a_window(
    seed: int, cap: int, steps: list[tuple[int, int, float]]
) -> None:
    clock = SetClock()
    state = Watched(clock, seed)
    processes = [limiter(state, clock, requests=Rate(count=cap, seconds=60)) for _ in range(3)]
    admitted, asked = Counter[int](), Counter[int]()
    for who, count, pause in steps:
        window = int(clock.now() // 60)
        others = (limits.admit("ann") for limits in processes)
        waits = await asyncio.gather(*(processes[who].admit("ann") for _ in range(count)), *others)
        asked[window] += len(waits)
        admitted[window] += sum(wait is None for wait in waits)
        assert all(wait is None or 0 < wait <= 60 for wait in waits)
        clock.advance(pause)
    for window, count in asked.items():
        assert admitted[window] == min(cap, count)
    for limits in processes:
        await limits.close()


async def test_a_caller_who_hangs_up_while_being_counted_disturbs_nobody(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock)
    state.may_answer.clear()
    tasks = [asyncio.create_task(limits.admit("ann")) for _ in range(4)]
    await until(lambda: bool(state.uses))
    tasks[1].cancel()
    later = asyncio.create_task(limits.admit("ann"))
    await asyncio.wait({tasks[1]})
    state.may_answer.set()
    assert await asyncio.gather(tasks[0], tasks[2], tasks[3], later) == [None] * 4
    assert tasks[1].cancelled()
    await limits.close()


async def test_failed_logins_are_counted_by_household_until_the_window_ends(state: State, clock: SetClock) -> None:
    limits = limiter(state, clock)
    clock.time = 60.0 * 20_000
    assert [await limits.failed_login("192.0.2.1") for _ in range(20)] == [None] * 20
    assert await limits.failed_login("192.0.2.1") == 60
    assert await limits.failed_login("192.0.2.2") is None
    clock.advance(60)
    assert await limits.failed_login("192.0.2.1") is None
    await limits.close()


async def test_a_user_runs_so_many_at_once_and_one_more_when_one_has_left(state: State, clock: SetClock) -> None:
    limits = limiter(state, clock)
    running = entries(await many(limits, "ann", 3))
    assert len(running) == 3
    assert await limits.enter("ann") == Refused(whose="user", retry_after_s=1.0)
    running[0].leave()
    running[0].leave()
    again = await many(limits, "ann", 2)
    assert len(entries(again)) == 1
    assert again[1] == Refused(whose="user")
    await limits.close()


@pytest.mark.promise("000.148")
async def test_all_users_together_run_so_many_at_once(state: State, clock: SetClock) -> None:
    limits = limiter(state, clock)
    assert len(entries(await many(limits, "ann", 3))) == 3
    results = await many(limits, "bob", 3)
    assert [isinstance(one, Entry) for one in results] == [True, True, False]
    assert results[2] == Refused(whose="all")
    assert await limits.enter("cid") == Refused(whose="all")
    await limits.close()


async def test_processes_share_the_slots_of_a_user(state: State, clock: SetClock) -> None:
    one, two = limiter(state, clock), limiter(state, clock)
    held = entries(await many(one, "ann", 2))
    more = await many(two, "ann", 2)
    assert [isinstance(result, Entry) for result in more] == [True, False]
    assert more[1] == Refused(whose="user")
    held[0].leave()
    await entered(two, "ann")
    await one.close()
    await two.close()


async def test_processes_share_the_slots_of_all(state: State, clock: SetClock) -> None:
    one, two = limiter(state, clock), limiter(state, clock)
    await many(one, "ann", 3)
    results = await many(two, "bob", 3)
    assert len(entries(results)) == 2
    assert Refused(whose="all") in results
    await one.close()
    assert len(entries(await many(two, "bob", 1))) == 1
    await two.close()


async def entered(limits: Limiter, user: str) -> Entry:
    """An entry, as soon as there is room for one."""
    async with asyncio.timeout(LONG_S):
        while True:
            result = await limits.enter(user)
            if isinstance(result, Entry):
                return result
            await asyncio.sleep(0.005)


async def test_a_slot_that_is_about_to_come_back_is_waited_for_by_those_it_suffices_for(clock: SetClock) -> None:
    limits = limiter(MemoryState(clock), clock)
    held = entries(await many(limits, "ann", 3))
    waiting = [asyncio.create_task(limits.enter("ann")) for _ in range(2)]
    await asyncio.sleep(0)
    held[0].leave()
    results = [await task for task in waiting]
    assert len(entries(results)) == 1
    assert Refused(whose="user") in results
    await limits.close()


async def test_a_refused_entry_holds_nothing(clock: SetClock) -> None:
    state = MemoryState(clock)
    one, two = limiter(state, clock), limiter(state, clock)
    held = entries(await many(one, "ann", 3))
    for _ in range(20):
        assert await two.enter("ann") == Refused(whose="user")
    for entry in held:
        entry.leave()
    await one.close()
    running = [await entered(two, "ann") for _ in range(3)]
    assert len(running) == 3
    await two.close()


async def test_a_slot_in_use_again_at_once_asks_the_state_nothing(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, in_flight=16, in_flight_total=16)
    (await entered(limits, "ann")).leave()
    uses = len(state.uses)
    for _ in range(100):
        (await entered(limits, "ann")).leave()
    assert len(state.uses) == uses
    await limits.close()


async def test_of_slots_that_stay_free_one_is_kept_for_as_long_as_it_counts(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, in_flight=16, in_flight_total=16)

    def shares() -> list[str]:
        return [one.value for key, one in state._records.items() if "running" in key]

    for entry in entries(await many(limits, "ann", 2)):
        entry.leave()
    await until(lambda: shares() == ["1", "1"])
    uses = len(state.uses)
    clock.advance(GENERATION_S)
    limits.renew()
    (await entered(limits, "ann")).leave()
    assert len(state.uses) == uses
    clock.advance(GENERATION_S)
    limits.renew()
    assert all(slots.is_empty for slots in (limits._all, *limits._users.values()))
    (await entered(limits, "ann")).leave()
    assert len(state.uses) > uses
    await limits.close()


async def test_no_slot_is_kept_of_a_few(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, in_flight=7, in_flight_total=7)
    (await entered(limits, "ann")).leave()
    await until(lambda: {one.value for key, one in state._records.items() if "running" in key} == {"0"})
    await limits.close()


async def test_closing_gives_back_what_is_running_and_a_late_leave_does_no_harm(state: State, clock: SetClock) -> None:
    one, two = limiter(state, clock), limiter(state, clock)
    held = entries(await many(one, "ann", 3))
    await one.close()
    for entry in held:
        entry.leave()
    assert len(entries(await many(two, "ann", 4))) == 3
    await two.close()


async def test_a_caller_who_hangs_up_while_entering_holds_nothing(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock)
    state.may_answer.clear()
    task = asyncio.create_task(limits.enter("ann"))
    await until(lambda: bool(state.uses))
    task.cancel()
    await asyncio.wait({task})
    state.may_answer.set()
    assert len(entries(await many(limits, "ann", 3))) == 3
    await limits.close()


async def test_what_runs_for_long_still_counts(state: State, clock: SetClock) -> None:
    one, two = limiter(state, clock), limiter(state, clock)
    held = entries(await many(one, "ann", 2))
    for _ in range(8):
        clock.advance(GENERATION_S / 2)
        one.renew()
        await asyncio.gather(*one._shared._tasks)
        results = await many(two, "ann", 2)
        assert len(entries(results)) == 1
        entries(results)[0].leave()
        two.renew()
        await asyncio.gather(*two._shared._tasks)
    for entry in held:
        entry.leave()
    await one.close()
    assert len(entries(await many(two, "ann", 4))) == 3
    await two.close()


async def test_what_runs_moves_on_by_itself_and_that_ends_when_nothing_runs(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, renew_s=0.01)
    entry = await entered(limits, "ann")
    for _ in range(3):
        clock.advance(GENERATION_S)
        key = f"limit:running:{share(clock)}"
        await until(lambda now=key: now in state._records and state._records[now].value == "1")
    entry.leave()
    await until(lambda: limits._renewal is None)
    assert state._records[key].value == "0"
    await limits.close()


async def test_what_moves_on_to_a_new_generation_is_seen_all_the_while(clock: SetClock) -> None:
    state = Watched(clock)
    moving, looking = limiter(state, clock, in_flight=1), limiter(state.another_door(), clock, in_flight=1)
    await entered(moving, "ann")
    clock.advance(GENERATION_S)
    current = share(clock)
    state.held[current] = asyncio.Event()
    uses = len(state.uses)
    moving.renew()
    await until(lambda: any(key.endswith(current) for key in state.uses[uses:]))
    assert await looking.enter("ann") == Refused(whose="user")
    state.held[current].set()
    await asyncio.gather(*moving._shared._tasks)
    assert await looking.enter("ann") == Refused(whose="user")
    await moving.close()
    await looking.close()


async def test_two_who_enter_on_either_side_of_a_border_see_each_other(clock: SetClock) -> None:
    early = Watched(clock)
    late = early.another_door()
    before, after = share(clock), share(clock, later=1)
    early.held[before], late.held[after] = asyncio.Event(), asyncio.Event()
    one, two = limiter(early, clock, in_flight=1), limiter(late, clock, in_flight=1)
    first = asyncio.create_task(one.enter("ann"))
    await until(lambda: any(key.endswith(before) for key in early.uses))
    clock.advance(GENERATION_S)
    second = asyncio.create_task(two.enter("ann"))
    await until(lambda: any(key.endswith(after) for key in late.uses))
    early.held[before].set()
    assert isinstance(await first, Entry)
    late.held[after].set()
    assert isinstance(await second, Refused)
    await one.close()
    await two.close()


async def test_one_who_enters_late_in_a_generation_sees_those_of_the_next(clock: SetClock) -> None:
    early = Watched(clock)
    before = share(clock)
    early.held[before] = asyncio.Event()
    one, two = limiter(early, clock, in_flight=1), limiter(early.another_door(), clock, in_flight=1)
    first = asyncio.create_task(one.enter("ann"))
    await until(lambda: any(key.endswith(before) for key in early.uses))
    clock.advance(GENERATION_S)
    assert isinstance(await two.enter("ann"), Entry)
    early.held[before].set()
    assert isinstance(await first, Refused)
    await one.close()
    await two.close()


async def test_one_who_moves_on_between_two_looks_is_seen(clock: SetClock) -> None:
    state = Watched(clock)
    moving, door = limiter(state, clock, in_flight=1), state.another_door()
    entry = await entered(moving, "ann")
    last = share(clock)
    clock.advance(GENERATION_S)
    current = share(clock)
    door.held[current] = asyncio.Event()
    looking = limiter(door, clock, in_flight=1)
    late = asyncio.create_task(looking.enter("ann"))
    await until(lambda: any(key.endswith(current) for key in door.uses))
    door.held_looks[last] = asyncio.Event()
    looks = len(door.uses)
    door.held[current].set()
    await until(lambda: any(key.endswith(last) for key in door.uses[looks:]))
    moving.renew()
    await asyncio.gather(*moving._shared._tasks)
    door.held_looks[last].set()
    assert isinstance(await late, Refused)
    entry.leave()
    await moving.close()
    await looking.close()


async def test_a_free_slot_that_counts_no_more_is_not_used(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, in_flight=16, in_flight_total=16)
    entries(await many(limits, "ann", 2))[0].leave()
    clock.advance(2 * GENERATION_S)
    await entered(limits, "ann")
    assert state._records[f"limit:running:{share(clock)}"].value == "2"
    await limits.close()


async def test_a_killed_process_is_forgotten_within_two_generations(state: State, clock: SetClock) -> None:
    killed, alive = limiter(state, clock), limiter(state, clock)
    await many(killed, "ann", 3)
    assert await alive.enter("ann") == Refused(whose="user")
    clock.advance(2 * GENERATION_S)
    assert len(entries(await many(alive, "ann", 3))) == 3
    await alive.close()


async def test_a_clock_set_back_neither_opens_nor_closes_anything_for_ever(state: State, clock: SetClock) -> None:
    limits = limiter(state, clock)
    held = entries(await many(limits, "ann", 3))
    clock.advance(-10 * GENERATION_S)
    assert await limits.enter("ann") == Refused(whose="user")
    held.pop().leave()
    held.append(await entered(limits, "ann"))
    for entry in held:
        entry.leave()
    assert len(entries(await many(limits, "ann", 3))) == 3
    await limits.close()


@tried(150)
@given(
    seed=st.integers(0, 2**32),
    cap=st.integers(1, 5),
    total=st.integers(1, 7),
    steps=st.lists(st.tuples(st.sampled_from("eeeellpr"), st.integers(0, 2), st.integers(1, 4)), max_size=25),
)
async def test_no_interleaving_lets_more_run_than_allowed_or_loses_a_slot(
    seed: int, cap: int, total: int, steps: list[tuple[str, int, int]]
) -> None:
    clock = SetClock()
    state = Watched(clock, seed)
    dice = random.Random(seed)
    processes = [limiter(state, clock, in_flight=cap, in_flight_total=total) for _ in range(3)]
    running: list[tuple[str, Entry]] = []

    async def enter(limits: Limiter, user: str) -> None:
        result = await limits.enter(user)
        if isinstance(result, Entry):
            running.append((user, result))
            assert len(running) <= total
            assert sum(name == user for name, _ in running) <= cap

    async with asyncio.TaskGroup() as group:
        for action, who, count in steps:
            if action == "e":
                for _ in range(count):
                    group.create_task(enter(processes[who], dice.choice(["ann", "bob"])))
            elif action == "l":
                for _ in range(min(count, len(running))):
                    running.pop(dice.randrange(len(running)))[1].leave()
            elif action == "p":
                clock.advance(dice.random() * GENERATION_S / 2)
            else:
                processes[who].renew()
            if action == "p":
                for limits in processes:
                    limits.renew()
            for _ in range(dice.randrange(12)):
                await asyncio.sleep(0)
    for _, entry in running:
        entry.leave()
    for limits in processes:
        await limits.close()
    fresh = limiter(state, clock, in_flight=cap, in_flight_total=total)
    assert len(entries(await many(fresh, "ann", 9))) == min(cap, total)
    await fresh.close()


async def test_a_state_that_is_away_leaves_each_process_its_own_limits(
    clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    state = Watched(clock)
    state.is_broken = True
    limits = limiter(state, clock)
    assert not limits.is_degraded
    waits = await asyncio.gather(*(limits.admit("ann") for _ in range(9)))
    assert sum(wait is None for wait in waits) == 5
    assert limits.is_degraded
    assert caplog.text.count("Limits hold per process") == 1
    held = await many(limits, "ann", 5)
    assert len(entries(held)) == 3
    assert await limits.admit("ann") is not None
    await limits.close()


@pytest.mark.parametrize("kind", ["admit", "enter"])
async def test_a_state_that_hangs_is_waited_for_but_a_moment_and_once(clock: SetClock, kind: str) -> None:
    state = Watched(clock)
    state.may_answer.clear()
    limits = limiter(state, clock, patience_s=0.05)
    async with asyncio.timeout(LONG_S):
        if kind == "admit":
            assert await asyncio.gather(*(limits.admit("ann") for _ in range(3))) == [None] * 3
        else:
            assert len(entries(await many(limits, "ann", 3))) == 3
    assert limits.is_degraded
    tasks = [asyncio.create_task(limits.admit("bob")), asyncio.create_task(limits.admit_call("bob", "x"))]
    await asyncio.wait(tasks, timeout=0)
    for _ in range(3):
        await asyncio.sleep(0)
    assert all(task.done() for task in tasks), "while the state is away nobody waits for it"
    await limits.close()


async def test_a_stall_of_this_process_is_not_taken_for_one_of_the_state(clock: SetClock) -> None:
    class Stalling(Watched):
        async def _turn(self, key: str) -> None:
            time.sleep(0.2)  # noqa: ASYNC251  the whole process stands still
            await super()._turn(key)
            await asyncio.sleep(0)

    limits = limiter(Stalling(clock, seed=1), clock, patience_s=0.1)
    assert await limits.admit("ann") is None
    assert not limits.is_degraded
    await limits.close()


async def test_those_who_come_while_the_state_falls_away_go_on_too(clock: SetClock) -> None:
    state = Watched(clock)
    state.is_broken = True
    state.may_answer.clear()
    limits = limiter(state, clock)
    first = asyncio.create_task(limits.admit("ann"))
    await until(lambda: bool(state.uses))
    others = [asyncio.create_task(limits.admit("ann")) for _ in range(6)]
    await asyncio.wait(others, timeout=0)
    state.may_answer.set()
    waits = await asyncio.gather(first, *others)
    assert sum(wait is None for wait in waits) == 5
    await limits.close()


async def test_closing_waits_for_a_hanging_state_but_not_for_ever(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock, patience_s=0.25)
    await many(limits, "ann", 2)
    state.may_answer.clear()
    late = asyncio.create_task(limits.admit("ann"))
    async with asyncio.timeout(LONG_S):
        await asyncio.sleep(0)
        await limits.close()
        assert await late is None


async def test_a_state_that_comes_back_hears_of_all_that_went_on_without_it(clock: SetClock) -> None:
    state = Watched(clock)
    one, two = limiter(state, clock), limiter(state, clock)
    state.is_broken = True
    assert await one.admit("ann") is None
    assert await one.admit("ann") is None
    held = entries(await many(one, "ann", 2))
    state.is_broken = False
    await until(lambda: not one.is_degraded)
    await asyncio.gather(*one._shared._tasks)
    assert len(entries(await many(two, "ann", 3))) == 1
    assert await one.admit("ann") is None
    assert [await two.admit("ann") is None for _ in range(3)] == [True, True, False]
    for entry in held:
        entry.leave()
    await one.close()
    assert len(entries(await many(two, "ann", 3))) == 2
    await two.close()


async def test_an_answer_that_comes_late_counts_once(clock: SetClock) -> None:
    state = Watched(clock)
    one, two = limiter(state, clock, patience_s=0.05), limiter(state, clock)
    state.may_answer.clear()
    assert await asyncio.gather(one.admit("ann"), one.admit("ann")) == [None, None]
    state.may_answer.set()
    await until(lambda: not one.is_degraded)
    assert await one.admit("ann") is None
    assert [await two.admit("ann") is None for _ in range(3)] == [True, True, False]
    await one.close()
    await two.close()


async def test_a_record_of_another_kind_under_our_key_stops_nobody(clock: SetClock) -> None:
    state = Watched(clock)
    limits = limiter(state, clock)
    await many(limits, "ann", 1)
    for key in {key for key in state.uses if "running" in key}:
        await state.put(key, "words", ttl_s=600)
    assert len(entries(await many(limits, "ann", 3))) == 2
    await limits.close()


async def test_users_who_are_gone_take_no_memory(clock: SetClock) -> None:
    state = MemoryState(clock)
    limits = limiter(state, clock, in_flight_total=100_000)
    for number in range(5_000):
        await limits.admit(f"user {number}")
        result = await limits.enter(f"user {number}")
        assert isinstance(result, Entry)
        result.leave()
        if number % 500 == 499:
            clock.advance(60)
            limits.renew()
            await asyncio.gather(*limits._shared._tasks)
    assert len(limits._users) < 3_000
    assert limits._requests
    assert len(limits._requests._by_user) < 3_000
    await limits.close()
