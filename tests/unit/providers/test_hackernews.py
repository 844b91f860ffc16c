from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from gossamer.model.search import Query
from gossamer.providers.common.times import today
from gossamer.providers.hackernews import HackerNews

QUERY = Query(text="vacuum  full")


def sent(**asked: Any) -> dict[str, str | int]:
    return dict(HackerNews().request(replace(QUERY, **asked)).params)


def test_a_plain_query_asks_for_stories() -> None:
    assert HackerNews().request(QUERY).url == "https://hn.algolia.com/api/v1/search"
    assert sent(count=50) == {"query": "vacuum full", "tags": "story", "hitsPerPage": 50, "page": 0}


def test_a_time_range_begins_with_a_day() -> None:
    before = today()
    said = str(sent(time_range="day")["numericFilters"])
    start = datetime.fromtimestamp(int(said.removeprefix("created_at_i>=")), UTC)
    assert start.date() in {before - timedelta(days=1), today() - timedelta(days=1)}
    assert (start.hour, start.minute, start.second) == (0, 0, 0)
