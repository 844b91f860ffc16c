"""A search engine over real manuals on loopback, and engines beside it that fail in every way that engines do."""

import html
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

PER_PAGE = 10
MAX_CHARS = 20_000
"""Of each page: enough to be found by, and quickly read."""
TAG = re.compile(r"<[^>]*>")
TITLE = re.compile(r"<title[^>]*>([^<]*)")
SKIPPED = re.compile(r"<(script|style|head)\b.*?</\1>", re.DOTALL)
STATUSES = {"denied": 403, "limited": 429, "broken": 500}


class Manuals:
    """The pages of a folder by their words."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pages = sqlite3.connect(":memory:", check_same_thread=False)
        self._pages.execute("CREATE VIRTUAL TABLE pages USING fts5(path UNINDEXED, title, text, tokenize=porter)")
        rows = (read(path, folder) for path in sorted(folder.rglob("*.html")))
        self._pages.executemany("INSERT INTO pages VALUES (?, ?, ?)", rows)

    def find(self, query: str, page: int) -> list[dict[str, str]]:
        """The best pages for the words of a query, ten at a time."""
        words = re.findall(r"\w+", query)
        if not words:
            return []
        found = self._pages.execute(
            "SELECT path, title, snippet(pages, 2, '', '', ' … ', 30) FROM pages WHERE pages MATCH ? "
            "ORDER BY bm25(pages, 0, 10, 1) LIMIT ? OFFSET ?",
            (" ".join(f'"{word}"' for word in words), PER_PAGE, (page - 1) * PER_PAGE),
        )
        return [{"path": path, "title": title, "content": text} for path, title, text in found]


def read(path: Path, folder: Path) -> tuple[str, str, str]:
    """A page as a row: where it is, what it is called, what it says."""
    source = path.read_text("utf-8", "replace")[: 4 * MAX_CHARS]
    title = TITLE.search(source)
    text = " ".join(html.unescape(TAG.sub(" ", SKIPPED.sub(" ", source))).split())
    name = html.unescape(title[1]).strip() if title else path.stem
    return path.relative_to(folder).as_posix(), name, text[:MAX_CHARS]


class Handler(SimpleHTTPRequestHandler):
    """`/api/search` and `/search` answer as JSON and as a page; `/<fault>/…` fails; the rest are the manuals."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, manuals: Manuals, over: Event) -> None:
        self.manuals = manuals
        self.over = over
        super().__init__(*args, directory=str(manuals.folder))

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        fields = {name: values[0] for name, values in parse_qs(asked.query).items()}
        first = asked.path.split("/")[1]
        if first == "slow":
            self.over.wait(30)
        if first in STATUSES:
            self.say("text/html", "<h1>No</h1>", status=STATUSES[first])
        elif first == "garbage":
            self.say("application/json", '{"results": [{"url": ')
        elif asked.path == "/api/search":
            self.say("application/json", json.dumps({"results": self.rows(fields)}))
        elif asked.path == "/search":
            self.say("text/html", f"<ul>{''.join(map(listed, self.rows(fields)))}</ul>")
        else:
            super().do_GET()

    def rows(self, fields: dict[str, str]) -> list[dict[str, str]]:
        base = f"http://{self.headers['Host']}"
        found = self.manuals.find(fields.get("q", ""), int(fields.get("p", "1")))
        return [{**row, "url": f"{base}/{row['path']}"} for row in found]

    def say(self, kind: str, text: str, *, status: int = 200) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the base class's
        """Say nothing."""


def listed(row: dict[str, str]) -> str:
    title, text = html.escape(row["title"]), html.escape(row["content"])
    return f'<li class="r"><a href="{html.escape(row["url"])}">{title}</a><p>{text}</p></li>'


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Engines hang up when they have waited long enough: nothing to tell."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The manuals and their search engine, at an address of their own until the block ends."""
    over = Event()
    server = _Server(("127.0.0.1", 0), partial(Handler, manuals=Manuals(folder), over=over))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        over.set()
        server.shutdown()
        thread.join()
        server.server_close()
