"""A client of our own, as thin as it can be: JSON-RPC over a pipe, in both protocol eras.

It checks that every request is answered, so what is measured is the server at work.
"""

import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Self

Era = Literal["2025", "2026"]
Message = dict[str, Any]

ERAS: tuple[Era, ...] = ("2025", "2026")
VERSIONS: dict[Era, str] = {"2025": "2025-11-25", "2026": "2026-07-28"}
REPLY_TIMEOUT_S = 60
LEAVE_TIMEOUT_S = 3
CLIENT = {"name": "bench", "version": "1"}
META = {
    "io.modelcontextprotocol/protocolVersion": VERSIONS["2026"],
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_CHUNK = 1 << 16


class Failed(Exception):
    """A server that did not answer as it should."""


def request(era: Era, number: int, method: str, **params: Any) -> Message:
    """A request as its era writes it."""
    if era == "2026":
        params["_meta"] = META
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def opening(era: Era) -> Message:
    """What a client of the era says first."""
    if era == "2026":
        return request(era, 1, "server/discover")
    return request(era, 1, "initialize", protocolVersion=VERSIONS[era], capabilities={}, clientInfo=CLIENT)


def calling(era: Era, number: int, tool: str, **arguments: Any) -> Message:
    """A tool call."""
    return request(era, number, "tools/call", name=tool, arguments=arguments)


class Pipe:
    """A server process of ours alone; `began` is the moment before it was started."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the pipe
        self._rest = b""
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
            start_new_session=True,
        )
        _share_priority(self.process.pid)
        self._ready = selectors.DefaultSelector()
        self._ready.register(self.process.stdout, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave as clients do, by closing stdin; end what does not go."""
        self.process.stdin.close()
        try:
            self.process.wait(LEAVE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()
        self._ready.close()
        self._errors.close()

    def since_start_ms(self) -> float:
        """Wall time since just before the process was started."""
        return (time.perf_counter() - self.began) * 1000

    def send(self, *messages: Message) -> None:
        """Write messages, one line each, at once."""
        left = memoryview(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
        while left:
            left = left[os.write(self.process.stdin.fileno(), left) :]

    def receive(self) -> list[Message]:
        """The next replies, all that have come; notifications are passed over."""
        while True:
            if not self._ready.select(REPLY_TIMEOUT_S):
                raise Failed(f"no reply within {REPLY_TIMEOUT_S} s{self._told()}")
            data = os.read(self.process.stdout.fileno(), _CHUNK)
            if not data:
                raise Failed(f"the server ended{self._told()}")
            *lines, self._rest = (self._rest + data).split(b"\n")
            messages = [_read(line) for line in lines if line.strip()]
            if replies := [each for each in messages if "method" not in each]:
                return replies

    def ask(self, message: Message) -> Message:
        """The result of a request."""
        self.send(message)
        while True:
            for reply in self.receive():
                if reply["id"] == message["id"]:
                    return result_of(reply)

    def open(self, era: Era) -> None:
        """Greet the server as the era does."""
        self.ask(opening(era))
        if era == "2025":
            self.send(INITIALIZED)

    def _told(self) -> str:
        self._errors.seek(0)
        told = self._errors.read().decode(errors="replace").strip().splitlines()
        return f": {told[-1]}" if told else ""


def _share_priority(pid: int) -> None:
    """Give a process in a session of its own the priority that this session was given, so that both run alike."""
    with suppress(OSError, IndexError):
        mine = Path("/proc/self/autogroup").read_text().split()[-1]
        Path(f"/proc/{pid}/autogroup").write_text(mine)


def _read(line: bytes) -> Message:
    try:
        return json.loads(line)
    except ValueError as error:
        raise Failed(f"a line is no message: {error}") from error


def result_of(reply: Message) -> Message:
    """What a reply carries; an error of the protocol is a failure of the measurement."""
    if "result" not in reply:
        raise Failed(f"the server answered {reply.get('error')}")
    return reply["result"]
