"""The rules of records: expiry, clocks, windows, numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.states.records import Record, alive, counted, next_grant, window_end

TIMES = st.floats(0, 4e9)
SPANS = st.floats(0.001, 1e8)


@given(since=TIMES, ttl_s=SPANS, now=TIMES)
def test_a_record_never_has_more_left_than_it_was_given(since: float, ttl_s: float, now: float) -> None:
    found = alive(Record(value="x", since=since, until=since + ttl_s), now)
    if found:
        assert found.since <= now < found.until
        assert found.until - now <= ttl_s + 1e-5
    else:
        assert now >= since + ttl_s


@given(now=TIMES, window_s=SPANS)
def test_a_window_ends_after_now_and_within_its_length(now: float, window_s: float) -> None:
    end = window_end(now, window_s)
    assert now < end
    assert end - now <= window_s * 1.000001 + 1e-6


@pytest.mark.parametrize(
    ("now", "window_s", "end"), [(0, 600, 600), (599.9, 600, 600), (600, 600, 1200), (86_399, 86_400, 86_400)]
)
def test_windows_begin_at_multiples_of_their_length(now: float, window_s: float, end: float) -> None:
    assert window_end(now, window_s) == end


@given(last=st.integers(0, 2**53), now=TIMES)
def test_a_grant_has_a_larger_number_than_the_last_and_than_all_of_an_earlier_millisecond(
    last: int, now: float
) -> None:
    assert next_grant(last, now) > last
    assert next_grant(0, now + 0.01) > next_grant(0, now)


@given(amounts=st.lists(st.integers(-5, 9), max_size=30), cap=st.integers(0, 20))
def test_a_counter_under_a_cap_never_rises_above_it(amounts: list[int], cap: int) -> None:
    record = None
    for amount in amounts:
        before = int(record.value) if record else 0
        record, is_within = counted(record, amount, cap=cap, now=0.0, until=10.0)
        assert int(record.value) == (before + amount if is_within else before)
        assert is_within == (amount <= 0 or before + amount <= cap)
