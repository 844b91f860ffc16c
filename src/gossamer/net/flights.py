"""One piece of work per key at a time: who comes second waits for the first one's result."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Flights(Generic[T]):
    """Shares work between those who wait for it; it ends when the last of them has gone."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[T]] = {}
        self._waiting: dict[str, int] = {}

    async def join(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Start the work, or wait for the one under way; a cancelled caller takes only itself away."""
        task = self._tasks.get(key)
        if task is None:
            task = asyncio.create_task(work())
            task.add_done_callback(_hear)
            self._tasks[key] = task
            self._waiting[key] = 0
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task)
        finally:
            if self._tasks.get(key) is task:
                self._waiting[key] -= 1
                if task.done() or not self._waiting[key]:
                    del self._tasks[key], self._waiting[key]
                    task.cancel()


def _hear(task: asyncio.Task[Any]) -> None:
    """Look at a failure that nobody waits for any more, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()
