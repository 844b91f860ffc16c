import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import Outcome
from gossamer.model.page import Page
from gossamer.steps.web.freshness import DAY_S, age_in_words, age_of, freshness, stands_in

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
    "for shared caches, where nothing else is said": ({"cache-control": "s-maxage=60"}, 60.0),
    "for readers, whatever shared caches may": ({"cache-control": "s-maxage=900, max-age=60"}, 60.0),
    "an age beyond what is allowed": ({"cache-control": "max-age=60", "age": "90"}, 0.0),
    "an age on its way": ({"cache-control": "max-age=60", "age": "20"}, 40.0),
    "an age that is no number": ({"cache-control": "max-age=60", "age": "-20"}, 60.0),
    "an age without a limit": ({"age": "80000"}, DAY_S),
    "different for every request": ({"cache-control": "max-age=60", "vary": "Accept, *"}, 0.0),
    "different for those who send other headers": ({"cache-control": "max-age=60", "vary": "Accept, Cookie"}, 60.0),
    "some fields alone are asked again": ({"cache-control": 'no-cache="set-cookie", max-age=60'}, 60.0),
    "private pages may be kept by their reader": ({"cache-control": "private"}, DAY_S),
    "asked again each time": ({"cache-control": "no-cache, max-age=60"}, 0.0),
    "a date": ({"expires": "Wed, 05 Aug 2026 00:10:00 GMT"}, 600.0),
    "a date of another zone": ({"expires": "Wed, 05 Aug 2026 02:10:00 +0200"}, 600.0),
    "a date without a zone": ({"expires": "Wed, 05 Aug 2026 00:10:00 -0000"}, 600.0),
    "a date, by a clock that runs behind": (
        {"expires": "Tue, 04 Aug 2026 00:10:00 GMT", "date": "Tue, 04 Aug 2026 00:00:00 GMT"},
        600.0,
    ),
    "a date, by a clock that says nothing": ({"expires": "Wed, 05 Aug 2026 00:10:00 GMT", "date": "now"}, 600.0),
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


@given(st.text(), st.text(), st.text(), st.floats(-1e12, 1e12))
def test_no_header_makes_a_page_fresh_for_longer_than_a_day_or_old_before_now(
    control: str, expires: str, age: str, silent_s: float
) -> None:
    found = freshness({"cache-control": control, "expires": expires, "age": age}, now=NOW, silent_s=silent_s)
    assert NOW <= found.until <= NOW + DAY_S
    assert NOW <= freshness({}, now=NOW, silent_s=silent_s).until <= NOW + DAY_S


def test_a_renewal_that_says_nothing_holds_for_as_long_as_the_page_did() -> None:
    assert freshness({}, now=NOW, silent_s=60.0).until == NOW + 60
    assert freshness({"cache-control": "max-age=9"}, now=NOW, silent_s=60.0).until == NOW + 9


COVERED = {
    "late": (Outcome.TIMEOUT, 60.0, True),
    "away": (Outcome.UNREACHABLE, 29 * DAY_S, True),
    "limiting": (Outcome.RATE_LIMITED, DAY_S, True),
    "the copy is too old": (Outcome.UNREACHABLE, 31 * DAY_S, False),
    "the clock was set back": (Outcome.UNREACHABLE, -DAY_S, True),
    "gone": (Outcome.NOT_FOUND, 60.0, False),
    "denied": (Outcome.DENIED, 60.0, False),
    "forbidden by robots.txt": (Outcome.ROBOTS, 60.0, False),
    "refused by us": (Outcome.REFUSED, 60.0, False),
    "to be paid for": (Outcome.PAYWALL, 60.0, False),
    "a challenge": (Outcome.CAPTCHA, 60.0, False),
    "breaking off": (Outcome.ERROR, 60.0, True),
}


@pytest.mark.parametrize(("outcome", "age_s", "is_covered"), COVERED.values(), ids=COVERED)
def test_a_kept_page_stands_in_only_for_failures_that_pass(outcome: Outcome, age_s: float, is_covered: bool) -> None:
    page = Page(url="u", final_url="u", title="", text="", fetched_at=NOW - age_s)
    assert stands_in(page, outcome, now=NOW) is is_covered


AGES_IN_WORDS = {
    -5.0: "0 seconds",
    0.0: "0 seconds",
    59.0: "59 seconds",
    119.0: "119 seconds",
    120.0: "2 minutes",
    7_199.0: "119 minutes",
    7_200.0: "2 hours",
    172_799.0: "47 hours",
    172_800.0: "2 days",
    2_600_000.0: "30 days",
}


@pytest.mark.parametrize(("seconds", "words"), AGES_IN_WORDS.items())
def test_an_age_is_said_in_one_unit(seconds: float, words: str) -> None:
    assert age_in_words(seconds) == words


@pytest.mark.parametrize(("now", "age"), [(100.0, 0), (160.9, 60), (40.0, 0)], ids=["now", "later", "a clock set back"])
def test_an_age_is_told_in_whole_seconds(now: float, age: int) -> None:
    assert age_of(100.0, now=now) == age
