import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.errors import Denied, InvalidArgument, QuotaExhausted, RateLimited
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.tavily import Tavily

KEYED = Tavily(api_key=SecretStr("tvly-x"))
KEYLESS = Tavily()
QUERY = Query(text="vacuum full")


def sent(**asked: Any) -> dict[str, Any]:
    return json.loads(KEYED.request(replace(QUERY, **asked)).body or b"")


def answered(body: object, status: int = 429, **headers: str) -> HttpReply:
    return HttpReply(status=status, url="", headers=headers, body=json.dumps(body).encode())


def test_a_plain_query_is_a_basic_search_of_the_web() -> None:
    request = KEYED.request(QUERY)
    assert (request.method, request.url) == ("POST", "https://api.tavily.com/search")
    assert request.headers["Authorization"] == "Bearer tvly-x"
    assert "X-Tavily-Access-Mode" not in request.headers
    assert sent() == {"query": "vacuum full", "topic": "general", "search_depth": "basic", "max_results": 10}


def test_without_a_key_it_is_asked_as_somebody_without_one() -> None:
    headers = KEYLESS.request(QUERY).headers
    assert headers["X-Tavily-Access-Mode"] == "keyless"
    assert "Authorization" not in headers
    assert KEYLESS.is_ready
    assert not KEYLESS.is_own
    assert KEYED.is_own


def test_every_filter_reaches_the_service() -> None:
    asked = sent(site="postgresql.org", time_range="month", region="gb", count=50)
    assert asked["include_domains"] == ["postgresql.org"]
    assert asked["time_range"] == "month"
    assert asked["country"] == "united kingdom"
    assert asked["max_results"] == 20


def test_news_are_a_topic_that_knows_no_country() -> None:
    asked = sent(category="news", region="AT")
    assert asked["topic"] == "news"
    assert "country" not in asked


def test_a_country_without_a_known_name_is_left_out() -> None:
    assert "country" not in sent(region="ZZ")


def test_a_long_query_ends_at_a_word() -> None:
    assert sent(text="word " * 100)["query"] == ("word " * 80).strip()


CAPS: dict[str, tuple[dict[str, Any], dict[str, str], type[Exception], float | None]] = {
    "an hour": ({"window": "hour", "retry_after_seconds": 1800}, {}, RateLimited, 1800),
    "a month": ({"window": "MONTH", "retry_after_seconds": 80000}, {}, QuotaExhausted, 80000),
    "a window nobody knows": ({"window": "blue moon"}, {"retry-after": "9"}, RateLimited, 9),
    "a wait beyond belief": ({"retry_after_seconds": 1e12}, {}, RateLimited, None),
    "a wait before now": ({"retry_after_seconds": -5}, {}, RateLimited, None),
}


@pytest.mark.parametrize(("cap", "headers", "error", "wait_s"), CAPS.values(), ids=CAPS)
def test_a_keyless_cap_is_told_by_its_body(
    cap: dict[str, Any], headers: dict[str, str], error: type[Exception], wait_s: float | None
) -> None:
    for status in (200, 403, 429):
        with pytest.raises(error) as caught:
            KEYLESS.judge(answered({"error": {"code": "keyless_cap", **cap}}, status, **headers))
        assert getattr(caught.value, "retry_after_s", None) == wait_s


def test_who_has_no_key_is_not_told_that_it_is_wrong() -> None:
    with pytest.raises(Denied, match="without a key") as denied:
        KEYLESS.judge(answered({"detail": {"error": "no"}}, 401))
    assert "providers.tavily.api_key" in denied.value.hint


def test_a_sentence_about_the_query_is_passed_on_apart() -> None:
    with pytest.raises(InvalidArgument) as caught:
        KEYED.judge(answered({"detail": {"error": "Query is too long."}}, 400))
    assert caught.value.quote == "Query is too long."
    assert "long" not in str(caught.value)


def test_a_fault_without_a_place_is_told_all_the_same() -> None:
    with pytest.raises(InvalidArgument) as caught:
        KEYED.judge(answered({"detail": [{"msg": "bad"}]}, 422))
    assert caught.value.quote == "body: bad"
