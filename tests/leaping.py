"""An event loop whose time passes only while nobody has anything to do, and then at once.

What waits for ten seconds has waited for exactly ten, however slow the machine is and however often it stands still.
"""

import asyncio
import selectors
from collections.abc import Callable
from typing import Any

_TURN_S = 1e-6
"""What a turn of the loop takes, so that no time is too short to pass."""


class _Leaping(selectors.DefaultSelector):
    """Moves the time instead of waiting."""

    time_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout else timeout)
        self.time_s += _TURN_S if ready or not timeout else timeout
        return ready


class LeapingLoop(asyncio.SelectorEventLoop):
    """Work for threads is done before anything else, so that no time passes meanwhile."""

    def __init__(self) -> None:
        self._leaping = _Leaping()
        super().__init__(self._leaping)

    def time(self) -> float:
        return self._leaping.time_s

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  it is the waiting task's
            done.set_exception(error)
        return done
