"""How much all bodies together may hold while they come in: a large one waits for its place, a small one never does."""

import asyncio
from collections import deque

from gossamer.errors import Busy

ROOM_BYTES = 128 * 2**20
SMALL_BYTES = 2**18
_SHARE = 0.75
"""Of the time that is left: a place that comes later leaves too little for the rest of the body."""


class Room:
    """Places for large bodies, given in the order in which they were asked for.

    A body takes its place once, for all that it may grow to, so that whoever has a place never waits for another:
    the bodies cannot lock each other out. Who waits too long is told that we are busy; the site is not to blame.
    """

    def __init__(self, room_bytes: int = ROOM_BYTES) -> None:
        self._room_bytes = room_bytes
        self.free_bytes = room_bytes
        self._queue: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, size: int, limit_s: float) -> int:
        """Wait for a place of this size; returns what to give back."""
        size = min(size, self._room_bytes)
        if not self._queue and size <= self.free_bytes:
            self.free_bytes -= size
            return size
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((size, turn))
        try:
            async with asyncio.timeout(limit_s):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                self.free_bytes += size
            self._admit()
            if isinstance(error, TimeoutError):
                raise Busy(
                    "Too many large pages are being downloaded at once.",
                    hint="Try again in a moment, or ask for fewer at once.",
                ) from error
            raise
        return size

    def give_back(self, size: int) -> None:
        """Leave a place to who waits."""
        self.free_bytes += size
        self._admit()

    def _admit(self) -> None:
        while self._queue:
            size, turn = self._queue[0]
            if not turn.done():
                if size > self.free_bytes:
                    return
                self.free_bytes -= size
                turn.set_result(None)
            self._queue.popleft()


class Place:
    """The place of one body, taken when it turns out to be large."""

    def __init__(self, room: Room | None, *, most_bytes: int, until: float) -> None:
        self._room = room
        self._most_bytes = most_bytes
        self._until = until
        self._taken: int | None = None

    async def hold(self, size: int) -> None:
        """Be allowed to hold this much, which may have to wait once."""
        if self._room is None or self._taken is not None or size <= SMALL_BYTES:
            return
        left_s = self._until - asyncio.get_running_loop().time()
        self._taken = await self._room.take(self._most_bytes, _SHARE * left_s)

    def leave(self) -> None:
        """Give the place back, if one was taken."""
        if self._room is not None and self._taken is not None:
            self._room.give_back(self._taken)
            self._taken = None
