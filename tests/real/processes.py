"""Processes and environments that the tests here start."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEGACY = "2025-11-25"
LEFT = (0, -signal.SIGALRM)
"""How a server over stdio ends: by itself, or where the machine is too slow for that in 0.3 s, by its own alarm."""
LEAVES_S = 8.0
"""The promise is 0.3 s; a busy machine takes a while to tell us of it. Who waits for a page takes ten and more."""


def environment_for(url: str, host: str, folder: Path) -> dict[str, str]:
    names = ("PATH", "HOME", "PYTHONPATH", "COVERAGE_PROCESS_CONFIG")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {
        **kept,
        "HOME": str(folder),
        "DATA_DIR": str(folder / "data"),
        "SEARXNG_URL": url,
        "GOSSAMER_SEARCH__PROVIDERS": "searxng,library",
        "GOSSAMER_NET__ALLOW_PRIVATE": host,
    }


@dataclass
class Cli:
    """The command line in an environment."""

    environment: Mapping[str, str]

    def __call__(self, *arguments: str, stdin: str = "", **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gossamer", *arguments],
            env={**self.environment, **extra},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


class Wire:
    """A server process and its bare JSON-RPC lines, for what a client library would hide."""

    def __init__(self, environment: Mapping[str, str], command: list[str] | None = None) -> None:
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "gossamer"],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[dict[str, Any]] = []
        self._next = 0

    def send(self, method: str, params: Mapping[str, Any] | None = None, *, notify: bool = False) -> int:
        assert self.process.stdin
        self._next += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": dict(params or {})}
        if not notify:
            message["id"] = self._next
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._next

    def receive(self, number: int) -> dict[str, Any]:
        """The reply to a request, whenever it came; every line of the server must be a message."""
        while True:
            for message in self.lines:
                if message.get("id") == number and "method" not in message:
                    return message
            assert self.process.stdout
            line = self.process.stdout.readline()
            if not line:
                stderr = self.process.stderr.read().decode() if self.process.stderr else ""
                raise AssertionError(f"the server ended: {stderr}")
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            self.lines.append(message)

    def handshake(self) -> dict[str, Any]:
        opening = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        reply = self.receive(self.send("initialize", opening))
        self.send("notifications/initialized", notify=True)
        return reply["result"]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        reply = self.receive(self.start(tool, **arguments))
        return reply["result"]

    def start(self, tool: str, **arguments: Any) -> int:
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream and not stream.closed:
                stream.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


@contextmanager
def open_wire(environment: Mapping[str, str], command: list[str] | None = None) -> Iterator[Wire]:
    wire = Wire(environment, command)
    try:
        yield wire
    finally:
        wire.close()


ACCEPT = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_LISTENING = re.compile(rb"Listening on http://(.+):(\d+)/mcp\n")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An HTTP answer as it came."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body, or the last event of a stream."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            return json.loads([line[5:] for line in self.body.splitlines() if line.startswith(b"data:")][-1])
        return json.loads(self.body)


class Line:
    """One connection to a server, spoken to in bytes, for what a client library would hide."""

    def __init__(self, host: str, port: int, timeout_s: float = 60) -> None:
        self.host = f"{host}:{port}"
        self.socket = socket.create_connection((host, port), timeout=timeout_s)
        self._file = self.socket.makefile("rb")

    def head(self, method: str, path: str, headers: Mapping[str, str]) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        if not any(name.lower() == "host" for name in headers):
            lines.insert(1, f"Host: {self.host}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None) -> None:
        """Send a whole request; a server may refuse it before it has all of it."""
        sized = dict(headers) if body is None else {**headers, "Content-Length": str(len(body))}
        try:
            self.socket.sendall(self.head(method, path, sized) + (body or b""))
        except ConnectionError:
            return

    def receive(self) -> Answer:
        """The next answer, whole."""
        status = int(self._file.readline().split()[1])
        headers = dict(iter(self._header, ("", "")))
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(self._file.readline(), 16):
                body += self._file.read(size + 2)[:-2]
            self._file.readline()
        else:
            body = self._file.read(int(headers.get("content-length", 0)))
        return Answer(status=status, headers=headers, body=body)

    def event(self) -> Any:
        """The next event of a stream whose head has been read."""
        while line := self._file.readline():
            if line.startswith(b"data:"):
                return json.loads(line[5:])
        raise AssertionError("the stream ended")

    def lines_until_blank(self) -> bytes:
        """A head, unread."""
        return b"".join(iter(self._file.readline, b"\r\n"))

    def is_closed(self) -> bool:
        """Whether the other side has hung up; waits for it."""
        try:
            return not self._file.read(1)
        except ConnectionError:
            return True

    def close(self) -> None:
        self._file.close()
        self.socket.close()

    def _header(self) -> tuple[str, str]:
        name, _, value = self._file.readline().decode("latin-1").partition(":")
        return name.strip().lower(), value.strip()


class HttpServer:
    """`gossamer serve --http` as a process, or a `module` of the tests that serves the same."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *arguments: str,
        bind: str = "127.0.0.1:0",
        module: Sequence[str] = ("gossamer", "serve"),
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *module, "--http", bind, *arguments],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert self.process.stderr
        self.told = b""
        while not (found := _LISTENING.search(self.told)):
            line = self.process.stderr.readline()
            self.told += line
            assert line, f"the server ended: {self.told.decode()}"
        self.host, self.port = found[1].decode(), int(found[2])
        self._has_told = threading.Condition()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/mcp"

    def line(self) -> Line:
        return Line("127.0.0.1", self.port)

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Answer:
        """One request on a connection of its own."""
        line = self.line()
        try:
            line.send(method, path, headers or {}, body)
            return line.receive()
        finally:
            line.close()

    def post(self, message: Mapping[str, Any] | bytes, token: str = "", **headers: str) -> Answer:
        """One message to /mcp, as a client of the older era sends it; underscores in names stand for hyphens."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        login = {"Authorization": f"Bearer {token}"} if token else {}
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.ask("POST", "/mcp", {**ACCEPT, **login, **more}, body)

    def call(self, tool: str, token: str = "", **arguments: Any) -> dict[str, Any]:
        """The result of a call."""
        return self.post(tool_call(tool, **arguments), token).json()["result"]

    def has_told(self, words: bytes, times: int, within_s: float = 20.0) -> bool:
        """Whether it says something so many times, in all or soon: what it logs may come after its reply."""
        with self._has_told:
            return self._has_told.wait_for(lambda: self.told.count(words) >= times, within_s)

    def wait(self) -> int:
        """The exit code, once the process has ended; then `told` holds all that it said."""
        code = self.process.wait(timeout=60)
        self._reading.join(timeout=60)
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.wait()
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            assert self.process.stderr
            self.process.stderr.close()

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            with self._has_told:
                self.told += line
                self._has_told.notify_all()


def tool_call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@contextmanager
def open_http(environment: Mapping[str, str], *arguments: str, bind: str = "127.0.0.1:0") -> Iterator[HttpServer]:
    server = HttpServer(environment, *arguments, bind=bind)
    try:
        yield server
    finally:
        server.close()
