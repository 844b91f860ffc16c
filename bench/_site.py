"""A folder as a site on loopback, for benchmarks."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def translate_path(self, path: str) -> str:
        """The file, also where the site is asked as a proxy and gets the whole address."""
        return super().translate_path(f"/{path.split('/', 3)[3]}" if path.startswith("http://") else path)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Generator[str]:
    """The host and port under which the folder is served until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
