"""Results for people and, with `--json`, for programs. Documented in docs/cli.md."""

import textwrap
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from gossamer.cli.session import say
from gossamer.engine import Engine
from gossamer.model.page import Page, Passage, View
from gossamer.model.search import Failure, Query, SearchPage
from gossamer.ports import Call
from gossamer.steps.mark import iso_time
from gossamer.steps.tokens import cut

Work = Callable[[Engine, Call, Any], Awaitable[dict[str, Any] | str]]


def searcher(providers: Sequence[str], *, as_json: bool) -> Work:
    """Numbered results; `--json`: the object that `web_search` returns, texts without marks."""

    async def work(engine: Engine, call: Call, asked: Any) -> dict[str, Any] | str:
        query = Query(
            text=asked.query,
            count=asked.results_count,
            category=asked.category,
            language=asked.language,
            region=asked.region.upper() or None,
            site=asked.site or None,
            time_range=asked.time_range,
            safe_search=asked.safe_search,
        )
        page = await engine.search(query, call, providers=providers)
        if asked.fetch_content:
            page = await engine.with_content(page, call)
        _say_failures(page.failures)
        for note in page.notes:
            say(f"Note: {note}")
        if page.services:
            say(f"Seen by: {', '.join(page.services)}.")
        return _search_data(page) if as_json else _search_text(page)

    return work


def fetcher(*, as_json: bool) -> Work:
    """The page's text; `--json`: the text with its address, title, dates and outcome."""

    async def work(engine: Engine, call: Call, asked: Any) -> dict[str, Any] | str:
        view = View(
            format=asked.format,
            selector=asked.selector,
            include_links=asked.include_links,
            include_images=asked.include_images,
        )
        page = await engine.fetch(asked.url, call, view=view, force_refresh=asked.force_refresh)
        if page.message:
            say(f"Note: {page.message}")
        is_truncated = len(page.text) > asked.max_length
        if is_truncated:
            say(f"Note: shown are {asked.max_length} of {len(page.text)} characters; --max-length shows more.")
        text = page.text[: asked.max_length]
        if not as_json:
            return text
        return {**_page_data(page), "text": text, "is_truncated": is_truncated}

    return work


def reader(*, as_json: bool) -> Work:
    """Passages, best first; `--json`: each with its span, section and score."""

    async def work(engine: Engine, call: Call, asked: Any) -> dict[str, Any] | str:
        reading = await engine.read(
            asked.urls, asked.queries, call, max_results=asked.max_results, budget_tokens=asked.max_tokens
        )
        shown = _within(reading.passages, asked.max_tokens)
        if as_json:
            return {
                "pages": [_page_data(page) for page in reading.pages],
                "passages": [_passage_data(passage) for passage in shown],
            }
        if not shown:
            say("No passage of this page suits the question.")
        return "\n\n".join(f"[{n}] {' > '.join(p.section)}\n{p.text}".strip() for n, p in enumerate(shown, 1))

    return work


def answerer(*, as_json: bool) -> Work:
    """The answer in quotes and its sources; `--json`: sentences and citations with their spans."""

    async def work(engine: Engine, call: Call, asked: Any) -> dict[str, Any] | str:
        query = Query(text=asked.question, language=asked.language, site=asked.site or None)
        answer = await engine.answer(query, call, max_sources=asked.max_sources)
        _say_failures(answer.failures)
        if answer.services:
            say(f"Seen by: {', '.join(answer.services)}.")
        if as_json:
            return {
                "question": answer.question,
                "sentences": [{"text": s.text, "citations": list(s.citations)} for s in answer.sentences],
                "citations": [
                    {
                        "number": n,
                        "url": c.url,
                        "title": c.title,
                        "quote": c.quote,
                        "start": c.start,
                        "end": c.end,
                        "fetched": iso_time(c.fetched_at),
                    }
                    for n, c in enumerate(answer.citations, 1)
                ],
                "dropped": answer.dropped,
                "services": list(answer.services),
                "failures": _failure_data(answer.failures),
            }
        if not answer.sentences:
            return "No page that was read answers this."
        lines = [f"{s.text} {''.join(f'[{n}]' for n in s.citations)}" for s in answer.sentences]
        sources = [f"[{n}] {c.title}\n    {c.url}" for n, c in enumerate(answer.citations, 1)]
        return "\n".join([*lines, "", *sources])

    return work


def _search_text(page: SearchPage) -> str:
    if not page.hits:
        return "No results."
    blocks: list[str] = []
    for n, hit in enumerate(page.hits):
        block = f"{n + 1}. {hit.title}\n   {hit.url}"
        if hit.snippet:
            block += "\n" + textwrap.indent(textwrap.fill(hit.snippet, 96), "   ")
        if page.contents:
            content = page.contents[n]
            if content.failure:
                block += f"\n   (not read: {content.failure.outcome}: {content.failure.message})"
            for passage in content.passages[:2]:
                block += "\n" + textwrap.indent(passage.text, "   > ")
        blocks.append(block)
    return "\n\n".join(blocks)


def _search_data(page: SearchPage) -> dict[str, Any]:
    results: list[dict[str, Any]] = []
    for n, hit in enumerate(page.hits):
        row: dict[str, Any] = {
            "title": hit.title,
            "url": hit.url,
            "description": hit.snippet,
            "score": hit.score,
            "engine": hit.engine or page.provider,
            "published": hit.published,
        }
        if page.contents:
            content = page.contents[n]
            row["outcome"] = content.failure.outcome.value if content.failure else "ok"
            row["content"] = content.page.text if content.page else None
        results.append(row)
    return {
        "query": page.query.text,
        "results_count": len(results),
        "provider": page.provider,
        "instance_used": page.instance,
        "services": list(page.services),
        "search_time_ms": page.elapsed_ms,
        "results": results,
        "suggestions": list(page.suggestions),
        "failures": _failure_data(page.failures),
    }


def _page_data(page: Page) -> dict[str, Any]:
    return {
        "url": page.url,
        "final_url": page.final_url,
        "outcome": page.outcome.value,
        "title": page.title,
        "author": page.info.author,
        "published": page.info.published,
        "modified": page.info.modified,
        "description": page.info.description,
        "canonical_url": page.info.canonical_url,
        "site_name": page.info.site_name,
        "language": page.info.language,
        "fetched": iso_time(page.fetched_at),
        "version": page.version,
        "content_hash": page.content_hash,
        "message": page.message,
    }


def _passage_data(passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "url": passage.url,
        "section": list(passage.section),
        "start": passage.start,
        "end": passage.end,
        "score": round(passage.score, 3),
        "text": passage.text,
    }


def _within(passages: Sequence[Passage], budget: int) -> list[Passage]:
    """The passages that fit into the budget whole, at least the first."""
    shown: list[Passage] = []
    for passage in passages:
        whole = "\n\n".join([*(one.text for one in shown), passage.text])
        if shown and cut(whole, budget) < len(whole):
            break
        shown.append(passage)
    return shown


def _failure_data(failures: Sequence[Failure]) -> list[dict[str, str]]:
    return [{"who": f.who, "outcome": f.outcome.value, "message": f.message} for f in failures]


def _say_failures(failures: Sequence[Failure]) -> None:
    for failure in failures:
        say(f"Not available: {failure.who}: {failure.outcome}: {failure.message} {failure.hint}".rstrip())
