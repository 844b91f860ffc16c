from dataclasses import replace
from typing import Any

import pytest

from gossamer.errors import RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Query
from gossamer.providers.jina import Jina
from gossamer.testing.recorded import drive, dump

JINA = Jina.model_validate({"api_key": "a-key"})
QUERY = Query(text="tokio")


def asked(**fields: Any) -> dict[str, str | int]:
    return dict(next(JINA.steps(replace(QUERY, **fields))).params)


def test_a_plain_query_asks_for_results_without_their_pages() -> None:
    request = next(JINA.steps(QUERY))
    assert request.url == "https://s.jina.ai/"
    assert request.headers == {
        "Accept": "application/json",
        "Authorization": "Bearer a-key",
        "X-Respond-With": "no-content",
    }
    assert asked() == {"q": "tokio", "type": "web", "num": 10, "hl": "en"}


def test_every_filter_reaches_it() -> None:
    sent = asked(site="tokio.rs", region="AT", language="de", category="news", count=50)
    assert sent == {"q": "tokio", "type": "news", "num": 20, "site": "tokio.rs", "gl": "at", "hl": "de"}
    assert "hl" not in asked(language="all")


def test_further_pages_are_asked_for_while_they_come_full() -> None:
    seen: list[Any] = []

    def send(request: HttpRequest) -> HttpReply:
        seen.append(request.params.get("page"))
        rows = [{"url": f"https://a.example/{len(seen)}/{at}", "title": "A"} for at in range(20)]
        return HttpReply(status=200, url=request.url, body=dump({"code": 200, "data": rows}))

    assert len(drive(JINA, replace(QUERY, count=50), send).hits) == 50
    assert seen == [None, 2, 3]


WAITS = {
    "in the header": ({"retry-after": "7"}, {"retryAfter": 30}, 7),
    "in the body": ({}, {"retryAfter": 30}, 30),
    "never longer than a day": ({}, {"retryAfter": 1e9}, 86_400),
    "nowhere": ({}, {}, None),
}


@pytest.mark.parametrize(("headers", "more", "wait"), WAITS.values(), ids=WAITS)
def test_the_wait_is_read_from_header_or_body(
    headers: dict[str, str], more: dict[str, float], wait: float | None
) -> None:
    body = dump({"data": None, "code": 429, "status": 42903, "message": "Too fast", **more})
    with pytest.raises(RateLimited) as caught:
        JINA.judge(HttpReply(status=429, url="", headers=headers, body=body))
    assert caught.value.retry_after_s == wait


def test_odd_rows_are_cleaned() -> None:
    body = dump({"code": 200, "data": [{"url": "mailto:a@b.example"}, {"url": "https://a.example/"}]})
    hits = drive(JINA, QUERY, lambda request: HttpReply(status=200, url="", body=body)).hits
    assert [(hit.url, hit.title) for hit in hits] == [("https://a.example/", "https://a.example/")]


def test_it_is_asked_only_with_a_key() -> None:
    assert not Jina().is_ready
    assert JINA.is_own
