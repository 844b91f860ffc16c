import pytest

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
from gossamer.resilience.retry import RetryPolicy

DOWN = Unreachable("Down.")
CUT = BrokenReply("Cut.")
LIMITED = RateLimited("It")


def pause(
    error: GossamerError,
    retries: RetryPolicy | None = None,
    *,
    tried: int = 1,
    status: int | None = None,
    left_s: float = 10.0,
    chance: float = 0.0,
) -> float | None:
    return (retries or RetryPolicy()).pause_s(error, tried=tried, status=status, left_s=left_s, chance=chance)


@pytest.mark.parametrize(
    "error",
    [
        Denied("x"),
        NotFound("x"),
        InvalidArgument("x"),
        QuotaExhausted("x"),
        TimedOut("x"),
        UnexpectedReply("x"),
        LIMITED,
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_will_not_pass_is_not_asked_again(error: GossamerError) -> None:
    assert pause(error) is None


def test_a_broken_connection_may_pass_and_a_reply_that_says_so_does_not() -> None:
    assert pause(CUT, status=None) is not None
    assert pause(CUT, status=200) is None


@pytest.mark.parametrize(("most", "tried", "again"), [(0, 1, False), (1, 1, True), (1, 2, False), (3, 3, True)])
def test_it_is_asked_again_as_often_as_the_contract_says(most: int, tried: int, again: bool) -> None:
    assert (pause(DOWN, RetryPolicy(most=most), tried=tried) is not None) == again


@pytest.mark.promise("000.65", "001.76", "001.89", "002.76", "002.99")
def test_pauses_grow_and_chance_spreads_them_by_half() -> None:
    many = RetryPolicy(most=5)
    assert [pause(DOWN, many, tried=tried) for tried in (1, 2, 3)] == pytest.approx([0.2, 0.4, 0.8])
    assert pause(DOWN, chance=1.0) == pytest.approx(0.1)


@pytest.mark.promise("004.57")
def test_a_named_time_is_waited_for_when_there_is_time() -> None:
    soon = Unreachable("Soon.", retry_after_s=2)
    assert pause(soon) == pytest.approx(2.2)
    assert pause(soon, left_s=4) is None
    assert pause(DOWN, left_s=0.3) is None


def test_a_limit_is_waited_for_where_the_contract_says_so() -> None:
    patient = RetryPolicy(most=2, when_limited=True)
    assert pause(LIMITED, patient) == pytest.approx(1.0)
    assert pause(RateLimited("It", retry_after_s=3), patient) == pytest.approx(3.2)
    assert pause(RateLimited("It", retry_after_s=30), patient) is None
    assert pause(LIMITED, patient, tried=3) is None


@pytest.mark.parametrize(("status", "when_late", "again"), [(504, True, True), (504, False, False), (408, True, False)])
def test_a_service_that_says_it_was_late_is_asked_again_where_the_contract_says_so(
    status: int, when_late: bool, again: bool
) -> None:
    assert (pause(TimedOut("Late."), RetryPolicy(when_late=when_late), status=status) is not None) == again
