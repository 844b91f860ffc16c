from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from gossamer.model.search import Query
from gossamer.providers.hackernews import HackerNews

QUERY = Query(text="vacuum  full")


def sent(**asked: Any) -> dict[str, str | int]:
    return dict(HackerNews().request(replace(QUERY, **asked)).params)


def test_a_plain_query_asks_for_stories() -> None:
    assert HackerNews().request(QUERY).url == "https://hn.algolia.com/api/v1/search"
    assert sent(count=50) == {"query": "vacuum full", "tags": "story", "hitsPerPage": 50, "page": 0}


def test_a_time_range_begins_with_a_day() -> None:
    said = str(sent(time_range="day", day=date(2026, 11, 15))["numericFilters"])
    start = datetime.fromtimestamp(int(said.removeprefix("created_at_i>=")), UTC)
    assert start == datetime(2026, 11, 14, tzinfo=UTC)
