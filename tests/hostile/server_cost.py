"""What strangers cost a server: memory at its highest, processor time, and whether others are answered meanwhile.

Seconds on the wall would tell how busy the machine is; a loop that stands still spends processor time instead.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench._gauge import cpu_ms

from tests.hostile.raw_http import RawConnection
from tests.patience import LONG_S
from tests.real.processes import HttpServer

LOOK_S = 0.05


@dataclass
class Cost:
    """What an attack cost the server."""

    growth_mb: float = 0.0
    cpu_s: float = 0.0
    unanswered: int = 0
    """Questions for its health that came to nothing meanwhile."""


@contextmanager
def measured(server: HttpServer) -> Iterator[Cost]:
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
    before_ms = cpu_ms([pid])
    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield cost
    finally:
        is_over.set()
        asking.join(2 * LONG_S)
    cost.cpu_s = (cpu_ms([pid]) - before_ms) / 1000
    cost.growth_mb = memory_mb(pid, "VmHWM") - before_mb


def memory_mb(pid: int, field: str) -> float:
    rows = dict(row.split(":", 1) for row in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(rows[field].split()[0]) / 1024


def check(server: HttpServer, cost: Cost, *, growth_mb: float, cpu_s: float) -> None:
    """Fail where it was too much, or where the server is not there for others."""
    assert cost.growth_mb <= growth_mb
    assert cost.cpu_s <= cpu_s
    assert cost.unanswered == 0
    assert server.process.poll() is None
    assert server.ask("GET", "/health").status == 200
