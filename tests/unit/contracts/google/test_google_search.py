"""`web.search` over an engine with a canned Google: the specification's object, failures in Google's shape."""

import asyncio
import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Reply
from gossamer.contracts.google.errors import failed, late
from gossamer.contracts.google.google_search import SearchOut, google_search
from gossamer.contracts.google.policy import GooglePolicy, most_of
from gossamer.engine.policies import Policies
from gossamer.errors import (
    Busy,
    Denied,
    GossamerError,
    InvalidArgument,
    NotFound,
    Outcome,
    QuotaExhausted,
    RateLimited,
    TimedOut,
    UnexpectedReply,
    Unreachable,
)
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.ports import Call
from gossamer.providers.google import Google
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S
from tests.unit.engine.world import Stuck, World, reply_of

AT = "http://localhost/google"
GOOGLE = Google.model_validate({"base_url": AT, "api_key": "a-secret-key", "engine_id": "an-engine"})
NOTHING: dict[str, Any] = {"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}}


def page(request: HttpRequest) -> HttpReply:
    link = f"https://a.test/{request.params['q']}"
    return reply_of({"kind": "customsearch#search", "items": [{"link": link, "title": "T"}]})


@pytest.fixture
def world() -> World:
    world = World(providers=(GOOGLE,))
    world.api.answers[AT] = page
    return world


async def called(world: World, **given: Any) -> Reply[SearchOut]:
    call = world.call()
    read = read_arguments(google_search.arguments, given, call.log.note)
    fields = {name: getattr(read, name) for name in type(read).model_fields}
    reply = await google_search.run(world.engine(), call, **fields)
    assert json.loads(reply.text) == reply.data.model_dump(mode="json", exclude_none=True)
    return reply


def broken(request: HttpRequest) -> HttpReply:
    """Good to one query, bad to the others."""
    return page(request) if request.params["q"] == "good" else reply_of({"error": {"message": "No."}}, 400)


async def test_a_null_of_google_s_stays(world: World) -> None:
    world.api.answers[AT] = lambda _: reply_of({**NOTHING, "context": {"facets": None}})
    reply = await called(world, query="x")
    assert json.loads(reply.text)["queries"][0]["result"] == {**NOTHING, "context": {"facets": None}}
    assert reply.outcome is Outcome.NO_MATCH


async def test_one_query_that_fails_does_not_fail_the_others(world: World) -> None:
    world.api.answers[AT] = broken
    reply = await called(world, query=["bad", "good", "bad"])
    assert [entry.query for entry in reply.data.queries] == ["bad", "good", "bad"]
    assert reply.data.queries[0].result == reply.data.queries[2].result == {"error": {"message": "No."}}
    assert reply.outcome is Outcome.OK
    assert [failure["who"] for failure in reply.meta["gossamer/failures"]] == ["query 1", "query 3"]
    assert reply.meta["gossamer/services"] == ["Google Custom Search"]


async def test_a_call_has_failed_when_all_queries_have(world: World) -> None:
    world.api.answers[AT] = broken
    reply = await called(world, query=["bad", "worse"])
    assert reply.outcome is Outcome.INVALID
    assert not reply.is_plain
    assert reply.meta["gossamer/error"] == {
        "code": "invalid",
        "message": "Google Custom Search did not accept the query (400).",
        "hint": "Rephrase it or drop a filter.",
    }


async def test_a_time_to_try_again_is_told(world: World) -> None:
    limited = reply_of({"error": {"status": "RESOURCE_EXHAUSTED"}}, 429)
    world.api.answers[AT] = replace(limited, headers={"retry-after": "7"})
    reply = await called(world, query="x")
    assert reply.meta["gossamer/error"]["retry_after_s"] == 7


async def test_when_google_has_ended_it_says_so(world: World) -> None:
    world.clock = SetClock(datetime(2027, 1, 1, tzinfo=UTC).timestamp())
    reply = await called(world, query="x")
    assert reply.outcome is Outcome.UNREACHABLE
    said = reply.data.queries[0].result["error"]
    assert (said["code"], said["status"]) == (503, "UNAVAILABLE")
    assert said["message"].startswith("Google Custom Search ended on 2027-01-01. ")
    assert world.api.asked == []


@pytest.mark.parametrize(
    ("usual", "given", "sent"),
    [("off", None, "off"), ("strict", None, "active"), ("strict", "off", "off"), ("off", "moderate", "active")],
)
async def test_what_is_filtered_is_the_call_s_word_then_the_operator_s(
    usual: Any, given: str | None, sent: str, world: World
) -> None:
    world.limits = replace(world.limits, policies=Policies(GooglePolicy(safe_search=usual)))
    await called(world, query="x", safeSearch=given)
    assert [request.params["safe"] for request in world.api.asked] == [sent]


async def test_time_that_runs_out_is_told_by_its_setting(world: World) -> None:
    world.api = Stuck()
    world.limits = replace(world.limits, policies=Policies(GooglePolicy(timeout_ms=200)))
    clock = world.clock
    engine = world.engine()
    call = Call(clock=clock, deadline=clock.monotonic() + 0.2)
    async with asyncio.timeout(LONG_S):
        reply = await google_search.run(engine, call, query=["x"])
    said = reply.data.queries[0].result["error"]
    assert (said["code"], said["status"], said["errors"][0]["reason"]) == (504, "DEADLINE_EXCEEDED", "timeout")
    assert "(REQUEST_TIMEOUT_MS is 200.)" in said["message"]


async def test_a_call_without_a_deadline_is_answered_too(world: World) -> None:
    reply = await google_search.run(world.engine(), Call(clock=world.clock), query=["x"])
    assert reply.outcome is Outcome.OK


TIMES = {"twenty seconds": (20.0, 19.6), "one": (1.0, 0.9), "a tenth": (0.1, 0.09), "none": (0.0, 0.0)}


@pytest.mark.parametrize(("given", "left"), TIMES.values(), ids=TIMES)
def test_a_little_of_the_time_is_kept_back(given: float, left: float) -> None:
    clock = SetClock(100.0)
    assert most_of(Call(clock=clock, deadline=100.0 + given)).remaining_s == pytest.approx(left)


def test_endless_time_stays_endless() -> None:
    assert most_of(Call(clock=SetClock())).deadline == math.inf


LATE = {
    "a service's": (TimedOut("Google is late.", hint="Wait."), "Google is late. (REQUEST_TIMEOUT_MS is 5.)"),
    "a queue's": (Busy("Others wait.", hint="Wait."), "Others wait. (REQUEST_TIMEOUT_MS is 5.)"),
    "the clock's": (TimeoutError(), "web.search did not finish in time. (REQUEST_TIMEOUT_MS is 5.)"),
}


@pytest.mark.parametrize(("error", "message"), LATE.values(), ids=LATE)
def test_lateness_names_its_setting(error: Any, message: str) -> None:
    told = late("web.search", 5, error)
    assert told.message == message
    assert told.outcome is Outcome.TIMEOUT


async def test_a_timeout_that_google_itself_tells_of_is_in_its_words(world: World) -> None:
    said = {"error": {"code": 408, "message": "Request Timeout"}}
    world.api.answers[AT] = reply_of(said, 408)
    reply = await called(world, query="x")
    assert (reply.outcome, reply.data.queries[0].result) == (Outcome.TIMEOUT, said)
    assert len(world.api.asked) == 1


KINDS: dict[str, tuple[GossamerError, int, str]] = {
    "a bad argument": (InvalidArgument("No.", hint="Mend it."), 400, "INVALID_ARGUMENT"),
    "a bad key": (Denied("No.", hint="Mend it."), 403, "PERMISSION_DENIED"),
    "a wrong address": (NotFound("No.", hint="Mend it."), 404, "NOT_FOUND"),
    "a spent quota": (QuotaExhausted("No.", hint="Mend it."), 429, "RESOURCE_EXHAUSTED"),
    "an outage": (Unreachable("No.", hint="Mend it."), 503, "UNAVAILABLE"),
    "lateness": (TimedOut("No.", hint="Mend it."), 504, "DEADLINE_EXCEEDED"),
    "anything else": (UnexpectedReply("No.", hint="Mend it."), 500, "INTERNAL"),
}


@pytest.mark.parametrize(("error", "code", "status"), KINDS.values(), ids=KINDS)
def test_a_failure_of_ours_has_google_s_shape(error: GossamerError, code: int, status: str) -> None:
    reason = {"message": "No. Mend it.", "domain": "gossamer", "reason": error.outcome.value}
    said = {"error": {"code": code, "message": "No. Mend it.", "errors": [reason], "status": status}}
    assert failed(error) == said


def test_a_status_that_somebody_gave_is_kept() -> None:
    error = Unreachable("No.").but(status=502)
    assert failed(error)["error"]["code"] == 502


RAW = {
    "Google's error": ('{"error": {"code": 400, "message": "N\\u200bo"}}', {"error": {"code": 400, "message": "No"}}),
    "an error that is no object": ('{"error": "no"}', None),
    "a list": ("[]", None),
    "no JSON": ("<html>", None),
    "a nest": ("[" * 100_000, None),
}


@pytest.mark.parametrize(("raw", "expected"), RAW.values(), ids=RAW)
def test_google_s_own_words_are_used_where_they_are_an_error(raw: str, expected: dict[str, Any] | None) -> None:
    error = RateLimited("Google").but(raw=raw)
    assert failed(error) == (expected or failed(RateLimited("Google")))


@pytest.mark.parametrize("region", ["ZZ", "countryXX"])
async def test_letters_that_are_no_country_are_refused_before_anybody_is_asked(world: World, region: str) -> None:
    with pytest.raises(InvalidArgument, match="region is no country"):
        await called(world, query="q", region=region)
    assert world.api.asked == []
