from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.providers.shared.hit_fields import counted, day, day_of, first_address, hit, names, number, seconds, size


def test_a_row_becomes_clean_lines() -> None:
    made = hit(
        "x", "https://a.example/", " A <b>title</b>\n&amp; more ", "Some\u200b <i>text</i>", published="2026-01-02"
    )
    assert made is not None
    assert (made.title, made.snippet, made.engine, made.published) == ("A title & more", "Some text", "x", "2026-01-02")


@pytest.mark.parametrize(
    "url", [None, "", "ftp://a.example/", "javascript:alert(1)", "https://a.example/ b", "a.example"]
)
def test_a_row_without_an_address_is_no_hit(url: str | None) -> None:
    assert hit("x", url, "A title") is None


def test_a_row_without_a_title_shows_its_address() -> None:
    made = hit("x", "https://a.example/?a=1&amp;b=2", "<b></b>", None)
    assert made is not None
    assert made.url == "https://a.example/?a=1&amp;b=2"
    assert made.title == "https://a.example/?a=1&b=2"


def test_the_first_true_address_counts() -> None:
    assert first_address(None, "", "10.1000/x", "https://a.example/", "https://b.example/") == "https://a.example/"
    assert first_address(None, "x") == ""


def test_authors_are_lines_and_no_more_than_a_reader_cares_for() -> None:
    assert names(["A <i>B</i>", " ", "C"]) == ("A B", "C")
    assert len(names([f"author {number}" for number in range(3000)])) == 20


DAYS = {
    "ISO": ("2026-09-02", "2026-09-02"),
    "with a time": ("2026-09-02T08:30:00Z", "2026-09-02"),
    "month first": ("Sep 2, 2026", "2026-09-02"),
    "month in full": ("September 12, 2026", "2026-09-12"),
    "with a full stop": ("Sept. 2, 2026", "2026-09-02"),
    "day first": ("2 Sep 2026", "2026-09-02"),
    "before a snippet": ("Nov 3, 2026 ... The official book.", "2026-11-03"),
    "an age": ("3 days ago", None),
    "a day that no month has": ("Feb 30, 2026", None),
    "a month that no year has": ("Foo 3, 2026", None),
    "nothing": ("", None),
    "not even text": (None, None),
}


@pytest.mark.parametrize(("said", "iso"), DAYS.values(), ids=DAYS)
def test_without_a_day_to_count_from_only_an_absolute_date_gives_one(said: str | None, iso: str | None) -> None:
    assert day(said) == iso


AGES = {
    "days": ("3 days ago", "2026-11-13"),
    "one day": ("1 day ago", "2026-11-15"),
    "a day in words": ("a day ago", "2026-11-15"),
    "weeks": ("2 weeks ago", "2026-11-02"),
    "months": ("2 months ago", "2026-09-17"),
    "a year": ("1 year ago", "2025-11-16"),
    "hours": ("5 hours ago", "2026-11-16"),
    "an hour": ("An hour ago", "2026-11-16"),
    "minutes, short": ("12 mins ago", "2026-11-16"),
    "before every calendar": ("9999 years ago", None),
    "no unit": ("3 moons ago", None),
    "not ago": ("3 days left", None),
    "a date": ("Sep 2, 2026", "2026-09-02"),
}


@pytest.mark.parametrize(("said", "iso"), AGES.values(), ids=AGES)
def test_an_age_counts_from_the_day_of_the_query(said: str, iso: str | None) -> None:
    assert day(said, date(2026, 11, 16)) == iso


@given(st.text())
def test_no_text_breaks_the_reading_of_dates_and_lengths(text: str) -> None:
    day(text)
    seconds(text)
    number(text)


TIMES = {
    "a day in September": (1788307200, "2026-09-02"),
    "zero means unknown": (0, None),
    "none": (None, None),
    "beyond every calendar": (1e18, None),
    "infinite": (float("inf"), None),
}


@pytest.mark.parametrize(("told", "iso"), TIMES.values(), ids=TIMES)
def test_unix_seconds_give_their_utc_day(told: float | None, iso: str | None) -> None:
    assert day_of(told) == iso


LENGTHS = {
    "minutes": ("41:56", 2516),
    "hours": ("1:02:03", 3723),
    "words": ("an hour", None),
    "nothing": (None, None),
}


@pytest.mark.parametrize(("clock", "long"), LENGTHS.values(), ids=LENGTHS)
def test_the_length_of_a_film_is_read_from_its_clock(clock: str | None, long: int | None) -> None:
    assert seconds(clock) == long


def test_a_size_needs_both_sides() -> None:
    assert size(1920, 1080) == "1920x1080"
    assert size(1, 1) == "1x1"
    assert size(1920, None) == size(0, 1080) == size(-1, 5) == ""


@pytest.mark.parametrize("text", [None, "", "-1", "1.5", "about 7", "9" * 19, "9" * 5000, "²"])
def test_what_is_no_count_is_none(text: str | None) -> None:
    assert number(text) is None


def test_a_count_in_text_is_a_number() -> None:
    assert number("712000") == 712000
    assert number("9" * 18) == 10**18 - 1


COUNTS = {"none told": (None, "0 votes"), "none": (0, "0 votes"), "one": (1, "1 vote"), "against": (-1, "-1 votes")}


@pytest.mark.parametrize(("count", "said"), COUNTS.values(), ids=COUNTS)
def test_a_count_is_told_with_the_right_form_of_its_noun(count: int | None, said: str) -> None:
    assert counted(count, "vote") == said
