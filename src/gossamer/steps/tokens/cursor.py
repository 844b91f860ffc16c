"""Cursor: where a result goes on, as a note signed by HMAC that needs no server memory.

A cursor names the request it belongs to, the snapshots it reads from and an offset. It is opened only with the key
that signed it, for the same tool and request. It is written so that it costs a model few tokens, which is in digits,
three to a token, as far as that goes, and with few signs between them: the signature, a hint at the request and the
offset in one run, then `.snapshots.arguments`.
"""

import base64
import hashlib
import hmac
import json
import re
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from gossamer.errors import BadCursor

_KEY_DIGITS = 9
_REQUEST_DIGITS = 3
"""They only tell a cursor of another request from a forged one: the signature is for the whole request."""
_SIGNATURE_DIGITS = 15
"""50 bits, to be guessed by one call each."""
_MAX_CHARS = 10_000
_ROUND = " \t\r\n\"'`“”„‘’"
"""What a cursor may come in: models copy it as it stands in the text, with its quotes."""
_NUMBER = re.compile(r"([a-z])(\d+)")
_NUMBERS = re.compile(rf"(?:{_NUMBER.pattern})*")
_SHAPE = re.compile(
    rf"(?P<signature>[0-9]{{{_SIGNATURE_DIGITS}}})(?P<hint>[0-9]{{{_REQUEST_DIGITS}}})(?P<offset>[0-9]{{1,18}})"
    r"(?:\.(?P<snapshots>[0-9A-Za-z-]*)(?:\.(?P<arguments>[0-9A-Za-z_-]+))?)?"
)


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
    return _digits(hashlib.sha256("\x00".join(texts).encode("utf-8", "surrogatepass")).digest(), _KEY_DIGITS)


def changed(value: V, plain: V) -> dict[str, Any]:
    """The fields in which a value differs from the plain one: all that a cursor must carry of it."""
    pairs = ((f.name, getattr(value, f.name), getattr(plain, f.name)) for f in fields(value))  # type: ignore[arg-type]
    return {name: ours for name, ours, theirs in pairs if ours != theirs}


def write_cursor(cursor: Cursor, key: bytes) -> str:
    """Sign a cursor."""
    parts = (f"{_hint(cursor.tool, cursor.request)}{cursor.offset}", "-".join(cursor.snapshots))
    body = ".".join((*parts, _written(cursor.arguments))).rstrip(".")
    return _signature(cursor.tool, cursor.request, body, key) + body


def read_cursor(text: str, key: bytes, *, tool: str, request: str) -> Cursor:
    """Open a cursor that this key signed for this tool and request; anything else is a `BadCursor`."""
    text = text.strip(_ROUND)
    fields = _SHAPE.fullmatch(text) if len(text) <= _MAX_CHARS else None
    if fields and fields["hint"] != _hint(tool, request):
        raise BadCursor(
            "This cursor belongs to another request.",
            hint="Repeat the same address or query that it came with, or leave the cursor out.",
        )
    body = text[_SIGNATURE_DIGITS:]
    if not fields or not hmac.compare_digest(fields["signature"], _signature(tool, request, body, key)):
        raise BadCursor(
            "This cursor was not made by this server, or was changed.",
            hint="Leave the cursor out to start from the beginning.",
        )
    snapshots = fields["snapshots"]
    return Cursor(
        tool=tool,
        request=request,
        offset=int(fields["offset"]),
        snapshots=tuple(snapshots.split("-")) if snapshots else (),
        arguments=_read(fields["arguments"] or ""),
    )


def expired() -> BadCursor:
    """The error for a snapshot that is gone."""
    return BadCursor(
        "This cursor has expired: the page has changed or is no longer kept.",
        hint="Leave the cursor out to start from the beginning.",
    )


def _hint(tool: str, request: str) -> str:
    return request_key(tool, request)[:_REQUEST_DIGITS]


def _written(arguments: dict[str, Any]) -> str:
    """Numbers of one letter each as they are (`r178t300`), anything else as JSON, which never looks like that."""
    if all(
        len(name) == 1 and "a" <= name <= "z" and type(value) is int and value >= 0 for name, value in arguments.items()
    ):
        return "".join(f"{name}{value}" for name, value in arguments.items())
    text = json.dumps(arguments, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read(asked: str) -> dict[str, Any]:
    if _NUMBERS.fullmatch(asked):
        return {name: int(value) for name, value in _NUMBER.findall(asked)}
    return json.loads(base64.urlsafe_b64decode(asked + "=" * (-len(asked) % 4)))


def _signature(tool: str, request: str, body: str, key: bytes) -> str:
    message = f"{tool}\x00{request}\x00{body}"
    return _digits(hmac.digest(key, message.encode("utf-8", "surrogatepass"), "sha256"), _SIGNATURE_DIGITS)


def _digits(raw: bytes, size: int) -> str:
    return f"{int.from_bytes(raw) % 10**size:0{size}d}"
