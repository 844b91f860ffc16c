import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from gossamer.errors import Denied, GossamerError, InvalidArgument, QuotaExhausted, RateLimited, TimedOut, Unreachable
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Query
from gossamer.providers.google import Google
from gossamer.testing.recorded import drive, dump

GOOGLE = Google.model_validate({"api_key": "a-key", "engine_id": "an-engine"})
QUERY = Query(text="rust")


def asked(**fields: Any) -> HttpRequest:
    return next(GOOGLE.steps(replace(QUERY, **fields)))


def test_a_plain_query_names_key_engine_and_words() -> None:
    request = asked()
    assert request.url == "https://customsearch.googleapis.com/customsearch/v1"
    assert dict(request.params) == {
        "key": "a-key",
        "cx": "an-engine",
        "q": "rust",
        "num": 10,
        "start": 1,
        "safe": "active",
        "hl": "en",
        "lr": "lang_en",
    }


@pytest.mark.promise("001.81", "001.115")
def test_every_filter_reaches_it() -> None:
    query = {"site": "tokio.rs", "time_range": "month", "region": "at", "language": "de", "safe_search": 0}
    params = asked(category="images", **query).params
    assert (params["siteSearch"], params["siteSearchFilter"], params["q"]) == ("tokio.rs", "i", "rust")
    assert params["dateRestrict"] == "m1"
    assert (params["gl"], params["cr"]) == ("at", "countryAT")
    assert (params["hl"], params["lr"]) == ("de", "lang_de")
    assert params["safe"] == "off"
    assert params["searchType"] == "image"


def test_the_united_kingdom_is_spelt_google_s_way() -> None:
    params = asked(region="GB").params
    assert (params["gl"], params["cr"]) == ("uk", "countryUK")


def test_any_language_and_no_region_limit_nothing() -> None:
    assert not {"hl", "lr", "gl", "cr"} & asked(language="all").params.keys()
    assert "cr" not in asked(language="de-AT").params


CHINESE = {"zh": "zh-CN", "zh-TW": "zh-TW", "zh-HK": "zh-TW", "zh-Hant": "zh-TW", "zh_Hant_TW": "zh-TW"}


@pytest.mark.parametrize(("language", "limit"), CHINESE.items(), ids=CHINESE)
def test_chinese_is_limited_by_its_script(language: str, limit: str) -> None:
    params = asked(language=language).params
    assert (params["hl"], params["lr"]) == (limit, f"lang_{limit}")


LANGUAGES = {
    ("he", None): ("iw", "lang_iw"),
    ("nb-NO", None): ("no", "lang_no"),
    ("pt-BR", None): ("pt-BR", "lang_pt"),
    ("pt-BR", "PT"): ("pt-BR", "lang_pt"),
    ("pt", "BR"): ("pt", "lang_pt"),
    ("de-AT", None): ("de", "lang_de"),
    ("zh", "TW"): ("zh-TW", "lang_zh-TW"),
    ("zh-TW", "CN"): ("zh-TW", "lang_zh-TW"),
}


@pytest.mark.parametrize(("given", "sent"), LANGUAGES.items(), ids=map(str, LANGUAGES))
def test_a_language_is_spelt_google_s_way(given: tuple[str, str | None], sent: tuple[str, str]) -> None:
    params = asked(language=given[0], region=given[1]).params
    assert (params["hl"], params["lr"]) == sent


def page(start: int, num: int, *, is_last: bool = False) -> bytes:
    items = [{"link": f"https://a.example/{at}", "title": f"Page {at}"} for at in range(start, start + num)]
    said = {"kind": "customsearch#search", "queries": {"request": [{"startIndex": start}]}, "items": items}
    if not is_last:
        said["queries"] = {"request": [{"startIndex": start}], "nextPage": [{"startIndex": start + num}]}
    return dump(said)


def walk(count: int, *, last: int = 1000, fails_at: int = 0) -> tuple[Any, list[tuple[Any, Any]]]:
    """Serve `last` results in all; what was found, and each start and number asked for."""
    seen: list[tuple[Any, Any]] = []

    def send(request: HttpRequest) -> HttpReply:
        start, num = int(request.params["start"]), int(request.params["num"])
        seen.append((start, num))
        if start == fails_at:
            raise TimedOut("Google took too long.", hint="Try again.")
        there = max(0, min(num, last - start + 1))
        return HttpReply(status=200, url=request.url, body=page(start, there, is_last=start + num > last))

    return drive(GOOGLE, replace(QUERY, count=count), send), seen


PAGES = {
    1: [(1, 1)],
    10: [(1, 10)],
    11: [(1, 10), (11, 1)],
    25: [(1, 10), (11, 10), (21, 5)],
    50: [(1, 10), (11, 10), (21, 10), (31, 10), (41, 10)],
}


@pytest.mark.parametrize(("count", "pages"), PAGES.items(), ids=map(str, PAGES))
def test_results_come_ten_at_a_time_up_to_fifty(count: int, pages: list[tuple[int, int]]) -> None:
    found, seen = walk(count)
    assert seen == pages
    assert [hit.url for hit in found.hits] == [f"https://a.example/{at}" for at in range(1, count + 1)]


def test_more_than_fifty_are_never_asked_for() -> None:
    assert walk(90)[1] == PAGES[50]


@pytest.mark.promise("001.36")
def test_the_first_reply_is_kept_with_the_later_items_in_it() -> None:
    raw = json.loads(walk(25)[0].raw)
    assert [item["title"] for item in raw["items"]] == [f"Page {at}" for at in range(1, 26)]
    assert raw["queries"]["request"] == [{"startIndex": 1}]
    assert raw["kind"] == "customsearch#search"


def test_an_empty_reply_is_kept_as_it_came() -> None:
    body = {"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}}
    found = drive(GOOGLE, QUERY, lambda request: HttpReply(status=200, url=request.url, body=dump(body)))
    assert json.loads(found.raw) == body
    assert found.hits == ()


def test_it_stops_where_google_has_no_next_page() -> None:
    found, seen = walk(50, last=13)
    assert seen == [(1, 10), (11, 10)]
    assert len(found.hits) == 13


def test_a_later_page_that_is_empty_ends_the_search() -> None:
    bodies = [page(1, 10), dump({"kind": "customsearch#search", "queries": {"nextPage": [{}]}})]
    found = drive(GOOGLE, replace(QUERY, count=50), lambda request: HttpReply(status=200, url="", body=bodies.pop(0)))
    assert len(found.hits) == len(json.loads(found.raw)["items"]) == 10


def test_a_later_page_that_fails_costs_only_itself() -> None:
    found, _ = walk(30, fails_at=21)
    assert len(found.hits) == len(json.loads(found.raw)["items"]) == 20
    assert found.note == "Results from 21 on could not be had: Google took too long."
    assert found.is_part


def row(**fields: Any) -> Any:
    said = {"kind": "customsearch#search", "items": [{"link": "https://a.example/", "title": "A", **fields}]}
    return drive(GOOGLE, QUERY, lambda request: HttpReply(status=200, url="", body=dump(said))).hits


DATES = {
    "the page's own": ({"pagemap": {"metatags": [{"article:published_time": "2026-09-02T10:00:00Z"}]}}, "2026-09-02"),
    "one that leads the snippet": ({"snippet": "Nov 3, 2026 ... The book."}, "2026-11-03"),
    "one inside a sentence": ({"snippet": "Nov 3, 2026 was a Tuesday in the whole world"}, None),
    "an age": ({"snippet": "3 days ago ... The book."}, None),
    "no date": ({"pagemap": {"metatags": [{"date": 7}, {"date": "2026-01-01"}]}}, None),
}


@pytest.mark.parametrize(("fields", "published"), DATES.values(), ids=DATES)
def test_a_date_is_taken_only_where_one_is_told(fields: dict[str, Any], published: str | None) -> None:
    assert row(**fields)[0].published == published


def test_a_result_without_a_usable_address_is_left_out() -> None:
    assert row(link="ftp://a.example/") == ()


def test_a_corrected_spelling_is_passed_on() -> None:
    said = {"kind": "customsearch#search", "spelling": {"correctedQuery": "rust &amp; go"}}
    found = drive(GOOGLE, QUERY, lambda request: HttpReply(status=200, url="", body=dump(said)))
    assert found.suggestions == ("rust & go",)


ERRORS: dict[str, tuple[dict[str, Any], type[GossamerError]]] = {
    "a bad key in the older form": ({"errors": [{"reason": "keyInvalid"}]}, Denied),
    "a used-up quota": ({"errors": [{"reason": "quotaExceeded"}]}, QuotaExhausted),
    "a day named by its limit": (
        {"status": "RESOURCE_EXHAUSTED", "details": [{"metadata": {"quota_limit": "DefaultPerDayPerProject"}}]},
        QuotaExhausted,
    ),
    "a pace of one user": ({"errors": [{"reason": "userRateLimitExceeded"}]}, RateLimited),
    "anything else": ({"message": "Request contains an invalid argument."}, InvalidArgument),
}


@pytest.mark.parametrize(("said", "error"), ERRORS.values(), ids=ERRORS)
def test_errors_are_told_apart_by_what_they_say(said: dict[str, Any], error: type[GossamerError]) -> None:
    with pytest.raises(error) as caught:
        GOOGLE.judge(HttpReply(status=400, url="", body=dump({"error": said})))
    assert caught.value.hint


@pytest.mark.promise("001.20", "001.21")
def test_a_key_alone_is_not_enough() -> None:
    assert not Google.model_validate({"api_key": "a-key"}).is_ready
    assert not Google.model_validate({"engine_id": "an-engine"}).is_own
    assert GOOGLE.is_own


def test_it_says_when_it_ends() -> None:
    assert Google.terms.ends == date(2027, 1, 1)


@pytest.mark.parametrize("usual", ["off", "moderate", "strict"])
def test_a_search_says_itself_how_much_is_filtered(usual: str) -> None:
    google = Google.model_validate({"api_key": "k", "engine_id": "e", "safe_search": usual})
    safe = [next(google.steps(replace(QUERY, safe_search=level))).params["safe"] for level in (0, 1, 2)]
    assert safe == ["off", "active", "active"]


SAID = {"a bad key": 400, "a limit": 429, "an error on its side": 503, "lateness": 504}


@pytest.mark.parametrize("status", SAID.values(), ids=SAID)
def test_google_s_own_words_stay_with_an_error(status: int) -> None:
    body = dump({"error": {"code": status, "message": "So it is.", "errors": []}})
    with pytest.raises(GossamerError) as caught:
        GOOGLE.judge(HttpReply(status=status, url="", body=body))
    assert (caught.value.raw, caught.value.status) == (body.decode(), status)


def test_an_error_that_is_not_google_s_has_no_words_of_it() -> None:
    with pytest.raises(Unreachable) as caught:
        GOOGLE.judge(HttpReply(status=502, url="", body=b"<h1>Bad gateway</h1>"))
    assert (caught.value.raw, caught.value.status) == ("", 502)
