"""A site that fails: when the kept copy stands in, which failures are remembered, and for how long."""

import asyncio
import json

import pytest

from gossamer.engine.negative_cache import NegativeCache
from gossamer.errors import (
    BlockedAddress,
    BrokenReply,
    Captcha,
    Denied,
    GossamerError,
    NotFound,
    Outcome,
    PaymentRequired,
    RateLimited,
    RobotsDisallowed,
    StoreBusy,
    TimedOut,
    Unreachable,
)
from gossamer.model.http import FetchPolicy, HttpReply
from gossamer.states.memory import MemoryState
from gossamer.testing.state_contract import SetClock
from tests.unit.engine.world import Answer, Stuck, World

URL = "https://a.test/page"
TEXT = "# A page\n\nThe ferry leaves at noon."
DAY = 86_400.0


def failed(status: int, **headers: str) -> HttpReply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpReply(status=status, url=URL, headers={"content-type": "text/html", **named}, body=b"<p>no</p>")


COVERED: dict[str, tuple[Answer, str]] = {
    "broken off": (BrokenReply("Cut."), "(error)"),
    "late": (TimedOut("The page did not come.", hint="Wait."), "(timeout)"),
    "away": (Unreachable("No connection.", hint="Wait."), "(unreachable)"),
    "failing": (failed(503), "(unreachable)"),
    "limiting": (failed(429, retry_after="60"), "(rate_limited)"),
    "closed by an earlier limit": (RateLimited("a.test", retry_after_s=5), "(rate_limited)"),
}
SAID: dict[str, tuple[Answer, type[GossamerError]]] = {
    "not found": (failed(404), NotFound),
    "gone": (failed(410), NotFound),
    "denied": (failed(403), Denied),
    "paid for": (failed(402), PaymentRequired),
    "forbidden by robots.txt": (RobotsDisallowed("Not allowed."), RobotsDisallowed),
    "refused": (BlockedAddress("Leads inside."), BlockedAddress),
    "a challenge": (HttpReply(status=200, url=URL, headers={"cf-mitigated": "challenge"}, body=b""), Captcha),
}


async def kept_before(world: World, age_s: float = 2 * DAY) -> None:
    world.serve(URL, TEXT)
    await world.engine().fetch(URL, world.call())
    world.clock.time += age_s


@pytest.mark.parametrize(("answer", "why"), COVERED.values(), ids=COVERED)
@pytest.mark.parametrize("is_forced", [False, True], ids=["old", "forced"])
async def test_a_kept_copy_stands_in_for_a_site_that_fails_and_says_its_age(
    answer: Answer, why: str, is_forced: bool
) -> None:
    world = World()
    await kept_before(world)
    world.web.answers[URL] = answer
    call = world.call()
    page = await world.engine().fetch(URL, call, force_refresh=is_forced)
    assert (page.outcome, page.text) == (Outcome.OK, TEXT)
    assert page.fetched_at == world.clock.time - 2 * DAY
    assert len(call.log.notes) == 1
    assert "The site could not be asked again" in call.log.notes[0]
    assert "a.test" not in call.log.notes[0]
    assert "2 days old" in call.log.notes[0]
    assert why in call.log.notes[0]


@pytest.mark.parametrize(("answer", "error"), SAID.values(), ids=SAID)
async def test_what_a_site_says_for_certain_is_not_covered_by_a_copy(
    answer: Answer, error: type[GossamerError]
) -> None:
    world = World()
    await kept_before(world)
    world.web.answers[URL] = answer
    with pytest.raises(error):
        await world.engine().fetch(URL, world.call())


async def test_a_copy_older_than_thirty_days_stands_in_for_nothing() -> None:
    world = World()
    await kept_before(world, 31 * DAY)
    world.web.answers[URL] = failed(500)
    with pytest.raises(Unreachable):
        await world.engine().fetch(URL, world.call())


async def test_a_call_that_runs_out_of_time_gets_the_copy_in_time() -> None:
    world = World()
    await kept_before(world)
    world.web = Stuck()
    call = world.call(0.5)
    async with asyncio.timeout(0.5):
        assert (await world.engine().fetch(URL, call)).text == TEXT
    assert "(timeout)" in call.log.notes[0]


async def test_a_call_that_runs_out_of_time_without_a_copy_says_so_and_blames_nobody() -> None:
    world = World(web=Stuck())
    engine = world.engine()
    for _ in range(2):
        with pytest.raises(TimedOut, match="time of this call"):
            await engine.fetch(URL, world.call(0.05))
    assert len(world.web.asked) == 2


REMEMBERED: dict[str, tuple[Answer, type[GossamerError], float]] = {
    "not found": (failed(404), NotFound, 60),
    "gone": (failed(410), NotFound, 60),
    "away": (Unreachable("No connection.", hint="Check it."), Unreachable, 30),
    "failing": (failed(500), Unreachable, 30),
    "late": (TimedOut("Late.", hint="Wait."), TimedOut, 30),
    "failing, for a moment": (failed(503, retry_after="7"), Unreachable, 7),
    "failing, for hours": (failed(503, retry_after="7000"), Unreachable, 60),
}


@pytest.mark.parametrize(("answer", "error", "seconds"), REMEMBERED.values(), ids=REMEMBERED)
async def test_a_failure_is_remembered_for_a_moment_and_says_so(
    answer: Answer, error: type[GossamerError], seconds: float
) -> None:
    world = World()
    world.state = MemoryState(clock=world.clock)
    world.web.answers[URL] = answer
    with pytest.raises(error):
        await world.engine().fetch(URL, world.call())
    world.serve(URL, TEXT)
    world.clock.time += seconds - 1
    with pytest.raises(error) as told:
        await world.engine().fetch(URL, world.call())
    assert f"remembered from {seconds - 1:.0f} s ago" in told.value.message
    assert "force_refresh asks again" in told.value.hint
    assert told.value.retry_after_s == (pytest.approx(1) if error.retryable else None)
    assert len(world.web.asked) == 1
    world.clock.time += 2
    assert (await world.engine().fetch(URL, world.call())).text == TEXT


NOT_REMEMBERED: dict[str, Answer] = {
    "denied": failed(403),
    "limited": failed(429),
    "paid for": failed(402),
    "refused": BlockedAddress("Leads inside."),
    "robots": RobotsDisallowed("Not allowed."),
    "broken": BrokenReply("Cut."),
}


@pytest.mark.parametrize("answer", NOT_REMEMBERED.values(), ids=NOT_REMEMBERED)
async def test_other_failures_are_not_remembered(answer: Answer) -> None:
    world = World()
    world.web.answers[URL] = answer
    engine = world.engine()
    with pytest.raises(GossamerError):
        await engine.fetch(URL, world.call())
    world.serve(URL, TEXT)
    assert (await engine.fetch(URL, world.call())).text == TEXT


async def test_a_forced_refresh_passes_a_remembered_failure_by_and_ends_it() -> None:
    world = World()
    world.web.answers[URL] = failed(404)
    engine = world.engine()
    with pytest.raises(NotFound):
        await engine.fetch(URL, world.call())
    world.serve(URL, TEXT, cache_control="no-store")
    assert (await engine.fetch(URL, world.call(), force_refresh=True)).text == TEXT
    assert (await engine.fetch(URL, world.call())).text == TEXT


async def test_a_remembered_failure_holds_for_every_view_and_spelling() -> None:
    world = World()
    world.web.answers[URL] = failed(404)
    engine = world.engine()
    for spelling in (URL, "HTTPS://A.test:443/page#x"):
        with pytest.raises(NotFound):
            await engine.fetch(spelling, world.call())
    assert len(world.web.asked) == 1


async def test_a_copy_stands_in_for_a_remembered_failure_without_a_request() -> None:
    world = World()
    world.state = MemoryState(clock=world.clock)
    await kept_before(world)
    world.web.answers[URL] = failed(500)
    for _ in range(3):
        call = world.call()
        assert (await world.engine().fetch(URL, call)).text == TEXT
    assert "could not be asked again" in call.log.notes[0]
    assert len(world.web.asked) == 2


async def test_a_clock_that_was_set_back_forgets_the_failure() -> None:
    world = World()
    world.web.answers[URL] = failed(404)
    engine = world.engine()
    with pytest.raises(NotFound):
        await engine.fetch(URL, world.call())
    world.clock.time -= DAY
    world.serve(URL, TEXT)
    assert (await engine.fetch(URL, world.call())).text == TEXT


class AwayState(MemoryState):
    """A state that cannot be used."""

    async def get(self, key: str) -> str | None:
        raise StoreBusy("busy")

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        raise StoreBusy("busy")

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        raise StoreBusy("busy")

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
        raise StoreBusy("busy")

    async def release(self, name: str, holder: str) -> None:
        raise StoreBusy("busy")


async def test_without_the_state_nothing_is_remembered_and_nothing_else_changes() -> None:
    world = World()
    world.state = AwayState(clock=world.clock)
    world.web.answers[URL] = failed(404)
    engine = world.engine()
    with pytest.raises(NotFound):
        await engine.fetch(URL, world.call())
    world.serve(URL, TEXT)
    assert (await engine.fetch(URL, world.call())).text == TEXT


async def test_what_the_other_side_said_is_remembered_with_the_failure_and_cut() -> None:
    world = World()
    engine = world.engine()
    world.web.answers[URL] = Unreachable("a.test redirects to another site.").quoting("No connection to b.test. " * 30)
    for age_s in (0, 10):
        world.clock.time += age_s
        with pytest.raises(Unreachable) as caught:
            await engine.fetch(URL, world.call())
        assert caught.value.quote.startswith("No connection to b.test.")
    assert "remembered" in caught.value.message
    assert len(caught.value.quote) <= 400


BROKEN = {
    "no JSON": "{",
    "a list": "[]",
    "a field is missing": json.dumps({"outcome": "timeout"}),
    "an unknown word": json.dumps({"outcome": "sad", "message": "", "hint": "", "at": 0, "kept_s": 1}),
    "a word that is not remembered": json.dumps({"outcome": "ok", "message": "", "hint": "", "at": 1e6, "kept_s": 9}),
    "a time that is none": json.dumps({"outcome": "timeout", "message": "", "hint": "", "at": "x", "kept_s": 1}),
}


@pytest.mark.parametrize("written", BROKEN.values(), ids=BROKEN)
async def test_a_broken_record_is_no_failure(written: str) -> None:
    clock = SetClock()
    state = MemoryState(clock)
    cache = NegativeCache(state=state, clock=clock)
    await cache.remember(URL, FetchPolicy(), NotFound("No."))
    (key,) = state._records
    assert await cache.recall(URL, FetchPolicy()) is not None
    await state.put(key, written, ttl_s=60)
    assert await cache.recall(URL, FetchPolicy()) is None
    assert "a.test" not in key


async def test_forgetting_spares_a_newer_failure() -> None:
    clock = SetClock()
    cache = NegativeCache(state=MemoryState(clock), clock=clock)
    await cache.remember(URL, FetchPolicy(), NotFound("No."))
    old = await cache.recall(URL, FetchPolicy())
    assert old is not None
    await cache.remember(URL, FetchPolicy(), Unreachable("Away."))
    await cache.forget(URL, FetchPolicy(), old)
    newer = await cache.recall(URL, FetchPolicy())
    assert newer is not None
    assert newer.outcome is Outcome.UNREACHABLE
    await cache.forget(URL, FetchPolicy(), newer)
    assert await cache.recall(URL, FetchPolicy()) is None
    without = NegativeCache(state=AwayState(clock), clock=clock)
    await without.forget(URL, FetchPolicy(), newer)
