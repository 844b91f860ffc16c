"""`gossamer verify`: whether pages or files support a claim; with `--jsonl` many claims, in the order of the input."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from gossamer.cli.answers import citation_data
from gossamer.cli.batch import Answer, Batch, Told
from gossamer.cli.local_pages import FILE_TIMEOUT_S, LocalPages, read_files
from gossamer.cli.results import failure_data, say_failures
from gossamer.cli.session import say
from gossamer.compose import SystemClock, open_engine
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.verify.web_verify import VERDICTS, web_verify
from gossamer.engine import Engine
from gossamer.errors import InvalidArgument, Outcome
from gossamer.model.verification import Verification
from gossamer.ports import Call
from gossamer.settings.model import Settings
from gossamer.steps.retrieval.cite import escape_citations


def verifier(files: Sequence[str], *, as_json: bool) -> Callable[[Engine, Call, Any], Awaitable[dict[str, Any] | str]]:
    """The verdict in words, what is missing and the nearest sentences; `--json`: the object."""

    async def work(engine: Engine, call: Call, asked: Any) -> dict[str, Any] | str:
        pages = await read_files(files)
        urls: list[str] = [] if asked.urls == [_NO_PAGE] else asked.urls
        found = await engine.verify(asked.claim, urls, call, pages=pages, force_refresh=asked.force_refresh)
        say_failures(found.failures)
        for note in found.notes:
            say(f"Note: {note}")
        if found.services:
            say(f"Seen by: {', '.join(found.services)}.")
        return verification_data(found) if as_json else _in_words(found)

    return work


_NO_PAGE = "https://files.invalid/"
"""Stands where the tool wants an address and only files are named."""


def given_for(claim: str, urls: Sequence[str]) -> dict[str, Any]:
    """The arguments of the tool that does the same."""
    return {"claim": claim, "urls": list(urls) or [_NO_PAGE]}


def verification_data(found: Verification) -> dict[str, Any]:
    """The result object of the command: as that of the tool, whole and without marks."""
    return {
        "claim": found.claim,
        "verdict": found.verdict,
        "score": round(found.score, 3),
        "missing": list(found.missing),
        "quotes": [citation_data(each) for each in found.citations],
        "services": list(found.services),
        "failures": failure_data(found.failures),
    }


def _in_words(found: Verification) -> str:
    missing = f"Missing: {'; '.join(found.missing)}" if found.missing else ""
    quotes = [f"[{n}] {escape_citations(each.quote)}" for n, each in enumerate(found.citations, 1)]
    sources = dict.fromkeys(f"{escape_citations(each.title)}\n    {each.url}" for each in found.citations)
    verdict = f"{found.verdict}: {VERDICTS[found.verdict]} (score {found.score:.2f})."
    return "\n".join(filter(None, [verdict, missing, *quotes, *sources]))


def verify_batch(settings: Settings) -> Batch:
    """The verdict on each line's claim by its page or file."""

    @asynccontextmanager
    async def opened(at_once: int) -> AsyncGenerator[Answer]:
        from gossamer.extractors.workers.pool import WorkerPool

        clock = SystemClock()
        pool = WorkerPool(size=at_once, clock=clock)
        files = LocalPages(pool, clock)

        async def answer(asked: dict[str, Any]) -> Told:
            path, url = asked.get("path") or "", asked.get("url") or ""
            if not isinstance(path, str) or not isinstance(url, str) or not (path or url):
                raise InvalidArgument("path or url must name a page, as text.", hint=batch.hint)
            if not isinstance(asked.get("claim"), str) or not asked["claim"].strip():
                raise InvalidArgument("claim must be text that states something.", hint=batch.hint)
            wanted: Any = read_arguments(
                web_verify.arguments, given_for(asked["claim"], [url] if url else []), lambda _: None
            )
            call = Call(clock=clock, caller="cli")
            pages = [await files.page(path, url)] if path else []
            call = call.within(FILE_TIMEOUT_S if path else engine.policies.of(CorePolicy).read_s)
            found = await engine.verify(wanted.claim, [] if path else wanted.urls, call, pages=pages)
            notes = [*call.log.notes, *found.notes]
            told = {
                "verdict": found.verdict,
                "score": found.score,
                "missing": list(found.missing),
                "quotes": [citation_data(each) for each in found.citations],
            }
            return Outcome.OK, {**told, **({"note": " ".join(notes)} if notes else {})}

        try:
            async with open_engine(settings) as engine:
                yield answer
        finally:
            await pool.close()

    example = '{"id": "1", "claim": "The museum opens at nine.", "path": "page.html"}'
    batch = Batch(example=example, opened=opened, keeps_order=True)
    return batch
