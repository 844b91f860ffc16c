"""`web.search`: Google's own JSON for one query or several, as its specification says.

A query that failed has Google's error object in the place of its result; the call has failed when all of them have.
What is ours stands in `_meta`.
"""

import asyncio
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from gossamer.contracts.contract import Reads, Reply, tool
from gossamer.contracts.google.errors import failed, late
from gossamer.contracts.google.policy import TIME_SETTING, GooglePolicy, most_of
from gossamer.contracts.render.envelope import QUOTED, QuotedLine, clean_json, failure_data, search_meta
from gossamer.engine import Engine
from gossamer.errors import Busy, GossamerError, InvalidArgument, Outcome, TimedOut
from gossamer.model.search import ANY_LANGUAGE, Failure, Query, SearchPage
from gossamer.ports import Call
from gossamer.steps.search.locale_codes import COUNTRIES, read_country, read_language
from gossamer.steps.text.clean_line import plain

_NAME = "web.search"
_QUERY_CHARS = 2000
_MOST_QUERIES = 10
_LEVELS: Mapping[str, Literal[0, 1, 2]] = {"off": 0, "moderate": 1, "strict": 2}


class QueryOut(BaseModel):
    """What Google said to one query."""

    query: QuotedLine
    result: Annotated[dict[str, Any], QUOTED]
    """Every string of it is disarmed."""


class SearchOut(BaseModel):
    """What it said to each, in the order asked."""

    queries: list[QueryOut]


@tool(
    title="Search with Google",
    use="returns Google's own JSON for each query.",
    timeout=lambda policies: policies.of(GooglePolicy).timeout_s,
    needs=frozenset({"search"}),
    name=_NAME,
    time_setting=TIME_SETTING,
)
async def google_search(
    engine: Engine,
    call: Call,
    query: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=_QUERY_CHARS), Reads(by=str.strip)]],
        Field(description="What to search for, one or several.", min_length=1, max_length=_MOST_QUERIES),
    ],
    resultsPerQuery: Annotated[int, Field(description="Results per query.", ge=1, le=50)] = 10,  # noqa: N803  as specified
    region: Annotated[
        str,
        Field(description='Country of the results, e.g. "US".', pattern="^[A-Z]{2}$"),
        Reads(by=lambda text: read_country(text.strip().removeprefix("country"))),
    ] = "",
    language: Annotated[
        str,
        Field(description='Language of the results, e.g. "en".', pattern="^[a-z]{2}(-[A-Z]{2})?$"),
        Reads(by=lambda text: read_language(text.strip().removeprefix("lang_"))),
    ] = "",
    safeSearch: Annotated[  # noqa: N803  as specified
        Literal["off", "moderate", "strict"] | None,
        Field(description="Filter content."),
        Reads(by=lambda text: text.strip().lower()),
    ] = None,
) -> Reply[SearchOut]:
    """Searches with Google Custom Search, several queries at once, and returns its raw JSON for each."""
    if region and region not in COUNTRIES:
        raise InvalidArgument("region is no country.", hint="Give its ISO code, such as US or AT.")
    own, policy = most_of(call), engine.policies.of(GooglePolicy)
    wanted = Query(
        text="",
        count=resultsPerQuery,
        language=language or ANY_LANGUAGE,
        region=region or None,
        safe_search=_LEVELS[safeSearch or policy.safe_search],
    )
    batch = _Batch(engine=engine, call=own, wanted=wanted)
    answers = await asyncio.gather(*(batch.ask(text) for text in dict.fromkeys(query)))
    of = dict(zip(dict.fromkeys(query), answers, strict=True))
    return await asyncio.to_thread(_reply, query, of, call)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Batch:
    """The queries of one call."""

    engine: Engine
    call: Call
    wanted: Query

    async def ask(self, text: str) -> SearchPage | GossamerError:
        """What Google found, or why it did not; one query never fails another."""
        policy = self.engine.policies.of(GooglePolicy)
        try:
            async with asyncio.timeout(None if self.call.deadline == math.inf else self.call.remaining_s):
                return await self.engine.search(replace(self.wanted, text=text), self.call, policy=policy.search)
        except (TimeoutError, TimedOut, Busy) as error:
            return late(_NAME, policy.timeout_ms, error)
        except GossamerError as error:
            return error


def _reply(asked: list[str], of: Mapping[str, SearchPage | GossamerError], call: Call) -> Reply[SearchOut]:
    results = {text: _result(said) for text, said in of.items()}
    out = SearchOut(
        queries=[QueryOut(query=plain(text, max_chars=_QUERY_CHARS), result=results[text]) for text in asked]
    )
    pages = [said for said in of.values() if isinstance(said, SearchPage)]
    errors = {number: of[text] for number, text in enumerate(asked, 1)}
    failures = [
        Failure.of(f"query {number}", error) for number, error in errors.items() if isinstance(error, GossamerError)
    ]
    meta = search_meta(pages, call)
    meta |= {"gossamer/failures": [*meta.get("gossamer/failures", ()), *failure_data(failures)]} if failures else {}
    meta |= {} if pages else {"gossamer/error": _told(failures[0])}
    said = out.model_dump(mode="json", exclude_none=True)
    return Reply(
        text=json.dumps(said, ensure_ascii=False),
        data=out,
        outcome=_outcome(pages, failures),
        meta=meta,
    )


def _result(said: SearchPage | GossamerError) -> dict[str, Any]:
    return failed(said) if isinstance(said, GossamerError) else clean_json(json.loads(said.raw))


def _told(failure: Failure) -> dict[str, Any]:
    """The failure of a call as every tool tells it."""
    told: dict[str, Any] = {"code": failure.outcome.value, "message": failure.message, "hint": failure.hint}
    return told if failure.retry_after_s is None else {**told, "retry_after_s": failure.retry_after_s}


def _outcome(pages: list[SearchPage], failures: list[Failure]) -> Outcome:
    """A failure where all have failed: the first one's."""
    if not pages:
        return failures[0].outcome
    return Outcome.OK if any(page.hits for page in pages) else Outcome.NO_MATCH
