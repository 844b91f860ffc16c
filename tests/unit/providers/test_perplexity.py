import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.errors import InvalidArgument, QuotaExhausted, RateLimited
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.perplexity import Perplexity

PERPLEXITY = Perplexity(api_key=SecretStr("pplx-x"))
QUERY = Query(text="vacuum full")


def sent(**asked: Any) -> dict[str, Any]:
    return json.loads(PERPLEXITY.request(replace(QUERY, **asked)).body or b"")


def test_a_plain_query_asks_the_web() -> None:
    request = PERPLEXITY.request(QUERY)
    assert (request.method, request.url) == ("POST", "https://api.perplexity.ai/search")
    assert request.headers["Authorization"] == "Bearer pplx-x"
    assert sent() == {"query": "vacuum full", "max_results": 10, "search_mode": "web"}


def test_it_is_not_asked_without_a_key() -> None:
    assert not Perplexity().is_ready
    assert PERPLEXITY.is_own


def test_every_filter_reaches_the_service() -> None:
    asked = sent(site="postgresql.org", time_range="year", region="at", category="science", count=50)
    assert asked["search_domain_filter"] == ["postgresql.org"]
    assert asked["search_recency_filter"] == "year"
    assert asked["country"] == "AT"
    assert asked["search_mode"] == "academic"
    assert asked["max_results"] == 20


MEANT = {
    "a pace told by type": (400, b'{"error": {"type": "request_rate_limit_exceeded"}}', RateLimited),
    "an account without money": (402, b"", QuotaExhausted),
    "a query without words": (400, b"", InvalidArgument),
}


@pytest.mark.parametrize(("status", "body", "error"), MEANT.values(), ids=MEANT)
def test_the_type_tells_before_the_status(status: int, body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        PERPLEXITY.judge(HttpReply(status=status, url="", body=body))
