"""Search: when nobody can be asked, the error says what to set."""

import pytest

from gossamer.errors import InvalidArgument
from gossamer.model.search import Category, Query
from gossamer.providers.brave import Brave
from gossamer.providers.google import Google
from gossamer.providers.searxng import SearXNG
from gossamer.providers.tavily import Tavily
from tests.unit.engine.world import SEARX, World, searxng_reply

NEEDS = {
    "a key": (("brave",), "Brave Search", ("BRAVE_API_KEY",)),
    "a key and more": (("google",), "Google", ("GOOGLE_API_KEY", "GOOGLE_SEARCH_ENGINE_ID")),
    "an instance": (("searxng",), "SearXNG", ("SEARXNG_URL",)),
    "each its own": (("brave", "searxng"), "SearXNG", ("BRAVE_API_KEY", "SEARXNG_URL")),
}


@pytest.mark.parametrize(("wanted", "title", "variables"), NEEDS.values(), ids=NEEDS)
async def test_who_is_named_and_not_ready_is_told_of_with_what_it_needs(
    wanted: tuple[str, ...], title: str, variables: tuple[str, ...]
) -> None:
    at = World(providers=(Brave(), Google(), SearXNG(), Tavily()))
    with pytest.raises(InvalidArgument, match=title) as caught:
        await at.engine().search(Query(text="ferries"), at.call(), providers=wanted)
    every = {"BRAVE_API_KEY", "GOOGLE_API_KEY", "GOOGLE_SEARCH_ENGINE_ID", "SEARXNG_URL"}
    assert {one for one in every if one in caught.value.hint} == set(variables)


@pytest.mark.parametrize("category", ["images", "videos", "map", "music", "files"])
async def test_where_nobody_looks_for_something_else_than_pages_pages_are_no_answer(category: Category) -> None:
    at = World(providers=(SearXNG(), Tavily()))
    with pytest.raises(InvalidArgument, match=category) as caught:
        await at.engine().search(Query(text="ferries", category=category), at.call())
    assert "SEARXNG_URL" in caught.value.hint
    assert not at.api.asked


async def test_a_key_that_would_not_help_is_not_asked_for() -> None:
    at = World(providers=(Brave(), Tavily()))
    with pytest.raises(InvalidArgument, match="map") as caught:
        await at.engine().search(Query(text="ferries", category="map"), at.call(), providers=["brave"])
    assert "BRAVE_API_KEY" not in caught.value.hint
    assert "SEARXNG_URL" in caught.value.hint


async def test_who_could_look_for_it_is_named() -> None:
    at = World(providers=(SearXNG(base_url=SEARX), Tavily()))
    at.api.answers[f"{SEARX}/search"] = searxng_reply("https://a.test/map")
    query = Query(text="ferries", category="map")
    with pytest.raises(InvalidArgument, match="map") as caught:
        await at.engine().search(query, at.call(), providers=["tavily"])
    assert "searxng" in caught.value.hint
    page = await at.engine().search(query, at.call(), providers=["tavily", "searxng"])
    assert (page.provider, page.services) == ("searxng", ("SearXNG",))
