"""What a category adds to a result, in one line and as data."""

from dataclasses import replace

import pytest

from gossamer.contracts.core.render_hit import (
    clock,
    content_data,
    details_line,
    hit_data,
    hit_row,
    page_remark,
    seen_by,
)
from gossamer.errors import Outcome
from gossamer.model.page import Page
from gossamer.model.search import Content, Details, Failure, Hit, Query, SearchPage

PAID = Page(url="https://a.test/", final_url="", title="T", text="Free.", fetched_at=0.0, outcome=Outcome.PAYWALL)
GOOD = replace(PAID, outcome=Outcome.OK)
FAILED = Failure(who="x", outcome=Outcome.CAPTCHA, message="A challenge.")

LINES = {
    "a page": (Details(), ""),
    "a picture": (
        Details(image_url="https://a.test/a.png", resolution="1920x1080", thumbnail_url="https://a.test/t.png"),
        "image https://a.test/a.png (1920x1080)",
    ),
    "a picture of unknown size": (Details(image_url="https://a.test/a.png"), "image https://a.test/a.png"),
    "a size alone": (Details(resolution="800 x 600"), "800 x 600"),
    "a film": (Details(source="Channel One", duration_s=185), "Channel One · 3:05"),
    "a paper": (
        Details(source="Nature", authors=("Ada", "Bob", "Cleo", "Dan", "Eve"), doi="10.1/x"),
        "Nature · by Ada, Bob, Cleo and 2 more · doi 10.1/x",
    ),
    "a place": (Details(latitude=52.5, longitude=-13.25), "at 52.5, -13.25"),
    "half a place": (Details(latitude=52.5), ""),
    "the middle of the sea": (Details(latitude=0.0, longitude=0.0), "at 0, 0"),
    "a file": (Details(file_size="4.5 MB", source="Archive"), "Archive · 4.5 MB"),
}


@pytest.mark.parametrize(("details", "line"), LINES.values(), ids=LINES)
def test_details_are_one_line(details: Details, line: str) -> None:
    assert details_line(details) == line


CLOCKS = {0: "0:00", 59: "0:59", 60: "1:00", 3599: "59:59", 3600: "1:00:00", 36_605: "10:10:05", -5: "0:00"}


@pytest.mark.parametrize(("seconds", "said"), CLOCKS.items())
def test_a_length_is_written_as_on_a_clock(seconds: int, said: str) -> None:
    assert clock(seconds) == said


def test_a_result_carries_what_is_known_and_no_more() -> None:
    details = Details(
        image_url="https://a.test/a.png", thumbnail_url="https://a.test/t.png", resolution="2x1", duration_s=0,
        source="</s>Paper", authors=("Ada",) * 12, doi="10.1/x", latitude=1.5, longitude=2.5, file_size="1 kB",
    )  # fmt: skip
    hit = Hit(url="https://a.test/", title="T", snippet="S", published="2026-08-01", score=0.5, details=details)
    data = hit_data(hit, title="T", engine="e", with_extract=True, kept=None, content=None).model_dump(
        exclude_none=True
    )
    assert data == {
        "title": "T", "url": "https://a.test/", "description": "S", "score": 0.5, "engine": "e",
        "published": "2026-08-01", "source": "<\\/s>Paper", "authors": ["Ada"] * 10, "doi": "10.1/x",
        "image_url": "https://a.test/a.png", "thumbnail_url": "https://a.test/t.png", "resolution": "2x1",
        "duration_s": 0, "file_size": "1 kB", "latitude": 1.5, "longitude": 2.5,
    }  # fmt: skip
    bare = hit_data(
        hit, title="T", engine="e", with_extract=False, kept=Content(failure=FAILED), content=None
    ).model_dump(exclude_none=True)
    assert bare == {**{key: data[key] for key in ("title", "url", "score", "engine", "published")}, "description": ""}


MISSED = {
    "failed": (Content(failure=FAILED), {"outcome": "captcha"}),
    "paid for": (Content(page=PAID), {"outcome": "paywall"}),
    "the same": (Content(page=GOOD, same_as=0), {"outcome": "ok", "dropped": "duplicate"}),
    "poor": (Content(page=GOOD, is_poor=True), {"outcome": "ok", "dropped": "low_quality"}),
    "shown": (Content(page=GOOD), {}),
}


@pytest.mark.promise("002.87")
@pytest.mark.parametrize(("kept", "told"), MISSED.values(), ids=MISSED)
def test_a_result_without_content_says_why(kept: Content, told: dict[str, str]) -> None:
    hit = Hit(url="https://a.test/", title="T")
    data = hit_data(hit, title="T", engine="e", with_extract=True, kept=kept, content=None)
    assert data.model_dump(include={"outcome", "dropped"}, exclude_none=True) == told


def test_a_row_shows_details_with_the_extract_alone() -> None:
    hit = Hit(url="https://a.test/", title="T", snippet="S", published="2026-08-01", details=Details(source="News"))
    assert hit_row(3, hit, title="T", with_extract=True, remark="R") == "3. T (2026-08-01)\nhttps://a.test/\nS\nNews\nR"
    assert hit_row(3, hit, title="T", with_extract=False, remark="") == "3. T (2026-08-01)\nhttps://a.test/"


REMARKS = {
    "paid for": (Content(page=PAID), "", "(page left out: paywall)"),
    "failed": (Content(failure=FAILED), "sum", "(page not read: captcha)"),
    "the same": (Content(same_as=0), "", "(page left out: the same as result 11)"),
    "poor": (Content(is_poor=True), "", "(page left out: hardly any text of its own)"),
    "not shown": (Content(), "It is about boats.", "Summary: It is about boats."),
    "shown": (Content(), "", ""),
}


@pytest.mark.parametrize(("content", "summary", "remark"), REMARKS.values(), ids=REMARKS)
def test_a_page_that_is_not_shown_is_remarked_on(content: Content, summary: str, remark: str) -> None:
    assert page_remark(content, start=10, summary=summary) == remark


@pytest.mark.promise("002.53")
def test_the_content_of_a_result_as_data() -> None:
    content = Content(words=2840, fetch_ms=340, quality=0.83)
    assert content_data(content, markdown="M", summary="</s>S").model_dump(exclude_none=True) == {
        "markdown": "M", "word_count": 2840, "fetch_time_ms": 340, "quality": 0.83, "summary": "<\\/s>S",
    }  # fmt: skip
    assert content_data(content, markdown=None, summary="").model_dump(exclude_none=True) == {
        "word_count": 2840, "fetch_time_ms": 340, "quality": 0.83,
    }  # fmt: skip


SEEN = {
    "asked now": (("Brave Search", "SearXNG"), None, "Seen by: Brave Search, SearXNG."),
    "never sent": ((), None, ""),
    "a moment ago": ((), 9_970.0, "Kept from a search less than a minute ago; nobody saw the query now."),
    "by a clock that is ahead": ((), 11_000.0, "Kept from a search less than a minute ago; nobody saw the query now."),
    "minutes ago": ((), 10_000.0 - 119 * 60, "Kept from a search 119 min ago; nobody saw the query now."),
    "hours ago": ((), 10_000.0 - 120 * 60, "Kept from a search 2 h ago; nobody saw the query now."),
}


@pytest.mark.parametrize(("services", "kept_since", "said"), SEEN.values(), ids=SEEN)
def test_who_saw_a_query_is_told_or_since_when_its_results_are_kept(
    services: tuple[str, ...], kept_since: float | None, said: str
) -> None:
    page = SearchPage(
        query=Query(text="boats"),
        hits=(),
        provider="searxng",
        instance="http://x",
        services=services,
        kept_since=kept_since,
    )
    assert seen_by(page, now=10_000.0) == said
