"""The two faces of the product that stand before a hostile site: the engine itself, and a real MCP server process."""

import asyncio
import contextlib
import http.client
import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol
from urllib.parse import urlsplit

from gossamer import open_engine
from gossamer.compose import new_call
from gossamer.engine import Engine
from gossamer.errors import GossamerError
from gossamer.settings.model import NetSettings, Settings
from tests.real.processes import LEGACY, environment_for

PAGE_TIMEOUT_S = 10
PATIENCE_S = 300.0
"""After this a test gives up on an answer that never comes."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the user of a face is told about one page."""

    outcome: str
    text: str
    """All of it: page text, error sentence and machine data."""
    seconds: float
    retryable: bool | None = None
    retry_after_s: float | None = None


class HostileSite:
    """The corpus's server in a process of its own, and what it counted."""

    def __init__(self, script: Path) -> None:
        self._process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        said = json.loads(self._process.stdout.readline())
        self.base: str = said["base"]
        self.private: str = said["private"]

    def counted(self) -> dict[str, Any]:
        connection = http.client.HTTPConnection(urlsplit(self.base).netloc, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            connection.request("GET", "/_hits")
            return json.loads(connection.getresponse().read())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()


class Face(Protocol):
    """One way in which pages are asked for; may be used from several threads."""

    pid: int | None
    """The process whose memory is measured, when it is not ours."""

    def fetch(self, url: str) -> Told: ...

    def close(self) -> None: ...


class EngineFace:
    """`open_engine` on a loop of its own."""

    pid = None

    def __init__(self, sites: list[HostileSite], folder: Path) -> None:
        net = NetSettings(allow_private=tuple(urlsplit(site.base).netloc for site in sites), page_timeout_s=10)
        self._settings = Settings(data_dir=folder, net=net)
        self._opened = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()))
        self._thread.start()
        assert self._opened.wait(PATIENCE_S)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._closing = asyncio.Event()
        async with open_engine(self._settings) as engine:
            self._engine: Engine = engine
            self._opened.set()
            await self._closing.wait()

    def fetch(self, url: str) -> Told:
        return asyncio.run_coroutine_threadsafe(self._fetch(url), self._loop).result(PATIENCE_S)

    async def _fetch(self, url: str) -> Told:
        since = time.monotonic()
        try:
            page = await self._engine.fetch(url, new_call(timeout_s=PATIENCE_S))
        except GossamerError as error:
            return Told(
                outcome=error.outcome.value,
                text=str(error),
                seconds=time.monotonic() - since,
                retryable=error.retryable,
                retry_after_s=error.retry_after_s,
            )
        return Told(
            outcome=page.outcome.value,
            text=f"{page.title}\n{page.text}\n{page.message}",
            seconds=time.monotonic() - since,
        )

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(PATIENCE_S)


class ServerFace:
    """`gossamer` over stdio, as an MCP client starts it."""

    def __init__(self, sites: list[HostileSite], folder: Path) -> None:
        allowed = ",".join(urlsplit(site.base).netloc for site in sites)
        environment = environment_for("http://127.0.0.1:1", allowed, folder)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gossamer"],
            env={**environment, "GOSSAMER_NET__PAGE_TIMEOUT_S": str(PAGE_TIMEOUT_S)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.pid: int | None = self._process.pid
        self._next = 0
        self._came: dict[int, tuple[float, dict[str, Any]]] = {}
        self._change = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        opening = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self._ask("initialize", opening)
        self._send({"method": "notifications/initialized", "params": {}})

    def fetch(self, url: str) -> Told:
        since = time.monotonic()
        came_at, reply = self._ask("tools/call", {"name": "web_fetch", "arguments": {"url": url}})
        result = reply["result"]
        told = result["_meta"].get("gossamer/error", {})
        return Told(
            outcome=result["_meta"]["gossamer/outcome"],
            text=json.dumps(result, ensure_ascii=False).replace("\\n", "\n"),
            seconds=came_at - since,
            retryable=told.get("retryable"),
            retry_after_s=told.get("retry_after_s"),
        )

    def close(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(PATIENCE_S)
        if self._process.stdout:
            self._process.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _ask(self, method: str, params: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        with self._change:
            self._next += 1
            number = self._next
            self._send({"id": number, "method": method, "params": params})
            assert self._change.wait_for(lambda: number in self._came, PATIENCE_S), f"no answer to {method}"
            return self._came.pop(number)

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            message = json.loads(line)
            with self._change:
                if "id" in message and "method" not in message:
                    self._came[message["id"]] = (time.monotonic(), message)
                    self._change.notify_all()


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _tree(int(child))


def memory_mb(pid: int) -> tuple[float, list[float]]:
    """What a process holds, and what each of its descendants holds; one that ends meanwhile holds nothing."""
    held: list[float] = []
    with contextlib.suppress(OSError):
        for member in _tree(pid):
            held.append(0.0)
            with contextlib.suppress(OSError):
                held[-1] = int(Path(f"/proc/{member}/statm").read_text().split()[1]) * 4096 / 2**20
    return held[0], held[1:]


class Growth:
    """Measures how much a process tree grows while the block runs, a hundred times a second.

    Grown beyond what the process held at the beginning, and beyond what a worker holds at rest, for each that runs:
    `rest_mb`, the least that was ever seen, so that a worker that an earlier page had swollen hides nothing.
    """

    rest_mb: ClassVar[dict[int, float]] = {}

    def __init__(self, pid: int | None) -> None:
        self._pid = pid
        self.mb = 0.0
        self._over = threading.Event()

    def __enter__(self) -> "Growth":
        if self._pid is not None:
            self._before, workers = memory_mb(self._pid)
            self.rest_mb[self._pid] = min([*workers, self.rest_mb.get(self._pid, math.inf)])
            self._thread = threading.Thread(target=self._watch, args=(self._pid,))
            self._thread.start()
        return self

    def _watch(self, pid: int) -> None:
        rest_mb = self.rest_mb[pid] if self.rest_mb[pid] < math.inf else 0.0
        while not self._over.wait(0.01):
            own, workers = memory_mb(pid)
            self.mb = max(self.mb, own - self._before + sum(max(0.0, worker - rest_mb) for worker in workers))

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._pid is not None:
            self._thread.join()
