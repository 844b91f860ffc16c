"""uvicorn as we need it: its h11 parser behind bounded connections, signals are ours, and leaving drains.

h11 and not httptools: it is memory safe, keeps the body of a request that wishes to `Upgrade`, and bounds whatever is
incomplete (heads, chunk sizes with their extensions, trailers) by one number. docs/benchmarks.md has what that costs.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from socket import socket
from typing import Any, cast

import h11
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from gossamer.server.http import refusal
from gossamer.server.http.connection import CLOSE, CURRENT, HEAD_BYTES, SLICE_BYTES, Bounds, Connection, ConnectionLimit
from gossamer.server.http.refusal import Refusal

KEEP_ALIVE_S = 80
_BACKLOG = 2048
_FLUSH_S = 1.0
_LOOK_S = 0.02


class _Parser(H11Protocol):
    """uvicorn's h11 protocol, whose refusals look like all others of ours."""

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  uvicorn's shape
        """Refuse what is no HTTP; behind the beginning of an answer nothing can be said any more."""
        connection = CURRENT.get()
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            connection.refuse(refusal.no_http())
        else:
            connection.abort()


class Listener(uvicorn.Server):
    """Serves an ASGI app on open sockets until `should_exit`, then lets running requests end."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        on_listening: Callable[[], None],
        drain: Callable[[], Awaitable[None]],
        on_refuse: Callable[[Refusal], None],
        most_connections: int,
        bounds: Bounds = Bounds(),  # noqa: B008  frozen
    ) -> None:
        self._limit = ConnectionLimit(most_connections)

        def connect(**made: Any) -> Connection:
            return Connection(_Parser(**made), self._limit, bounds, on_refuse)

        config = uvicorn.Config(
            watched(app),
            http=cast("type[asyncio.Protocol]", connect),
            h11_max_incomplete_event_size=HEAD_BYTES + SLICE_BYTES,
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
        self._on_listening = on_listening
        self._drain = drain

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to the caller."""
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._on_listening()

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Accept no new connection, let running requests end, then close every connection."""
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
        while (self.server_state.connections or self._limit.has_unsent()) and loop.time() < flushed_by:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_S)
        self._limit.abort_all()
        await asyncio.sleep(0)  # the loop closes their sockets in its next turn


def watched(app: ASGIApp) -> ASGIApp:
    """Tell the connection of every request when it begins and ends; answers before the end of a body close it."""

    async def watch(scope: Scope, receive: Receive, send: Send) -> None:
        connection = CURRENT.get()
        is_body_pending = any(
            name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0"))
            for name, value in scope["headers"]
        )

        async def receive_on() -> Message:
            nonlocal is_body_pending
            message = await receive()
            if message["type"] == "http.request":
                connection.read_body(len(message["body"]))
                is_body_pending = is_body_pending and message["more_body"]
            return message

        async def send_on(message: Message) -> None:
            if is_body_pending and message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), CLOSE]
            await send(message)

        connection.begin_request()
        try:
            await app(scope, receive_on, send_on)
        finally:
            connection.end_request()

    return watch
