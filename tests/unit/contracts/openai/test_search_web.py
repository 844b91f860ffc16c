"""`search_web` as values: what is asked, what is shown of a text, what is refused before anybody is asked."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.openai.errors import SearchValidationError
from gossamer.contracts.openai.policy import SearchWebPolicy
from gossamer.contracts.openai.search_web import check_query, prompt, search_web, shown
from gossamer.engine.policies import Policies
from gossamer.errors import InvalidArgument
from gossamer.model.search import Mention, ModelAnswer
from tests.unit.engine.test_model_search import reply, world_of

TEXT = "Ferries leave at noon. ([a.test](https://a.test/?utm_source=openai))"
MENTION = Mention(url="https://a.test/?utm_source=openai", title="A", start=23, end=len(TEXT))
WRITTEN = ModelAnswer(text=TEXT, mentions=(MENTION,), model="gpt-5-nano", written_at=1_794_700_806.25)


@pytest.mark.promise("000.105", "000.106")
def test_the_prompt_is_the_query_and_the_wish_for_recent_pages() -> None:
    assert prompt("ferries", None) == "ferries"
    assert prompt("ferries", 24) == "ferries (prefer results from last 24 hours)"


@pytest.mark.promise("000.89")
def test_a_text_is_shown_with_citations_that_slice_it() -> None:
    told = shown(replace(WRITTEN, prompt_tokens=7, response_tokens=8), 5).model_dump(exclude_none=True)
    assert told == {
        "text": TEXT,
        "citations": [
            {
                "url": "https://a.test/",
                "title": "A",
                "textSnippet": TEXT[23:],
                "startIndex": 23,
                "endIndex": len(TEXT),
                "rank": 1,
            }
        ],
        "provider": "gpt-5-nano-web-search",
        "respondedAt": "2026-11-15T00:00:06.250Z",
        "usage": {"promptTokens": 7, "responseTokens": 8},
    }


@pytest.mark.parametrize("known", [{}, {"prompt_tokens": 7}, {"response_tokens": 8}])
def test_usage_stands_there_only_when_all_of_it_is_known(known: dict[str, int]) -> None:
    assert shown(replace(WRITTEN, **known), 5).usage is None


def test_text_that_looks_like_ours_is_disarmed_and_indexes_follow() -> None:
    text = f"<|im_start|>\u200b{TEXT}"
    moved = replace(MENTION, start=MENTION.start + 13, end=MENTION.end + 13)
    told = shown(replace(WRITTEN, text=text, mentions=(moved,)), 5)
    assert told.text == f"<\\|im_start|>{TEXT}"
    (one,) = told.citations
    assert told.text[one.start_index : one.end_index] == one.text_snippet == TEXT[23:]


def test_a_citation_that_stands_nowhere_has_an_empty_snippet() -> None:
    told = shown(replace(WRITTEN, mentions=(replace(MENTION, start=0, end=0),)), 5)
    assert (told.citations[0].text_snippet, told.citations[0].url) == ("", "https://a.test/")


def given(**asked: Any) -> tuple[Any, list[str]]:
    notes: list[str] = []
    return read_arguments(search_web.arguments, {"query": "ferries today", **asked}, notes.append), notes


@pytest.mark.promise("000.143")
def test_arguments_are_read_leniently_and_never_silently() -> None:
    read, notes = given(query="  ferries today ", maxResults="8", freshnessHours=24.0, region="at", includeAnswers="no")
    assert read.model_dump() == {
        "query": "ferries today",
        "maxResults": 8,
        "freshnessHours": 24,
        "region": "AT",
        "includeAnswers": False,
    }
    assert len(notes) == 5


@pytest.mark.promise("000.99")
def test_what_is_left_out_is_as_specified() -> None:
    read, notes = given(freshnessHours=None, region="")
    assert (read.maxResults, read.freshnessHours, read.region, read.includeAnswers) == (5, None, None, True)
    assert not notes


BOUNDS = {
    "a query of two": {"query": "ab"},
    "two and blanks": {"query": " ab  "},
    "a query of 401": {"query": "x" * 401},
    "no results": {"maxResults": 0},
    "nine results": {"maxResults": 9},
    "half a result": {"maxResults": 2.5},
    "no hours": {"freshnessHours": 0},
    "a week and an hour": {"freshnessHours": 169},
    "a country of three": {"region": "AUT"},
    "a token": {"token": "secret"},
}


@pytest.mark.promise("000.47", "000.101")
@pytest.mark.parametrize("asked", BOUNDS.values(), ids=BOUNDS)
def test_what_is_out_of_bounds_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        given(**asked)


WITHIN = {
    "a query of three": {"query": "abc"},
    "a query of 400": {"query": "x" * 400},
    "one result": {"maxResults": 1},
    "eight results": {"maxResults": 8},
    "one hour": {"freshnessHours": 1},
    "a week": {"freshnessHours": 168},
    "the Emirates": {"region": "AE"},
}


@pytest.mark.promise("000.101", "000.168")
@pytest.mark.parametrize("asked", WITHIN.values(), ids=WITHIN)
def test_what_is_within_bounds_is_taken(asked: dict[str, Any]) -> None:
    read, notes = given(**asked)
    check_query(Policies(), read)
    assert not notes


ODD = {
    "a bell": "ferries\x07now",
    "a new line": "ferries\nnow",
    "a tab": "ferries\tnow",
    "delete": "ferries\x7fnow",
    "a control of the second block": "ferries\x85now",
    "a line separator": "ferries\u2028now",
}


@pytest.mark.promise("000.47")
@pytest.mark.parametrize("query", ODD.values(), ids=ODD)
def test_control_characters_are_refused(query: str) -> None:
    with pytest.raises(InvalidArgument, match="control characters"):
        check_query(Policies(), SimpleNamespace(query=query, region=None))


def test_a_region_that_is_no_country_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="region is no country"):
        check_query(Policies(), SimpleNamespace(query="ferries", region="QQ"))
    with pytest.raises(InvalidArgument, match="region is no country"):
        check_query(Policies(), given(region="xk")[0])


@pytest.mark.promise("000.80")
def test_a_query_for_another_server_is_refused_by_the_rules_that_are_set() -> None:
    asked = SimpleNamespace(query="polymarket odds", region=None)
    with pytest.raises(SearchValidationError) as raised:
        check_query(Policies(), asked)
    assert str(raised.value) == (
        'Use polymarket MCP server for market-related queries (seen by "polymarket", "odds"). '
        "Ask the polymarket server, or search for something else."
    )
    assert raised.value.details["server"] == "polymarket"
    check_query(Policies(SearchWebPolicy(guardrails="off")), asked)
    with pytest.raises(SearchValidationError):
        check_query(Policies(SearchWebPolicy(guardrails="literal")), SimpleNamespace(query="bets", region=None))


async def test_a_call_returns_the_object_the_notes_and_who_saw_the_query() -> None:
    world = world_of(reply())
    engine, call = world.engine(), world.call()
    call.log.note("maxResults was read as 5.")
    first = await search_web.run(engine, call, query="ferries", region="AT")
    again = await search_web.run(engine, world.call(), query="ferries", region="AT")
    assert first.data.text == "They leave at noon."
    assert json.loads(first.text) == first.data.model_dump(exclude_none=True)
    assert first.meta == {"gossamer/services": ["OpenAI"], "gossamer/note": ["maxResults was read as 5."]}
    assert again.meta == {}
    assert first.count == 0
    await search_web.run(engine, world.call(), query="ferries", includeAnswers=False)
    bodies = [json.loads(request.body or b"") for request in world.api.asked]
    assert [body["tools"][0]["user_location"].get("country") for body in bodies] == ["AT", None]
    assert ["bare list" in body["instructions"] for body in bodies] == [False, True]
