import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.errors import Denied, InvalidArgument, QuotaExhausted
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.openalex import OpenAlex
from gossamer.providers.shared.request import since

ALEX = OpenAlex()
QUERY = Query(text="vacuum  full")


def sent(provider: OpenAlex = ALEX, **asked: Any) -> dict[str, str | int]:
    return dict(provider.request(replace(QUERY, **asked)).params)


def test_a_plain_query_asks_for_works() -> None:
    assert ALEX.request(QUERY).url == "https://api.openalex.org/works"
    assert sent() == {"search": "vacuum full", "per_page": 10, "page": 1}
    assert sent(OpenAlex(api_key=SecretStr("k")))["api_key"] == "k"


def test_a_time_range_is_one_of_publication() -> None:
    asked = replace(QUERY, time_range="day")
    starts = {since(asked)}
    said = sent(time_range="day")["filter"]
    assert said in {f"from_publication_date:{start}" for start in {*starts, since(asked)}}


def test_a_day_that_is_used_up_is_no_pace_and_names_the_way_out() -> None:
    body = b'{"error": "Rate limit exceeded", "message": "Daily limit exceeded."}'
    with pytest.raises(QuotaExhausted, match="without a key") as caught:
        ALEX.judge(HttpReply(status=429, url="", headers={"retry-after": "3000"}, body=body))
    assert caught.value.retry_after_s == 3000


def test_who_has_no_key_is_told_to_get_one() -> None:
    with pytest.raises(Denied, match="without a key"):
        ALEX.judge(HttpReply(status=401, url=""))


def test_a_query_that_is_refused_without_a_reason_is_invalid() -> None:
    with pytest.raises(InvalidArgument):
        ALEX.judge(HttpReply(status=400, url=""))


def test_an_abstract_with_places_beyond_belief_stays_small() -> None:
    row = {"id": "https://openalex.org/W1", "abstract_inverted_index": {"last": [10**15], "first": [-3], "mid": [7]}}
    reply = HttpReply(status=200, url="", body=json.dumps({"meta": {"count": 1}, "results": [row]}).encode())
    assert ALEX.parse(reply).hits[0].snippet == "first mid last"
