from dataclasses import replace
from typing import Any

from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.marginalia import Marginalia
from gossamer.testing.recorded import dump

MARGINALIA = Marginalia.model_validate({"api_key": "a-key"})
QUERY = Query(text="tokio rust")


def asked(**fields: Any) -> dict[str, str | int]:
    return dict(MARGINALIA.request(replace(QUERY, **fields)).params)


def test_a_plain_query_carries_its_key_in_a_header() -> None:
    request = MARGINALIA.request(QUERY)
    assert request.url == "https://api2.marginalia-search.com/search"
    assert request.headers["API-Key"] == "a-key"
    assert asked() == {"query": "tokio rust", "count": 10, "nsfw": 1, "lang": "en"}


def test_of_one_site_more_than_two_results_are_wanted() -> None:
    assert asked(site="tokio.rs", count=50, safe_search=0, language="all") == {
        "query": "tokio rust site:tokio.rs",
        "count": 50,
        "nsfw": 0,
        "dc": 50,
    }


def test_a_shared_key_is_not_ones_own() -> None:
    shared = Marginalia.model_validate({"api_key": "public"})
    assert shared.is_ready
    assert not shared.is_own
    assert MARGINALIA.is_own
    assert not Marginalia().is_ready


def test_odd_rows_are_cleaned() -> None:
    body = dump({"results": [{"url": "gopher://a.example/"}, {"url": "https://a.example/"}]})
    hits = MARGINALIA.parse(HttpReply(status=200, url="", body=body)).hits
    assert [(hit.url, hit.title) for hit in hits] == [("https://a.example/", "https://a.example/")]
