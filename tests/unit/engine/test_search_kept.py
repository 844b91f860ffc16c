"""Search: results that may not be written down are held in memory for a while."""

from gossamer.model.search import Query
from gossamer.states.memory import MemoryState
from tests.unit.engine.services import Secret, urls
from tests.unit.engine.world import World

HIT = "https://a.test/"
SECRET = "http://secret.test"


class Watched(MemoryState):
    """Tells what was written into it."""

    written: str = ""

    async def put(self, key: str, value: str, *, ttl_s: float) -> None:
        self.written += value
        await super().put(key, value, ttl_s=ttl_s)

    async def swap(self, key: str, old: str | None, new: str | None, *, ttl_s: float) -> bool:
        self.written += new or ""
        return await super().swap(key, old, new, ttl_s=ttl_s)


async def test_what_may_not_be_written_down_never_reaches_the_state_and_ends_with_the_process() -> None:
    at = World(providers=(Secret(),))
    at.state = state = Watched(clock=at.clock)
    at.api.answers[SECRET] = urls(HIT)
    engine = at.engine()
    await engine.search(Query(text="ferries"), at.call())
    page = await engine.search(Query(text="ferries"), at.call())
    assert ([hit.url for hit in page.hits], page.services, page.query.text) == ([HIT], (), "ferries")
    assert len(at.api.asked) == 1
    assert HIT not in state.written
    await at.engine().search(Query(text="ferries"), at.call())
    assert len(at.api.asked) == 2


async def test_the_searches_used_last_are_held_and_no_more_than_256() -> None:
    at = World(providers=(Secret(),))
    at.api.answers[SECRET] = urls(HIT)
    engine = at.engine()
    for text in map(str, range(256)):
        await engine.search(Query(text=text), at.call())
    await engine.search(Query(text="0"), at.call())
    assert len(at.api.asked) == 256
    await engine.search(Query(text="one more"), at.call())
    await engine.search(Query(text="0"), at.call())
    assert len(at.api.asked) == 257
    await engine.search(Query(text="1"), at.call())
    assert len(at.api.asked) == 258
