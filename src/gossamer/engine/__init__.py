"""The product's table of contents: search, fetch, read, answer, written against ports alone.

What does the work is loaded with the first engine: a server that has only listed its tools needs none of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from gossamer.engine.policies import ContentPolicy, EngineOptions, ModelSearchPolicy, SearchPolicy
from gossamer.model.answer import Answer, Former, Reading
from gossamer.model.http import FetchPolicy
from gossamer.model.page import Page, Reembedded, View
from gossamer.model.search import ModelAnswer, ModelQuery, Query, SearchPage
from gossamer.model.verification import Verification
from gossamer.ports import (
    Answerer,
    Call,
    Clock,
    Embedder,
    Extractor,
    Http,
    Lexicon,
    Reranker,
    State,
    Store,
    Web,
)

if TYPE_CHECKING:
    from gossamer.engine.searching import Offer

_SEARCH_POLICY, _CONTENT_POLICY = SearchPolicy(), ContentPolicy()


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
    providers: "Callable[[], Mapping[str, Offer]]"
    """By name. Read at the first search: most calls of most servers are none; each is built when it is asked."""
    variable: Callable[[str, str], str]
    """What sets a field of a provider, by the names of both."""
    reranker: Reranker | None = None


class Engine:
    """Search, fetch, read and answer. Every method takes the `Call` it works for."""

    def __init__(self, parts: Parts, limits: EngineOptions, *, cursor_key: bytes) -> None:
        from gossamer.engine.answering import Answering
        from gossamer.engine.chunk_cache import ChunkCache, LargeTextQueue
        from gossamer.engine.fetching import Fetching, OwnCopies
        from gossamer.engine.library import LibraryAccess
        from gossamer.engine.model_search import ModelSearch
        from gossamer.engine.negative_cache import NegativeCache
        from gossamer.engine.page_choice import PageChoice
        from gossamer.engine.provider_call import ProviderCalls
        from gossamer.engine.reading import Reader
        from gossamer.engine.reranking import Reranking
        from gossamer.engine.result_pages import ResultPages
        from gossamer.engine.revalidation import Revalidation
        from gossamer.engine.search_cache import SearchCache
        from gossamer.engine.searching import Searching
        from gossamer.engine.vectors import ChunkVectors, Reembedding
        from gossamer.engine.verifying import Verifying
        from gossamer.resilience.breaker import CircuitBreakers
        from gossamer.resilience.pacing import Queues, SlotPools
        from gossamer.resilience.single_flight import LeasedFlight

        self.clock = parts.clock
        self.cursor_key = cursor_key
        self.policies = limits.policies
        self.chunk_tokens = limits.chunk_tokens
        self.reads_with = limits.reads_with
        self.library = LibraryAccess(store=parts.store)
        self._extractor = parts.extractor
        slots = SlotPools()
        large, chunk_cache = LargeTextQueue(), ChunkCache(store=parts.store, chunk_tokens=limits.chunk_tokens)
        self._fetching = Fetching(
            web=parts.web,
            store=parts.store,
            revalidation=Revalidation(
                web=parts.web,
                extractor=parts.extractor,
                store=parts.store,
                chunk_cache=chunk_cache,
                large=large,
            ),
            negative_cache=NegativeCache(state=parts.state, clock=parts.clock),
            copies=OwnCopies(state=parts.state),
            leased_flight=LeasedFlight(parts.state, parts.clock),
            slots=slots,
            page_timeout_s=limits.page_timeout_s,
            comments=limits.comments,
        )
        self._reader = Reader(
            fetching=self._fetching,
            embedder=parts.embedder,
            lexicon=parts.lexicon,
            vectors=ChunkVectors(
                store=parts.store,
                leased_flight=LeasedFlight(parts.state, parts.clock) if limits.reads_with else None,
            ),
            reranking=Reranking(reranker=parts.reranker),
            fetches_at_once=limits.fetches_at_once,
            chunk_cache=chunk_cache,
            large=large,
        )
        self._searching = Searching(
            provider_calls=ProviderCalls(
                api=parts.api,
                circuit_breakers=CircuitBreakers(state=parts.state, clock=parts.clock),
                queues=Queues(parts.state, parts.clock),
                slots=slots,
                timeout_s=limits.provider_timeout_s,
            ),
            search_cache=SearchCache(state=parts.state, keep_s=limits.search_cache_s),
            providers=parts.providers,
            wanted=limits.providers,
            variable=parts.variable,
        )
        self._model_search = ModelSearch(
            api=parts.api,
            circuit_breakers=self._searching.provider_calls.circuit_breakers,
            state=parts.state,
            part=self._searching.part,
            variable=parts.variable,
        )
        self._reembedding = Reembedding(store=parts.store, chunk_cache=chunk_cache, embedder=parts.embedder)
        self._result_pages = ResultPages(reader=self._reader)
        page_choice = PageChoice(lexicon=parts.lexicon, chunk_tokens=limits.chunk_tokens)
        self._verifying = Verifying(reader=self._reader, lexicon=parts.lexicon, fetches_at_once=limits.fetches_at_once)
        self._answering = Answering(
            searching=self._searching,
            reader=self._reader,
            answerer=parts.answerer,
            page_choice=page_choice,
            fetches_at_once=limits.fetches_at_once,
        )

    def warm(self) -> None:
        """Begin to make ready what the first page needs; for who serves many calls."""
        self._extractor.warm()

    async def search(
        self, query: Query, call: Call, *, providers: Sequence[str] = (), policy: SearchPolicy = _SEARCH_POLICY
    ) -> SearchPage:
        """Find pages; `providers` limits and orders who is asked, `policy` is that of the tool that asks."""
        policy = replace(policy, providers=tuple(providers)) if providers else policy
        return await self._searching.search(query, call, policy)

    async def model_search(
        self, provider: str, query: ModelQuery, call: Call, *, policy: ModelSearchPolicy
    ) -> ModelAnswer:
        """Have the model of one provider search and write, by the policy of the tool that asks."""
        return await self._model_search.search(provider, query, call, policy)

    async def with_content(
        self, page: SearchPage, call: Call, *, policy: ContentPolicy = _CONTENT_POLICY
    ) -> SearchPage:
        """Add what each hit's page holds for the query."""
        found = await self._result_pages.add(page, call, policy)
        seen_by = self.reads_with if found.contents else ()
        return replace(found, services=(*found.services, *seen_by))

    async def fetch(
        self,
        url: str,
        call: Call,
        *,
        view: View | None = None,
        force_refresh: bool = False,
        policy: FetchPolicy | None = None,
    ) -> Page:
        """Fetch one page as text, from the library while it is fresh; `policy` is that of the tool that asks."""
        return await self._fetching.fetch(url, view or View(), call, force_refresh=force_refresh, policy=policy)

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
        pages: Sequence[Page] = (),
    ) -> Reading:
        """Find the passages of the pages that suit the queries, for showing `budget_tokens` of them at once.

        `pages` that are at hand are read beside those of `urls`.

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
            pages=pages,
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

    async def answer(
        self,
        query: Query,
        call: Call,
        *,
        max_sources: int = 5,
        urls: Sequence[str] = (),
        pages: Sequence[Page] = (),
        force_refresh: bool = False,
    ) -> Answer:
        """Search, read the best pages and answer with proven citations.

        `urls`, and `pages` that are at hand, are read in the place of what a search finds.
        """
        found = await self._answering.answer(
            query, call, max_sources=max_sources, urls=urls, pages=pages, force_refresh=force_refresh
        )
        use = call.log.model_use
        return replace(found, services=(*found.services, *self.reads_with, *([use.service] if use else [])))

    async def verify(
        self,
        claim: str,
        urls: Sequence[str],
        call: Call,
        *,
        pages: Sequence[Page] = (),
        force_refresh: bool = False,
    ) -> Verification:
        """Say whether the pages at these addresses, or `pages` that are at hand, support a claim; no model is asked."""
        found = await self._verifying.verify(claim, urls, call, pages=pages, force_refresh=force_refresh)
        return replace(found, services=self.reads_with)

    async def reembed(self, call: Call, *, afresh: bool = False) -> Reembedded:
        """Give vectors by the present model to every kept page that has none, or `afresh` to all."""
        return await self._reembedding.run(call, afresh=afresh)


__all__ = ["Engine", "EngineOptions", "Parts"]
