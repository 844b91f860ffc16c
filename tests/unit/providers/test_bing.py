from dataclasses import replace
from typing import Any

import pytest

from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Query
from gossamer.providers.bing import Bing
from gossamer.testing.recorded import drive, dump

BING = Bing.model_validate({"base_url": "https://bing.example", "api_key": "a-key"})
QUERY = Query(text="rust")


def asked(**fields: Any) -> HttpRequest:
    return BING.request(replace(QUERY, **fields))


def test_a_plain_query_leaves_the_market_to_the_service() -> None:
    request = asked()
    assert request.url == "https://bing.example/v7.0/search"
    assert dict(request.params) == {"q": "rust", "count": 10, "safeSearch": "Moderate"}
    assert request.headers["Ocp-Apim-Subscription-Key"] == "a-key"


def test_every_filter_reaches_it() -> None:
    params = asked(site="tokio.rs", time_range="week", region="at", language="de", safe_search=2, count=50).params
    assert dict(params) == {
        "q": "rust site:tokio.rs",
        "count": 50,
        "safeSearch": "Strict",
        "mkt": "de-AT",
        "freshness": "Week",
    }


MARKETS = {
    "a language is at home somewhere": ("ja", None, "ja-JP"),
    "a region alone": ("en", "GB", "en-GB"),
    "a region and any language": ("all", "FR", "en-FR"),
    "a language without a market": ("la", None, None),
}


@pytest.mark.parametrize(("language", "region", "market"), MARKETS.values(), ids=MARKETS)
def test_languages_and_regions_are_markets(language: str, region: str | None, market: str | None) -> None:
    assert asked(language=language, region=region).params.get("mkt") == market


def test_a_year_is_longer_than_it_can_tell() -> None:
    query = replace(QUERY, time_range="year")
    assert "freshness" not in BING.request(query).params
    body = dump({"_type": "SearchResponse"})
    found = drive(BING, query, lambda request: HttpReply(status=200, url=request.url, body=body))
    assert found.note == "Bing cannot filter by year."


ADDRESSES = {
    "as it is": "https://bing.example",
    "with its version": "https://bing.example/v7.0/",
    "with its operation": "https://bing.example/v7.0/search",
}


@pytest.mark.parametrize("given", ADDRESSES.values(), ids=ADDRESSES)
def test_the_address_of_a_service_is_kept_in_one_spelling(given: str) -> None:
    assert Bing(base_url=given).request(QUERY).url == "https://bing.example/v7.0/search"


def test_it_needs_an_address_and_no_key() -> None:
    assert not Bing.model_validate({"api_key": "a-key"}).is_ready
    keyless = Bing(base_url="https://bing.example")
    assert keyless.is_ready
    assert keyless.is_own
    assert "Ocp-Apim-Subscription-Key" not in keyless.request(QUERY).headers


def test_rows_are_cleaned_and_a_correction_is_passed_on() -> None:
    rows = [
        {"name": "", "url": "https://a.example/", "datePublished": "2026-09-02T00:00:00.0000000"},
        {"name": "Bad", "url": "not an address"},
    ]
    said = {"_type": "SearchResponse", "queryContext": {"alteredQuery": "rust"}, "webPages": {"value": rows}}
    found = BING.parse(HttpReply(status=200, url="", body=dump(said)))
    assert [(hit.title, hit.published) for hit in found.hits] == [("https://a.example/", "2026-09-02")]
    assert found.suggestions == ("rust",)
