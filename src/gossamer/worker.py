"""The process that parses hostile bytes: `python -m gossamer.worker`, started and fed by `extractors.workers`.

It reads frames from standard input and writes frames to standard output until its input ends. It holds no keys, and
before the first page it confines itself: to reading its own code, without files, network or programs, under limits of
memory and processor time.
"""

import os
import signal
import sys
from typing import BinaryIO

_LIFE = 6
"""The processor time of a worker's whole life, in pages that take all they may; it ends before that runs out."""


def main() -> None:
    """Serve until standard input ends; the two arguments are MB of memory beyond the start and seconds per page."""
    memory_mb, cpu_s = int(sys.argv[1]), int(sys.argv[2])
    source, sink = take_over_stdio()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":  # elsewhere the end of our input ends us, after the page
        from gossamer.extractors.workers.sandbox.kernel import die_with_parent

        die_with_parent()
    from gossamer.extractors.workers.request_handler import warm_up
    from gossamer.extractors.workers.sandbox import confine

    warm_up()
    missing = confine(memory_mb=memory_mb, life_s=_LIFE * cpu_s)
    serve(source, sink, missing=missing, cpu_s=cpu_s)


def take_over_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Keep the protocol's two pipes for us alone: whatever prints from now on, prints to standard error."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


def serve(source: BinaryIO, sink: BinaryIO, *, missing: dict[str, str], cpu_s: int) -> None:
    """Say that we are ready and how confined, then answer frame by frame.

    A page that took all memory is the last one, and so is one after which too little time is left for another.
    """
    from gossamer.extractors.workers.frames import pack, read_frame
    from gossamer.extractors.workers.request_handler import handle
    from gossamer.extractors.workers.sandbox.rlimits import allow_cpu, has_cpu

    sink.write(pack({"ready": True, "missing": missing}, b""))
    sink.flush()
    while (frame := read_frame(source)) is not None:
        allow_cpu(cpu_s)
        header, body = handle(*frame)
        del frame
        if not has_cpu(cpu_s):
            header = {**header, "last": True}
        sink.write(pack(header, body))
        sink.write(body)
        sink.flush()
        if header.get("last"):
            return


if __name__ == "__main__":
    main()
