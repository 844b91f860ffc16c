"""`core`: four tools, Markdown out, page text between marks.

What only one tool needs is imported when it is called: the server is started for every chat.
"""

import asyncio
from dataclasses import replace
from typing import Annotated, Literal, cast

from pydantic import Field

from gossamer.contracts.contract import Reads, Reply, tool
from gossamer.contracts.core.errors import search_failure
from gossamer.contracts.core.policy import CorePolicy
from gossamer.contracts.core.shapes import AnswerOut, SearchOut
from gossamer.contracts.render.envelope import Envelope, cursor_key_of
from gossamer.contracts.render.page import FETCH_TOKENS, check_named, named, page_reply
from gossamer.contracts.render.timing import Watch
from gossamer.engine import Engine
from gossamer.model.answer import Reading
from gossamer.model.page import Format, View
from gossamer.model.search import Category, Query, TimeRange
from gossamer.ports import Call
from gossamer.steps.search.locale_codes import read_language
from gossamer.steps.text.untrusted_markers import new_nonce
from gossamer.steps.tokens.cursor import Cursor, changed, expired, read_cursor, request_key
from gossamer.steps.web.urls import canonical, read_address, read_site

SEARCH_TOKENS, READ_TOKENS = 6000, 1500
_READ_FRAME = 80
"""Tokens of a reading that are surely no page text: marks and labels. What there is room for is measured."""
READ_PASSAGES = 8
FETCH_CHARS = 10_000
# Cursors cost tokens of the budget they serve: `t` and `n` in them are max_tokens and max_length; of a reading `r` is
# the room that passages were chosen for, `s` what was shown of the next one, `m` max_results, `i` include_metadata,
# `l` include_links, and what read_cursor.py says.

QueryText = Annotated[str, Field(min_length=1, max_length=500), Reads(by=str.strip)]
Address = Annotated[str, Field(min_length=1, max_length=2048), Reads(by=read_address)]
Site = Annotated[str, Field(description="Only this domain.", max_length=253), Reads(by=read_site)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2}(-[A-Z]{2})?$"), Reads(by=read_language)]
Count = Annotated[int, Field(ge=1, le=50, json_schema_extra={"default": 10})]
"""Published with its default, which the operator may have changed."""
Tokens = Annotated[int, Field(ge=200, le=20_000)]
CursorText = Annotated[str, Field(description="Continues a result.")]


def _frame(engine: Engine, call: Call, max_tokens: int, cursor: Cursor, nonce: str = "") -> Envelope:
    return Envelope(
        max_tokens=max_tokens,
        notes=tuple(call.log.notes),
        key=cursor_key_of(call.caller, engine.cursor_key),
        now=engine.clock.now(),
        cursor=cursor,
        nonce=nonce or new_nonce(),
    )


def _opened(engine: Engine, call: Call, cursor: str, *, tool: str, request: str) -> Cursor | None:
    """The cursor, if one is named; another caller's cursor is refused like a forged one."""
    key = cursor_key_of(call.caller, engine.cursor_key)
    return read_cursor(cursor, key, tool=tool, request=request) if cursor else None


def count_for(engine: Engine, call: Call, given: int | None) -> int:
    """How many results are looked for: as the caller says, else as the operator does, and never more than allowed."""
    policy = engine.policies.of(CorePolicy)
    if given is None:
        return policy.default_count
    if given > policy.max_count:
        call.log.note(f"results_count is limited to {policy.max_count} here.")
    return min(given, policy.max_count)


@tool(
    title="Search the web",
    use="finds pages.",
    timeout=lambda policies: policies.of(CorePolicy).search_s,
    needs=frozenset({"search"}),
    told=search_failure,
)
async def web_search(
    engine: Engine,
    call: Call,
    query: QueryText,
    category: Category = "general",
    language: Language = "en",
    results_count: Count | None = None,
    fetch_content: Annotated[bool, Field(description="Also read the pages found.")] = True,
    safe_search: Annotated[int, Field(description="0 off, 1 moderate, 2 strict.", ge=0, le=2)] = 1,
    time_range: TimeRange | None = None,
    site: Site = "",
    region: Annotated[str, Field(pattern=r"^[A-Za-z]{2}$")] = "",
    max_tokens: Tokens = SEARCH_TOKENS,
    cursor: CursorText = "",
) -> Reply[SearchOut]:
    """Search the web. Returns titles, addresses, extracts and, by default, fitting passages."""
    from gossamer.contracts.core.render_search import search_reply

    policy = engine.policies.of(CorePolicy)
    wanted = Query(
        text=query,
        count=count_for(engine, call, results_count),
        category=category,
        language=language,
        region=region.upper() or None,
        site=site or None,
        time_range=time_range,
        safe_search=cast("Literal[0, 1, 2]", safe_search),
    )
    request = request_key(query)
    at = _opened(engine, call, cursor, tool="web_search", request=request)
    if at:
        wanted = Query(text=query, **at.arguments.get("query", {}))
        fetch_content = at.arguments.get("fetch_content", fetch_content)
        max_tokens = at.arguments.get("t", max_tokens) if max_tokens == SEARCH_TOKENS else max_tokens
    if fetch_content and not policy.may_fetch:
        fetch_content = False
        call.log.note("Opening pages is switched off here; results come without content.")
    found = await engine.search(wanted, call)
    snapshot = request_key(*(hit.url for hit in found.hits))
    if at and at.snapshots != (snapshot,):
        raise expired()
    start = at.offset if at else 0
    rest = replace(found, hits=found.hits[start:])
    if fetch_content:
        rest = await engine.with_content(rest, call, policy=policy.contents)
    arguments = {
        **({"query": chosen} if (chosen := changed(wanted, Query(text=query))) else {}),
        **({} if fetch_content else {"fetch_content": False}),
        **({} if max_tokens == SEARCH_TOKENS else {"t": max_tokens}),
    }
    return await asyncio.to_thread(
        search_reply,
        rest,
        start=start,
        everything=len(found.hits),
        fetch_content=fetch_content,
        frame=_frame(
            engine,
            call,
            max_tokens,
            Cursor(tool="web_search", request=request, offset=start, snapshots=(snapshot,), arguments=arguments),
        ),
    )


@tool(
    title="Fetch a page",
    use="returns a whole page.",
    timeout=lambda policies: policies.of(CorePolicy).fetch_s,
    needs=frozenset({"fetch"}),
)
async def web_fetch(
    engine: Engine,
    call: Call,
    url: Address,
    selector: Annotated[str, Field(description="CSS selector.", max_length=1000)] = "",
    format: Format = "markdown",  # noqa: A002  the parameter's public name
    max_length: Annotated[int, Field(ge=1, le=1_000_000)] = FETCH_CHARS,
    include_links: bool = True,
    include_images: bool = False,
    cursor: CursorText = "",
    max_tokens: Tokens = FETCH_TOKENS,
    force_refresh: bool = False,
) -> Reply[None]:
    """Fetch the main text of a page or PDF."""
    view = View(format=format, selector=selector, include_links=include_links, include_images=include_images)
    request = request_key(canonical(url))
    at = _opened(engine, call, cursor, tool="web_fetch", request=request)
    if at:
        view = View(**at.arguments.get("view", {}))
        max_length = at.arguments.get("n", max_length) if max_length == FETCH_CHARS else max_length
        max_tokens = at.arguments.get("t", max_tokens) if max_tokens == FETCH_TOKENS else max_tokens
        page = await engine.snapshot(url, call, view=view, content_hash=at.snapshots[0])
        check_named(page, at.snapshots)
    else:
        page = await engine.fetch(url, call, view=view, force_refresh=force_refresh)
    arguments = {
        **({"view": chosen} if (chosen := changed(view, View())) else {}),
        **({} if max_length == FETCH_CHARS else {"n": max_length}),
        **({} if max_tokens == FETCH_TOKENS else {"t": max_tokens}),
    }
    return page_reply(
        page,
        start=at.offset if at else 0,
        max_length=max_length,
        frame=_frame(
            engine,
            call,
            max_tokens,
            Cursor(tool="web_fetch", request=request, offset=0, snapshots=named(page), arguments=arguments),
        ),
    )


@tool(
    title="Read pages",
    use="returns only the passages of known pages that answer a question.",
    timeout=lambda policies: policies.of(CorePolicy).read_s,
    needs=frozenset({"fetch"}),
)
async def web_read(
    engine: Engine,
    call: Call,
    urls: Annotated[list[Address], Field(min_length=1, max_length=10)],
    queries: Annotated[list[QueryText], Field(min_length=1, max_length=10)],
    max_results: Annotated[int, Field(ge=1, le=50)] = READ_PASSAGES,
    max_tokens: Tokens = READ_TOKENS,
    force_refresh: bool = False,
    include_metadata: Annotated[bool, Field(description="Add title and section.")] = False,
    include_links: bool = False,
    cursor: CursorText = "",
) -> Reply[None]:
    """Return only the passages of pages that answer questions."""
    from gossamer.contracts.core.read_cursor import check_same, former_of, walk_of
    from gossamer.contracts.core.render_reading import reading_reply, room_for
    from gossamer.contracts.render.envelope import services_meta

    request = request_key(*map(canonical, urls), "\n", *queries)
    at = _opened(engine, call, cursor, tool="web_read", request=request)
    if at:
        max_results = at.arguments.get("m", max_results)
        include_metadata = bool(at.arguments.get("i", include_metadata))
        include_links = bool(at.arguments.get("l", include_links))
        max_tokens = at.arguments.get("t", max_tokens) if max_tokens == READ_TOKENS else max_tokens
    nonce = new_nonce()  # one for all, since nonces do not cost the same

    def around(found: Reading) -> Envelope:
        walk = walk_of(urls, found)
        arguments = {
            **walk.arguments,
            "r": found.budget_tokens,
            **({} if max_tokens == READ_TOKENS else {"t": max_tokens}),
            **({} if max_results == READ_PASSAGES else {"m": max_results}),
            **({"i": 1} if include_metadata else {}),
            **({"l": 1} if include_links else {}),
        }
        cursor = Cursor(tool="web_read", request=request, offset=0, snapshots=(walk.snapshot,), arguments=arguments)
        return _frame(engine, call, max_tokens, cursor, nonce)

    watch = Watch.start(call)
    reading = await engine.read(
        urls,
        queries,
        call,
        max_results=max_results,
        budget_tokens=int(at.arguments.get("r", READ_TOKENS)) if at else max_tokens - _READ_FRAME,
        force_refresh=force_refresh and at is None,
        room_for=None
        if at
        else lambda found: room_for(
            found, with_metadata=include_metadata, with_links=include_links, frame=around(found)
        ),
        former=former_of(urls, at) if at else None,
    )
    watch.stop(reading.pages)
    if at:
        check_same(at, walk_of(urls, reading))
    frame = around(reading)
    reply = reading_reply(
        reading,
        start=at.offset if at else 0,
        skip=int(at.arguments.get("s", 0)) if at else 0,
        with_metadata=include_metadata,
        with_links=include_links,
        frame=frame,
    )
    return replace(reply, meta={**reply.meta, **services_meta(engine.reads_with)})


@tool(
    title="Answer a question",
    use="searches, reads and answers with citations.",
    timeout=lambda policies: policies.of(CorePolicy).answer_s,
    needs=frozenset({"search", "fetch"}),
)
async def web_answer(
    engine: Engine,
    call: Call,
    question: QueryText,
    max_sources: Annotated[int, Field(ge=1, le=10)] = 5,
    max_tokens: Tokens = 1500,
    time_range: TimeRange | None = None,
    site: Site = "",
    language: Language = "en",
    include_links: bool = False,
) -> Reply[AnswerOut]:
    """Search, read the best pages and answer in proven quotes."""
    from gossamer.contracts.core.render_answer import answer_reply
    from gossamer.contracts.render.envelope import model_meta
    from gossamer.steps.retrieval.cite import answer_with_links

    query = Query(text=question, language=language, site=site or None, time_range=time_range)
    answer = await engine.answer(query, call, max_sources=max_sources)
    reply = answer_reply(
        answer_with_links(answer) if include_links else answer,
        max_tokens=max_tokens,
        notes=tuple(call.log.notes),
        now=engine.clock.now(),
    )
    return replace(reply, meta={**reply.meta, **model_meta(call)})
