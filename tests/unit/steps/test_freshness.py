import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.freshness import DAY_S, freshness

NOW = 1_785_888_000.0  # 2026-08-05 00:00:00 UTC

AGES = {
    "nothing said": ({}, DAY_S),
    "less than a day": ({"cache-control": "public, max-age=60"}, 60.0),
    "more than a day": ({"cache-control": "max-age=31536000"}, DAY_S),
    "nothing at all": ({"cache-control": "max-age=0, must-revalidate"}, 0.0),
    "quoted": ({"cache-control": 'max-age="60"'}, 60.0),
    "capitals": ({"cache-control": "Max-Age=60"}, 60.0),
    "the first of two": ({"cache-control": "max-age=60, max-age=90"}, 60.0),
    "no number": ({"cache-control": "max-age=soon"}, DAY_S),
    "negative": ({"cache-control": "max-age=-1"}, DAY_S),
    "digits of another script": ({"cache-control": "max-age=٦٠"}, DAY_S),
    "endless digits": ({"cache-control": "max-age=" + "9" * 5000}, DAY_S),
    "for shared caches alone": ({"cache-control": "s-maxage=60"}, DAY_S),
    "private pages may be kept by their reader": ({"cache-control": "private"}, DAY_S),
    "asked again each time": ({"cache-control": "no-cache, max-age=60"}, 0.0),
    "a date": ({"expires": "Wed, 05 Aug 2026 00:10:00 GMT"}, 600.0),
    "a date of another zone": ({"expires": "Wed, 05 Aug 2026 02:10:00 +0200"}, 600.0),
    "a date without a zone": ({"expires": "Wed, 05 Aug 2026 00:10:00 -0000"}, 600.0),
    "a date far away": ({"expires": "Wed, 05 Aug 2054 00:10:00 GMT"}, DAY_S),
    "a date long ago": ({"expires": "Thu, 19 Nov 1981 08:52:00 GMT"}, 0.0),
    "no date": ({"expires": "0"}, 0.0),
    "an age beats a date": ({"cache-control": "max-age=60", "expires": "0"}, 60.0),
}


@pytest.mark.parametrize(("headers", "seconds"), AGES.values(), ids=AGES)
def test_a_page_is_fresh_for_a_day_or_as_long_as_the_server_allows(headers: dict[str, str], seconds: float) -> None:
    found = freshness(headers, now=NOW)
    assert (found.may_keep, found.until - NOW) == (True, seconds)


@pytest.mark.parametrize("value", ["no-store", "private, No-Store", "max-age=60,no-store"])
def test_what_must_not_be_stored_is_not_kept(value: str) -> None:
    found = freshness({"cache-control": value}, now=NOW)
    assert (found.may_keep, found.until) == (False, NOW)


@given(st.text(), st.text())
def test_no_header_makes_a_page_fresh_for_longer_than_a_day_or_old_before_now(control: str, expires: str) -> None:
    found = freshness({"cache-control": control, "expires": expires}, now=NOW)
    assert NOW <= found.until <= NOW + DAY_S
