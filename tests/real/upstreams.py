"""Brave, Google and a Bing-compatible service on loopback: their wire formats over real HTTP, every request kept."""

import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp import Client

from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.load import load

KEY = "a-key-nobody-may-see"
ENGINE = "0123456789abcdef0"
CASES = Path(__file__).parents[1] / "cases" / "providers"
Json = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    service: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Said:
    """One answer; without a body, Google's or Brave's error page is what a gateway would show."""

    status: int = 200
    body: Json | bytes = b"<h1>Error</h1>"
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Answer = Callable[[Asked], Said]


def turns(*said: Said) -> Answer:
    """One answer after the other, the last again and again."""
    left = list(said)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def recorded(provider: str, case: str) -> Said:
    """What a service said, out of the recorded cases."""
    reply = json.loads((CASES / provider / case / "reply.json").read_text())
    return Said(reply.get("status", 200), reply["body"], reply.get("headers", {}))


def brave(*rows: Json) -> Said:
    """Brave's web search: `web` is absent when nothing was found."""
    wire = [
        {
            "title": row["title"], "url": row["url"], "is_source_local": False, "is_source_both": False,
            "description": row["snippet"], "language": "en", "family_friendly": True, "type": "search_result",
            "subtype": "generic", "meta_url": {"scheme": "https", "netloc": urlsplit(row["url"]).netloc},
            **({"page_age": f"{row['datePublished']}T00:00:00"} if row.get("datePublished") else {}),
        }
        for row in rows
    ]  # fmt: skip
    asked = {"original": "q", "spellcheck_off": True, "more_results_available": False}
    return Said(
        200, {"type": "search", "query": asked, **({"web": {"type": "search", "results": wire}} if rows else {})}
    )


def bing(*rows: Json, total: int) -> Said:
    """Bing's version 7, which compatible services still speak."""
    wire = [
        {
            "id": f"https://api.bing.microsoft.com/api/v7/#WebPages.{number}", "name": row["title"], "url": row["url"],
            "snippet": row["snippet"],
            **({"datePublished": f"{row['datePublished']}T00:00:00.0000000"} if row.get("datePublished") else {}),
        }
        for number, row in enumerate(rows)
    ]  # fmt: skip
    pages = {"webSearchUrl": "https://www.bing.com/search?q=q", "totalEstimatedMatches": total, "value": wire}
    return Said(200, {"_type": "SearchResponse", "queryContext": {"originalQuery": "q"}, "webPages": pages})


def google(asked: Asked, *, total: int = 712_000, last: int = 100) -> Said:
    """A page of Google's results for exactly what was asked."""
    start, num = int(asked.params["start"]), int(asked.params["num"])
    numbers = range(start, min(start + num, last + 1))
    here = {
        "title": f"Google Custom Search - {asked.params['q']}", "totalResults": str(total),
        "searchTerms": asked.params["q"], "count": len(numbers), "startIndex": start, "inputEncoding": "utf8",
        "outputEncoding": "utf8", "safe": asked.params["safe"], "cx": asked.params["cx"],
    }  # fmt: skip
    following = {"nextPage": [{**here, "startIndex": start + num}]} if start + num <= last else {}
    template = "https://www.googleapis.com/customsearch/v1?q={searchTerms}&num={count?}&start={startIndex?}&alt=json"
    body: Json = {
        "kind": "customsearch#search",
        "url": {"type": "application/json", "template": template},
        "queries": {"request": [here], **following},
        "context": {"title": "Example engine"},
        "searchInformation": {
            "searchTime": 0.213, "formattedSearchTime": "0.21", "totalResults": str(total),
            "formattedTotalResults": f"{total:,}",
        },
    }  # fmt: skip
    if numbers:
        body["items"] = [google_item(asked.params["q"], number) for number in numbers]
    return Said(200, body)


def google_item(query: str, number: int) -> Json:
    """One result of a Google page."""
    link = f"https://example.org/{number}"
    return {
        "kind": "customsearch#result", "title": f"{query} {number}", "htmlTitle": f"<b>{query}</b> {number}",
        "link": link, "displayLink": "example.org", "snippet": f"What there is on {query}, part {number}.",
        "htmlSnippet": f"What there is on <b>{query}</b>,<br>\npart {number}.", "formattedUrl": link,
        "htmlFormattedUrl": link,
    }  # fmt: skip


class Upstreams(ThreadingHTTPServer):
    """Answers each service's requests as it is told to, and counts how many are there at once."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host = f"127.0.0.1:{self.server_port}"
        self.url = f"http://{self.host}"
        self.asked: list[Asked] = []
        self.answers: dict[str, Answer] = {}
        self.at_once = 0
        self.most_at_once = 0
        self.closing = threading.Event()
        self._lock = threading.Lock()

    def of(self, service: str) -> list[Asked]:
        """What one service was asked."""
        return [one for one in self.asked if one.service == service]

    def answer(self, asked: Asked) -> Said:
        with self._lock:
            self.asked.append(asked)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return self.answers[asked.service](asked)
        finally:
            with self._lock:
                self.at_once -= 1

    def environment(self, folder: Path) -> dict[str, str]:
        """Settings that lead every service here and let nobody else be asked."""
        return {
            "DATA_DIR": str(folder / "data"),
            "GOSSAMER_SEARCH__PROVIDERS": "brave,bing",
            "GOSSAMER_PROVIDERS__BRAVE__BASE_URL": f"{self.url}/brave",
            "GOSSAMER_PROVIDERS__BRAVE__PER_SECOND": "1000",
            "GOSSAMER_PROVIDERS__BING__BASE_URL": f"{self.url}/bing",
            "GOSSAMER_PROVIDERS__GOOGLE__BASE_URL": f"{self.url}/google",
            "BRAVE_API_KEY": KEY,
            "GOOGLE_API_KEY": KEY,
            "GOOGLE_SEARCH_ENGINE_ID": ENGINE,
        }


class _Handler(BaseHTTPRequestHandler):
    server: Upstreams
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        _, service, *rest = parts.path.split("/")
        params = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        said = self.server.answer(Asked(service, "/".join(rest), params, headers))
        with suppress(ConnectionError):
            self._say(said)

    def _say(self, said: Said) -> None:
        self.send_response(said.status)
        sent = {"Content-Type": "application/json", "Content-Length": str(len(said.content)), **said.headers}
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said.content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@contextmanager
def upstreams() -> Iterator[Upstreams]:
    """The services, served on loopback until the block ends."""
    with Upstreams() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield running
        running.closing.set()
        running.shutdown()
        thread.join()


@dataclass(frozen=True)
class Told:
    """A tool's result as a client has it."""

    is_error: bool
    data: Json
    meta: Json
    whole: str
    """All that came, for looking whether something is in it."""


@asynccontextmanager
async def client_of(environment: Mapping[str, str], era: str = "auto") -> AsyncIterator[Client]:
    """A real client of a real server in this process, with settings as the environment gives them."""
    config = None if "GOSSAMER_CONFIG" in environment else Path("/dev/null")
    service = Service(load(environ={"GOSSAMER_TOOLS": "all", **environment}, config=config))
    try:
        async with Client(build_server(service), mode=era) as client:
            yield client
    finally:
        await service.close()


async def told(client: Client, tool: str, **arguments: Any) -> Told:
    """Call a tool; its text is the JSON of its object wherever it has one."""
    reply = await client.call_tool(tool, arguments)
    (text,) = (block.text for block in reply.content)
    if reply.structured_content is not None:
        assert json.loads(text) == reply.structured_content
        assert list(json.loads(text)) == list(reply.structured_content)
    return Told(bool(reply.is_error), reply.structured_content or {}, dict(reply.meta or {}), reply.model_dump_json())
