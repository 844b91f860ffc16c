"""Where time is nothing but what a test waits for, it leaps: see `tests/leaping.py`."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.leaping import LeapingLoop

LEAPING = {
    *("test_fetch_policy.py", "test_fetching_busy.py", "test_fetching_failures.py", "test_memory_budget.py"),
    *("test_reading.py", "test_result_pages.py", "test_retry_pages.py", "test_search_policy.py"),
    *("test_search_queued.py", "test_search_waiting.py", "test_searching.py"),
}


def pytest_configure() -> None:
    """A file that is renamed is renamed here too, or it waits by the clock of the machine."""
    missing = LEAPING - {file.name for file in Path(__file__).parent.rglob("test_*.py")}
    if missing:
        raise pytest.UsageError(f"LEAPING names files that are not there: {', '.join(sorted(missing))}")


def pytest_asyncio_loop_factories(item: pytest.Item) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"loop": LeapingLoop if item.path.name in LEAPING else asyncio.new_event_loop}
