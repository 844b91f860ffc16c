import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from gossamer.errors import (
    BrokenReply,
    Denied,
    GossamerError,
    InvalidArgument,
    QuotaExhausted,
    UnexpectedReply,
    Unreachable,
)
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Query
from gossamer.providers.kagi import Kagi
from gossamer.testing.recorded import drive, dump

KAGI = Kagi.model_validate({"api_key": "a-token"})
OLD = Kagi.model_validate({"api_key": "a-token", "base_url": "https://kagi.com/api/v0/"})
QUERY = Query(text="tokio")


def asked(**fields: Any) -> dict[str, Any]:
    return json.loads(next(KAGI.steps(replace(QUERY, **fields))).body or b"")


def answered(said: object, *, kagi: Kagi = KAGI, query: Query = QUERY) -> Found:
    return drive(kagi, query, lambda request: HttpReply(status=200, url=request.url, body=dump(said)))


def test_a_plain_query_is_posted_as_json() -> None:
    request = next(KAGI.steps(QUERY))
    assert (request.method, request.url) == ("POST", "https://kagi.com/api/v1/search")
    assert request.headers["Authorization"] == "Bearer a-token"
    assert asked() == {"query": "tokio", "workflow": "search", "page": 1, "safe_search": True}


def test_every_filter_reaches_it() -> None:
    sent = asked(site="tokio.rs", region="AT", safe_search=0, category="images")
    assert (sent["query"], sent["workflow"], sent["safe_search"]) == ("tokio site:tokio.rs", "images", False)
    assert sent["filters"] == {"region": "at"}


def test_a_time_is_asked_for_by_its_first_day() -> None:
    before = datetime.now(UTC).date()
    first = date.fromisoformat(asked(time_range="week")["filters"]["after"])
    assert (before - first).days <= 7 <= (datetime.now(UTC).date() - first).days


def test_further_pages_are_asked_for_while_they_come_full() -> None:
    seen: list[int] = []

    def send(request: HttpRequest) -> HttpReply:
        page = json.loads(request.body or b"")["page"]
        seen.append(page)
        rows = [{"url": f"https://a.example/{page}/{at}", "title": "A"} for at in range(10 if page < 2 else 9)]
        return HttpReply(status=200, url=request.url, body=dump({"data": {"search": rows}}))

    assert len(drive(KAGI, replace(QUERY, count=40), send).hits) == 19
    assert seen == [1, 2]


def test_images_come_all_at_once() -> None:
    rows = [{"url": f"https://a.example/{at}", "title": "A"} for at in range(20)]
    found = answered({"data": {"image": rows}}, query=replace(QUERY, category="images", count=50))
    assert len(found.hits) == 20


def test_a_reply_without_any_list_that_we_know_is_not_no_results() -> None:
    with pytest.raises(UnexpectedReply, match="at data"):
        answered({"data": {"items": []}})


def test_odd_rows_are_cleaned() -> None:
    rows = [{"url": "data:text/html,x", "title": "Bad"}, {"url": "https://a.example/", "props": {"duration": 90}}]
    hits = answered({"data": {"video": rows}}, query=replace(QUERY, category="videos")).hits
    assert [(hit.title, hit.details.duration_s) for hit in hits] == [("https://a.example/", 90)]


def test_the_older_api_is_asked_in_its_own_way() -> None:
    request = next(OLD.steps(replace(QUERY, count=7, site="tokio.rs")))
    assert (request.method, request.url) == ("GET", "https://kagi.com/api/v0/search")
    assert dict(request.params) == {"q": "tokio site:tokio.rs", "limit": 7}
    assert request.headers["Authorization"] == "Bot a-token"


OLD_REPLY = {
    "meta": {"id": "x", "node": "us-east", "ms": 643, "api_balance": 24.5},
    "data": [
        {
            "t": 0,
            "url": "https://tokio.rs/",
            "title": "Tokio",
            "snippet": "Tokio is an <b>asynchronous</b> runtime.",
            "published": "2026-09-02T00:00:00Z",
        },
        {"t": 1, "list": ["tokio tutorial"]},
        {"t": 7, "something": "new"},
    ],
}


def test_the_older_api_sends_results_and_related_searches_in_one_list() -> None:
    found = answered(OLD_REPLY, kagi=OLD)
    assert [(hit.url, hit.title, hit.snippet, hit.published) for hit in found.hits] == [
        ("https://tokio.rs/", "Tokio", "Tokio is an asynchronous runtime.", "2026-09-02")
    ]
    assert found.suggestions == ("tokio tutorial",)
    assert found.engines == ("kagi",)
    assert found.note == ""


def test_the_older_api_says_which_filters_it_lacks() -> None:
    found = answered(OLD_REPLY, kagi=OLD, query=replace(QUERY, time_range="day", category="news", site="tokio.rs"))
    assert found.note == "Kagi's older API could not apply: category, time_range."


def test_nothing_found_by_the_older_api_and_an_error_of_it_are_told_apart() -> None:
    assert answered({"meta": {}, "data": []}, kagi=OLD).hits == ()
    with pytest.raises(UnexpectedReply):
        answered({"meta": {}, "data": None}, kagi=OLD)
    with pytest.raises(QuotaExhausted):
        answered({"meta": {}, "data": None, "error": [{"code": 101, "msg": "Insufficient credit"}]}, kagi=OLD)


CODES: dict[int, tuple[int, type[GossamerError]]] = {
    0: (400, Unreachable),
    1: (403, InvalidArgument),
    2: (400, Denied),
    100: (401, QuotaExhausted),
    101: (403, QuotaExhausted),
}


@pytest.mark.parametrize(("code", "meant"), CODES.items(), ids=map(str, CODES))
def test_the_number_of_an_error_counts_before_its_status(code: int, meant: tuple[int, type[GossamerError]]) -> None:
    status, error = meant
    with pytest.raises(error):
        KAGI.judge(HttpReply(status=status, url="", body=dump({"data": None, "error": [{"code": code}]})))


def test_an_error_with_a_new_number_is_judged_by_its_status() -> None:
    with pytest.raises(BrokenReply):
        KAGI.judge(HttpReply(status=418, url="", body=dump({"error": [{"code": 200}]})))


def test_it_is_asked_only_with_a_key() -> None:
    assert not Kagi().is_ready
    assert KAGI.is_own
