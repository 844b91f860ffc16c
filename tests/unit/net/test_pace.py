"""Four at once, eight a second, and no request at all while a site asked for quiet."""

import asyncio
from contextlib import AsyncExitStack
from email.utils import formatdate

import pytest

from gossamer.errors import RateLimited, StoreBusy
from gossamer.model.http import HttpReply
from gossamer.net.guard import Target, read_url
from gossamer.net.pace import AT_ONCE, PER_SECOND, Pace
from gossamer.states.memory import MemoryState

SITE = read_url("https://site.example/a")
OTHER_PORT = read_url("https://site.example:8443/a")


class SetClock:
    def __init__(self) -> None:
        self.time = 1_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return 1_700_000_000.0 + self.time

    def monotonic(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


def limited(retry_after: str) -> HttpReply:
    return HttpReply(status=429, url=SITE.url, headers={"retry-after": retry_after})


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def pace(clock: SetClock) -> Pace:
    return Pace(clock, MemoryState(clock), sleep=clock.sleep)


async def take(pace: Pace, target: Target = SITE) -> None:
    async with pace.turn(target):
        pass


@pytest.mark.promise("002.31")
async def test_the_ninth_request_of_a_second_waits_for_the_next(pace: Pace, clock: SetClock) -> None:
    for _ in range(PER_SECOND):
        await take(pace)
    assert clock.slept == []
    await take(pace, OTHER_PORT)
    assert clock.slept == []
    await take(pace)
    assert clock.slept == [1.0]


async def test_who_waits_waits_for_what_is_left_of_the_second(pace: Pace, clock: SetClock) -> None:
    for _ in range(PER_SECOND):
        await take(pace)
        clock.time += 0.1
    for _ in range(2):
        await take(pace)
    assert clock.slept == pytest.approx([0.2, 0.1])
    clock.time += 1
    await take(pace)
    assert len(clock.slept) == 2


def test_the_pace_is_four_at_once_and_eight_a_second() -> None:
    assert (AT_ONCE, PER_SECOND) == (4, 8)


async def test_the_fifth_request_at_once_waits_for_one_to_end(pace: Pace) -> None:
    async with AsyncExitStack() as inside:
        for _ in range(AT_ONCE):
            await inside.enter_async_context(pace.turn(SITE))
        fifth = asyncio.create_task(take(pace))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not fifth.done()
    await fifth


QUIET = {"seconds": ("30", 30.0), "a date": ("date", 45.0)}


@pytest.mark.promise("002.37")
@pytest.mark.parametrize(("said", "seconds"), QUIET.values(), ids=QUIET)
async def test_a_site_is_not_asked_until_the_time_it_named(
    pace: Pace, clock: SetClock, said: str, seconds: float
) -> None:
    await pace.heed(SITE, limited(formatdate(clock.now() + 45, usegmt=True) if said == "date" else said))
    with pytest.raises(RateLimited) as caught:
        await take(pace)
    assert caught.value.retry_after_s == pytest.approx(seconds, abs=1)
    await take(pace, OTHER_PORT)
    clock.time += seconds + 1
    await take(pace)


async def test_a_closed_site_makes_nobody_wait_for_a_turn_first(pace: Pace, clock: SetClock) -> None:
    for _ in range(PER_SECOND):
        await take(pace)
    await pace.heed(SITE, limited("60"))
    with pytest.raises(RateLimited):
        await take(pace)
    assert clock.slept == []


async def test_a_site_opens_at_the_very_moment_it_named_and_not_before(pace: Pace, clock: SetClock) -> None:
    await pace.heed(SITE, limited("30"))
    await pace.heed(SITE, limited("20"))
    clock.time += 29.5
    with pytest.raises(RateLimited) as caught:
        await take(pace)
    assert caught.value.retry_after_s == 0.5
    clock.time += 0.5
    await take(pace)


@pytest.mark.parametrize(
    "reply", [limited(""), limited("soon"), HttpReply(status=200, url="", headers={"retry-after": "9"})]
)
async def test_without_a_named_time_the_site_stays_open(pace: Pace, reply: HttpReply) -> None:
    await pace.heed(SITE, reply)
    await take(pace)


async def test_a_site_cannot_close_itself_for_more_than_a_day(pace: Pace) -> None:
    await pace.heed(SITE, limited("999999"))
    with pytest.raises(RateLimited) as caught:
        await take(pace)
    assert caught.value.retry_after_s == 86_400


async def test_idle_sites_are_forgotten_and_closed_ones_are_not(pace: Pace, clock: SetClock) -> None:
    await pace.heed(SITE, limited("500"))
    for number in range(1_100):
        await take(pace, read_url(f"https://site{number}.example/"))
        clock.time += 0.01
    assert len(pace._sites) < 1_100
    with pytest.raises(RateLimited):
        await take(pace)


async def test_sites_that_closed_themselves_do_not_pile_up(clock: SetClock) -> None:
    state = MemoryState(clock)
    pace = Pace(clock, state, sleep=clock.sleep)
    async with pace.turn(SITE):
        mine = pace._site(SITE)
        for number in range(3_000):
            await pace.heed(read_url(f"https://site{number}.example/"), limited("9999"))
        assert len(pace._sites) == 1_024
        assert pace._site(SITE) is mine
    with pytest.raises(RateLimited):
        await take(pace, read_url("https://site2999.example/"))


async def test_a_forgotten_site_is_still_closed(pace: Pace, clock: SetClock) -> None:
    await pace.heed(SITE, limited("500"))
    for number in range(1_024):
        await take(pace, read_url(f"https://site{number}.example/"))
    assert (SITE.host, SITE.port) not in pace._sites
    with pytest.raises(RateLimited):
        await take(pace)


async def test_the_site_used_last_is_the_last_to_be_forgotten(pace: Pace) -> None:
    await take(pace)
    for number in range(1_023):
        await take(pace, read_url(f"https://site{number}.example/"))
    await take(pace)
    await take(pace, OTHER_PORT)
    assert (SITE.host, SITE.port) in pace._sites
    assert ("site0.example", 443) not in pace._sites


async def test_sites_with_somebody_inside_are_never_forgotten(pace: Pace) -> None:
    async with AsyncExitStack() as inside:
        for number in range(1_030):
            await inside.enter_async_context(pace.turn(read_url(f"https://site{number}.example/")))
        assert len(pace._sites) == 1_030
    await take(pace)
    assert len(pace._sites) == 1_024


class AwayState(MemoryState):
    """A state that cannot be used."""

    async def get(self, key: str) -> str | None:
        raise StoreBusy("busy")

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        raise StoreBusy("busy")


async def test_silence_that_one_process_was_asked_for_holds_for_all(clock: SetClock) -> None:
    state = MemoryState(clock)
    told, other = Pace(clock, state, sleep=clock.sleep), Pace(clock, state, sleep=clock.sleep)
    await take(other)
    await told.heed(SITE, limited("30"))
    clock.time += 2
    with pytest.raises(RateLimited) as caught:
        await take(other)
    assert caught.value.retry_after_s == pytest.approx(28)
    await take(other, OTHER_PORT)
    clock.time += 29
    await take(other)


async def test_what_another_process_was_told_is_looked_up_once_a_second(clock: SetClock) -> None:
    state = MemoryState(clock)
    ours, theirs = (Pace(clock, state, sleep=clock.sleep) for _ in range(2))
    await take(ours)
    await theirs.heed(SITE, limited("30"))
    clock.time += 0.5
    await take(ours)
    clock.time += 0.5
    with pytest.raises(RateLimited) as caught:
        await take(ours)
    assert caught.value.retry_after_s == 29


async def test_a_clock_that_was_set_back_does_not_make_the_silence_longer() -> None:
    ahead, behind = SetClock(), SetClock()
    state = MemoryState(behind)
    ahead.time += 86_400
    await Pace(ahead, state).heed(SITE, limited("30"))
    pace = Pace(behind, state, sleep=behind.sleep)
    with pytest.raises(RateLimited) as caught:
        await take(pace)
    assert caught.value.retry_after_s == pytest.approx(30)
    behind.time += 31
    await take(pace)


async def test_a_jump_of_the_wall_clock_does_not_open_a_closed_site() -> None:
    class Jumping(SetClock):
        jump = 0.0

        def now(self) -> float:
            return super().now() + self.jump

    clock = Jumping()
    pace = Pace(clock, MemoryState(clock), sleep=clock.sleep)
    await pace.heed(SITE, limited("30"))
    for clock.jump in (86_400.0 * 365, -86_400.0):
        clock.time += 2
        with pytest.raises(RateLimited):
            await take(pace)
    clock.time += 30
    await take(pace)


async def test_a_state_that_is_away_leaves_each_process_to_itself(clock: SetClock) -> None:
    pace = Pace(clock, AwayState(clock), sleep=clock.sleep)
    await take(pace)
    await pace.heed(SITE, limited("30"))
    with pytest.raises(RateLimited):
        await take(pace)


@pytest.mark.parametrize("written", ["", "{}", "[1]", '["a", "b"]', "null"])
async def test_a_broken_record_closes_nothing(clock: SetClock, written: str) -> None:
    state = MemoryState(clock)
    await state.put("quiet:site.example:443", written, ttl_s=100)
    await take(Pace(clock, state, sleep=clock.sleep))


async def test_who_waited_for_a_turn_hears_of_the_silence_too(clock: SetClock) -> None:
    """The ninth request of a second sleeps; meanwhile the site asks for quiet."""
    told = limited("30")

    async def sleep(seconds: float) -> None:
        await pace.heed(SITE, told)
        await clock.sleep(seconds)

    pace = Pace(clock, MemoryState(clock), sleep=sleep)
    for _ in range(PER_SECOND):
        await take(pace)
    with pytest.raises(RateLimited):
        await take(pace)


async def refusal(pace: Pace, user: str) -> RateLimited:
    with pytest.raises(RateLimited) as caught:
        async with pace.turn(SITE, user):
            pass
    return caught.value


async def test_a_pause_that_another_user_caused_is_told_as_if_the_site_had_just_named_it(
    pace: Pace, clock: SetClock
) -> None:
    await pace.heed(SITE, limited("30"), "user:alice")
    clock.time += 10
    bob = await refusal(pace, "user:bob")
    assert (str(bob), bob.retry_after_s, bob.status) == (
        "The site is limiting our requests. Try again in 30 s.",
        30,
        429,
    )
    assert (await refusal(pace, "user:alice")).retry_after_s == 20
    clock.time += 15
    assert (await refusal(pace, "user:bob")).retry_after_s == 15
    clock.time += 10
    assert (await refusal(pace, "user:bob")).retry_after_s == 5
    async with pace.turn(SITE, "user:alice"), pace.turn(SITE, "user:carol"):
        pass
    clock.time += 5
    async with pace.turn(SITE, "user:bob"):
        pass


async def test_a_pause_that_was_named_to_another_process_is_told_to_a_user_whole(clock: SetClock) -> None:
    state = MemoryState(clock)
    told, other = (Pace(clock, state, sleep=clock.sleep) for _ in range(2))
    await told.heed(SITE, limited("30"), "user:alice")
    clock.time += 12
    assert [(await refusal(other, user)).retry_after_s for user in ("user:bob", "")] == [30, 18]


async def test_a_site_that_stays_closed_beyond_a_users_own_pause_begins_another(pace: Pace, clock: SetClock) -> None:
    await pace.heed(SITE, limited("30"), "user:alice")
    clock.time += 29
    await pace.heed(SITE, limited("60"), "user:bob")
    clock.time += 2
    assert (await refusal(pace, "user:alice")).retry_after_s == 60


async def test_only_so_many_users_have_a_pause_of_their_own(pace: Pace, clock: SetClock) -> None:
    await pace.heed(SITE, limited("30"), "user:0")
    for number in range(3_000):
        await refusal(pace, f"user:{number}")
    assert len(pace._site(SITE).pauses) == 1_024
