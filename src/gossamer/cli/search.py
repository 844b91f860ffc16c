"""`gossamer search`: results, their providers, age and outcome, as text or with `--json` as data."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Any

from gossamer.cli.results import Work, failure_data, say_failures
from gossamer.cli.session import say
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.core.render_hit import details_line, page_remark, seen_by
from gossamer.contracts.core.tools import count_for
from gossamer.engine import Engine
from gossamer.model.search import Content, Hit, Query, SearchPage
from gossamer.ports import Call

_WIDTH = 96
_INDENT = "   "
_PASSAGES = 2
_DAYS = ((730, 365, "years"), (60, 30, "months"), (2, 1, "days"))
"""The number of days from which an age is shown in each unit."""


def searcher(providers: Sequence[str], *, as_json: bool) -> Work:
    """Numbered results; `--json`: the object that `web_search` returns, whole pages, texts without marks."""

    async def work(engine: Engine, call: Call, asked: Any) -> dict[str, Any] | str:
        query = Query(
            text=asked.query,
            count=count_for(engine, call, asked.results_count),
            category=asked.category,
            language=asked.language,
            region=asked.region.upper() or None,
            site=asked.site or None,
            time_range=asked.time_range,
            safe_search=asked.safe_search,
        )
        page = await engine.search(query, call, providers=providers)
        policy = engine.policies.of(CorePolicy)
        if asked.fetch_content and policy.may_fetch:
            page = await engine.with_content(page, call, policy=policy.contents)
        elif asked.fetch_content:
            call.log.note("Opening pages is switched off here; results come without content.")
        say_failures(page.failures)
        for note in page.notes:
            say(f"Note: {note}")
        now = engine.clock.now()
        say(answered(page, now=now))
        if as_json:
            return search_data(page)
        return search_text(page, today=datetime.fromtimestamp(now, UTC).date())

    return work


def search_text(page: SearchPage, *, today: date) -> str:
    """The list as people read it."""
    if not page.hits:
        return "\n".join(["No results.", *(f"Try also: {text}" for text in page.suggestions)])
    contents = page.contents or (None,) * len(page.hits)
    rows = enumerate(zip(page.hits, contents, strict=True), start=1)
    return "\n\n".join("\n".join(_row(n, hit, page, content, today)) for n, (hit, content) in rows)


def _row(number: int, hit: Hit, page: SearchPage, content: Content | None, today: date) -> Iterator[str]:
    yield f"{number}. {hit.title}"
    if hit.title != hit.url:
        yield _INDENT + hit.url
    engine = hit.engine or page.provider
    is_named = _letters(engine) == _letters(hit.details.source)
    about = ("" if is_named else engine, _dated(hit.published, today), details_line(hit.details))
    yield _INDENT + " · ".join(part for part in about if part)
    if hit.snippet:
        yield textwrap.fill(hit.snippet, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    if content is not None:
        yield from _page_lines(content)


def _page_lines(content: Content) -> Iterator[str]:
    """How reading the page went, and what it says about the query."""
    if content.failure:
        yield f"{_INDENT}not read: {content.failure.outcome}"
    elif not content.is_shown:
        yield _INDENT + page_remark(content, start=0, summary="")
    else:
        took_s = content.fetch_ms / 1000
        yield f"{_INDENT}read: {content.words} words in {took_s:.1f} s, quality {content.quality:g}"
        for passage in content.passages[:_PASSAGES]:
            yield from (f"{_INDENT}> {line}".rstrip() for line in _wrapped(passage.text))


def _wrapped(text: str) -> Iterator[str]:
    """Lines of a width that can be read; tables and code stay as they are."""
    is_code = False
    for line in text.splitlines():
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        if is_code or line.startswith("|") or len(line) <= _WIDTH:
            yield line
        else:
            yield from textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _dated(published: str | None, today: date) -> str:
    """The day a page is from, and how long ago that is."""
    if not published:
        return ""
    try:
        days = (today - date.fromisoformat(published)).days
    except ValueError:
        return published
    for least, unit_days, unit in _DAYS:
        if days >= least:
            return f"{published} ({days // unit_days} {unit} ago)"
    return f"{published} ({'today' if days == 0 else 'yesterday'})" if days in {0, 1} else published


def answered(page: SearchPage, *, now: float) -> str:
    """The number of results, their provider, and the services that saw the query."""
    count = len(page.hits)
    found = f"{count} result{'' if count == 1 else 's'} from {page.provider} in {page.elapsed_ms / 1000:.1f} s."
    if page.contents:
        read = sum(1 for content in page.contents if not content.failure)
        found += f" {read} of {len(page.contents)} pages read in {page.contents_ms / 1000:.1f} s."
    return f"{found} {seen_by(page, now=now) or 'Seen by nobody else.'}"


def search_data(page: SearchPage) -> dict[str, Any]:
    """The fields of `web_search`, with the services that saw the query and the failures."""
    contents = page.contents or (None,) * len(page.hits)
    return {
        "query": page.query.text,
        "category": page.query.category,
        "language": page.query.language,
        "results_count": len(page.hits),
        "search_time_ms": page.elapsed_ms,
        "provider": page.provider,
        "instance_used": page.instance,
        "fetch_content": bool(page.contents),
        "results": [_result(hit, page, content) for hit, content in zip(page.hits, contents, strict=True)],
        "total_results": page.total if page.total is not None else len(page.hits),
        "engines_used": list(page.engines),
        "suggestions": list(page.suggestions),
        "services": list(page.services),
        "failures": failure_data(page.failures),
    }


def _result(hit: Hit, page: SearchPage, content: Content | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "title": hit.title,
        "url": hit.url,
        "description": hit.snippet,
        "score": hit.score,
        "engine": hit.engine or page.provider,
        "published": hit.published,
        **{name: value for name, value in asdict(hit.details).items() if value not in ("", (), None)},
    }
    if content is not None:
        row["outcome"] = content.outcome.value
        row["content"] = _content(content) if content.page and content.is_shown else None
    return row


def _content(content: Content) -> dict[str, Any]:
    return {
        "markdown": content.page.text if content.page else "",
        "word_count": content.words,
        "fetch_time_ms": content.fetch_ms,
        "quality": content.quality,
        "summary": content.summary,
        "code_blocks": [{"language": block.language, "code": block.text} for block in content.code],
    }
