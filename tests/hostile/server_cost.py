"""What strangers cost a server: memory, processor time, the longest turn of its loop, and whether it answers others.

Seconds on the wall would tell how busy the machine is; a loop that stands still spends processor time instead.
"""

import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench._gauge import cpu_ms

from tests.hostile.raw_http import RawConnection
from tests.hostile.timed_server import SECONDS
from tests.patience import LONG_S
from tests.real.processes import HttpServer

LOOK_S = 0.05


class TimedServer(HttpServer):
    """The server as a process that notes the longest turn of its event loop."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._longest = Path(environment["HOME"]) / "longest_turn"
        self._longest.write_bytes(SECONDS.pack(0.0))
        super().__init__(environment, module=("tests.hostile.timed_server", str(self._longest)))

    @property
    def longest_turn_s(self) -> float:
        """Seconds of the processor that the loop worked at most without serving anybody else."""
        return SECONDS.unpack(self._longest.read_bytes())[0]

    def forget_turns(self) -> None:
        with self._longest.open("r+b") as file:
            file.write(SECONDS.pack(0.0))


@contextmanager
def open_timed(environment: Mapping[str, str]) -> Iterator[TimedServer]:
    server = TimedServer(environment)
    try:
        yield server
    finally:
        server.close()


@dataclass
class Cost:
    """What an attack cost the server."""

    growth_mb: float = 0.0
    cpu_s: float = 0.0
    turn_s: float = 0.0
    """The longest turn of its loop, in processor time."""
    unanswered: int = 0
    """Questions for its health that came to nothing meanwhile."""


@contextmanager
def measured(server: TimedServer) -> Iterator[Cost]:
    """Watch a server from beside: its memory at its highest, its processor time, and whether it answers others."""
    pid, cost, is_over = server.process.pid, Cost(), threading.Event()

    def ask() -> None:
        with RawConnection(server.port) as client:
            while not is_over.wait(LOOK_S):
                asked = len(client.answers)
                client.send(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                cost.unanswered += [answer.status for answer in client.receive(asked + 1)[asked:]] != [200]

    before_mb = memory_mb(pid, "VmRSS")
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # the highest mark begins anew
    server.forget_turns()
    before_ms = cpu_ms([pid])
    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield cost
    finally:
        is_over.set()
        asking.join(2 * LONG_S)
    cost.cpu_s = (cpu_ms([pid]) - before_ms) / 1000
    cost.turn_s = server.longest_turn_s
    cost.growth_mb = memory_mb(pid, "VmHWM") - before_mb


def memory_mb(pid: int, field: str) -> float:
    rows = dict(row.split(":", 1) for row in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(rows[field].split()[0]) / 1024


def check(server: TimedServer, cost: Cost, *, growth_mb: float, turn_s: float, cpu_s: float = math.inf) -> None:
    """Fail where it was too much, or where the server is not there for others."""
    assert cost.growth_mb <= growth_mb
    assert cost.cpu_s <= cpu_s
    assert cost.turn_s <= turn_s
    assert cost.unanswered == 0
    assert server.process.poll() is None
    assert server.ask("GET", "/health").status == 200
