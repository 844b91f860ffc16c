"""`web.readFromPage`: the passages of one page that match queries, as its specification's object.

A page that is not for everybody is a plain reply that says so and holds no passage; a page without any text fails with
a note. What is ours stands in `_meta`.
"""

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from gossamer.contracts.contract import Reads, Reply, tool
from gossamer.contracts.google.errors import late
from gossamer.contracts.google.policy import TIME_SETTING, GooglePolicy, most_of
from gossamer.contracts.render.envelope import (
    Ours,
    QuotedAddress,
    QuotedLine,
    QuotedText,
    clean_line,
    quote_data,
    services_meta,
)
from gossamer.contracts.render.page import page_meta
from gossamer.contracts.render.timing import Watch
from gossamer.engine import Engine
from gossamer.errors import EmptyPage, GossamerError, NeedsScript, Outcome, TimedOut
from gossamer.model.page import Page, Passage
from gossamer.ports import Call
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.untrusted_markers import escape, iso_time
from gossamer.steps.tokens.count import count
from gossamer.steps.web.urls import read_address

PROTECTED = "content protected"
_PROTECTED_STATUSES = frozenset({401, 402, 403})
_LEAST_TOKENS = 512
_MOST_TOKENS = 20_000
"""What a result may cost, as it is sent; clients put larger ones aside."""
_SEAM, _NOTES = 4, 256
"""Tokens between two passages, and of notes that are not yet known when passages are left out."""


class _Out(BaseModel):
    """A result whose fields are spelt as the specification spells them."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True)


class ChunkOut(_Out):
    """A passage; its text is the page's own Markdown."""

    id: Ours
    text: QuotedText
    score: float
    section_path: list[QuotedText] | None = None


class QueryOut(_Out):
    """What one query found."""

    query: QuotedText
    results: list[ChunkOut]


class ReadOut(_Out):
    """The passages of a page, query by query."""

    url: QuotedAddress
    title: QuotedLine | None = None
    last_crawled: Ours
    queries: list[QueryOut]
    note: Ours | None = None


@tool(
    title="Read from a page",
    use="returns the passages of one page that match queries as an object.",
    timeout=lambda policies: policies.of(GooglePolicy).timeout_s,
    needs=frozenset({"fetch"}),
    name="web.readFromPage",
    is_terse=False,
    time_setting=TIME_SETTING,
)
async def read_from_page(
    engine: Engine,
    call: Call,
    url: Annotated[str, Field(description="The page to read.", min_length=1, max_length=2048), Reads(by=read_address)],
    query: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=500), Reads(by=str.strip)]],
        Field(description="What to look for on it, one or several.", min_length=1, max_length=10),
    ],
    forceRefresh: Annotated[bool, Field(description="Ask the site again.")] = False,  # noqa: N803  as specified
    maxResults: Annotated[int, Field(description="Passages per query.", ge=1, le=50)] = 8,  # noqa: N803  as specified
    includeMetadata: Annotated[bool, Field(description="Add title and section.")] = False,  # noqa: N803  as specified
) -> Reply[ReadOut]:
    """Returns only those passages of a page that match the queries, with scores, never the whole page.

    A page read before is not fetched again while it is fresh; lastCrawled says when it was.
    """
    reading = _Asked(
        engine=engine,
        call=most_of(call),
        url=url,
        queries=tuple(query),
        max_results=maxResults,
        with_metadata=includeMetadata,
        notes_before=len(call.log.notes),
    )
    try:
        async with asyncio.timeout(None if call.deadline == math.inf else reading.call.remaining_s):
            return await reading.reply(force_refresh=forceRefresh)
    except (TimeoutError, TimedOut) as error:
        raise late("web.readFromPage", engine.policies.of(GooglePolicy).timeout_ms, error) from error


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """One call of the tool."""

    engine: Engine
    call: Call
    url: str
    queries: tuple[str, ...]
    max_results: int
    with_metadata: bool
    notes_before: int
    """How many notes there were before: on how the arguments were read."""

    @property
    def _policy(self) -> GooglePolicy:
        return self.engine.policies.of(GooglePolicy)

    async def reply(self, *, force_refresh: bool) -> Reply[ReadOut]:
        """The passages, or what stands in their place."""
        watch = Watch.start(self.call)
        try:
            page = await self.engine.fetch(self.url, self.call, force_refresh=force_refresh, policy=self._policy.fetch)
        except (EmptyPage, NeedsScript) as error:
            return self._without_passages(error.outcome, note=str(error), error=error)
        except GossamerError as error:
            if error.outcome in {Outcome.DENIED, Outcome.PAYWALL} or error.status in _PROTECTED_STATUSES:
                return self._without_passages(error.outcome, note=PROTECTED, error=error)
            hint = error.hint.replace("force_refresh", "forceRefresh")  # as this tool spells it
            raise error.but(hint=hint) from error
        if page.outcome is Outcome.PAYWALL:
            return self._without_passages(page.outcome, note=PROTECTED, page=page)
        per_query = await self._passages(page)
        watch.stop([page])
        return self._reply(
            Outcome.OK if any(per_query) else Outcome.NO_MATCH,
            page=page,
            last_crawled=page.fetched_at,
            per_query=per_query,
            note=" ".join([*self._own_notes(), *([page.message] if page.message else [])]),
        )

    async def _passages(self, page: Page) -> list[list[Passage]]:
        """The passages of each query, as many as a client takes in one result."""
        distinct, share = list(dict.fromkeys(self.queries)), _MOST_TOKENS // len(self.queries)
        budget = min(share, max(_LEAST_TOKENS, self.max_results * self.engine.chunk_tokens))
        least = self._policy.min_score
        reading = await self.engine.read_page(
            page, self.queries, self.call, max_results=self.max_results, budget_tokens=budget, min_score=least
        )
        by_query = {text: [passage for passage in reading.passages if passage.query == text] for text in distinct}
        for note in reading.notes:
            self.call.log.note(note)
        if reading.far:
            self.call.log.note(_too_far(self.queries, reading.far, least))
        prices = {text: [self._price(passage) for passage in by_query[text]] for text in distinct}
        if sum(sum(prices[text]) for text in self.queries) + self._overhead(page) <= _MOST_TOKENS:
            return [by_query[text] for text in self.queries]
        self.call.log.note(f"Passages beyond {_MOST_TOKENS:,} tokens are left out.")
        share = (_MOST_TOKENS - self._overhead(page)) // len(self.queries)
        return [_within(by_query[text], prices[text], share) for text in self.queries]

    def _price(self, passage: Passage) -> int:
        """What a passage costs as it is sent: its line breaks and quotes are escaped there, and it has an id."""
        said = self._chunk(passage).model_dump(mode="json", exclude_none=True)
        return count(json.dumps(said, ensure_ascii=False)) + _SEAM

    def _overhead(self, page: Page) -> int:
        """What the result costs without passages."""
        note = " ".join([*self._own_notes(), page.message])
        nothing: list[list[Passage]] = [[] for _ in self.queries]
        bare = self._reply(Outcome.OK, page=page, last_crawled=page.fetched_at, per_query=nothing, note=note)
        return count(bare.text) + _NOTES

    def _without_passages(
        self, outcome: Outcome, *, note: str, error: GossamerError | None = None, page: Page | None = None
    ) -> Reply[ReadOut]:
        """No passages, and why; a page that is not for everybody is no failure of the call."""
        when = page.fetched_at if page else self.engine.clock.now()
        reply = self._reply(outcome, page=page, last_crawled=when, per_query=[[] for _ in self.queries], note=note)
        meta = reply.meta
        if error:
            fault = {"code": outcome.value, "message": error.message, "hint": error.hint, **quote_data(error.quote)}
            meta = {**meta, "gossamer/error": fault}
        return replace(reply, meta=meta, is_plain=note == PROTECTED)

    def _reply(
        self, outcome: Outcome, *, page: Page | None, last_crawled: float, per_query: list[list[Passage]], note: str
    ) -> Reply[ReadOut]:
        notes = list(self.call.log.notes)
        out = ReadOut(
            url=self.url,
            title=(plain(page.title, max_chars=1000) or None) if page and self.with_metadata else None,
            last_crawled=iso_time(last_crawled),
            queries=[
                QueryOut(
                    query=escape(text),
                    results=[self._chunk(passage) for passage in passages],
                )
                for text, passages in zip(self.queries, per_query, strict=True)
            ],
            note=escape(note) or None,
        )
        spans = [{"start": passage.start, "end": passage.end} for passages in per_query for passage in passages]
        meta: dict[str, Any] = {
            **(
                page_meta(page, notes, now=self.engine.clock.now())
                if page
                else {"gossamer/note": notes}
                if notes
                else {}
            ),
            **({"gossamer/spans": spans} if spans else {}),
            **(services_meta(self.engine.reads_with) if outcome in {Outcome.OK, Outcome.NO_MATCH} else {}),
        }
        said = out.model_dump(mode="json", exclude_none=True)
        return Reply(text=json.dumps(said, ensure_ascii=False), data=out, outcome=outcome, meta=meta)

    def _chunk(self, passage: Passage) -> ChunkOut:
        section = tuple(map(clean_line, filter(None, passage.section)))
        shown = replace(passage, text=escape(passage.shown), section=section)
        path = list(section) if self.with_metadata else None
        return ChunkOut(id=shown.id, text=shown.text, score=round(shown.score, 4), section_path=path)

    def _own_notes(self) -> list[str]:
        """What happened on the way; how arguments were read is ours to say, in `_meta`."""
        return self.call.log.notes[self.notes_before :]


def _within(passages: Sequence[Passage], prices: Sequence[int], budget: int) -> list[Passage]:
    """The first passages that cost at most `budget` tokens together, and in any case the first."""
    fitting = sum(total <= budget for total in accumulate(prices))
    return list(passages[: max(1, fitting)])


def _too_far(queries: Sequence[str], far: Mapping[str, float], least: float) -> str:
    """That nothing was close enough to these queries, how close it came, and what to do."""
    numbers = [str(number) for number, text in enumerate(queries, 1) if text in far]
    which = f"query {', '.join(numbers)}" if len(queries) > 1 else "the query"
    best = math.floor(max(far.values()) * 10_000) / 10_000
    return (
        f"No passage comes as close to {which} as SIMILARITY_THRESHOLD asks ({least:g}): "
        f"the best score was {best:g}. Lowering it lets more through."
    )
