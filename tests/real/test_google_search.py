"""`web.search` against its specification, as real clients see it; Google is on loopback."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.patience import unless_starved
from tests.real.clients import WAYS, Way, process_environment
from tests.real.upstreams import (
    ENGINE,
    KEY,
    Asked,
    Said,
    Upstreams,
    client_of,
    google,
    google_item,
    recorded,
    told,
    turns,
    upstreams,
)

FOUND, NOTHING = recorded("google", "found"), recorded("google", "nothing-found")
QUOTA, CLOSED = recorded("google", "day-used-up"), recorded("google", "closed-to-new-projects")


@pytest.fixture
def web() -> Iterator[Upstreams]:
    with upstreams() as running:
        running.answers = {"google": google}
        yield running


@pytest.fixture
def environment(web: Upstreams, tmp_path: Path) -> dict[str, str]:
    return web.environment(tmp_path)


@pytest.mark.promise("001.2", "001.31", "001.36", "001.82")
@pytest.mark.parametrize(("way", "era"), WAYS.values(), ids=WAYS)
async def test_google_s_json_comes_out_as_it_came_query_by_query(
    way: Way, era: str, web: Upstreams, tmp_path: Path
) -> None:
    bodies = {"rust": FOUND, "zxqvzxqv": NOTHING, "closed": CLOSED}
    web.answers["google"] = lambda asked: bodies[asked.params["q"]]
    async with way(process_environment(web, tmp_path), era, "google") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["web.search", "web.readFromPage"]
        one = await told(client, "web.search", query="rust", resultsPerQuery=2)
        assert not one.is_error
        assert one.data == {"queries": [{"query": "rust", "result": FOUND.body}]}
        many = await told(client, "web-search", query=["zxqvzxqv", "rust", "closed"], resultsPerQuery=2)
        assert not many.is_error
        assert many.data == {
            "queries": [
                {"query": "zxqvzxqv", "result": NOTHING.body},
                {"query": "rust", "result": FOUND.body},
                {"query": "closed", "result": CLOSED.body},
            ]
        }
        none = await told(client, "web.search", query=["closed"])
        assert none.is_error
        assert [list(entry) for entry in none.data["queries"]] == [["query", "result"]]
        assert none.data["queries"][0]["result"]["error"]["code"] == 403
        assert none.meta["gossamer/outcome"] == "denied"
        assert KEY not in one.whole + many.whole + none.whole


SENT: dict[str, tuple[dict[str, Any], str, dict[str, str | None]]] = {
    "nothing but words": (
        {"query": "rust"}, "off",
        {"q": "rust", "key": KEY, "cx": ENGINE, "num": "10", "start": "1", "safe": "off",
         "gl": None, "cr": None, "hl": None, "lr": None, "dateRestrict": None},
    ),
    "a region": ({"query": "q", "region": "AT"}, "off", {"gl": "at", "cr": "countryAT", "hl": None, "lr": None}),
    "a language": ({"query": "q", "language": "de"}, "off", {"hl": "de", "lr": "lang_de", "gl": None, "cr": None}),
    "both": (
        {"query": "q", "language": "en", "region": "GB"}, "off",
        {"hl": "en", "lr": "lang_en", "gl": "uk", "cr": "countryUK"},
    ),
    "read leniently": (
        {"query": "q", "language": "lang_pt", "region": "countrybr", "resultsPerQuery": "3", "safeSearch": "Strict"},
        "off", {"hl": "pt", "lr": "lang_pt", "gl": "br", "cr": "countryBR", "num": "3", "safe": "active"},
    ),
    "Hebrew, which Google calls otherwise": ({"query": "q", "language": "he"}, "off", {"hl": "iw", "lr": "lang_iw"}),
    "Chinese as it is written in Taiwan": (
        {"query": "q", "language": "zh-TW", "region": "CN"}, "off",
        {"hl": "zh-TW", "lr": "lang_zh-TW", "gl": "cn", "cr": "countryCN"},
    ),
    "Portuguese as it is spoken in Brazil": (
        {"query": "q", "language": "pt-br", "region": "PT"}, "off",
        {"hl": "pt-BR", "lr": "lang_pt", "gl": "pt", "cr": "countryPT"},
    ),
    "off": ({"query": "q", "safeSearch": "off"}, "off", {"safe": "off"}),
    "moderate": ({"query": "q", "safeSearch": "moderate"}, "off", {"safe": "active"}),
    "strict": ({"query": "q", "safeSearch": "strict"}, "off", {"safe": "active"}),
    "moderate by default": ({"query": "q"}, "moderate", {"safe": "active"}),
    "strict by default": ({"query": "q"}, "strict", {"safe": "active"}),
    "off although the default is strict": ({"query": "q", "safeSearch": "off"}, "strict", {"safe": "off"}),
}  # fmt: skip


@pytest.mark.promise("001.20", "001.21", "001.30", "001.33", "001.34", "001.35", "001.81", "001.115")
@pytest.mark.parametrize(("given", "usual", "sent"), SENT.values(), ids=SENT)
async def test_what_is_asked_for_reaches_google(
    given: dict[str, Any], usual: str, sent: dict[str, str | None], web: Upstreams, environment: dict[str, str]
) -> None:
    async with client_of({**environment, "GOOGLE_SAFE_SEARCH": usual}) as client:
        found = await told(client, "web.search", **given)
    assert not found.is_error
    (asked,) = web.asked
    assert {name: asked.params.get(name) for name in sent} == sent


STARTS = {
    1: [(1, 1)],
    10: [(1, 10)],
    11: [(1, 10), (11, 1)],
    25: [(1, 10), (11, 10), (21, 5)],
    50: [(1, 10), (11, 10), (21, 10), (31, 10), (41, 10)],
}


@pytest.mark.promise("001.32")
@pytest.mark.parametrize(("count", "starts"), STARTS.items(), ids=map(str, STARTS))
async def test_later_pages_are_appended_to_google_s_first_reply(
    count: int, starts: list[tuple[int, int]], web: Upstreams, environment: dict[str, str]
) -> None:
    async with client_of(environment) as client:
        found = await told(client, "web.search", query="rust", resultsPerQuery=count)
    assert [(int(asked.params["start"]), int(asked.params["num"])) for asked in web.asked] == starts
    first = google(web.asked[0]).body
    items = [google_item("rust", number) for number in range(1, count + 1)]
    assert isinstance(first, dict)
    assert found.data == {"queries": [{"query": "rust", "result": {**first, "items": items}}]}
    assert list(found.data["queries"][0]["result"]) == list(first)


async def test_there_are_as_many_as_google_has(web: Upstreams, environment: dict[str, str]) -> None:
    web.answers["google"] = lambda asked: google(asked, total=13, last=13)
    async with client_of(environment) as client:
        found = await told(client, "web.search", query="rare", resultsPerQuery=50)
    (entry,) = found.data["queries"]
    assert len(entry["result"]["items"]) == 13
    assert entry["result"]["searchInformation"]["totalResults"] == "13"
    assert [asked.params["start"] for asked in web.asked] == ["1", "11"]


async def test_a_later_page_that_fails_costs_only_itself_and_is_told(
    web: Upstreams, environment: dict[str, str]
) -> None:
    web.answers["google"] = lambda asked: google(asked) if asked.params["start"] == "1" else QUOTA
    async with client_of(environment) as client:
        found = await told(client, "web.search", query="rust", resultsPerQuery=30)
    assert not found.is_error
    assert len(found.data["queries"][0]["result"]["items"]) == 10
    assert found.meta["gossamer/note"][-1] == (
        "Results from 11 on could not be had: Google Custom Search has no searches left for our key."
    )


QUERIES = ["four", "two", "six", "one", "five", "three"]


@pytest.mark.promise("001.79")
@pytest.mark.parametrize(("setting", "at_once"), [({}, 2), ({"CONCURRENCY": "1"}, 1), ({"CONCURRENCY": "6"}, 6)])
async def test_a_batch_runs_in_parallel_up_to_concurrency_and_comes_back_in_order(
    setting: dict[str, str], at_once: int, web: Upstreams, environment: dict[str, str]
) -> None:
    together = threading.Barrier(at_once)

    def answer(asked: Asked) -> Said:
        """Nobody is answered before as many are there as may be."""
        together.wait(10)
        return google(asked)

    web.answers["google"] = answer
    async with client_of({**environment, **setting}) as client:
        found = await told(client, "web.search", query=QUERIES)
    assert [entry["query"] for entry in found.data["queries"]] == QUERIES
    assert [entry["result"]["items"][0]["title"] for entry in found.data["queries"]] == [f"{one} 1" for one in QUERIES]
    assert web.most_at_once == at_once


@pytest.mark.promise("001.80")
async def test_total_results_are_the_queries_times_the_results(web: Upstreams, environment: dict[str, str]) -> None:
    async with client_of(environment) as client:
        found = await told(client, "web.search", query=["a", "b", "c"], resultsPerQuery=15)
    assert [len(entry["result"]["items"]) for entry in found.data["queries"]] == [15, 15, 15]
    assert len(web.asked) == 6


async def test_every_query_of_a_batch_makes_both_its_attempts(web: Upstreams, environment: dict[str, str]) -> None:
    web.answers["google"] = lambda _: error(500)
    async with client_of(environment) as client:
        failed = await told(client, "web.search", query=["a", "b", "c", "d"])
    assert failed.is_error
    assert sorted(asked.params["q"] for asked in web.asked) == sorted("abcd" * 2)


async def test_the_same_query_is_asked_once_and_answered_as_often_as_it_stands_there(
    web: Upstreams, environment: dict[str, str]
) -> None:
    async with client_of(environment) as client:
        found = await told(client, "web.search", query=["a", "b", "a"])
    first, second, third = found.data["queries"]
    assert first == third
    assert second["query"] == "b"
    assert sorted(asked.params["q"] for asked in web.asked) == ["a", "b"]


@pytest.mark.promise("001.88")
async def test_pages_that_are_read_take_the_same_places_on_the_network(
    web: Upstreams, environment: dict[str, str]
) -> None:
    began, ready = threading.Event(), threading.Event()

    def page(asked: Asked) -> Said:
        if asked.path != "one":
            return Said(404)
        began.set()
        ready.wait(10)
        return Said(200, b"<title>P</title><p>The ferry leaves at noon.</p>", {"Content-Type": "text/html"})

    web.answers["page"] = page
    web.answers["robots.txt"] = lambda _: Said(404)
    settings = {"CONCURRENCY": "1", "GOSSAMER_NET__ALLOW_PRIVATE": web.host, "SIMILARITY_THRESHOLD": "0"}
    async with client_of({**environment, **settings}) as client:
        reading = asyncio.create_task(told(client, "web.readFromPage", url=f"{web.url}/page/one", query="ferry"))
        await asyncio.to_thread(began.wait, 10)
        searching = asyncio.create_task(told(client, "web.search", query="ferry"))
        await told(client, "WebFetch", url="ftp://nowhere.example/")  # so much later it still waits
        assert web.of("google") == []
        ready.set()
        assert not (await reading).is_error
        assert not (await searching).is_error
    assert len(web.of("google")) == 1


def hang(web: Upstreams) -> Any:
    def answer(_asked: Asked) -> Said:
        web.closing.wait(30)
        return Said(500)

    return answer


def error(status: int) -> Said:
    return Said(status, {"error": {"code": status, "message": "Backend Error", "errors": [], "status": "INTERNAL"}})


PACE = recorded("google", "limited")
ATTEMPTS: dict[str, tuple[Said, int]] = {
    **{f"{status}": (error(status), 2) for status in (500, 502, 503, 504)},
    "a 503 that is not Google's": (Said(503), 2),
    "a limit": (PACE, 1),
    "a limit that names a time": (Said(429, PACE.body, {"Retry-After": "0"}), 1),
    "a day that is used up": (QUOTA, 1),
    "a bad key": (recorded("google", "bad-key"), 1),
    "a bad argument": (recorded("google", "bad-argument"), 1),
    "a closed project": (CLOSED, 1),
    "no such address": (Said(404), 1),
    "a reply that is no JSON": (Said(200, b"<html>"), 1),
}


@pytest.mark.promise("001.89")
@pytest.mark.parametrize(("said", "attempts"), ATTEMPTS.values(), ids=ATTEMPTS)
async def test_an_error_on_google_s_side_is_tried_once_more_and_nothing_else(
    said: Said, attempts: int, web: Upstreams, environment: dict[str, str]
) -> None:
    web.answers["google"] = turns(said)
    async with client_of(environment) as client:
        failed = await told(client, "web.search", query="rust")
    assert len(web.asked) == attempts
    assert failed.is_error
    (entry,) = failed.data["queries"]
    assert entry["query"] == "rust"
    if isinstance(said.body, dict):
        assert entry["result"] == said.body
    else:
        assert list(entry["result"]) == ["error"]
        told_of = entry["result"]["error"]
        assert list(told_of) == ["code", "message", "errors", "status"]
        assert told_of["errors"][0]["domain"] == "gossamer"
        assert told_of["errors"][0]["message"] == told_of["message"]
    assert KEY not in failed.whole


@pytest.mark.promise("001.89")
async def test_the_second_try_counts(web: Upstreams, environment: dict[str, str]) -> None:
    web.answers["google"] = turns(error(503), FOUND)
    async with client_of(environment) as client:
        found = await told(client, "web.search", query="rust", resultsPerQuery=2)
    assert not found.is_error
    assert found.data["queries"][0]["result"] == FOUND.body


@pytest.mark.promise("001.91")
async def test_a_timeout_is_classified_and_names_request_timeout_ms(
    web: Upstreams, environment: dict[str, str]
) -> None:
    late = hang(web)
    web.answers["google"] = lambda asked: late(asked) if asked.params["q"] == "slow" else google(asked)
    async with client_of({**environment, "REQUEST_TIMEOUT_MS": "5000"}) as client:
        await told(client, "web.search", query="first")
        found = await told(client, "web.search", query=["quick", "slow"])
        alone = await told(client, "web.search", query="slow")
        web.closing.set()
    assert not found.is_error
    quick, slow = found.data["queries"]
    with unless_starved():
        assert len(quick["result"].get("items", ())) == 10
    assert (slow["result"]["error"]["code"], slow["result"]["error"]["status"]) == (504, "DEADLINE_EXCEEDED")
    assert "(REQUEST_TIMEOUT_MS is 5000.)" in slow["result"]["error"]["message"]
    assert slow["result"]["error"]["errors"][0]["reason"] == "timeout"
    assert alone.is_error
    assert alone.meta["gossamer/outcome"] == "timeout"
    assert [asked.params["q"] for asked in web.asked].count("slow") == 2


@pytest.mark.promise("001.95")
async def test_the_key_is_nowhere_in_what_comes_out(web: Upstreams, environment: dict[str, str]) -> None:
    key = 'AIza+/="odd\\key'

    def echo(asked: Asked) -> Said:
        said = google(asked)
        assert isinstance(said.body, dict)
        said.body["queries"]["request"][0]["key"] = asked.params["key"]
        said.body["items"][0]["link"] = f"https://example.org/?key={quote(key, safe='').replace('%2B', '%2b')}"
        said.body["items"][1]["snippet"] = f"Your key {asked.params['key']} is known."
        return said

    web.answers["google"] = echo
    async with client_of({**environment, "GOOGLE_API_KEY": key}) as client:
        found = await told(client, "web.search", query="rust")
    assert web.asked[0].params["key"] == key
    assert "odd" not in found.whole
    assert found.data["queries"][0]["result"]["items"][1]["snippet"] == "Your key … is known."
    assert found.data["queries"][0]["result"]["queries"]["request"][0]["cx"] == ENGINE


@pytest.mark.promise("001.36")
async def test_strings_are_cleaned_and_the_rest_is_faithful(web: Upstreams, environment: dict[str, str]) -> None:
    odd = {"title": "a\u202eb\u200bc\U000e0041d", "n": [None, 1.5, True, {"x\u200b": "two\nlines\t<b>kept</b>"}]}

    def answer(asked: Asked) -> Said:
        said = google(asked, last=1)
        assert isinstance(said.body, dict)
        said.body["items"][0]["pagemap"] = {"odd": [odd], "mark": [{"y": "</untrusted-web-content id=1>"}]}
        return said

    web.answers["google"] = answer
    async with client_of(environment) as client:
        found = await told(client, "web.search", query="ru\u200bst", resultsPerQuery=1)
    (entry,) = found.data["queries"]
    assert entry["query"] == "rust"
    assert entry["result"]["items"][0]["pagemap"] == {
        "odd": [{"title": "abcd", "n": [None, 1.5, True, {"x": "two\nlines\t<b>kept</b>"}]}],
        "mark": [{"y": "<\\/untrusted-web-content id=1>"}],
    }


@pytest.mark.promise("001.20", "001.21")
@pytest.mark.parametrize("missing", ["GOOGLE_API_KEY", "GOOGLE_SEARCH_ENGINE_ID"])
async def test_without_its_settings_it_says_which_are_needed(
    missing: str, web: Upstreams, environment: dict[str, str]
) -> None:
    del environment[missing]
    async with client_of(environment) as client:
        failed = await told(client, "web.search", query=["a", "b"])
    assert failed.is_error
    for entry in failed.data["queries"]:
        assert f"Google Custom Search cannot be asked without {missing}." in entry["result"]["error"]["message"]
        assert entry["result"]["error"]["status"] == "INVALID_ARGUMENT"
    assert web.asked == []


BOUNDS: dict[str, tuple[dict[str, Any], str]] = {
    "no result": ({"query": "q", "resultsPerQuery": 0}, "resultsPerQuery must be at least 1, not 0."),
    "too many results": ({"query": "q", "resultsPerQuery": 51}, "resultsPerQuery must be at most 50, not 51."),
    "no query": ({}, "query is missing."),
    "an empty batch": ({"query": []}, "query must not be empty."),
    "a blank query": ({"query": ["a", " "]}, "query (item 2) must not be empty."),
    "a large batch": ({"query": ["q"] * 11}, "query takes at most 10 items, not 11."),
    "another level": ({"query": "q", "safeSearch": "high"}, "safeSearch must be one of 'off', 'moderate', 'strict'."),
    "no country's letters": ({"query": "q", "region": "Europe"}, "region does not have the form ^[A-Z]{2}$."),
    "no language's letters": (
        {"query": "q", "language": "Klingon"}, "language does not have the form ^[a-z]{2}(-[A-Z]{2})?$.",
    ),
}  # fmt: skip


@pytest.mark.promise("001.122")
async def test_an_argument_that_it_does_not_have_is_refused(web: Upstreams, environment: dict[str, str]) -> None:
    async with client_of(environment) as client:
        reply = await client.call_tool("web.search", {"query": "q", "dateRestrict": "d1"})
    assert reply.is_error
    assert "There is no argument named 'dateRestrict'." in reply.content[0].text
    assert web.asked == []


@pytest.mark.promise("001.33")
async def test_letters_that_are_no_country_are_not_sent(web: Upstreams, environment: dict[str, str]) -> None:
    async with client_of(environment) as client:
        reply = await client.call_tool("web.search", {"query": ["a", "b"], "region": "ZZ"})
    assert reply.is_error
    assert reply.content[0].text == "invalid: region is no country. Give its ISO code, such as US or AT."
    assert web.asked == []


@pytest.mark.promise("001.32", "001.33", "001.34")
@pytest.mark.parametrize(("given", "message"), BOUNDS.values(), ids=BOUNDS)
async def test_what_is_out_of_bounds_is_an_error_that_names_the_bound(
    given: dict[str, Any], message: str, web: Upstreams, environment: dict[str, str]
) -> None:
    async with client_of(environment) as client:
        reply = await client.call_tool("web.search", given)
    assert reply.is_error
    assert reply.structured_content is None
    assert reply.content[0].text == f"invalid: {message} Correct it and call again."
    assert web.asked == []


async def test_a_client_that_allows_no_dot_is_given_a_hyphen(environment: dict[str, str]) -> None:
    async with client_of({**environment, "GOSSAMER_DOTLESS": "true"}) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert "web-search" in names
        assert "web.search" not in names
        assert not (await told(client, "web-search", query="rust")).is_error
        assert not (await told(client, "web.search", query="rust")).is_error
