"""HTTP responses on their way out: counted, with CORS headers where a page may see them."""

from collections.abc import Callable, Mapping

from starlette.types import Message, Send

from gossamer.server.http.metrics import Metrics
from gossamer.server.http.refusal import Refusal, json_headers

Heads = Mapping[bytes, bytes]

_MAY_SEND = frozenset(
    {b"accept", b"authorization", b"content-type", b"mcp-protocol-version", b"mcp-method", b"mcp-name"}
)


class ResponseWriter:
    """Writes the response of one request; as its `send`, it counts and adds CORS headers."""

    __slots__ = ("_metrics", "_send", "has_begun", "on_end", "origin")

    def __init__(self, send: Send, metrics: Metrics) -> None:
        self._send = send
        self._metrics = metrics
        self.has_begun = False
        self.origin: bytes | None = None
        self.on_end: Callable[[], None] | None = None
        """Called before the last part leaves: the client that has it may ask again at once."""

    async def __call__(self, message: Message) -> None:
        """Send on; the first part is counted, and gets what a browser needs."""
        if not self.has_begun and message["type"] == "http.response.start":
            self.has_begun = True
            self._metrics.answer(message["status"])
            if self.origin is not None:
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"access-control-allow-origin", self.origin),
                    (b"access-control-expose-headers", b"retry-after, www-authenticate"),
                    (b"vary", b"origin"),
                ]
        elif self.on_end and message["type"] == "http.response.body" and not message.get("more_body"):
            self.on_end()
        await self._send(message)

    async def refuse(self, refused: Refusal) -> None:
        """Answer with a refusal."""
        await self._write(refused.status, json_headers(refused.body, *refused.headers), refused.body)

    async def json(self, status: int, body: bytes) -> None:
        """Answer with a small object."""
        await self._write(status, json_headers(body), body)

    async def whole(self, status: int, body: bytes, content_type: bytes) -> None:
        """Answer with a body of some type."""
        await self._write(status, [(b"content-type", content_type), (b"content-length", str(len(body)).encode())], body)

    async def preflight(self, heads: Heads) -> None:
        """Tell a browser what an allowed page may send."""
        asked = [name.strip().lower() for name in heads.get(b"access-control-request-headers", b"").split(b",")]
        granted = [name for name in asked if name in _MAY_SEND or name.startswith(b"mcp-param-")]
        headers = [
            (b"access-control-allow-methods", b"POST"),
            (b"access-control-allow-headers", b", ".join(granted)),
            (b"access-control-max-age", b"600"),
        ]
        await self._write(204, headers, b"")

    async def _write(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self({"type": "http.response.body", "body": body})
