"""The one place where connections are made: resolve, judge every address, dial a judged one.

Imports the HTTP library, so it is loaded with the first request.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, cast

import httpcore2

Dial = Callable[[str, int], Awaitable[tuple[str, int]]]
Judged = Callable[[str, int], Awaitable[Sequence[str]]]

HEAD_BYTES = 64 * 1024
_HEAD_STEP = 16 * 1024
_TRIES = 4


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
            share = None if timeout is None else left if number == len(addresses) else left / 2
            try:
                real, real_port = await self._dial(address, port)
                stream = await self._inner.connect_tcp(real, real_port, share, local_address, socket_options)
                return LimitedStream(stream)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
            except OSError as error:
                failed = httpcore2.ConnectError(str(error))
        raise failed


class LimitedStream(httpcore2.AsyncNetworkStream):
    """A connection that reads at most 64 KiB of head per request: endless headers and 1xx floods end there."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._head_left: int | None = HEAD_BYTES

    def end_head(self) -> None:
        """The head is complete; what follows is the body, which is counted elsewhere."""
        self._head_left = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Read, as the library asks."""
        if self._head_left is None:
            return await self._stream.read(max_bytes, timeout)
        if self._head_left <= 0:
            raise httpcore2.RemoteProtocolError("the head is larger than we read")
        data = await self._stream.read(min(max_bytes, _HEAD_STEP), timeout)
        self._head_left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Write; a new request means a new head."""
        self._head_left = HEAD_BYTES
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
        return LimitedStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """Answer from the real stream."""
        return self._stream.get_extra_info(info)
