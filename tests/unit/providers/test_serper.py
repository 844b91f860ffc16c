import json
from dataclasses import replace
from typing import Any

import pytest

from gossamer.errors import QuotaExhausted, RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Query
from gossamer.providers.serper import Serper
from gossamer.testing.recorded import drive, dump

SERPER = Serper.model_validate({"api_key": "a-key"})
QUERY = Query(text="tokio rust")


def asked(**fields: Any) -> dict[str, Any]:
    return json.loads(next(SERPER.steps(replace(QUERY, **fields))).body or b"")


def test_a_plain_query_is_posted_as_json_with_the_key_in_a_header() -> None:
    request = next(SERPER.steps(QUERY))
    assert (request.method, request.url) == ("POST", "https://google.serper.dev/search")
    assert request.headers["X-API-KEY"] == "a-key"
    assert asked() == {"q": "tokio rust", "num": 10, "page": 1, "hl": "en"}


def test_every_filter_reaches_it() -> None:
    sent = asked(site="tokio.rs", time_range="year", region="AT", language="de", count=3)
    assert sent == {"q": "tokio rust site:tokio.rs", "num": 3, "page": 1, "gl": "at", "hl": "de", "tbs": "qdr:y"}


LANGUAGES = {"zh": "zh-cn", "zh-TW": "zh-tw", "all": None}


@pytest.mark.parametrize(("language", "sent"), LANGUAGES.items(), ids=LANGUAGES)
def test_chinese_has_two_scripts_and_any_language_none(language: str, sent: str | None) -> None:
    assert asked(language=language).get("hl") == sent


def test_a_category_it_does_not_have_is_looked_for_on_the_web() -> None:
    assert next(SERPER.steps(replace(QUERY, category="music"))).url.endswith("/search")


def test_further_pages_are_asked_for_while_they_come_full() -> None:
    seen: list[int] = []

    def send(request: HttpRequest) -> HttpReply:
        page = json.loads(request.body or b"")["page"]
        seen.append(page)
        count = 10 if page < 3 else 4
        rows = [{"title": "A", "link": f"https://a.example/{page}/{at}"} for at in range(count)]
        body = dump({"searchParameters": {"q": "x"}, "organic": rows, "relatedSearches": [{"query": ""}, {}]})
        return HttpReply(status=200, url=request.url, body=body)

    found = drive(SERPER, replace(QUERY, count=50), send)
    assert seen == [1, 2, 3]
    assert len(found.hits) == 24
    assert found.suggestions == ()


def test_a_row_without_a_usable_address_is_left_out() -> None:
    body = dump({"searchParameters": {"q": "x"}, "organic": [{"title": "", "link": "/relative"}]})
    assert drive(SERPER, QUERY, lambda request: HttpReply(status=200, url="", body=body)).hits == ()


def test_a_pace_and_an_empty_account_are_told_apart() -> None:
    with pytest.raises(RateLimited):
        SERPER.judge(HttpReply(status=429, url="", body=dump({"message": "Too many requests", "statusCode": 429})))
    with pytest.raises(QuotaExhausted):
        SERPER.judge(HttpReply(status=429, url="", body=dump({"message": "Out of credits", "statusCode": 429})))


def test_it_is_asked_only_with_a_key() -> None:
    assert not Serper().is_ready
    assert SERPER.is_own
