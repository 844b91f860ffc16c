"""Too much to do on our side: told as our own trouble, and never held against the site."""

import asyncio
from collections.abc import Sequence

import pytest

from gossamer.engine import EngineOptions
from gossamer.engine.negative_cache import NegativeCache
from gossamer.errors import Busy, GossamerError, NotFound, Outcome, TimedOut, Unreachable
from gossamer.model.http import FetchPolicy
from gossamer.model.page import Chunk, Page
from gossamer.model.records import KeptReply
from gossamer.states.memory import MemoryState
from gossamer.stores.memory import MemoryStore
from tests.patience import LONG_S
from tests.unit.engine.world import World

URL = "https://a.test/page"
TEXT = "# A page\n\nThe ferry leaves at noon."
DAY = 86_400.0
UNREAD: dict[str, GossamerError] = {
    "too many pages wait": Busy("Too many large pages wait to be read.", hint="Try again in a minute."),
    "not read in time": TimedOut("The page came, but was not read in time.", hint="Try again with more time."),
    "a reader that went away": Unreachable("The reader is gone.", hint="Start it."),
    "nothing of that name in the page": NotFound("No such part.", hint="Ask for another."),
}


@pytest.mark.parametrize("trouble", UNREAD.values(), ids=UNREAD)
async def test_a_page_that_came_but_was_not_read_is_asked_for_again_at_once(trouble: GossamerError) -> None:
    world = World()
    world.serve(URL, TEXT)
    world.extractor.fails = trouble
    engine = world.engine()
    call = world.call()
    with pytest.raises(type(trouble)) as told:
        await engine.fetch(URL, call)
    assert (told.value.message, told.value.hint) == (trouble.message, trouble.hint)
    assert [(part.name, part.outcome) for part in call.log.parts] == [("page", trouble.outcome)]
    world.extractor.fails = None
    assert (await engine.fetch(URL, world.call())).text == TEXT
    assert len(world.web.asked) == 2


@pytest.mark.parametrize("trouble", UNREAD.values(), ids=UNREAD)
async def test_no_copy_is_passed_off_for_a_page_that_came_but_was_not_read(trouble: GossamerError) -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += 2 * DAY
    world.serve(URL, TEXT.replace("noon", "one"))
    world.extractor.fails = trouble
    call = world.call()
    with pytest.raises(type(trouble)):
        await engine.fetch(URL, call)
    assert call.log.notes == []
    world.extractor.fails = None
    assert "one" in (await engine.fetch(URL, world.call())).text


async def test_all_who_wait_for_a_page_hear_that_it_was_not_read() -> None:
    world = World()
    world.serve(URL, TEXT)
    world.extractor.fails = Busy("Too many.", hint="Wait.")
    engine = world.engine()
    ends = await asyncio.gather(*(engine.fetch(URL, world.call()) for _ in range(3)), return_exceptions=True)
    assert [type(end) for end in ends] == [Busy] * 3
    assert len({id(end) for end in ends}) == 3
    assert len(world.web.asked) == 1


async def test_a_page_that_answers_again_ends_its_remembered_failure_though_it_is_not_read() -> None:
    world = World()
    state = world.state = MemoryState(clock=world.clock)
    cache = NegativeCache(state=state, clock=world.clock)
    await cache.remember(URL, FetchPolicy(), NotFound("No."))
    world.clock.time += 6
    world.serve(URL, TEXT)
    world.extractor.fails = Busy("Too many.", hint="Wait.")
    with pytest.raises(Busy):
        await world.engine().fetch(URL, world.call(), force_refresh=True)
    assert await cache.recall(URL, FetchPolicy()) is None


async def test_that_we_could_not_ask_for_being_busy_is_not_remembered_of_the_site() -> None:
    world = World()
    world.web.answers[URL] = Busy("Too many names are looked up.", hint="Try again.")
    engine = world.engine()
    with pytest.raises(Busy):
        await engine.fetch(URL, world.call())
    world.serve(URL, TEXT)
    assert (await engine.fetch(URL, world.call())).text == TEXT


async def test_a_copy_stands_in_where_we_were_too_busy_to_ask() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += 2 * DAY
    world.web.answers[URL] = Busy("Too many names are looked up.", hint="Try again.")
    call = world.call()
    page = await engine.fetch(URL, call)
    assert (page.outcome, page.text) == (Outcome.OK, TEXT)
    assert "could not be asked again" in call.log.notes[0]
    assert "(timeout)" in call.log.notes[0]


class StuckStore(MemoryStore):
    """Never done with saving."""

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_page_that_cannot_be_kept_in_its_time_is_handed_over_all_the_same() -> None:
    world = World(store=StuckStore(), limits=EngineOptions(page_timeout_s=0.1))
    world.serve(URL, TEXT)
    call = world.call()
    async with asyncio.timeout(LONG_S):
        page = await world.engine().fetch(URL, call)
    assert page.text == TEXT
    assert any("not kept in time" in note for note in call.log.notes)
