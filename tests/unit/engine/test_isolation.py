"""Users of a shared service: whatever one did before, another hears what it would hear if it were alone."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from gossamer.engine import Engine
from gossamer.engine.fetching import OwnCopies
from gossamer.errors import BadCursor, GossamerError, RateLimited, StoreUnavailable, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Page, View
from gossamer.model.search import Query
from gossamer.ports import Call
from gossamer.states.memory import MemoryState
from gossamer.testing.store_replies import reply_of
from tests.patience import LONG_S
from tests.unit.engine.test_fetching_together import HeldHttp, Pair, settle
from tests.unit.engine.world import SEARX, CannedHttp, World, searxng_reply

URL = "https://a.test/page"
TEXT = "# A page\n\nThe ferry leaves at noon."
HIT = "https://b.test/"

Step = Callable[[World, Engine, str], Awaitable[object]]


def by(caller: str, world: World) -> Call:
    return replace(world.call(), caller=caller)


async def heard(engine: Engine, call: Call, *, force_refresh: bool = False, view: View | None = None) -> object:
    """All that somebody who fetches the page can be shown of it."""
    try:
        page = await engine.fetch(URL, call, force_refresh=force_refresh, view=view)
    except GossamerError as error:
        return error.outcome, error.message, error.hint, error.retry_after_s, call.log.notes
    return page.fetched_at, page.fresh_until, page.text, page.message, call.log.notes


async def fetch(world: World, engine: Engine, caller: str) -> object:
    return await heard(engine, by(caller, world))


async def force(world: World, engine: Engine, caller: str) -> object:
    return [await heard(engine, by(caller, world), force_refresh=True) for _ in range(6)]


async def fetch_while_away(world: World, engine: Engine, caller: str) -> object:
    answer = world.web.answers.pop(URL)
    told = await fetch(world, engine, caller)
    world.web.answers[URL] = answer
    return told


async def force_while_away(world: World, engine: Engine, caller: str) -> object:
    answer = world.web.answers.pop(URL)
    told = await force(world, engine, caller)
    world.web.answers[URL] = answer
    return told


async def fetch_uncached(world: World, engine: Engine, caller: str) -> object:
    answer = world.web.answers[URL]
    world.serve(URL, TEXT, cache_control="no-store")
    told = await force(world, engine, caller)
    world.web.answers[URL] = answer
    return told


async def search(world: World, engine: Engine, caller: str) -> object:
    world.api.answers[f"{SEARX}/search"] = searxng_reply(HIT)
    call = by(caller, world)
    page = await engine.search(Query(text="ferries"), call)
    return page, call.log.notes


async def fetch_parts(world: World, engine: Engine, caller: str) -> object:
    views = (View(selector="h1"), View(format="html"), View())
    return [await heard(engine, by(caller, world), view=view) for view in views]


async def read(world: World, engine: Engine, caller: str) -> object:
    try:
        reading = await engine.read([URL], ["When does the ferry leave?"], by(caller, world))
    except GossamerError as error:
        return error.outcome, error.message, error.hint
    return [page.fetched_at for page in reading.pages], reading.notes, [passage.text for passage in reading.passages]


STEPS: dict[str, Step] = {
    "fetch": fetch,
    "force": force,
    "fetch while away": fetch_while_away,
    "force while away": force_while_away,
    "fetch what may not be kept": fetch_uncached,
    "fetch in other views": fetch_parts,
    "search": search,
    "read": read,
}
PAUSES_S = (0.0, 2.0, 40.0, 3 * 3600.0)


async def told_to_bob(alice: Step | None, bob: Step, pause_s: float) -> list[object]:
    """What Bob hears of his first step and of the same one later, after what Alice may have done in between."""
    world = World()
    world.serve(URL, TEXT, cache_control="max-age=7200")
    engine, told = world.engine(), list[object]()
    for _ in range(2):
        if alice:
            await alice(world, engine, "user:alice")
        world.clock.time += pause_s
        told.append(await bob(world, engine, "user:bob"))
        world.clock.time += 7.0
    return told


@pytest.mark.parametrize("pause_s", PAUSES_S)
@pytest.mark.parametrize("bob", STEPS)
async def test_a_user_hears_the_same_whatever_another_did_before(bob: str, pause_s: float) -> None:
    alone = await told_to_bob(None, STEPS[bob], pause_s)
    for alice, step in STEPS.items():
        assert await told_to_bob(step, STEPS[bob], pause_s) == alone, alice


async def test_a_copy_stands_in_for_who_had_it_and_for_nobody_else() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    first = await engine.fetch(URL, by("user:alice", world))
    world.web.answers.clear()
    call = by("user:alice", world)
    world.clock.time += 100.0
    again = await engine.fetch(URL, call, force_refresh=True)
    assert (again.text, again.fetched_at) == (TEXT, first.fetched_at)
    assert "could not be asked again" in call.log.notes[0]
    with pytest.raises(Unreachable):
        await engine.fetch(URL, by("user:bob", world))


async def test_another_text_that_another_user_brought_is_not_shown_as_ones_own() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, by("user:alice", world))
    world.serve(URL, TEXT.replace("noon", "one"))
    world.clock.time += 60.0
    await engine.fetch(URL, by("user:bob", world))
    world.clock.time += 60.0
    page = await engine.fetch(URL, by("user:alice", world))
    assert ("one" in page.text, page.fetched_at) == (True, world.clock.now())


async def test_the_owner_of_the_machine_has_one_library_in_every_face() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    first = await engine.fetch(URL, by("cli", world))
    world.clock.time += 60.0
    assert (await engine.fetch(URL, by("local", world))).fetched_at == first.fetched_at
    assert len(world.web.asked) == 1
    assert [by(caller, world).tenant for caller in ("cli", "local", "peer:1")] == ["", "", "peer:1"]


async def test_users_who_want_a_page_at_one_time_share_a_visit_and_each_has_it_from_then_on() -> None:
    held = HeldHttp()
    world = World(web=held)
    world.serve(URL, TEXT)
    engine = world.engine()
    tasks = [asyncio.create_task(engine.fetch(URL, by(name, world))) for name in ("user:alice", "user:bob")]
    await settle(lambda: 2 in engine._fetching._flights._waiting.values())
    held.go_on.set()
    pages = await asyncio.wait_for(asyncio.gather(*tasks), LONG_S)
    world.clock.time += 60.0
    again = [await engine.fetch(URL, by(name, world)) for name in ("user:alice", "user:bob")]
    assert [page.fetched_at for page in again] == [page.fetched_at for page in pages]
    assert len(held.asked) == 1


async def test_a_visit_that_one_user_forces_too_often_is_not_refused_to_who_merely_asks() -> None:
    held = HeldHttp()
    world = World(web=held)
    world.serve(URL, TEXT, cache_control="no-store")
    engine = world.engine()
    held.go_on.set()
    for _ in range(4):
        await engine.fetch(URL, by("user:alice", world), force_refresh=True)
    held.go_on.clear()
    forced = asyncio.create_task(engine.fetch(URL, by("user:alice", world), force_refresh=True))
    asked = asyncio.create_task(engine.fetch(URL, by("user:bob", world)))
    held.go_on.set()
    done = await asyncio.wait_for(asyncio.gather(forced, asked, return_exceptions=True), LONG_S)
    assert isinstance(done[0], RateLimited)
    assert isinstance(done[1], Page)


async def test_a_pause_that_ends_a_shared_visit_is_told_to_each_user_as_its_own() -> None:
    """Alice was told before when the site wants to be asked again; Bob joins her visit, which ends in that."""
    go_on = asyncio.Event()
    pauses = {"user:alice": 12.0, "user:bob": 30.0}

    class Paused(CannedHttp):
        async def send(self, request: HttpRequest, call: Call) -> HttpReply:
            await go_on.wait()
            raise RateLimited("The site", retry_after_s=pauses[call.caller])

    world = World(web=Paused())
    engine = world.engine()
    tasks = [asyncio.create_task(engine.fetch(URL, by(name, world))) for name in pauses]
    await settle(lambda: 2 in engine._fetching._flights._waiting.values())
    go_on.set()
    done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), LONG_S)
    assert [error.retry_after_s for error in done if isinstance(error, RateLimited)] == [12.0, 30.0]


async def test_a_failure_that_a_user_waited_for_is_not_told_as_one_that_was_remembered() -> None:
    pair = Pair()
    pair.held.answers[URL] = HttpReply(status=404, url=URL)
    here, there = pair.second.engine(), pair.first.engine()
    first = asyncio.create_task(there.fetch(URL, by("user:alice", pair.first)))
    await asyncio.wait_for(pair.held.reached.wait(), LONG_S)
    waiting = [asyncio.create_task(here.fetch(URL, by(name, pair.second))) for name in ("user:alice", "user:bob")]
    await asyncio.wait_for(pair.state.refused.wait(), LONG_S)
    await settle(lambda: 2 in here._fetching._flights._waiting.values())
    pair.held.go_on.set()
    done = await asyncio.wait_for(asyncio.gather(first, *waiting, return_exceptions=True), LONG_S)
    assert len({str(error) for error in done}) == 1
    assert "remembered" not in str(done[0])
    assert pair.second.web.asked == []


async def test_a_cursor_of_a_text_that_was_never_ones_own_asks_the_site_again() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    page = await engine.fetch(URL, by("user:alice", world))
    world.clock.time += 60.0
    assert (await engine.snapshot(URL, by("user:alice", world), content_hash=page.content_hash[:12])) == page
    found = await engine.snapshot(URL, by("user:bob", world), content_hash=page.content_hash[:12])
    assert found.fetched_at == world.clock.now()
    world.clock.time += 60.0
    world.serve(URL, TEXT.replace("noon", "one"))
    with pytest.raises(BadCursor):
        await engine.snapshot(URL, by("user:carol", world), content_hash=page.content_hash[:12])


class Away(MemoryState):
    """Cannot be asked."""

    async def get(self, key: str) -> str | None:
        raise StoreUnavailable("The state is away.", hint="Wait.")

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        raise StoreUnavailable("The state is away.", hint="Wait.")


async def test_without_the_state_nobody_has_a_copy_and_every_user_gets_the_page() -> None:
    world = World()
    world.state = Away(clock=world.clock)
    world.serve(URL, TEXT)
    engine = world.engine()
    for number in range(1, 3):
        world.clock.time += 60.0
        assert (await engine.fetch(URL, by("user:alice", world))).fetched_at == world.clock.now()
        assert len(world.web.asked) == number


async def test_a_record_that_is_not_ours_is_no_copy() -> None:
    world = World()
    state = MemoryState(clock=world.clock)
    copies, page = OwnCopies(state=state), _page(world)
    await copies.note(page, by("user:alice", world), since=0.0, is_kept=True)
    (key,) = state._records
    for written in ("", "1", "a b", "1 2 3"):
        await state.put(key, written, ttl_s=60.0)
        assert await copies.of(page, by("user:alice", world)) is None


async def test_a_record_that_is_not_ours_is_no_reply_of_ones_own() -> None:
    world = World()
    state = MemoryState(clock=world.clock)
    copies, page = OwnCopies(state=state), replace(_page(world), body_hash="one")
    alice = by("user:alice", world)
    own = await copies.note(page, alice, since=0.0, is_kept=True)
    reply = replace(reply_of(page), fetched_at=0.0, fresh_until=0.0)
    mine = await copies.of_reply(URL, reply, alice)
    assert mine == replace(reply, fetched_at=own.fetched_at, fresh_until=own.fresh_until)
    assert await copies.of_reply(URL, replace(reply, body_hash="two"), alice) is None
    assert await copies.of_reply(URL, reply, by("user:bob", world)) is None
    for key in list(state._records):
        await state.put(key, "a b", ttl_s=60.0)
    assert await copies.of_reply(URL, reply, alice) is None


async def test_a_page_that_came_just_before_a_user_joined_is_dated_by_the_users_own_call() -> None:
    world = World()
    copies, page = OwnCopies(state=MemoryState(clock=world.clock)), _page(world)
    own = await copies.note(page, by("user:alice", world), since=page.fetched_at + 3.0, is_kept=True)
    assert own.fetched_at == page.fetched_at + 3.0
    assert await copies.of(page, by("user:alice", world)) == own
    assert await copies.note(page, by("local", world), since=page.fetched_at + 3.0, is_kept=True) == page


def _page(world: World) -> Page:
    return Page(url=URL, final_url=URL, title="A page", text=TEXT, fetched_at=world.clock.now())
