"""What other processes have used, read from the system: CPU to the microsecond, and resident memory."""

import os
import platform
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

PROC = Path("/proc")
_CPU_OF_PROCESS = 2
"""The kind of clock that counts all threads of a process, the ended ones too."""
_RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What a process and all its descendants have used until now."""

    cpu_ms: float
    own_mb: float
    """Resident memory of the process itself."""
    tree_mb: float
    """Resident memory of all; what they share counts in each."""


def tree_of(pid: int) -> list[int]:
    """A process and its living descendants."""
    found = [pid]
    for parent in found:
        with suppress(OSError):
            for thread in (PROC / str(parent) / "task").iterdir():
                found += map(int, (thread / "children").read_text().split())
    return found


def cpu_ms(pids: Iterable[int]) -> float:
    """CPU time of processes, exact while they run; the counters under /proc lag a running thread by a tick."""
    spent_ns = 0
    for pid in pids:
        with suppress(OSError):
            spent_ns += time.clock_gettime_ns((~pid << 3) | _CPU_OF_PROCESS)
    return spent_ns / 1e6


def resident_mb(pid: int) -> float:
    """Resident memory of one process; 0 when it is gone."""
    with suppress(OSError):
        if found := _RESIDENT.search((PROC / str(pid) / "status").read_text()):
            return int(found[1]) / 1024
    return 0.0


def usage_of(pid: int) -> Usage:
    """CPU first: a server that still imports in the background goes on spending it while we look."""
    pids = tree_of(pid)
    spent = cpu_ms(pids)
    resident = [resident_mb(each) for each in pids]
    return Usage(cpu_ms=spent, own_mb=resident[0], tree_mb=sum(resident))


def machine() -> str:
    """Date, processor, load and Python, for the head of a report."""
    described = (PROC / "cpuinfo").read_text()
    name = re.search(r"^model name\s*:\s*(.+)$", described, re.MULTILINE)
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC · {name[1] if name else platform.machine()}, {os.cpu_count()} cores, "
        f"load {load} · Linux {platform.release().split('-')[0]} · Python {platform.python_version()}"
    )
