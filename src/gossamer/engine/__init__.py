"""The product's table of contents: search, fetch, read, answer, written against ports alone.

What does the work is loaded with the first engine: a server that has only listed its tools needs none of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gossamer.model.answer import Answer, Reading
from gossamer.model.http import Terms
from gossamer.model.page import Page, View
from gossamer.model.search import Query, SearchPage
from gossamer.ports import Answerer, Call, Clock, Embedder, Extractor, Http, Provider, Source, State, Store, Web
from gossamer.steps.retry import Retries


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """Everything an engine is made of."""

    web: Web
    api: Http
    extractor: Extractor
    embedder: Embedder
    answerer: Answerer
    store: Store
    state: State
    clock: Clock
    providers: Callable[[], tuple[Provider | Source, ...]]
    """Made at the first search: most calls of most servers are none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deadlines:
    """Seconds that a whole call of each kind may take."""

    search_s: float = 30.0
    fetch_s: float = 25.0
    web_fetch_s: float = 30.0
    """Of the `websearch` contract's `WebFetch`."""
    read_s: float = 30.0
    answer_s: float = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class WebFetchRules:
    """What the operator decides for the `websearch` contract's `WebFetch` alone."""

    terms: Terms = field(default_factory=lambda: Terms(limited_retries=2))
    max_chars: int = 100_000
    """The most that one result holds, whatever is asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What the operator decides about the engine's work."""

    providers: tuple[str, ...] = ()
    """Limits and orders the providers; empty: the plan decides."""
    provider_timeout_s: float = 10.0
    search_cache_s: float = 3600.0
    page_timeout_s: float = 20.0
    fetches_at_once: int = 5
    chunk_tokens: int = 128
    may_fetch: bool = True
    """Whether a search may open the pages that it found."""
    comments: bool = False
    """Whether pages are read with the comments under them."""
    deadlines: Deadlines = Deadlines()
    web_fetch: WebFetchRules = WebFetchRules()


class Engine:
    """Search, fetch, read and answer. Every method takes the `Call` it works for."""

    def __init__(self, parts: Parts, limits: Limits, *, cursor_key: bytes) -> None:
        from gossamer.engine.answering import Answering
        from gossamer.engine.asking import Asking
        from gossamer.engine.fetching import Fetching
        from gossamer.engine.health import Healths
        from gossamer.engine.large import Large
        from gossamer.engine.misses import Misses
        from gossamer.engine.queues import Queues
        from gossamer.engine.reading import Reader
        from gossamer.engine.results import Results
        from gossamer.engine.searching import Searching
        from gossamer.engine.shelf import Shelf
        from gossamer.engine.visiting import Visiting
        from gossamer.flights import Turns

        self.clock = parts.clock
        self.cursor_key = cursor_key
        self.deadlines = limits.deadlines
        self.may_fetch = limits.may_fetch
        self.web_fetch = limits.web_fetch
        self.shelf = Shelf(store=parts.store)
        self._extractor = parts.extractor
        large = Large()
        self._fetching = Fetching(
            web=parts.web,
            store=parts.store,
            visiting=Visiting(
                web=parts.web,
                extractor=parts.extractor,
                store=parts.store,
                chunk_tokens=limits.chunk_tokens,
                large=large,
            ),
            misses=Misses(state=parts.state, clock=parts.clock),
            turns=Turns(parts.state, parts.clock),
            page_timeout_s=limits.page_timeout_s,
            comments=limits.comments,
        )
        self._reader = Reader(
            fetching=self._fetching,
            embedder=parts.embedder,
            store=parts.store,
            fetches_at_once=limits.fetches_at_once,
            chunk_tokens=limits.chunk_tokens,
            large=large,
        )
        self._searching = Searching(
            asking=Asking(
                api=parts.api,
                healths=Healths(state=parts.state, clock=parts.clock),
                queues=Queues(parts.state, parts.clock),
                timeout_s=limits.provider_timeout_s,
            ),
            results=Results(state=parts.state, keep_s=limits.search_cache_s),
            providers=parts.providers,
            wanted=limits.providers,
            reader=self._reader,
        )
        self._answering = Answering(searching=self._searching, reader=self._reader, answerer=parts.answerer)

    def warm(self) -> None:
        """Begin to make ready what the first page needs; for who serves many calls."""
        self._extractor.warm()

    async def search(
        self, query: Query, call: Call, *, providers: Sequence[str] = (), retries: Retries | None = None
    ) -> SearchPage:
        """Find pages; `providers` limits and orders who is asked, `retries` says how patiently."""
        return await self._searching.search(query, call, wanted=providers, retries=retries)

    async def with_content(self, page: SearchPage, call: Call) -> SearchPage:
        """Add what each hit's page holds for the query."""
        return await self._searching.with_content(page, call)

    async def fetch(
        self,
        url: str,
        call: Call,
        *,
        view: View | None = None,
        force_refresh: bool = False,
        terms: Terms | None = None,
    ) -> Page:
        """Fetch one page as text, from the library while it is fresh; `terms` are those of the tool that asks."""
        return await self._fetching.fetch(url, view or View(), call, force_refresh=force_refresh, terms=terms)

    async def snapshot(self, url: str, call: Call, *, view: View | None = None, content_hash: str) -> Page:
        """Exactly the text that a cursor names, or `BadCursor` when it is gone."""
        return await self._fetching.snapshot(url, view or View(), call, content_hash=content_hash)

    async def read(
        self,
        urls: Sequence[str],
        queries: Sequence[str],
        call: Call,
        *,
        max_results: int = 8,
        budget_tokens: int = 1500,
        force_refresh: bool = False,
    ) -> Reading:
        """Find the passages of the pages that suit the queries, for showing `budget_tokens` of them at once."""
        return await self._reader.read(
            urls,
            queries,
            call,
            max_results=max_results,
            budget_tokens=budget_tokens,
            force_refresh=force_refresh,
        )

    async def answer(self, query: Query, call: Call, *, max_sources: int = 5) -> Answer:
        """Search, read the best pages and answer with proven citations."""
        return await self._answering.answer(query, call, max_sources=max_sources)
