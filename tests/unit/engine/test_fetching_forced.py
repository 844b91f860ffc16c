"""Those who insist: a forced refresh passes a remembered failure by, but not over and over."""

import pytest

from gossamer.errors import Denied, GossamerError, NotFound, RateLimited, StoreBusy
from gossamer.model.http import HttpReply
from gossamer.model.records import WindowCount
from gossamer.states.memory import MemoryState
from tests.unit.engine.world import World

URL = "https://a.test/page"
TEXT = "# A page\n\nThe ferry leaves at noon."


def missing() -> World:
    world = World()
    world.state = MemoryState(clock=world.clock)
    world.web.answers[URL] = HttpReply(status=404, url=URL, body=b"<p>no</p>")
    return world


async def test_a_failure_is_not_forced_again_within_seconds_by_whoever_shares_the_state() -> None:
    world = missing()
    for _ in range(5):
        with pytest.raises(NotFound) as told:
            await world.engine().fetch(URL, world.call(), force_refresh=True)
        world.clock.time += 1
    assert "remembered from 4 s ago" in told.value.message
    assert told.value.hint.endswith("force_refresh asks again in 1 s.")
    assert len(world.web.asked) == 1
    world.serve(URL, TEXT)
    assert (await world.engine().fetch(URL, world.call(), force_refresh=True)).text == TEXT


async def test_a_failure_that_nobody_forced_may_be_passed_by_at_once_as_its_hint_says() -> None:
    world = missing()
    engine = world.engine()
    for _ in range(2):
        with pytest.raises(NotFound) as told:
            await engine.fetch(URL, world.call())
    assert told.value.hint.endswith("force_refresh asks again at once.")
    for _ in range(3):
        with pytest.raises(NotFound):
            await engine.fetch(URL, world.call(), force_refresh=True)
    assert len(world.web.asked) == 2


async def test_a_forced_failure_is_told_to_those_who_do_not_insist_for_as_long_as_any() -> None:
    world = missing()
    engine = world.engine()
    with pytest.raises(NotFound):
        await engine.fetch(URL, world.call(), force_refresh=True)
    world.clock.time += 50
    with pytest.raises(NotFound, match="remembered from 50 s ago") as told:
        await engine.fetch(URL, world.call())
    assert told.value.hint.endswith("force_refresh asks again at once.")
    assert len(world.web.asked) == 1


UNKEPT = {
    "a page that may not be kept": HttpReply(
        status=200, url=URL, headers={"content-type": "text/html", "cache-control": "no-store"}, body=TEXT.encode()
    ),
    "a refusal": HttpReply(status=403, url=URL, body=b"<p>no</p>"),
    "a site that asks for silence": HttpReply(status=429, url=URL, body=b"<p>slow down</p>"),
    "a broken page": HttpReply(status=204, url=URL),
}


async def force(world: World) -> GossamerError | None:
    try:
        await world.engine().fetch(URL, world.call(), force_refresh=True)
    except GossamerError as error:
        return error
    return None


@pytest.mark.parametrize("reply", UNKEPT.values(), ids=UNKEPT)
async def test_what_is_neither_kept_nor_remembered_is_forced_a_few_times_and_then_not_within_seconds(
    reply: HttpReply,
) -> None:
    world = World()
    world.state = MemoryState(clock=world.clock)
    world.web.answers[URL] = reply
    for _ in range(4):
        await force(world)
    assert len(world.web.asked) == 4
    for _ in range(6):
        told = await force(world)
        assert isinstance(told, RateLimited)
        assert str(told) == (
            "Too many forced refreshes of this page: try again in 5 s, "
            "or leave `force_refresh` out to read the kept copy."
        )
    assert len(world.web.asked) == 4
    world.clock.time += 5
    await force(world)
    assert len(world.web.asked) == 5


async def test_who_does_not_insist_is_not_kept_from_a_page_that_may_not_be_kept() -> None:
    world = World()
    world.state = MemoryState(clock=world.clock)
    world.web.answers[URL] = UNKEPT["a page that may not be kept"]
    for _ in range(10):
        await force(world)
    assert (await world.engine().fetch(URL, world.call())).text == TEXT


async def test_the_kept_copy_stands_in_while_nobody_may_insist() -> None:
    world = World()
    world.serve(URL, TEXT)
    engine = world.engine()
    await engine.fetch(URL, world.call())
    world.clock.time += 60
    world.web.answers[URL] = HttpReply(status=403, url=URL, body=b"<p>no</p>")
    for _ in range(4):
        with pytest.raises(Denied):
            await engine.fetch(URL, world.call(), force_refresh=True)
    call = world.call()
    assert (await engine.fetch(URL, call, force_refresh=True)).text == TEXT
    assert any("(rate_limited)" in note for note in call.log.notes)


async def test_a_state_that_is_away_keeps_nobody_from_insisting() -> None:
    class Away(MemoryState):
        async def window(
            self, key: str, amount: int = 1, *, cap: int, window_s: float, keep_s: float = 0.0
        ) -> WindowCount:
            raise StoreBusy("busy")

    world = World()
    world.state = Away(clock=world.clock)
    world.web.answers[URL] = UNKEPT["a refusal"]
    for _ in range(6):
        assert isinstance(await force(world), Denied)
    assert len(world.web.asked) == 6
