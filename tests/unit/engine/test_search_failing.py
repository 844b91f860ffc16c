"""Search: what happens around a provider that fails, and who is asked in its place."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gossamer.engine import Engine
from gossamer.engine.policies import SearchPolicy
from gossamer.errors import (
    Denied,
    GossamerError,
    InvalidArgument,
    Outcome,
    QuotaExhausted,
    RateLimited,
    StoreBusy,
    UnexpectedReply,
    Unreachable,
)
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Query, SearchPage
from gossamer.ports import Call
from gossamer.resilience.retry import RetryPolicy
from gossamer.states.memory import MemoryState
from gossamer.states.sqlite import SqliteState
from tests.unit.engine.services import Dear, Ending, Free, Paid, Resting, Service, Spare, Third, urls
from tests.unit.engine.world import SEARX, World, reply_of, searxng_reply

PAID, FREE, DEAR = "http://paid.test", "http://free.test", "http://dear.test"
HIT = "https://a.test/"
DOWN = Unreachable("Paid is down.", hint="Wait.")


def world(*providers: Service) -> World:
    made = World(providers=providers or (Paid(), Free()))
    made.limits = replace(made.limits, search_cache_s=0)
    made.api.answers[FREE] = urls(HIT)
    return made


def turns(*answers: HttpReply | GossamerError) -> Callable[[HttpRequest], HttpReply]:
    """One answer after the other, the last again and again."""
    waiting = list(answers)

    def answer(_request: HttpRequest) -> HttpReply:
        said = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(said, GossamerError):
            raise said
        return said

    return answer


async def searched(engine: Engine, world: World, call: Call | None = None) -> SearchPage:
    return await engine.search(Query(text="ferries"), call or world.call())


def asked(world: World, url: str) -> int:
    return sum(request.url == url for request in world.api.asked)


async def test_a_server_error_is_asked_again_once_and_both_attempts_are_recorded() -> None:
    at = world()
    at.api.answers[PAID] = turns(DOWN, urls(HIT))
    call = at.call()
    page = await searched(at.engine(), at, call)
    assert (page.provider, page.failures) == ("paid", ())
    assert [(part.name, part.outcome) for part in call.log.parts] == [
        ("paid", Outcome.UNREACHABLE),
        ("paid", Outcome.OK),
    ]


async def test_searches_under_way_are_cut_short_by_no_outage_that_another_one_noticed() -> None:
    at = world()
    at.state = YieldingState(clock=at.clock)
    at.api.answers[PAID] = DOWN
    engine = at.engine()
    await asyncio.gather(*(engine.search(Query(text=f"ferries {n}"), at.call()) for n in range(4)))
    assert asked(at, PAID) == 8
    at.clock.time += 31
    await searched(engine, at)  # a probe asks once
    assert asked(at, PAID) == 9


async def test_a_server_error_that_stays_is_asked_for_twice_and_then_somebody_else() -> None:
    at = world()
    at.api.answers[PAID] = DOWN
    page = await searched(at.engine(), at)
    assert (page.provider, asked(at, PAID)) == ("free", 2)
    assert [(failure.who, failure.outcome) for failure in page.failures] == [("paid", Outcome.UNREACHABLE)]


@pytest.mark.parametrize(
    "answer",
    [reply_of({}, status) for status in (400, 401, 403, 404, 429)] + [reply_of({"urls": 7}), reply_of({})],
    ids=["400", "401", "403", "404", "429", "wrong shape", "error object"],
)
async def test_what_will_not_pass_is_asked_once(answer: HttpReply) -> None:
    at = world()
    at.api.answers[PAID] = answer
    assert (await searched(at.engine(), at)).provider == "free"
    assert asked(at, PAID) == 1


@pytest.mark.promise("002.23", "002.108", "002.143")
async def test_three_failures_within_ten_seconds_are_an_outage_that_is_told_and_not_asked() -> None:
    at = world()
    at.api.answers[PAID] = UnexpectedReply("Odd.")
    engine = at.engine()
    for _ in range(3):
        await searched(engine, at)
    page = await searched(engine, at)
    assert asked(at, PAID) == 3
    assert (page.provider, page.services) == ("free", ("Free",))
    failure = page.failures[0]
    assert (failure.who, failure.outcome, failure.retry_after_s) == ("paid", Outcome.ERROR, 30)
    assert "3 times in a row" in failure.message


class YieldingState(MemoryState):
    """Lets others in between reading and writing, as a real one does."""

    async def get(self, key: str) -> str | None:
        value = await super().get(key)
        await asyncio.sleep(0)
        return value


async def test_one_of_many_callers_probes_every_thirty_seconds_and_a_good_answer_ends_the_outage() -> None:
    at = world()
    at.state = YieldingState(clock=at.clock)
    at.api.answers[PAID] = UnexpectedReply("Odd.")
    engine = at.engine()
    for _ in range(3):
        await searched(engine, at)
    at.clock.time += 31
    queries = [Query(text=f"ferries {n}") for n in range(5)]
    await asyncio.gather(*(engine.search(query, at.call()) for query in queries))
    assert asked(at, PAID) == 4
    at.clock.time += 31
    at.api.answers[PAID] = urls(HIT)
    assert (await searched(engine, at)).provider == "paid"
    assert (await searched(engine, at)).provider == "paid"


async def test_failures_at_one_time_are_all_counted() -> None:
    at = world()
    at.state = YieldingState(clock=at.clock)
    at.api.answers[PAID] = UnexpectedReply("Odd.")
    engine = at.engine()
    await asyncio.gather(*(engine.search(Query(text=f"ferries {n}"), at.call()) for n in range(3)))
    page = await searched(engine, at)
    assert "3 times in a row" in page.failures[0].message


@pytest.mark.promise("002.142", "002.175")
async def test_an_outage_survives_a_restart_and_is_known_to_every_process() -> None:
    at = world()
    at.state = MemoryState(clock=at.clock)
    at.api.answers[PAID] = UnexpectedReply("Odd.")
    here, elsewhere = at.engine(), at.engine()
    for engine in (here, elsewhere, here):
        await searched(engine, at)
    await searched(at.engine(), at)
    assert asked(at, PAID) == 3


async def test_an_outage_is_read_from_the_file_that_it_was_written_to(tmp_path: Path) -> None:
    at = world()
    at.api.answers[PAID] = UnexpectedReply("Odd.")
    for _ in range(4):
        at.state = await SqliteState.open_file(tmp_path / "state.sqlite", clock=at.clock)
        await searched(at.engine(), at)
        await at.state.close()
    assert asked(at, PAID) == 3


async def test_a_contract_may_be_more_patient_with_limits_too() -> None:
    at = world()
    at.api.answers[PAID] = turns(RateLimited("Paid", retry_after_s=0), DOWN, urls(HIT))
    patient = SearchPolicy(retries=RetryPolicy(most=2, when_limited=True))
    page = await at.engine().search(Query(text="ferries"), at.call(), policy=patient)
    assert (page.provider, asked(at, PAID)) == ("paid", 3)


async def test_a_page_that_fails_after_good_ones_is_an_attempt_of_its_own() -> None:
    at = World()
    first = searxng_reply(*(f"https://a.test/{n}" for n in range(10)))
    at.api.answers[f"{SEARX}/search"] = turns(first, RateLimited("SearXNG"))
    call = at.call()
    page = await at.engine().search(Query(text="ferries", count=20), call)
    assert len(page.hits) == 10
    assert [part.outcome for part in call.log.parts] == [Outcome.RATE_LIMITED, Outcome.OK]


async def test_a_good_answer_in_between_is_no_outage() -> None:
    at = world()
    engine = at.engine()
    odd = UnexpectedReply("Odd.")
    at.api.answers[PAID] = turns(odd, odd, urls(HIT), odd, odd, odd, odd, urls(HIT))
    providers = [(await searched(engine, at)).provider for _ in range(8)]
    assert providers == ["free", "free", "paid", "free", "free", "free", "free", "paid"]


WAITS = {
    "a limit until it is over": (RateLimited("Paid", retry_after_s=90), 90),
    "a spent quota for an hour": (QuotaExhausted("Paid is spent."), 3600),
    "a bad key for a minute": (Denied("Paid does not know us."), 60),
}


@pytest.mark.promise("002.73", "002.77")
@pytest.mark.parametrize(("error", "wait_s"), WAITS.values(), ids=WAITS)
async def test_a_service_is_not_asked_before_it_can_answer(error: GossamerError, wait_s: float) -> None:
    at = world()
    at.api.answers[PAID] = error
    engine = at.engine()
    for _ in range(4):
        page = await searched(engine, at)
        assert page.failures[0].outcome is error.outcome
    at.clock.time += wait_s - 1
    await searched(engine, at)
    assert asked(at, PAID) == 1
    at.clock.time += 2
    at.api.answers[PAID] = urls(HIT)
    assert (await searched(engine, at)).provider == "paid"


async def test_another_key_is_not_held_to_account() -> None:
    at = world()
    at.state = MemoryState(clock=at.clock)
    at.api.answers[PAID] = QuotaExhausted("Paid is spent.")
    await searched(at.engine(), at)
    at.providers = (Paid(api_key="another", base_url="https://paid.test"), Free())  # type: ignore[arg-type]
    at.api.answers["https://paid.test"] = urls(HIT)
    assert (await searched(at.engine(), at)).provider == "paid"


async def test_queries_that_are_not_accepted_say_nothing_of_the_service() -> None:
    at = world()
    at.api.answers[PAID] = InvalidArgument("Too long.")
    engine = at.engine()
    for _ in range(6):
        await searched(engine, at)
    assert asked(at, PAID) == 6


class AwayState(MemoryState):
    """A state that cannot be used at all."""

    async def get(self, key: str) -> str | None:
        raise StoreBusy("The state is busy.", hint="Wait.")

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        raise StoreBusy("The state is busy.", hint="Wait.")


async def test_without_the_state_everybody_is_asked_every_time() -> None:
    at = world()
    at.state = AwayState(clock=at.clock)
    at.api.answers[PAID] = UnexpectedReply("Odd.")
    engine = at.engine()
    for _ in range(6):
        assert (await searched(engine, at)).provider == "free"
    assert asked(at, PAID) == 6


async def test_a_record_of_another_shape_is_none() -> None:
    at = world()
    state = at.state = MemoryState(clock=at.clock)
    at.api.answers[PAID] = QuotaExhausted("Paid is spent.")
    engine = at.engine()
    await searched(engine, at)
    for key in list(state._records):
        await state.put(key, "[7]", ttl_s=100)
    at.api.answers[PAID] = urls(HIT)
    assert (await searched(engine, at)).provider == "paid"


async def test_nothing_found_is_asked_on_only_where_it_costs_nothing() -> None:
    at = world(Paid(), Dear(), Free())
    at.api.answers[PAID] = urls()
    page = await searched(at.engine(), at)
    assert (page.provider, page.services) == ("free", ("Paid", "Free"))
    assert page.failures == ()


async def test_nothing_found_twice_is_believed() -> None:
    at = world(Paid(), Free(), Spare(), Third())
    at.api.answers |= {PAID: urls(), FREE: urls()}
    page = await searched(at.engine(), at)
    assert (page.hits, page.services) == ((), ("Paid", "Free"))


async def test_a_failure_goes_on_to_whoever_is_next_even_for_money() -> None:
    at = world(Paid(), Dear(), Free())
    at.api.answers |= {PAID: QuotaExhausted("Paid is spent."), DEAR: urls(HIT)}
    assert (await searched(at.engine(), at)).provider == "dear"


async def test_a_service_that_ended_says_why_and_is_not_asked() -> None:
    at = world(Ending(), Free())
    at.api.answers["http://ending.test"] = urls(HIT)
    at.clock.time = datetime(2026, 12, 31, 23, 59, tzinfo=UTC).timestamp()
    engine = at.engine()
    assert (await searched(engine, at)).provider == "ending"
    at.clock.time += 60
    page = await searched(engine, at)
    assert (page.provider, page.services) == ("free", ("Free",))
    failure = page.failures[0]
    assert (failure.who, failure.outcome) == ("ending", Outcome.UNREACHABLE)
    assert (failure.message, failure.hint) == ("Ending ended on 2027-01-01.", "Use Paid instead.")
    at.api.answers[FREE] = UnexpectedReply("Odd.")
    with pytest.raises(UnexpectedReply, match=r"Odd\. ending: Ending ended on 2027-01-01"):
        await searched(engine, at)
    with pytest.raises(Unreachable, match="ended on 2027-01-01"):
        await engine.search(Query(text="ferries"), at.call(), providers=["ending"])
    assert asked(at, "http://ending.test") == 1


async def test_one_that_asks_for_a_rest_with_its_answer_gets_it() -> None:
    at = world(Resting(), Free())
    at.api.answers |= {"http://resting.test": urls(HIT), FREE: urls(HIT)}
    engine = at.engine()
    assert (await searched(engine, at)).failures == ()
    second = await searched(engine, at)
    assert second.provider == "free"
    assert [(one.who, one.outcome, one.retry_after_s) for one in second.failures] == [
        ("resting", Outcome.RATE_LIMITED, 10.0)
    ]
    at.clock.time += 10
    assert (await searched(engine, at)).provider == "resting"


@pytest.mark.parametrize("site", ["not a site", "imdb.com, rottentomatoes.com", "imdb.com/title"])
async def test_what_is_no_single_site_is_refused_before_anybody_is_asked(site: str) -> None:
    at = world()
    with pytest.raises(InvalidArgument, match="site"):
        await at.engine().search(Query(text="ferries", site=site), at.call())
    assert asked(at, PAID) == asked(at, FREE) == 0
