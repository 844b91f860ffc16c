"""A site with a page that never comes, and two more that tell what became of those who asked for it."""

import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

START_S = 60
"""A server that has just been started may take long on a busy machine until it asks."""
PATIENCE_S = 60
PATIENT = {"GOSSAMER_NET__SILENCE_S": "300", "GOSSAMER_NET__PAGE_TIMEOUT_S": "300"}
"""Settings with which the site is given up much later than anybody here waits for that."""


class SlowSite(ThreadingHTTPServer):
    """`/slow` says nothing; `/asked` answers once it was asked for, `/left` once that visitor hung up."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.url = f"http://{self.host}"
        self.asked = threading.Event()
        self.left = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: SlowSite

    def do_GET(self) -> None:
        if self.path == "/slow":
            self.server.asked.set()
            readable, _, _ = select.select([self.connection], [], [], 3 * PATIENCE_S)
            if readable and not self.connection.recv(1):
                self.server.left.set()
            self.close_connection = True
            return
        told = {"/asked": self.server.asked, "/left": self.server.left}.get(self.path)
        patience_s = START_S if self.path == "/asked" else PATIENCE_S
        self.send_response(200 if told and told.wait(patience_s) else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@contextmanager
def slow_site() -> Iterator[SlowSite]:
    """The site, served on loopback until the block ends."""
    with SlowSite() as site:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        yield site
        site.shutdown()
        thread.join()
