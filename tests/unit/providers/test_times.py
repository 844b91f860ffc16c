from datetime import UTC, date, datetime

import pytest

from gossamer.model.search import Query
from gossamer.providers.common.times import day_of, since, unix

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
    assert day_of(Query(text="x")) in {before, datetime.now(UTC).date()}


def test_a_day_begins_at_midnight_in_utc() -> None:
    assert unix(date(2026, 11, 14)) == 1_794_614_400
