"""Where time is nothing but what a test waits for, it leaps: see `tests/leaping.py`."""

import asyncio
from collections.abc import Callable

import pytest

from tests.leaping import LeapingLoop

LEAPING = {
    *("test_again.py", "test_contents.py", "test_fetching_busy.py", "test_fetching_failures.py", "test_reading.py"),
    *("test_room.py", "test_search_queued.py", "test_search_terms.py", "test_search_waiting.py", "test_searching.py"),
    "test_terms.py",
}


def pytest_asyncio_loop_factories(item: pytest.Item) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"loop": LeapingLoop if item.path.name in LEAPING else asyncio.new_event_loop}
