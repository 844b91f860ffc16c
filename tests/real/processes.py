"""Processes and environments that the tests here start."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEGACY = "2025-11-25"


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
