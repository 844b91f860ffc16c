"""How often a contract asks one service: its own table, and nothing else."""

import pytest

from gossamer.contracts.o3.policy import ATTEMPTS as O3_ATTEMPTS
from gossamer.contracts.openai.policy import ATTEMPTS as SEARCH_WEB_ATTEMPTS
from gossamer.errors import (
    BrokenReply,
    Denied,
    GossamerError,
    InvalidArgument,
    NotFound,
    QuotaExhausted,
    RateLimited,
    TimedOut,
    UnexpectedReply,
    Unreachable,
)

WENT = Unreachable("It failed.")
RULES: dict[str, tuple[GossamerError, int | None, bool, bool]] = {
    "429": (RateLimited("It"), 429, True, True),
    "a quota": (QuotaExhausted("Nothing is left."), 429, False, False),
    "500": (WENT, 500, True, True),
    "502": (WENT, 502, True, True),
    "503": (WENT, 503, True, True),
    "501": (WENT, 501, False, True),
    "504, late": (TimedOut("Late."), 504, False, True),
    "408, late": (TimedOut("Late."), 408, False, True),
    "400": (InvalidArgument("No."), 400, False, False),
    "401": (Denied("No."), 401, False, False),
    "404": (NotFound("No."), 404, False, False),
    "another status": (BrokenReply("Odd."), 409, False, False),
    "a reply of another shape": (UnexpectedReply("Odd."), 200, False, False),
    "200, failed on its side": (Unreachable("It failed.").about(reason="failed"), 200, True, True),
    "200, failed by pace": (RateLimited("It").about(reason="failed"), 200, True, True),
    "200, failed for good": (BrokenReply("It failed.").about(reason="failed"), 200, False, False),
    "200, its search failed": (Unreachable("It failed.").about(reason="search_failed"), 200, False, False),
    "no connection": (WENT, None, False, True),
    "a connection that broke": (BrokenReply("It broke."), None, False, True),
    "no answer in time": (TimedOut("Late."), None, False, True),
    "an address that cannot be": (InvalidArgument("No."), None, False, False),
}


@pytest.mark.promise("000.19", "000.67", "004.53")
@pytest.mark.parametrize("case", RULES)
def test_only_what_a_specification_names_is_tried_again(case: str) -> None:
    error, status, first, second = RULES[case]
    for rule, is_tried in ((SEARCH_WEB_ATTEMPTS, first), (O3_ATTEMPTS, second)):
        wait_s = rule.pause_s(error, tried=1, status=status, left_s=100.0, chance=0.5)
        assert (wait_s is not None) == is_tried


@pytest.mark.promise("000.19", "000.65", "004.51")
def test_there_are_two_attempts_of_one_and_three_of_the_other() -> None:
    for rule, most in ((SEARCH_WEB_ATTEMPTS, 2), (O3_ATTEMPTS, 3)):
        waits = [rule.pause_s(WENT, tried=n, status=500, left_s=100.0, chance=0) for n in range(1, 5)]
        assert [wait is not None for wait in waits] == [n < most for n in range(1, 5)]


@pytest.mark.promise("000.19", "000.65", "004.52", "004.58")
def test_pauses_double_and_chance_shortens_those_of_search_web_alone() -> None:
    waits = [O3_ATTEMPTS.pause_s(WENT, tried=n, status=500, left_s=100.0, chance=1.0) for n in (1, 2)]
    assert waits == [1.0, 2.0]
    spread = [SEARCH_WEB_ATTEMPTS.pause_s(WENT, tried=1, status=500, left_s=9.0, chance=c) for c in (0.0, 0.5, 1.0)]
    assert spread == [0.5, 0.375, 0.25]


WAITS = {
    "its own word, exactly": (7.0, 30.0, 7.0),
    "now": (0.0, 30.0, 0.0),
    "beyond the time that is left": (7.0, 7.0, None),
    "not a word": (None, 30.0, 1.0),
    "no word and no time": (None, 0.5, None),
}


@pytest.mark.parametrize(("named_s", "left_s", "expected"), WAITS.values(), ids=WAITS)
def test_the_service_says_when_to_come_back(named_s: float | None, left_s: float, expected: float | None) -> None:
    error = RateLimited("It", retry_after_s=named_s)
    assert O3_ATTEMPTS.pause_s(error, tried=1, status=429, left_s=left_s, chance=0.0) == expected


def test_with_jitter_nobody_comes_back_sooner_than_asked() -> None:
    for named_s, expected in ((0.0, 0.5), (0.1, 0.5), (2.0, 2.0)):
        error = RateLimited("It", retry_after_s=named_s)
        assert SEARCH_WEB_ATTEMPTS.pause_s(error, tried=1, status=429, left_s=9.0, chance=0.0) == expected
