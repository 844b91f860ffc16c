from datetime import date

import pytest

from gossamer.model.search import Query
from gossamer.providers.common.times import since, today, unix

SPANS = {
    "none": (None, None),
    "day": ("day", date(2026, 2, 28)),
    "week": ("week", date(2026, 2, 22)),
    "month": ("month", date(2026, 1, 29)),
    "year": ("year", date(2025, 2, 28)),
}


@pytest.mark.parametrize(("span", "start"), SPANS.values(), ids=SPANS)
def test_a_time_range_begins_so_many_days_before(span: str | None, start: date | None) -> None:
    assert since(Query(text="x", time_range=span), date(2026, 3, 1)) == start  # pyright: ignore[reportArgumentType]


def test_a_time_range_is_counted_from_today() -> None:
    before = today()
    assert since(Query(text="x", time_range="day")) in {
        since(Query(text="x", time_range="day"), d) for d in (before, today())
    }


def test_a_day_begins_at_midnight_in_utc() -> None:
    assert unix(date(2026, 11, 14)) == 1_794_614_400
