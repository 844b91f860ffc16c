"""A little web on this machine: pages under names that you know, and the search services that find them.

The pages are reached through a proxy, which is how the server comes to see them under their own names without the
internet; SearXNG, Brave, Google and OpenAI answer in their own wire formats. So every example runs without a key.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from tests.workflows.little_pages import BY_ADDRESS, FOUND, Page
from tests.workflows.little_replies import brave, google, openai, searxng

Web = TypeVar("Web", bound=ThreadingHTTPServer)


@dataclass(frozen=True)
class Asked:
    """One request that came to a service, or for a page."""

    service: str
    target: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def parameters(self) -> dict[str, str]:
        """What stands behind the question mark."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.target).query).items()}


@dataclass(frozen=True)
class Fault:
    """What a service says instead of an answer."""

    status: int
    body: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


def services_environment(url: str) -> dict[str, str]:
    """The settings by which a server finds the four services of a web."""
    return {
        "SEARXNG_URL": f"{url}/searxng",
        "BRAVE_API_KEY": "key-of-brave",
        "GOSSAMER_PROVIDERS__BRAVE__BASE_URL": f"{url}/brave",
        "GOSSAMER_PROVIDERS__BRAVE__PER_SECOND": "1000",
        "GOOGLE_API_KEY": "key-of-google",
        "GOOGLE_SEARCH_ENGINE_ID": "0123456789abcdef0",
        "GOSSAMER_PROVIDERS__GOOGLE__BASE_URL": f"{url}/google",
        "OPENAI_API_KEY": "sk-key-of-openai",
        "GOSSAMER_PROVIDERS__OPENAI__BASE_URL": f"{url}/openai",
        "GOSSAMER_SEARCH__PROVIDERS": "searxng",
        "GOSSAMER_WEBSEARCH__PROVIDER": "brave",
    }


class JsonHandler(BaseHTTPRequestHandler):
    """Hands every request to `answer`, with its JSON body, and says what that wants said."""

    def do_GET(self) -> None:
        self.answer({})

    def do_POST(self) -> None:
        self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def answer(self, asked: dict[str, Any]) -> None:
        """Answer one request."""
        raise NotImplementedError

    def say(self, status: int, text: str, headers: dict[str, str]) -> None:
        """Send one reply."""
        body = text.encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


class LittleWeb(ThreadingHTTPServer):
    """Serves pages and services; `asked` holds what came, `faults` what a service says instead of an answer."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.asked: list[Asked] = []
        self.faults: dict[str, Fault] = {}
        self.told: dict[str, dict[str, Any]] = {}
        """What Google said last, by query."""
        self.pages = dict(BY_ADDRESS)
        """By address; an example may change one."""

    def environment(self, folder: Path) -> dict[str, str]:
        """The settings of a server that lives in this web, by the names of the specifications where there are any."""
        return {
            "HOME": str(folder),
            "DATA_DIR": str(folder / "data"),
            "GOSSAMER_NET__PROXY": self.url,
            **services_environment(self.url),
        }

    def of(self, service: str) -> list[Asked]:
        """What came to one service."""
        return [one for one in self.asked if one.service == service]

    def visits(self, address: str) -> list[Asked]:
        """The requests for one page."""
        return [one for one in self.asked if one.service == "page" and one.target == address]

    def found(self, query: str) -> list[Page]:
        """The pages for a query, without what it says of sites."""
        words = " ".join(word for word in query.split() if not word.startswith("site:"))
        sites = [word.removeprefix("site:") for word in query.split() if word.startswith("site:")]
        pages = [self.pages[address] for address in FOUND.get(words, ())]
        return [page for page in pages if all((urlsplit(page.address).hostname or "").endswith(one) for one in sites)]


class _Handler(JsonHandler):
    server: LittleWeb
    protocol_version = "HTTP/1.1"

    def answer(self, asked: dict[str, Any]) -> None:
        service = "page" if "://" in self.path else urlsplit(self.path).path.split("/")[1]
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Asked(service, self.path.replace(":80/", "/", 1), headers, asked)
        self.server.asked.append(request)
        if fault := self.server.faults.get(service):
            self.say(fault.status, json.dumps(fault.body), {"Content-Type": "application/json", **fault.headers})
        elif service == "page":
            self._show(request)
        else:
            self.say(200, json.dumps(self._found(request)), {"Content-Type": "application/json"})

    def _found(self, asked: Asked) -> dict[str, Any]:
        query = asked.parameters.get("q", "")
        if asked.service == "openai":
            return openai(asked.body)
        pages = self.server.found(query)
        if asked.service == "google":
            self.server.told[query] = google(query, pages, asked.parameters)
            return self.server.told[query]
        return searxng(query, pages) if asked.service == "searxng" else brave(query, pages)

    def _show(self, asked: Asked) -> None:
        page = self.server.pages.get(asked.target)
        tag = f'"{page.edition}"' if page else ""
        if not (page and page.body):
            self.say(404, "<title>Not found</title><p>Nothing here.</p>", {"Content-Type": "text/html"})
        elif asked.headers.get("if-none-match") == tag:
            self.say(304, "", {"Content-Type": "text/html", "ETag": tag})
        else:
            kind = "text/html; charset=utf-8"
            self.say(200, page.html, {"Content-Type": kind, "ETag": tag, "Cache-Control": "max-age=0"})


@contextmanager
def served(web: Web) -> Iterator[Web]:
    """A web, served until the block ends."""
    with web:
        thread = threading.Thread(target=web.serve_forever, daemon=True)
        thread.start()
        yield web
        web.shutdown()
        thread.join()


def little_web() -> AbstractContextManager[LittleWeb]:
    """The little web, served until the block ends."""
    return served(LittleWeb())
