"""A SearXNG instance and the pages it finds, on loopback: the example of the specification, served over real HTTP."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BOOK = """<!doctype html><title>Async Programming in Rust - The Rust Book</title><main>
<h1>Async Programming in Rust</h1>
<p>Rust's approach to async programming is built on futures, which are values that can be asked for a result.</p>
<p>An async function returns a future, and nothing runs until somebody awaits it. A runtime such as Tokio polls
futures until they are ready.</p>
<pre><code class="language-rust">async fn fetch(url: &amp;str) -&gt; Result&lt;String, Error&gt; {
    let reply = client.get(url).await?;

    reply.text().await
}
</code></pre>
<p>Streams are to iterators what futures are to values.</p></main>"""
TOKIO = """<!doctype html><title>Tokio - An asynchronous Rust runtime</title><main><h1>Tokio</h1>
<p>A runtime for writing reliable, asynchronous and slim applications with the Rust programming language.</p>
<p>Tokio provides the runtime and libraries needed for async Rust applications, from servers to small devices.</p>
</main>"""
LINKS = "".join(f'<li><a href="/offer/{n}">Cheap async offer number {n} of today</a></li>' for n in range(60))
LONG = "".join(f"<p>Paragraph {n} of a long story about async boats and their crews.</p>" for n in range(400))
PAGES = {
    "/book": BOOK,
    "/tokio": TOKIO,
    "/mirror": TOKIO,
    "/offers": f"<title>Offers</title><main><ul>{LINKS}</ul></main>",
    "/long": f"<title>Long</title><main>{LONG}</main>",
}

ROWS: list[dict[str, Any]] = [
    {
        "title": "Async Programming in Rust - The Rust Book", "url": "/book", "engine": "duckduckgo",
        "content": "Learn about asynchronous programming in Rust with async/await syntax...",
        "engines": ["duckduckgo", "google"],
    },
    {
        "title": "Tokio - An asynchronous Rust runtime", "url": "/tokio", "engine": "google",
        "content": "Tokio is an asynchronous runtime for the Rust programming language...",
        "engines": ["google", "bing"], "publishedDate": "2026-08-01T00:00:00",
    },
    {"title": "Tokio, mirrored", "url": "/mirror", "engine": "bing", "content": "A mirror.", "engines": ["bing"]},
    {"title": "Offers", "url": "/offers", "engine": "bing", "content": "Many offers.", "engines": ["bing"]},
    {"title": "Gone", "url": "/gone", "engine": "bing", "content": "It was here.", "engines": ["bing"]},
]  # fmt: skip
"""What the instance finds; the addresses are its own."""


class SpecInstance(ThreadingHTTPServer):
    """Answers `/search` in SearXNG's JSON, or as it is told to; keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.url = f"http://{self.host}"
        self.asked: list[dict[str, str]] = []
        self.rows: list[dict[str, Any]] = ROWS
        self.failure: tuple[int, dict[str, str]] | None = None
        """A status and headers to answer searches with instead."""
        self.closing = threading.Event()
        """Until then pages under `/slow/` keep their readers waiting."""

    def found(self) -> dict[str, Any]:
        rows = [{**row, "url": row["url"] if "://" in row["url"] else self.url + row["url"]} for row in self.rows]
        return {
            "query": "q", "number_of_results": 8450, "results": rows, "answers": [], "corrections": [],
            "infoboxes": [], "suggestions": ["rust async book"], "unresponsive_engines": [],
        }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    server: SpecInstance

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/search":
            self.server.asked.append({name: values[0] for name, values in parse_qs(parts.query).items()})
            status, headers = self.server.failure or (200, {})
            body = b"" if self.server.failure else json.dumps(self.server.found()).encode()
            self._say(status, body, "application/json", headers)
        elif parts.path.startswith("/slow/"):
            self.server.closing.wait(60)
        elif parts.path in PAGES:
            self._say(200, PAGES[parts.path].encode(), "text/html; charset=utf-8")
        else:
            self._say(404, b"<title>Not found</title>", "text/html")

    def _say(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@contextmanager
def spec_instance() -> Iterator[SpecInstance]:
    """The instance, served on loopback until the block ends."""
    with SpecInstance() as instance:
        thread = threading.Thread(target=instance.serve_forever, daemon=True)
        thread.start()
        yield instance
        instance.closing.set()
        instance.shutdown()
        thread.join()
