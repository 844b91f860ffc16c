import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.errors import Denied, InvalidArgument, QuotaExhausted
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.exa import Exa

EXA = Exa(api_key=SecretStr("exa-x"))
QUERY = Query(text="vacuum full")


def sent(**asked: Any) -> dict[str, Any]:
    return json.loads(EXA.request(replace(QUERY, **asked)).body or b"")


def test_a_plain_query_asks_for_highlights() -> None:
    request = EXA.request(QUERY)
    assert (request.method, request.url) == ("POST", "https://api.exa.ai/search")
    assert request.headers["x-api-key"] == "exa-x"
    assert sent() == {
        "query": "vacuum full",
        "type": "auto",
        "numResults": 10,
        "moderation": True,
        "contents": {"highlights": True},
    }


def test_it_is_not_asked_without_a_key() -> None:
    assert not Exa().is_ready
    assert EXA.is_own


def test_every_filter_reaches_the_service() -> None:
    asked = sent(site="postgresql.org", region="at", safe_search=0, category="news")
    assert asked["includeDomains"] == ["postgresql.org"]
    assert asked["userLocation"] == "AT"
    assert asked["moderation"] is False
    assert asked["category"] == "news"
    assert sent(category="science")["category"] == "research paper"


def test_a_time_range_begins_on_a_day() -> None:
    asked = sent(time_range="week", day=date(2026, 11, 15))
    assert asked["startPublishedDate"] == "2026-11-08T00:00:00.000Z"


MEANT = {
    "a key that is wrong": (403, b'{"error": "no", "tag": "INVALID_API_KEY"}', Denied),
    "a key without words": (401, b"", Denied),
    "credits that are gone": (403, b'{"error": "no", "tag": "NO_MORE_CREDITS"}', QuotaExhausted),
    "credits without words": (402, b"", QuotaExhausted),
    "a query without words": (400, b"", InvalidArgument),
}


@pytest.mark.parametrize(("status", "body", "error"), MEANT.values(), ids=MEANT)
def test_the_tag_tells_before_the_status(status: int, body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        EXA.judge(HttpReply(status=status, url="", body=body))
