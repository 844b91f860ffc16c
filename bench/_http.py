"""Many kept HTTP connections at once, on one thread: each caller sends its next call when it has its reply."""

import json
import selectors
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from bench._wire import INITIALIZED, REPLY_TIMEOUT_S, VERSIONS, Era, Failed, Message, calling, opening

LEAVE_TIMEOUT_S = 15
_CHUNK = 1 << 16


class Connection:
    """One kept HTTP connection with a request under way, or none."""

    def __init__(self, port: int, era: Era, token: str | None) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=REPLY_TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._era: Era = era
        self._session = ""
        self._got = b""
        self._head = (
            f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n"
        )
        if token:
            self._head += f"Authorization: Bearer {token}\r\n"

    def open(self) -> None:
        """Greet the server as the era does."""
        head, _ = self.ask(opening(self._era))
        for line in head.decode("latin-1").split("\r\n"):
            if line.lower().startswith("mcp-session-id:"):
                self._session = f"Mcp-Session-Id: {line.split(':', 1)[1].strip()}\r\n"
        if self._era == "2025":
            self.ask(INITIALIZED)

    def prepare(self, message: Message) -> bytes:
        """The bytes of a request."""
        head = self._head
        if message["method"] != "initialize":
            head += f"MCP-Protocol-Version: {VERSIONS[self._era]}\r\n{self._session}"
        if self._era == "2026":
            head += f"Mcp-Method: {message['method']}\r\n"
            if name := message["params"].get("name"):
                head += f"Mcp-Name: {name}\r\n"
        body = json.dumps(message).encode()
        return f"POST /mcp HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    def send(self, prepared: bytes) -> None:
        """Put a request on the wire."""
        self._got = b""
        self.socket.sendall(prepared)

    def take(self) -> tuple[bytes, bytes] | None:
        """Read what came: head and body once the reply is whole, else nothing."""
        data = self.socket.recv(_CHUNK)
        if not data:
            raise Failed(f"the server closed a connection after {self._got[:200]!r}")
        self._got += data
        head, mark, body = self._got.partition(b"\r\n\r\n")
        if not mark or not _is_whole(head.lower(), body):
            return None
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 202")):
            status = head.partition(b"\r\n")[0].decode("latin-1")
            raise Failed(f"the server answered {status} {body[:300]!r}")
        return head, body

    def ask(self, message: Message) -> tuple[bytes, bytes]:
        """Send a request and wait for its reply."""
        self.send(self.prepare(message))
        while (reply := self.take()) is None:
            pass
        return reply


def _is_whole(head: bytes, body: bytes) -> bool:
    if b"transfer-encoding: chunked" in head:
        return body.endswith(b"0\r\n\r\n")
    _, found, rest = head.partition(b"content-length:")
    return len(body) >= int(rest.split(b"\r\n", 1)[0]) if found else True


class Callers:
    """Many callers of one HTTP server, each with a connection of its own and one call at a time."""

    def __init__(self, port: int, era: Era, count: int, token: str | None = None) -> None:
        self._all = [Connection(port, era, token) for _ in range(count)]
        self._ready = selectors.DefaultSelector()
        for connection in self._all:
            connection.open()
            self._ready.register(connection.socket, selectors.EVENT_READ, connection)
        words = [f"hello from caller {number}" for number in range(count)]
        self._calls = {
            connection: (connection.prepare(calling(era, 2, "echo", text=word)), word.encode() + b'"')
            for connection, word in zip(self._all, words, strict=True)
        }

        head, _ = self._all[0].ask(calling(era, 2, "echo", text=words[0]))
        self.is_streamed = b"text/event-stream" in head.lower()
        """Whether calls are answered as a stream of events; else as one JSON object."""

    def close(self) -> None:
        """Hang up."""
        self._ready.close()
        for connection in self._all:
            connection.socket.close()

    def run(self, each: int) -> None:
        """Let every caller make this many calls, one after another, all callers at once."""
        left = dict.fromkeys(self._all, each)
        for connection in self._all:
            connection.send(self._calls[connection][0])
        while left:
            ready = self._ready.select(REPLY_TIMEOUT_S)
            if not ready:
                raise Failed(f"no reply within {REPLY_TIMEOUT_S} s")
            for key, _ in ready:
                connection: Connection = key.data
                reply = connection.take()
                if reply is None:
                    continue
                prepared, word = self._calls[connection]
                if word not in reply[1] or b'"isError":true' in reply[1]:
                    raise Failed(f"the echo was {reply[1][:300]!r}")
                left[connection] -= 1
                if left[connection]:
                    connection.send(prepared)
                else:
                    del left[connection]


class HttpServer:
    """A server process on a port of loopback, waited for until it accepts connections."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], port: int, folder: Path) -> None:
        self._log = folder / f"server-{port}.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, env=dict(environment), stdout=log, stderr=log)
        self.port = port

    def __enter__(self) -> Self:
        until = time.monotonic() + REPLY_TIMEOUT_S
        while time.monotonic() < until:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(0.05)
                raise Failed(f"the server ended: {self._log.read_text(errors='replace')[-500:]}")
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return self
        self.__exit__()
        raise Failed("the server did not listen")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(LEAVE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port() -> int:
    """A port of loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
