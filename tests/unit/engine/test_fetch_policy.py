"""What one tool's own terms, the rule about comments and better addresses change about a fetch."""

import asyncio
from dataclasses import replace

import pytest

from gossamer.engine import EngineOptions
from gossamer.errors import (
    BlockedAddress,
    GossamerError,
    NotFound,
    Outcome,
    RateLimited,
    RobotsDisallowed,
    TimedOut,
    Unreachable,
)
from gossamer.model.http import FetchPolicy, HttpReply, HttpRequest
from gossamer.model.page import View
from gossamer.ports import Call
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S
from tests.unit.engine.world import CannedHttp, Stuck, World

URL, TEXT = "https://a.test/page", "# Lamps\n\nOil and wicks."


@pytest.fixture
def world() -> World:
    world = World()
    world.serve(URL, TEXT)
    return world


async def test_the_terms_reach_the_door(world: World) -> None:
    terms = FetchPolicy(user_agent="Jack/1", robots="ignore", timeout_s=3)
    await world.engine().fetch(URL, world.call(), policy=terms)
    assert [asked.terms for asked in world.web.asked] == [terms]


async def test_a_page_is_used_for_as_long_as_the_terms_say_and_no_longer_than_its_site_does(world: World) -> None:
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += 100
    await engine.fetch(URL, world.call(), policy=FetchPolicy(fresh_s=101))
    assert len(world.web.asked) == 1
    await engine.fetch(URL, world.call(), policy=FetchPolicy(fresh_s=100))
    assert len(world.web.asked) == 2
    world.serve(URL, TEXT, cache_control="max-age=10")
    await engine.fetch(URL, world.call(), policy=FetchPolicy(fresh_s=0))
    world.clock.time += 11
    await engine.fetch(URL, world.call(), policy=FetchPolicy(fresh_s=86_400))
    assert len(world.web.asked) == 4


async def test_what_a_site_tells_another_identity_is_kept_apart(world: World) -> None:
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.serve(URL, "For Jack.")
    jack = FetchPolicy(user_agent="Jack/1")
    assert (await engine.fetch(URL, world.call(), policy=jack)).text == "For Jack."
    assert (await engine.fetch(URL, world.call())).text == TEXT
    assert (await engine.fetch(URL, world.call(), policy=jack)).text == "For Jack."
    assert len(world.web.asked) == 2


async def test_a_page_may_take_the_time_of_its_own_terms(world: World) -> None:
    world.web = Stuck()
    fast = FetchPolicy(timeout_s=0.05)
    with pytest.raises(TimedOut):
        async with asyncio.timeout(LONG_S):
            await world.engine().fetch(URL, world.call(0.2), policy=fast)


async def test_a_page_read_without_comments_is_read_again_when_they_are_wanted(world: World) -> None:
    await world.engine().fetch(URL, world.call())
    world.limits = EngineOptions(comments=True)
    engine = world.engine()
    page = await engine.fetch(URL, world.call())
    assert page.has_comments
    await engine.fetch(URL, world.call())
    assert [view.comments for view in world.extractor.asked] == [False, True]
    assert len(world.web.asked) == 1
    reading = await engine.read([URL], ["oil"], world.call())
    assert reading.passages
    assert len(world.web.asked) == 1


async def test_an_error_carries_the_number_that_the_site_gave_and_so_does_its_memory(world: World) -> None:
    world.web.answers[URL] = HttpReply(status=410, url=URL)
    engine = world.engine()
    for _ in range(2):
        with pytest.raises(NotFound) as gone:
            await engine.fetch(URL, world.call())
        assert gone.value.status == 410
    assert len(world.web.asked) == 1
    with pytest.raises(Unreachable) as away:
        await engine.fetch("https://nowhere.test/", world.call())
    assert away.value.status is None


def limiting(world: World, *, times: int, wait: str) -> None:
    def answer(_request: object) -> HttpReply:
        if len(world.web.asked) <= times:
            return HttpReply(status=429, url=URL, headers={"retry-after": wait})
        return HttpReply(status=200, url=URL, body=TEXT.encode())

    world.web.answers[URL] = answer


PATIENCE = {
    "as often as the terms say": (2, "0", 2, True),
    "and no more": (3, "0", 2, False),
    "however often that is": (5, "0", 5, True),
    "not at all by default": (1, "0", 0, False),
    "not beyond the time of the call": (1, "3600", 2, False),
}


@pytest.mark.parametrize(("times", "wait", "retries", "comes"), PATIENCE.values(), ids=PATIENCE)
async def test_a_site_that_limits_us_is_asked_again(
    times: int, wait: str, retries: int, comes: bool, world: World
) -> None:
    limiting(world, times=times, wait=wait)
    terms = FetchPolicy(limited_retries=retries)
    if comes:
        assert (await world.engine().fetch(URL, world.call(), policy=terms)).text == TEXT
    else:
        with pytest.raises(RateLimited) as limited:
            await world.engine().fetch(URL, world.call(), policy=terms)
        assert limited.value.status == 429
    assert len(world.web.asked) == (1 if wait != "0" else min(times, retries) + 1)


async def test_a_kept_copy_spares_the_wait(world: World) -> None:
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += 100_000
    limiting(world, times=9, wait="5")
    page = await engine.fetch(URL, world.call(), policy=FetchPolicy(limited_retries=2))
    assert page.text == TEXT
    assert len(world.web.asked) == 2


BLOB = "https://github.com/a/b/blob/main/README.md"
RAW = "https://raw.githubusercontent.com/a/b/main/README.md"
ABSTRACT, HTML, PDF = (f"https://arxiv.org/{form}/1706.03762" for form in ("abs", "html", "pdf"))


async def test_a_known_page_is_read_where_it_is_better_and_keeps_its_address(world: World) -> None:
    world.serve(BLOB, "The page round the file.")
    world.serve(RAW, TEXT, etag='"1"')
    engine = world.engine()
    page = await engine.fetch(BLOB, world.call())
    assert (page.url, page.final_url, page.text) == (BLOB, RAW, TEXT)
    assert (await engine.fetch(BLOB, world.call())).text == TEXT
    world.clock.time += 100_000
    world.web.answers[RAW] = lambda request: HttpReply(
        status=304 if request.headers.get("if-none-match") == '"1"' else 200, url=RAW
    )
    assert (await engine.fetch(BLOB, world.call())).text == TEXT
    assert [asked.url for asked in world.web.asked] == [RAW, RAW]


async def test_a_part_is_taken_from_the_page_that_was_named(world: World) -> None:
    world.serve(BLOB, "The page round the file.")
    page = await world.engine().fetch(BLOB, world.call(), view=View(selector="main"))
    assert page.final_url == BLOB


FAILING: dict[str, GossamerError | HttpReply] = {
    "not found": HttpReply(status=404, url=HTML),
    "a server error": HttpReply(status=503, url=HTML),
    "refused by a list of domains": BlockedAddress("No.", hint="Ask."),
    "forbidden by robots.txt": RobotsDisallowed("No.", hint="Ask."),
    "away": Unreachable("No.", hint="Wait."),
}


@pytest.mark.parametrize("answer", FAILING.values(), ids=FAILING)
async def test_what_fails_in_its_better_form_is_read_in_the_next(answer: GossamerError | HttpReply) -> None:
    world = World()
    world.web.answers[HTML] = answer
    world.serve(PDF, TEXT)
    assert (await world.engine().fetch(ABSTRACT, world.call())).final_url == PDF
    world.web.answers[PDF] = replace(answer, url=PDF) if isinstance(answer, HttpReply) else answer
    world.serve(ABSTRACT, "The abstract.")
    world.clock.time += 6
    page = await world.engine().fetch(ABSTRACT, world.call(), force_refresh=True, view=View(format="text"))
    assert (page.final_url, page.text) == (ABSTRACT, "The abstract.")


async def test_when_nothing_is_there_the_address_that_was_named_says_so() -> None:
    world = World()
    for url in (HTML, PDF):
        world.web.answers[url] = HttpReply(status=404, url=url)
    world.web.answers[ABSTRACT] = HttpReply(status=403, url=ABSTRACT)
    with pytest.raises(GossamerError) as failed:
        await world.engine().fetch(ABSTRACT, world.call())
    assert failed.value.outcome is Outcome.DENIED


async def test_after_a_better_form_that_is_too_slow_the_address_itself_counts() -> None:
    world = World()
    world.web.answers[HTML] = TimedOut("Late.", hint="Wait.")
    world.serve(PDF, TEXT)
    world.serve(ABSTRACT, "The abstract.")
    page = await world.engine().fetch(ABSTRACT, world.call())
    assert (page.final_url, page.text) == (ABSTRACT, "The abstract.")
    assert [asked.url for asked in world.web.asked] == [HTML, ABSTRACT]


class Slow(CannedHttp):
    """Takes all the time it is given for what is not canned."""

    def __init__(self, clock: SetClock) -> None:
        super().__init__()
        self._clock = clock

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        if request.url in self.answers:
            return await super().send(request, call)
        self.asked.append(request)
        self._clock.time += call.remaining_s
        raise TimedOut("Late.", hint="Wait.")


async def test_a_better_form_never_takes_the_time_of_the_address_itself() -> None:
    world = World()
    world.web = Slow(world.clock)
    world.serve(ABSTRACT, "The abstract.")
    assert (await world.engine().fetch(ABSTRACT, world.call())).text == "The abstract."


async def test_when_no_time_is_left_the_first_failure_is_told() -> None:
    world = World()

    def late(_request: HttpRequest) -> HttpReply:
        world.clock.time += 1_000
        raise Unreachable("Away.", hint="Wait.")

    world.web.answers[HTML] = late
    with pytest.raises(Unreachable, match="Away"):
        await world.engine().fetch(ABSTRACT, world.call())
    assert [asked.url for asked in world.web.asked] == [HTML]


FAILED: dict[str, tuple[HttpReply | GossamerError, FetchPolicy, FetchPolicy, bool]] = {
    "not found, told to another": (
        HttpReply(status=404, url=URL),
        FetchPolicy(user_agent="Jack/1"),
        FetchPolicy(),
        False,
    ),
    "not found, told to us": (HttpReply(status=404, url=URL), FetchPolicy(), FetchPolicy(robots="ignore"), False),
    "not found, in whatever time": (HttpReply(status=404, url=URL), FetchPolicy(timeout_s=1), FetchPolicy(), True),
    "late in little time": (TimedOut("Late.", hint="Wait."), FetchPolicy(timeout_s=1), FetchPolicy(), False),
    "late in the same time": (
        TimedOut("Late.", hint="Wait."),
        FetchPolicy(timeout_s=1),
        FetchPolicy(timeout_s=1),
        True,
    ),
    "late for all": (TimedOut("Late.", hint="Wait."), FetchPolicy(), FetchPolicy(), True),
}


@pytest.mark.parametrize(("answer", "first", "second", "is_told"), FAILED.values(), ids=FAILED)
async def test_a_failure_is_remembered_for_those_who_ask_on_the_same_terms(
    answer: HttpReply | GossamerError, first: FetchPolicy, second: FetchPolicy, is_told: bool, world: World
) -> None:
    world.web.answers[URL] = answer
    engine = world.engine()
    with pytest.raises((NotFound, TimedOut)):
        await engine.fetch(URL, world.call(), policy=first)
    world.serve(URL, TEXT)
    if is_told:
        with pytest.raises((NotFound, TimedOut), match="remembered"):
            await engine.fetch(URL, world.call(), policy=second)
    else:
        assert (await engine.fetch(URL, world.call(), policy=second)).text == TEXT
