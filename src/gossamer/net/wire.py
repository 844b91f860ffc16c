"""One exchange over HTTP/1.1, within limits; what the library raises becomes ours here, by a table.

Imports the HTTP library, so it is loaded with the first request.
"""

import ssl
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, cast

import httpcore2

from gossamer.errors import BrokenReply, GossamerError, InvalidArgument, TimedOut, Unreachable
from gossamer.model.http import HttpReply
from gossamer.net.body import Body, Limits
from gossamer.net.dial import HEAD_BYTES, Dial, Judged, LimitedStream, PinnedBackend, dial_as_told
from gossamer.net.guard import Target
from gossamer.net.resolve import NoConnection
from gossamer.net.trust import trust

_MAX_HEADERS = 100
_CONNECTIONS = 256
_KEPT_CONNECTIONS = 32
_KEPT_S = 15.0
_DROPPED = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"})


def open_wire(judged: Judged, dial: Dial | None, ca_bundle: str | None) -> "Wire":
    """Connections to addresses that `judged` let through."""
    return Wire(PinnedBackend(judged, dial or dial_as_told), trust(ca_bundle))


class Wire:
    """Connections that are kept and shared; every one was dialled by the pinned backend."""

    def __init__(self, backend: PinnedBackend, trusted: ssl.SSLContext) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=trusted,
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_KEPT_CONNECTIONS,
            keepalive_expiry=_KEPT_S,
            network_backend=backend,
        )

    async def close(self) -> None:
        """Drop all connections."""
        await self._pool.aclose()

    async def exchange(
        self, target: Target, headers: Mapping[str, str], limits: Limits, *, method: str = "GET", body: bytes = b""
    ) -> HttpReply:
        """Send one request and read one reply; redirects are replies like others."""
        timeouts = {"connect": limits.connect_s, "read": limits.silence_s, "write": limits.silence_s}
        extensions: dict[str, Any] = {"timeout": timeouts}
        request = httpcore2.Request(
            method,
            httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path),
            headers=[(name.encode(), value.encode()) for name, value in headers.items()],
            content=body,
            extensions=extensions,
        )
        try:
            response = await self._open(request, extensions)
            try:
                return await _read(response, target, limits)
            finally:
                await response.aclose()
        except _LIBRARY_ERRORS as error:
            raise _ours(error, target, limits) from error

    async def _open(self, request: httpcore2.Request, extensions: dict[str, Any]) -> httpcore2.Response:
        """Ask once more when a kept connection had died in the meantime; a new one gets no second chance."""
        is_new = False

        async def watch(event: str, _info: object) -> None:
            nonlocal is_new
            is_new = is_new or event == "connection.connect_tcp.started"

        extensions["trace"] = watch
        try:
            return await self._pool.handle_async_request(request)
        except (httpcore2.RemoteProtocolError, httpcore2.ReadError):
            if is_new or request.method != b"GET":
                raise
        return await self._pool.handle_async_request(request)


async def _read(response: httpcore2.Response, target: Target, limits: Limits) -> HttpReply:
    stream = cast("Mapping[str, object]", response.extensions)["network_stream"]  # pyright: ignore[reportUnknownMemberType] - declared loosely there
    if response.status == 101 or response.status > 599:
        raise BrokenReply(f"{target.host} answered with status {response.status}, which no page has.", hint=_AGAIN)
    if isinstance(stream, LimitedStream):
        stream.end_head()
    head = response.headers
    if len(head) > _MAX_HEADERS or sum(len(name) + len(value) + 4 for name, value in head) > HEAD_BYTES:
        raise BrokenReply(f"{target.host} answered with too many or too large headers.", hint=_AGAIN)
    headers = _join(head)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    body = Body(limits, coding=headers.get("content-encoding", ""), content_type=kind)
    async with aclosing(response.aiter_stream()) as pieces:
        async for piece in pieces:
            body.add(piece)
            if body.is_cut:
                break
    return HttpReply(
        status=response.status,
        url=target.url,
        headers={name: value for name, value in headers.items() if name not in _DROPPED},
        body=body.finish(),
        is_cut=body.is_cut,
    )


def _join(head: list[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw_value in head:
        name = raw_name.decode("latin-1").lower()
        try:
            value = raw_value.decode("utf-8")
        except UnicodeDecodeError:
            value = raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


_AGAIN = "Try again later, or another address."
_LIBRARY_ERRORS = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.UnsupportedProtocol,
)


def _ours(error: Exception, target: Target, limits: Limits) -> GossamerError:
    host = target.host
    match error:
        case httpcore2.ConnectTimeout():
            return NoConnection(
                f"No connection to {host} within {limits.connect_s:g} s.",
                hint=limits.advice or "Try again later, or raise net.connect_timeout_s.",
            )
        case httpcore2.TimeoutException():
            return TimedOut(
                f"{host} was silent for {limits.silence_s:g} s.",
                hint=limits.advice or "Try again later, or raise net.silence_s.",
            )
        case httpcore2.ConnectError() if any(isinstance(reason, ssl.SSLError) for reason in error.args):
            return Unreachable(
                f"No safe connection to {host}: its certificate or encryption is not accepted.",
                hint="Check the host; for an authority of your own set net.ca_bundle.",
            )
        case httpcore2.ConnectError():
            return Unreachable(f"{host} does not accept a connection on port {target.port}.", hint=_AGAIN)
        case httpcore2.LocalProtocolError():
            return InvalidArgument("The request holds a header that cannot be sent.", hint="Check keys and settings.")
        case _:
            return BrokenReply(f"{host} broke off or did not speak HTTP properly.", hint=_AGAIN)
