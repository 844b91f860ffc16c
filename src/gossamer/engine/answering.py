"""Answering: pages are found or at hand, each is read for the question, and what answers is quoted with proof."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gossamer.engine.page_choice import PageChoice
from gossamer.engine.policies import SearchPolicy
from gossamer.engine.reading import Reader, all_failed, failures, remarks
from gossamer.engine.searching import Searching
from gossamer.errors import GossamerError, TimedOut
from gossamer.model.answer import Answer, Citation, Sentence
from gossamer.model.page import Page, Passage, View
from gossamer.model.search import Query, SearchPage
from gossamer.ports import Answerer, Call
from gossamer.resilience.deadline import FETCH
from gossamer.steps.answers.question import parts
from gossamer.steps.retrieval.cite import cite
from gossamer.steps.text.duplicates import are_near_duplicates, shingles
from gossamer.steps.text.segmentation import sentences
from gossamer.steps.web.urls import canonical

_PASSAGES = 8
_OF_MANY = 8
"""How many of many pages at hand are read: they cost no request, and the right one is among them nearly always."""
_PAGE_TOKENS = 900
"""What is looked at of each page: answers lie within the first 500 tokens of a reading nearly always."""
_CLOSEST = 3
_CLOSEST_CHARS = 240
_SEARCH = SearchPolicy()


@dataclass(frozen=True, kw_only=True, slots=True)
class Answering:
    """Answers questions from the web, or from pages that are named, with citations that are proven."""

    searching: Searching
    reader: Reader
    answerer: Answerer
    page_choice: PageChoice
    fetches_at_once: int

    async def answer(
        self,
        query: Query,
        call: Call,
        *,
        max_sources: int,
        urls: Sequence[str] = (),
        pages: Sequence[Page] = (),
        force_refresh: bool = False,
    ) -> Answer:
        """An answer whose every sentence is carried by exact quotes; no sentences when nothing that was read answers.

        `urls` and `pages` are read in the place of what a search finds.
        """
        are_named = bool(urls or pages)
        results = SearchPage(query=query, hits=(), provider="", instance="", services=())
        if not are_named:
            results = await self.searching.search(replace(query, count=max_sources), call, _SEARCH)
            urls = [hit.url for hit in results.hits]
        answer = Answer(
            question=query.text,
            sentences=(),
            citations=(),
            services=results.services,
            failures=results.failures,
            notes=results.notes,
        )
        distinct = list(dict.fromkeys(map(canonical, urls)))
        if not distinct and not pages:
            return answer
        limit = FETCH.of(call)
        questions = parts(query.text)
        chosen = await self.page_choice.best(pages, questions, count=max(max_sources, _OF_MANY))
        sources = [*distinct, *chosen]
        await call.progress(1, 3, f"reading {len(sources)} pages")
        slots = asyncio.Semaphore(self.fetches_at_once)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._one(source, questions, limit, slots, force_refresh=force_refresh))
                for source in sources
            ]
        ended = [task.result() for task in tasks]
        errors = {n: each for n, each in enumerate(ended) if isinstance(each, GossamerError)}
        names = [source if isinstance(source, str) else source.url for source in sources]
        read = [each for each in ended if isinstance(each, tuple)]
        if not read:
            raise all_failed([*errors.values()], are_results=not are_named)
        read = await asyncio.to_thread(_distinct, read)
        await call.progress(2, 3, "writing the answer")
        passages = [passage for _, found in read for passage in found]
        drafts = await self.answerer.write(query.text, passages, call)
        by_url = {page.url: page for page, _ in read}
        told, citations, dropped = cite(drafts, by_url)
        return replace(
            answer,
            sentences=_newest_first(told, citations),
            citations=citations,
            dropped=dropped,
            read=len(by_url),
            closest=() if told else _closest(passages, by_url),
            failures=(*answer.failures, *failures(errors, names, are_results=not are_named)),
            notes=(*answer.notes, *(remarks([page for page, _ in read]) if are_named else ())),
        )

    async def _one(
        self, source: str | Page, questions: Sequence[str], call: Call, slots: asyncio.Semaphore, *, force_refresh: bool
    ) -> tuple[Page, tuple[Passage, ...]] | GossamerError:
        """A page and its passages, or why there is none."""
        try:
            async with asyncio.timeout(call.remaining_s), slots:
                page = source
                if isinstance(page, str):
                    page = await self.reader.fetching.fetch(page, View(), call, force_refresh=force_refresh)
                reading = await self.reader.read_page(
                    page, questions, call, max_results=_PASSAGES, budget_tokens=_PAGE_TOKENS
                )
        except GossamerError as error:
            return error
        except TimeoutError:
            return TimedOut("The page did not come in time.", hint="Ask again, or name fewer pages.")
        await call.progress(1, 3, "read a page")
        return page, tuple(passage for passage in reading.passages if not passage.batch)


def _newest_first(told: tuple[Sentence, ...], citations: Sequence[Citation]) -> tuple[Sentence, ...]:
    """Sentences that give different values by the dates of their sources, the newest first, before all others."""
    differing = sorted(
        (each for each in told if each.value),
        key=lambda each: max(citations[number - 1].published for number in each.citations),
        reverse=True,
    )
    return (*differing, *(each for each in told if not each.value))


def _distinct(read: Sequence[tuple[Page, tuple[Passage, ...]]]) -> list[tuple[Page, tuple[Passage, ...]]]:
    """The pages without those that say the same as one before them."""
    known: list[frozenset[int]] = []
    chosen: list[tuple[Page, tuple[Passage, ...]]] = []
    for page, found in read:
        runs = shingles(page.text)
        if not any(are_near_duplicates(runs, other) for other in known):
            known.append(runs)
            chosen.append((page, found))
    return chosen


def _closest(passages: Sequence[Passage], pages: "dict[str, Page]") -> tuple[Citation, ...]:
    """The beginnings of the passages that come closest, for who wants to look there."""
    best = sorted(passages, key=lambda passage: -passage.score)[:_CLOSEST]
    return tuple(_shortened(passage, pages[passage.url]) for passage in best)


def _shortened(passage: Passage, page: Page) -> Citation:
    ends = [end for _, end in sentences(passage.text) if end <= _CLOSEST_CHARS]
    size = ends[-1] if ends else min(len(passage.text), _CLOSEST_CHARS)
    return Citation(
        url=page.url,
        title=page.title,
        quote=passage.text[:size],
        start=passage.start,
        end=passage.start + size,
        content_hash=page.content_hash,
        fetched_at=page.fetched_at,
        published=page.info.modified or page.info.published,
    )
