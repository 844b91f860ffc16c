"""Spans of time as services want them: as the day they begin."""

from datetime import UTC, date, datetime, timedelta

from gossamer.model.search import Query

_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}


def day_of(query: Query) -> date:
    """The day on which a query is asked: by the engine's clock, or now where no engine asks."""
    return query.day or datetime.now(UTC).date()


def since(query: Query) -> date | None:
    """The first day that a query's time range holds; whole days, so that the same query stays the same all day."""
    return day_of(query) - timedelta(days=_DAYS[query.time_range]) if query.time_range else None


def unix(day: date) -> int:
    """The second at which a day begins, in UTC."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
