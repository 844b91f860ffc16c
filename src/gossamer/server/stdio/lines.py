"""Lines of bytes and the messages in them: split, measured and read one by one."""

import contextlib
import json
import re
from collections import deque

from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json

LONGEST_BYTES = 32 * 2**20
"""No message is longer; what is gets an error for an answer and is not kept."""
_PLENTY_BYTES = 1_048_576
_EDGE_BYTES = 512
_ID = re.compile(rb'"id"\s*:\s*(-?\d{1,15}|"[\w-]{1,64}")(?=\s*[,}])')


class TooLong(bytes):
    """The two ends of a line that was longer than any message may be."""


class Lines:
    """What came, as lines that are not blank; a line that is too long leaves only its ends behind."""

    def __init__(self, longest_bytes: int = LONGEST_BYTES) -> None:
        self._longest_bytes = longest_bytes
        self._ready: deque[bytes] = deque()
        self._ready_bytes = 0
        self._parts: list[bytes] = []
        self._part_bytes = 0
        self._is_cut = False

    @property
    def is_plenty(self) -> bool:
        """Whether so much is ready that more should not be read yet."""
        return self._ready_bytes > _PLENTY_BYTES

    def feed(self, data: bytes) -> None:
        """Take in what came."""
        if b"\n" not in data:
            self._hold(data)
            return
        first, *others = data.split(b"\n")
        self._hold(first)
        whole = b"".join(self._parts)
        rest = others.pop()
        for line in (TooLong(whole) if self._is_cut else whole, *others):
            if line and not line.isspace():
                self._ready.append(line)
                self._ready_bytes += len(line)
        self._parts, self._part_bytes, self._is_cut = [], 0, False
        self._hold(rest)

    def next(self) -> bytes:
        """The next line; nothing where none is complete."""
        if not self._ready:
            return b""
        line = self._ready.popleft()
        self._ready_bytes -= len(line)
        return line

    def _hold(self, data: bytes) -> None:
        if not data:
            return
        self._parts.append(data)
        self._part_bytes += len(data)
        if self._is_cut or self._part_bytes > self._longest_bytes:
            whole = b"".join(self._parts)
            self._parts = [whole[:_EDGE_BYTES], whole[_EDGE_BYTES:][-_EDGE_BYTES:]]
            self._is_cut = True


def read_line(line: bytes) -> SessionMessage | None:
    """The message of a line; half characters, as some clients send them, are replaced instead of refused."""
    if isinstance(line, TooLong):
        return None
    with contextlib.suppress(ValidationError):
        return _message(line)
    with contextlib.suppress(ValueError, RecursionError):
        mended = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace")
        return _message(mended)
    return None


def _message(line: bytes) -> SessionMessage | None:
    """The message; None for a request whose id is none, which the SDK would take for a notification."""
    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    if isinstance(message, JSONRPCNotification) and "id" in from_json(line):
        return None
    return SessionMessage(message)


def unreadable(line: bytes) -> bytes:
    """The reply to a line that is no message, with its id where one can be seen."""
    number, code = _seen_id(line), INVALID_REQUEST
    if isinstance(line, TooLong):
        message = f"This message is longer than {LONGEST_BYTES} bytes and was not read. Send less at once."
    elif _has_odd_id(line):
        number, message = b"null", "The id of a request must be text or a whole number. Send it again with such an id."
    else:
        code, message = PARSE_ERROR, "This line is not a JSON-RPC message that can be read."
    told = json.dumps({"code": code, "message": message}).encode()
    return b'{"jsonrpc":"2.0","id":%s,"error":%s}\n' % (number, told)


def _has_odd_id(line: bytes) -> bool:
    try:
        asked = from_json(line)
        number, method = asked["id"], asked["method"]
    except (ValueError, LookupError, TypeError):
        return False
    return isinstance(method, str) and (isinstance(number, bool) or not isinstance(number, str | int))


def _seen_id(line: bytes) -> bytes:
    """The id at either end of a line that cannot be read: one with no other table around it."""
    head, tail = line[:_EDGE_BYTES], line[-_EDGE_BYTES:]
    for found in _ID.finditer(head):
        if head.count(b"{", 0, found.start()) == 1:
            return found[1]
    for found in _ID.finditer(tail):
        if tail.count(b"}", found.end()) == 1:
            return found[1]
    return b"null"
