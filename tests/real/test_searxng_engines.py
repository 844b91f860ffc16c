"""A real SearXNG and a real old searx over real manuals, their engines well and failing in every way."""

import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gossamer import Engine, Settings, new_call, open_engine
from gossamer.errors import Denied, GossamerError, Outcome, RateLimited, Unreachable
from gossamer.model.search import Category, Query, SearchPage
from tests import components, manuals, searxng
from tests.real.processes import environment_for, open_wire

pytestmark = [pytest.mark.component("searxng"), pytest.mark.component("documentation")]

FAULTS: dict[str, tuple[Category, str]] = {
    "away": ("music", "HTTP"),
    "slow": ("map", "timeout"),
    "denied": ("files", "denied"),
    "limited": ("it", "too many requests"),
    "broken": ("videos", "HTTP error"),
    "garbage": ("science", "parsing error"),
}
"""Where each engine is asked alone, and what SearXNG says of it; in `news` all are asked beside one that is well."""
OLD: dict[str, str] = {
    "away": "HTTP",
    "slow": "timeout",
    "denied": "blocked",
    "limited": "too many requests",
    "broken": "HTTP error",
    "garbage": "unexpected crash",
}
ASKED = Query(text="vacuum full", count=5)
LONG_PAGES = 25


def engines(site: str) -> list[dict[str, Any]]:
    away = f"http://127.0.0.1:{searxng.free_port()}"
    places = {name: away if name == "away" else f"{site}/{name}" for name in FAULTS}
    failing = [searxng.json_engine(name, place, FAULTS[name][0], "news") for name, place in places.items()]
    well = [searxng.json_engine("docs", site, "general", "news"), searxng.xpath_engine("docs-html", site, "general")]
    return [*well, *failing]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with manuals.served(components.find("documentation")) as url:
        yield url


@pytest.fixture(scope="module")
def new(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with searxng.running(components.find("searxng"), tmp_path_factory.mktemp("new"), engines(site)) as url:
        yield url


@pytest.fixture(scope="module")
def without_json(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("html")
    with searxng.running(components.find("searxng"), folder, engines(site), formats=["html"]) as url:
        yield url


@pytest.fixture(scope="module")
def limited(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    python, folder = components.find("searxng"), tmp_path_factory.mktemp("limited")
    with (
        searxng.running_valkey(python, tmp_path_factory.mktemp("valkey")) as valkey,
        searxng.running(python, folder, engines(site), valkey=valkey) as url,
    ):
        yield url


@pytest.fixture(scope="module")
def old(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with searxng.running_old(components.find("searx"), tmp_path_factory.mktemp("old"), engines(site)) as url:
        yield url


@asynccontextmanager
async def engine_at(url: str, **fields: str) -> AsyncGenerator[Engine]:
    table = {"base_url": url, **fields}
    settings = Settings.model_validate({"providers": {"searxng": table}, "store": "memory:", "state": "memory:"})
    async with open_engine(settings) as engine:
        yield engine


async def searched(url: str, query: Query = ASKED, **fields: str) -> SearchPage:
    async with engine_at(url, **fields) as engine:
        return await engine.search(query, new_call(timeout_s=60), providers=["searxng"])


SERVERS = ["new", "without_json", pytest.param("old", marks=pytest.mark.component("searx"))]


@pytest.mark.parametrize("server", [*SERVERS, "limited"])
async def test_every_server_finds_the_page_of_the_manual(
    server: str, site: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(server)
    page = await searched(url)
    assert f"{site}/postgresql/sql-vacuum.html" in [hit.url for hit in page.hits[:2]]
    assert all(hit.title and "<" not in hit.title + hit.snippet for hit in page.hits)
    assert len(page.hits) == len({hit.url for hit in page.hits}) == ASKED.count
    assert set(page.engines) == {"docs", "docs-html"}
    assert (page.instance, page.services, page.failures) == (url, ("SearXNG",), ())


@pytest.mark.parametrize("server", SERVERS)
async def test_more_results_come_from_further_pages_without_repeats(
    server: str, request: pytest.FixtureRequest
) -> None:
    page = await searched(request.getfixturevalue(server), Query(text="index", count=LONG_PAGES))
    assert len(page.hits) == len({hit.url for hit in page.hits}) == LONG_PAGES


@pytest.mark.parametrize("server", ["new", "without_json"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_an_engine_that_fails_alone_is_quoted_and_not_taken_for_nothing_found(
    server: str, fault: str, request: pytest.FixtureRequest
) -> None:
    category, said = FAULTS[fault]
    async with engine_at(request.getfixturevalue(server)) as engine:
        for text in ("vacuum", "vacuum full"):  # the second time SearXNG may have suspended it
            with pytest.raises(Unreachable) as failed:
                await engine.search(Query(text=text, category=category), new_call(), providers=["searxng"])
            assert failed.value.quote.startswith(f"{fault}: ")
        assert said in failed.value.quote or "Suspended" in failed.value.quote
        assert re.search(r"without answer: 1 of its engines \([\w ]+\)\.", failed.value.message)


@pytest.mark.component("searx")
@pytest.mark.parametrize("fault", OLD)
async def test_an_engine_of_an_old_server_that_fails_alone_is_quoted(fault: str, old: str) -> None:
    with pytest.raises(Unreachable) as failed:
        await searched(old, Query(text="vacuum", category=FAULTS[fault][0]))
    assert failed.value.quote.startswith(f"{fault}: ")
    assert OLD[fault] in failed.value.quote
    assert "without answer: 1 of its engines" in failed.value.message


@pytest.mark.parametrize("server", ["new", "without_json"])
async def test_engines_that_fail_beside_one_that_answers_are_counted_beside_its_results(
    server: str, site: str, request: pytest.FixtureRequest
) -> None:
    page = await searched(request.getfixturevalue(server), Query(text="vacuum full", category="news"))
    assert f"{site}/postgresql/sql-vacuum.html" in [hit.url for hit in page.hits]
    assert page.engines == ("docs",)
    (note,) = page.notes
    assert note.startswith(f"SearXNG had no answer from {len(FAULTS)} of its engines (timeout, ")


@pytest.mark.parametrize("server", ["new", "without_json"])
async def test_words_that_no_page_holds_are_no_match(server: str, request: pytest.FixtureRequest) -> None:
    async with engine_at(request.getfixturevalue(server)) as engine:
        call = new_call()
        page = await engine.search(Query(text="xyzzyplugh"), call, providers=["searxng"])
    assert page.hits == ()
    assert [(part.name, part.outcome) for part in call.log.parts] == [("searxng", Outcome.NO_MATCH)]


async def test_json_alone_from_an_instance_without_it_is_denied_with_the_way_out(without_json: str) -> None:
    with pytest.raises(Denied) as failed:
        await searched(without_json, format="json")
    assert "search.formats" in failed.value.hint


async def test_the_page_alone_may_be_asked_for(new: str) -> None:
    as_page, as_json = await searched(new, format="html"), await searched(new)
    # Which of two engines is named first is a matter of their race.
    assert {replace(hit, engine="") for hit in as_page.hits} == {replace(hit, engine="") for hit in as_json.hits}


async def test_a_limiter_is_told_as_what_it_is_and_the_page_has_a_limit_of_its_own(limited: str) -> None:
    """Its limiter lets four replies that are no pages through in an hour."""
    told: list[GossamerError] = []
    async with engine_at(limited) as engine:
        for number in range(6):
            try:
                await engine.search(Query(text=f"vacuum {number}"), new_call(), providers=["searxng"])
            except GossamerError as error:
                told.append(error)
    assert told
    assert all(isinstance(error, RateLimited) for error in told)
    assert "server.limiter" in told[0].hint
    assert (await searched(limited, format="html")).hits


@pytest.mark.parametrize("server", SERVERS)
def test_the_tool_answers_from_every_server(
    server: str, site: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(server)
    with open_wire(environment_for(url, site.removeprefix("http://"), tmp_path)) as wire:
        wire.handshake()
        found = wire.call("web_search", query="vacuum full", results_count=3, max_tokens=4000)
    result = found["structuredContent"]
    (manual,) = [row for row in result["results"] if row["url"] == f"{site}/postgresql/sql-vacuum.html"]
    assert (result["instance_used"], found["_meta"]["gossamer/services"]) == (url, ["SearXNG"])
    assert "VACUUM FULL" in manual["content"]["markdown"]
