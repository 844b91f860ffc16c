from datetime import UTC, date, datetime

import pytest

from gossamer.model.search import Query
from gossamer.providers.shared.request import country, language, query_day, query_text, since, table, truncate, unix

SHORT = {
    "short enough": ("one two", 7, "one two"),
    "at a word": ("one two three", 9, "one two"),
    "just behind a word": ("one two three", 7, "one two"),
    "one endless word": ("abcdefgh", 3, "abc"),
}


@pytest.mark.parametrize(("text", "max_chars", "kept"), SHORT.values(), ids=SHORT)
def test_a_long_text_ends_with_a_whole_word(text: str, max_chars: int, kept: str) -> None:
    assert truncate(text, max_chars) == kept


def test_a_site_is_asked_for_with_an_operator() -> None:
    assert query_text(Query(text="event \n loop", site="docs.python.org")) == "event loop site:docs.python.org"


def test_the_site_stays_where_words_are_cut() -> None:
    asked = Query(text="one two three four", site="a.example")
    assert query_text(asked, max_words=3) == "one two site:a.example"
    assert query_text(asked, max_chars=24) == "one two site:a.example"


LANGUAGES = {
    "a code": ("de", "de"),
    "with a country": ("pt-BR", "pt"),
    "with a script": ("zh_Hant_TW", "zh"),
    "three letters": ("FIL", "fil"),
    "any": ("all", ""),
    "left to the service": ("auto", ""),
    "none": ("", ""),
    "no code": ("☃", ""),
}


@pytest.mark.parametrize(("asked", "code"), LANGUAGES.values(), ids=LANGUAGES)
def test_the_language_is_its_code_alone(asked: str, code: str) -> None:
    assert language(Query(text="x", language=asked)) == code


COUNTRIES = {
    "the region asked for": ("en", "at", "AT"),
    "wins over the language's": ("en-GB", "US", "US"),
    "the language's own": ("pt-br", None, "BR"),
    "behind a script": ("zh_Hant_TW", None, "TW"),
    "a script is no country": ("zh-Hant", None, ""),
    "a language is no country": ("de", None, ""),
    "no country at all": ("en", "atlantis", ""),
}


@pytest.mark.parametrize(("spoken", "region", "code"), COUNTRIES.values(), ids=COUNTRIES)
def test_the_country_is_the_region_or_that_of_the_language(spoken: str, region: str | None, code: str) -> None:
    assert country(Query(text="x", language=spoken, region=region)) == code


SPANS = {
    "none": (None, None),
    "day": ("day", date(2026, 2, 28)),
    "week": ("week", date(2026, 2, 22)),
    "month": ("month", date(2026, 1, 29)),
    "year": ("year", date(2025, 2, 28)),
}


@pytest.mark.parametrize(("span", "start"), SPANS.values(), ids=SPANS)
def test_a_time_range_begins_so_many_days_before(span: str | None, start: date | None) -> None:
    assert since(Query(text="x", time_range=span, day=date(2026, 3, 1))) == start  # pyright: ignore[reportArgumentType]


def test_where_no_engine_asks_a_query_is_of_today() -> None:
    before = datetime.now(UTC).date()
    assert query_day(Query(text="x")) in {before, datetime.now(UTC).date()}


def test_a_day_begins_at_midnight_in_utc() -> None:
    assert unix(date(2026, 11, 14)) == 1_794_614_400


def test_a_table_is_read_from_pairs() -> None:
    assert table("AT:austria GB:united_kingdom") == {"AT": "austria", "GB": "united kingdom"}
