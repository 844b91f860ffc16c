"""The product's HTTP server, which notes the longest turn of its event loop.

`python -m tests.hostile.timed_server FILE --http HOST:PORT` writes it into FILE, in seconds of the processor: a loop
that serves nobody else works meanwhile, and a machine that is busy with others gives its thread no time to count.
"""

import asyncio
import mmap
import struct
import sys
import time
from pathlib import Path
from typing import Any

from mcp.server import Server

from gossamer.server.http.bind import read_bind
from gossamer.server.http.serve import serve_http
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.load import load

SECONDS = struct.Struct("d")
BEAT_S = 0.005


def build(service: Service) -> Server[Any]:
    """The server as it is, and a heartbeat beside it: between two beats the loop's thread works one turn, or few."""
    loop = asyncio.get_running_loop()
    with Path(sys.argv[1]).open("r+b") as file:
        longest = mmap.mmap(file.fileno(), SECONDS.size)
    before_s = time.thread_time()

    def beat() -> None:
        nonlocal before_s
        now_s = time.thread_time()
        if now_s - before_s > SECONDS.unpack_from(longest)[0]:
            SECONDS.pack_into(longest, 0, now_s - before_s)
        before_s = now_s
        loop.call_later(BEAT_S, beat)

    beat()
    return build_server(service)


if __name__ == "__main__":
    serve_http(load(), read_bind(sys.argv[3]), build=build)
