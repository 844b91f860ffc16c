from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import (
    BrokenReply,
    Busy,
    Captcha,
    Denied,
    GossamerError,
    InvalidArgument,
    Outcome,
    QuotaExhausted,
    RateLimited,
    StoreBusy,
    TimedOut,
    TooLarge,
    UnexpectedReply,
    Unreachable,
)
from gossamer.resilience.breaker import (
    LONGEST_S,
    Health,
    after_answer,
    after_failure,
    begin_probe,
    is_its_fault,
    left_alone,
    quiet_s,
)

NOW = 1_000_000.0
DOWN = Unreachable("It is down.", hint="Wait.")


def after(times: Sequence[float], health: Health | None = None, error: GossamerError = DOWN) -> Health:
    health = health or Health()
    for time in times:
        health = after_failure(health, error, now=NOW + time)
    return health


OPENING = {
    "nothing yet": ((0,), 0, False),
    "two at once": ((0, 1), 0, False),
    "three within ten seconds": ((0, 5, 10), 0, True),
    "three within eleven": ((0, 5, 11), 0, False),
    "four that are far apart": ((0, 60, 120, 180), 0, False),
    "five in a row, however far apart": ((0, 60, 120, 180, 240), 0, True),
    "three at once, but it had answered just before": ((0, 1, 2), NOW - 1, False),
    "three at once, and it had answered long before": ((0, 1, 2), NOW - 60, True),
    "a good answer in the future is a clock that was set back": ((0, 1, 2), NOW + 3600, True),
    "five in a row right after an answer": ((0, 1, 2, 3, 4), NOW - 1, True),
}


@pytest.mark.promise("002.72", "002.116")
@pytest.mark.parametrize(("times", "ok_at", "is_out"), OPENING.values(), ids=OPENING)
def test_an_outage_is_five_failures_in_a_row_or_nothing_but_failures_for_ten_seconds(
    times: tuple[float, ...], ok_at: float, is_out: bool
) -> None:
    health = after(times, Health(ok_at=ok_at))
    assert health.is_out == is_out
    assert quiet_s(health, now=NOW + times[-1]) == (30 if is_out else 0)


@pytest.mark.promise("002.76")
def test_a_probe_keeps_the_others_away_and_its_failure_makes_nobody_wait_longer() -> None:
    out = after((0, 1, 2))
    assert quiet_s(out, now=NOW + 31) == 1
    assert quiet_s(out, now=NOW + 32) == 0
    probing = begin_probe(out, now=NOW + 32)
    failed = after((35,), probing)
    assert failed.is_out
    assert quiet_s(failed, now=NOW + 35) == 27


WAITS: dict[str, tuple[GossamerError, float, bool]] = {
    "a limit with its time": (RateLimited("It", retry_after_s=7), 7, False),
    "a limit for longer than a day": (RateLimited("It", retry_after_s=1e9), 86_400, False),
    "a limit without a time": (RateLimited("It"), 0, True),
    "a limit that is over at once": (RateLimited("It", retry_after_s=0), 0, True),
    "a limit before now": (RateLimited("It", retry_after_s=-5), 0, True),
    "a spent quota": (QuotaExhausted("Spent."), 3600, False),
    "a quota that names its time": (QuotaExhausted("Spent.", retry_after_s=100), 100, False),
    "a bad key": (Denied("No."), 60, False),
    "an outage that names its time": (Unreachable("Soon.", retry_after_s=9), 9, True),
    "an outage": (DOWN, 0, True),
}


@pytest.mark.promise("002.73")
@pytest.mark.parametrize(("error", "wait_s", "counts"), WAITS.values(), ids=WAITS)
def test_a_service_is_left_alone_for_as_long_as_its_answer_says(
    error: GossamerError, wait_s: float, counts: bool
) -> None:
    health = after_failure(Health(), error, now=NOW)
    assert quiet_s(health, now=NOW) == wait_s
    assert health.failed == counts
    assert after((0, 1, 2), error=error).is_out == counts


def test_nothing_that_a_service_says_keeps_us_away_for_longer_than_the_caller_allows() -> None:
    for error in (
        RateLimited("It", retry_after_s=9000),
        QuotaExhausted("Spent."),
        Unreachable("No.", retry_after_s=99),
    ):
        assert quiet_s(after_failure(Health(), error, now=NOW, longest_s=60), now=NOW) == 60


def test_a_service_that_turns_us_away_is_up_again() -> None:
    out = after((0, 1, 2))
    denied = after_failure(out, Denied("No."), now=NOW + 40)
    assert (denied.is_out, denied.failed) == (False, 0)


def test_a_clock_that_was_set_back_makes_nobody_wait() -> None:
    assert quiet_s(Health(quiet_until=NOW + 86_401), now=NOW) == 0


TOLD: dict[str, tuple[GossamerError, type[GossamerError]]] = {
    "timeout": (TimedOut("Late."), TimedOut),
    "unreachable": (DOWN, Unreachable),
    "captcha": (Captcha("Who are you?"), Captcha),
    "too large": (TooLarge("Big."), TooLarge),
    "another shape": (UnexpectedReply("Odd."), BrokenReply),
}


@pytest.mark.parametrize(("error", "kind"), TOLD.values(), ids=TOLD)
def test_an_outage_is_told_as_what_it_is_and_for_how_long(error: GossamerError, kind: type[GossamerError]) -> None:
    known = left_alone(after((0, 1, 2), error=error), "It", now=NOW + 12)
    assert type(known) is kind
    assert known.retry_after_s == 20
    assert "3 times in a row" in known.message
    assert "20 s more" in known.message
    assert error.message in known.message


def test_what_is_no_outage_is_told_without_counting() -> None:
    limited = left_alone(after_failure(Health(), RateLimited("It", retry_after_s=7), now=NOW), "It", now=NOW + 2)
    assert str(limited) == "It is limiting our requests. Try again in 5 s."
    endless = left_alone(after((0, 1, 2), error=RateLimited("It")), "It", now=NOW + 2)
    assert (endless.outcome, endless.retry_after_s) == (Outcome.RATE_LIMITED, 30)
    assert endless.message.startswith("It failed 3 times in a row and is left alone for 30 s more;")
    denied = left_alone(after_failure(Health(), Denied("Bad key.", hint="Mend it."), now=NOW), "It", now=NOW)
    assert (denied.outcome, denied.hint) == (Outcome.DENIED, "Mend it.")
    assert "Bad key." in denied.message
    assert "in a row" not in denied.message


@pytest.mark.parametrize(
    ("error", "says"),
    [(DOWN, True), (TooLarge("x"), True), (InvalidArgument("x"), False), (Busy("x"), False), (StoreBusy("x"), False)],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_only_what_the_service_did_is_its_fault(error: GossamerError, says: bool) -> None:
    assert is_its_fault(error) == says


@given(st.lists(st.tuples(st.floats(0, 40), st.sampled_from([None, *(error for error, _, _ in WAITS.values())]))))
def test_whatever_happens_nobody_is_left_alone_for_more_than_a_day(
    events: list[tuple[float, GossamerError | None]],
) -> None:
    health, now = Health(), NOW
    for pause, error in events:
        now += pause
        health = after_failure(health, error, now=now) if error else Health(ok_at=now)
        assert 0 <= quiet_s(health, now=now) <= 86_400
        assert len(health.times) <= 3
        if health.is_out:
            assert health.failed >= 3


def test_an_answer_forgets_all_but_the_rest_that_it_asks_for() -> None:
    assert after_answer(Health(failed=4, times=(NOW,)), now=NOW) == Health(ok_at=NOW)
    resting = after_answer(Health(), now=NOW, rest_s=10)
    assert quiet_s(resting, now=NOW) == 10
    assert quiet_s(resting, now=NOW + 10) == 0
    assert isinstance(left_alone(resting, "Stack Exchange", now=NOW), RateLimited)
    assert quiet_s(after_answer(Health(), now=NOW, rest_s=1e9), now=NOW) == LONGEST_S


LIMITED = after_failure(Health(), RateLimited("Brave Search", retry_after_s=30), now=NOW)
RESTS: dict[str, tuple[Health, float, float]] = {
    "an answer asked for it": (after_answer(Health(), now=NOW, rest_s=30), 0, 30),
    "a limit named it": (LIMITED, 0, 30),
    "the other asks for less": (LIMITED, 10, 30),
    "the other asks for more": (LIMITED, 60, 60),
    "it is over": (replace(LIMITED, quiet_until=NOW - 1), 0, 0),
    "an outage is over with the answer": (replace(LIMITED, is_out=True), 0, 0),
    "a failure is over with the answer": (replace(LIMITED, outcome=Outcome.UNREACHABLE), 0, 0),
}


@pytest.mark.parametrize(("known", "rest_s", "left_s"), RESTS.values(), ids=RESTS)
def test_an_answer_that_was_under_way_ends_no_rest_that_the_service_asked_for(
    known: Health, rest_s: float, left_s: float
) -> None:
    health = after_answer(known, now=NOW, rest_s=rest_s)
    assert quiet_s(health, now=NOW) == left_s
    assert (health.ok_at, health.failed, health.is_out) == (NOW, 0, False)


@pytest.mark.parametrize("reason", ["refusal", "no_search", "no_text", "incomplete"])
def test_what_a_model_makes_of_one_query_says_nothing_of_the_service(reason: str) -> None:
    assert is_its_fault(Denied("It refused."))
    assert is_its_fault(BrokenReply("It failed.").about(reason="failed"))
    assert not is_its_fault(Denied("It refused.").about(reason=reason))
