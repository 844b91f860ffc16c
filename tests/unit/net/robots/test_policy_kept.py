"""What is known of robots.txt is bounded, in the state and in the process, and shared fairly between domains."""

import json

import pytest

from gossamer.net.guard import Target, read_url
from gossamer.net.robots.policy import (
    DAY_S,
    KEPT_S,
    OWN_BY_DOMAIN,
    OWN_CHARS,
    OWN_SITES,
    SHARED_A_DAY,
    SHARED_BY_DOMAIN,
    SHARED_CHARS,
    Known,
    RobotsCache,
)
from gossamer.states.memory import MemoryState
from tests.unit.net.robots.test_policy import BusyState, SetClock


class Counted(MemoryState):
    """Knows what it holds."""

    @property
    def chars(self) -> int:
        return sum(len(key) + len(record.value) for key, record in self._records.items())


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def state(clock: SetClock) -> Counted:
    return Counted(clock=clock)


def site(name: str) -> Target:
    return read_url(f"https://{name}/")


def known(clock: SetClock, chars: int = 0) -> Known:
    return Known(at=clock.now(), rules="x" * chars)


async def test_short_rules_are_shared_through_the_state(clock: SetClock, state: Counted) -> None:
    said = known(clock, 100)
    await RobotsCache(state, clock).keep(site("a.example"), said, kept_s=KEPT_S)
    assert await RobotsCache(state, clock).recall(site("a.example")) == said
    assert await RobotsCache(state, clock).recall(site("b.example")) is None


@pytest.mark.parametrize("chars", [300, 5_000, SHARED_CHARS])
async def test_however_many_sites_there_are_the_state_takes_so_much_a_day(
    clock: SetClock, state: Counted, chars: int
) -> None:
    cache = RobotsCache(state, clock)
    count = SHARED_A_DAY // (chars + 100) + 100
    for number in range(count):
        await cache.keep(site(f"www.s{number}.example"), known(clock, chars), kept_s=KEPT_S)
    domains = 80 * count if chars > 500 else 100
    assert SHARED_A_DAY - SHARED_CHARS - 1_000 < state.chars <= SHARED_A_DAY + domains
    clock.time += DAY_S + 1
    await cache.keep(site("next.example"), known(clock), kept_s=KEPT_S)
    assert await RobotsCache(state, clock).recall(site("next.example")) is not None


async def test_a_domain_of_many_sites_with_long_files_leaves_room_for_others(clock: SetClock, state: Counted) -> None:
    cache = RobotsCache(state, clock)
    for number in range(500):
        await cache.keep(site(f"h{number}.evil.example"), known(clock, 50_000), kept_s=KEPT_S)
    assert state.chars < 2 * SHARED_BY_DOMAIN
    await cache.keep(site("good.example"), known(clock, 5_000), kept_s=KEPT_S)
    assert await RobotsCache(state, clock).recall(site("good.example")) is not None


async def test_what_the_state_does_not_take_is_kept_in_the_process(clock: SetClock) -> None:
    for state, chars in ((BusyState(clock=clock), 10), (MemoryState(clock=clock), SHARED_CHARS + 1)):
        cache = RobotsCache(state, clock)
        said = known(clock, chars)
        await cache.keep(site("a.example"), said, kept_s=KEPT_S)
        assert await cache.recall(site("a.example")) == said
        assert await RobotsCache(state, clock).recall(site("a.example")) is None
        clock.time += KEPT_S + 1
        assert await cache.recall(site("a.example")) is None


async def test_in_the_process_those_used_longest_ago_give_way(clock: SetClock, state: Counted) -> None:
    cache = RobotsCache(state, clock)
    chars = 512 * 1024
    most = OWN_CHARS // chars
    for number in range(most):
        await cache.keep(site(f"s{number}.example"), known(clock, chars), kept_s=KEPT_S)
    await cache.recall(site("s0.example"))
    await cache.keep(site("new.example"), known(clock, chars), kept_s=KEPT_S)
    found = [bool(await cache.recall(site(f"s{number}.example"))) for number in range(most)]
    assert found == [True, False] + [True] * (most - 2)


async def test_in_the_process_a_domain_displaces_itself(clock: SetClock, state: Counted) -> None:
    cache = RobotsCache(state, clock)
    chars = 512 * 1024
    await cache.keep(site("good.example"), known(clock, chars), kept_s=KEPT_S)
    for number in range(100):
        await cache.keep(site(f"h{number}.evil.example"), known(clock, chars), kept_s=KEPT_S)
    assert await cache.recall(site("good.example"))
    kept = [number for number in range(100) if await cache.recall(site(f"h{number}.evil.example"))]
    assert kept == list(range(100 - OWN_BY_DOMAIN // chars, 100))


async def test_in_the_process_the_number_of_sites_is_bounded_too(clock: SetClock) -> None:
    cache = RobotsCache(BusyState(clock=clock), clock)
    for number in range(OWN_SITES + 1):
        await cache.keep(site(f"s{number}.example"), known(clock), kept_s=KEPT_S)
    assert await cache.recall(site("s0.example")) is None
    assert await cache.recall(site("s1.example"))


async def test_short_rules_replace_long_ones(clock: SetClock, state: Counted) -> None:
    cache = RobotsCache(state, clock)
    for chars in (SHARED_CHARS + 1, 10, SHARED_CHARS + 2):
        said = known(clock, chars)
        await cache.keep(site("a.example"), said, kept_s=KEPT_S)
        assert await cache.recall(site("a.example")) == said


@pytest.mark.parametrize("record", ["no JSON", json.dumps([1]), json.dumps({"at": 1.0, "other": 2})])
async def test_a_broken_record_is_none(clock: SetClock, state: Counted, record: str) -> None:
    await state.put("robots:https://a.example", record, ttl_s=60)
    assert await RobotsCache(state, clock).recall(site("a.example")) is None
