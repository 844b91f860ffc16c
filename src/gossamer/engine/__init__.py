"""The product's table of contents: search, fetch, read, answer, written against ports alone.

What does the work is loaded with the first engine: a server that has only listed its tools needs none of it.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gossamer.engine.model_search_policy import ModelSearchPolicy
from gossamer.engine.rules import (
    ContentRules,
    Deadlines,
    GoogleRules,
    Limits,
    MediaSearchRules,
    WebFetchRules,
    WebSearchRules,
)
from gossamer.engine.search_policy import SearchPolicy
from gossamer.model.answer import Answer, Former, Reading
from gossamer.model.http import FetchPolicy
from gossamer.model.page import Page, Reembedded, View
from gossamer.model.search import ModelAnswer, ModelQuery, Query, SearchPage
from gossamer.ports import (
    Answerer,
    Call,
    Clock,
    Embedder,
    Extractor,
    Http,
    Lexicon,
    Provider,
    Reranker,
    Source,
    State,
    Store,
    Web,
)
from gossamer.resilience.retry import RetryPolicy


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """Everything an engine is made of."""

    web: Web
    api: Http
    extractor: Extractor
    embedder: Embedder
    lexicon: Lexicon
    answerer: Answerer
    store: Store
    state: State
    clock: Clock
    providers: Callable[[], tuple[Provider | Source, ...]]
    """Made at the first search: most calls of most servers are none."""
    variable: Callable[[str, str], str]
    """What sets a field of a provider, by the names of both."""
    reranker: Reranker | None = None


class Engine:
    """Search, fetch, read and answer. Every method takes the `Call` it works for."""

    def __init__(self, parts: Parts, limits: Limits, *, cursor_key: bytes) -> None:
        from gossamer.engine.answering import Answering
        from gossamer.engine.chunk_cache import ChunkCache
        from gossamer.engine.fetching import Fetching
        from gossamer.engine.isolation import OwnCopies
        from gossamer.engine.large import Large
        from gossamer.engine.library import LibraryAccess
        from gossamer.engine.model_search import ModelSearch
        from gossamer.engine.negative_cache import NegativeCache
        from gossamer.engine.provider_call import ProviderCalls
        from gossamer.engine.reading import Reader
        from gossamer.engine.reembedding import Reembedding
        from gossamer.engine.reranking import Reranking
        from gossamer.engine.result_pages import ResultPages
        from gossamer.engine.revalidation import Revalidation
        from gossamer.engine.search_cache import SearchCache
        from gossamer.engine.searching import Searching
        from gossamer.engine.vectors import ChunkVectors
        from gossamer.resilience.breaker import CircuitBreakers
        from gossamer.resilience.pacing import Queues
        from gossamer.resilience.single_flight import LeasedFlight

        self.clock = parts.clock
        self.cursor_key = cursor_key
        self.deadlines = limits.deadlines
        self.may_fetch = limits.may_fetch
        self.web_fetch = limits.web_fetch
        self.google = limits.google
        self.media_search = limits.media_search
        self.chunk_tokens = limits.chunk_tokens
        self.reads_with = limits.reads_with
        self._google_slots = asyncio.Semaphore(limits.google.at_once)
        self.web_search = limits.web_search
        self.shelf = LibraryAccess(store=parts.store)
        self._extractor = parts.extractor
        large, cutting = Large(), ChunkCache(store=parts.store, chunk_tokens=limits.chunk_tokens)
        self._fetching = Fetching(
            web=parts.web,
            store=parts.store,
            visiting=Revalidation(
                web=parts.web,
                extractor=parts.extractor,
                store=parts.store,
                cutting=cutting,
                large=large,
            ),
            misses=NegativeCache(state=parts.state, clock=parts.clock),
            copies=OwnCopies(state=parts.state),
            turns=LeasedFlight(parts.state, parts.clock),
            page_timeout_s=limits.page_timeout_s,
            comments=limits.comments,
        )
        self._reader = Reader(
            fetching=self._fetching,
            embedder=parts.embedder,
            lexicon=parts.lexicon,
            vectors=ChunkVectors(
                store=parts.store,
                turns=LeasedFlight(parts.state, parts.clock) if limits.reads_with else None,
            ),
            reranking=Reranking(reranker=parts.reranker),
            fetches_at_once=limits.fetches_at_once,
            cutting=cutting,
            large=large,
        )
        self._searching = Searching(
            asking=ProviderCalls(
                api=parts.api,
                healths=CircuitBreakers(state=parts.state, clock=parts.clock),
                queues=Queues(parts.state, parts.clock),
                timeout_s=limits.provider_timeout_s,
            ),
            results=SearchCache(state=parts.state, keep_s=limits.search_cache_s),
            providers=parts.providers,
            wanted=limits.providers,
            variable=parts.variable,
        )
        self.search_web = limits.search_web
        self.o3 = limits.o3
        self._writing = ModelSearch(
            api=parts.api,
            healths=self._searching.asking.healths,
            state=parts.state,
            part=self._searching.part,
            variable=parts.variable,
        )
        self._reembedding = Reembedding(store=parts.store, cutting=cutting, embedder=parts.embedder)
        self._contents = ResultPages(reader=self._reader, rules=limits.web_search.contents)
        self._answering = Answering(searching=self._searching, reader=self._reader, answerer=parts.answerer)

    def warm(self) -> None:
        """Begin to make ready what the first page needs; for who serves many calls."""
        self._extractor.warm()

    async def search(
        self, query: Query, call: Call, *, providers: Sequence[str] = (), terms: SearchPolicy | None = None
    ) -> SearchPage:
        """Find pages; `providers` limits and orders who is asked, `terms` are those of the tool that asks."""
        return await self._searching.search(query, call, wanted=providers, terms=terms)

    async def ask_google(self, query: Query, call: Call) -> SearchPage:
        """Ask Google alone, as the `google` contract's rules say: once more after an error on its side, no more."""
        terms = SearchPolicy(
            retries=RetryPolicy(when_late=True),
            timeout_s=self.google.timeout_ms / 1000,
            wants_raw=True,
            slots=self._google_slots,
        )
        return await self._searching.search(query, call, wanted=("google",), terms=terms)

    async def write(self, name: str, wish: ModelQuery, call: Call, rules: ModelSearchPolicy) -> ModelAnswer:
        """Have the model of one provider search and write, by a contract's own rules."""
        return await self._writing.write(name, wish, call, rules)

    async def with_content(self, page: SearchPage, call: Call) -> SearchPage:
        """Add what each hit's page holds for the query."""
        found = await self._contents.add(page, call)
        seen_by = self.reads_with if found.contents else ()
        return replace(found, services=(*found.services, *seen_by))

    async def fetch(
        self,
        url: str,
        call: Call,
        *,
        view: View | None = None,
        force_refresh: bool = False,
        terms: FetchPolicy | None = None,
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
        order: Literal["score", "page"] = "score",
        room_for: Callable[[Reading], int] | None = None,
        former: Former | None = None,
    ) -> Reading:
        """Find the passages of the pages that suit the queries, for showing `budget_tokens` of them at once.

        Who shows them may say how much there is `room_for` beside the rest of a reading; then they are chosen for that.
        Who goes on with a `former` reading is given it again, as far as it can be had.
        """
        return await self._reader.read(
            urls,
            queries,
            call,
            max_results=max_results,
            budget_tokens=budget_tokens,
            force_refresh=force_refresh,
            order=order,
            room_for=room_for,
            former=former,
        )

    async def open_page(self, url: str, call: Call, *, force_refresh: bool = False) -> Page:
        """Fetch one page as the `google` contract's rules say."""
        terms = FetchPolicy(timeout_s=self.google.timeout_ms / 1000)
        return await self._fetching.fetch(
            url, View(), call, force_refresh=force_refresh, terms=terms, slots=self._google_slots
        )

    async def read_page(
        self,
        page: Page,
        queries: Sequence[str],
        call: Call,
        *,
        max_results: int = 8,
        budget_tokens: int = 1500,
        min_score: float = 0.0,
    ) -> Reading:
        """Find the passages of a page at hand: a list for every query, each within `budget_tokens`."""
        return await self._reader.read_page(
            page, queries, call, max_results=max_results, budget_tokens=budget_tokens, min_score=min_score
        )

    async def answer(self, query: Query, call: Call, *, max_sources: int = 5) -> Answer:
        """Search, read the best pages and answer with proven citations."""
        found = await self._answering.answer(query, call, max_sources=max_sources)
        return replace(found, services=(*found.services, *self.reads_with)) if self.reads_with else found

    async def reembed(self, call: Call, *, afresh: bool = False) -> Reembedded:
        """Give vectors by the present model to every kept page that has none, or `afresh` to all."""
        return await self._reembedding.run(call, afresh=afresh)


__all__ = [
    "ContentRules",
    "Deadlines",
    "Engine",
    "GoogleRules",
    "Limits",
    "MediaSearchRules",
    "Parts",
    "SearchPolicy",
    "WebFetchRules",
    "WebSearchRules",
]
