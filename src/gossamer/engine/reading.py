"""Reading for a question: pages fetched at once, their sentences ranked together, the best spans returned."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gossamer.engine.fetching import Fetching
from gossamer.engine.indexes import Indexed, Indexes, Key
from gossamer.engine.large import Large
from gossamer.engine.reranking import Reranking
from gossamer.engine.vectors import ChunkVectors
from gossamer.errors import BadSettings, GossamerError, Outcome, StoreError, TimedOut
from gossamer.model.answer import Former, Ranking, Reading
from gossamer.model.http import FetchTerms
from gossamer.model.page import Chunk, Page, Passage, Vectors, View
from gossamer.model.search import Failure
from gossamer.ports import Call, Embedder, Lexicon, Store, Tongue
from gossamer.steps.canonical import canonical
from gossamer.steps.chunk import chunk
from gossamer.steps.index import LookUp, index
from gossamer.steps.passages import passages
from gossamer.steps.rank import Ranked, questions, rank
from gossamer.steps.tongue import tongue

_FETCH_SHARE = 0.9
"""Of the time: what is left ranks what came, so that a late page never costs the others."""
_CHOICES = 3
"""How often passages are chosen until they fit where they are shown."""
_CONTENT_RESULTS = 8
_CONTENT_TOKENS = 1500

Order = Literal["score", "page"]
RoomFor = Callable[[Reading], int]
"""How much text of passages there is room for where a reading is shown, seeing what is shown round it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ready:
    """A page that can be ranked where these languages meet."""

    page: Page
    tongue: Tongue
    indexed: Indexed


@dataclass(frozen=True, kw_only=True, slots=True)
class _Amount:
    """How much is returned."""

    max_results: int
    budget_tokens: int
    room_for: Callable[[list[list[Passage]], int, Ranking], int] = lambda _found, budget, _ranking: budget


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """Finds the passages of pages that suit questions."""

    fetching: Fetching
    embedder: Embedder
    lexicon: Lexicon
    store: Store
    vectors: ChunkVectors
    reranking: Reranking
    fetches_at_once: int
    chunk_tokens: int
    large: Large
    _indexes: Indexes = field(init=False, default_factory=Indexes)

    async def read(
        self,
        urls: Sequence[str],
        queries: Sequence[str],
        call: Call,
        *,
        max_results: int,
        budget_tokens: int,
        force_refresh: bool = False,
        order: Order = "score",
        room_for: RoomFor | None = None,
        former: Former | None = None,
    ) -> Reading:
        """Passages of all pages in one order; a dead page is a failure beside them, all dead is an error.

        Where `room_for` a reading is smaller than what it was chosen for, it is chosen again. A `former` reading is
        made again of the texts it was made of, without those pages that failed then: each of the others is needed.
        """
        slots = asyncio.Semaphore(self.fetches_at_once)
        limit = call.within(call.remaining_s * _FETCH_SHARE)
        distinct = list(former.snapshots if former else dict.fromkeys(canonical(url) for url in urls))

        async def page_at(url: str) -> Page:
            if former:
                return await self.fetching.snapshot(url, View(), limit, content_hash=former.snapshots[url])
            return await self.fetching.fetch(url, View(), limit, force_refresh=force_refresh)

        async def one(url: str) -> _Ready | GossamerError:
            try:
                async with asyncio.timeout(limit.remaining_s), slots:
                    page = await page_at(url)
                    spoken = tongue([(page.info.language, page.text)], queries)
                    ready = await self._ready(page, spoken, limit, has_vectors=former is None or former.has_vectors)
            except GossamerError as error:
                return error
            except TimeoutError:
                return TimedOut("The page did not come in time.", hint="Read it alone, or try again.")
            await call.progress(1, len(distinct), "read a page")
            return ready

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(url)) for url in distinct]
        results = [task.result() for task in tasks]
        both = list(zip(distinct, results, strict=True))
        errors = [(url, result) for url, result in both if isinstance(result, GossamerError)]
        ready = [result for result in results if isinstance(result, _Ready)]
        if errors and (former or not ready):
            raise errors[0][1] if ready else _all_failed([error for _, error in errors])
        empty = Reading(
            pages=tuple(each.page for each in ready),
            passages=(),
            queries=tuple(queries),
            failures=tuple(Failure.of(url, error) for url, error in errors),
        )

        def room(found: list[list[Passage]], budget: int, ranking: Ranking) -> int:
            reading = replace(empty, passages=tuple(found[0]), budget_tokens=budget, ranking=ranking)
            return room_for(reading) if room_for else budget

        amount = _Amount(max_results=max_results, budget_tokens=budget_tokens, room_for=room)
        (found,), shown, ranking = await self._passages(ready, [queries], call, amount, former)
        if order == "page":
            numbers = {each.page.url: number for number, each in enumerate(ready)}
            found.sort(key=lambda passage: (numbers[passage.url], passage.start))
        return replace(empty, passages=tuple(found), budget_tokens=shown, ranking=ranking)

    async def read_page(
        self,
        page: Page,
        queries: Sequence[str],
        call: Call,
        *,
        max_results: int,
        budget_tokens: int,
        min_score: float = 0.0,
    ) -> Reading:
        """The passages of a page at hand, for every query a list of its own, best first, none below `min_score`.

        Where page or question has no vectors there is no common scale, and nothing is below.
        """
        ready = await self._ready(page, tongue([(page.info.language, page.text)], queries), call)
        amount = _Amount(max_results=max_results, budget_tokens=budget_tokens)
        found, _, ranking = await self._passages([ready], [[query] for query in queries], call, amount)
        near = [[one for one in each if one.score >= min_score or not ranking.model] for each in found]
        far = {
            query: max((one.score for one in each), default=0.0)
            for query, each, kept in zip(queries, found, near, strict=True)
            if not kept
        }
        found_near = tuple(one for each in near for one in each)
        return Reading(pages=(page,), passages=found_near, queries=tuple(queries), far=far)

    async def passages_of(
        self, url: str, query: str, call: Call, *, terms: FetchTerms | None = None
    ) -> tuple[Page, tuple[Passage, ...]]:
        """One page, fetched on these terms, and its passages for one query."""
        page = await self.fetching.fetch(url, View(), call, terms=terms)
        reading = await self.read_page(page, [query], call, max_results=_CONTENT_RESULTS, budget_tokens=_CONTENT_TOKENS)
        return page, reading.passages

    def _key(self, page: Page, tongue: Tongue) -> Key:
        return (page.url, page.content_hash, self.embedder.speaking(tongue).name, str(tongue == "english"))

    async def _ready(self, page: Page, tongue: Tongue, call: Call, *, has_vectors: bool = True) -> _Ready:
        """The page's index and vectors: from memory, made of the chunks that the library keeps, or of its text."""
        key = self._key(page, tongue)
        known = self._indexes.get(key)
        if known is None:
            async with self.large.turn(len(page.text)):
                made = await asyncio.to_thread(index, await self._chunks(page, call), self._look_up(tongue))
            known = Indexed(index=made, vectors=None)
        if known.vectors is None:
            if has_vectors:
                embedder = self.embedder.speaking(tongue)
                known = replace(known, vectors=await self.vectors.of_chunks(page, known.index.chunks, embedder, call))
            self._indexes.put(key, known)
        return _Ready(page=page, tongue=tongue, indexed=known)

    async def _chunks(self, page: Page, call: Call) -> tuple[Chunk, ...]:
        chunks: tuple[Chunk, ...] = ()
        try:
            chunks = await self.store.chunks(page)
        except StoreError as error:
            call.note(f"The library could not be read: {error}")
        return chunks or await asyncio.to_thread(chunk, page.url, page.text, size=self.chunk_tokens)

    async def _passages(
        self,
        ready: Sequence[_Ready],
        lists: Sequence[Sequence[str]],
        call: Call,
        amount: _Amount,
        former: Former | None = None,
    ) -> tuple[list[list[Passage]], int, Ranking]:
        """The passages of each list of queries, of all pages together; the budget that they are for.

        And what ordered them: only where vectors had a say do their scores have a scale.
        """
        since = call.clock.monotonic()
        ready = [each for each in ready if each.indexed.index.grains]
        if not ready:
            return [[] for _ in lists], amount.budget_tokens, Ranking()
        has_vectors, may_judge = (former.has_vectors, former.is_judged) if former else (True, True)
        spoken: Tongue = ready[0].tongue if len({each.tongue for each in ready}) == 1 else "mixed"
        ready = [
            each if each.tongue == spoken else await self._ready(each.page, spoken, call, has_vectors=has_vectors)
            for each in ready
        ]
        queries = list(dict.fromkeys(query for each in lists for query in each))
        asked = await self.vectors.of_questions(queries, self.embedder.speaking(spoken), call) if has_vectors else None
        ready = await self._alike(asked, ready, call)

        indexes = [each.indexed.index for each in ready]
        chars = sum(len(each.page.text) for each in ready)

        def rank_all() -> list[Ranked]:
            looked_up = questions(queries, self._look_up(spoken))
            vectors = [each.indexed.vectors for each in ready]
            return rank(looked_up, indexes, vectors, asked, leans=self._has_specialist(spoken))

        async with self.large.turn(chars):
            ranked = await asyncio.to_thread(rank_all)
        is_scaled, is_judged = all(each.closeness is not None for each in ranked), False
        if may_judge:
            ranked, is_judged = await self.reranking.order(queries, indexes, ranked, call)
        ranking = Ranking(model=asked.model if asked and is_scaled else "", is_judged=is_judged)
        by_query = dict(zip(queries, ranked, strict=True))

        def choose(budget_tokens: int) -> list[list[Passage]]:
            return [
                passages(
                    each,
                    [one.page for one in ready],
                    indexes,
                    [by_query[query] for query in each],
                    model=asked.model if asked else "",
                    is_mixed=spoken == "mixed",
                    max_results=amount.max_results,
                    budget_tokens=budget_tokens,
                )
                for each in lists
            ]

        async with self.large.turn(chars):
            found, budget = await asyncio.to_thread(_fitting, choose, amount, ranking)
        call.record("rank", Outcome.OK, since=since, size=chars)
        return found, budget, ranking

    async def _alike(self, asked: Vectors | None, ready: list[_Ready], call: Call) -> list[_Ready]:
        """The pages with vectors of the question's dimension: those in memory may be of a model that has changed."""
        try:
            self.vectors.check_alike(asked, [each.indexed.vectors for each in ready])
        except BadSettings:
            for each in ready:
                self._indexes.put(self._key(each.page, each.tongue), replace(each.indexed, vectors=None))
            ready = [await self._ready(each.page, each.tongue, call) for each in ready]
            self.vectors.check_alike(asked, [each.indexed.vectors for each in ready])
        return ready

    def _has_specialist(self, tongue: Tongue) -> bool:
        """Whether the vectors are made by somebody who is asked between languages alone."""
        return tongue == "mixed" and self.embedder.speaking("mixed").name != self.embedder.speaking("other").name

    def _look_up(self, tongue: Tongue) -> LookUp:
        return lambda texts: self.lexicon.look_up(texts, tongue)


def _fitting(
    choose: Callable[[int], list[list[Passage]]], amount: _Amount, ranking: Ranking
) -> tuple[list[list[Passage]], int]:
    """What is chosen for the amount, or for less where there is no room for that; and for how much it was chosen."""
    budget = amount.budget_tokens
    found = choose(budget)
    for _ in range(_CHOICES - 1):
        room = amount.room_for(found, budget, ranking)
        if room >= budget:
            break
        budget = max(1, room)
        found = choose(budget)
    return found, budget


def _all_failed(errors: Sequence[GossamerError]) -> GossamerError:
    """The first error; with several pages it also says what happened to the others."""
    first = errors[0]
    if len(errors) > 1:
        others = ", ".join(error.outcome.value for error in errors[1:])
        first.message = f"None of the {len(errors)} pages could be read. The first: {first.message} Others: {others}."
    return first
