"""The body of a request, whole and bounded: in size while it arrives, and in time."""

import asyncio
import json
import re

from gossamer.server.http import refusal
from gossamer.server.http.asgi import Message, Receive

_DIGITS = 20
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


async def read_body(receive: Receive, declared: bytes | None, *, max_bytes: int, timeout_s: float) -> bytes | None:
    """All of the body, or None when the client is gone; what is too large or too slow is refused."""
    if declared is not None and not (declared.isdigit() and len(declared) < _DIGITS and int(declared) <= max_bytes):
        raise refusal.too_large(max_bytes)
    try:
        async with asyncio.timeout(timeout_s):
            return await _gather(receive, max_bytes)
    except TimeoutError as error:
        raise refusal.too_slow(timeout_s) from error


async def _gather(receive: Receive, max_bytes: int) -> bytes | None:
    gathered = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body: bytes = message.get("body", b"")
        if len(gathered) + len(body) > max_bytes:
            raise refusal.too_large(max_bytes)
        if not message.get("more_body", False):
            return bytes(gathered) + body if gathered else body
        gathered += body


def mended(body: bytes) -> bytes:
    """The body with half characters, as some clients send them, replaced: the protocol's side would refuse it all."""
    if not _HALF.search(body):
        return body
    try:
        return json.dumps(json.loads(body), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return body


def replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out a body already read, then what the connection says next."""
    kept: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return kept.pop() if kept else await receive()

    return replay
