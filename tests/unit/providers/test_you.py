from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.errors import Denied, QuotaExhausted
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.you import You

KEYED = You(api_key=SecretStr("ydc-x"))
KEYLESS = You()
QUERY = Query(text="vacuum full")


def sent(**asked: Any) -> dict[str, str | int]:
    return dict(KEYED.request(replace(QUERY, **asked)).params)


def test_with_a_key_it_lives_at_one_address_and_without_at_another() -> None:
    assert KEYED.request(QUERY).url == "https://ydc-index.io/v1/search"
    assert KEYED.request(QUERY).headers["X-API-Key"] == "ydc-x"
    assert KEYLESS.request(QUERY).url == "https://api.you.com/v1/agents/search"
    assert "X-API-Key" not in KEYLESS.request(QUERY).headers
    assert KEYLESS.instance(QUERY) == "https://api.you.com/v1/agents"


def test_an_address_that_was_set_counts_for_both() -> None:
    for made in (You(base_url="http://127.0.0.1:9/"), You(base_url="http://127.0.0.1:9", api_key=SecretStr("x"))):
        assert made.request(QUERY).url == "http://127.0.0.1:9/search"


def test_without_a_key_the_reply_is_wanted_uncompressed() -> None:
    assert KEYLESS.request(QUERY).headers["Accept-Encoding"] == "identity"
    assert "Accept-Encoding" not in KEYED.request(QUERY).headers


def test_a_plain_query_asks_for_english_pages_of_moderate_taste() -> None:
    assert sent() == {"query": "vacuum full", "count": 10, "safesearch": "moderate", "language": "EN"}


def test_every_filter_reaches_the_service() -> None:
    params = sent(site="postgresql.org", time_range="week", region="at", language="de", safe_search=2)
    assert params["include_domains"] == "postgresql.org"
    assert params["freshness"] == "week"
    assert params["country"] == "AT"
    assert params["language"] == "DE"
    assert params["safesearch"] == "strict"


def test_any_language_sends_none() -> None:
    assert "language" not in sent(language="all")


WITHOUT_KEY = {"turned away": (403, Denied), "used up": (402, QuotaExhausted)}


@pytest.mark.parametrize(("status", "error"), WITHOUT_KEY.values(), ids=WITHOUT_KEY)
def test_who_has_no_key_is_told_to_get_one(status: int, error: type[Exception]) -> None:
    with pytest.raises(error, match="without a key"):
        KEYLESS.judge(HttpReply(status=status, url=""))
