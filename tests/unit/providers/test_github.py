from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from gossamer.errors import Denied, InvalidArgument, RateLimited
from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.providers.github import GitHub
from gossamer.providers.shared.request import since

HUB = GitHub()
QUERY = Query(text="vacuum  full")


def sent(**asked: Any) -> dict[str, str | int]:
    return dict(HUB.request(replace(QUERY, **asked)).params)


def test_a_plain_query_asks_for_repositories() -> None:
    request = HUB.request(QUERY)
    assert request.url == "https://api.github.com/search/repositories"
    assert dict(request.params) == {"q": "vacuum full", "per_page": 10, "page": 1}
    assert "Authorization" not in request.headers
    assert not HUB.is_own


def test_a_token_travels_in_a_header() -> None:
    assert GitHub(api_key=SecretStr("ghp-x")).request(QUERY).headers["Authorization"] == "Bearer ghp-x"


def test_a_time_range_is_one_of_pushes_and_is_never_cut_off() -> None:
    asked = replace(QUERY, text="word " * 100, time_range="year")
    starts = {since(asked)}
    text = str(sent(text=asked.text, time_range="year")["q"])
    assert len(text) <= 256
    assert any(text.endswith(f"word pushed:>={start}") for start in {*starts, since(asked)})


PACED: dict[str, tuple[int, dict[str, str], float | None]] = {
    "a pace with a date": (
        403,
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1794700860", "date": "Sun, 15 Nov 2026 00:00:20 GMT"},
        40,
    ),
    "a reset that has passed": (
        429,
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1794700800", "date": "Sun, 15 Nov 2026 00:00:20 GMT"},
        0,
    ),
    "no date to count from": (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1794700860"}, None),
    "no reset": (403, {"x-ratelimit-remaining": "0", "date": "Sun, 15 Nov 2026 00:00:20 GMT"}, None),
    "a second limit": (403, {"retry-after": "60"}, 60),
}


@pytest.mark.parametrize(("status", "headers", "wait_s"), PACED.values(), ids=PACED)
def test_a_pace_is_told_from_a_closed_door(status: int, headers: dict[str, str], wait_s: float | None) -> None:
    with pytest.raises(RateLimited) as caught:
        HUB.judge(HttpReply(status=status, url="", headers=headers))
    assert caught.value.retry_after_s == wait_s


def test_who_has_no_token_is_told_to_get_one() -> None:
    with pytest.raises(Denied, match="without a key"):
        HUB.judge(HttpReply(status=401, url=""))


def test_a_query_that_is_refused_without_a_reason_is_invalid() -> None:
    with pytest.raises(InvalidArgument):
        HUB.judge(HttpReply(status=422, url=""))
