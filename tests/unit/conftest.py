"""Where time is nothing but what a test waits for, it leaps: see `tests/leaping.py`."""

import asyncio
from collections.abc import Callable

import pytest

from tests.leaping import LeapingLoop

LEAPING = {"engine", "test_again.py", "test_room.py"}


def pytest_asyncio_loop_factories(item: pytest.Item) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"loop": LeapingLoop if LEAPING & {*item.path.parts} else asyncio.new_event_loop}
