"""Search: time spent in our own queue is neither a provider's slowness nor its failure."""

import asyncio
from dataclasses import replace

import pytest

from gossamer.engine import EngineOptions
from gossamer.engine.key_redaction import account
from gossamer.errors import Busy, Outcome
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Query
from gossamer.ports import Call
from gossamer.states.memory import MemoryState
from tests.unit.engine.services import Free, Paced, Service, urls
from tests.unit.engine.test_search_waiting import RunningClock, Slow
from tests.unit.engine.world import CannedHttp, World

PACED, FREE = "http://paced.test", "http://free.test"
OURS, THEIRS = "https://paced.test/hit", "https://free.test/hit"
PATIENT = EngineOptions(provider_timeout_s=2.0, search_cache_s=0)
"""A slow one gets company after 0.8 s."""


class MovedClock(RunningClock):
    """The machine's own time, some seconds ahead."""

    ahead_s = 0.0

    def now(self) -> float:
        return super().now() + self.ahead_s

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


def busy_world(*providers: Service, limits: EngineOptions = PATIENT) -> tuple[World, Slow]:
    api = Slow()
    api.answers |= {PACED: urls(OURS), FREE: urls(THEIRS)}
    return World(api=api, clock=RunningClock(), limits=limits, providers=providers), api


async def test_a_stand_in_for_one_that_we_queue_for_says_so_and_is_kept_for_a_minute_only() -> None:
    at, _ = busy_world(Paced(per_second=0.6), Free(), limits=replace(PATIENT, search_cache_s=3600))
    at.clock = clock = MovedClock()
    engine = at.engine()
    await engine.search(Query(text="one"), at.call())
    call = at.call()
    page = await engine.search(Query(text="two"), call)
    assert (page.provider, page.services, page.failures) == ("free", ("Free",), ())
    assert [note for note in call.log.notes if note.startswith("Paced takes 0.6 a second here")]
    assert [part.name for part in call.log.parts] == ["free"]
    clock.ahead_s = 61
    assert (await engine.search(Query(text="two"), at.call())).provider == "paced"


async def test_one_that_answers_soon_after_its_turn_is_waited_for() -> None:
    at, api = busy_world(Paced(per_second=0.7), Free(), limits=replace(PATIENT, provider_timeout_s=5.0))
    engine = at.engine()
    await engine.search(Query(text="one"), at.call())
    gate = api.gates[PACED] = asyncio.Event()
    await api.until(PACED)
    task = asyncio.create_task(engine.search(Query(text="two"), at.call()))
    await api.until(PACED)
    asyncio.get_running_loop().call_later(1.0, gate.set)
    page = await task
    assert (page.provider, page.services, page.failures) == ("paced", ("Paced",), ())


async def test_one_that_is_overtaken_right_after_its_turn_did_not_fail() -> None:
    at, api = busy_world(Paced(per_second=1.1), Free())
    engine = at.engine()
    await engine.search(Query(text="one"), at.call())
    await api.until(PACED)
    api.gates |= {PACED: asyncio.Event(), FREE: asyncio.Event()}
    call = at.call()
    task = asyncio.create_task(engine.search(Query(text="two"), call))
    await api.until(FREE)
    await api.until(PACED)
    api.gates[FREE].set()
    page = await task
    assert (page.provider, page.services, page.failures) == ("free", ("Paced", "Free"), ())
    assert [note for note in call.log.notes if note.startswith("Paced takes 1.1 a second here")]


async def test_the_time_of_a_provider_begins_with_its_turn() -> None:
    given: list[float] = []

    class Watching(CannedHttp):
        async def send(self, request: HttpRequest, call: Call) -> HttpReply:
            given.append(call.remaining_s)
            return urls(OURS)

    at = World(api=Watching(), clock=RunningClock(), limits=PATIENT, providers=(Paced(per_second=1.0),))
    engine = at.engine()
    for text in ("one", "two"):
        await engine.search(Query(text=text), at.call())
    assert all(1.5 < one <= 2.0 for one in given)
    assert len(given) == 2


async def test_one_whose_turn_never_came_is_not_said_to_be_silent() -> None:
    provider = Paced()
    at, _ = busy_world(provider)
    at.state = state = MemoryState(clock=at.clock)
    await state.put(f"pace:{account(provider)}", repr(at.clock.now() + 1.2), ttl_s=60)
    engine = at.engine()
    patient = asyncio.create_task(engine.search(Query(text="one"), at.call()))
    await asyncio.sleep(0)
    with pytest.raises(Busy, match="Paced takes 2 a second here") as caught:
        await engine.search(Query(text="two"), at.call(seconds=0.8))
    assert caught.value.outcome is Outcome.TIMEOUT
    assert (await patient).provider == "paced"
