import asyncio
import json
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.errors import (
    BadSettings,
    BrokenReply,
    Captcha,
    Denied,
    GossamerError,
    RateLimited,
    TimedOut,
    UnexpectedReply,
    Unreachable,
)
from gossamer.model.search import Category, Details, Hit, Query
from gossamer.ports import Call, Source
from gossamer.providers.brave import Brave
from gossamer.providers.ddgs import Ddgs, Way, through_ddgs
from gossamer.providers.duckduckgo import DuckDuckGo
from gossamer.testing.state_contract import SetClock

RESULTS = '<html><div id="links"><div class="no-results">No results.</div></div></html>'


@dataclass
class Said:
    status_code: int
    text: str


@dataclass
class Client:
    said: Said

    def request(self, *args: Any, **kwargs: Any) -> Said:
        return self.said


@dataclass
class Package:
    """Stands in for the package: what the service said, and what the package makes of it."""

    status: int = 200
    text: str = RESULTS
    pages: Sequence[Sequence[dict[str, Any]]] = ()
    raises: Exception | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    search_url: str = "https://html.duckduckgo.com/html/"
    http_client: Any = None

    def search(self, query: str, **asked: Any) -> list[Any] | None:
        self.asked.append({"query": query, "url": self.search_url, **asked})
        reply = self.http_client.request("POST", self.search_url)
        if self.raises:
            raise self.raises
        page = asked["page"] - 1
        return (
            [SimpleNamespace(**row) for row in self.pages[page]]
            if reply.status_code == 200 and page < len(self.pages)
            else None
        )


def opened(package: Package, page: DuckDuckGo | None = None) -> Ddgs:
    def engine(kind: str, timeout_s: int, way: Way) -> Any:
        package.asked.append({"kind": kind, "timeout_s": timeout_s, "way": way})
        package.http_client = Client(Said(package.status, package.text))
        return package

    return Ddgs(page or DuckDuckGo(per_second=1000), open_engine=engine)


def call(seconds: float = 8.0) -> Call:
    clock = SetClock()
    return Call(clock=clock, deadline=clock.monotonic() + seconds)


TEXT = [
    {
        "title": "asyncio — Asynchronous I/O",
        "href": "https://docs.python.org/3/library/asyncio.html",
        "body": "asyncio is a library to write concurrent code using the async/await syntax.",
    },
    {
        "title": "Async IO in Python",
        "href": "https://realpython.com/async-io-python/",
        "body": "A hands-on walkthrough.",
    },
]
NEWS = {
    "date": "2026-11-14T09:00:00+00:00",
    "title": "Example headline",
    "body": "Excerpt.",
    "url": "https://news.example.org/a",
    "image": "https://news.example.org/a.jpg",
    "source": "Example News",
}
IMAGE = {
    "title": "Ferris",
    "image": "https://rustacean.net/a.png",
    "thumbnail": "https://tse1.mm.bing.net/th?id=example",
    "url": "https://rustacean.net/",
    "height": "800",
    "width": "1200",
    "source": "Bing",
}
VIDEO = {
    "title": "Rust talk",
    "content": "https://www.youtube.com/watch?v=EXAMPLE",
    "description": "A talk.",
    "duration": "41:56",
    "embed_html": "",
    "embed_url": "https://www.youtube.com/embed/EXAMPLE",
    "image_token": "",
    "images": {"large": "", "medium": "https://i.example/m.jpg", "motion": "", "small": ""},
    "provider": "Bing",
    "published": "2026-03-30T17:57:36.0000000",
    "publisher": "YouTube",
    "statistics": {"viewCount": 6588},
    "uploader": "RustConf",
}
MEANT: dict[Category, tuple[dict[str, Any], Hit]] = {
    "general": (
        TEXT[1],
        Hit(
            url="https://realpython.com/async-io-python/",
            title="Async IO in Python",
            snippet="A hands-on walkthrough.",
            engine="duckduckgo",
        ),
    ),
    "news": (
        NEWS,
        Hit(
            url="https://news.example.org/a",
            title="Example headline",
            snippet="Excerpt.",
            engine="duckduckgo",
            published="2026-11-14",
            details=Details(image_url="https://news.example.org/a.jpg", source="Example News"),
        ),
    ),
    "images": (
        IMAGE,
        Hit(
            url="https://rustacean.net/",
            title="Ferris",
            engine="duckduckgo",
            details=Details(
                image_url="https://rustacean.net/a.png",
                thumbnail_url="https://tse1.mm.bing.net/th?id=example",
                resolution="1200x800",
                source="Bing",
            ),
        ),
    ),
    "videos": (
        VIDEO,
        Hit(
            url="https://www.youtube.com/watch?v=EXAMPLE",
            title="Rust talk",
            snippet="A talk.",
            engine="duckduckgo",
            published="2026-03-30",
            details=Details(thumbnail_url="https://i.example/m.jpg", duration_s=2516, source="RustConf"),
        ),
    ),
}


@pytest.mark.parametrize("category", MEANT)
async def test_rows_of_every_kind_become_hits(category: Category) -> None:
    row, meant = MEANT[category]
    package = Package(pages=[[row]])
    found = await opened(package).search(Query(text="rust", category=category), call())
    assert found.hits == (meant,)
    assert package.asked[0]["kind"] == {"general": "text"}.get(category, category)


async def test_a_query_is_asked_as_the_package_wants_it() -> None:
    package = Package(pages=[TEXT])
    query = Query(
        text="a" * 600, count=2, site="python.org", region="at", language="de", safe_search=2, time_range="week"
    )
    await opened(package, DuckDuckGo(base_url="http://127.0.0.1:8080/html")).search(query, call(seconds=2.4))
    opening, asked = package.asked
    assert opening["timeout_s"] == 3
    assert asked["url"] == "http://127.0.0.1:8080/html/"
    assert asked["query"].endswith(" site:python.org")
    assert len(asked["query"]) <= 499
    assert (asked["region"], asked["safesearch"], asked["timelimit"], asked["page"]) == ("at-de", "on", "w", 1)


async def test_further_pages_are_asked_for_while_they_bring_something_new() -> None:
    package = Package(pages=[TEXT[:1], TEXT, TEXT])
    found = await opened(package).search(Query(text="rust"), call())
    assert [hit.title for hit in found.hits] == [row["title"] for row in TEXT]
    assert [asked["page"] for asked in package.asked[1:]] == [1, 2, 3]
    assert len((await opened(Package(pages=[TEXT])).search(Query(text="rust", count=1), call())).hits) == 1


async def test_a_later_page_that_fails_costs_only_itself() -> None:
    class Tiring(Package):
        def search(self, query: str, **asked: Any) -> list[Any] | None:
            rows = super().search(query, **asked)
            self.http_client = Client(Said(202, "anomaly.js"))
            return rows

    found = await opened(Tiring(pages=[TEXT[:1]])).search(Query(text="rust"), call())
    assert len(found.hits) == 1
    assert "Page 2" in found.note


async def test_a_results_page_without_results_is_nothing_found() -> None:
    assert (await opened(Package(pages=[[]])).search(Query(text="rust"), call())).hits == ()
    empty = Package(text='{"results": []}', pages=[[]])
    assert (await opened(empty).search(Query(text="rust", category="news"), call())).hits == ()


class TimeoutException(Exception):
    """Named like the package's own."""


CHALLENGE = '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html"></form>'
BLOCKS: dict[str, tuple[Package, type[GossamerError]]] = {
    "a challenge": (Package(status=202, text=CHALLENGE), Captcha),
    "a challenge that looks well": (Package(text=CHALLENGE), Captcha),
    "accepted, without a word": (Package(status=202, text=""), Captcha),
    "sent away": (Package(status=303, text=""), Captcha),
    "turned away": (Package(status=403, text="Forbidden"), Denied),
    "too often": (Package(status=429, text=""), RateLimited),
    "broken": (Package(status=502, text=""), Unreachable),
    "another page": (Package(text="<h1>Welcome</h1>", pages=[[]]), UnexpectedReply),
    "a block that the package stumbles over": (Package(text=CHALLENGE, raises=ValueError("no vqd")), Captcha),
    "something that cannot be read": (Package(raises=ValueError("no json")), BrokenReply),
    "too late, by its name": (Package(raises=TimeoutException("x")), TimedOut),
    "too late, in words": (Package(raises=RuntimeError("operation timed out")), TimedOut),
}


@pytest.mark.parametrize(("package", "kind"), BLOCKS.values(), ids=BLOCKS)
async def test_a_block_is_never_nothing_found(package: Package, kind: type[GossamerError]) -> None:
    with pytest.raises(kind) as failed:
        await opened(package).search(Query(text="rust"), call())
    assert failed.value.hint


async def test_json_of_another_shape_is_never_nothing_found() -> None:
    with pytest.raises(UnexpectedReply):
        await opened(Package(text=json.dumps({"error": "no"}), pages=[[]])).search(
            Query(text="rust", category="images"), call()
        )


UNTIDY: dict[str, tuple[Category, dict[str, Any]]] = {
    "an advert": ("general", {"title": "Ad", "href": "https://duckduckgo.com/y.js?ad_domain=a", "body": ""}),
    "no address": ("general", {"title": "T", "href": "", "body": "B"}),
    "fields of another type": ("news", {"title": 7, "url": None, "date": 1794614400}),
    "a film without stills": ("videos", {"title": "T", "content": "", "embed_url": "", "images": None}),
}


@pytest.mark.parametrize(("category", "row"), UNTIDY.values(), ids=UNTIDY)
async def test_a_row_without_an_address_is_left_out(category: Category, row: dict[str, Any]) -> None:
    found = await opened(Package(pages=[[row]])).search(Query(text="rust", category=category), call())
    assert found.hits == ()


def test_it_is_the_same_service_with_the_same_settings() -> None:
    page = DuckDuckGo(per_second=0.1, timeout_s=4)
    source: Source = Ddgs(page)
    assert (source.name, source.title, source.filters) == (page.name, page.title, page.filters)
    assert (source.terms.per_second, source.timeout_s) == (0.1, 4)
    assert source.terms.privacy == page.terms.privacy
    assert Ddgs(DuckDuckGo()).terms.per_second == DuckDuckGo.terms.per_second
    assert source.instance(Query(text="x")) == page.base_url


PROXIES: dict[str, tuple[Callable[[str], bool] | None, str | None]] = {
    "for all": (None, "http://proxy.test:3128"),
    "for this host": (lambda host: host == "html.duckduckgo.com", "http://proxy.test:3128"),
    "not for this host": (lambda host: False, None),
}


@pytest.mark.parametrize(("carries", "used"), PROXIES.values(), ids=PROXIES)
async def test_it_is_reached_in_the_way_that_the_operator_set(
    carries: Callable[[str], bool] | None, used: str | None
) -> None:
    ways: list[Way] = []
    package = Package(pages=[TEXT])

    def engine(kind: str, timeout_s: int, way: Way) -> Any:
        ways.append(way)
        package.http_client = Client(Said(200, RESULTS))
        return package

    way = Way(proxy="http://proxy.test:3128", carries=carries, ca="/etc/ca.pem")
    await Ddgs(DuckDuckGo(), way, open_engine=engine).search(Query(text="rust", count=2), call())
    assert [(way.proxy, way.ca) for way in ways] == [(used, "/etc/ca.pem")]


async def test_a_proxy_that_cannot_be_used_is_told_when_it_is_asked() -> None:
    def never(kind: str, timeout_s: int, way: Way) -> Any:
        raise AssertionError("the package went its own way")

    def carries(host: str) -> bool:
        raise BadSettings(f"HTTP_PROXY is no proxy for {host}.")

    asked = Ddgs(DuckDuckGo(), Way(proxy="socks5://proxy.test", carries=carries), open_engine=never)
    with pytest.raises(BadSettings, match="HTTP_PROXY is no proxy"):
        await asked.search(Query(text="rust", count=2), call())


def test_everybody_else_stays_as_they_are() -> None:
    brave = Brave()
    assert through_ddgs([brave], Way()) == (brave,)


async def test_who_gives_up_does_not_wait_for_the_package() -> None:
    gate = threading.Event()

    class Stuck(Package):
        def search(self, query: str, **asked: Any) -> list[Any] | None:
            gate.wait(30)
            return super().search(query, **asked)

    asking = asyncio.create_task(opened(Stuck(pages=[TEXT])).search(Query(text="rust"), call()))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not gate.is_set()
    gate.set()


def test_without_the_package_duckduckgo_is_asked_by_our_own_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ddgs", None)  # so that it cannot be found
    page = DuckDuckGo()
    assert through_ddgs([page], Way()) == (page,)


def test_with_the_package_it_is_asked_through_that() -> None:
    pytest.importorskip("ddgs", reason="the extra duckduckgo is not installed")
    brave = Brave()
    first, second = through_ddgs([brave, DuckDuckGo()], Way())
    assert first is brave
    assert isinstance(second, Ddgs)


async def test_a_package_that_cannot_be_used_is_a_failure_of_this_service_alone() -> None:
    def broken(kind: str, timeout_s: int, way: Way) -> Any:
        raise ImportError("its client is missing")

    with pytest.raises(BrokenReply, match="through ddgs"):
        await Ddgs(DuckDuckGo(), open_engine=broken).search(Query(text="rust"), call())


async def test_an_address_of_the_operator_is_never_passed_by() -> None:
    package = Package(pages=[TEXT])
    own = opened(package, DuckDuckGo(base_url="https://search.example.org/html", per_second=1000))
    assert own.categories == DuckDuckGo.categories
    await own.search(Query(text="rust", category="news", count=1), call())
    opening, asked = package.asked
    assert (opening["kind"], asked["url"]) == ("text", "https://search.example.org/html/")
