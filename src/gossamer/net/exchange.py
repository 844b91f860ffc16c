"""One exchange over HTTP/1.1, within limits; what the library raises becomes ours here, by a table.

Imports the HTTP library, so it is loaded with the first request.
"""

import asyncio
import logging
import ssl
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

import httpcore2

from gossamer.errors import BadSettings, BrokenReply, Busy, GossamerError, InvalidArgument, TimedOut, Unreachable
from gossamer.model.http import HttpReply
from gossamer.net.guard import Target
from gossamer.net.pinned_backend import Dial, Judged, LimitedStream, Malformed, PinnedBackend, TooSlow, dial_as_told
from gossamer.net.proxy import Proxy
from gossamer.net.resolve import NoConnection
from gossamer.net.response import REDIRECTS, Body, Place, ReplyLimits, Room, place_in
from gossamer.resilience.retry import Dropped

logging.getLogger("httpcore2").setLevel(logging.INFO)  # below that it tells the headers of replies
_CONNECTIONS = 512
_KEPT_CONNECTIONS = 32
_KEPT_S = 15.0
_FRAMING_BYTES = 2**18
_TURN_S = 0.005
_PARTIAL = 206
"""An answer to a request for a part, which we never make."""
_WANTS_PASSWORD = 407
_REDIRECT_BYTES = 2**16
"""Nobody reads the body of a redirect; so much of it is taken that an ordinary connection can be used again."""
_DROPPED = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"})


def open_wire(judged: Judged, dial: Dial | None, ca_bundle: str | None, proxy: Proxy | None = None) -> "Wire":
    """Connections to addresses that `judged` let through, or through a proxy, which is then all that is dialled."""
    return Wire(PinnedBackend(judged, dial or dial_as_told), trust(ca_bundle), proxy)


def trust(ca_bundle: str | None) -> ssl.SSLContext:
    """A file of authorities when one is set, else the operating system's own store."""
    if ca_bundle is None:
        return httpcore2.default_ssl_context()
    try:
        return ssl.create_default_context(cafile=ca_bundle)
    except (OSError, ssl.SSLError) as error:
        raise BadSettings(
            "The file of net.ca_bundle cannot be read as certificates.",
            hint="Point net.ca_bundle at a readable PEM file, or remove the setting.",
        ) from error


class Wire:
    """Connections that are kept and shared; every one was dialled by the pinned backend."""

    def __init__(
        self,
        backend: PinnedBackend,
        trusted: ssl.SSLContext,
        proxy: Proxy | None = None,
        *,
        connections: int = _CONNECTIONS,
    ) -> None:
        self._backend = backend
        self._proxy = proxy
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=trusted,
            max_connections=connections,
            max_keepalive_connections=_KEPT_CONNECTIONS,
            keepalive_expiry=_KEPT_S,
            network_backend=backend,
            proxy=None if proxy is None else _described(proxy, trusted),
        )

    async def close(self) -> None:
        """Drop all connections."""
        await self._pool.aclose()

    async def exchange(
        self, target: Target, headers: Mapping[str, str], limits: ReplyLimits, *, method: str = "GET", body: bytes = b""
    ) -> HttpReply:
        """Send one request and read one reply; redirects are replies like others."""
        if self._proxy is None:
            await self._backend.prepare(target.host, target.port)
        connect_s, silence_s = limits.connect_s, limits.silence_s
        timeouts = {"connect": connect_s, "read": silence_s, "write": silence_s, "pool": connect_s}
        extensions: dict[str, Any] = {"timeout": timeouts}
        request = httpcore2.Request(
            method,
            httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path),
            headers=[(name.encode(), value.encode()) for name, value in headers.items()],
            content=body,
            extensions=extensions,
        )
        is_begun = False
        try:
            response = await self._open(request, extensions)
            is_begun = True
            try:
                if self._proxy and target.scheme == "http" and response.status == _WANTS_PASSWORD:
                    raise _kept_back(str(_WANTS_PASSWORD), target, self._proxy)
                return await _read(response, target, limits)
            finally:
                await response.aclose()
        except httpcore2.LocalProtocolError:
            # What the library says holds the header, which may be a key: it goes no further.
            raise InvalidArgument(
                "The request holds a header that cannot be sent.", hint="Check keys and settings."
            ) from None
        except httpcore2.ProxyError as error:
            raise _kept_back(str(error), target, self._proxy) from error
        except _LIBRARY_ERRORS as error:
            if self._proxy and isinstance(error, httpcore2.ConnectError) and not _is_about_tls(error):
                raise Unreachable(
                    "The proxy does not accept a connection.", hint=f"See {self._proxy.setting}, and what runs there."
                ) from error
            raise _ours(error, target, limits, is_begun=is_begun) from error

    async def _open(self, request: httpcore2.Request, extensions: dict[str, Any]) -> httpcore2.Response:
        """Ask once more when a kept connection was dead or held bytes of its own; a new one gets no second chance."""
        is_new = False

        async def watch(event: str, _info: object) -> None:
            nonlocal is_new
            is_new = is_new or event == "connection.connect_tcp.started"

        extensions["trace"] = watch
        try:
            return await self._ask(request)
        except (httpcore2.RemoteProtocolError, httpcore2.ReadError):
            if is_new or request.method != b"GET":
                raise
        return await self._ask(request)

    async def _ask(self, request: httpcore2.Request) -> httpcore2.Response:
        """Ask, and make sure that what answers is this reply: bytes behind the reply before could pass for it."""
        response = await self._pool.handle_async_request(request)
        stream = _stream(response)
        if stream is not None and (stream.head.status, stream.head.lines) != (response.status, len(response.headers)):
            await response.aclose()
            raise Malformed("does not match the reply")
        return response


def _described(proxy: Proxy, trusted: ssl.SSLContext) -> httpcore2.Proxy:
    auth = (proxy.auth[0].encode(), proxy.auth[1].encode()) if proxy.auth else None
    return httpcore2.Proxy(proxy.url, auth=auth, ssl_context=trusted if proxy.scheme == "https" else None)


def _stream(response: httpcore2.Response) -> LimitedStream | None:
    stream = cast("Mapping[str, object]", response.extensions)["network_stream"]  # pyright: ignore[reportUnknownMemberType] - declared loosely there
    return stream if isinstance(stream, LimitedStream) else None


async def _read(response: httpcore2.Response, target: Target, limits: ReplyLimits) -> HttpReply:
    stream = _stream(response)
    if stream is None or response.status > 599:
        raise BrokenReply(f"{target.host} answered with status {response.status}, which no page has.", hint=_AGAIN)
    headers = _join(response.headers)
    if "content-length" in headers and "transfer-encoding" in headers:
        raise BrokenReply(f"{target.host} says in two ways how long its reply is.", hint=_AGAIN)
    if response.status == _PARTIAL:
        raise BrokenReply(f"{target.host} answered with a part of what was asked for ({_PARTIAL}).", hint=_AGAIN)
    if response.status in REDIRECTS:
        limits = replace(limits, max_bytes=min(limits.max_bytes, _REDIRECT_BYTES), overflow="cut")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    body = Body(limits, coding=headers.get("content-encoding", ""), content_type=kind)
    stream.expect(limits.min_bytes_per_s)
    room, most_bytes = limits.room or Room(), _most_bytes(headers, limits)
    try:
        async with place_in(room, most_bytes=most_bytes, until=limits.until) as place:
            await _fill(body, place, response, stream, target)
            return HttpReply(
                status=response.status,
                url=target.url,
                headers={name: value for name, value in headers.items() if name not in _DROPPED},
                body=body.finish(),
                is_cut=body.is_cut,
            )
    finally:
        body.drop()


def _most_bytes(headers: Mapping[str, str], limits: ReplyLimits) -> int:
    """What the body can grow to: its own word counts where the library holds it to it."""
    length = headers.get("content-length", "")
    if length.isdecimal() and len(length) < 20 and "content-encoding" not in headers:
        return min(int(length), limits.max_bytes)
    return limits.max_bytes


async def _fill(body: Body, place: Place, response: httpcore2.Response, stream: LimitedStream, target: Target) -> None:
    """Read the body, letting others run every 5 ms: pieces that are there already come without any waiting."""
    clock = asyncio.get_running_loop().time
    since = clock()
    async with aclosing(response.aiter_stream()) as pieces:
        async for piece in pieces:
            for _ in body.add(piece):
                await place.hold(body.held_bytes)
                if clock() - since > _TURN_S:
                    await asyncio.sleep(0)
                    since = clock()
            if body.is_cut:
                return
            if stream.body_bytes - body.wire_bytes > _FRAMING_BYTES + body.wire_bytes // 4:
                raise BrokenReply(f"{target.host} sends more framing than content.", hint=_AGAIN)


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
    ssl.SSLError,
)


def _kept_back(said: str, target: Target, proxy: Proxy | None) -> Unreachable:
    """What the proxy itself answered, which is nothing that the site said: its status alone, none of its words."""
    setting = proxy.setting if proxy else "net.proxy"
    status = said[:3] if said[:3].isdecimal() and said.isascii() else "none"
    if status == str(_WANTS_PASSWORD):
        return Unreachable(
            f"The proxy wants a name and a password that it knows before it connects us to {target.host} (status 407).",
            hint=f"Set {setting} like http://name:password@proxy.example.com:3128.",
        )
    if status in {"502", "503", "504"}:
        return Unreachable(
            f"The proxy could not reach {target.host} (status {status}).",
            hint=f"Try again later; if other sites fail too, see {setting}.",
        )
    return Unreachable(
        f"The proxy refused to connect us to {target.host} (status {status}).",
        hint=f"Ask who runs the proxy, or see {setting} and net.no_proxy.",
    )


def _is_about_tls(error: Exception) -> bool:
    return any(isinstance(reason, ssl.SSLError) for reason in error.args)


def _ours(error: Exception, target: Target, limits: ReplyLimits, *, is_begun: bool) -> GossamerError:
    host = target.host
    match error:
        case httpcore2.PoolTimeout():
            return Busy(
                f"{host} was not asked: we are asking too many sites at once.",
                hint="Try again in a moment, or ask for fewer pages at once.",
            )
        case httpcore2.ConnectTimeout():
            return NoConnection(
                f"No connection to {host} within {limits.connect_s:g} s.",
                hint=limits.advice or "Try again later, or raise net.connect_timeout_s.",
            )
        case TooSlow():
            return TimedOut(f"{host} sends its reply too slowly to wait for the end.", hint=limits.advice or _AGAIN)
        case httpcore2.TimeoutException():
            return TimedOut(
                f"{host} was silent for {limits.silence_s:g} s.",
                hint=limits.advice or "Try again later, or raise net.silence_s.",
            )
        case httpcore2.ConnectError() if _is_about_tls(error):
            return Unreachable(
                f"No safe connection to {host}: its certificate or encryption is not accepted.",
                hint="Check the host; for an authority of your own set net.ca_bundle.",
            )
        case httpcore2.ConnectError():
            return Unreachable(f"{host} does not accept a connection on port {target.port}.", hint=_AGAIN)
        case Malformed():
            return BrokenReply(f"{host} does not speak HTTP properly: the head of its reply {error}.", hint=_AGAIN)
        case httpcore2.RemoteProtocolError() if "without sending" not in str(error):
            return BrokenReply(f"{host} does not speak HTTP properly.", hint=_AGAIN)
        case _:
            kind = BrokenReply if is_begun else Dropped
            return kind(f"{host} broke off before its reply was complete.", hint=_AGAIN)
