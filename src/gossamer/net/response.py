"""Response as it comes in: its head by strict rules, its body within limits, and the memory that all bodies share.

The HTTP library forgives much: bare line feeds, folded lines, bytes that were left over from the reply before. What two
readers may understand differently is an error here, before the library sees it. A body is counted on the wire and
decompressed, and cut or refused at the limit; a large one waits for its place in memory, a small one never does.
"""

import asyncio
import math
import re
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from gossamer.errors import Busy, TooLarge
from gossamer.net.content_coding import decoder_for
from gossamer.resilience.deadline import MEMORY

MAX_HEAD_BYTES = 64 * 1024
MAX_HEAD_LINES = 100
MAX_HINTS = 8
"""Interim replies (1xx) before the real one; 101 is a real one, since no other follows it."""

_END = b"\r\n\r\n"
_UNCLEAR = re.compile(rb"(?<!\r)\n|\r[^\n]|\0|\r\n[ \t]")
_OLD = b"HTTP/1.0 "
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: .*)?")
_LENGTH = re.compile(rb"content-length:", re.IGNORECASE)
_CODING = re.compile(rb"transfer-encoding[ \t]*:", re.IGNORECASE)

ROOM_BYTES = 128 * 2**20
SMALL_BYTES = 2**18
STEP_BYTES = 2**20
"""What a body whose place has shrunk asks for at a time."""
REVIEW_S = 1.0
FAIR_BYTES_PER_S = 2**19
"""A body that comes more slowly than this while others wait does not fill the usual 10 MiB in the usual 20 s."""

Overflow = Literal["cut", "cut text", "refuse"]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""The statuses of replies that are followed, so that nobody reads their bodies."""
_BOMB_RATIO = 100
_TEXT = re.compile(
    r"text/.*|application/(?:json|xml|xhtml\+xml|javascript|ecmascript|x-javascript|x-ndjson|yaml|.*\+(?:json|xml))"
)
_UNSAID = frozenset({"", "application/octet-stream", "binary/octet-stream", "unknown/unknown"})


class BadHead(Exception):
    """A head that is not taken; the message completes the sentence "its head …"."""


class Head:
    """Takes the bytes of a connection until the head of the final reply is complete.

    The limits hold for all of it, interim replies included.
    """

    def __init__(self) -> None:
        self.status = 0
        """The final status; 0 as long as it has not come."""
        self.lines = 0
        """Header lines of the final reply; a repeated Content-Length, which is read as one, counts once."""
        self._lines_before = 0
        self._hints = 0
        self._bytes_before = 0
        self._data = bytearray()

    @property
    def is_complete(self) -> bool:
        """Whether what follows is the body."""
        return self.status != 0

    @property
    def is_begun(self) -> bool:
        """Whether anything came at all."""
        return bool(self._data) or self._bytes_before > 0

    def feed(self, data: bytes) -> int:
        """Take what was read; tells how many bytes of it lie behind the head."""
        seen = max(0, len(self._data) - len(_END) + 1)
        self._data += data
        while not self.is_complete:
            end = self._data.find(_END, seen)
            self._check(seen, len(self._data) if end < 0 else end + len(_END))
            if end < 0:
                return 0
            self._read(bytes(self._data[:end]))
            self._bytes_before += end + len(_END)
            del self._data[: end + len(_END)]
            seen = 0
        behind = len(self._data)
        self._data.clear()
        return behind

    def _check(self, start: int, end: int) -> None:
        if self._bytes_before + end > MAX_HEAD_BYTES:
            raise BadHead(f"is larger than {MAX_HEAD_BYTES // 1024} KiB")
        if _UNCLEAR.search(self._data, start, end):
            raise BadHead("has line ends or characters that no head may have")

    def _read(self, head: bytes) -> None:
        first, *lines = head.split(b"\r\n")
        status = _STATUS.fullmatch(first)
        if status is None:
            raise BadHead("does not begin with a status")
        if self._lines_before + len(lines) > MAX_HEAD_LINES:
            raise BadHead(f"has more than {MAX_HEAD_LINES} lines")
        if first.startswith(_OLD) and any(map(_CODING.match, lines)):
            raise BadHead("frames the reply in a way that HTTP/1.0 does not know")
        number = int(status[1])
        if 100 <= number < 200 and number != 101:
            self._hints += 1
            self._lines_before += len(lines)
            if self._hints > MAX_HINTS:
                raise BadHead(f"comes after more than {MAX_HINTS} interim replies")
            return
        lengths = sum(1 for line in lines if _LENGTH.match(line))
        self.lines = len(lines) - max(0, lengths - 1)
        self.status = number


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
        """Check once a second, while any body waits, what the holders make of their places."""
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
        """No one could be let in: as many give way as all that wait need."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyLimits:
    """How long and how much one exchange may take."""

    connect_s: float
    silence_s: float
    max_bytes: int
    overflow: Overflow
    min_bytes_per_s: float = 0.0
    """The average below which a body is given up after ten seconds."""
    advice: str = ""
    """What to do when a limit is met; empty: the setting that holds it is named."""
    room: Room | None = None
    """What the body shares with others that come in; None: it is bounded by itself alone."""
    until: float = math.inf
    """The loop's time at which the body must be there, so that it knows how long it can wait for room."""


class Body:
    """Takes a body piece by piece and never holds more than `max_bytes` of it.

    Over the limit a text is cut, since its beginning is worth reading, and anything else is refused; a body that
    swells to more than a hundred times what was sent is a bomb and refused whatever it calls itself.
    """

    def __init__(self, limits: ReplyLimits, *, coding: str = "", content_type: str = "") -> None:
        self._decoder = decoder_for(coding, max_between=limits.max_bytes)
        self._content_type = content_type
        self._max_bytes = limits.max_bytes
        self._overflow = limits.overflow
        self._advice = limits.advice or "Choose a smaller document, or raise net.max_bytes."
        self.wire_bytes = 0
        """What came over the wire so far, packed as it was."""
        self._data = bytearray()
        self.is_cut = False

    @property
    def held_bytes(self) -> int:
        """What lies in memory of it."""
        return len(self._data)

    def add(self, data: bytes) -> Iterator[None]:
        """Take a piece from the wire in small steps, between which others may run.

        Once `is_cut` is set, no more is wanted.
        """
        self.wire_bytes += len(data)
        for piece in self._decoder.feed(data):
            self._data += piece
            if len(self._data) > self._max_bytes:
                self._stop()
                return
            yield
        if self.wire_bytes > self._max_bytes:
            self._stop()

    def finish(self) -> bytes:
        """The whole body, or its beginning when it was cut."""
        if not self.is_cut:
            self._decoder.finish()
        return bytes(self._data)

    def drop(self) -> None:
        """Let go of what was held: an error on its way up keeps everything alive that it passed through."""
        self._data = bytearray()

    def _stop(self) -> None:
        size = f"{self._max_bytes / 2**20:.3g} MiB"
        if len(self._data) > _BOMB_RATIO * self._decoder.taken:
            raise TooLarge(f"The reply unpacks to over {size} from next to nothing.", hint="It is a bomb; leave it.")
        if self._overflow == "refuse" or (self._overflow == "cut text" and not self._is_text()):
            raise TooLarge(f"The reply is larger than {size}.", hint=self._advice)
        del self._data[self._max_bytes :]
        self.is_cut = True

    def _is_text(self) -> bool:
        if self._content_type in _UNSAID:
            return b"\0" not in self._data[:1024]
        return _TEXT.fullmatch(self._content_type) is not None
