"""Who may use a worker next: small pages first, and pages that take long wait among themselves."""

import asyncio
import heapq
import math
from itertools import count


class Lane:
    """At most `size` inside at once; of those who wait, the lightest goes first, then who came first.

    Whoever weighs more than `light` leaves the last free place to others, unless there is only one at all.
    """

    def __init__(self, size: int, *, light: float = math.inf) -> None:
        self._free = size
        self._light = light if size > 1 else math.inf
        self._numbers = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @property
    def is_crowded(self) -> bool:
        """Whether somebody waits."""
        return any(not turn.done() for *_, turn in self._waiting)

    def try_enter(self, weight: int = 0) -> bool:
        """Go in at once if there is room and nobody lighter waits."""
        if self._has_room(weight) and not (self._waiting and self._waiting[0][0] <= weight):
            self._free -= 1
            return True
        return False

    async def enter(self, weight: int) -> None:
        """Wait for room and go in."""
        if self.try_enter(weight):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (weight, next(self._numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Go out and let the next one in."""
        self._free += 1
        while self._waiting and self._has_room(self._waiting[0][0]):
            *_, turn = heapq.heappop(self._waiting)
            if not turn.done():
                self._free -= 1
                turn.set_result(None)

    def _has_room(self, weight: int) -> bool:
        return self._free > (weight > self._light)
