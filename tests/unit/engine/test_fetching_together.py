"""Several who want the same page at the same time share one visit, in one process and across processes."""

import asyncio
from collections.abc import Callable

import pytest

from gossamer.errors import GossamerError, NotFound, RateLimited, StoreUnavailable, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Page, View
from gossamer.ports import Call
from gossamer.resilience.single_flight import HELD_S
from gossamer.states.memory import MemoryState
from gossamer.stores.memory import MemoryStore
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S
from tests.unit.engine.world import CannedHttp, World

URL = "https://a.test/page"
TEXT = "# A page\n\nThe ferry leaves at noon."


class HeldHttp(CannedHttp):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()
        self.was_left = asyncio.Event()

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.reached.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.was_left.set()
            raise
        return await super().send(request, call)


class WatchedState(MemoryState):
    """Tells when somebody was told to wait."""

    def __init__(self, clock: SetClock) -> None:
        super().__init__(clock)
        self.refused = asyncio.Event()

    async def lease(self, name: str, holder: str, *, ttl_s: float) -> int:
        is_ours = await super().lease(name, holder, ttl_s=ttl_s)
        if not is_ours:
            self.refused.set()
        return is_ours


class Pair:
    """Two processes' engines over one store and one state, each with a door of its own."""

    def __init__(self) -> None:
        clock = SetClock()
        self.state = WatchedState(clock)
        store = MemoryStore()
        self.first = World(web=HeldHttp(), clock=clock, store=store, state=self.state)
        self.second = World(clock=clock, store=store, state=self.state)
        self.clock = clock
        for world in (self.first, self.second):
            world.serve(URL, TEXT)

    @property
    def held(self) -> HeldHttp:
        assert isinstance(self.first.web, HeldHttp)
        return self.first.web

    async def start(self, **how: bool) -> tuple["asyncio.Task[Page]", "asyncio.Task[Page]"]:
        """The first is held up at the site, the second has been told to wait."""
        one = asyncio.create_task(self.first.engine().fetch(URL, self.first.call(), **how))
        await asyncio.wait_for(self.held.reached.wait(), LONG_S)
        two = asyncio.create_task(self.second.engine().fetch(URL, self.second.call(), **how))
        await asyncio.wait_for(self.state.refused.wait(), LONG_S)
        return one, two


async def settle(until: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if until():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to that")


async def ended(*tasks: "asyncio.Task[Page]") -> list[Page]:
    return await asyncio.wait_for(asyncio.gather(*tasks), LONG_S)


async def test_callers_of_one_process_share_a_visit() -> None:
    held = HeldHttp()
    world = World(web=held)
    world.serve(URL, TEXT, cache_control="no-store")
    engine = world.engine()
    tasks = [asyncio.create_task(engine.fetch(URL, world.call(), force_refresh=n % 2 == 0)) for n in range(10)]
    await asyncio.wait_for(held.reached.wait(), LONG_S)
    held.go_on.set()
    assert {page.text for page in await ended(*tasks)} == {TEXT}
    assert (len(held.asked), len(world.extractor.asked)) == (1, 1)


async def test_another_view_is_another_visit() -> None:
    held = HeldHttp()
    world = World(web=held)
    world.serve(URL, TEXT)
    engine = world.engine()
    views = (View(), View(format="text"))
    tasks = [asyncio.create_task(engine.fetch(URL, world.call(), view=view)) for view in views]
    held.go_on.set()
    await ended(*tasks)
    assert len(held.asked) == 2


async def test_a_caller_who_leaves_does_not_take_the_page_away_from_the_others() -> None:
    held = HeldHttp()
    world = World(web=held)
    world.serve(URL, TEXT)
    engine = world.engine()
    first = asyncio.create_task(engine.fetch(URL, world.call()))
    await asyncio.wait_for(held.reached.wait(), LONG_S)
    second = asyncio.create_task(engine.fetch(URL, world.call()))
    await settle(lambda: 2 in engine._fetching._flights._waiting.values())
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    held.go_on.set()
    assert [page.text for page in await ended(second)] == [TEXT]


async def test_the_visit_ends_with_the_last_who_waits() -> None:
    pair = Pair()
    one, two = await pair.start()
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    await asyncio.wait_for(pair.held.was_left.wait(), LONG_S)
    assert [page.text for page in await ended(two)] == [TEXT]
    assert (len(pair.held.asked), len(pair.second.web.asked)) == (0, 1)


SHARED = {
    "away": Unreachable("Away.", hint="Wait.", retry_after_s=7),
    "limited": RateLimited("a.test", retry_after_s=7),
}


@pytest.mark.parametrize("error", SHARED.values(), ids=SHARED)
async def test_a_failure_reaches_everybody_as_an_error_of_its_own(error: GossamerError) -> None:
    held = HeldHttp()
    world = World(web=held)
    held.answers[URL] = error
    said = str(error)
    engine = world.engine()
    tasks = [asyncio.create_task(engine.fetch(URL, world.call())) for _ in range(3)]
    await asyncio.wait_for(held.reached.wait(), LONG_S)
    held.go_on.set()
    errors: list[GossamerError] = []
    for task in tasks:
        with pytest.raises(type(error)) as caught:
            await task
        errors.append(caught.value)
        assert (str(caught.value), caught.value.retry_after_s) == (said, 7)
    assert len({id(one) for one in errors}) == 3
    assert len(held.asked) == 1


async def test_what_is_said_of_a_shared_visit_is_said_to_all() -> None:
    class FullStore(MemoryStore):
        async def save(self, page: Page, chunks: object, reply: object = None) -> Page:
            raise StoreUnavailable("The disk is full.", hint="Make room.")

    held = HeldHttp()
    world = World(web=held, store=FullStore())
    world.serve(URL, TEXT)
    engine = world.engine()
    calls = [world.call() for _ in range(2)]
    tasks = [asyncio.create_task(engine.fetch(URL, call)) for call in calls]
    await asyncio.wait_for(held.reached.wait(), LONG_S)
    held.go_on.set()
    await ended(*tasks)
    assert all("not kept: The disk is full." in call.log.notes[0] for call in calls)


@pytest.mark.parametrize("is_forced", [False, True], ids=["ordinary", "forced"])
async def test_the_second_process_waits_for_the_page_of_the_first(is_forced: bool) -> None:
    pair = Pair()
    one, two = await pair.start(force_refresh=is_forced)
    pair.held.go_on.set()
    assert [page.text for page in await ended(one, two)] == [TEXT, TEXT]
    assert (len(pair.held.asked), len(pair.second.web.asked)) == (1, 0)


async def test_the_second_process_hears_of_the_first_ones_failure() -> None:
    pair = Pair()
    pair.held.answers[URL] = HttpReply(status=404, url=URL)
    one, two = await pair.start()
    pair.held.go_on.set()
    for task in (one, two):
        with pytest.raises(NotFound):
            await asyncio.wait_for(task, LONG_S)
    assert pair.second.web.asked == []


async def test_the_second_process_goes_itself_when_the_first_brings_nothing_to_share() -> None:
    pair = Pair()
    pair.first.serve(URL, TEXT, cache_control="no-store")
    one, two = await pair.start()
    pair.held.go_on.set()
    assert [page.text for page in await ended(one, two)] == [TEXT, TEXT]
    assert (len(pair.held.asked), len(pair.second.web.asked)) == (1, 1)


async def test_the_second_process_takes_over_when_the_first_has_died() -> None:
    """What kill -9 leaves behind is a lease that nobody renews: here the one that the held-up visit took."""
    pair = Pair()
    one, two = await pair.start()
    (name,) = pair.state._leases
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    two.cancel()
    with pytest.raises(asyncio.CancelledError):
        await two
    await settle(lambda: not pair.state._leases)
    await pair.state.lease(name, "dead", ttl_s=HELD_S)
    pair.state.refused.clear()
    three = asyncio.create_task(pair.second.engine().fetch(URL, pair.second.call()))
    await asyncio.wait_for(pair.state.refused.wait(), LONG_S)
    assert pair.second.web.asked == []
    pair.clock.advance(HELD_S + 1)
    assert [page.text for page in await ended(three)] == [TEXT]
    assert len(pair.second.web.asked) == 1
