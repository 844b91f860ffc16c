"""uvicorn as we need it: heads are bounded in time and size, signals are ours, and leaving drains.

Between two requests a connection may rest for `KEEP_ALIVE_S`. From its first byte a head has `head_timeout_s` to be
complete, and so has a connection that has just been opened. A client that reads nothing of a long answer is cut off.
When there are too many connections, the one that has waited longest for a request makes room for the next.
"""

import asyncio
import re
from asyncio.events import TimerHandle
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from socket import socket
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

KEEP_ALIVE_S = 80
HEAD_TIMEOUT_S = 20.0
UNREAD_TIMEOUT_S = 30.0
_HEAD_BYTES = 65_536
_HEAD_LINES = 100
_UPGRADE = re.compile(rb"\r\nupgrade[ \t]*:", re.IGNORECASE)
_BACKLOG = 2048
_FLUSH_S = 1.0
_LOOK_S = 0.02


class _HeadTooLarge(Exception):
    """More of a head than we read."""


class Room(ServerState):
    """The connections of a listener: how many there may be, and which of them have no request."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._resting: dict[BoundedProtocol, None] = {}

    def enter(self, one: "BoundedProtocol") -> None:
        """A connection is there: when it is one too many, the one that rests longest ends, which may be itself."""
        self.rest(one)
        if len(self.connections) > self._most:
            oldest = next(iter(self._resting))
            self.wake(oldest)
            oldest.transport.abort()

    def rest(self, one: "BoundedProtocol") -> None:
        """A connection waits for a head, its first or the next."""
        self._resting[one] = None

    def wake(self, one: "BoundedProtocol") -> None:
        """A connection has a request, or is gone."""
        self._resting.pop(one, None)


class BoundedProtocol(HttpToolsProtocol):
    """One connection; it ends when a head takes too long, or is too large (431)."""

    head_timeout_s = HEAD_TIMEOUT_S
    unread_timeout_s = UNREAD_TIMEOUT_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first head its time, and the connection its room."""
        self._room = cast("Room", self.server_state)
        self._is_in_head = False
        self._unread_bytes = 0
        self._is_too_large = False
        self._timer: TimerHandle | None = None
        self._unsent: TimerHandle | None = None
        super().connection_made(transport)
        self._arm()
        self._room.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the timers and the room."""
        self._disarm()
        self._room.wake(self)
        self._is_read_again()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; whoever leaves a head unfinished, or sends where nothing is awaited, is on the clock."""
        was_in_head = self._is_in_head
        if not was_in_head and (not self.cycle or self.cycle.response_complete):
            data = _without_upgrade(data)
        super().data_received(data)
        if self._is_in_head:
            # What came before the head in its first piece is not its own, so that piece is left out.
            self._unread_bytes = self._unread_bytes + len(data) if was_in_head else 0
            if self._unread_bytes > _HEAD_BYTES:
                self._refuse_head()
            self._arm()
        elif not self.cycle or self.cycle.response_complete:
            self._arm()
        elif len(self.headers) > _HEAD_LINES:  # a trailer, which is read like a head
            self._refuse_head()

    def pause_writing(self) -> None:
        """The client does not read: it has a while to begin again, since its request stays in flight meanwhile."""
        super().pause_writing()
        self._unsent = self.loop.call_later(self.unread_timeout_s, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._is_read_again()
        super().resume_writing()

    def on_message_begin(self) -> None:
        """A head begins."""
        self._is_in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is there: the clock stops."""
        self._is_in_head = False
        self._disarm()
        self._room.wake(self)
        size = len(self.url)
        for at, (name, value) in enumerate(self.headers):
            size += len(name) + len(value)
            if value.endswith((b" ", b"\t")):  # the parser leaves them, and they are no part of a value
                self.headers[at] = (name, value.rstrip(b" \t"))
        if size > _HEAD_BYTES or len(self.headers) > _HEAD_LINES:
            self._is_too_large = True
            raise _HeadTooLarge
        super().on_headers_complete()
        self.headers = []  # the request has its own; what comes behind the body is no header of it

    def on_response_complete(self) -> None:
        """The answer is out: unless the next request is here already, the connection rests."""
        if not self.pipeline and not self.transport.is_closing():
            self._room.rest(self)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP (400), or too much of it (431), and close."""
        if self.transport.is_closing():
            return
        if not self._is_too_large:
            super().send_400_response(msg)
            return
        text = b"The head of the request is too large: send fewer or shorter headers."
        head = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain\r\nconnection: close\r\n"
        self.transport.write(b"%scontent-length: %d\r\n\r\n%s" % (head, len(text), text))
        self.transport.close()

    def _refuse_head(self) -> None:
        self._is_too_large = True
        self.send_400_response("")

    def _arm(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.head_timeout_s, self._give_up)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _is_read_again(self) -> None:
        if self._unsent is not None:
            self._unsent.cancel()
            self._unsent = None

    def _give_up(self) -> None:
        self._timer = None
        self.transport.close()


def _without_upgrade(data: bytes) -> bytes:
    """A head whose wish for another protocol is not heard, as a server may; the parser would drop the body for it."""
    head, end, rest = data.partition(b"\r\n\r\n")
    return _UPGRADE.sub(b"\r\nx-upgrade:", head) + end + rest if end and _UPGRADE.search(head) else data


class Listener(uvicorn.Server):
    """Serves an ASGI app on open sockets until `should_exit`, then lets running requests end."""

    def __init__(
        self,
        app: Callable[..., Awaitable[None]],
        *,
        on_listening: Callable[[], None],
        drain: Callable[[], Awaitable[None]],
        most_connections: int,
        protocol: type[BoundedProtocol] = BoundedProtocol,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            backlog=_BACKLOG,
        )
        super().__init__(config)
        self.server_state = Room(most_connections)
        self._on_listening = on_listening
        self._drain = drain

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to whoever runs us."""
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._on_listening()

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Accept nobody any more, let running requests end, then close every connection."""
        for server in self.servers:
            server.close()
        for one in sockets or []:
            one.close()
        await self._drain()
        for connection in list[Any](self.server_state.connections):
            connection.shutdown()
        for task in list(self.server_state.tasks):
            task.cancel()
        loop = asyncio.get_running_loop()
        flushed_by = loop.time() + _FLUSH_S
        while self.server_state.connections and loop.time() < flushed_by:  # noqa: ASYNC110  uvicorn tells nobody
            await asyncio.sleep(_LOOK_S)
