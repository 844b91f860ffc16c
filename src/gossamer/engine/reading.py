"""Reading for a question: pages fetched at once, their chunks ranked together, the best spans returned."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.engine.fetching import Fetching
from gossamer.engine.large import Large
from gossamer.errors import GossamerError, Outcome, StoreError, TimedOut
from gossamer.model.answer import Reading
from gossamer.model.page import Chunk, Page, Passage, Vectors, View
from gossamer.model.search import Failure
from gossamer.ports import Call, Embedder, Store
from gossamer.steps.canonical import canonical
from gossamer.steps.chunk import chunk, with_headings
from gossamer.steps.rank import pick, rank

_FETCH_SHARE = 0.9
"""Of the time: what is left ranks what came, so that a late page never costs the others."""
_CONTENT_RESULTS = 8
_CONTENT_TOKENS = 1500


@dataclass(frozen=True, kw_only=True, slots=True)
class _Indexed:
    """A page with what ranking needs."""

    page: Page
    chunks: tuple[Chunk, ...]
    vectors: Vectors


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """Finds the passages of pages that suit questions."""

    fetching: Fetching
    embedder: Embedder
    store: Store
    fetches_at_once: int
    chunk_tokens: int
    large: Large

    async def read(
        self,
        urls: Sequence[str],
        queries: Sequence[str],
        call: Call,
        *,
        max_results: int,
        budget_tokens: int,
        force_refresh: bool = False,
    ) -> Reading:
        """Passages of all pages in one order; a dead page is a failure beside them, all dead is an error."""
        slots = asyncio.Semaphore(self.fetches_at_once)
        limit = call.within(call.remaining_s * _FETCH_SHARE)
        distinct = list(dict.fromkeys(canonical(url) for url in urls))

        async def one(url: str) -> _Indexed | GossamerError:
            try:
                async with asyncio.timeout(limit.remaining_s), slots:
                    page = await self.fetching.fetch(url, View(), limit, force_refresh=force_refresh)
                    indexed = await self._index(page, limit)
            except GossamerError as error:
                return error
            except TimeoutError:
                return TimedOut("The page did not come in time.", hint="Read it alone, or try again.")
            await call.progress(1, len(distinct), "read a page")
            return indexed

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(url)) for url in distinct]
        results = [task.result() for task in tasks]
        errors = [(url, result) for url, result in zip(distinct, results, strict=True) if _is_error(result)]
        indexed = [result for result in results if isinstance(result, _Indexed)]
        if errors and not indexed:
            raise _all_failed([error for _, error in errors if isinstance(error, GossamerError)])
        passages = await self._passages(indexed, queries, call, max_results=max_results, budget_tokens=budget_tokens)
        return Reading(
            pages=tuple(one.page for one in indexed),
            passages=passages,
            failures=tuple(Failure.of(url, error) for url, error in errors if isinstance(error, GossamerError)),
        )

    async def passages_of(self, url: str, query: str, call: Call) -> tuple[Page, tuple[Passage, ...]]:
        """One page and its passages for one query."""
        page = await self.fetching.fetch(url, View(), call)
        indexed = await self._index(page, call)
        return page, await self._passages(
            [indexed], [query], call, max_results=_CONTENT_RESULTS, budget_tokens=_CONTENT_TOKENS
        )

    async def _index(self, page: Page, call: Call) -> _Indexed:
        """Chunks and vectors from the library where they are kept, else made and kept."""
        started = call.clock.monotonic()
        chunks: tuple[Chunk, ...] = ()
        vectors: Vectors | None = None
        try:
            chunks = await self.store.chunks(page)
            vectors = await self.store.vectors(page, self.embedder.name) if chunks else None
        except StoreError as error:
            call.note(f"The library could not be read: {error}")
        if vectors is None:
            async with self.large.turn(len(page.text)):
                if not chunks:
                    chunks = await asyncio.to_thread(chunk, page.url, page.text, size=self.chunk_tokens)
                vectors = await self.embedder.embed([with_headings(one) for one in chunks], call)
            call.record("embed", Outcome.OK, since=started, size=len(vectors.data))
            try:
                await self.store.save_vectors(page, vectors)
            except StoreError as error:
                call.note(f"The vectors were not kept: {error}")
        return _Indexed(page=page, chunks=chunks, vectors=vectors)

    async def _passages(
        self, indexed: Sequence[_Indexed], queries: Sequence[str], call: Call, *, max_results: int, budget_tokens: int
    ) -> tuple[Passage, ...]:
        asked = await self.embedder.embed(list(queries), call)
        chunks = [one for each in indexed for one in each.chunks]
        owners = [each.page for each in indexed for _ in each.chunks]
        together = Vectors(
            model=asked.model, dimension=asked.dimension, data=b"".join(each.vectors.data for each in indexed)
        )
        starts = [n for n, page in enumerate(owners) if n == 0 or owners[n - 1] is not page]

        def choose() -> tuple[Passage, ...]:
            picked = pick(
                rank(queries, chunks, together, asked),
                chunks,
                max_results=max_results,
                budget_tokens=budget_tokens,
                page_starts=starts,
            )
            return tuple(
                Passage(
                    url=owners[span.first].url,
                    title=owners[span.first].title,
                    section=span.section,
                    start=span.start,
                    end=span.end,
                    text=owners[span.first].text[span.start : span.end],
                    score=span.score,
                    query=queries[span.query],
                )
                for span in picked
            )

        async with self.large.turn(sum(len(each.page.text) for each in indexed)):
            return await asyncio.to_thread(choose)


def _is_error(result: _Indexed | GossamerError) -> bool:
    return isinstance(result, GossamerError)


def _all_failed(errors: Sequence[GossamerError]) -> GossamerError:
    """The first error; with several pages it also says what happened to the others."""
    first = errors[0]
    if len(errors) > 1:
        others = ", ".join(error.outcome.value for error in errors[1:])
        first.message = f"None of the {len(errors)} pages could be read. The first: {first.message} Others: {others}."
    return first
