"""HTTP in raw bytes: a connection that sends them as they are, piece by piece, and a strict reader of answers."""

import json
import re
import selectors
import socket
import ssl
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.patience import LONG_S

_CHUNK = 262_144
_HEAD_END = b"\r\n\r\n"
WRITE_S = 0.25
"""How long one write waits for room."""
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)[ \r]")


class NotHttp(Exception):
    """Bytes that are no answer."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def is_last(self) -> bool:
        """Whether the server says that it closes the connection behind it."""
        return "close" in self.headers.get("connection", "").lower()

    @property
    def ids(self) -> set[Any]:
        """The ids of the JSON-RPC messages in it; of refusals before the protocol there is none."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            messages = [line[5:] for line in self.body.splitlines() if line.startswith(b"data:")]
        else:
            messages = [self.body] if self.body.lstrip().startswith(b"{") else []
        return {json.loads(message).get("id") for message in messages} - {None}


@dataclass
class Reader:
    """Takes bytes as they come and cuts them into answers; interim ones (100) are passed over."""

    rest: bytearray = field(default_factory=bytearray)
    answers: list[Answer] = field(default_factory=list)

    has_ended: bool = False
    """Nothing more comes: an answer that names no length is whole."""

    def feed(self, data: bytes) -> None:
        """Take some bytes; none at all are the end."""
        self.rest += data
        self.has_ended = self.has_ended or not data
        while (taken := self._take()) is not None:
            if taken.status >= 200:
                self.answers.append(taken)

    def _take(self) -> Answer | None:
        if not self.rest:
            return None
        end = self.rest.find(_HEAD_END)
        if end < 0:
            return None
        first, *lines = bytes(self.rest[:end]).split(b"\r\n")
        if not (status := _STATUS.match(first + b"\r")):
            raise NotHttp(f"no answer begins with {first[:100]!r}")
        pairs = (line.decode("latin-1").partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        code = int(status[1])
        if headers.get("transfer-encoding") == "chunked":
            body, after = self._chunks(end + 4)
        elif "content-length" not in headers and code >= 200 and code not in {204, 304}:
            body, after = bytes(self.rest[end + 4 :]), len(self.rest) if self.has_ended else -1
        else:
            size = 0 if code in {204, 304} or code < 200 else int(headers.get("content-length", 0))
            body, after = bytes(self.rest[end + 4 : end + 4 + size]), end + 4 + size
        if after < 0 or after > len(self.rest):
            return None
        del self.rest[:after]
        return Answer(status=code, headers=headers, body=body)

    def _chunks(self, at: int) -> tuple[bytes, int]:
        """The body of chunks and where it ends, or -1 while it has no end."""
        body = b""
        while (line_end := self.rest.find(b"\r\n", at)) >= 0:
            size = int(self.rest[at:line_end], 16)
            at = line_end + 2 + size + 2
            if at > len(self.rest):
                break
            if not size:
                return body, at
            body += self.rest[line_end + 2 : at - 2]
        return b"", -1


class RawConnection:
    """A connection that reads while it sends, as a server may answer before it has everything."""

    def __init__(self, port: int, tls: ssl.SSLContext | None = None, name: str = "127.0.0.1") -> None:
        plain = socket.create_connection(("127.0.0.1", port), timeout=LONG_S)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = tls.wrap_socket(plain, server_hostname=name) if tls else plain
        self.socket.settimeout(0)
        self.is_closed = False
        """The other side has hung up, or was hung up on."""
        self.sent_bytes = 0
        self._reader = Reader()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.socket, selectors.EVENT_READ)

    @property
    def answers(self) -> list[Answer]:
        """All answers until now."""
        return self._reader.answers

    @property
    def unread(self) -> bytes:
        """What came behind the last whole answer."""
        return bytes(self._reader.rest)

    def send(self, *pieces: bytes, within_s: float = LONG_S) -> bool:
        """Send pieces one after another, each in a write of its own; False when the connection ended before them."""
        until = time.monotonic() + within_s
        for piece in pieces:
            left = memoryview(piece)
            while left and not self.is_closed and time.monotonic() < until:
                left = left[self._write(left) :]
            if left:
                return False
        return not self.is_closed

    def flood(self, pieces: Iterable[bytes], quiet_s: float = LONG_S) -> None:
        """Send pieces until they end, the connection ends, or the other side takes nothing for a while."""
        for piece in pieces:
            if not self.send(piece, within_s=quiet_s):
                return

    def receive(self, count: int = 1, within_s: float = LONG_S) -> Sequence[Answer]:
        """Wait until so many answers are here, the connection has ended or the time is over; all answers until now."""
        until = time.monotonic() + within_s
        while len(self.answers) < count and not self.is_closed and (left_s := until - time.monotonic()) > 0:
            self._read(left_s)
        return self.answers

    def wait_closed(self, within_s: float = LONG_S) -> bool:
        """Whether the other side hangs up in time; answers are gathered meanwhile."""
        until = time.monotonic() + within_s
        while not self.is_closed and (left_s := until - time.monotonic()) > 0:
            self._read(left_s)
        return self.is_closed

    def close_sending(self) -> None:
        """Say that nothing more comes, and go on reading."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.is_closed = True

    def close(self) -> None:
        self._selector.close()
        self.socket.close()

    def __enter__(self) -> "RawConnection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, data: memoryview) -> int:
        """Send some of it, or take what came."""
        try:
            sent = self.socket.send(data)
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            self._selector.modify(self.socket, selectors.EVENT_READ | selectors.EVENT_WRITE)
            ready = self._selector.select(WRITE_S)
            self._selector.modify(self.socket, selectors.EVENT_READ)
            if ready and ready[0][1] & selectors.EVENT_READ:
                self._take()
            return 0
        except OSError:
            self._take()  # an answer may be here all the same
            self.is_closed = True
            return 0
        self.sent_bytes += sent
        return sent

    def _read(self, within_s: float) -> None:
        if self._selector.select(within_s):
            self._take()

    def _take(self) -> None:
        """Read all that is here."""
        while not self.is_closed:
            try:
                data = self.socket.recv(_CHUNK)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            except OSError:
                data = b""
            if not data:
                self.is_closed = True
            self._reader.feed(data)
