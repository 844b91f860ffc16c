"""`WebSearch`: what the web has on a query, as its specification's object.

Nothing found is a result with a suggestion, a search that nobody could make an error with one. What is ours stands in
`_meta`.
"""

import asyncio
import json
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from gossamer.contracts.contract import Reads, Reply, tool
from gossamer.contracts.render.envelope import Ours, QuotedLine, QuotedText, clean_address, clean_line, search_meta
from gossamer.contracts.websearch.policy import WebSearchPolicy
from gossamer.engine import Engine
from gossamer.errors import GossamerError, Outcome
from gossamer.model.search import ANY_LANGUAGE, Hit, Query, TimeRange
from gossamer.ports import Call
from gossamer.steps.search.domains import domain
from gossamer.steps.text.clean_line import plain
from gossamer.steps.web.urls import read_site

_QUERY_CHARS = 2000
_SNIPPET_CHARS = 200
_WORD_CHARS = 40
"""A snippet that has no blank within so many characters is cut where it has to be."""
_ELLIPSIS = "..."
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of them are one flag."""
_JOINER = "\u200d"
_HANGING = frozenset({"Mn", "Mc", "Me", "Cf", "Sk"})
"""Marks, joiners, colours of skin: what belongs to the sign before it."""
_NOTHING = "No results found. Try broader search terms or check spelling."
_LATER = "Try again later, or use another source"


class FoundOut(BaseModel):
    """Results, or why there are none; its fields are spelt as the specification spells them."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, defer_build=True
    )

    query: QuotedLine
    total_results: int | None = None
    results: list[dict[Ours, QuotedText | None]]
    """Each of its strings is a clean line or address."""
    search_engine: Ours | None = None
    search_time: float | None = None
    message: Ours | None = None
    suggestion: Ours | None = None


def failed_search(error: GossamerError, asked: Mapping[str, Any]) -> Reply[FoundOut]:
    """A search that failed at every provider: what happened, and what to do next."""
    return _reply(
        FoundOut(
            query=_query(str(asked.get("query") or "")),
            results=[],
            message=clean_line(error.message),
            suggestion=clean_line(error.hint) or _LATER,
        ),
        error.outcome,
        {},
    )


@tool(
    title="Search for pages",
    use="returns search results as an object.",
    timeout=lambda policies: policies.of(WebSearchPolicy).timeout_s,
    needs=frozenset({"search"}),
    name="WebSearch",
    is_terse=False,
    told=failed_search,
)
async def web_search(
    engine: Engine,
    call: Call,
    query: Annotated[
        str,
        Field(description="The search query; be specific.", min_length=1, max_length=_QUERY_CHARS),
        Reads(by=str.strip),
    ],
    maxResults: Annotated[int, Field(description="Number of results.", ge=1, le=20)] = 10,  # noqa: N803  as specified
    site: Annotated[
        str, Field(description='Limit to a domain, e.g. "imdb.com".', max_length=253), Reads(by=read_site)
    ] = "",
    dateRange: Annotated[  # noqa: N803  as specified
        TimeRange | None, Field(description="Filter by recency."), Reads(by=lambda text: text.strip().lower())
    ] = None,
    safeSearch: Annotated[  # noqa: N803  as specified
        bool, Field(description="Filter content.", json_schema_extra={"default": True})
    ]
    | None = None,
) -> Reply[FoundOut]:
    """Searches the web and returns relevant results with titles, snippets and URLs.

    Use site when you know the authoritative source, dateRange for what is recent, and add context to ambiguous
    queries: "Dune 2024 movie", not "Dune".
    """
    policy, started = engine.policies.of(WebSearchPolicy), call.clock.monotonic()
    if maxResults > policy.max_count:
        call.log.note(f"maxResults is limited to {policy.max_count} here.")
    is_safe = policy.is_safe if safeSearch is None else safeSearch
    wanted = Query(
        text=query,
        count=min(maxResults, policy.max_count),
        language=ANY_LANGUAGE,
        site=site or None,
        time_range=dateRange,
        safe_search=1 if is_safe else 0,
    )
    page = await engine.search(wanted, call, policy=policy.search)
    meta = search_meta([page], call)
    if not page.hits:
        nothing = FoundOut(query=_query(query), total_results=0, results=[], suggestion=_NOTHING)
        return _reply(nothing, Outcome.NO_MATCH, meta)
    results = await asyncio.to_thread(_results, page.hits)
    found = FoundOut(
        query=_query(query),
        total_results=max(page.total or 0, len(results)),
        results=results,
        search_engine=page.provider,
        search_time=round(call.clock.monotonic() - started, 3),
    )
    return _reply(found, Outcome.OK, meta)


def _query(text: str) -> str:
    return plain(text[:_QUERY_CHARS], max_chars=_QUERY_CHARS)


def _results(hits: Sequence[Hit]) -> list[dict[str, str | None]]:
    """Apart from the event loop: the first domain loads the list of endings."""
    return [
        {
            "title": clean_line(hit.title),
            "url": clean_address(hit.url),
            "snippet": clean_line(snippet(hit.snippet)),
            "domain": clean_line(domain(hit.url)),
            "datePublished": _day(hit.published),
        }
        for hit in hits
    ]


def snippet(text: str) -> str:
    """At most 200 characters of one line, ending with a whole word where there are words."""
    text = plain(text, max_chars=_SNIPPET_CHARS * 5)
    if len(text) <= _SNIPPET_CHARS:
        return text
    end = _SNIPPET_CHARS - len(_ELLIPSIS)
    blank = text.rfind(" ", end - _WORD_CHARS, end + 1)
    if blank > 0:
        return text[:blank].rstrip(" ,;:") + _ELLIPSIS
    while _is_within_sign(text, end) and end > _SNIPPET_CHARS // 2:
        end -= 1
    return text[:end] + _ELLIPSIS


def _is_within_sign(text: str, place: int) -> bool:
    """Whether what a reader sees as one sign goes on at a place: a letter with its accents, a flag, a family."""
    if text[place] in _FLAG_LETTERS:
        return (place - len(text[:place].rstrip(_FLAG_LETTERS))) % 2 == 1
    return unicodedata.category(text[place]) in _HANGING or text[place - 1] == _JOINER


def _day(published: str | None) -> str | None:
    """The day alone; what is no date is none."""
    try:
        return date.fromisoformat((published or "")[:10]).isoformat()
    except ValueError:
        return None


def _reply(out: FoundOut, outcome: Outcome, meta: dict[str, Any]) -> Reply[FoundOut]:
    said = out.model_dump(mode="json", exclude_none=True)
    return Reply(text=json.dumps(said, ensure_ascii=False), data=out, outcome=outcome, meta=meta)
