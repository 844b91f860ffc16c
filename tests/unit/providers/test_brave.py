from dataclasses import replace
from typing import Any

import pytest

from gossamer.errors import BrokenReply, InvalidArgument, RateLimited
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Query
from gossamer.providers.brave import Brave
from gossamer.testing.recorded import drive, dump

BRAVE = Brave.model_validate({"api_key": "a-token"})
QUERY = Query(text="rust async")


def asked(**fields: Any) -> HttpRequest:
    return next(BRAVE.steps(replace(QUERY, **fields)))


def test_a_plain_query_asks_for_web_pages_without_marks() -> None:
    request = asked()
    assert request.url == "https://api.search.brave.com/res/v1/web/search"
    assert request.headers == {"Accept": "application/json", "X-Subscription-Token": "a-token"}
    assert dict(request.params) == {
        "q": "rust async",
        "count": 10,
        "safesearch": "moderate",
        "search_lang": "en",
        "text_decorations": "false",
        "result_filter": "web,query",
    }


def test_every_filter_reaches_it() -> None:
    params = asked(site="tokio.rs", time_range="week", region="at", language="de", safe_search=0).params
    assert params["q"] == "rust async site:tokio.rs"
    assert params["freshness"] == "pw"
    assert params["country"] == "AT"
    assert params["search_lang"] == "de"
    assert params["safesearch"] == "off"


COUNTS = {"general": 20, "news": 50, "videos": 50, "images": 50}


@pytest.mark.parametrize(("category", "count"), COUNTS.items(), ids=COUNTS)
def test_each_search_has_its_own_path_and_bound(category: Any, count: int) -> None:
    request = asked(category=category, count=50)
    path = "web" if category == "general" else category
    assert request.url == f"https://api.search.brave.com/res/v1/{path}/search"
    assert request.params["count"] == count


def test_a_category_it_does_not_have_is_looked_for_on_the_web() -> None:
    assert asked(category="science").url.endswith("/web/search")


def test_images_know_two_levels_of_safety_and_no_time() -> None:
    levels = [asked(category="images", safe_search=level).params["safesearch"] for level in (0, 1, 2)]
    assert levels == ["off", "strict", "strict"]
    query = replace(QUERY, category="images", time_range="day")
    assert "freshness" not in next(BRAVE.steps(query)).params
    body = dump({"type": "images", "results": [{"url": "https://a.example/", "title": "A"}]})
    found = drive(BRAVE, query, lambda request: HttpReply(status=200, url=request.url, body=body))
    assert found.note == "Brave Search cannot filter images by time."
    for other in (replace(query, time_range=None), replace(query, category="general")):
        assert not drive(BRAVE, other, lambda request: HttpReply(status=200, url=request.url, body=body)).note


LANGUAGES = {
    "Japanese": ("ja", "jp"),
    "Chinese": ("zh", "zh-hans"),
    "Chinese of Taiwan": ("zh-TW", "zh-hant"),
    "Chinese by its script": ("zh-Hant", "zh-hant"),
    "Portuguese": ("pt", "pt-br"),
    "Portuguese of Portugal": ("pt-PT", "pt-pt"),
    "English": ("en", "en"),
    "English of Britain": ("en-GB", "en-gb"),
    "Norwegian": ("no", "nb"),
    "one it does not know": ("la", None),
    "any": ("all", None),
}


@pytest.mark.parametrize(("language", "sent"), LANGUAGES.values(), ids=LANGUAGES)
def test_languages_are_spelt_its_own_way(language: str, sent: str | None) -> None:
    assert asked(language=language).params.get("search_lang") == sent


def test_a_country_it_does_not_know_is_left_out() -> None:
    assert "country" not in asked(region="LI").params


def test_a_query_is_cut_to_what_it_accepts() -> None:
    assert asked(text="word " * 60).params["q"] == " ".join(["word"] * 50)
    assert asked(text="x" * 450, site="a.example").params["q"] == "x" * 385 + " site:a.example"


def rows(start: int, count: int) -> list[dict[str, str]]:
    return [{"url": f"https://a.example/{at}", "title": f"Page {at}"} for at in range(start, start + count)]


def test_further_pages_are_counted_and_end_where_there_are_no_more() -> None:
    requests: list[HttpRequest] = []

    def send(request: HttpRequest) -> HttpReply:
        requests.append(request)
        page = len(requests) - 1
        query = {"original": "rust", "altered": "rust <b>async</b>", "more_results_available": page < 1}
        body = dump({"type": "search", "query": query, "web": {"results": rows(20 * page, 20)}})
        return HttpReply(status=200, url=request.url, body=body)

    found = drive(BRAVE, replace(QUERY, count=50), send)
    assert [request.params.get("offset", 0) for request in requests] == [0, 1]
    assert len(found.hits) == 40
    assert found.suggestions == ("rust async",)


def test_a_full_page_is_followed_by_another_where_brave_does_not_say() -> None:
    offsets: list[object] = []

    def send(request: HttpRequest) -> HttpReply:
        offsets.append(request.params.get("offset", 0))
        count = 20 if len(offsets) < 12 else 19
        body = dump({"type": "search", "web": {"results": rows(20 * len(offsets), count)}})
        return HttpReply(status=200, url=request.url, body=body)

    assert len(drive(BRAVE, replace(QUERY, count=500), send).hits) == 200
    assert offsets == list(range(10))
    drive(BRAVE, replace(QUERY, count=40), send)
    drive(BRAVE, replace(QUERY, count=40), send)
    assert offsets[10:] == [0, 1, 0]


def test_a_row_without_a_usable_address_is_left_out_and_one_without_a_title_is_named_by_it() -> None:
    bad = {"url": "javascript:alert(1)", "title": "Bad"}
    bare = {"url": "https://a.example/", "title": "", "age": "September 12, 2026"}
    body = dump({"type": "search", "web": {"results": [bad, bare]}})
    found = drive(BRAVE, QUERY, lambda request: HttpReply(status=200, url=request.url, body=body))
    assert [(hit.url, hit.title, hit.published) for hit in found.hits] == [
        ("https://a.example/", "https://a.example/", "2026-09-12")
    ]


def test_a_picture_has_its_size_and_a_film_its_publisher() -> None:
    picture = {"url": "https://a.example/", "title": "A", "properties": {"url": "x", "width": 30, "height": 20}}
    film = {"url": "https://b.example/", "title": "B", "video": {"publisher": "Example TV"}, "thumbnail": {}}
    for type_, row in (("images", picture), ("videos", film)):
        body = dump({"type": type_, "results": [row]})
        found = drive(BRAVE, QUERY, lambda request, body=body: HttpReply(status=200, url=request.url, body=body))
        details = found.hits[0].details
        assert (details.resolution, details.source) == (("30x20", "") if type_ == "images" else ("", "Example TV"))
        assert not details.image_url


def failing(code: str, *, status: int = 429, headers: dict[str, str] | None = None, **error: Any) -> HttpReply:
    body = dump({"type": "ErrorResponse", "error": {"code": code, **error}})
    return HttpReply(status=status, url="", headers=headers or {}, body=body)


WAITS = {
    "the window of the second": ({"x-ratelimit-reset": "1, 1419704"}, 1),
    "Retry-After where there is one": ({"x-ratelimit-reset": "1", "retry-after": "3"}, 3),
    "never longer than a pace lasts": ({"x-ratelimit-reset": "1419704"}, 60),
    "nonsense": ({"x-ratelimit-reset": "soon"}, None),
    "nothing": ({}, None),
}


@pytest.mark.parametrize(("headers", "wait"), WAITS.values(), ids=WAITS)
def test_the_wait_of_a_pace_is_read_from_its_own_header(headers: dict[str, str], wait: float | None) -> None:
    with pytest.raises(RateLimited) as caught:
        BRAVE.judge(failing("RATE_LIMITED", headers=headers))
    assert caught.value.retry_after_s == wait


def test_a_bad_parameter_without_details_is_told_in_its_words() -> None:
    with pytest.raises(InvalidArgument) as caught:
        BRAVE.judge(failing("VALIDATION", status=422, detail="Unable to validate <i>it</i>"))
    assert caught.value.quote == "Unable to validate <i>it</i>"
    with pytest.raises(InvalidArgument) as caught:
        BRAVE.judge(failing("VALIDATION", status=422, meta={"errors": [{"msg": "wrong"}]}))
    assert caught.value.quote == "parameter: wrong"


def test_an_error_with_a_new_code_is_judged_by_its_status() -> None:
    with pytest.raises(BrokenReply):
        BRAVE.judge(failing("TEAPOT", status=418))


def test_it_is_asked_only_with_a_key() -> None:
    assert not Brave().is_ready
    assert not Brave().is_own
    assert BRAVE.is_own
