"""The list of results as people read it: sources, ages, outcomes."""

from dataclasses import replace
from datetime import date

import pytest

from gossamer.cli.search import answered, search_data, search_text
from gossamer.errors import Outcome
from gossamer.model.page import Page, Passage
from gossamer.model.search import CodeBlock, Content, Details, Failure, Hit, Query, SearchPage

TODAY = date(2026, 11, 16)
PAGE = Page(url="https://a.test/", final_url="https://a.test/", title="T", text="Long text.", fetched_at=0.0)
PASSAGE = Passage(url=PAGE.url, title="T", section=(), start=0, end=10, text="Long text.", score=1.0)


def found(*hits: Hit, contents: tuple[Content, ...] = ()) -> SearchPage:
    return SearchPage(
        query=Query(text="boats"), hits=hits, provider="searxng", instance="http://x", services=("SearXNG",),
        contents=contents, suggestions=("boat",), engines=("bing",), elapsed_ms=120,
    )  # fmt: skip


HIT = Hit(url="https://a.test/", title="Boats", snippet="All about boats.", engine="bing", score=1.0)

AGES = {
    "today": ("2026-11-16", "2026-11-16 (today)"),
    "yesterday": ("2026-11-15", "2026-11-15 (yesterday)"),
    "days": ("2026-11-02", "2026-11-02 (14 days ago)"),
    "months": ("2026-02-10", "2026-02-10 (9 months ago)"),
    "years": ("2019-01-01", "2019-01-01 (7 years ago)"),
    "tomorrow": ("2026-11-17", "2026-11-17"),
    "no day": ("soon", "soon"),
}


@pytest.mark.parametrize(("published", "shown"), AGES.values(), ids=AGES)
def test_a_result_shows_its_source_its_age_and_its_extract(published: str, shown: str) -> None:
    text = search_text(found(replace(HIT, published=published)), today=TODAY)
    assert text == f"1. Boats\n   https://a.test/\n   bing · {shown}\n   All about boats."


def test_what_is_said_twice_is_shown_once() -> None:
    bare = Hit(url="https://a.test/", title="https://a.test/", engine="arxiv", details=Details(source="arXiv"))
    assert search_text(found(bare), today=TODAY) == "1. https://a.test/\n   arXiv"


def test_without_an_engine_the_provider_is_the_source() -> None:
    assert "   searxng\n" in search_text(found(replace(HIT, engine="")), today=TODAY)


SEEN = {
    "now": (("SearXNG",), None, "Seen by: SearXNG."),
    "our own pages": ((), None, "Seen by nobody else."),
    "kept": ((), 940.0, "Kept from a search 1 min ago; nobody saw the query now."),
}


@pytest.mark.parametrize(("services", "kept_since", "said"), SEEN.values(), ids=SEEN)
def test_who_saw_the_query_and_what_was_kept_is_told(
    services: tuple[str, ...], kept_since: float | None, said: str
) -> None:
    page = replace(found(HIT), services=services, kept_since=kept_since)
    assert answered(page, now=1000.0) == f"1 result from searxng in 0.1 s. {said}"


PAGES = {
    "read": (
        Content(page=PAGE, passages=(PASSAGE,), words=2, quality=0.87, fetch_ms=310),
        "   read: 2 words in 0.3 s, quality 0.87\n   > Long text.",
    ),
    "failed": (
        Content(failure=Failure(who="x", outcome=Outcome.CAPTCHA, message="", position=1)),
        "   not read: captcha",
    ),
    "the same": (Content(page=PAGE, same_as=0), "   (page left out: the same as result 1)"),
    "paid for": (Content(page=replace(PAGE, outcome=Outcome.PAYWALL)), "   (page left out: paywall)"),
}


@pytest.mark.parametrize(("content", "shown"), PAGES.values(), ids=PAGES)
def test_a_page_shows_how_reading_it_ended(content: Content, shown: str) -> None:
    text = search_text(found(HIT, contents=(content,)), today=TODAY)
    assert text.partition("All about boats.\n")[2] == shown


def test_long_lines_of_prose_are_wrapped_and_code_and_tables_are_not() -> None:
    row, code, prose = "| " + "cell " * 40 + "|", "x = " + "1 + " * 60, "word " * 60
    passage = replace(PASSAGE, text=f"{prose}\n\n```\n{code}\n```\n{row}")
    text = search_text(found(HIT, contents=(Content(page=PAGE, passages=(passage,)),)), today=TODAY)
    lines = text.splitlines()
    assert f"   > {code}".rstrip() in lines
    assert f"   > {row}" in lines
    assert sum(line.startswith("   > word") for line in lines) == 4


def test_nothing_found_suggests_other_words() -> None:
    assert search_text(found(), today=TODAY) == "No results.\nTry also: boat"


def test_programs_get_the_fields_of_the_tool_and_whole_pages() -> None:
    content = Content(
        page=PAGE, words=2, quality=0.5, summary="S", code=(CodeBlock(language="c", text="x;"),), fetch_ms=7
    )
    dead = Content(failure=Failure(who="x", outcome=Outcome.TIMEOUT, message="Late."))
    hit = replace(HIT, details=Details(source="Gazette", duration_s=0, authors=("Ada",)))
    data = search_data(found(hit, HIT, contents=(content, dead)))
    assert data["results"][0] == {
        "title": "Boats", "url": "https://a.test/", "description": "All about boats.", "score": 1.0, "engine": "bing",
        "published": None, "source": "Gazette", "duration_s": 0, "authors": ("Ada",), "outcome": "ok",
        "content": {
            "markdown": "Long text.", "word_count": 2, "fetch_time_ms": 7, "quality": 0.5, "summary": "S",
            "code_blocks": [{"language": "c", "code": "x;"}],
        },
    }  # fmt: skip
    assert (data["results"][1]["outcome"], data["results"][1]["content"]) == ("timeout", None)
    assert (data["results_count"], data["total_results"], data["engines_used"]) == (2, 2, ["bing"])
    assert (data["instance_used"], data["services"], data["fetch_content"]) == ("http://x", ["SearXNG"], True)
    assert search_data(replace(found(HIT), total=77))["total_results"] == 77
