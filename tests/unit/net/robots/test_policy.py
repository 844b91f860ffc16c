"""robots.txt decides, is asked for once a day, and its absence is told apart from its silence."""

import asyncio

import pytest

from gossamer.errors import (
    BlockedAddress,
    BrokenReply,
    GossamerError,
    RateLimited,
    RobotsDisallowed,
    StoreBusy,
    TimedOut,
    Unreachable,
)
from gossamer.model.http import HttpReply
from gossamer.net.guard import Target, read_url
from gossamer.net.resolve import NoConnection
from gossamer.net.robots.policy import RobotsPolicy
from gossamer.states.memory import MemoryState
from tests.patience import LONG_S

PAGE = read_url("https://site.example/private/page")
DAY = 86_400.0


class SetClock:
    def __init__(self) -> None:
        self.time = 1_700_000_000.0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


class Site:
    """Answers for robots.txt with one thing after the other; the last one repeats."""

    def __init__(self, *answers: HttpReply | Exception | None) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, _site: Target) -> HttpReply | None:
        self.asked += 1
        await asyncio.sleep(0)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class BusyState(MemoryState):
    async def get(self, key: str) -> str | None:
        raise StoreBusy("busy")

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        raise StoreBusy("busy")


def reply(status: int = 200, text: str = "") -> HttpReply:
    return HttpReply(status=status, url="", body=text.encode())


CLOSED = reply(text="User-agent: *\nDisallow: /private")

OPEN = {
    "no such file": reply(404),
    "forbidden file": reply(403),
    "gone": reply(410),
    "an odd redirect": reply(302),
    "too many redirects": None,
    "other rules": reply(text="User-agent: *\nDisallow: /other"),
}
SHUT = {
    "server error": reply(500),
    "unavailable": reply(503),
    "limited": reply(429),
    "late": TimedOut("It took too long."),
    "cut": BrokenReply("It was cut."),
}


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.mark.parametrize("answer", OPEN.values(), ids=OPEN)
async def test_a_site_that_forbids_nothing_is_open(clock: SetClock, answer: HttpReply | None) -> None:
    await RobotsPolicy(Site(answer), MemoryState(clock=clock), clock).check(PAGE)


@pytest.mark.parametrize("answer", SHUT.values(), ids=SHUT)
async def test_a_site_whose_file_cannot_be_had_is_closed_for_five_minutes(
    clock: SetClock, answer: HttpReply | Exception
) -> None:
    site = Site(answer, reply(404))
    robots = RobotsPolicy(site, MemoryState(clock=clock), clock)
    for _ in range(2):
        with pytest.raises(RobotsDisallowed, match=r'could not be had.*net\.robots = "ignore"'):
            await robots.check(PAGE)
    assert site.asked == 1
    clock.time += 301
    await robots.check(PAGE)


async def test_a_forbidden_page_is_refused_with_the_rule(clock: SetClock) -> None:
    robots = RobotsPolicy(Site(CLOSED), MemoryState(clock=clock), clock)
    with pytest.raises(RobotsDisallowed, match=r'this page\. .*net\.robots = "ignore"') as caught:
        await robots.check(PAGE)
    assert caught.value.quote == "Disallow: /private"
    await robots.check(read_url("https://site.example/public"))


BARRED = {
    "refused": Unreachable("No connection."),
    "late": NoConnection("No connection."),
    "private": BlockedAddress("Not public."),
    "quiet": RateLimited("site.example"),
}


@pytest.mark.parametrize("error", BARRED.values(), ids=BARRED)
async def test_what_bars_the_whole_site_is_told_as_such_and_not_remembered(
    clock: SetClock, error: GossamerError
) -> None:
    site = Site(error, reply(404))
    robots = RobotsPolicy(site, MemoryState(clock=clock), clock)
    with pytest.raises(type(error)):
        await robots.check(PAGE)
    await robots.check(PAGE)


async def test_the_file_is_asked_for_once_a_day_and_shared_through_the_state(clock: SetClock) -> None:
    site, state = Site(CLOSED), MemoryState(clock=clock)
    for _ in range(3):
        with pytest.raises(RobotsDisallowed):
            await RobotsPolicy(site, state, clock).check(PAGE)
    assert site.asked == 1
    clock.time += DAY + 1
    with pytest.raises(RobotsDisallowed):
        await RobotsPolicy(site, state, clock).check(PAGE)
    assert site.asked == 2


async def test_each_origin_has_a_file_of_its_own(clock: SetClock) -> None:
    site = Site(CLOSED, reply(404))
    robots = RobotsPolicy(site, MemoryState(clock=clock), clock)
    with pytest.raises(RobotsDisallowed):
        await robots.check(PAGE)
    await robots.check(read_url("https://sub.site.example/private/page"))
    await robots.check(read_url("http://site.example/private/page"))
    assert site.asked == 3


async def test_an_old_copy_serves_when_the_file_fails_later(clock: SetClock) -> None:
    robots = RobotsPolicy(Site(CLOSED, reply(503)), MemoryState(clock=clock), clock)
    for _ in range(2):
        with pytest.raises(RobotsDisallowed, match="does not allow this page"):
            await robots.check(PAGE)
        clock.time += DAY + 1
    await robots.check(read_url("https://site.example/public"))


async def test_while_an_old_copy_serves_the_file_is_asked_for_every_five_minutes(clock: SetClock) -> None:
    site = Site(CLOSED, reply(503))
    robots = RobotsPolicy(site, MemoryState(clock=clock), clock)
    with pytest.raises(RobotsDisallowed):
        await robots.check(PAGE)
    clock.time += DAY + 1
    for _ in range(5):
        await robots.check(read_url("https://site.example/public"))
    assert site.asked == 2
    clock.time += 301
    await robots.check(read_url("https://site.example/public"))
    assert site.asked == 3


async def test_an_old_copy_serves_for_a_week_and_no_longer(clock: SetClock) -> None:
    robots = RobotsPolicy(Site(CLOSED, reply(503)), MemoryState(clock=clock), clock)
    with pytest.raises(RobotsDisallowed):
        await robots.check(PAGE)
    for _ in range(6):
        clock.time += DAY + 1
        await robots.check(read_url("https://site.example/public"))
    clock.time += DAY + 1
    with pytest.raises(RobotsDisallowed, match="could not be had"):
        await robots.check(read_url("https://site.example/public"))


async def test_a_clock_that_was_set_back_has_the_file_asked_for_again(clock: SetClock) -> None:
    site = Site(reply(404))
    robots = RobotsPolicy(site, MemoryState(clock=clock), clock)
    await robots.check(PAGE)
    clock.time -= DAY
    await robots.check(PAGE)
    assert site.asked == 2


async def test_processes_that_share_the_state_ask_once(clock: SetClock) -> None:
    """The first one is held up at the site until the second has been seen waiting."""

    class Slow(Site):
        go_on = asyncio.Event()

        async def __call__(self, site: Target) -> HttpReply | None:
            await self.go_on.wait()
            return await super().__call__(site)

    class Watched(MemoryState):
        refused = asyncio.Event()

        async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
            is_ours = await super().lease(name, holder, ttl_s=ttl_s)
            if not is_ours:
                self.refused.set()
            return is_ours

    site, state = Slow(CLOSED), Watched(clock=clock)
    tasks = [asyncio.create_task(RobotsPolicy(site, state, clock).check(PAGE)) for _ in range(2)]
    await asyncio.wait_for(state.refused.wait(), LONG_S)
    site.go_on.set()
    for task in tasks:
        with pytest.raises(RobotsDisallowed, match="does not allow this page"):
            await asyncio.wait_for(task, LONG_S)
    assert site.asked == 1


async def test_pages_fetched_together_ask_once(clock: SetClock) -> None:
    site = Site(reply(404))
    robots = RobotsPolicy(site, MemoryState(clock=clock), clock)
    await asyncio.gather(*(robots.check(PAGE) for _ in range(20)))
    assert site.asked == 1


async def test_while_the_state_is_away_each_process_remembers_for_itself(clock: SetClock) -> None:
    site = Site(reply(404))
    state = BusyState(clock=clock)
    for asked in (1, 2):
        robots = RobotsPolicy(site, state, clock)
        for _ in range(2):
            await robots.check(PAGE)
        assert site.asked == asked


async def test_a_broken_record_is_asked_for_again(clock: SetClock) -> None:
    state = MemoryState(clock=clock)
    await state.put("robots:https://site.example", '{"unknown": 1}', ttl_s=100)
    site = Site(reply(404))
    await RobotsPolicy(site, state, clock).check(PAGE)
    assert site.asked == 1


async def test_a_huge_file_is_read_beside_the_loop(clock: SetClock) -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: /p{number}\n" for number in range(5_000)) + "Disallow: /private\n"
    with pytest.raises(RobotsDisallowed, match="does not allow this page"):
        await RobotsPolicy(Site(reply(text=text)), MemoryState(clock=clock), clock).check(PAGE)
