"""`gossamer read --jsonl`: many questions, each about a page or a file; the passages that answer, in the same order.

Questions about one file that follow one another share its reading: files are kept as they were read, up to a bound.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from gossamer.cli.batch import Answer, Batch, Told
from gossamer.cli.local_pages import FILE_TIMEOUT_S, LocalPages
from gossamer.cli.results import in_order, too_much, within
from gossamer.compose import SystemClock, open_engine
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.core.tools import web_read
from gossamer.engine import Engine
from gossamer.engine.reading import Order
from gossamer.errors import InvalidArgument, Outcome
from gossamer.model.answer import Reading
from gossamer.model.page import Page, Passage
from gossamer.ports import Call
from gossamer.settings.model import Settings

_CHOICES = 3


def read_batch(
    settings: Settings, defaults: Mapping[str, Any], order: Order = "score", *, force_refresh: bool = False
) -> Batch:
    """The passages of each line's page or file that answer its query."""

    @asynccontextmanager
    async def opened(at_once: int) -> AsyncGenerator[Answer]:
        from gossamer.extractors.workers.pool import WorkerPool

        clock = SystemClock()
        pool = WorkerPool(size=at_once, clock=clock)
        files = LocalPages(pool, clock)

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
                page, call = await files.page(path, url or ""), call.within(FILE_TIMEOUT_S)
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
