"""What one tool's own policy changes about a search: who comes first, how long it is kept, how many go out at once."""

import asyncio
import math
from dataclasses import dataclass, field, replace

import pytest

from gossamer.engine.key_redaction import without_key
from gossamer.engine.policies import EngineOptions, SearchPolicy
from gossamer.engine.provider_call import Attempt, ProviderCalls
from gossamer.errors import Busy, RateLimited, StoreBusy, TimedOut
from gossamer.model.http import HttpReply, HttpRequest, NetworkSlots
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Call
from gossamer.resilience.breaker import CircuitBreakers
from gossamer.resilience.pacing import Queues, SlotPools
from gossamer.resilience.retry import RetryPolicy
from gossamer.states.memory import MemoryState
from gossamer.testing.state_contract import SetClock
from tests.unit.engine.services import Dear, Free, Paid, Service, urls
from tests.unit.engine.test_search_kept import Watched
from tests.unit.engine.test_search_waiting import AwayState, RunningClock, Slow, YieldingState
from tests.unit.engine.world import World

PAID, FREE, DEAR = "http://paid.test", "http://free.test", "http://dear.test"
HIT = "https://a.test/"
QUERY = Query(text="ferries")
PATIENT = SearchPolicy(retries=RetryPolicy(most=2, when_limited=True))


def world(*providers: Service, cache_s: float = 0) -> World:
    made = World(clock=RunningClock(), providers=providers or (Paid(),), limits=EngineOptions(search_cache_s=cache_s))
    made.api.answers |= {PAID: urls(HIT), FREE: urls(HIT), DEAR: urls(HIT)}
    return made


def turns(*answers: HttpReply | RateLimited) -> object:
    left = list(answers)

    def answer(_request: HttpRequest) -> HttpReply:
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, RateLimited):
            raise said
        return said

    return answer


async def test_somebody_may_be_asked_first() -> None:
    at = world(Paid(), Dear())
    engine = at.engine()
    assert (await engine.search(QUERY, at.call())).provider == "paid"
    assert (await engine.search(QUERY, at.call(), policy=SearchPolicy(first=("dear",)))).provider == "dear"


@pytest.mark.parametrize(("keep_s", "asked"), [(None, 1), (100.0, 1), (30.0, 2), (0.0, 2)])
async def test_a_tool_says_how_old_a_search_may_be(keep_s: float | None, asked: int) -> None:
    at = world(cache_s=3600)
    at.clock = clock = SetClock()
    engine = at.engine()
    await engine.search(QUERY, at.call())
    clock.advance(60)
    await engine.search(QUERY, at.call(), policy=SearchPolicy(keep_s=keep_s))
    assert len(at.api.asked) == asked


@pytest.mark.parametrize(("keep_s", "after_s", "asked"), [(600.0, 500.0, 1), (600.0, 700.0, 2), (0.0, 1.0, 2)])
async def test_a_tool_says_for_how_long_its_search_is_kept(keep_s: float, after_s: float, asked: int) -> None:
    at = world(cache_s=10)
    at.clock = clock = SetClock()
    engine, policy = at.engine(), SearchPolicy(keep_s=keep_s)
    await engine.search(QUERY, at.call(), policy=policy)
    clock.advance(after_s)
    await engine.search(QUERY, at.call(), policy=policy)
    assert len(at.api.asked) == asked


async def test_places_on_the_network_are_shared_and_given_back() -> None:
    api = Slow()
    api.answers[PAID] = urls(HIT)
    gate = api.gates[PAID] = asyncio.Event()
    at = World(api=api, clock=RunningClock(), providers=(Paid(),), limits=EngineOptions(search_cache_s=0))
    engine, policy = at.engine(), SearchPolicy(slots=NetworkSlots(name="shared", at_once=1))
    both = [asyncio.create_task(engine.search(Query(text=text), at.call(), policy=policy)) for text in ("one", "two")]
    await api.until(PAID)
    for _ in range(20):
        await asyncio.sleep(0)
    assert api.arrived.empty()  # the other one waits for the slot
    gate.set()
    await asyncio.gather(*both)
    await engine.search(Query(text="three"), at.call(), policy=policy)
    assert len(api.asked) == 3


async def test_who_waits_for_a_place_until_its_time_is_up_says_so() -> None:
    at = world()
    slots = NetworkSlots(name="none", at_once=0)
    with pytest.raises(Busy, match=r"Other requests to Paid wait; our turn did not come within 0\.1 s"):
        await at.engine().search(QUERY, at.call(0.1), policy=SearchPolicy(slots=slots))
    assert at.api.asked == []


async def test_one_that_is_overtaken_while_it_waits_for_its_turn_is_told_of() -> None:
    at = world(Paid(per_second=0.6), Free())
    at.limits = EngineOptions(search_cache_s=0, provider_timeout_s=2.0)
    engine, call = at.engine(), at.call()
    assert (await engine.search(Query(text="before"), at.call())).provider == "paid"
    page = await engine.search(QUERY, call)
    assert page.provider == "free"
    assert [note for note in call.log.notes if note.startswith("Paid takes 0.6 a second here; this search had waited")]


async def test_a_tool_says_how_long_a_service_may_take() -> None:
    api = Slow()
    api.gates[PAID] = asyncio.Event()
    at = World(api=api, clock=RunningClock(), providers=(Paid(),), limits=EngineOptions(search_cache_s=0))
    with pytest.raises(TimedOut, match=r"Paid did not answer within 0\.1 s"):
        await at.engine().search(QUERY, at.call(), policy=SearchPolicy(timeout_s=0.1))


async def test_a_service_s_own_time_counts_before_the_tool_s() -> None:
    api = Slow()
    api.gates[PAID] = asyncio.Event()
    at = World(api=api, clock=RunningClock(), providers=(Paid(timeout_s=0.1),), limits=EngineOptions(search_cache_s=0))
    with pytest.raises(TimedOut, match=r"within 0\.1 s"):
        await at.engine().search(QUERY, at.call(), policy=SearchPolicy(timeout_s=9.0))


async def test_a_limit_is_waited_out_beyond_the_time_of_the_service() -> None:
    at = world()
    at.limits = EngineOptions(search_cache_s=0, provider_timeout_s=0.2)
    at.api.answers[PAID] = turns(RateLimited("Paid", retry_after_s=0.4), urls(HIT))  # type: ignore[assignment]
    page = await at.engine().search(QUERY, at.call(3), policy=PATIENT)
    assert (page.provider, len(at.api.asked)) == ("paid", 2)


async def test_a_limit_that_somebody_else_met_is_waited_out_before_asking() -> None:
    at = world()
    at.api.answers[PAID] = turns(RateLimited("Paid", retry_after_s=0.3), urls(HIT))  # type: ignore[assignment]
    engine, began = at.engine(), at.clock.monotonic()
    with pytest.raises(RateLimited):
        await engine.search(QUERY, at.call())
    with pytest.raises(RateLimited):
        await engine.search(QUERY, at.call())
    assert len(at.api.asked) == 1
    await engine.search(QUERY, at.call(), policy=PATIENT)
    assert at.clock.monotonic() - began >= 0.3
    assert len(at.api.asked) == 2


async def test_a_limit_without_a_deadline_is_waited_out_too() -> None:
    at = world()
    at.api.answers[PAID] = turns(RateLimited("Paid", retry_after_s=0), urls(HIT))  # type: ignore[assignment]
    page = await at.engine().search(QUERY, Call(clock=at.clock), policy=PATIENT)
    assert page.provider == "paid"


async def test_a_part_of_the_results_is_kept_for_a_minute_only() -> None:
    class Partial(Paid):
        def parse(self, reply: HttpReply) -> Found:
            return replace(super().parse(reply), is_part=True)

    at = world(Partial(), cache_s=3600)
    at.clock = clock = SetClock()
    engine = at.engine()
    for _ in range(2):
        await engine.search(QUERY, at.call())
    assert len(at.api.asked) == 1
    clock.advance(61)
    await engine.search(QUERY, at.call())
    assert len(at.api.asked) == 2


class Echo(Paid):
    """Says the query and the key back."""

    def parse(self, reply: HttpReply) -> Found:
        said = f'{{"key": "my-own-key", "q": "ferries", "more": "{"x" * int(reply.headers.get("size", "0"))}"}}'
        return Found(hits=(Hit(url=HIT, title="T"),), raw=said)


def echoing(size: int = 0) -> tuple[World, Watched]:
    at = world(Echo.model_validate({"base_url": "http://localhost", "api_key": "my-own-key"}), cache_s=3600)
    at.api.answers["http://localhost"] = replace(urls(HIT), headers={"size": str(size)})
    at.state = state = Watched(clock=at.clock)
    return at, state


async def test_a_service_s_own_json_is_handed_on_without_the_key_and_never_written_down() -> None:
    at, state = echoing()
    engine, policy = at.engine(), SearchPolicy(wants_raw=True)
    for _ in range(2):
        page = await engine.search(QUERY, at.call(), policy=policy)
        assert page.raw == '{"key": "…", "q": "ferries", "more": ""}'
    assert len(at.api.asked) == 1
    assert "ferries" not in state.written
    assert HIT not in state.written


async def test_who_does_not_want_a_service_s_own_json_does_not_get_it() -> None:
    at, state = echoing()
    engine = at.engine()
    assert (await engine.search(QUERY, at.call())).raw == ""
    assert HIT in state.written
    assert "ferries" not in state.written
    assert (await engine.search(QUERY, at.call(), policy=SearchPolicy(wants_raw=True))).raw


async def test_json_that_is_very_long_is_not_held() -> None:
    at, _ = echoing(size=2**18)
    engine, policy = at.engine(), SearchPolicy(wants_raw=True)
    for _ in range(2):
        await engine.search(QUERY, at.call(), policy=policy)
    assert len(at.api.asked) == 2


SPELLINGS = {
    "as it is": "a key AIza+/=_-9 here",
    "in an address": "?key=AIza%2B%2F%3D_-9&x",
    "in small letters": "?key=AIza%2b%2f%3d_-9&x",
    "in JSON": '"AIza+\\/=_-9"',
    "in JSON, by number": '"AIza\\u002b/\\u003D_-9"',
    "mixed": "AIza+%2F=_-9",
}


@pytest.mark.parametrize("raw", SPELLINGS.values(), ids=SPELLINGS)
def test_a_key_is_found_in_every_spelling(raw: str) -> None:
    keyed = Paid.model_validate({"base_url": "https://paid.test", "api_key": "AIza+/=_-9"})
    said = without_key(raw, keyed)
    assert said.count("…") == 1
    assert not {"AIza", "_-9"} & {said[at : at + size] for at in range(len(said)) for size in (3, 4)}


def test_what_is_no_key_stays() -> None:
    assert without_key("short", Paid.model_validate({"base_url": "https://paid.test", "api_key": "short"})) == "short"
    assert without_key("nothing", Paid()) == "nothing"


@dataclass
class Sleeper:
    """Waits by moving the clock."""

    clock: SetClock
    slept: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.clock.time += seconds


async def starts(queues: Queues, clock: SetClock, count: int, *, most: int, gap_s: float = 0.0) -> list[float]:
    """When each of so many came to its turn, each asking a while after the one before."""
    began, came = clock.time, list[float]()
    for _ in range(count):
        call = Call(clock=clock, deadline=clock.time + 1000)
        await queues.minute("key", "It", most, call)
        came.append(round(clock.time - began, 3))
        clock.advance(gap_s)
    return came


async def test_so_many_start_at_once_and_the_next_when_the_first_is_a_minute_old() -> None:
    clock = SetClock()
    sleep = Sleeper(clock)
    queues = Queues(MemoryState(clock=clock), clock, sleep=sleep)
    assert await starts(queues, clock, 5, most=2) == [0, 0, 60, 60, 120]
    assert sleep.slept == [60, 60]


async def test_a_minute_slides() -> None:
    clock = SetClock()
    queues = Queues(MemoryState(clock=clock), clock, sleep=Sleeper(clock))
    came = await starts(queues, clock, 12, most=3, gap_s=7.0)
    assert came[:6] == [0, 7, 14, 60, 67, 74]
    assert all(sum(at <= other < at + 60 for other in came) <= 3 for at in came)


async def test_processes_share_a_minute() -> None:
    clock = SetClock()
    state = YieldingState(clock=clock)
    call = Call(clock=clock, deadline=clock.time + 1000)
    sleepers = [Sleeper(SetClock()) for _ in range(3)]
    await asyncio.gather(*(Queues(state, clock, sleep=sleep).minute("key", "It", 2, call) for sleep in sleepers))
    assert sorted(sleep.slept for sleep in sleepers) == [[], [], [60.0]]


async def test_a_turn_beyond_the_deadline_is_refused_at_once_and_takes_no_place() -> None:
    clock = SetClock()
    queues = Queues(MemoryState(clock=clock), clock, sleep=Sleeper(clock))
    await queues.minute("key", "It", 1, Call(clock=clock, deadline=clock.time + 30))
    for _ in range(2):
        with pytest.raises(Busy) as refused:
            await queues.minute("key", "It", 1, Call(clock=clock, deadline=clock.time + 30))
        assert refused.value.retry_after_s == 60
    clock.advance(60)
    await queues.minute("key", "It", 1, Call(clock=clock, deadline=clock.time + 30))


WAITS: dict[str, tuple[float, float, bool, float | None]] = {
    "as long as the call lasts": (38.0, 30.0, True, 22.0),
    "longer than the call": (29.0, 30.0, True, None),
    "no longer than its service may take where another can be asked": (38.0, 30.0, False, None),
    "a while where another can be asked": (51.0, 30.0, False, 9.0),
    "without an end": (0.0, math.inf, True, 60.0),
}


@pytest.mark.promise("003.125")
@pytest.mark.parametrize(("after_s", "time_s", "is_last", "waits_s"), WAITS.values(), ids=WAITS)
async def test_who_is_one_too_many_this_minute_waits_as_long_as_its_own_time_allows(
    after_s: float, time_s: float, is_last: bool, waits_s: float | None
) -> None:
    clock, at = SetClock(), world()
    sleep, state = Sleeper(clock), MemoryState(clock=clock)
    queues, circuit_breakers = Queues(state, clock, sleep=sleep), CircuitBreakers(state=state, clock=clock)
    calls = ProviderCalls(
        api=at.api, circuit_breakers=circuit_breakers, queues=queues, slots=SlotPools(), timeout_s=10.0
    )

    async def ask() -> Found:
        now = clock.monotonic()
        attempt = Attempt(part=Paid(), began=now, started=now, time_s=10.0, is_last=is_last)
        return await calls.ask(attempt, QUERY, Call(clock=clock, deadline=now + time_s), SearchPolicy(per_minute=2))

    await ask()
    await ask()
    clock.advance(after_s)
    if waits_s is None:
        with pytest.raises(Busy, match="our turn would come after the time of this call") as refused:
            await ask()
        assert refused.value.hint == f"Try again in {60 - after_s:g} s."
    else:
        assert (await ask()).hits
    assert sleep.slept == ([] if waits_s is None else [waits_s])
    assert len(at.api.asked) == 2 + (waits_s is not None)


@pytest.mark.parametrize("written", [None, "not JSON", '["x"]', "7", "[1e99]"])
async def test_a_minute_is_kept_within_the_process_when_the_state_is_no_help(written: str | None) -> None:
    clock = SetClock()
    state = MemoryState(clock=clock) if written else AwayState(clock=clock)
    if written:
        await state.put("minute:key", written, ttl_s=100)
    queues = Queues(state, clock, sleep=Sleeper(clock))
    assert await starts(queues, clock, 3, most=1) == [0, 60, 120]


async def test_without_a_state_a_turn_beyond_the_deadline_is_refused_too() -> None:
    clock = SetClock()
    queues = Queues(AwayState(clock=clock), clock, sleep=Sleeper(clock))
    call = Call(clock=clock, deadline=clock.time + 30)
    await queues.minute("key", "It", 1, call)
    with pytest.raises(Busy):
        await queues.minute("key", "It", 1, call)


class LosingState(MemoryState):
    """Somebody else always writes first."""

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        if key.startswith("minute:"):
            return False
        raise StoreBusy("Not here.", hint="Wait.")


async def test_a_swap_that_is_always_lost_keeps_nobody_waiting() -> None:
    clock = SetClock()
    queues = Queues(LosingState(clock=clock), clock, sleep=Sleeper(clock))
    assert await starts(queues, clock, 2, most=1) == [0, 0]


async def test_requests_of_a_tool_count_by_the_minute_for_each_service() -> None:
    at = world(Paid(), Free())
    policy = SearchPolicy(per_minute=1)
    engine = at.engine()
    providers = [(await engine.search(Query(text=text), at.call(), policy=policy)).provider for text in ("one", "two")]
    assert providers == ["paid", "free"]
    assert [request.url for request in at.api.asked] == [PAID, FREE]
