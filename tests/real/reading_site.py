"""A site on loopback to read from: a guide that may be edited, and pages that are not for everybody or not there."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GUIDE = """<!DOCTYPE html><html lang=en><head><title>Island ferries</title></head><body>
<nav><a href=/>Home</a> <a href=/all>All islands</a></nav><main><article><h1>Island ferries</h1>
<p>Everything that travellers should know before they set out.</p>
<h2>Timetable</h2><p>The ferry to the island leaves the old harbour at noon and again at six in the evening.</p>
<h2>Tickets</h2><p>A ticket costs four euros, and children under twelve travel without paying.</p>
<h2>Animals</h2><p>Dogs are welcome on the upper deck as long as they are kept on a short lead.</p>
</article></main><footer>Terms of use</footer></body></html>"""
PAID = """<!DOCTYPE html><html lang=en><head><title>Paid</title><script type="application/ld+json">
{"@type": "NewsArticle", "headline": "Paid", "isAccessibleForFree": false}</script></head><body>
<article><h1>Paid</h1><p>This article requires a subscription. It begins with the first lines that
anybody may read before the rest is kept for those who pay.</p></article></body></html>"""
SHELL = """<!DOCTYPE html><html><head><title>App</title><script src=/app.js></script></head><body>
<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript></body></html>"""
STATUSES = {"/login": 401, "/forbidden": 403, "/nowhere": 404, "/broken": 503}


PUBLIC = "http://ferries.example"
"""The site as one of the public web, for who goes through it as a proxy; what is opened is asked for each time."""


class ReadingSite(ThreadingHTTPServer):
    """Serves the pages; `asked` holds the path of each request and whether it carried a condition."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.url = f"http://{self.host}"
        self.pages = {"/guide": GUIDE, "/paid": PAID, "/shell": SHELL}
        self.asked: list[tuple[str, str]] = []
        self.over = threading.Event()

    def visits(self, path: str) -> list[str]:
        """The `if-none-match` of every request for a path."""
        return [condition for asked, condition in self.asked if asked == path]


class _Handler(BaseHTTPRequestHandler):
    server: ReadingSite

    def do_GET(self) -> None:
        condition = self.headers.get("if-none-match", "")
        path = self.path.partition(":80")[2] or self.path
        self.server.asked.append((path, condition))
        if path == "/slow":
            self.server.over.wait(30)
        body = self.server.pages.get(path, "<p>Nothing for you.</p>")
        tag = f'"{hash(body):x}"'
        status = STATUSES.get(path, 200 if path in self.server.pages else 404)
        if status == 200 and condition == tag:
            status, body = 304, ""
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body.encode())))
        self.send_header("ETag", tag)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@contextmanager
def reading_site() -> Iterator[ReadingSite]:
    """The site, served until the block ends."""
    with ReadingSite() as site:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        yield site
        site.over.set()
        site.shutdown()
        thread.join()
