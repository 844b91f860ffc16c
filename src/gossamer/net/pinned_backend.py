"""Pinned network backend: resolve, judge every address, dial a judged one (no DNS rebinding).

Imports the HTTP library, so it is loaded with the first request.
"""

import asyncio
import math
import ssl
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, cast

import httpcore2

from gossamer.net.response import BadHead, Head
from gossamer.resilience.deadline import NEXT_ADDRESS

Dial = Callable[[str, int], Awaitable[tuple[str, int]]]
Judged = Callable[[str, int], Awaitable[Sequence[str]]]

_HEAD_STEP = 16 * 1024
_TRIES = 4
RATE_AFTER_S = 10.0


async def dial_as_told(address: str, port: int) -> tuple[str, int]:
    """Connect to exactly the judged address."""
    return address, port


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """Connects a name only to addresses that were judged in the same step: there is no second look-up.

    TLS and the `Host` header are made above it, from the name.
    """

    def __init__(self, judged: Judged, dial: Dial) -> None:
        self._judged = judged
        self._dial = dial
        self._inner = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def prepare(self, host: str, port: int) -> None:
        """Look a name up and judge it before it takes a connection of the pool, which a hanging name would hold."""
        await self._judged(host, port)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Try up to four addresses in order; each but the last gets half of the time that is left."""
        addresses = (await self._judged(host, port))[:_TRIES]
        clock = asyncio.get_running_loop().time
        until = clock() + (timeout or 0.0)
        failed: httpcore2.ConnectError | httpcore2.ConnectTimeout = httpcore2.ConnectError("no address")
        for number, address in enumerate(addresses, 1):
            left = max(0.05, until - clock())
            share = None if timeout is None else left if number == len(addresses) else NEXT_ADDRESS * left
            try:
                real, real_port = await self._dial(address, port)
                stream = await self._inner.connect_tcp(real, real_port, share, local_address, socket_options)
                return LimitedStream(stream)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
            except OSError as error:
                failed = httpcore2.ConnectError(str(error))
        raise failed


class TooSlow(httpcore2.ReadTimeout):
    """A reply came so slowly that waiting for its end is in vain."""


class Malformed(httpcore2.RemoteProtocolError):
    """A head that we do not take; the message completes the sentence "its head …"."""


class LimitedStream(httpcore2.AsyncNetworkStream):
    """A connection that judges the head of each reply, and counts and times what it reads.

    The whole head has as long as the library would wait for one byte of it, so that a head that trickles in is
    silence too; a body that trickles in is left after ten seconds.
    """

    def __init__(
        self, stream: httpcore2.AsyncNetworkStream, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._monotonic = monotonic
        self._head = Head()
        self._head_until: float | None = None
        self._body_since = 0.0
        self._min_bytes_per_s = 0.0
        self.body_bytes = 0
        """What came behind the head, framing included."""

    @property
    def head(self) -> Head:
        """The head of the reply to the last request, as it was sent."""
        return self._head

    def expect(self, min_bytes_per_s: float) -> None:
        """The head is read; from now on the body must come at this rate."""
        self._min_bytes_per_s = min_bytes_per_s

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Read, as the library asks."""
        if not self._head.is_complete:
            return await self._read_head(min(max_bytes, _HEAD_STEP), timeout)
        self._check_rate()
        data = await self._stream.read(max_bytes, timeout)
        self.body_bytes += len(data)
        return data

    async def _read_head(self, max_bytes: int, limit_s: float | None) -> bytes:
        now = self._monotonic()
        if self._head_until is None:
            self._head_until = now + (limit_s if limit_s is not None else math.inf)
        left_s = max(0.0, self._head_until - now)
        try:
            data = await self._stream.read(max_bytes, None if left_s == math.inf else left_s)
            if not data and self._head.is_begun:
                raise Malformed("ends too early")
            self.body_bytes = self._head.feed(data)
        except httpcore2.ReadTimeout as error:
            if self._head.is_begun:
                raise TooSlow("the head came too slowly") from error
            raise
        except BadHead as error:
            raise Malformed(str(error)) from error
        if self._head.is_complete:
            self._body_since = self._monotonic()
        return data

    def _check_rate(self) -> None:
        """Asked before each read, so that a body that is complete is never too slow."""
        since_s = self._monotonic() - self._body_since
        if since_s > RATE_AFTER_S and self.body_bytes < self._min_bytes_per_s * since_s:
            raise TooSlow("the body came too slowly")

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Write; a new request means a new head."""
        self._head = Head()
        self._head_until = None
        self._min_bytes_per_s = 0.0
        self.body_bytes = 0
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore2.AsyncNetworkStream:
        """Go on in TLS, under the same limit."""
        stream = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        return LimitedStream(stream, monotonic=self._monotonic)

    def get_extra_info(self, info: str) -> Any:
        """Answer from the real stream."""
        return self._stream.get_extra_info(info)
