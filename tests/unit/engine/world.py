"""An engine over a canned web: fakes at the HTTP and extractor seams, the reference store, the real ranking."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gossamer.answerers.quotes import Quotes
from gossamer.embedders.local import LocalEmbedder
from gossamer.engine import Engine, EngineOptions, Parts
from gossamer.engine.searching import Offer
from gossamer.errors import BlockedAddress, GossamerError, Outcome, Unreachable
from gossamer.extractors.html.selectors import check_selector
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.page import Extracted, View
from gossamer.ports import Call, Embedder, Lexicon, Provider, Reranker, Source, State, Store
from gossamer.providers.library_source import Library
from gossamer.providers.searxng import SearXNG
from gossamer.providers.wikipedia import Wikipedia
from gossamer.settings.names import provider_variable
from gossamer.states.memory import MemoryState
from gossamer.stores.memory import MemoryStore
from gossamer.testing.state_contract import SetClock

SEARX = "http://searx.test"
WIKI = "http://wiki.test"


Answer = HttpReply | GossamerError | Callable[[HttpRequest], HttpReply]


@dataclass
class CannedHttp:
    """Answers by the address without its query; what is not canned cannot be reached."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[HttpRequest] = field(default_factory=list)
    refuses: str = ""
    advises: str = ""

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.asked.append(request)
        await asyncio.sleep(0)
        answer = self.answers.get(request.url, Unreachable(f"{request.url} is not there.", hint="Can it."))
        if isinstance(answer, GossamerError):
            raise answer
        reply = answer if isinstance(answer, HttpReply) else answer(request)
        return replace(reply, url=reply.url or request.url)

    def admit(self, url: str) -> None:
        if self.refuses and url.startswith(self.refuses):
            raise BlockedAddress(f"{url} is refused.", hint="Ask the operator.")

    def advice(self, error: GossamerError) -> str:
        return self.advises if error.outcome is Outcome.UNREACHABLE else ""

    async def close(self) -> None:
        """Nothing to close."""


class Stuck(CannedHttp):
    """Never answers."""

    async def send(self, request: HttpRequest, call: Call) -> HttpReply:
        self.asked.append(request)
        await asyncio.Event().wait()
        raise AssertionError


@dataclass
class PlainExtractor:
    """The body is the text; its first line is the title."""

    asked: list[View] = field(default_factory=list)
    is_warm: bool = False
    fails: GossamerError | None = None

    def warm(self) -> None:
        self.is_warm = True

    def check(self, view: View) -> None:
        if view.selector:
            check_selector(view.selector)

    async def extract(self, reply: HttpReply, view: View, call: Call) -> Extracted:
        self.asked.append(view)
        if self.fails:
            raise self.fails
        text = reply.body.decode()
        return Extracted(title=text.partition("\n")[0].lstrip("# "), text=text)

    async def close(self) -> None:
        """Nothing to close."""


@dataclass
class World:
    """What a test sets up and looks at."""

    web: CannedHttp = field(default_factory=CannedHttp)
    api: CannedHttp = field(default_factory=CannedHttp)
    clock: SetClock = field(default_factory=SetClock)
    extractor: PlainExtractor = field(default_factory=PlainExtractor)
    embedder: Embedder = field(default_factory=LocalEmbedder)
    lexicon: Lexicon = field(default_factory=LocalEmbedder)
    reranker: Reranker | None = None
    limits: EngineOptions = field(default_factory=EngineOptions)
    store: Store | None = None
    state: State | None = None
    providers: tuple[Provider | Source, ...] | None = None
    offers: Mapping[str, Offer] | None = None
    """In the place of providers that are built."""

    def engine(self) -> Engine:
        store = self.store or MemoryStore()
        self.store = store
        providers = self.providers or (SearXNG(base_url=SEARX), Wikipedia(base_url=WIKI), Library(store))
        parts = Parts(
            web=self.web,
            api=self.api,
            extractor=self.extractor,
            embedder=self.embedder,
            lexicon=self.lexicon,
            reranker=self.reranker,
            answerer=Quotes(self.lexicon),
            store=store,
            state=self.state or MemoryState(clock=self.clock),
            clock=self.clock,
            providers=lambda: self.offers or {part.name: Offer.of(part) for part in providers},
            variable=provider_variable,
        )
        return Engine(parts, self.limits, cursor_key=b"k" * 32)

    def call(self, seconds: float = 30.0) -> Call:
        return Call(clock=self.clock, deadline=self.clock.monotonic() + seconds)

    def serve(self, url: str, text: str, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.web.answers[url] = HttpReply(
            status=200, url=url, headers={"content-type": "text/html", **named}, body=text.encode()
        )


def searxng_reply(*urls: str, **more: object) -> HttpReply:
    rows = [{"url": url, "title": f"About {url}", "content": f"Words on {url}", "engine": "e"} for url in urls]
    body = {"query": "q", "results": rows, "answers": [], "suggestions": [], "unresponsive_engines": [], **more}
    return reply_of(body)


def wikipedia_reply(*titles: str) -> HttpReply:
    rows = [{"title": title, "snippet": "a snippet", "pageid": n} for n, title in enumerate(titles, 1)]
    return reply_of({"query": {"searchinfo": {"totalhits": len(rows)}, "search": rows}})


def reply_of(body: Mapping[str, object], status: int = 200) -> HttpReply:
    headers = {"content-type": "application/json"}
    return HttpReply(status=status, url="", headers=headers, body=json.dumps(body).encode())
