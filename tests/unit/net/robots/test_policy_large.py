"""Very long rules are kept by the process that read them, for few sites, and never in the shared state."""

import pytest

from gossamer.errors import RobotsDisallowed
from gossamer.model.http import HttpReply
from gossamer.net.guard import read_url
from gossamer.net.robots.policy import RobotsPolicy
from gossamer.states.memory import MemoryState
from tests.unit.net.robots.test_policy import DAY, PAGE, SetClock, Site, reply


def large(*, rules: int = 6_000) -> HttpReply:
    """More rules than are shared through the state; the page is forbidden by the last."""
    lines = "".join(f"Disallow: /p{number}\n" for number in range(rules))
    return reply(text=f"User-agent: *\n{lines}Disallow: /private\n")


async def test_very_long_rules_stay_out_of_the_state_and_are_asked_for_once_a_day() -> None:
    clock = SetClock()
    site, state = Site(large()), MemoryState(clock=clock)
    robots = RobotsPolicy(site, state, clock)
    for asked in (1, 2):
        for _ in range(3):
            with pytest.raises(RobotsDisallowed, match="does not allow this page"):
                await robots.check(PAGE)
        assert site.asked == asked
        clock.time += DAY + 1
    assert await state.get("robots:https://site.example") is None


async def test_very_long_rules_serve_for_a_week_when_the_file_fails_later() -> None:
    clock = SetClock()
    robots = RobotsPolicy(Site(large(), reply(503)), MemoryState(clock=clock), clock)
    for _ in range(7):
        with pytest.raises(RobotsDisallowed, match="does not allow this page"):
            await robots.check(PAGE)
        clock.time += DAY + 1
    with pytest.raises(RobotsDisallowed, match="could not be had"):
        await robots.check(PAGE)


async def test_very_long_rules_give_way_to_short_ones() -> None:
    clock = SetClock()
    site = Site(large(), reply(404))
    robots = RobotsPolicy(site, MemoryState(clock=clock), clock)
    with pytest.raises(RobotsDisallowed):
        await robots.check(PAGE)
    clock.time += DAY + 1
    for _ in range(2):
        await robots.check(PAGE)
    assert site.asked == 2


async def test_very_long_rules_of_many_domains_are_kept_and_of_one_domain_few() -> None:
    clock = SetClock()
    site = Site(large(rules=25_000))
    robots = RobotsPolicy(site, MemoryState(clock=clock), clock)
    others = [read_url(f"https://www.s{number}.example/private") for number in range(5)]
    of_one = [read_url(f"https://h{number}.one.example/private") for number in range(8)]
    for page in (*others, *of_one, *others, of_one[-1]):
        with pytest.raises(RobotsDisallowed):
            await robots.check(page)
    assert site.asked == 13
    with pytest.raises(RobotsDisallowed):
        await robots.check(of_one[0])
    assert site.asked == 14


async def test_a_page_that_cannot_be_decided_in_time_is_refused_as_such() -> None:
    clock = SetClock()
    text = "User-agent: *\n" + "".join(f"Allow: /*{'a' * 90}{number}\n" for number in range(400))
    robots = RobotsPolicy(Site(reply(text=text)), MemoryState(clock=clock), clock)
    with pytest.raises(RobotsDisallowed, match=r"\(too many wildcard rules to try\)"):
        await robots.check(read_url(f"https://site.example/{'a' * 7_900}"))
    await robots.check(PAGE)
