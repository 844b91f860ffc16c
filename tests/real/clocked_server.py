"""The product's stdio server with a clock that stands in a file: `python -m tests.real.clocked_server FILE`."""

import sys
import time
from pathlib import Path

from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.server.stdio.serve import serve_stdio
from gossamer.settings.load import load


class FileClock:
    """UTC seconds as they are written; deadlines run as ever."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def now(self) -> float:
        return float(self._path.read_text())

    def monotonic(self) -> float:
        return time.monotonic()


if __name__ == "__main__":
    clock, loaded = FileClock(Path(sys.argv[1])), load()
    serve_stdio(loaded, build=lambda _: build_server(Service(loaded, clock=clock)))
