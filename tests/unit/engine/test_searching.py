"""Search: who is asked, in which order, and what happens when somebody fails."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar

import pytest

from gossamer.engine import EngineOptions
from gossamer.errors import (
    InvalidArgument,
    Outcome,
    RateLimited,
    StoreBusy,
    TimedOut,
    UnknownName,
    Unreachable,
)
from gossamer.model.search import Query
from gossamer.providers.hackernews import HackerNews
from gossamer.providers.searxng import SearXNG
from gossamer.providers.wikipedia import Wikipedia
from gossamer.states.memory import MemoryState
from gossamer.testing.state_contract import SetClock
from tests.unit.engine.services import Paid, urls
from tests.unit.engine.world import SEARX, WIKI, Stuck, World, reply_of, searxng_reply, wikipedia_reply

SEARCH, WIKI_API = f"{SEARX}/search", f"{WIKI}/w/api.php"


async def test_the_first_provider_with_hits_answers_and_nobody_else_sees_the_query() -> None:
    world = World()
    world.api.answers[SEARCH] = searxng_reply("https://a.test/", "https://b.test/")
    page = await world.engine().search(Query(text="ferries"), world.call())
    assert [hit.url for hit in page.hits] == ["https://a.test/", "https://b.test/"]
    assert (page.provider, page.services) == ("searxng", ("SearXNG",))
    assert len(world.api.asked) == 1
    assert page.hits[0].score > page.hits[1].score


async def test_a_failing_provider_is_a_failure_beside_the_hits_of_the_next() -> None:
    world = World()
    world.api.answers[SEARCH] = RateLimited("SearXNG", retry_after_s=7)
    world.api.answers[WIKI_API] = wikipedia_reply("Ferry")
    page = await world.engine().search(Query(text="ferries"), world.call())
    assert page.provider == "wikipedia"
    assert [(f.who, f.outcome, f.retry_after_s) for f in page.failures] == [("searxng", Outcome.RATE_LIMITED, 7)]
    assert page.services == ("SearXNG", "Wikipedia")


async def test_nothing_found_goes_on_to_the_next_and_is_not_a_failure() -> None:
    world = World()
    world.api.answers[SEARCH] = searxng_reply()
    world.api.answers[WIKI_API] = wikipedia_reply()
    page = await world.engine().search(Query(text="xyzzy"), world.call())
    assert (page.hits, page.failures) == ((), ())


async def test_when_nobody_can_look_the_error_names_each() -> None:
    world = World(providers=None)
    world.limits = EngineOptions(providers=("searxng", "wikipedia"))
    world.api.answers[SEARCH] = Unreachable("SearXNG is away.", hint="Start it.")
    world.api.answers[WIKI_API] = RateLimited("Wikipedia")
    with pytest.raises(Unreachable) as failed:
        await world.engine().search(Query(text="ferries"), world.call())
    assert "SearXNG is away." in str(failed.value)
    assert "Wikipedia is limiting" in str(failed.value)


async def test_a_provider_that_does_not_answer_is_given_up_after_its_time() -> None:
    world = World(api=Stuck())
    world.limits = EngineOptions(providers=("searxng",), provider_timeout_s=0.01)
    with pytest.raises(TimedOut):
        await world.engine().search(Query(text="ferries"), world.call())


@pytest.mark.promise("002.102", "002.140")
async def test_the_same_search_is_answered_from_the_cache_and_nobody_sees_it_again() -> None:
    world = World()
    world.api.answers[SEARCH] = searxng_reply("https://a.test/")
    engine = world.engine()
    found_at = world.clock.now()
    first = await engine.search(Query(text="ferries"), world.call())
    world.clock.time += 60
    again = await engine.search(Query(text="ferries"), world.call())
    assert again.hits == first.hits
    assert (again.services, len(world.api.asked)) == ((), 1)
    assert (first.kept_since, again.kept_since) == (None, found_at)
    world.clock.time += 3601
    await engine.search(Query(text="ferries"), world.call())
    assert len(world.api.asked) == 2


@pytest.mark.promise("002.102")
async def test_a_cache_of_zero_seconds_is_none() -> None:
    world = World(limits=EngineOptions(search_cache_s=0))
    world.api.answers[SEARCH] = searxng_reply("https://a.test/")
    engine = world.engine()
    for _ in range(2):
        await engine.search(Query(text="ferries"), world.call())
    assert len(world.api.asked) == 2


class BusyState(MemoryState):
    """A state that cannot be used."""

    async def get(self, key: str) -> str | None:
        raise StoreBusy("The state is busy.", hint="Wait.")

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        raise StoreBusy("The state is busy.", hint="Wait.")


async def test_a_state_that_is_away_costs_the_cache_and_nothing_else() -> None:
    world = World()
    world.state = BusyState(clock=world.clock)
    world.api.answers[SEARCH] = searxng_reply("https://a.test/")
    call = world.call()
    page = await world.engine().search(Query(text="ferries"), call)
    assert page.hits
    assert any("not cached" in note for note in call.log.notes)


async def test_the_caller_may_name_the_providers() -> None:
    world = World()
    world.api.answers[WIKI_API] = wikipedia_reply("Ferry")
    page = await world.engine().search(Query(text="ferries"), world.call(), providers=["wikipedia"])
    assert page.provider == "wikipedia"
    with pytest.raises(UnknownName) as unknown:
        await world.engine().search(Query(text="ferries"), world.call(), providers=["altavista"])
    assert "searxng" in unknown.value.hint


async def test_no_ready_provider_is_said_with_the_way_out() -> None:
    world = World(limits=EngineOptions(providers=("searxng",)))
    world.providers = (SearXNG(),)
    with pytest.raises(InvalidArgument) as nobody:
        await world.engine().search(Query(text="ferries"), world.call())
    assert "SEARXNG_URL" in nobody.value.hint


@pytest.mark.promise("002.29", "003.22")
async def test_hits_on_the_same_page_are_one_and_off_site_hits_go() -> None:
    world = World()
    same = (
        "https://docs.test/a?utm_source=x",
        "https://other.test/b",
        "https://docs.test/c",
        "https://docs.test/a",
    )
    world.api.answers[SEARCH] = searxng_reply(*same)
    page = await world.engine().search(Query(text="ferries", site="docs.test"), world.call())
    assert [hit.url for hit in page.hits] == ["https://docs.test/a?utm_source=x", "https://docs.test/c"]


async def test_a_filter_that_could_not_be_applied_is_named() -> None:
    world = World(limits=EngineOptions(providers=("wikipedia",)))
    world.api.answers[WIKI_API] = wikipedia_reply("Ferry")
    page = await world.engine().search(Query(text="ferries", time_range="week"), world.call())
    assert any("time_range" in note for note in page.notes)


async def test_a_failing_second_page_does_not_lose_the_first() -> None:
    world = World()
    first = searxng_reply(*(f"https://a.test/{n}" for n in range(10)))

    def answer(request: object) -> object:
        if world.api.asked[-1].params.get("pageno", 1) == 1:
            return first
        raise RateLimited("SearXNG")

    world.api.answers[SEARCH] = answer  # type: ignore[assignment]
    page = await world.engine().search(Query(text="ferries", count=20), world.call())
    assert len(page.hits) == 10


@pytest.mark.promise("002.84", "002.132")
async def test_content_is_read_at_once_and_a_dead_page_keeps_its_hit() -> None:
    world = World()
    world.api.answers[SEARCH] = searxng_reply("https://a.test/", "https://b.test/")
    world.serve("https://a.test/", "# Ferries\n\nThe ferry leaves at noon.")
    engine = world.engine()
    page = await engine.with_content(await engine.search(Query(text="ferry"), world.call()), world.call())
    alive, dead = page.contents
    assert alive.page
    assert alive.passages[0].text in alive.page.text
    assert dead.failure
    assert dead.failure.outcome is Outcome.UNREACHABLE


async def test_content_that_is_late_is_left_out_at_the_deadline() -> None:
    world = World(web=Stuck())
    world.api.answers[SEARCH] = searxng_reply("https://a.test/")
    engine = world.engine()
    found = await engine.search(Query(text="ferry"), world.call())
    page = await engine.with_content(found, replace(world.call(), deadline=world.clock.monotonic() + 0.02))
    assert page.contents[0].failure
    assert page.contents[0].failure.outcome is Outcome.TIMEOUT


async def test_the_result_names_the_wiki_that_was_asked() -> None:
    world = World(providers=(Wikipedia(base_url="http://{language}.wiki.test"),))
    world.api.answers["http://de.wiki.test/w/api.php"] = wikipedia_reply("Fähre")
    page = await world.engine().search(Query(text="Fähren", language="de"), world.call())
    assert page.instance == "http://de.wiki.test"


async def test_an_empty_library_does_not_stand_in_for_a_web_that_could_not_be_searched() -> None:
    world = World()
    world.api.answers[SEARCH] = searxng_reply()
    world.api.answers[WIKI_API] = RateLimited("Wikipedia")
    page = await world.engine().search(Query(text="xyzzy"), world.call())
    assert page.hits == ()
    world.api.answers[SEARCH] = Unreachable("SearXNG is away.", hint="Start it.")
    with pytest.raises(Unreachable, match="SearXNG is away"):
        await world.engine().search(Query(text="another"), world.call())
    world.api.answers[WIKI_API] = wikipedia_reply()
    with pytest.raises(Unreachable, match="SearXNG is away"):
        await world.engine().search(Query(text="a third"), world.call())


async def test_a_stand_in_is_kept_for_a_minute_only() -> None:
    world = World()
    world.api.answers[SEARCH] = Unreachable("SearXNG is away.", hint="Start it.")
    world.api.answers[WIKI_API] = wikipedia_reply("Ferry")
    engine = world.engine()
    first = await engine.search(Query(text="ferries"), world.call())
    again = await engine.search(Query(text="ferries"), world.call())
    assert (first.provider, again.provider) == ("wikipedia", "wikipedia")
    assert [failure.who for failure in first.failures] == ["searxng"]
    assert again.failures == ()  # nobody was asked, so nobody failed
    world.api.answers[SEARCH] = searxng_reply("https://a.test/")
    world.clock.time += 61
    assert (await engine.search(Query(text="ferries"), world.call())).provider == "searxng"


async def test_a_cached_record_of_another_shape_is_a_miss() -> None:
    world = World()
    state = MemoryState(clock=world.clock)
    world.state = state
    world.api.answers[SEARCH] = searxng_reply("https://a.test/")
    engine = world.engine()
    await engine.search(Query(text="ferries"), world.call())
    for key in list(state._records):
        await state.put(key, '{"hits": []}', ttl_s=100)
    assert (await engine.search(Query(text="ferries"), world.call())).hits


async def test_only_off_site_hits_go_on_to_the_next() -> None:
    world = World()
    world.api.answers[SEARCH] = searxng_reply("https://other.test/b")
    engine = world.engine()
    world.serve("https://docs.test/a", "# Ferries\n\nThe ferry leaves at noon.")
    await engine.fetch("https://docs.test/a", world.call())
    page = await engine.search(Query(text="ferry", site="docs.test"), world.call(), providers=["searxng", "library"])
    assert [hit.url for hit in page.hits] == ["https://docs.test/a"]


async def test_what_one_instance_found_is_not_shown_as_what_another_did() -> None:
    world = World(state=MemoryState(clock=SetClock()))
    world.api.answers[SEARCH] = searxng_reply("https://a.test/")
    await world.engine().search(Query(text="ferries"), world.call())
    world.providers = (SearXNG(base_url="http://other.test"),)
    world.api.answers["http://other.test/search"] = searxng_reply("https://b.test/")
    page = await world.engine().search(Query(text="ferries"), world.call())
    assert [hit.url for hit in page.hits] == ["https://b.test/"]
    assert page.instance == "http://other.test"


async def test_providers_are_told_the_day_of_the_engines_clock_and_the_result_holds_the_query_as_asked() -> None:
    world = World(clock=SetClock(), providers=(HackerNews(base_url="http://hn.test"),))
    world.clock.time = datetime(2027, 3, 2, 23, 59, tzinfo=UTC).timestamp()
    world.api.answers["http://hn.test/search"] = reply_of({"hits": [], "nbHits": 0})
    query = Query(text="ferries", time_range="day", category="it")
    page = await world.engine().search(query, world.call())
    start = int(datetime(2027, 3, 1, tzinfo=UTC).timestamp())
    assert world.api.asked[0].params["numericFilters"] == f"created_at_i>={start}"
    assert page.query == query


class Brief(Paid):
    max_chars: ClassVar[int | None] = 20
    max_words: ClassVar[int | None] = 3


LENGTHS = {
    "just short enough": ("one  two    three   ", False),
    "a word too many": ("a b c d", True),
    "a character too many": ("x" * 21, True),
}


@pytest.mark.parametrize(("text", "is_cut"), LENGTHS.values(), ids=LENGTHS)
async def test_a_query_that_is_cut_for_a_provider_is_told(text: str, is_cut: bool) -> None:
    world = World(providers=(Brief(),))
    world.api.answers[Brief().base_url] = urls("https://a.test/")
    page = await world.engine().search(Query(text=text), world.call())
    assert page.notes == (("The query is longer than Paid takes: its end was cut off.",) if is_cut else ())


async def test_a_provider_without_bounds_is_given_any_query() -> None:
    world = World(providers=(Paid(),))
    world.api.answers[Paid().base_url] = urls("https://a.test/")
    assert (await world.engine().search(Query(text="word " * 400), world.call())).notes == ()
