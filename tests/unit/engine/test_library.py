"""Kept pages are for the one who read them: others neither list nor search them."""

from dataclasses import replace

import pytest

from gossamer.engine import EngineOptions
from gossamer.engine.library import LibraryAccess
from gossamer.errors import InvalidArgument, Unreachable
from gossamer.model.search import Query
from gossamer.ports import Call
from tests.unit.engine.world import SEARX, World, searxng_reply

PAGES = {f"https://a.test/{n}": f"# Page {n}\n\nThe tidal mill number {n}." for n in range(3)}
CALLERS = {"local": True, "cli": True, "ada": False, "peer:0badcafe": False, "": False, "Local": False, "local ": False}


def by(world: World, caller: str) -> Call:
    return replace(world.call(), caller=caller)


@pytest.fixture
async def world() -> World:
    world = World()
    engine = world.engine()
    for url, text in PAGES.items():
        world.serve(url, text)
        await engine.fetch(url, world.call())
        world.clock.time += 1
    return world


@pytest.mark.parametrize(("caller", "owns"), CALLERS.items())
async def test_pages_are_listed_and_shown_to_their_owner_alone(world: World, caller: str, owns: bool) -> None:
    library, call = world.engine().library, by(world, caller)
    assert call.is_owner is owns
    newest = await library.newest(call, count=2)
    assert [page.url for page in newest] == (["https://a.test/2", "https://a.test/1"] if owns else [])
    page = await library.page("https://a.test/0", call)
    assert (page.text if page else None) == (PAGES["https://a.test/0"] if owns else None)


@pytest.mark.parametrize(("caller", "owns"), CALLERS.items())
async def test_pages_are_found_and_forgotten_by_their_owner_alone(world: World, caller: str, owns: bool) -> None:
    library, call = world.engine().library, by(world, caller)
    hits = await library.find("tidal mill", call, count=5, site="a.test")
    assert [hit.url for hit in hits] == (list(PAGES) if owns else [])
    assert await library.remove("https://a.test/0", call) is owns
    left = await library.newest(by(world, "local"), count=5)
    assert len(left) == (2 if owns else 3)


async def test_a_page_that_was_not_read_is_not_fetched(world: World) -> None:
    asked = len(world.web.asked)
    assert await world.engine().library.page("https://a.test/9", world.call()) is None
    assert len(world.web.asked) == asked


async def test_a_shelf_without_a_store_is_empty(world: World) -> None:
    library = LibraryAccess(store=None)
    assert await library.newest(world.call(), count=5) == ()
    assert await library.page("https://a.test/0", world.call()) is None
    assert await library.find("tidal", world.call(), count=5) == ()
    assert await library.remove("https://a.test/0", world.call()) is False


@pytest.mark.parametrize(("caller", "owns"), CALLERS.items())
async def test_the_library_is_searched_for_its_owner_alone(world: World, caller: str, owns: bool) -> None:
    world.api.answers[f"{SEARX}/search"] = searxng_reply()
    world.limits = EngineOptions(providers=("searxng", "library"))
    page = await world.engine().search(Query(text="tidal mill"), by(world, caller))
    assert [hit.url for hit in page.hits] == (sorted(PAGES) if owns else [])


async def test_a_stranger_is_told_that_nobody_could_look_instead_of_what_others_read(world: World) -> None:
    world.limits = EngineOptions(providers=("searxng", "library"))
    world.api.answers[f"{SEARX}/search"] = Unreachable("SearXNG is away.", hint="Start it.")
    assert (await world.engine().search(Query(text="tidal mill"), world.call())).hits
    with pytest.raises(Unreachable):
        await world.engine().search(Query(text="tidal mill"), by(world, "ada"))


async def test_a_stranger_who_names_the_library_gets_no_other_provider_instead(world: World) -> None:
    asked = len(world.api.asked)
    with pytest.raises(InvalidArgument, match="No search provider is ready"):
        await world.engine().search(Query(text="tidal mill"), by(world, "ada"), providers=["library"])
    assert len(world.api.asked) == asked


async def test_what_the_library_found_for_its_owner_is_not_cached_for_strangers(world: World) -> None:
    engine = world.engine()
    world.api.answers[f"{SEARX}/search"] = searxng_reply()
    found = await engine.search(Query(text="tidal mill"), world.call(), providers=["searxng", "library"])
    assert found.hits
    again = await engine.search(Query(text="tidal mill"), by(world, "ada"), providers=["searxng", "library"])
    assert again.hits == ()
