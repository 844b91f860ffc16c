"""The search of the mini web speaks SearXNG."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

from gossamer.demo.web import MiniWeb

_TODAY = date(2026, 10, 15)


@pytest.fixture(scope="module")
def web() -> Iterator[MiniWeb]:
    with MiniWeb(today=_TODAY) as web:
        yield web
        assert web.faults == []


def get(web: MiniWeb, path: str = "/search", **params: str | int) -> httpx2.Response:
    return httpx2.get(f"{web.url}{path}?{urlencode(params)}", trust_env=False)


def results(web: MiniWeb, query: str, **params: str | int) -> list[dict[str, Any]]:
    return get(web, q=query, format="json", **params).json()["results"]


def paths(web: MiniWeb, query: str, **params: str | int) -> list[str]:
    return [row["url"].removeprefix(web.url) for row in results(web, query, **params)]


def test_a_reply_has_the_keys_of_a_current_instance(web: MiniWeb) -> None:
    reply = get(web, q="electric ferry", format="json")
    assert reply.headers["content-type"] == "application/json"
    assert list(reply.json()) == [
        "query", "results", "answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines",
    ]  # fmt: skip
    first = reply.json()["results"][0]
    assert set(first) == {
        "url", "title", "content", "engine", "engines", "positions", "score", "category", "publishedDate", "thumbnail",
        "img_src", "template", "parsed_url", "priority",
    }  # fmt: skip
    assert first["parsed_url"] == ["http", web.host, first["url"].removeprefix(web.url), "", "", ""]
    assert (first["positions"], first["score"], first["engines"]) == ([1], 1.0, [first["engine"]])


def test_a_dated_page_has_its_day_and_an_undated_one_has_none(web: MiniWeb) -> None:
    days = {row["url"].removeprefix(web.url): row["publishedDate"] for row in results(web, "electric ferry timetable")}
    assert days["/gazette/sandpiper-enters-service"] == "2026-03-15T00:00:00"
    assert days["/ferry/timetable"] is None


REFUSALS = {
    "no query": ({"format": "json"}, "No query"),
    "a blank query": ({"q": " ", "format": "json"}, "No query"),
    "time range": ({"q": "x", "format": "json", "time_range": "hour"}, 'Invalid value "hour" for parameter time_range'),
    "safe search": ({"q": "x", "format": "json", "safesearch": "3"}, 'Invalid value "3" for parameter safesearch'),
    "page number": ({"q": "x", "format": "json", "pageno": "0"}, 'Invalid value "0" for parameter pageno'),
    "language": ({"q": "x", "format": "json", "language": "!"}, 'Invalid value "!" for parameter language'),
}


@pytest.mark.parametrize(("params", "message"), REFUSALS.values(), ids=REFUSALS)
def test_a_bad_value_is_refused_with_400_and_a_reason(web: MiniWeb, params: dict[str, str], message: str) -> None:
    reply = get(web, **params)
    assert (reply.status_code, reply.json()) == (400, {"error": message})


@pytest.mark.parametrize("form", ["csv", "rss"])
def test_a_format_that_is_not_enabled_is_a_403_page(web: MiniWeb, form: str) -> None:
    reply = get(web, q="ferry", format=form)
    assert (reply.status_code, reply.headers["content-type"]) == (403, "text/html; charset=utf-8")


def test_people_get_a_page_of_results(web: MiniWeb) -> None:
    for params in ({"q": "ferry"}, {"q": "ferry", "format": "html"}, {"q": "ferry", "format": "unknown"}):
        reply = get(web, **params)
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert f'<h3><a href="{web.url}/ferry/fares"' in reply.text


PAGES = {
    "nothing asked": ({}, 200, 'id="q"'),
    "nothing found": ({"q": "zzyzx"}, 200, "No results were found."),
    "a bad value": ({"q": "x", "pageno": "x"}, 400, "for parameter pageno"),
    "a query that is markup": ({"q": "<script>"}, 200, "&lt;script&gt;"),
}


@pytest.mark.parametrize(("params", "status", "text"), PAGES.values(), ids=PAGES)
def test_the_page_for_people_copes_with(web: MiniWeb, params: dict[str, str], status: int, text: str) -> None:
    reply = get(web, **params)
    assert reply.status_code == status
    assert text in reply.text


def test_a_form_may_be_posted(web: MiniWeb) -> None:
    reply = httpx2.post(f"{web.url}/search", data={"q": "ferry", "format": "json"}, trust_env=False)
    assert reply.json()["query"] == "ferry"
    assert reply.json()["results"]


def test_pages_follow_each_other_without_overlap_and_end(web: MiniWeb) -> None:
    first, second = paths(web, "island"), paths(web, "island", pageno=2)
    assert len(first) == 10
    assert second
    assert not set(first) & set(second)
    assert results(web, "island", pageno=2)[0]["positions"] == [11]
    assert paths(web, "island", pageno=90) == []


SITES = {
    "our host": ("ferry site:127.0.0.1", True),
    "our host and port": ("ferry site:{host}", True),
    "our address": ("site:http://{host}/gazette ferry", True),
    "another host": ("ferry site:example.org", False),
    "a site and no words": ("site:127.0.0.1", False),
}


@pytest.mark.parametrize(("query", "is_found"), SITES.values(), ids=SITES)
def test_the_site_operator_is_respected(web: MiniWeb, query: str, is_found: bool) -> None:
    found = paths(web, query.format(host=web.host))
    assert bool(found) == is_found
    assert "/gazette" not in query or all(path.startswith("/gazette/") for path in found)


def test_a_time_range_keeps_dated_pages_within_it(web: MiniWeb) -> None:
    assert paths(web, "skein loom strand", time_range="month") == []
    assert "/gazette/sandpiper-enters-service" in paths(web, "ferry", time_range="year")
    assert "/ferry/timetable" not in paths(web, "ferry", time_range="year")


CATEGORIES = {
    "news alone": ("news", {"/gazette/"}),
    "two at once": ("news,it", {"/gazette/", "/skein/", "/forum/"}),
    "unknown names are dropped": ("news,gossip", {"/gazette/"}),
}


@pytest.mark.parametrize(("categories", "prefixes"), CATEGORIES.values(), ids=CATEGORIES)
def test_categories_choose_among_the_pages(web: MiniWeb, categories: str, prefixes: set[str]) -> None:
    found = paths(web, "island ferry", categories=categories)
    assert found
    assert all(path.startswith(tuple(prefixes)) for path in found)


def test_general_means_everything(web: MiniWeb) -> None:
    assert paths(web, "ferry", categories="general") == paths(web, "ferry") == paths(web, "ferry", categories="gossip")
    assert paths(web, "ferry", categories="music") == []


FINDABLE = {
    "a Japanese word": ("天文台", "/ja/night-sky"),
    "a Chinese word on a GBK page": ("雾茶", "/zh/mist-tea"),
    "a German word without its dots": ("hohenmeter", "/de/klippenweg"),
    "an Arabic word": ("منارة", "/ar/lighthouse"),
    "another form of a word": ("meteor camera networks", "/observatory/about"),
    "a page that now hides behind a bot wall": ("harbour webcam seals", "/webcam/harbour"),
    "a page behind a paywall": ("tidal mill accounts", "/gazette/tidal-mill-accounts"),
    "words of the text of a PDF": ("trustees library roof used battery", "/observatory/summary-2025.pdf"),
}


@pytest.mark.parametrize(("query", "path"), FINDABLE.values(), ids=FINDABLE)
def test_the_search_finds(web: MiniWeb, query: str, path: str) -> None:
    assert path in paths(web, query)[:3]


UNFINDABLE = {
    "what robots.txt forbids": "captain wheelhouse key barometer",
    "login pages": "sail number password",
    "words that stand nowhere": "zzyzx quuxly",
    "hidden text": "CANARY maintenance mode",
    "punctuation": '"" * ( AND',
}


@pytest.mark.parametrize("query", UNFINDABLE.values(), ids=UNFINDABLE)
def test_the_search_does_not_find(web: MiniWeb, query: str) -> None:
    found = paths(web, query)
    assert not [path for path in found if path.startswith(("/private/", "/members/"))]
    assert "CANARY" not in json.dumps(results(web, query))


def test_a_snippet_is_one_short_line_from_the_part_that_matches(web: MiniWeb) -> None:
    snippet = results(web, "exit code 3 of skein doctor")[0]["content"]
    assert "Exit code 3 means that a setting could not be read." in snippet
    assert "\n" not in snippet
    assert len(snippet) < 240


def test_a_page_that_matches_in_its_title_alone_is_described(web: MiniWeb) -> None:
    by_path = {row["url"].removeprefix(web.url): row["content"] for row in results(web, "Salt Larder")}
    assert by_path["/larder/seaweed-oat-bread"]


def test_the_plain_search_serves_a_json_engine(web: MiniWeb) -> None:
    first = get(web, "/api/search", q="ferry", p=1).json()["results"]
    assert set(first[0]) == {"title", "url", "content"}
    assert len(first) == 10
    assert get(web, "/api/search", q="ferry", p=2).json()["results"] != first
    assert get(web, "/api/search", q="ferry").json()["results"] == first
    assert get(web, "/api/search", q="ferry", p="none").status_code == 400
