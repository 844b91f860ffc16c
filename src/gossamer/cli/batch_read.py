"""`gossamer read --jsonl`: many questions, each about a page or a file; the passages that answer, in the same order.

Questions about one file that follow one another share its reading: the last few files are kept as they were read.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

from gossamer.cli.batch import Answer, Batch, Told
from gossamer.cli.extract import reply_of
from gossamer.cli.results import in_order, too_much, within
from gossamer.compose import SystemClock, open_engine
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.core.tools import web_read
from gossamer.engine import Engine
from gossamer.engine.reading import Order
from gossamer.errors import InvalidArgument, Outcome
from gossamer.model.answer import Reading
from gossamer.model.page import Page, Passage, View
from gossamer.ports import Call, Extractor
from gossamer.settings.model import Settings
from gossamer.steps.text.link_targets import apart
from gossamer.steps.web.walls import judge_reply

_FILE_TIMEOUT_S = 120.0
_CHOICES = 3
_FILES_KEPT = 8
_CHARS_KEPT = 8_000_000
"""Of the texts of all files that are kept; the newest is, whatever its size."""


def read_batch(
    settings: Settings, defaults: Mapping[str, Any], order: Order = "score", *, force_refresh: bool = False
) -> Batch:
    """The passages of each line's page or file that answer its query."""

    @asynccontextmanager
    async def opened(at_once: int) -> AsyncGenerator[Answer]:
        from gossamer.extractors.workers.pool import WorkerPool

        clock = SystemClock()
        pool = WorkerPool(size=at_once, clock=clock)
        files = _Files(pool, clock)

        async def answer(asked: dict[str, Any]) -> Told:
            call = Call(clock=clock, caller="cli")
            path, url = asked.get("path"), asked.get("url")
            if not isinstance(path or "", str) or not isinstance(url or "", str) or not (path or url):
                raise InvalidArgument("path or url must name a page, as text.", hint=batch.hint)
            if not isinstance(asked.get("query"), str) or not asked["query"].strip():
                raise InvalidArgument("query must be text that asks for something.", hint=batch.hint)
            given = {
                "urls": [url or "file"],
                "queries": [asked["query"]],
                **{name: default if asked.get(name) is None else asked[name] for name, default in defaults.items()},
            }
            wanted = _wanted(given)
            if path:
                page, call = await files.page(path, url or ""), call.within(_FILE_TIMEOUT_S)
            else:
                call = call.within(engine.policies.of(CorePolicy).read_s)
                page = await engine.fetch(wanted.urls[0], call, force_refresh=force_refresh)
            found = in_order(await _fitting(engine, page, wanted, call), order)
            note = " ".join([*call.log.notes, *([page.message] if page.message else [])])
            is_found = Outcome.OK if found else Outcome.NO_MATCH
            outcome = page.outcome if page.outcome is not Outcome.OK else is_found
            told = {
                "passages": [passage.shown for passage in found],
                "sections": [list(passage.section) for passage in found],
            }
            return outcome, {**told, **({"note": note} if note else {})}

        try:
            async with open_engine(settings) as engine:
                yield answer
        finally:
            await pool.close()

    example = '{"id": "1", "path": "page.html", "query": "When does it open?", "max_tokens": 500}'
    batch = Batch(example=example, opened=opened, keeps_order=True)
    return batch


def _wanted(given: Mapping[str, Any]) -> Any:
    """What a line asks for, checked as `web_read` checks it; an error names what stands in the line."""
    try:
        return read_arguments(web_read.arguments, given, lambda _: None)
    except InvalidArgument as error:
        message = error.message.replace("queries (item 1)", "query").replace("urls (item 1)", "url")
        raise error.but(message=message) from error


async def _fitting(engine: Engine, page: Page, wanted: Any, call: Call) -> list[Passage]:
    """The passages, chosen again for less where those that belong together would not fit as they are told.

    What stands between sentences is not counted when they are chosen: mostly little, in a few pages much.
    """
    budget, reading = wanted.max_tokens, Reading(pages=(page,), passages=())
    for _ in range(_CHOICES):
        reading = await engine.read_page(
            page, wanted.queries, call, max_results=wanted.max_results, budget_tokens=budget
        )
        over = too_much(reading.passages, wanted.max_tokens)
        if not over:
            break
        budget = max(1, budget - over)
    for note in reading.notes:
        call.log.note(note)
    return within(reading.passages, wanted.max_tokens)


class _Files:
    """Files as pages; each is read once for all who ask for it together or soon after."""

    def __init__(self, extractor: Extractor, clock: SystemClock) -> None:
        self._extractor = extractor
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], asyncio.Task[Page]] = OrderedDict()

    async def page(self, path: str, url: str) -> Page:
        """The file as a page of this address."""
        name = (path, url)
        if name not in self._kept:
            self._kept[name] = asyncio.create_task(self._read(path, url))
        self._kept.move_to_end(name)
        try:
            return await asyncio.shield(self._kept[name])
        finally:
            self._let_go()

    async def _read(self, path: str, url: str) -> Page:
        reply = await asyncio.to_thread(reply_of, path, url)
        judge_reply(reply)
        call = Call(clock=self._clock, caller="cli").within(_FILE_TIMEOUT_S)
        extracted = await self._extractor.extract(reply, View(), call)
        address = url or f"file:{quote(path)}"
        page = Page(
            url=address,
            final_url=address,
            title=extracted.title,
            text=extracted.text,
            fetched_at=self._clock.now(),
            outcome=extracted.outcome,
            info=extracted.info,
            message=extracted.message,
            left_out=extracted.left_out,
        )
        return await asyncio.to_thread(apart, page)

    def _let_go(self) -> None:
        while len(self._kept) > 1 and (len(self._kept) > _FILES_KEPT or self._chars() > _CHARS_KEPT):
            self._kept.popitem(last=False)

    def _chars(self) -> int:
        done = [task for task in self._kept.values() if task.done() and not task.cancelled() and not task.exception()]
        return sum(len(task.result().text) for task in done)
