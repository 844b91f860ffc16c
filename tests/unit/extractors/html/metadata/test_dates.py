import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extractors.html.metadata.bylines import date_in_path, date_in_words, iso_date

MACHINE = {
    "iso": ("2026-03-04T10:00", "2026-03-04"),
    "compact with a time": ("20260304120000", ""),
    "compact day": ("20260304", "2026-03-04"),
    "other digits": ("٢٠٢٦-٠٣-٠٤", "2026-03-04"),
    "slashes": ("2026/03/04", "2026-03-04"),
    "no month": ("2026-13-04", ""),
    "no year": ("0026-03-04", ""),
    "words": ("yesterday", ""),
}


@pytest.mark.parametrize(("text", "day"), MACHINE.values(), ids=MACHINE)
def test_days_for_machines(text: str, day: str) -> None:
    assert iso_date(text) == day


SPOKEN = {
    "iso": ("Updated 2026-03-04", "2026-03-04"),
    "American": ("Posted on March 4, 2026 at noon", "2026-03-04"),
    "short": ("Mar. 4 2026", "2026-03-04"),
    "an ordinal": ("4th of March 2026", "2026-03-04"),
    "British": ("4 March 2026", "2026-03-04"),
    "German": ("4. März 2026", "2026-03-04"),
    "German in figures": ("Stand: 04.03.2026", "2026-03-04"),
    "French": ("le 4 mars 2026", "2026-03-04"),
    "Spanish": ("4 de marzo de 2026", "2026-03-04"),
    "Polish": ("4 marca 2026", "2026-03-04"),
    "Japanese": ("2026年3月4日", "2026-03-04"),
    "Korean": ("2026년 3월 4일", "2026-03-04"),
    "a day that can only be one": ("24/03/2026", "2026-03-24"),
    "a day that may be another": ("04/03/2026", ""),
    "a word that is no month": ("Chapter 4, 2026", ""),
    "a price": ("only 1.999.2026 left", ""),
    "no day": ("99 March 2026", ""),
    "beyond where dates stand": ("x" * 300 + "4 March 2026", ""),
}


@pytest.mark.parametrize(("text", "day"), SPOKEN.values(), ids=SPOKEN)
def test_days_for_people(text: str, day: str) -> None:
    assert date_in_words(text) == day


PATHS = {
    "a day": ("https://a.example/2026/03/04/lamps", "2026-03-04"),
    "a short day": ("https://a.example/news/2026/3/4-lamps", "2026-03-04"),
    "a month": ("https://a.example/2026/03/lamps", ""),
    "numbers": ("https://a.example/1234/56/78/", ""),
}


@pytest.mark.parametrize(("url", "day"), PATHS.values(), ids=PATHS)
def test_days_in_addresses(url: str, day: str) -> None:
    assert date_in_path(url) == day


@given(st.text("0123456789 -/.,年月日Marchdeof", max_size=60))
def test_whatever_is_found_is_a_day(text: str) -> None:
    for day in (iso_date(text), date_in_words(text), date_in_path(text)):
        assert not day or (len(day) == 10 and 1 <= int(day[5:7]) <= 12 and 1 <= int(day[8:]) <= 31)
