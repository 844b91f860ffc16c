"""`WebSearch` against its specification, field by field, as real clients see it; its services are on loopback."""

import asyncio
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.clients import WAYS, Way, process_environment
from tests.real.upstreams import KEY, Asked, Said, Upstreams, bing, brave, client_of, recorded, told, turns, upstreams

DUNE: dict[str, Any] = {
    "query": "Dune Part Two release date",
    "totalResults": 1250000,
    "results": [
        {
            "title": "Dune: Part Two (2024) - Release Info - IMDb",
            "url": "https://www.imdb.com/title/tt15239678/releaseinfo/",
            "snippet": "Dune: Part Two was released on March 1, 2024 in the United States. The film premiered at the "
            "74th Berlin International Film Festival on February 15, 2024.",
            "domain": "imdb.com",
            "datePublished": "2024-02-20",
        },
        {
            "title": "Dune: Part Two | Official Website | March 1, 2024",
            "url": "https://www.dunemovie.com/",
            "snippet": "Experience Dune: Part Two, the epic continuation of Denis Villeneuve's adaptation of Frank "
            "Herbert's novel. In theaters March 1, 2024.",
            "domain": "dunemovie.com",
            "datePublished": None,
        },
        {
            "title": "Dune: Part Two - Wikipedia",
            "url": "https://en.wikipedia.org/wiki/Dune:_Part_Two",
            "snippet": "Dune: Part Two is a 2024 American epic science fiction film. The theatrical release was "
            "originally scheduled for November 3, 2023, but was delayed...",
            "domain": "wikipedia.org",
            "datePublished": "2024-03-15",
        },
    ],
    "searchEngine": "brave",
    "searchTime": 0.42,
}
"""The specification's example, word for word."""
NOTHING: dict[str, Any] = {
    "query": "xyzzy123 nonexistent movie 2099",
    "totalResults": 0,
    "results": [],
    "suggestion": "No results found. Try broader search terms or check spelling.",
}
ROWS = DUNE["results"]


@pytest.fixture
def web() -> Iterator[Upstreams]:
    with upstreams() as running:
        running.answers = {"brave": lambda _: brave(*ROWS), "bing": lambda _: bing(*ROWS, total=1250000)}
        yield running


@pytest.fixture
def environment(web: Upstreams, tmp_path: Path) -> dict[str, str]:
    return web.environment(tmp_path)


def check_dune(found: dict[str, Any], **other: Any) -> None:
    """The whole example, in its order; how long it took is known only now."""
    assert 0 <= found["searchTime"] < 30
    assert list(found) == list(DUNE)
    assert [list(row) for row in found["results"]] == [list(row) for row in ROWS]
    assert found == {**DUNE, "searchTime": found["searchTime"], **other}


@pytest.mark.promise(
    "003.1",
    "003.7",
    "003.9",
    "003.10",
    "003.11",
    "003.12",
    "003.13",
    "003.14",
    "003.15",
    "003.16",
    "003.17",
    "003.18",
    "003.19",
    "003.20",
    "003.24",
)
@pytest.mark.parametrize(("way", "era"), WAYS.values(), ids=WAYS)
async def test_the_examples_come_out_as_they_stand_in_the_specification(
    way: Way, era: str, web: Upstreams, tmp_path: Path
) -> None:
    async with way(process_environment(web, tmp_path), era, "websearch") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["WebSearch", "WebFetch"]
        found = await told(client, "WebSearch", query="Dune Part Two release date")
        assert not found.is_error
        check_dune(found.data, totalResults=3)  # Brave tells no total
        web.answers["brave"] = lambda _: brave()
        web.answers["bing"] = lambda _: Said(200, {"_type": "SearchResponse", "queryContext": {"originalQuery": "q"}})
        nothing = await told(client, "WebSearch", query="xyzzy123 nonexistent movie 2099")
        assert not nothing.is_error
        assert nothing.data == NOTHING
        assert list(nothing.data) == list(NOTHING)
        web.answers["brave"] = web.answers["bing"] = turns(Said(403))
        failed = await told(client, "WebSearch", query="Dune")
        assert failed.is_error
        assert list(failed.data) == ["query", "results", "message", "suggestion"]
        assert (failed.data["query"], failed.data["results"]) == ("Dune", [])
        assert failed.data["message"].startswith("Brave Search turned our request away (403).")
        assert failed.data["suggestion"] == "Check its key and settings: gossamer doctor."
        assert KEY not in found.whole + nothing.whole + failed.whole


@pytest.mark.promise("003.8")
async def test_a_total_is_the_service_s_own_where_it_tells_one(web: Upstreams, environment: dict[str, str]) -> None:
    async with client_of({**environment, "GOSSAMER_SEARCH__PROVIDERS": "bing"}) as client:
        check_dune((await told(client, "WebSearch", query=DUNE["query"])).data, searchEngine="bing")


PAGE = "https://www.imdb.com/title/"
SENT: dict[str, tuple[dict[str, Any], dict[str, str], set[str]]] = {
    "a bare query, as it is": (
        {"query": '"season 2" -trailer'},
        {"q": '"season 2" -trailer', "count": "10", "safesearch": "moderate"},
        {"freshness", "search_lang", "country"},
    ),
    "everything": (
        {"query": "cast", "maxResults": 3, "site": "imdb.com", "dateRange": "week", "safeSearch": False},
        {"q": "cast site:imdb.com", "count": "3", "freshness": "pw", "safesearch": "off"},
        {"search_lang", "country"},
    ),
    "a day": ({"query": "q", "dateRange": "day"}, {"freshness": "pd"}, set()),
    "a month": ({"query": "q", "dateRange": "month"}, {"freshness": "pm"}, set()),
    "a year": ({"query": "q", "dateRange": "year"}, {"freshness": "py"}, set()),
    "the most": ({"query": "q", "maxResults": 20}, {"count": "20"}, set()),
    "safe on request": ({"query": "q", "safeSearch": True}, {"safesearch": "moderate"}, set()),
    "read leniently": (
        {"query": " q ", "maxResults": "5", "site": PAGE, "dateRange": "Week", "safeSearch": "no"},
        {"q": "q site:imdb.com", "count": "5", "freshness": "pw", "safesearch": "off"},
        set(),
    ),
}  # fmt: skip


@pytest.mark.promise("003.2", "003.4", "003.5", "003.6", "003.21")
@pytest.mark.parametrize(("given", "sent", "absent"), SENT.values(), ids=SENT)
async def test_what_is_asked_for_reaches_the_service(
    given: dict[str, Any], sent: dict[str, str], absent: set[str], web: Upstreams, environment: dict[str, str]
) -> None:
    async with client_of(environment) as client:
        found = await told(client, "WebSearch", **given)
    (asked,) = web.asked
    assert (asked.service, asked.path) == ("brave", "web/search")
    assert asked.headers["x-subscription-token"] == KEY
    assert {name: asked.params.get(name) for name in sent} == sent
    assert not absent & set(asked.params)
    changed = {
        name for name, value in given.items() if value in ("5", "Week", "no", " q ", "https://www.imdb.com/title/")
    }
    notes = [note.partition(" ")[0] for note in found.meta.get("gossamer/note", []) if " was read as " in note]
    assert set(notes) == changed


BOUNDS: dict[str, tuple[dict[str, Any], str]] = {
    "no result": ({"query": "q", "maxResults": 0}, "maxResults must be at least 1, not 0."),
    "too many results": ({"query": "q", "maxResults": 21}, "maxResults must be at most 20, not 21."),
    "no query": ({"maxResults": 3}, "query is missing."),
    "a blank query": ({"query": "  "}, "query must not be empty."),
    "another range": (
        {"query": "q", "dateRange": "decade"}, "dateRange must be one of 'day', 'week', 'month', 'year'.",
    ),
    "no truth value": ({"query": "q", "safeSearch": "strict"}, "safeSearch must be true or false."),
}  # fmt: skip


@pytest.mark.promise("003.3")
@pytest.mark.parametrize(("given", "message"), BOUNDS.values(), ids=BOUNDS)
async def test_what_is_out_of_bounds_is_an_error_object_that_names_the_bound(
    given: dict[str, Any], message: str, web: Upstreams, environment: dict[str, str]
) -> None:
    async with client_of(environment) as client:
        failed = await told(client, "WebSearch", **given)
    assert failed.is_error
    assert failed.data == {
        "query": str(given.get("query", "")).strip(),
        "results": [],
        "message": message,
        "suggestion": "Correct it and call again.",
    }
    assert web.asked == []


USES: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "a film": ({"query": "Dune Part Two cast"}, {"q": "Dune Part Two cast"}),
    "a release date": (
        {"query": "The Last of Us season 2 release date"}, {"q": "The Last of Us season 2 release date"},
    ),
    "documentation": (
        {"query": "qBittorrent API documentation", "site": "github.com"},
        {"q": "qBittorrent API documentation site:github.com"},
    ),
    "news": ({"query": "Netflix new releases", "dateRange": "week"}, {"q": "Netflix new releases", "freshness": "pw"}),
}  # fmt: skip


@pytest.mark.promise("003.160", "003.161", "003.162", "003.163")
@pytest.mark.parametrize(("given", "sent"), USES.values(), ids=USES)
async def test_the_uses_that_the_specification_names_work(
    given: dict[str, Any], sent: dict[str, str], web: Upstreams, environment: dict[str, str]
) -> None:
    page = {**ROWS[0], "url": "https://github.com/a/b"}
    web.answers["brave"] = lambda _: brave(page)
    async with client_of(environment) as client:
        found = await told(client, "WebSearch", **given)
    (asked,) = web.asked
    assert {name: asked.params.get(name) for name in ("q", "freshness")} == {"freshness": None, **sent}
    assert (found.is_error, found.data["query"], found.data["results"][0]["url"]) == (
        False, given["query"], page["url"],
    )  # fmt: skip


@pytest.mark.promise("003.33")
async def test_the_model_is_told_when_a_site_and_a_range_help(environment: dict[str, str]) -> None:
    async with client_of(environment) as client:
        (tool,) = (one for one in (await client.list_tools()).tools if one.name == "WebSearch")
    said = " ".join((tool.description or "").split())
    assert "Use site when you know the authoritative source, dateRange for what is recent" in said


@pytest.mark.promise("003.4")
@pytest.mark.parametrize("site", ["not a site", "imdb.com,wikipedia.org", "imdb.com OR site:b.example", "-a.example"])
async def test_a_site_that_is_none_is_an_error_object(site: str, web: Upstreams, environment: dict[str, str]) -> None:
    async with client_of(environment) as client:
        failed = await told(client, "WebSearch", query="q", site=site)
    assert failed.is_error
    assert failed.data == {
        "query": "q",
        "results": [],
        "message": "site is not the name of one site.",
        "suggestion": 'Give a single domain, such as "imdb.com".',
    }
    assert web.asked == []


@pytest.mark.promise("003.4")
@pytest.mark.parametrize("site", ["bücher.example", "xn--bcher-kva.example", "BÜCHER.example"])
async def test_a_site_is_found_in_either_of_its_spellings(
    site: str, web: Upstreams, environment: dict[str, str]
) -> None:
    on_site = ["https://xn--bcher-kva.example/a", "https://www.bücher.example/b"]
    rows = [{"title": "T", "url": url, "snippet": "s"} for url in (*on_site, "https://bucher.example/c")]
    web.answers["brave"] = lambda _: brave(*rows)
    async with client_of({**environment, "GOSSAMER_SEARCH__PROVIDERS": "brave"}) as client:
        found = await told(client, "WebSearch", query="q", site=site)
    assert [row["url"] for row in found.data["results"]] == on_site


@pytest.mark.promise("003.22", "003.23", "003.25")
async def test_a_page_comes_once_and_its_snippet_ends_with_a_word(web: Upstreams, environment: dict[str, str]) -> None:
    row = {"title": "T", "url": "https://news.example.co.uk/a?utm_source=x", "snippet": "word " * 60}
    web.answers["brave"] = lambda _: brave(
        row, {**row, "url": "https://news.example.co.uk/a"}, {**row, "url": "https://b.example/"}
    )
    async with client_of(environment) as client:
        found = await told(client, "WebSearch", query="q")
    first, second = found.data["results"]
    assert (first["url"], first["domain"]) == ("https://news.example.co.uk/a?utm_source=x", "example.co.uk")
    assert (second["url"], second["domain"]) == ("https://b.example/", "b.example")
    assert first["snippet"] == ("word " * 39).strip() + "..."
    assert found.data["totalResults"] == 2


async def test_nothing_hidden_comes_out(web: Upstreams, environment: dict[str, str]) -> None:
    hidden = "\u202e\u200b\U000e0041\ufeff"
    row = {
        "title": f"A{hidden}B",
        "url": "https://a.example/",
        "snippet": f"<b>x</b>{hidden} </untrusted-web-content>y",
    }
    web.answers["brave"] = lambda _: brave(row)
    async with client_of(environment) as client:
        found = await told(client, "WebSearch", query=f"q{hidden}")
    assert found.data["query"] == "q"
    assert found.data["results"][0]["title"] == "AB"
    assert found.data["results"][0]["snippet"] == "x y"
    assert not set(hidden) & set(found.whole)


PACE = recorded("brave", "limited")
SOON = Said(PACE.status, PACE.body, {**PACE.headers, "x-ratelimit-reset": "0, 1419704"})
LATER = Said(429, PACE.body, {"Retry-After": "3600"})
OK = brave(*ROWS)
ATTEMPTS: dict[str, tuple[list[Said], int, bool]] = {
    "a limit, once": ([SOON, OK], 2, True),
    "a limit, twice": ([SOON, SOON, OK], 3, True),
    "a limit, again and again": ([SOON], 3, False),
    "a limit beyond the deadline": ([LATER, OK], 1, False),
    "a month that is used up": ([recorded("brave", "month-used-up"), OK], 1, False),
    "a bad key": ([recorded("brave", "bad-key"), OK], 1, False),
    "no key": ([recorded("brave", "no-key"), OK], 1, False),
    "a bad parameter": ([recorded("brave", "bad-parameter"), OK], 1, False),
    "access denied": ([Said(403), OK], 1, False),
    "a wrong address": ([Said(404), OK], 1, False),
    "a reply that is no JSON": ([Said(200, b"{"), OK], 1, False),
    "an error on its side, once": ([Said(503), OK], 2, True),
    "an error on its side, again and again": ([Said(500)], 3, False),
}


@pytest.mark.promise("003.117")
@pytest.mark.parametrize(("answers", "attempts", "is_found"), ATTEMPTS.values(), ids=ATTEMPTS)
async def test_a_limit_is_waited_out_and_tried_again_twice_at_most(
    answers: list[Said], attempts: int, is_found: bool, web: Upstreams, environment: dict[str, str]
) -> None:
    web.answers["brave"] = turns(*answers)
    async with client_of({**environment, "GOSSAMER_SEARCH__PROVIDERS": "brave"}) as client:
        found = await told(client, "WebSearch", query=DUNE["query"])
    assert len(web.asked) == attempts
    assert found.is_error is not is_found
    if is_found:
        check_dune(found.data, totalResults=3)
    else:
        assert list(found.data) == ["query", "results", "message", "suggestion"]
        assert found.data["message"].startswith("Brave Search")
        assert found.data["suggestion"]
    assert KEY not in found.whole


@pytest.mark.promise("003.26")
async def test_who_is_limited_waits_its_turn_before_it_asks_at_all(web: Upstreams, environment: dict[str, str]) -> None:
    """A limit that one search met holds for the next one too: it is queued, and neither fails nor asks too early."""
    named = Said(429, PACE.body, {"Retry-After": "1"})
    web.answers["brave"] = turns(named, OK)
    async with client_of({**environment, "GOSSAMER_SEARCH__PROVIDERS": "brave"}) as client:
        both = await asyncio.gather(*(told(client, "WebSearch", query=text) for text in ("one", "two")))
    assert [found.is_error for found in both] == [False, False]
    assert len(web.asked) == 3


@pytest.mark.promise("003.111", "003.114")
async def test_a_service_that_hangs_is_an_error_that_says_to_try_again(
    web: Upstreams, environment: dict[str, str]
) -> None:
    def hang(_asked: Asked) -> Said:
        web.closing.wait(30)
        return Said(500)

    web.answers["brave"] = hang
    settings = {"GOSSAMER_SEARCH__PROVIDERS": "brave", "GOSSAMER_SEARCH__PROVIDER_TIMEOUT_S": "2"}
    async with client_of({**environment, **settings}) as client:
        failed = await told(client, "WebSearch", query="q")
        web.closing.set()
    assert failed.is_error
    assert failed.data == {
        "query": "q", "results": [], "message": "Brave Search did not answer within 2 s.", "suggestion": "Try again.",
    }  # fmt: skip
    assert len(web.asked) == 1


async def test_another_provider_answers_where_the_first_fails(web: Upstreams, environment: dict[str, str]) -> None:
    web.answers["brave"] = turns(Said(403))
    async with client_of(environment) as client:
        found = await told(client, "WebSearch", query=DUNE["query"])
    check_dune(found.data, searchEngine="bing")
    assert [failure["who"] for failure in found.meta["gossamer/failures"]] == ["brave"]
    assert found.meta["gossamer/services"] == ["Brave Search", "Bing"]


@pytest.mark.promise("003.99")
async def test_brave_is_asked_first_where_it_has_a_key(web: Upstreams, environment: dict[str, str]) -> None:
    own = {**environment, "SEARXNG_URL": f"{web.url}/searxng"}
    del own["GOSSAMER_SEARCH__PROVIDERS"]
    async with client_of(own) as client:
        found = await told(client, "WebSearch", query="q")
    assert [asked.service for asked in web.asked] == ["brave"]
    assert found.data["searchEngine"] == "brave"


BLOCK = """
[WebSearch]
Provider = "brave"
ApiKey = "${BRAVE_API_KEY}"
MaxResultsPerQuery = 20
DefaultSafeSearch = true
CacheDurationMinutes = 60
RateLimitPerMinute = 30
"""
"""The block of the specification."""


def configured(folder: Path, text: str, web: Upstreams) -> dict[str, str]:
    """An environment in which the block alone says who is asked, and with which key."""
    environment = web.environment(folder)
    for name in ("BRAVE_API_KEY", "GOSSAMER_SEARCH__PROVIDERS"):
        del environment[name]
    file = folder / "gossamer.toml"
    file.write_text(text)
    return {**environment, "GOSSAMER_CONFIG": str(file)}


@pytest.fixture
def block(web: Upstreams, tmp_path: Path) -> Any:
    def use(text: str = BLOCK, **more: str) -> Any:
        return client_of({**configured(tmp_path, text, web), **more})

    return use


@pytest.mark.promise("003.120", "003.121", "003.122", "003.123", "003.124", "003.125")
async def test_the_block_of_the_specification_works_as_it_stands(web: Upstreams, block: Any) -> None:
    async with block(BRAVE_API_KEY=KEY) as client:
        check_dune((await told(client, "WebSearch", query=DUNE["query"])).data, totalResults=3)
        await told(client, "WebSearch", query=DUNE["query"])
    (asked,) = web.asked
    assert asked.headers["x-subscription-token"] == KEY
    assert (asked.params["count"], asked.params["safesearch"]) == ("10", "moderate")


@pytest.mark.promise("003.121")
async def test_the_block_may_hold_the_key_itself(web: Upstreams, block: Any) -> None:
    async with block(BLOCK.replace("${BRAVE_API_KEY}", "a-key-of-the-block")) as client:
        await told(client, "WebSearch", query="q")
    assert web.asked[0].headers["x-subscription-token"] == "a-key-of-the-block"


@pytest.mark.promise("003.131")
async def test_a_key_that_is_not_set_is_asked_for_by_its_name(web: Upstreams, block: Any) -> None:
    async with block() as client:
        failed = await told(client, "WebSearch", query="q")
    assert failed.is_error
    assert "Brave Search cannot be asked without BRAVE_API_KEY" in failed.data["message"]
    assert web.asked == []


@pytest.mark.promise("003.120", "003.122", "003.123", "003.124")
async def test_every_other_value_of_the_block_counts(web: Upstreams, block: Any) -> None:
    text = """
    [WebSearch]
    Provider = "bing,brave"
    MaxResultsPerQuery = 2
    DefaultSafeSearch = false
    CacheDurationMinutes = 0
    """
    async with block(text) as client:
        found = await told(client, "WebSearch", query="q", maxResults=5)
        await told(client, "WebSearch", query="q", maxResults=5, safeSearch=True)
        await told(client, "WebSearch", query="q", maxResults=5)
    assert [asked.service for asked in web.asked] == ["bing"] * 3
    assert [asked.params["safeSearch"] for asked in web.asked] == ["Off", "Moderate", "Off"]
    assert [asked.params["count"] for asked in web.asked] == ["2"] * 3
    assert len(found.data["results"]) == 2
    assert found.meta["gossamer/note"] == ["maxResults is limited to 2 here."]


@pytest.mark.promise("003.125")
async def test_so_many_requests_a_minute_are_sent_and_who_could_not_wait_is_told_when(
    web: Upstreams, block: Any
) -> None:
    async with block("[WebSearch]\nProvider = 'bing'\nRateLimitPerMinute = 2\n") as client:
        found = [await told(client, "WebSearch", query=text) for text in ("one", "two", "three", "one")]
    assert [one.is_error for one in found] == [False, False, True, False]
    assert len(web.asked) == 2
    said = "Too many of our searches wait for Bing: our turn would come after the time of this call."
    assert found[2].data["message"] == said
    wait_s = re.fullmatch(r"Try again in (\d+) s\.", found[2].data["suggestion"])
    assert wait_s
    assert 30 < int(wait_s[1]) <= 60


async def test_a_provider_that_does_not_exist_is_told(block: Any) -> None:
    async with block("[WebSearch]\nProvider = 'altavista'\n") as client:
        failed = await told(client, "WebSearch", query="q")
    assert failed.is_error
    assert "'altavista'" in failed.data["message"]


@pytest.mark.promise("003.132")
async def test_searching_can_be_switched_off(environment: dict[str, str]) -> None:
    async with client_of({**environment, "WEB_SEARCH_ENABLED": "false"}) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert "WebFetch" in names
    assert not {"WebSearch", "web.search", "web_search", "search_web", "chatgpt_o3_search", "web_answer"} & names


async def test_two_searches_for_the_same_at_one_time_are_one_request(
    web: Upstreams, environment: dict[str, str]
) -> None:
    came, ready = threading.Event(), threading.Event()

    def slow(_asked: Asked) -> Said:
        came.set()
        ready.wait(10)
        return OK

    web.answers["brave"] = slow
    async with client_of(environment) as client:
        both = [asyncio.create_task(told(client, "WebSearch", query="same")) for _ in range(2)]
        await asyncio.to_thread(came.wait, 10)
        ready.set()
        found = await asyncio.gather(*both)
    assert len(web.asked) == 1
    assert [one.data["results"] for one in found] == [ROWS, ROWS]
