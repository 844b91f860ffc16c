"""A worker whose parser has a hole: `holed_worker.py MEMORY_MB CPU_S [open]`; a body of the type below is run as code.

Everything else is the real worker: how it starts, confines itself and answers. With `open` it does not confine itself,
which shows what the code could do otherwise.
"""

import contextlib
import io
import sys

from gossamer import worker
from gossamer.extractors.workers import request_handler, sandbox
from gossamer.extractors.workers.frames import Header

HOLE = "text/x-hole"
handle = request_handler.handle


def run(header: Header, body: bytes) -> tuple[Header, bytes]:
    if header.get("type") != HOLE:
        return handle(header, body)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(body, {"__name__": "hole"})
    except BaseException as error:  # noqa: BLE001  whatever hindered it
        return {"refused": f"{type(error).__name__}: {error}"}, b""
    return {"done": printed.getvalue()}, b""


if __name__ == "__main__":
    request_handler.handle = run
    if sys.argv[3:] == ["open"]:
        sandbox.confine = lambda **_: {}
    worker.main()
