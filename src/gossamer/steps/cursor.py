"""Where a result goes on: a signed note to ourselves that needs no server memory.

A cursor names its tool, the request it belongs to, the snapshots it reads from and an offset. It is opened only
with the key that signed it, for the same request.
"""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from gossamer.errors import BadCursor

_MAC_BYTES = 9
_MAX_CHARS = 8_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Cursor:
    """What is needed to go on."""

    tool: str
    request: str
    """`request_key` of what the caller repeats: the address, the queries."""
    offset: int
    snapshots: tuple[str, ...] = ()
    """Content hashes, shortened, of the texts that are being walked."""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    """The other arguments of the first call, where they are not the default."""


V = TypeVar("V")

_ADAPTER = TypeAdapter(tuple[str, str, int, tuple[str, ...], dict[str, Any]])


def request_key(*texts: str) -> str:
    """A short hash of what a caller must repeat with a cursor."""
    return hashlib.sha256("\x00".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def changed(value: V, plain: V) -> dict[str, Any]:
    """The fields in which a value differs from the plain one: all that a cursor must carry of it."""
    pairs = ((f.name, getattr(value, f.name), getattr(plain, f.name)) for f in fields(value))  # type: ignore[arg-type]
    return {name: ours for name, ours, theirs in pairs if ours != theirs}


def write_cursor(cursor: Cursor, key: bytes) -> str:
    """Sign a cursor."""
    said = [cursor.tool, cursor.request, cursor.offset, cursor.snapshots, cursor.arguments]
    body = json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(_mac(body, key) + body).decode().rstrip("=")


def read_cursor(text: str, key: bytes, *, tool: str, request: str) -> Cursor:
    """Open a cursor that this key signed for this tool and request; anything else is a `BadCursor`."""
    forged = BadCursor(
        "This cursor was not made by this server, or was changed.",
        hint="Leave the cursor out to start from the beginning.",
    )
    if len(text) > _MAX_CHARS:
        raise forged
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise forged from error
    mac, body = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(body, key)):
        raise forged
    try:
        made_by, made_for, offset, snapshots, arguments = _ADAPTER.validate_json(body)
    except ValidationError as error:
        raise forged from error
    if (made_by, made_for) != (tool, request):
        raise BadCursor(
            "This cursor belongs to another request.",
            hint="Repeat the same address or query that it came with, or leave the cursor out.",
        )
    return Cursor(tool=tool, request=request, offset=offset, snapshots=snapshots, arguments=arguments)


def expired() -> BadCursor:
    """The error for a snapshot that is gone."""
    return BadCursor(
        "This cursor has expired: the page has changed or is no longer kept.",
        hint="Leave the cursor out to start from the beginning.",
    )


def _mac(body: bytes, key: bytes) -> bytes:
    return hmac.digest(key, body, "sha256")[:_MAC_BYTES]
