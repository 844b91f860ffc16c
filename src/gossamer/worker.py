"""The process that parses hostile bytes: `python -m gossamer.worker`, started and fed by `extractors.pool`.

It reads frames from standard input and writes frames to standard output until its input ends. It holds no keys, opens
no connections, and lives under limits of memory and processor time that it sets on itself before the first page.
"""

import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve until standard input ends; the two arguments are MB of memory beyond the start and seconds per page."""
    memory_mb, cpu_s = int(sys.argv[1]), int(sys.argv[2])
    source, sink = take_over_stdio()
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from gossamer.extractors.workers.reading import warm_up

    warm_up()
    limit_memory(memory_mb)
    serve(source, sink, before_page=lambda: allow_cpu(cpu_s))


def take_over_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Keep the protocol's two pipes for us alone: whatever prints from now on, prints to standard error."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


def die_with_parent() -> None:
    """Ask Linux to end us with the server, in mid-page too; elsewhere the end of our input does it after the page."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def limit_memory(memory_mb: int) -> None:
    """Allow `memory_mb` beyond what the process has taken so far; no core files."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    statm = Path("/proc/self/statm")
    taken = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    if taken:
        _lower(resource.RLIMIT_AS, taken + memory_mb * 1024**2)


def allow_cpu(cpu_s: int) -> None:
    """Allow `cpu_s` more seconds of processor time; then the kernel ends the process."""
    _lower(resource.RLIMIT_CPU, math.ceil(time.process_time()) + cpu_s)


def _lower(what: int, soft: int) -> None:
    """Set the soft limit as far as the hard one allows."""
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def serve(source: BinaryIO, sink: BinaryIO, *, before_page: Callable[[], None]) -> None:
    """Say that we are ready, then answer frame by frame; a page that took all memory is the last one."""
    from gossamer.extractors.workers.reading import answer
    from gossamer.extractors.workers.wire import pack, read_frame

    sink.write(pack({"ready": True}, b""))
    sink.flush()
    while (frame := read_frame(source)) is not None:
        before_page()
        header, body = answer(*frame)
        del frame
        sink.write(pack(header, body))
        sink.write(body)
        sink.flush()
        if header.get("last"):
            return


if __name__ == "__main__":
    main()
