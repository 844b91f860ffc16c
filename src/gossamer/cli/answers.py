"""`gossamer ask`: answers for people, with `--json` for programs, and with `--jsonl` many in one command."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

from gossamer.cli.batch import Answer as Answered
from gossamer.cli.batch import Batch, Told
from gossamer.cli.local_pages import LocalPages, read_files, sources
from gossamer.cli.results import Work, failure_data, say_age, say_failures
from gossamer.cli.session import say
from gossamer.compose import SystemClock, open_engine
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.core.render_answer import answer_lines, within_tokens
from gossamer.contracts.core.tools import web_answer
from gossamer.errors import InvalidArgument
from gossamer.model.answer import Answer, Citation
from gossamer.model.page import Page
from gossamer.model.search import Query
from gossamer.ports import Call
from gossamer.settings.model import Settings
from gossamer.steps.retrieval.cite import answer_with_links
from gossamer.steps.text.untrusted_markers import iso_time
from gossamer.steps.web.urls import read_address

_MOST_URLS = 50


def answerer(named: Sequence[str], *, as_json: bool, force_refresh: bool = False) -> Work:
    """The answer and its sources, from the pages named or else from the web; `--json`: with all spans."""

    async def work(engine: Any, call: Call, asked: Any) -> dict[str, Any] | str:
        files, urls = sources(named)
        if len(urls) > _MOST_URLS:
            raise InvalidArgument(f"More than {_MOST_URLS} addresses are named.", hint="Name fewer of them.")
        pages = await read_files(files)
        answer = await engine.answer(
            _query(asked),
            call,
            max_sources=asked.max_sources,
            urls=[*map(read_address, urls)],
            pages=pages,
            force_refresh=force_refresh,
        )
        answer = within_tokens(answer_with_links(answer) if asked.include_links else answer, asked.max_tokens)
        say_failures(answer.failures)
        say_age([each.fetched_at for each in answer.citations], call)
        for note in answer.notes:
            say(f"Note: {note}")
        if answer.services:
            say(f"Seen by: {', '.join(answer.services)}.")
        if as_json:
            return answer_data(answer)
        return answer_lines(answer)

    return work


def answer_data(answer: Answer) -> dict[str, Any]:
    """The whole answer for programs."""
    return {
        "question": answer.question,
        "outcome": answer.outcome.value,
        "sentences": [
            {"text": s.text, "citations": list(s.citations), **({"value": s.value} if s.value else {})}
            for s in answer.sentences
        ],
        "citations": [{"number": n, **citation_data(each)} for n, each in enumerate(answer.citations, 1)],
        "closest": [citation_data(each) for each in answer.closest],
        "read": answer.read,
        "dropped": answer.dropped,
        "services": list(answer.services),
        "failures": failure_data(answer.failures),
        "notes": list(answer.notes),
    }


def citation_data(citation: Citation) -> dict[str, Any]:
    """A quote with its source and its place there."""
    return {
        "url": citation.url,
        "title": citation.title,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
        "published": citation.published,
        "fetched": iso_time(citation.fetched_at),
    }


def answer_batch(
    settings: Settings, defaults: Mapping[str, Any], named: Sequence[str], *, force_refresh: bool = False
) -> Batch:
    """The answer to each line's question, from its own pages, else from those `named`, else from the web."""

    @asynccontextmanager
    async def opened(at_once: int) -> AsyncGenerator[Answered]:
        from gossamer.extractors.workers.pool import WorkerPool

        clock = SystemClock()
        pool = WorkerPool(size=at_once, clock=clock)
        local = LocalPages(pool, clock)

        async def answer(asked: dict[str, Any]) -> Told:
            given = {
                "question": asked.get("question"),
                **{name: default if asked.get(name) is None else asked[name] for name, default in defaults.items()},
            }
            if not isinstance(given["question"], str):
                raise InvalidArgument("question must be text that asks for something.", hint=batch.hint)
            call = Call(clock=clock, caller="cli")
            wanted: Any = read_arguments(
                web_answer.arguments, {k: v for k, v in given.items() if v is not None}, call.log.note
            )
            of_line = [*_texts(asked, "paths", "path", batch.hint), *_texts(asked, "urls", "url", batch.hint)]
            files, urls = sources(of_line or named)
            if len(urls) > _MOST_URLS:
                raise InvalidArgument(f"More than {_MOST_URLS} addresses are named.", hint="Name fewer of them.")
            pages: list[Page] = []
            notes: list[str] = []
            if files:
                pages, errors = await local.pages(files)
                notes = [f"Not read: {error}" for error in errors]
            told = await engine.answer(
                _query(wanted),
                call.within(engine.policies.of(CorePolicy).answer_s),
                max_sources=wanted.max_sources,
                urls=[*map(read_address, urls)],
                pages=pages,
                force_refresh=force_refresh,
            )
            told = within_tokens(told, wanted.max_tokens)
            notes += [*call.log.notes, *told.notes]
            data = {
                "outcome": told.outcome.value,
                "sentences": [
                    {"text": s.text, "citations": [citation_data(told.citations[n - 1]) for n in s.citations]}
                    for s in told.sentences
                ],
            }
            return told.outcome, {**data, **({"note": " ".join(notes)} if notes else {})}

        try:
            async with open_engine(settings) as engine:
                yield answer
        finally:
            await pool.close()

    example = '{"id": "1", "question": "When does it open?", "paths": ["pages/"]}'
    batch = Batch(example=example, opened=opened, keeps_order=True)
    return batch


def _query(asked: Any) -> Query:
    return Query(text=asked.question, language=asked.language, site=asked.site or None, time_range=asked.time_range)


def _texts(asked: Mapping[str, Any], name: str, alone: str, hint: str) -> list[str]:
    """A list of texts of a line, or the one that stands under the other name."""
    given = asked.get(name) if asked.get(name) is not None else asked.get(alone, [])
    texts = cast("list[Any]", given if isinstance(given, list) else [given])
    if not all(isinstance(each, str) and each for each in texts):
        raise InvalidArgument(f"{name} must be a list of texts.", hint=hint)
    return texts
