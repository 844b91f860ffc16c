"""Backfill: derived data, such as an index, is made a portion at a time; whoever comes next goes on."""

import contextlib
import sqlite3
import time
from collections.abc import Callable

from gossamer.errors import StoreError
from gossamer.filedb.sqlite.open_file import Prepare

_GAP_S = 0.01
"""Between two portions: those of other processes who look for the lock now and then find it free."""

Write = Callable[[Callable[[sqlite3.Connection], bool]], bool | None]
"""Makes a portion in one transaction; None where the lock was not to be had."""


class Preparing:
    """What is left to make, as far as this process knows."""

    def __init__(self, prepare: Prepare) -> None:
        self._prepare = prepare
        self.is_left = False

    def step(self, write: Write) -> bool:
        """Make a portion, and tell whether more is left."""
        self.is_left = write(self._prepare) is not False
        if self.is_left:
            time.sleep(_GAP_S)
        return self.is_left

    def finish(self, write: Write, *, within_s: float) -> None:
        """Go on for so long at most; a command that ends at once would else never get anywhere."""
        until = time.monotonic() + within_s
        with contextlib.suppress(StoreError):
            while self.is_left and time.monotonic() < until:
                self.step(write)
