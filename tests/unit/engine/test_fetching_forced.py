"""Those who insist: a forced refresh passes a remembered failure by, but not over and over."""

import pytest

from gossamer.errors import NotFound
from gossamer.model.http import HttpReply
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
