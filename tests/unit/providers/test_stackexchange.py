import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from gossamer.errors import Denied, GossamerError, InvalidArgument, RateLimited, Unreachable
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.stackexchange import StackExchange

STACK = StackExchange()
QUERY = Query(text="vacuum  full")


def sent(provider: StackExchange = STACK, **asked: Any) -> dict[str, str | int]:
    return dict(provider.request(replace(QUERY, **asked)).params)


def test_a_plain_query_asks_stack_overflow_for_questions_with_their_text() -> None:
    assert STACK.request(QUERY).url == "https://api.stackexchange.com/2.3/search/advanced"
    assert sent() == {
        "q": "vacuum full",
        "site": "stackoverflow",
        "sort": "relevance",
        "order": "desc",
        "page": 1,
        "pagesize": 10,
        "filter": "withbody",
    }


def test_another_of_its_sites_can_be_set_and_nothing_else() -> None:
    assert sent(StackExchange(site="unix"))["site"] == "unix"
    with pytest.raises(ValidationError):
        StackExchange(site="unix&key=1")


def test_a_key_raises_the_quota_and_is_sent_only_when_there_is_one() -> None:
    assert "key" not in sent()
    assert not STACK.is_own
    assert sent(StackExchange(api_key=SecretStr("k")))["key"] == "k"


def test_a_time_range_begins_with_a_day() -> None:
    start = datetime.fromtimestamp(int(sent(time_range="month", day=date(2026, 11, 15))["fromdate"]), UTC)
    assert start == datetime(2026, 10, 15, tzinfo=UTC)


MEANT: dict[str, tuple[int, type[GossamerError]]] = {
    "bad_parameter": (400, InvalidArgument),
    "access_token_required": (401, Denied),
    "no_method": (404, InvalidArgument),
    "internal_error": (500, Unreachable),
    "throttle_violation": (502, RateLimited),
    "an error nobody knows": (999, Unreachable),
}


@pytest.mark.parametrize(("number", "meant"), MEANT.values(), ids=MEANT)
def test_errors_are_told_by_their_number_whatever_the_status(number: int, meant: type[GossamerError]) -> None:
    for status in (200, 400, 503):
        with pytest.raises(meant):
            STACK.judge(HttpReply(status=status, url="", body=json.dumps({"error_id": number}).encode()))


def test_a_wait_that_is_not_in_the_words_is_taken_from_the_header() -> None:
    reply = HttpReply(status=400, url="", headers={"retry-after": "5"}, body=b'{"error_id": 502}')
    with pytest.raises(RateLimited) as caught:
        STACK.judge(reply)
    assert caught.value.retry_after_s == 5


def test_a_service_that_is_away_says_when_to_come_again() -> None:
    with pytest.raises(Unreachable) as caught:
        STACK.judge(HttpReply(status=503, url="", headers={"retry-after": "9"}, body=b'{"error_id": 503}'))
    assert caught.value.retry_after_s == 9


def test_a_wait_beyond_a_day_is_a_day() -> None:
    said = {"error_id": 502, "error_message": "more requests available in 999999 seconds"}
    with pytest.raises(RateLimited) as caught:
        STACK.judge(HttpReply(status=400, url="", body=json.dumps(said).encode()))
    assert caught.value.retry_after_s == 86_400


@pytest.mark.parametrize(("said", "rest_s"), [({}, 0), ({"backoff": 10}, 10), ({"backoff": 10**7}, 86_400)])
def test_a_rest_that_it_asks_for_is_passed_on(said: dict[str, int], rest_s: float) -> None:
    reply = HttpReply(status=200, url="", body=json.dumps({"items": [], "has_more": False, **said}).encode())
    assert STACK.parse(reply).rest_s == rest_s
