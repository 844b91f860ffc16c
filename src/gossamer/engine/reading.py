"""Reading for a question: pages are fetched at once, their sentences ranked together, the best spans returned."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gossamer.engine.chunk_cache import ChunkCache, Indexed, Indexes, Key, LargeTextQueue
from gossamer.engine.fetching import Fetching
from gossamer.engine.reranking import Reranking
from gossamer.engine.vectors import ChunkVectors
from gossamer.errors import BadSettings, GossamerError, Outcome, TimedOut
from gossamer.model.answer import Former, Ranking, Reading
from gossamer.model.http import FetchPolicy
from gossamer.model.page import Page, Passage, Vectors, View
from gossamer.model.search import Failure
from gossamer.ports import Call, Embedder, LanguageMix, Lexicon
from gossamer.resilience.deadline import FETCH
from gossamer.steps.retrieval.index import LookUp, index
from gossamer.steps.retrieval.passages import closest, passages
from gossamer.steps.retrieval.rank import Ranked, questions, rank
from gossamer.steps.text.language_mix import detect_mix
from gossamer.steps.text.words import stemmer
from gossamer.steps.web.urls import canonical

_CHOICES = 3
"""How often passages are chosen until they fit where they are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Amount:
    """How much is returned."""

    max_results: int
    budget_tokens: int
    min_score: float = 0.0
    room_for: Callable[[list[list[Passage]], int, Ranking], int] = lambda _found, budget, _ranking: budget


def fitting(
    choose: Callable[[int], list[list[Passage]]], amount: Amount, ranking: Ranking
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


_CONTENT_RESULTS = 8
_CONTENT_TOKENS = 1500

Order = Literal["score", "page"]
RoomFor = Callable[[Reading], int]
"""How much text of passages there is room for where a reading is shown, seeing what is shown round it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ready:
    """A page that can be ranked where these languages meet."""

    page: Page
    mix: LanguageMix
    indexed: Indexed


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """The passages of each list of queries, the budget they are for, and what ordered them."""

    lists: list[list[Passage]]
    budget_tokens: int
    ranking: Ranking = field(default_factory=Ranking)
    """Only where vectors had a say do scores have a scale."""
    closest: Mapping[str, float] = field(default_factory=dict[str, float])
    """How close anything comes to each query."""
    strange: tuple[str, ...] = ()
    """Queries no word of which occurs, where vectors had no say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """Finds the passages of pages that suit questions."""

    fetching: Fetching
    embedder: Embedder
    lexicon: Lexicon
    vectors: ChunkVectors
    reranking: Reranking
    fetches_at_once: int
    chunk_cache: ChunkCache
    large: LargeTextQueue
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
        pages: Sequence[Page] = (),
    ) -> Reading:
        """Passages of all pages in one order; a dead page is a failure beside them, all dead is an error.

        `pages` are at hand, and come after those that are fetched.
        Where `room_for` a reading is smaller than what it was chosen for, it is chosen again. A `former` reading is
        made again of the texts it was made of, without those pages that failed then: each of the others is needed.
        """
        slots = asyncio.Semaphore(self.fetches_at_once)
        limit = FETCH.of(call)
        distinct = list(former.snapshots if former else dict.fromkeys(canonical(url) for url in urls))

        async def page_at(url: str) -> Page:
            if former:
                return await self.fetching.snapshot(url, View(), limit, content_hash=former.snapshots[url])
            return await self.fetching.fetch(url, View(), limit, force_refresh=force_refresh)

        async def one(source: str | Page) -> _Ready | GossamerError:
            try:
                async with asyncio.timeout(limit.remaining_s), slots:
                    page = await page_at(source) if isinstance(source, str) else source
                    spoken = detect_mix([(page.info.language, page.text)], queries)
                    ready = await self._ready(page, spoken, limit, has_vectors=former is None or former.has_vectors)
            except GossamerError as error:
                return error
            except TimeoutError:
                return TimedOut("The page did not come in time.", hint="Read it alone, or try again.")
            await call.progress(1, len(distinct) + len(pages), "read a page")
            return ready

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(source)) for source in (*distinct, *pages)]
        results = [task.result() for task in tasks]
        errors = {n: result for n, result in enumerate(results) if isinstance(result, GossamerError)}
        ready = [result for result in results if isinstance(result, _Ready)]
        if errors and (former or not ready):
            failed = [*errors.values()]
            raise failed[0] if ready else all_failed(failed, are_results=False)
        empty = Reading(
            pages=tuple(each.page for each in ready),
            passages=(),
            queries=tuple(queries),
            failures=failures(errors, [*distinct, *(page.url for page in pages)], are_results=False),
            notes=remarks([each.page for each in ready]),
        )

        def room(found: list[list[Passage]], budget: int, ranking: Ranking) -> int:
            reading = replace(empty, passages=tuple(found[0]), budget_tokens=budget, ranking=ranking)
            return room_for(reading) if room_for else budget

        amount = Amount(max_results=max_results, budget_tokens=budget_tokens, room_for=room)
        texts: dict[str, _Ready] = {}
        for each in ready:
            texts.setdefault(each.page.text, each)
        found = await self._passages([*texts.values()], [queries], call, amount, former)
        (chosen,) = found.lists
        if order == "page":
            numbers = {each.page.url: number for number, each in enumerate(ready)}
            chosen.sort(key=lambda passage: (numbers[passage.url], passage.start))
        notes = (*empty.notes, *on_strange(found.strange, queries))
        return replace(
            empty, passages=tuple(chosen), budget_tokens=found.budget_tokens, ranking=found.ranking, notes=notes
        )

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
        """The passages of a page at hand, for each different query a list, best first, none below `min_score`.

        Where page or question has no vectors there is no common scale, and nothing is below. Queries in one language
        are ranked together, and no query changes what another finds.
        """
        amount = Amount(max_results=max_results, budget_tokens=budget_tokens, min_score=min_score)
        distinct = list(dict.fromkeys(queries))
        groups: dict[LanguageMix, list[str]] = {}
        for query in distinct:
            groups.setdefault(detect_mix([(page.info.language, page.text)], [query]), []).append(query)
        of: dict[str, list[Passage]] = {}
        closest: dict[str, float] = {}
        strange: set[str] = set()
        for spoken, group in groups.items():
            ready = await self._ready(page, spoken, call)
            found = await self._passages([ready], [[query] for query in group], call, amount)
            of |= zip(group, found.lists, strict=True)
            closest |= found.closest
            strange.update(found.strange)
        near = tuple(passage for query in distinct for passage in of[query])
        far = {query: closest.get(query, 0.0) for query in distinct if not of[query]}
        notes = on_strange(strange, queries)
        return Reading(pages=(page,), passages=near, queries=tuple(queries), far=far, notes=notes)

    async def passages_of(
        self, url: str, query: str, call: Call, *, policy: FetchPolicy | None = None
    ) -> tuple[Page, tuple[Passage, ...]]:
        """One page, fetched by this policy, and its passages for one query."""
        page = await self.fetching.fetch(url, View(), call, policy=policy)
        reading = await self.read_page(page, [query], call, max_results=_CONTENT_RESULTS, budget_tokens=_CONTENT_TOKENS)
        return page, reading.passages

    def _key(self, page: Page, mix: LanguageMix) -> Key:
        return (page.url, page.content_hash, self.embedder.speaking(mix).name, str(mix == "english"))

    async def _ready(self, page: Page, mix: LanguageMix, call: Call, *, has_vectors: bool = True) -> _Ready:
        """The page's index and vectors: from memory, made of the chunks that the library keeps, or of its text."""
        key = self._key(page, mix)
        known = self._indexes.get(key)
        if known is None:
            async with self.large.turn(len(page.text)):
                chunks = await self.chunk_cache.chunks(page, call)
                made = await asyncio.to_thread(index, chunks, self._look_up(mix), stemmer(mix))
            known = Indexed(index=made, vectors=None)
        if known.vectors is None:
            if has_vectors:
                embedder = self.embedder.speaking(mix)
                vectors = await self.vectors.of_chunks(page, known.index.chunks, embedder, call)
                known = replace(known, vectors=vectors, version=page.version)
            self._indexes.put(key, known)
        elif known.version != page.version:
            # The text was another meanwhile, and the library keeps the vectors of that.
            await self.vectors.keep(page, known.vectors, call)
            self._indexes.put(key, replace(known, version=page.version))
        return _Ready(page=page, mix=mix, indexed=known)

    async def _passages(
        self,
        ready: Sequence[_Ready],
        lists: Sequence[Sequence[str]],
        call: Call,
        amount: Amount,
        former: Former | None = None,
    ) -> _Found:
        """The passages of each list of queries, of all pages together."""
        since = call.clock.monotonic()
        ready = [each for each in ready if each.indexed.index.units]
        if not ready:
            return _Found(lists=[[] for _ in lists], budget_tokens=amount.budget_tokens)
        has_vectors, may_judge = (former.has_vectors, former.is_judged) if former else (True, True)
        spoken: LanguageMix = ready[0].mix if len({each.mix for each in ready}) == 1 else "mixed"
        ready = [
            each if each.mix == spoken else await self._ready(each.page, spoken, call, has_vectors=has_vectors)
            for each in ready
        ]
        queries = list(dict.fromkeys(query for each in lists for query in each))
        has_vectors = has_vectors and any(each.indexed.vectors for each in ready)
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
        by_query, model = dict(zip(queries, ranked, strict=True)), asked.model if asked else ""

        def choose(budget_tokens: int) -> list[list[Passage]]:
            return [
                passages(
                    each,
                    [each.page for each in ready],
                    indexes,
                    [by_query[query] for query in each],
                    model=model,
                    is_mixed=spoken == "mixed",
                    max_results=amount.max_results,
                    budget_tokens=budget_tokens,
                    min_score=amount.min_score,
                )
                for each in lists
            ]

        async with self.large.turn(chars):
            found, budget = await asyncio.to_thread(fitting, choose, amount, ranking)
        call.record("rank", Outcome.OK, since=since, size=chars)
        nearest = {query: closest(each, model, is_mixed=spoken == "mixed") for query, each in by_query.items()}
        strange = () if is_scaled else tuple(query for query, each in by_query.items() if not each.shares_words)
        return _Found(lists=found, budget_tokens=budget, ranking=ranking, closest=nearest, strange=strange)

    async def _alike(self, asked: Vectors | None, ready: list[_Ready], call: Call) -> list[_Ready]:
        """The pages with vectors of the question's dimension: those in memory may be of a model that has changed."""
        try:
            self.vectors.check_alike(asked, [each.indexed.vectors for each in ready])
        except BadSettings:
            for each in ready:
                self._indexes.put(self._key(each.page, each.mix), replace(each.indexed, vectors=None))
            ready = [await self._ready(each.page, each.mix, call) for each in ready]
            self.vectors.check_alike(asked, [each.indexed.vectors for each in ready])
        return ready

    def _has_specialist(self, mix: LanguageMix) -> bool:
        """Whether the vectors are made by an embedder that is asked between languages alone."""
        return mix == "mixed" and self.embedder.speaking("mixed").name != self.embedder.speaking("other").name

    def _look_up(self, mix: LanguageMix) -> LookUp:
        return lambda texts: self.lexicon.look_up(texts, mix)


def remarks(pages: Sequence[Page]) -> tuple[str, ...]:
    """Of each page what it says of itself, that it is cut or not for everybody, and whose copy it is."""
    return tuple(_each(pages))


def on_strange(strange: Collection[str], queries: Sequence[str]) -> tuple[str, ...]:
    """That no word of these queries occurs, which only vectors could have made up for."""
    if not strange:
        return ()
    numbers = [str(number) for number, query in enumerate(queries, 1) if query in strange]
    which = f"question {', '.join(numbers)}" if len(queries) > 1 else "the question"
    return (f"No word of {which} occurs there.",)


def failures(errors: Mapping[int, GossamerError], urls: Sequence[str], *, are_results: bool) -> tuple[Failure, ...]:
    """The pages that failed, by their place among the addresses."""
    if are_results:
        return tuple(Failure.of_result(n + 1, urls[n], error) for n, error in errors.items())
    return tuple(Failure.of(urls[n], error) for n, error in errors.items())


def all_failed(errors: Sequence[GossamerError], *, are_results: bool) -> GossamerError:
    """The first error; with several pages it also says what happened to the others.

    Of results of a search the outcomes are all that is said.
    """
    first = errors[0]
    if are_results:
        outcomes = ", ".join(error.outcome.value for error in errors)
        return first.but(
            message=f"No page of the {len(errors)} results could be read: {outcomes}.",
            hint="Ask in other words, or try again later.",
            quote="",
        )
    if len(errors) == 1:
        return first
    others = ", ".join(error.outcome.value for error in errors[1:])
    return first.but(
        message=f"None of the {len(errors)} pages could be read. The first: {first.message} Others: {others}."
    )


def _each(pages: Sequence[Page]) -> Iterator[str]:
    firsts: dict[str, str] = {}
    for page in pages:
        first = firsts.setdefault(page.text, page.url)
        if first != page.url and page.text:
            yield f"{page.url} has the same text as {first}, which is shown once."
        if page.message:
            yield f"{page.url}: {page.message}" if len(pages) > 1 else page.message
