"""Search: slow providers and their stand-ins, queues, equal searches at one time, and what is kept."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from gossamer.engine import Engine, EngineOptions
from gossamer.errors import Busy, Outcome, StoreBusy, TimedOut, UnexpectedReply, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Category, Found, Hit, Query, SearchPage
from gossamer.ports import Call, Filter, Terms
from gossamer.providers.openai import OpenAI
from gossamer.resilience.pacing import Queues
from gossamer.states.memory import MemoryState
from gossamer.testing.state_contract import SetClock
from tests.unit.engine.services import Dear, Free, Model, Paced, Paid, Private, Secret, Service, Spare, urls
from tests.unit.engine.world import CannedHttp, World

PAID, FREE, SPARE = "http://paid.test", "http://free.test", "http://spare.test"
HIT = "https://a.test/"
QUICK = EngineOptions(provider_timeout_s=0.5, search_cache_s=0)
"""A slow one gets company after 0.2 s."""


class RunningClock(SetClock):
    """The time of the event loop."""

    def now(self) -> float:
        return self.time + asyncio.get_running_loop().time()

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


@dataclass
class Slow(CannedHttp):
    """Answers some addresses only when their gate is opened."""

    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    arrived: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.arrived.put_nowait(request.url)
        if gate := self.gates.get(request.url):
            await gate.wait()
        return await super().send(request, call)

    async def until(self, url: str) -> None:
        while await self.arrived.get() != url:
            pass

    def requests(self, url: str) -> int:
        """How many came to this address since the last look."""
        came = [self.arrived.get_nowait() for _ in range(self.arrived.qsize())]
        return came.count(url)


def slow_world(*providers: Service, slow: str = PAID) -> tuple[World, Slow]:
    api = Slow(gates={slow: asyncio.Event()})
    made = World(api=api, clock=RunningClock(), limits=QUICK, providers=providers)
    made.api.answers |= {FREE: urls(HIT), PAID: urls("https://paid.test/hit"), SPARE: urls("https://spare.test/hit")}
    return made, api


async def searched(engine: Engine, world: World, text: str = "ferries", call: Call | None = None) -> SearchPage:
    return await engine.search(Query(text=text), call or world.call())


@pytest.mark.promise("002.149")
async def test_a_slow_provider_is_overtaken_by_a_free_one_and_told_of() -> None:
    at, _ = slow_world(Paid(), Dear(), Free())
    call = at.call()
    page = await searched(at.engine(), at, call=call)
    assert (page.provider, page.services) == ("free", ("Paid", "Free"))
    assert [(failure.who, failure.outcome) for failure in page.failures] == [("paid", Outcome.TIMEOUT)]
    assert {(part.name, part.outcome) for part in call.log.parts} == {("free", Outcome.OK), ("paid", Outcome.TIMEOUT)}


async def test_one_that_failed_and_is_slow_when_asked_again_is_told_of_as_what_failed() -> None:
    at, api = slow_world(Paid(), Free())
    at.limits = replace(QUICK, provider_timeout_s=2.0)
    gate = api.gates.pop(PAID)

    def down(_request: HttpRequest) -> HttpReply:
        api.gates[PAID] = gate
        raise Unreachable("Paid is down.", hint="Wait.")

    api.answers[PAID] = down
    call = at.call()
    page = await searched(at.engine(), at, call=call)
    assert page.provider == "free"
    assert [(failure.who, failure.outcome) for failure in page.failures] == [("paid", Outcome.UNREACHABLE)]
    assert [(part.name, part.outcome) for part in call.log.parts] == [
        ("paid", Outcome.UNREACHABLE),
        ("free", Outcome.OK),
    ]
    assert api.requests(PAID) == 2


async def test_one_that_only_stood_in_its_queue_did_not_see_the_query_and_did_not_fail() -> None:
    at = World(clock=RunningClock(), limits=replace(QUICK, provider_timeout_s=2.0))
    at.providers = (Paced(per_second=0.6), Free())
    at.api.answers |= {"http://paced.test": urls(HIT), FREE: urls(HIT)}
    engine = at.engine()
    await searched(engine, at, "one")
    page = await searched(engine, at, "two")
    assert (page.provider, page.services, page.failures) == ("free", ("Free",), ())


async def test_a_provider_that_is_always_overtaken_is_left_alone() -> None:
    at, api = slow_world(Paid(), Free())
    engine = at.engine()
    for _ in range(4):
        assert (await searched(engine, at)).provider == "free"
    assert api.requests(PAID) == 3


async def test_without_anybody_who_costs_nothing_a_slow_one_is_waited_for_alone() -> None:
    at, api = slow_world(Paid(), Dear())
    at.limits = replace(QUICK, provider_timeout_s=2.0)
    asyncio.get_running_loop().call_later(0.9, api.gates[PAID].set)
    page = await searched(at.engine(), at)
    assert (page.provider, page.services, page.failures) == ("paid", ("Paid",), ())


async def test_when_the_first_answers_after_all_its_stand_in_is_no_failure() -> None:
    at, api = slow_world(Paid(), Spare())
    at.limits = replace(QUICK, provider_timeout_s=5.0)
    api.gates[SPARE] = asyncio.Event()
    task = asyncio.create_task(searched(at.engine(), at))
    await api.until(SPARE)
    api.gates[PAID].set()
    page = await task
    assert (page.provider, page.services, page.failures) == ("paid", ("Paid", "Spare"), ())


async def test_when_the_stand_in_fails_too_the_next_is_asked_at_once() -> None:
    at, api = slow_world(Paid(), Free(), Spare())
    api.answers[FREE] = UnexpectedReply("Odd.")
    page = await searched(at.engine(), at)
    assert page.provider == "spare"
    assert {failure.who for failure in page.failures} == {"paid", "free"}


async def test_who_says_that_it_takes_its_time_is_given_it() -> None:
    at, api = slow_world(Model(), Free(), slow="http://model.test")
    api.answers["http://model.test"] = urls(HIT)
    asyncio.get_running_loop().call_later(0.8, api.gates["http://model.test"].set)
    page = await at.engine().search(Query(text="ferries"), at.call(), providers=["model", "free"])
    assert (page.provider, page.services) == ("model", ("Model",))
    assert (await searched(at.engine(), at, "another")).provider == "free"


async def test_one_that_takes_its_time_leaves_some_of_it_to_those_after_it() -> None:
    at, api = slow_world(Model(), Paid(), slow="http://model.test")
    page = await at.engine().search(Query(text="ferries"), at.call(seconds=2.0), providers=["model", "paid"])
    assert (page.provider, page.services) == ("paid", ("Model", "Paid"))
    assert [(failure.who, failure.outcome) for failure in page.failures] == [("model", Outcome.TIMEOUT)]
    assert api.requests("http://model.test") == 1


async def test_nobody_is_asked_when_the_time_is_over() -> None:
    at, api = slow_world(Paid(), Dear())
    with pytest.raises(TimedOut, match=r"Paid did not answer within 0 s"):
        await searched(at.engine(), at, call=at.call(seconds=0))
    assert api.arrived.qsize() <= 1


async def test_when_all_are_slow_the_error_names_each() -> None:
    at, api = slow_world(Paid(), Free())
    api.gates[FREE] = asyncio.Event()
    with pytest.raises(TimedOut) as late:
        await searched(at.engine(), at)
    assert "Paid did not answer within 0.5 s" in str(late.value)
    assert "Free did not answer" in str(late.value)


async def test_time_that_the_caller_did_not_have_is_not_the_services_fault() -> None:
    at, _ = slow_world(Paid(), slow=PAID)
    engine = at.engine()
    for _ in range(4):
        with pytest.raises(TimedOut, match="did not answer within"):
            await searched(engine, at, call=at.call(seconds=0.05))


async def test_cancelling_a_search_stops_all_who_were_asked() -> None:
    at, api = slow_world(Paid(), Free())
    api.gates[FREE] = asyncio.Event()
    before = asyncio.all_tasks()
    task = asyncio.create_task(searched(at.engine(), at))
    await api.until(FREE)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    if still_there := asyncio.all_tasks() - before:
        await asyncio.wait(still_there, timeout=60)
    assert asyncio.all_tasks() == before
    assert api.asked == []


async def test_equal_searches_at_one_time_are_one_and_each_call_tells_of_it() -> None:
    at, api = slow_world(Paid())
    engine = at.engine()
    calls = [at.call() for _ in range(5)]
    tasks = [asyncio.create_task(searched(engine, at, call=call)) for call in calls]
    await api.until(PAID)
    tasks[0].cancel()
    api.gates[PAID].set()
    pages = await asyncio.gather(*tasks[1:])
    assert {page.hits for page in pages} == {pages[0].hits}
    assert len(api.asked) == 1
    assert [part.name for call in calls[1:] for part in call.log.parts] == ["search shared"] * 4


async def test_who_joins_a_search_with_less_time_leaves_it_earlier() -> None:
    at, api = slow_world(Paid())
    at.limits = replace(QUICK, provider_timeout_s=5.0)
    engine = at.engine()
    patient = asyncio.create_task(searched(engine, at))
    await api.until(PAID)
    with pytest.raises(TimedOut, match="time of this call ran out"):
        await searched(engine, at, call=at.call(seconds=0.05))
    api.gates[PAID].set()
    assert (await patient).hits


async def test_a_failure_of_a_shared_search_is_everybodys() -> None:
    at = World(limits=QUICK, providers=(Paid(),))
    at.api.answers[PAID] = UnexpectedReply("Odd.")
    engine = at.engine()
    ended = await asyncio.gather(*(searched(engine, at) for _ in range(3)), return_exceptions=True)
    assert [str(error) for error in ended] == ["Paid: Odd."] * 3
    assert len({id(error) for error in ended}) == 3


KEEPS = {
    "as long as the setting says": (Paid(), (HIT,), 3600),
    "as long as the terms allow": (Private(), (HIT,), 10),
    "for ten minutes where the terms forbid to write them down": (Secret(), (HIT,), 600),
    "nothing found where the terms forbid to write it down": (Secret(), (), 60),
    "nothing found for a minute": (Paid(), (), 60),
    "nothing found where the terms allow less": (Private(), (), 10),
}


@pytest.mark.promise("002.140", "003.104")
@pytest.mark.parametrize(("provider", "found", "keep_s"), KEEPS.values(), ids=KEEPS)
async def test_results_are_kept(provider: Service, found: tuple[str, ...], keep_s: float) -> None:
    at = World(providers=(provider,))
    at.api.answers[provider.base_url] = urls(*found)
    engine = at.engine()
    await searched(engine, at)
    at.clock.time += keep_s - 1
    page = await searched(engine, at)
    assert (page.services, len(at.api.asked)) == ((), 1)
    assert [hit.url for hit in page.hits] == list(found)
    at.clock.time += 2
    await searched(engine, at)
    assert len(at.api.asked) == 2


@dataclass
class Sleeper:
    """Waits by moving the clock."""

    clock: SetClock
    slept: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        await asyncio.sleep(0)
        self.clock.time += seconds


@pytest.mark.promise("002.25", "002.36", "003.26")
async def test_a_queue_keeps_the_pace_in_the_order_of_coming_for_all_that_share_the_state() -> None:
    clock = SetClock()
    state, sleep = MemoryState(clock=clock), Sleeper(clock)
    here, elsewhere = (Queues(state, clock, sleep=sleep) for _ in range(2))
    call = Call(clock=clock, deadline=clock.time + 100)
    began, order = clock.time, list[tuple[int, float]]()

    async def one(number: int, queues: Queues) -> None:
        await queues.turn("key", "It", 2.0, call)
        order.append((number, clock.time - began))

    await asyncio.gather(*(one(number, here) for number in range(4)))
    await one(4, elsewhere)
    assert order == [(0, 0), (1, 0.5), (2, 1.0), (3, 1.5), (4, 2.0)]
    await elsewhere.turn("another key", "It", 2.0, call)
    assert sleep.slept == [0.5] * 4


class YieldingState(MemoryState):
    """Lets others in between reading and writing, as a real one does."""

    async def get(self, key: str) -> str | None:
        value = await super().get(key)
        await asyncio.sleep(0)
        return value


async def test_two_processes_never_get_the_same_start() -> None:
    clock = SetClock()
    state = YieldingState(clock=clock)
    call = Call(clock=clock, deadline=clock.time + 100)
    sleepers = [Sleeper(SetClock()) for _ in range(3)]
    await asyncio.gather(*(Queues(state, clock, sleep=sleep).turn("key", "It", 1.0, call) for sleep in sleepers))
    assert sorted(sleep.slept for sleep in sleepers) == [[], [1.0], [2.0]]


async def test_a_queue_that_is_longer_than_the_call_says_so_at_once() -> None:
    clock = SetClock()
    queues = Queues(MemoryState(clock=clock), clock, sleep=Sleeper(clock))
    call = Call(clock=clock, deadline=clock.time + 2)
    ended = await asyncio.gather(*(queues.turn("key", "It", 1.0, call) for _ in range(6)), return_exceptions=True)
    assert [type(end) for end in ended] == [type(None)] * 3 + [Busy] * 3


class AwayState(MemoryState):
    """A state that cannot be used."""

    async def get(self, key: str) -> str | None:
        raise StoreBusy("The state is busy.", hint="Wait.")


@pytest.mark.parametrize("written", [None, "not a number", "1e99"], ids=["away", "nonsense", "a far future"])
async def test_a_pace_is_kept_within_the_process_when_the_state_is_no_help(written: str | None) -> None:
    clock = SetClock()
    state = MemoryState(clock=clock) if written else AwayState(clock=clock)
    if written:
        await state.put("pace:key", written, ttl_s=100)
    sleep = Sleeper(clock)
    queues = Queues(state, clock, sleep=sleep)
    call = Call(clock=clock, deadline=clock.time + 100)
    for _ in range(3):
        await queues.turn("key", "It", 1.0, call)
    assert sleep.slept == [1.0, 1.0]


@pytest.mark.promise("002.77", "003.26", "003.103")
async def test_a_provider_is_asked_at_its_pace_unless_the_operator_sets_another() -> None:
    for provider, least_s in ((Paced(), 0.45), (Paced(per_second=1000), 0.0)):
        at = World(clock=RunningClock(), limits=EngineOptions(search_cache_s=0), providers=(provider,))
        at.api.answers["http://paced.test"] = urls(HIT)
        engine, began = at.engine(), at.clock.monotonic()
        await asyncio.gather(searched(engine, at, "one"), searched(engine, at, "two"))
        assert at.clock.monotonic() - began >= least_s


async def test_a_full_queue_is_no_fault_of_the_service_and_somebody_else_is_asked() -> None:
    at = World(clock=RunningClock(), limits=QUICK, providers=(Paced(per_second=0.1), Free()))
    at.api.answers |= {"http://paced.test": urls(HIT), FREE: urls(HIT)}
    engine = at.engine()
    call = at.call()
    assert (await searched(engine, at, "one")).provider == "paced"
    page = await searched(engine, at, "two", call)
    assert (page.provider, page.services) == ("free", ("Free",))
    assert page.failures[0].outcome is Outcome.TIMEOUT
    assert [(part.name, part.outcome) for part in call.log.parts] == [("paced", Outcome.TIMEOUT), ("free", Outcome.OK)]


TIMES = {
    "as long as any": (Free(), 10.0),
    "as long as it needs": (Model(), 70.0),
    "as the operator set": (Paid(timeout_s=3.0), 3.0),
    "as the operator set, whatever it needs": (Model(timeout_s=5.0), 5.0),
}


@pytest.mark.parametrize(("provider", "time_s"), TIMES.values(), ids=TIMES)
async def test_a_provider_is_given_its_time_within_that_of_the_call(provider: Service, time_s: float) -> None:
    given: list[float] = []

    class Watching(CannedHttp):
        async def send(self, request: HttpRequest, call: Call) -> HttpReply:
            given.append(call.remaining_s)
            return urls(HIT)

    for call_s in (200.0, 2.0):
        at = World(api=Watching(), providers=(provider,))
        await at.engine().search(Query(text="ferries"), at.call(call_s))
    assert given == [time_s, min(time_s, 2.0)]


def test_a_model_that_searches_is_given_a_minute_and_a_half() -> None:
    assert OpenAI.terms.takes_s >= 90


class Shelf:
    """A source with a pace of its own."""

    name = "shelf"
    title = "Shelf"
    filters: frozenset[Filter] = frozenset()
    categories: frozenset[Category] = frozenset({"general"})
    terms = Terms(per_second=2.0)
    timeout_s: float | None = None

    def instance(self, query: Query) -> str:
        return "the shelf"

    async def search(self, query: Query, call: Call) -> Found:
        return Found(hits=(Hit(url=HIT, title="Hit"),))


async def test_a_source_is_asked_at_its_pace_and_named_by_its_place() -> None:
    at = World(clock=RunningClock(), limits=EngineOptions(search_cache_s=0), providers=(Shelf(),))
    engine, began = at.engine(), at.clock.monotonic()
    page, _ = await asyncio.gather(searched(engine, at, "one"), searched(engine, at, "two"))
    assert at.clock.monotonic() - began >= 0.45
    assert (page.instance, page.services) == ("the shelf", ("Shelf",))
