"""One HTTP connection within bounds: slow heads (slowloris), endless bodies, unread answers, and a lingering close.

`Connection` stands between the socket and uvicorn's h11 protocol. It passes every byte on as it came and
parses none: it counts bytes and time, hands at most `SLICE_BYTES` to the parser in one turn of the event loop, and
learns from the ASGI application (`watched` in listen.py) when a head was complete and when a request was answered.

An answer that leaves before the whole body of its request has arrived ends the connection, so that nothing of the body
can be read as a request. The rest of that body is read and dropped for a moment (lingering close): a socket that is
closed with unread bytes sends a reset, which may destroy the answer on its way.
"""

import asyncio
from asyncio.events import TimerHandle
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gossamer.server.http import refusal
from gossamer.server.http.refusal import Refusal, json_headers

HEAD_BYTES = 65_536
SLICE_BYTES = 8_192
_LINGER_BYTES = 16 * 1_048_576

CLOSE = (b"connection", b"close")
CURRENT: ContextVar["Connection"] = ContextVar("connection")
"""The connection that parser and application work for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """What one connection may take before it ends."""

    head_timeout_s: float = 20.0
    """From the opening of a connection, or the first byte of a later head, to the end of that head.

    A head whose first bytes come behind another request has its time from when that request is answered.
    """
    unread_timeout_s: float = 30.0
    """How long a client may leave an answer unread."""
    linger_s: float = 2.0
    framing_bytes: int = 262_144
    """What one request may take behind its head beside its body: chunk sizes, chunk extensions and trailers.

    What of the body the application has not read yet counts too; the parser holds less than a third of this.
    """


class Limited(Protocol):
    """What a limit needs of a connection."""

    def abort(self) -> None:
        """End at once."""
        ...

    def has_unsent(self) -> bool:
        """Whether a part of an answer waits for the client."""
        ...


class ConnectionLimit:
    """The connections of a listener: how many there may be, and which of them have no request."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._all: set[Limited] = set()
        self._resting: dict[Limited, None] = {}

    def enter(self, connection: Limited) -> None:
        """Take a connection in; when it is one too many, the one that rests longest ends, which may be itself."""
        self._all.add(connection)
        self.rest(connection)
        if len(self._all) > self._most:
            oldest = next(iter(self._resting))
            self.leave(oldest)
            oldest.abort()

    def rest(self, connection: Limited) -> None:
        """Note that a connection waits for a head, or for its end."""
        if connection in self._all:
            self._resting[connection] = None

    def wake(self, connection: Limited) -> None:
        """Note that a connection has a request."""
        self._resting.pop(connection, None)

    def has_unsent(self) -> bool:
        """Whether a part of an answer waits for its client."""
        return any(connection.has_unsent() for connection in self._all)

    def abort_all(self) -> None:
        """End every connection at once, also those that linger."""
        for connection in list(self._all):
            connection.abort()

    def leave(self, connection: Limited) -> None:
        """Forget a connection."""
        self._all.discard(connection)
        self._resting.pop(connection, None)


class Connection(asyncio.Protocol):
    """Forwards between a socket and a parser, for which it plays the transport."""

    def __init__(
        self, parser: H11Protocol, limit: ConnectionLimit, bounds: Bounds, on_refuse: Callable[[Refusal], None]
    ) -> None:
        self._parser = parser
        self._inner: asyncio.Protocol = parser
        self._limit = limit
        self._bounds = bounds
        self._on_refuse = on_refuse
        self._context = copy_context()
        self._context.run(CURRENT.set, self)
        self._loop = asyncio.get_running_loop()
        self._backlog = bytearray()
        self._is_turn_over = True
        """The parser may have its next share."""
        self._is_held = False
        """Nothing is read from the socket."""
        self._is_paused = False
        """The HTTP protocol wants no more bytes for now."""
        self._has_ended = False
        """The HTTP protocol is done with this connection."""
        self._running = 0
        """Requests whose application runs: a pipelined one may begin before the one before it has returned."""
        self._taken = 0
        """Bytes handed on since the last request began, or ended, without those that its application has read."""
        self._has_written = False
        """Something of an answer to the present request is out."""
        self._timers: dict[str, TimerHandle] = {}

    # The socket's side

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first head its time, and the connection its room."""
        self._socket = transport
        self._inner.connection_made(_Transport(self, transport))
        self._start_timer("head", self._bounds.head_timeout_s, self.abort)
        self._limit.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of timers, room and parser."""
        for name in [*self._timers]:
            self._stop_timer(name)
        self._limit.leave(self)
        self._backlog.clear()
        self._end_inner(exc)

    def data_received(self, data: bytes) -> None:
        """Queue what came and hand on what fits into this turn; what comes after the end is dropped."""
        if self._has_ended:
            self._taken += len(data)
            if self._taken > _LINGER_BYTES:
                self._socket.abort()
            return
        if not self._backlog and self._may_hand_on() and len(data) <= SLICE_BYTES:
            self._parse(data)
        else:
            self._backlog += data
            self._hand_on()

    def pause_writing(self) -> None:
        """The client does not read: it has a while to begin again, since its request stays in flight meanwhile."""
        self._inner.pause_writing()
        self._start_timer("unread", self._bounds.unread_timeout_s, self._socket.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._stop_timer("unread")
        self._inner.resume_writing()

    # The application's side

    def begin_request(self) -> None:
        """A head is complete."""
        self._running += 1
        self._taken = 0
        self._has_written = False
        self._stop_timer("head")
        self._limit.wake(self)
        self._loop.call_soon(self._hand_on)

    def read_body(self, count: int) -> None:
        """The application has read so many bytes of a body."""
        self._taken -= count

    def end_request(self) -> None:
        """A request is answered, or given up; the head behind it may have begun to arrive."""
        self._running -= 1
        self._loop.call_soon(self._hand_on)
        if not self._running:
            self._taken = len(self._parser.conn.trailing_data[0])
            self._limit.rest(self)
            self._time_head()

    # The side of the HTTP protocol, through `_Transport`

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send a part of an answer."""
        if not self._has_ended:
            self._has_written = True
            self._socket.write(data)

    def pause_reading(self) -> None:
        """Hand nothing on until the HTTP protocol wants more."""
        self._is_paused = True

    def resume_reading(self) -> None:
        """Hand on again, once the HTTP protocol is through with what made it ask."""
        self._is_paused = False
        self._loop.call_soon(self._hand_on)

    def refuse(self, refused: Refusal) -> None:
        """Answer before the application sees anything, or instead of it, and close."""
        if self.is_closing():
            return
        self._on_refuse(refused)
        headers = [*json_headers(refused.body, *refused.headers), CLOSE]
        lines = [
            f"HTTP/1.1 {refused.status} {HTTPStatus(refused.status).phrase}".encode("ascii"),
            *(name + b": " + value for name, value in headers),
        ]
        self._socket.write(b"\r\n".join([*lines, b"", refused.body]))
        self.close()

    def is_closing(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._has_ended or self._socket.is_closing()

    def close(self) -> None:
        """Send what is written, then linger: no byte that arrives from now on reaches the parser."""
        if self._has_ended:
            return
        self._has_ended = True
        self._taken = 0
        self._backlog.clear()
        self._loop.call_soon(self._end_inner, None)
        self._limit.rest(self)
        self._stop_timer("head")
        if not self._socket.is_closing():
            self._socket.write_eof()
            self._hold_socket(is_held=False)
            self._start_timer("linger", self._bounds.linger_s, self._shut)

    def has_unsent(self) -> bool:
        """Whether a part of an answer waits for the client."""
        return self._socket.get_write_buffer_size() > 0

    def abort(self) -> None:
        """End the connection at once."""
        self._has_ended = True
        self._socket.abort()

    # Handing on

    def _may_hand_on(self) -> bool:
        return self._is_turn_over and not self._is_paused and not self._has_ended and not self._is_ahead()

    def _is_ahead(self) -> bool:
        """Whether the parser holds much of the requests behind a whole one, for whose client's leaving it reads on."""
        parser = self._parser.conn
        is_whole = parser.their_state not in {h11.IDLE, h11.SEND_BODY}
        return is_whole and len(parser.trailing_data[0]) >= HEAD_BYTES

    def _hand_on(self) -> None:
        """Give the parser its share of this turn; the rest waits in the backlog, and the socket with it."""
        if self._backlog and self._may_hand_on():
            piece = bytes(memoryview(self._backlog)[:SLICE_BYTES])
            del self._backlog[:SLICE_BYTES]
            self._parse(piece)
        if not self._has_ended:
            self._hold_socket(is_held=bool(self._backlog))  # an empty backlog reads on, to hear when the client leaves

    def _parse(self, piece: bytes) -> None:
        if self._is_too_much():
            return
        self._taken += len(piece)
        self._is_turn_over = False
        self._context.run(self._inner.data_received, piece)
        self._loop.call_soon(self._next_turn)  # behind the task that the parser may have begun

    def _next_turn(self) -> None:
        """Put a head that is still incomplete on the clock, then go on."""
        self._is_turn_over = True
        self._time_head()
        self._hand_on()

    def _time_head(self) -> None:
        if self._taken and not self._running and not self._has_ended and "head" not in self._timers:
            self._start_timer("head", self._bounds.head_timeout_s, self.abort)

    def _hold_socket(self, *, is_held: bool) -> None:
        if is_held != self._is_held and not self._socket.is_closing():
            self._is_held = is_held
            if is_held:
                self._socket.pause_reading()
            else:
                self._socket.resume_reading()

    def _is_too_much(self) -> bool:
        """Refuse a head or a body that takes more bytes than it may; a request is never answered twice."""
        if not self._running and self._taken >= HEAD_BYTES:
            self.refuse(refusal.large_head(HEAD_BYTES))
        elif self._running and self._taken >= self._bounds.framing_bytes:
            if self._has_written:
                self.abort()
            else:
                self.refuse(refusal.large_framing(self._bounds.framing_bytes))
        else:
            return False
        return True

    # Ending

    def _end_inner(self, exc: Exception | None) -> None:
        """Tell the HTTP protocol once that its connection is gone."""
        inner, self._inner = self._inner, _GONE
        self._has_ended = True
        inner.connection_lost(exc)

    def _shut(self) -> None:
        """The linger is over: what is still unsent has a last while to leave."""
        if not self._socket.is_closing():
            self._start_timer("last", self._bounds.unread_timeout_s, self._socket.abort)
            self._socket.close()

    def _start_timer(self, name: str, seconds: float, then: Callable[[], None]) -> None:
        self._stop_timer(name)
        self._timers[name] = self._loop.call_later(seconds, then)

    def _stop_timer(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()


_GONE = asyncio.Protocol()
"""Stands in for an HTTP protocol whose connection has ended."""


class _Transport(asyncio.Transport):
    """The transport as an HTTP protocol sees it: reading and closing are the connection's affair."""

    def __init__(self, connection: Connection, socket: asyncio.Transport) -> None:
        super().__init__()
        self.get_extra_info = socket.get_extra_info
        self.write = connection.write
        self.pause_reading = connection.pause_reading
        self.resume_reading = connection.resume_reading
        self.is_closing = connection.is_closing
        self.close = connection.close
        self.abort = connection.abort
