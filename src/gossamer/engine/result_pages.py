"""Pages behind search results: fetched at once, scored, summarised, near-duplicates dropped."""

import asyncio
from dataclasses import dataclass, replace

from gossamer.engine.policies import ContentPolicy
from gossamer.engine.reading import Reader
from gossamer.errors import GossamerError, TimedOut
from gossamer.model.page import Page, Passage
from gossamer.model.search import CodeBlock, Content, Failure, Hit, SearchPage
from gossamer.ports import Call
from gossamer.resilience.deadline import FETCH
from gossamer.steps.search.page_quality import LEAST, page_quality
from gossamer.steps.text.duplicates import are_near_duplicates, shingles
from gossamer.steps.text.link_targets import markdown_of
from gossamer.steps.text.prose import code_in
from gossamer.steps.text.summarize import summarize
from gossamer.steps.text.words import word_count, words

_LEAST_S = 0.5
_LEAST_TURN_S = 5.0
"""What a page gets at least, however many wait."""
_MOST_CODE = 4
_CODE_CHARS = 1_600


@dataclass(kw_only=True, slots=True)
class _Line:
    """Pages that wait for one of the slots."""

    slots: asyncio.Semaphore
    at_once: int
    waiting: int

    def turn_s(self, left_s: float) -> float:
        """How long the next one may take, so that sites which hang leave time for those that wait behind them."""
        self.waiting -= 1
        rounds = 1 + self.waiting // self.at_once
        return min(left_s, max(_LEAST_TURN_S, left_s / rounds))


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultPages:
    """Reads the pages of a search: a few at a time, under one deadline; a dead page keeps its hit and says why."""

    reader: Reader

    async def add(self, page: SearchPage, call: Call, policy: ContentPolicy) -> SearchPage:
        """The same hits, each with what its page holds for the query, or with how it failed."""
        started = call.clock.monotonic()
        limit = call.within(max(_LEAST_S, call.remaining_s * FETCH))
        line = _Line(slots=asyncio.Semaphore(policy.at_once), at_once=policy.at_once, waiting=len(page.hits))
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._read(position, hit, page.query.text, limit, line, policy))
                for position, hit in enumerate(page.hits, 1)
            ]
        contents = await asyncio.to_thread(_without_duplicates, [task.result() for task in tasks])
        return replace(page, contents=contents, contents_ms=call.ms_since(started))

    async def _read(
        self, position: int, hit: Hit, query: str, call: Call, line: "_Line", policy: ContentPolicy
    ) -> Content:
        started = call.clock.monotonic()
        try:
            async with asyncio.timeout(call.remaining_s), line.slots:
                started = call.clock.monotonic()
                turn = call.within(line.turn_s(call.remaining_s))
                async with asyncio.timeout(turn.remaining_s):
                    page, passages = await self.reader.passages_of(hit.url, query, turn, policy=policy.fetch)
        except GossamerError as error:
            return Content(failure=Failure.of_result(position, hit.url, error), fetch_ms=call.ms_since(started))
        except TimeoutError:
            late = TimedOut("The page did not come in time.")
            return Content(failure=Failure.of_result(position, hit.url, late), fetch_ms=call.ms_since(started))
        fetch_ms = call.ms_since(started)
        await call.progress(0, None, "read a page")
        return await asyncio.to_thread(_weighed, page, passages, query, fetch_ms, policy)


def _weighed(page: Page, passages: tuple[Passage, ...], query: str, fetch_ms: int, policy: ContentPolicy) -> Content:
    markdown = markdown_of(page)
    quality = page_quality(markdown, url=page.final_url, title=page.title, query=query)
    return Content(
        page=page,
        passages=passages,
        words=word_count(page.text),
        summary=summarize(markdown, query, max_chars=policy.summary_chars),
        code=_code(page.text, query) if policy.code_blocks else (),
        quality=quality,
        is_poor=quality < LEAST,
        fetch_ms=fetch_ms,
    )


def _code(text: str, query: str) -> tuple[CodeBlock, ...]:
    """The blocks that share most words with the query; those that share as many in the order of the page."""
    wanted = set(words(query))
    found = sorted(code_in(text, max_chars=_CODE_CHARS), key=lambda block: -len(wanted & set(words(block.text))))
    return tuple(found[:_MOST_CODE])


def _without_duplicates(contents: list[Content]) -> tuple[Content, ...]:
    """The contents; of pages that say the same the best ranked one is kept, and the others point to it."""
    known: dict[int, frozenset[int]] = {}
    shown: list[Content] = []
    for place, content in enumerate(contents):
        sentences = shingles(content.page.text) if content.page and content.is_shown else frozenset[int]()
        same = next((earlier for earlier, other in known.items() if are_near_duplicates(sentences, other)), None)
        known |= {} if same is not None or not sentences else {place: sentences}
        shown.append(replace(content, same_as=same))
    return tuple(shown)
