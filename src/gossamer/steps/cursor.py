"""Where a result goes on: a signed note to ourselves that needs no server memory.

A cursor names the request it belongs to, the snapshots it reads from and an offset. It is opened only with the key
that signed it, for the same tool and request. It is written so that it costs a model few tokens:
`offset.request.snapshots.arguments.signature`.
"""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from gossamer.errors import BadCursor

_MAC_BYTES = 9
_MAX_CHARS = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Cursor:
    """What is needed to go on."""

    tool: str
    request: str
    """`request_key` of what the caller repeats: the address, the queries."""
    offset: int
    snapshots: tuple[str, ...] = ()
    """Content hashes in hexadecimal digits, shortened, of the texts that are being walked."""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    """The other arguments of the first call, where they are not the default."""


V = TypeVar("V")


def request_key(*texts: str) -> str:
    """A short hash of what a caller must repeat with a cursor."""
    return hashlib.sha256("\x00".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def changed(value: V, plain: V) -> dict[str, Any]:
    """The fields in which a value differs from the plain one: all that a cursor must carry of it."""
    pairs = ((f.name, getattr(value, f.name), getattr(plain, f.name)) for f in fields(value))  # type: ignore[arg-type]
    return {name: ours for name, ours, theirs in pairs if ours != theirs}


def write_cursor(cursor: Cursor, key: bytes) -> str:
    """Sign a cursor."""
    asked = json.dumps(cursor.arguments, separators=(",", ":"), ensure_ascii=False) if cursor.arguments else ""
    body = ".".join(
        (
            str(cursor.offset),
            request_key(cursor.tool, cursor.request),
            "-".join(cursor.snapshots),
            _base64(asked.encode()),
        )
    )
    return f"{body}.{_signature(body, key)}"


def read_cursor(text: str, key: bytes, *, tool: str, request: str) -> Cursor:
    """Open a cursor that this key signed for this tool and request; anything else is a `BadCursor`."""
    body, _, signature = text.strip().rpartition(".")
    if len(text) > _MAX_CHARS or not text.isascii() or not hmac.compare_digest(signature, _signature(body, key)):
        raise BadCursor(
            "This cursor was not made by this server, or was changed.",
            hint="Leave the cursor out to start from the beginning.",
        )
    offset, made_for, snapshots, asked = body.split(".")
    if made_for != request_key(tool, request):
        raise BadCursor(
            "This cursor belongs to another request.",
            hint="Repeat the same address or query that it came with, or leave the cursor out.",
        )
    return Cursor(
        tool=tool,
        request=request,
        offset=int(offset),
        snapshots=tuple(snapshots.split("-")) if snapshots else (),
        arguments=json.loads(base64.urlsafe_b64decode(asked + "=" * (-len(asked) % 4))) if asked else {},
    )


def expired() -> BadCursor:
    """The error for a snapshot that is gone."""
    return BadCursor(
        "This cursor has expired: the page has changed or is no longer kept.",
        hint="Leave the cursor out to start from the beginning.",
    )


def _signature(body: str, key: bytes) -> str:
    return _base64(hmac.digest(key, body.encode("utf-8", "surrogatepass"), "sha256")[:_MAC_BYTES])


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
