"""Memory budget of all response bodies together: a large one waits for its place, a small one never does."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gossamer.errors import Busy
from gossamer.resilience.deadline import MEMORY

ROOM_BYTES = 128 * 2**20
SMALL_BYTES = 2**18
STEP_BYTES = 2**20
"""What a body whose place has shrunk asks for at a time."""
REVIEW_S = 1.0
FAIR_BYTES_PER_S = 2**19
"""A body that comes more slowly than this while others wait does not fill the usual 10 MiB in the usual 20 s."""


@dataclass(eq=False, kw_only=True, slots=True)
class Holding:
    """What one body has of the room, and how it uses it."""

    end: Callable[[], None]
    """Makes its owner give up, at once."""
    taken: int = 0
    held: int = 0
    """What has really come."""
    held_before: int = 0
    """What had come at the last review."""
    reviewed_at: float = 0.0
    is_waiting: bool = False
    """Whether it could come on, if there were room."""


class Room:
    """Places for large bodies, given in the order in which they were asked for.

    A body takes its place once, for all that it may grow to, so that whoever keeps coming never waits for another:
    the bodies cannot lock each other out. What a body announces costs its site nothing, though, so while somebody
    waits, those that come slowly are left what has really come of them; where that is not enough, the slowest of them
    give way, those that are silent of themselves before those that wait for us. Who waits too long is told that we
    are busy; the site is not to blame.
    """

    def __init__(self, room_bytes: int = ROOM_BYTES) -> None:
        self._room_bytes = room_bytes
        self.free_bytes = room_bytes
        self._queue: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._holdings: dict[Holding, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def take(self, holding: Holding, size: int, limit_s: float) -> None:
        """Wait for so much more; who has a place already is served before those who have none."""
        size = min(size, self._room_bytes - holding.taken)
        if not self._queue and size <= self.free_bytes:
            self.free_bytes -= size
        else:
            holding.is_waiting = True
            try:
                await self._wait(size, limit_s, is_first=holding.taken > 0)
            finally:
                holding.is_waiting = False
        holding.taken += size
        if holding not in self._holdings:
            self._holdings[holding] = None
            holding.held_before = holding.held
            holding.reviewed_at = asyncio.get_running_loop().time()

    def give_back(self, holding: Holding) -> None:
        """Leave a place to who waits."""
        self._holdings.pop(holding, None)
        self.free_bytes += holding.taken
        holding.taken = 0
        self._admit()

    async def _wait(self, size: int, limit_s: float, *, is_first: bool) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._queue.appendleft if is_first else self._queue.append)((size, turn))
        self._review()
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

    def _admit(self) -> None:
        while self._queue:
            size, turn = self._queue[0]
            if not turn.done():
                if size > self.free_bytes:
                    return
                self.free_bytes -= size
                turn.set_result(None)
            self._queue.popleft()

    def _review(self) -> None:
        """Look, once a second while somebody waits, at what the holders make of their places."""
        if self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        waiting = len(self._queue)
        slow = self._slow(loop.time())
        for _, holding in slow:
            spare = max(0, holding.taken - max(holding.held, SMALL_BYTES))
            holding.taken -= spare
            self.free_bytes += spare
        self._admit()
        if len(self._queue) == waiting:
            self._end_slowest(slow)
        if self._queue:
            self._timer = loop.call_later(REVIEW_S, self._review_again)

    def _end_slowest(self, slow: list[tuple[float, Holding]]) -> None:
        """Nobody could be let in: as many give way as all who wait have need of."""
        wanted = sum(size for size, turn in self._queue if not turn.done()) - self.free_bytes
        for _, slowest in sorted(slow, key=lambda known: (known[1].is_waiting, known[0])):
            if wanted <= 0:
                break
            wanted -= slowest.taken
            del self._holdings[slowest]
            slowest.end()

    def _review_again(self) -> None:
        self._timer = None
        self._admit()
        if self._queue:
            self._review()

    def _slow(self, now: float) -> list[tuple[float, Holding]]:
        """Those that came too slowly since they were last looked at, with their pace; new ones are left alone."""
        slow: list[tuple[float, Holding]] = []
        for holding in self._holdings:
            since_s = now - holding.reviewed_at
            if since_s < REVIEW_S:
                continue
            pace = (holding.held - holding.held_before) / since_s
            holding.held_before, holding.reviewed_at = holding.held, now
            if pace < FAIR_BYTES_PER_S:
                slow.append((pace, holding))
        return slow


class Place:
    """The place of one body, taken when it turns out to be large."""

    def __init__(self, room: Room, holding: Holding, *, most_bytes: int, until: float) -> None:
        self._room = room
        self._holding = holding
        self._most_bytes = most_bytes
        self._until = until

    async def hold(self, size: int) -> None:
        """Be allowed to hold this much, which may have to wait."""
        holding = self._holding
        holding.held = size
        if size <= max(SMALL_BYTES, holding.taken):
            return
        wanted = self._most_bytes if not holding.taken else min(size + STEP_BYTES, self._most_bytes)
        left_s = self._until - asyncio.get_running_loop().time()
        await self._room.take(holding, max(size, wanted) - holding.taken, MEMORY * left_s)


@asynccontextmanager
async def place_in(room: Room, *, most_bytes: int, until: float) -> AsyncGenerator[Place]:
    """A place for a body of at most this size, given back at the end; one that gives way to others ends as Busy."""
    lifetime = asyncio.timeout(None)
    holding = Holding(end=lambda: lifetime.reschedule(0.0))
    try:
        async with lifetime:
            yield Place(room, holding, most_bytes=most_bytes, until=until)
    except TimeoutError as error:
        if not lifetime.expired():
            raise
        raise Busy(
            "The page came so slowly that it gave way to other large ones.",
            hint="Try again in a moment, or ask for fewer at once.",
        ) from error
    finally:
        room.give_back(holding)
