import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.errors import Denied, InvalidArgument, QuotaExhausted
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.firecrawl import Firecrawl

KEYED = Firecrawl(api_key=SecretStr("fc-x"))
KEYLESS = Firecrawl()
QUERY = Query(text="vacuum full")


def sent(**asked: Any) -> dict[str, Any]:
    return json.loads(KEYED.request(replace(QUERY, **asked)).body or b"")


def test_a_plain_query_asks_the_web_and_scrapes_nothing() -> None:
    request = KEYED.request(QUERY)
    assert (request.method, request.url) == ("POST", "https://api.firecrawl.dev/v2/search")
    assert request.headers["Authorization"] == "Bearer fc-x"
    assert sent() == {"query": "vacuum full", "limit": 10, "sources": [{"type": "web"}]}


def test_without_a_key_nothing_is_said_of_one() -> None:
    assert "Authorization" not in KEYLESS.request(QUERY).headers
    assert KEYLESS.is_ready
    assert not KEYLESS.is_own


def test_every_filter_reaches_the_service() -> None:
    asked = sent(site="postgresql.org", time_range="year", region="at", category="images")
    assert asked["includeDomains"] == ["postgresql.org"]
    assert asked["tbs"] == "qdr:y"
    assert asked["country"] == "AT"
    assert asked["sources"] == [{"type": "images"}]


def test_a_category_it_does_not_know_is_a_search_of_the_web() -> None:
    assert sent(category="map")["sources"] == [{"type": "web"}]


def test_a_long_query_ends_at_a_word() -> None:
    assert sent(text="word " * 200)["query"] == ("word " * 100).strip()


WITHOUT_KEY = {"turned away": (401, Denied), "used up": (402, QuotaExhausted)}


@pytest.mark.parametrize(("status", "error"), WITHOUT_KEY.values(), ids=WITHOUT_KEY)
def test_who_has_no_key_is_told_to_get_one(status: int, error: type[Exception]) -> None:
    with pytest.raises(error, match="without a key"):
        KEYLESS.judge(HttpReply(status=status, url=""))


def test_a_failure_without_a_reason_is_a_sentence_too() -> None:
    with pytest.raises(Exception, match=r"could not search\."):
        KEYED.judge(HttpReply(status=200, url="", body=b'{"success": false}'))


def test_a_query_that_is_refused_without_a_reason_is_invalid() -> None:
    with pytest.raises(InvalidArgument, match=r"did not accept the query\."):
        KEYED.judge(HttpReply(status=400, url=""))
