"""Whose turn it is: one file that belongs to one process at a time, handed on in the order of asking."""

import time
from collections.abc import Callable
from pathlib import Path

from gossamer.filedb.lock import FileLock

_TURN_S = 2.0
"""Longer than anybody who is at work keeps the turn while others want it."""
_STEP_S = 0.2
_LOOK_S = 0.05


class Lease:
    """Two locks of the operating system: one is held by who works, the other by who comes next.

    There is no server and no protocol, and kill -9 frees both. Only one thread may use a lease.
    """

    def __init__(self, holder: Path, want: Path) -> None:
        self._holder = FileLock(holder)
        try:
            self._want = FileLock(want)
        except BaseException:
            self._holder.close()
            raise
        self.is_held = False

    @property
    def is_marked(self) -> bool:
        """Whether there was a file to hold once."""
        return self._holder.is_marked

    def mark(self) -> None:
        """Note that there is one."""
        self._holder.mark()

    def take(self, goes_on: Callable[[], bool]) -> bool:
        """Wait for our turn as long as `goes_on`, and tell whether it came; who has it sees that it is wanted.

        The first in line looks again and again, so that it can give up. Behind a holder that keeps the turn for long
        it steps back now and then, and whoever is next in line can give up too.
        """
        patience_s = _TURN_S
        while goes_on():
            with self._want:
                if self._take_within(patience_s, goes_on):
                    self.is_held = True
                    return True
            patience_s = _STEP_S
        return False

    def _take_within(self, seconds: float, goes_on: Callable[[], bool]) -> bool:
        until = time.monotonic() + seconds
        while not self._holder.take(within_s=_LOOK_S):
            if not goes_on() or time.monotonic() >= until:
                return False
        return True

    @property
    def is_lost(self) -> bool:
        """Whether the file that says whose turn it is was removed while it was ours: another's turn may have begun."""
        return self.is_held and not self._holder.is_in_place

    def is_wanted(self) -> bool:
        """Whether somebody waits for it."""
        if self.is_lost:
            return True
        if self._want.try_take():
            self._want.free()
            return False
        return True

    def give_up(self) -> None:
        """Let the next one have it."""
        if self.is_held:
            self.is_held = False
            self._holder.free()

    def close(self) -> None:
        """Let go of both files."""
        self._holder.close()
        self._want.close()
