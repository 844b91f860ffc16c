"""`WebSearch` over an engine with canned services: the specification's object, and what stands beside it."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Reply
from gossamer.contracts.websearch.policy import WebSearchPolicy
from gossamer.contracts.websearch.web_search import FoundOut, failed_search, snippet, web_search
from gossamer.engine.policies import Policies, SearchPolicy
from gossamer.errors import GossamerError, Outcome, TimedOut
from gossamer.model.search import Query
from tests.unit.engine.services import Dear, Ending, Free, Paid, urls
from tests.unit.engine.world import SEARX, World, searxng_reply

FREE = "http://free.test"


async def called(world: World, **given: Any) -> Reply[FoundOut]:
    call = world.call()
    read = read_arguments(web_search.arguments, {"query": "ferries", **given}, call.log.note)
    fields = {name: getattr(read, name) for name in type(read).model_fields}
    reply = await web_search.run(world.engine(), call, **fields)
    assert json.loads(reply.text) == reply.data.model_dump(mode="json", exclude_none=True)
    return reply


def found(*urls: str, **more: Any) -> World:
    world = World()
    world.limits = replace(world.limits, providers=("searxng",))
    world.api.answers[f"{SEARX}/search"] = searxng_reply(*urls, **more)
    return world


async def test_results_are_the_specification_s_object() -> None:
    reply = await called(found("https://en.a.test/1", number_of_results=8450))
    assert json.loads(reply.text) == {
        "query": "ferries",
        "totalResults": 8450,
        "results": [
            {
                "title": "About https://en.a.test/1",
                "url": "https://en.a.test/1",
                "snippet": "Words on https://en.a.test/1",
                "domain": "a.test",
                "datePublished": None,
            }
        ],
        "searchEngine": "searxng",
        "searchTime": 0.0,
    }
    assert reply.meta == {"gossamer/services": ["SearXNG"]}


async def test_a_total_is_never_less_than_what_is_there() -> None:
    reply = await called(found("https://a.test/1", "https://a.test/2", number_of_results=1))
    assert reply.data.total_results == 2


async def test_nothing_found_has_a_suggestion_and_no_engine() -> None:
    reply = await called(found(suggestions=["ferry <b>boats</b>"]))
    assert json.loads(reply.text) == {
        "query": "ferries",
        "totalResults": 0,
        "results": [],
        "suggestion": "No results found. Try broader search terms or check spelling.",
    }
    assert reply.outcome is Outcome.NO_MATCH
    assert reply.meta["gossamer/suggestions"] == ["ferry boats"]


async def test_the_operator_may_allow_fewer_results() -> None:
    world = found("https://a.test/1", "https://a.test/2", "https://a.test/3")
    world.limits = replace(world.limits, policies=Policies(WebSearchPolicy(max_count=2, search=SearchPolicy())))
    reply = await called(world, maxResults=3)
    assert len(reply.data.results) == 2
    assert reply.meta["gossamer/note"] == ["maxResults is limited to 2 here."]


DAYS = {
    "a day": ("2024-02-20", "2024-02-20"),
    "a time": ("2024-02-20T10:00:00", "2024-02-20"),
    "no date": ("yesterday", None),
    "nothing": (None, None),
}


@pytest.mark.parametrize(("told", "expected"), DAYS.values(), ids=DAYS)
async def test_a_date_is_a_day_or_nothing(told: str | None, expected: str | None) -> None:
    rows = [{"url": "https://a.test/", "title": "T", "content": "", "engine": "e", "publishedDate": told}]
    reply = await called(found(results=rows))
    assert [row["datePublished"] for row in reply.data.results] == [expected]


async def test_a_search_that_was_made_before_says_since_when() -> None:
    world = found("https://a.test/1")
    engine = world.engine()
    policy = engine.policies.of(WebSearchPolicy)
    await engine.search(Query(text="ferries", language="all"), world.call(), policy=policy.search)
    world.clock.advance(60)
    reply = await web_search.run(engine, world.call(), query="ferries")
    assert reply.meta == {"gossamer/services": [], "gossamer/kept_since": "1970-01-12T13:46:40Z"}
    assert len(world.api.asked) == 1


async def test_a_failure_beside_the_results_is_told() -> None:
    world = World(providers=(Ending(), Paid(), Free()))
    world.api.answers[FREE] = urls("https://a.test/")
    reply = await called(world)
    assert {failure["who"] for failure in reply.meta["gossamer/failures"]} >= {"paid"}
    assert reply.data.search_engine == "free"


async def test_who_is_asked_may_be_said_for_this_tool_alone() -> None:
    world = World(providers=(Paid(), Dear(), Free()))
    world.limits = replace(
        world.limits, providers=("paid",), policies=Policies(WebSearchPolicy(search=SearchPolicy(providers=("free",))))
    )
    world.api.answers[FREE] = urls("https://a.test/")
    assert (await called(world)).data.search_engine == "free"


FAILURES = {
    "with a hint": (TimedOut("Brave is late.", hint="Try again."), "Try again."),
    "without one": (GossamerError("Odd."), "Try again later, or use another source"),
}


@pytest.mark.parametrize(("error", "suggestion"), FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize(("asked", "query"), [({"query": " du\u200bne "}, "dune"), ({}, ""), ({"query": 7}, "7")])
def test_a_failure_is_an_object_with_a_suggestion(
    error: GossamerError, suggestion: str, asked: dict[str, Any], query: str
) -> None:
    reply = failed_search(error, asked)
    assert list(json.loads(reply.text).items()) == [
        ("query", query),
        ("results", []),
        ("message", error.message),
        ("suggestion", suggestion),
    ]
    assert reply.outcome is error.outcome


SNIPPETS = {
    "short": ("A film.", "A film."),
    "just short enough": ("x" * 200, "x" * 200),
    "words": ("word " * 41, ("word " * 39).strip() + "..."),
    "a comma before the cut": ("word, " * 40, "word, " * 32 + "word..."),
    "no blanks": ("あ" * 300, "あ" * 197 + "..."),
    "marks that belong to a letter": ("e\u0301" * 150, "e\u0301" * 98 + "..."),
    "flags": ("🇦🇹" * 150, "🇦🇹" * 98 + "..."),
    "flags after a letter": ("x" + "🇦🇹" * 150, "x" + "🇦🇹" * 98 + "..."),
    "families": ("👨\u200d👩\u200d👧" * 60, "👨\u200d👩\u200d👧" * 39 + "..."),
    "colours of skin": ("👍🏽" * 150, "👍🏽" * 98 + "..."),
    "variants": ("❤\ufe0f" * 150, "❤\ufe0f" * 98 + "..."),
    "keys": ("1\ufe0f\u20e3" * 100, "1\ufe0f\u20e3" * 65 + "..."),
    "nothing but marks": ("a" + "\u0301" * 300, "a" + "\u0301" * 99 + "..."),
}


@pytest.mark.parametrize(("text", "expected"), SNIPPETS.values(), ids=SNIPPETS)
def test_a_snippet_ends_with_a_word(text: str, expected: str) -> None:
    assert snippet(text) == expected


@given(st.text(alphabet=st.sampled_from("ab ,.あe\u0301\u200d👩"), max_size=1500))
def test_a_snippet_is_a_beginning_of_at_most_200_characters(text: str) -> None:
    line = snippet(" ".join(text.split()))
    assert len(line) <= 200
    assert snippet(line) == line
