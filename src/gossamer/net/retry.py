"""Retries of page requests: at most twice, with jitter, and only while there is time.

A few lines of our own: whether to ask again is decided by a reply, by what its `Retry-After` says and by the time
that is left for all redirects together, none of which a library that repeats after exceptions knows.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable

from gossamer.errors import BrokenReply
from gossamer.model.http import HttpReply
from gossamer.ports import Clock, retry_after

MOST = 2
_SHORT_S = 5.0
"""A site that wants to be left alone for longer is left alone."""
_SHARE = 0.5
"""Of the time that is left: a pause that takes more leaves too little for the page."""


class Dropped(BrokenReply):
    """The connection ended before a reply had begun, so that nothing was said yet."""


class Tries:
    """How often one page may still be asked for; one budget for all its redirects."""

    def __init__(self, *, clock: Clock, pause_s: float, limit_s: float) -> None:
        self._clock = clock
        self._pause_s = pause_s
        self._until = asyncio.get_running_loop().time() + limit_s
        self._left = MOST

    async def ask(self, work: Callable[[], Awaitable[HttpReply]]) -> HttpReply:
        """Ask; a server error or a dropped connection is asked again, everything else is an answer."""
        while True:
            try:
                reply = await work()
            except Dropped:
                pause_s = self._next(None)
                if pause_s is None:
                    raise
            else:
                pause_s = self._next(retry_after(reply, now=self._clock.now())) if reply.status >= 500 else None
                if pause_s is None:
                    return reply
            await asyncio.sleep(pause_s)

    def _next(self, wanted_s: float | None) -> float | None:
        """The pause before the next attempt, None when there is to be none."""
        if not self._left or (wanted_s or 0.0) > _SHORT_S:
            return None
        chance = random.uniform(0.5, 1.0)  # noqa: S311 - spreads requests, hides nothing
        pause_s = chance * self._pause_s * 2 ** (MOST - self._left) + (wanted_s or 0.0)
        if pause_s > _SHARE * (self._until - asyncio.get_running_loop().time()):
            return None
        self._left -= 1
        return pause_s
