"""A clock for suites that must decide what time it is."""

from dataclasses import dataclass


@dataclass
class SetClock:
    """A clock that only its owner moves, forwards or backwards."""

    time: float = 1_000_000.0

    def now(self) -> float:
        """The time as set."""
        return self.time

    def monotonic(self) -> float:
        """The same time."""
        return self.time

    def advance(self, seconds: float) -> None:
        """Let time pass, or set the clock back by less than nothing."""
        self.time += seconds
