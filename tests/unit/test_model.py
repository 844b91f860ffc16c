import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from gossamer.errors import Outcome, RateLimited, UnexpectedReply
from gossamer.model.http import FetchPolicy, HttpReply
from gossamer.model.page import LeftOut, Page, Passage, View
from gossamer.model.search import Content, Failure, Query


class Row(BaseModel):
    url: str


class Shape(BaseModel):
    rows: list[Row]


def reply(body: bytes) -> HttpReply:
    return HttpReply(status=200, url="https://api.test/", body=body)


def page(text: str = "Text.", outcome: Outcome = Outcome.OK) -> Page:
    return Page(
        url="https://a.test/", final_url="https://a.test/", title="T", text=text, fetched_at=1.0, outcome=outcome
    )


CONTENT_TYPES = {
    "with parameters": ("Text/HTML; charset=utf-8", "text/html"),
    "alone": ("application/pdf", "application/pdf"),
    "blanks round it": ("  text/plain ;x", "text/plain"),
    "empty": ("", ""),
}


@pytest.mark.parametrize(("header", "expected"), CONTENT_TYPES.values(), ids=CONTENT_TYPES)
def test_the_content_type_is_the_media_type_alone(header: str, expected: str) -> None:
    assert HttpReply(status=200, url="", headers={"content-type": header}).content_type == expected


def test_a_reply_without_a_type_has_an_empty_one() -> None:
    assert HttpReply(status=200, url="").content_type == ""


def test_a_reply_of_the_known_shape_is_read() -> None:
    assert reply(b'{"rows": [{"url": "https://a.test/"}], "more": 1}').read(Shape).rows[0].url == "https://a.test/"


WRONG = {
    "a field of another type": (b'{"rows": [{"url": 7}]}', "at rows.0.url:"),
    "a field that is gone": (b'{"items": []}', "at rows:"),
    "no JSON at all": (b"<html>", "at the body:"),
    "no UTF-8": (b"\xff\xfe", "at the body:"),
    "nothing": (b"", "at the body:"),
}


@pytest.mark.parametrize(("body", "place"), WRONG.values(), ids=WRONG)
def test_a_reply_of_another_shape_raises_at_the_very_field(body: bytes, place: str) -> None:
    with pytest.raises(UnexpectedReply) as caught:
        reply(body).read(Shape)
    assert place in caught.value.message
    assert caught.value.hint


def test_the_default_view_has_an_empty_key_and_every_other_its_own() -> None:
    views = [
        View(),
        View(format="text"),
        View(format="html"),
        View(selector="main"),
        View(include_links=False),
        View(include_images=True),
        View(include_links=False, include_images=True),
        View(identity="Jack/1"),
    ]
    keys = [view.key for view in views]
    assert keys[0] == ""
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 16 for key in keys[1:])
    assert [replace(view, comments=True).key for view in views] == keys


def test_only_another_identity_keeps_pages_apart() -> None:
    assert FetchPolicy(timeout_s=3, fresh_s=0).identity == ""
    others = [
        FetchPolicy(user_agent="A").identity,
        FetchPolicy(robots="ignore").identity,
        FetchPolicy(robots="respect").identity,
    ]
    assert len({"", *others}) == 4


@pytest.mark.promise("001.68")
@given(st.text())
def test_a_snapshot_is_named_by_the_sha256_of_its_text(text: str) -> None:
    assert page(text).content_hash == hashlib.sha256(text.encode()).hexdigest()


@given(st.text(st.characters()))
def test_a_snapshot_is_named_by_its_text_alone(text: str) -> None:
    assert page(text).content_hash == page(text, Outcome.PAYWALL).content_hash
    assert page(text).content_hash != page(f"{text}.").content_hash


@given(texts=st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_a_page_with_another_text_has_another_name_though_the_first_was_asked_for(texts: list[str]) -> None:
    first, second = texts
    kept = page(first)
    assert kept.content_hash == kept.content_hash == page(first).content_hash
    assert replace(kept, text=second).content_hash == page(second).content_hash != kept.content_hash
    assert (kept, hash(kept)) == (page(first), hash(page(first)))


def test_text_with_half_a_surrogate_pair_still_has_a_name() -> None:
    assert len(page("\ud800").content_hash) == 64
    assert len(passage("\ud800").id) == 64


def passage(text: str, section: tuple[str, ...] = ("A", "B")) -> Passage:
    return Passage(url="https://a.test/", title="T", section=section, start=0, end=len(text), text=text, score=0.5)


def test_a_passage_is_named_by_what_is_returned() -> None:
    assert passage("Text.").id == hashlib.sha256(b"https://a.test/|A > B|Text.").hexdigest()
    assert passage("Text.").id != passage("Text.", ()).id


FILTERS = {
    "none": (Query(text="x"), set[str]()),
    "site": (Query(text="x", site="a.test"), {"site"}),
    "period": (Query(text="x", time_range="day"), {"time_range"}),
    "region": (Query(text="x", region="DE"), {"region"}),
    "category": (Query(text="x", category="news"), {"category"}),
    "all": (
        Query(text="x", site="a.test", time_range="day", region="DE", category="it"),
        {"site", "time_range", "region", "category"},
    ),
}


@pytest.mark.parametrize(("query", "names"), FILTERS.values(), ids=FILTERS)
def test_a_query_names_the_filters_it_asks_for(query: Query, names: set[str]) -> None:
    assert query.filters() == names


def test_an_error_becomes_data_with_all_it_says() -> None:
    failure = Failure.of("brave", RateLimited("Brave", retry_after_s=3.0))
    assert failure == Failure(
        who="brave",
        outcome=Outcome.RATE_LIMITED,
        message="Brave is limiting our requests.",
        hint="Try again in 3 s.",
        retry_after_s=3.0,
    )


CONTENTS = {
    "a page that came": (Content(page=page()), Outcome.OK),
    "a page that came in part": (Content(page=page(outcome=Outcome.PAYWALL)), Outcome.PAYWALL),
    "a page that did not come": (
        Content(failure=Failure(who="x", outcome=Outcome.CAPTCHA, message="A challenge.")),
        Outcome.CAPTCHA,
    ),
    "neither": (Content(), Outcome.EMPTY),
}


@pytest.mark.parametrize(("content", "outcome"), CONTENTS.values(), ids=CONTENTS)
def test_the_content_of_a_hit_says_how_fetching_ended(content: Content, outcome: Outcome) -> None:
    assert content.outcome is outcome


class _Abstract(BaseModel):
    words: dict[str, list[int]]


class _Work(BaseModel):
    abstract: _Abstract


class _Works(BaseModel):
    results: list[_Work]


def test_a_reply_of_another_shape_is_told_by_our_names_of_its_fields_alone() -> None:
    body = b'{"results": [{"abstract": {"words": {"obey_me": [1, "x"]}}}]}'
    with pytest.raises(UnexpectedReply) as caught:
        HttpReply(status=200, url="https://a.test/", body=body).read(_Works)
    assert "at results.0.abstract.words.1: " in caught.value.message
    assert "obey" not in str(caught.value)


AMOUNTS = {
    "nothing": (LeftOut(), ""),
    "one list": (LeftOut(lists=1, words=12), 'Left out: 1 list of the page (12 words); selector "body" gives all.'),
    "two kinds": (
        LeftOut(tables=2, sections=1, words=1200),
        'Left out: 1 section and 2 tables of the page (1,200 words); selector "body" gives all.',
    ),
    "three kinds": (
        LeftOut(lists=3, tables=2, sections=1, words=9),
        'Left out: 1 section, 3 lists and 2 tables of the page (9 words); selector "body" gives all.',
    ),
}


@pytest.mark.parametrize(("left_out", "note"), AMOUNTS.values(), ids=AMOUNTS)
def test_what_was_left_out_is_said_in_a_sentence(left_out: LeftOut, note: str) -> None:
    assert left_out.note == note
    assert replace(page(), message="Cut.", left_out=left_out).notes == (("Cut.", note) if note else ("Cut.",))
