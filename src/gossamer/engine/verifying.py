"""Verifying: the cited pages are read for a claim, and each is asked whether it supports it; no model is."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.engine.fetching import Fetching
from gossamer.engine.reading import Reader, all_failed, failures, remarks
from gossamer.errors import GossamerError, TimedOut
from gossamer.model.answer import Citation
from gossamer.model.page import Page, Passage, View
from gossamer.model.verification import Verification
from gossamer.ports import Call, LanguageMix, Lexicon
from gossamer.resilience.deadline import FETCH
from gossamer.steps.support.verdict import Judged, judge
from gossamer.steps.text.language_mix import detect_mix
from gossamer.steps.web.urls import canonical

_PASSAGES = 30
_PAGE_TOKENS = 1500
"""What is looked at of each page; the scorer was trained on as much."""
_ORDER = {"supported": 2, "partly": 1, "not_supported": 0}


@dataclass(frozen=True, kw_only=True, slots=True)
class Verifying:
    """Tells whether pages support a claim."""

    reader: Reader
    lexicon: Lexicon
    fetches_at_once: int

    async def verify(
        self, claim: str, urls: Sequence[str], call: Call, *, pages: Sequence[Page] = (), force_refresh: bool = False
    ) -> Verification:
        """The verdict by the page that supports the claim best; dead pages are failures, all dead an error."""
        sources: list[str | Page] = [*dict.fromkeys(map(canonical, urls)), *pages]
        limit, slots = FETCH.of(call), asyncio.Semaphore(self.fetches_at_once)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._judged(claim, source, limit, slots, force_refresh=force_refresh))
                for source in sources
            ]
        ended = [task.result() for task in tasks]
        errors = {n: each for n, each in enumerate(ended) if isinstance(each, GossamerError)}
        judged = [each for each in ended if isinstance(each, tuple)]
        names = [source if isinstance(source, str) else source.url for source in sources]
        if not judged:
            raise all_failed([*errors.values()], are_results=False)
        page, best = max(judged, key=lambda each: (_ORDER[each[1].verdict], each[1].score))
        return Verification(
            claim=claim,
            verdict=best.verdict,
            score=best.score,
            missing=best.missing,
            citations=tuple(_citation(page, span.start, span.end) for span in best.spans),
            failures=failures(errors, names, are_results=False),
            notes=remarks([each for each, _ in judged]),
        )

    async def _judged(
        self, claim: str, source: str | Page, call: Call, slots: asyncio.Semaphore, *, force_refresh: bool
    ) -> tuple[Page, Judged] | GossamerError:
        try:
            async with asyncio.timeout(call.remaining_s), slots:
                page = await _page(self.reader.fetching, source, call, force_refresh=force_refresh)
                reading = await self.reader.read_page(
                    page, [claim], call, max_results=_PASSAGES, budget_tokens=_PAGE_TOKENS
                )
                mix = detect_mix([(page.info.language, page.text)], [claim])
                judged = await asyncio.to_thread(self._judge, claim, reading.passages, page.text, mix)
        except GossamerError as error:
            return error
        except TimeoutError:
            return TimedOut("The page did not come in time.", hint="Verify it alone, or try again.")
        await call.progress(1, None, "judged a page")
        return page, judged

    def _judge(self, claim: str, passages: Sequence[Passage], text: str, mix: LanguageMix) -> Judged:
        return judge(claim, passages, lambda texts: self.lexicon.look_up(texts, mix), mix, [text])


async def _page(fetching: Fetching, source: str | Page, call: Call, *, force_refresh: bool) -> Page:
    if isinstance(source, Page):
        return source
    return await fetching.fetch(source, View(), call, force_refresh=force_refresh)


def _citation(page: Page, start: int, end: int) -> Citation:
    return Citation(
        url=page.url,
        title=page.title,
        quote=page.text[start:end],
        start=start,
        end=end,
        content_hash=page.content_hash,
        fetched_at=page.fetched_at,
    )
