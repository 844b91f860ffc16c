"""Resource limits that the process sets on itself and cannot lift again: the hard ones equal the soft ones."""

import contextlib
import math
import resource
import sys
import time
from pathlib import Path

_MOST_FILES = 64
_LIMIT_CLOCK = -8
"""Linux's clock of this process by which it keeps the limit: it counts ticks, and runs ahead on a busy machine."""


def apply(*, memory_mb: int, life_s: int) -> dict[str, str]:
    """Allow `memory_mb` beyond what is taken now and `life_s` seconds of processor time; nothing is written or started.

    A kernel counts processes and threads per user, and counts none of the superuser's.
    """
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_NOFILE: _MOST_FILES,
        resource.RLIMIT_CPU: life_s,
    }
    statm = Path("/proc/self/statm")
    if statm.exists():
        wanted[resource.RLIMIT_AS] = (
            int(statm.read_text().split()[0]) * resource.getpagesize() + memory_mb * 1024 * 1024
        )
    missing = {} if resource.RLIMIT_AS in wanted else {"limits": "the system does not tell how much memory is taken"}
    for what, most in wanted.items():
        lowest = _at_most(what, most)
        try:
            resource.setrlimit(what, (lowest, lowest))
        except (ValueError, OSError) as error:
            missing["limits"] = str(error)
    return missing


def allow_cpu(cpu_s: int) -> None:
    """Allow `cpu_s` more seconds of processor time for a page; then the kernel ends the process."""
    soft = _at_most(resource.RLIMIT_CPU, math.ceil(_spent_s()) + cpu_s)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def has_cpu(cpu_s: int) -> bool:
    """Whether the time of its life leaves `cpu_s` seconds for one more page."""
    most = math.ceil(_spent_s()) + cpu_s
    return _at_most(resource.RLIMIT_CPU, most) == most


def _spent_s() -> float:
    """The processor time that the kernel has counted so far; where it does not tell, the exact time."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return time.clock_gettime(_LIMIT_CLOCK)
    return time.process_time()


def _at_most(what: int, most: int) -> int:
    """`most`, or the hard limit where that is lower."""
    hard = resource.getrlimit(what)[1]
    return most if hard == resource.RLIM_INFINITY else min(most, hard)
