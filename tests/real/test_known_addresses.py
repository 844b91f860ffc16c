"""Known addresses over real connections: the names are looked up and judged, and a loopback site stands for them."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gossamer import Engine, Settings, new_call, open_engine
from gossamer.settings.model import NetSettings

PUBLIC = "93.184.216.34"
README = "# Lamps\n\nA library for lamps, with oil and wicks.\n"
PAPER = "<title>Attention</title><article><h1>Attention</h1><p>" + "We propose a new and simple network. " * 20
ABSTRACT = "<title>Abstract</title><article><h1>Abstract</h1><p>" + "The abstract of a paper is short. " * 20
PAGES = {
    ("raw.githubusercontent.com", "/a/lamps/main/README.md"): ("text/plain", README),
    ("github.com", "/a/lamps/blob/main/README.md"): ("text/html", "<title>lamps</title><p>Much around the file.</p>"),
    ("github.com", "/a/gone/blob/main/README.md"): ("text/html", f"<title>gone</title><article>{'<p>Words.</p>' * 90}"),
    ("arxiv.org", "/html/1706.03762"): ("text/html", PAPER),
    ("arxiv.org", "/abs/1706.03762"): ("text/html", ABSTRACT),
    ("arxiv.org", "/abs/9901.00001"): ("text/html", ABSTRACT),
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, text = PAGES.get((self.headers["Host"], self.path), ("text/plain", ""))
        self.send_response(200 if text else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as site:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        yield site.server_port
        site.shutdown()
        thread.join()


@asynccontextmanager
async def engine_at(port: int, folder: Path, *, inside: str = "", **net: tuple[str, ...]) -> AsyncIterator[Engine]:
    """An engine for which every name is public, except `inside`, and leads to the site."""

    async def resolve(host: str) -> list[str]:
        return ["127.0.0.1" if host == inside else PUBLIC]

    async def dial(address: str, _port: int) -> tuple[str, int]:
        assert address == PUBLIC
        return "127.0.0.1", port

    settings = Settings(data_dir=folder, net=NetSettings(**net))  # type: ignore[arg-type]  # lists of words
    async with open_engine(settings, resolve=resolve, dial=dial) as engine:
        yield engine


READ = {
    "a file on GitHub": ("http://github.com/a/lamps/blob/main/README.md", "http://raw.githubusercontent.com/a/lamps/main/README.md"),
    "a file that is not there raw": ("http://github.com/a/gone/blob/main/README.md", ""),
    "a paper with an HTML form": ("http://arxiv.org/abs/1706.03762", "http://arxiv.org/html/1706.03762"),
    "a paper without any": ("http://arxiv.org/abs/9901.00001", ""),
}  # fmt: skip


@pytest.mark.parametrize(("url", "final"), READ.values(), ids=READ)
async def test_a_page_is_read_where_it_is_best(url: str, final: str, port: int, tmp_path: Path) -> None:
    async with engine_at(port, tmp_path) as engine:
        page = await engine.fetch(url, new_call())
    assert (page.url, page.final_url) == (url, final or url)


async def test_passages_and_citations_name_the_address_that_was_asked_for(port: int, tmp_path: Path) -> None:
    url = "http://github.com/a/lamps/blob/main/README.md"
    async with engine_at(port, tmp_path) as engine:
        reading = await engine.read([url], ["What is it a library for?"], new_call())
    assert reading.passages[0].url == url
    assert "oil and wicks" in reading.passages[0].text


GUARDED: dict[str, dict[str, tuple[str, ...]]] = {
    "blocked by the operator": {"block_domains": ("raw.githubusercontent.com",)},
    "not among those allowed": {"allow_domains": ("github.com",)},
}


@pytest.mark.parametrize("net", GUARDED.values(), ids=GUARDED)
async def test_the_guard_judges_the_better_address_as_any_other(
    net: dict[str, tuple[str, ...]], port: int, tmp_path: Path
) -> None:
    url = "http://github.com/a/lamps/blob/main/README.md"
    async with engine_at(port, tmp_path, **net) as engine:
        assert (await engine.fetch(url, new_call())).final_url == url


async def test_a_better_address_that_leads_inside_is_never_dialled(port: int, tmp_path: Path) -> None:
    url = "http://github.com/a/lamps/blob/main/README.md"
    async with engine_at(port, tmp_path, inside="raw.githubusercontent.com") as engine:
        assert (await engine.fetch(url, new_call())).final_url == url
