from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from gossamer.errors import InvalidArgument
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.mojeek import Mojeek
from gossamer.testing.recorded import dump

MOJEEK = Mojeek.model_validate({"api_key": "a-key"})
QUERY = Query(text="tokio rust")


def asked(**fields: Any) -> dict[str, str | int]:
    return dict(MOJEEK.request(replace(QUERY, **fields)).params)


def test_a_plain_query_asks_for_json() -> None:
    assert MOJEEK.request(QUERY).url == "https://api.mojeek.com/search"
    assert asked() == {
        "q": "tokio rust",
        "fmt": "json",
        "t": 10,
        "safe": 1,
        "api_key": "a-key",
        "lb": "EN",
        "lbb": 10,
    }


def test_every_filter_reaches_it() -> None:
    sent = asked(site="tokio.rs", region="at", language="de", safe_search=0, count=50)
    assert (sent["q"], sent["safe"], sent["t"]) == ("tokio rust site:tokio.rs", 0, 50)
    assert (sent["lb"], sent["rb"], sent["rbb"]) == ("DE", "AT", 10)


def test_any_language_raises_none() -> None:
    assert "lb" not in asked(language="all")


def test_a_time_is_asked_for_by_its_first_day() -> None:
    before = datetime.now(UTC).date()
    since = datetime.strptime(str(asked(time_range="week")["since"]), "%Y%m%d").replace(tzinfo=UTC).date()
    assert (before - since).days <= 7 <= (datetime.now(UTC).date() - since).days


def test_a_bad_status_counts_where_the_words_say_nothing_known() -> None:
    with pytest.raises(InvalidArgument):
        MOJEEK.judge(HttpReply(status=400, url="", body=dump({"response": {"status": "ERROR: No query"}})))


def test_odd_rows_are_cleaned() -> None:
    rows = [{"url": "about:blank"}, {"url": "https://a.example/", "pdate": 1e30}]
    body = dump({"response": {"status": "OK", "results": rows}})
    found = MOJEEK.parse(HttpReply(status=200, url="", body=body))
    assert [(hit.title, hit.published) for hit in found.hits] == [("https://a.example/", None)]
    assert found.total is None


def test_it_is_asked_only_with_a_key() -> None:
    assert not Mojeek().is_ready
    assert MOJEEK.is_own
