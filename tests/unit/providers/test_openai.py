import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from gossamer.errors import BrokenReply, Denied, GossamerError, NotFound, RateLimited, UnexpectedReply, Unreachable
from gossamer.model.http import HttpReply
from gossamer.model.search import Found, ModelQuery, Query
from gossamer.ports import SearchModel
from gossamer.providers.openai import OpenAI, living

OPENAI = OpenAI(api_key=SecretStr("sk-x"))
QUERY = Query(text="vacuum full")


def sent(provider: OpenAI = OPENAI, **asked: Any) -> dict[str, Any]:
    return json.loads(provider.request(replace(QUERY, **asked)).body or b"")


def answered(body: object, status: int = 200, **headers: str) -> HttpReply:
    return HttpReply(status=status, url="", headers=headers, body=json.dumps(body).encode())


@pytest.mark.promise("000.18")
def test_a_plain_query_is_stored_nowhere_and_searched_at_no_temperature() -> None:
    request = OPENAI.request(QUERY)
    asked = sent()
    assert (request.method, request.url) == ("POST", "https://api.openai.com/v1/responses")
    assert request.headers["Authorization"] == "Bearer sk-x"
    assert asked["store"] is False
    assert asked["max_output_tokens"] == 8000
    assert asked["tool_choice"] == "auto"
    assert asked["include"] == ["web_search_call.action.sources"]
    assert asked["tools"] == [{"type": "web_search", "user_location": {"type": "approximate"}}]
    assert asked["input"] == "vacuum full"
    assert not asked.keys() & {"temperature", "top_p", "stream"}


def test_every_filter_reaches_the_service() -> None:
    asked = sent(site="postgresql.org", time_range="week", region="at", language="de")
    (tool,) = asked["tools"]
    assert tool["filters"] == {"allowed_domains": ["postgresql.org"]}
    assert tool["user_location"] == {"type": "approximate", "country": "AT"}
    assert "last week" in asked["input"]
    assert "code de" in asked["input"]


LIVES = {
    "the last day of nano": ("gpt-5-nano", date(2026, 12, 10), "gpt-5-nano"),
    "nano is gone": ("gpt-5-nano", date(2026, 12, 11), "gpt-5.6-luna"),
    "o3 is gone": ("o3", date(2027, 5, 1), "gpt-5.6-sol"),
    "a model nobody ended": ("gpt-6-luna", date(2999, 1, 1), "gpt-6-luna"),
}


@pytest.mark.parametrize(("model", "day", "expected"), LIVES.values(), ids=LIVES)
def test_a_model_that_has_ended_is_followed_by_its_successor(model: str, day: date, expected: str) -> None:
    assert living(model, day) == expected


@pytest.mark.promise("000.2")
def test_the_model_that_lives_on_the_day_is_asked() -> None:
    assert sent(day=date(2026, 12, 10))["model"] == "gpt-5-nano"
    assert sent(day=date(2026, 12, 11))["model"] == "gpt-5.6-luna"
    assert sent(OpenAI(api_key=SecretStr("sk-x"), model="gpt-6-luna"))["model"] == "gpt-6-luna"


def test_effort_is_named_only_where_it_is_known_and_never_minimal() -> None:
    assert sent(day=date(2026, 12, 10))["reasoning"] == {"effort": "low"}
    assert "reasoning" not in sent(day=date(2026, 12, 11))
    assert "reasoning" not in sent(OpenAI(api_key=SecretStr("sk-x"), model="gpt-6-luna"))


@pytest.mark.promise("000.53")
def test_a_small_budget_of_tokens_is_refused_since_thinking_counts() -> None:
    with pytest.raises(ValidationError):
        OpenAI(max_output_tokens=600)


def test_a_key_is_needed_only_at_openai() -> None:
    assert not OpenAI().is_ready
    assert not OpenAI().is_own
    own = OpenAI(base_url="http://127.0.0.1:9/v1/")
    assert own.is_ready
    assert own.is_own
    assert "Authorization" not in own.request(QUERY).headers


def found(text: str, *citations: dict[str, Any], sources: object = None) -> Found:
    message = {"type": "message", "content": [{"type": "output_text", "text": text, "annotations": list(citations)}]}
    search = {"type": "web_search_call", "status": "completed", "action": {"type": "search", "sources": sources}}
    return OPENAI.parse(answered({"status": "completed", "output": [search, message]}))


def cited(start: int, end: int, url: str = "https://a.example/") -> dict[str, Any]:
    return {"type": "url_citation", "start_index": start, "end_index": end, "title": "A", "url": url}


TEXT = "First.\nSecond. ([a](https://a.example/)) Third. ([b](https://b.example/))"
CLAIMS = {
    "the line before the mark": ([cited(15, 40)], ["Second."]),
    "from the mark before": ([cited(15, 40), cited(48, 73, "https://b.example/")], ["Second.", "Third."]),
    "indexes beyond the text": ([cited(15, 4000)], [""]),
    "indexes that point at words": ([cited(0, 5)], [""]),
    "indexes in the wrong order": ([cited(40, 15)], [""]),
    "negative indexes": ([cited(-40, -15)], [""]),
}


@pytest.mark.parametrize(("citations", "snippets"), CLAIMS.values(), ids=CLAIMS)
def test_a_snippet_is_what_the_citation_stands_behind(citations: list[dict[str, Any]], snippets: list[str]) -> None:
    assert [hit.snippet for hit in found(TEXT, *citations).hits] == snippets


def test_a_page_that_is_cited_and_looked_at_is_one_hit() -> None:
    citation = cited(0, 0, "https://a.example/?q=1&utm_source=openai")
    sources = [{"url": "https://a.example/?q=1"}, {"url": "https://b.example/"}, {"type": "api", "name": "oai-weather"}]
    urls = [hit.url for hit in found("x", citation, citation, sources=sources).hits]
    assert urls == ["https://a.example/?q=1&utm_source=openai", "https://b.example/"]


@pytest.mark.promise("000.6", "000.88")
def test_an_annotation_of_another_kind_is_no_page() -> None:
    assert found("x", {"type": "file_citation", "url": "https://a.example/"}).hits == ()


def test_the_reply_itself_is_kept_for_who_hands_it_on() -> None:
    assert json.loads(found("What the model wrote").raw)["output"][1]["content"][0]["text"] == "What the model wrote"


@pytest.mark.promise("000.4")
def test_a_message_without_content_and_a_call_without_action_are_read() -> None:
    output = [{"type": "web_search_call"}, {"type": "message"}, {"type": "reasoning", "content": None}]
    assert OPENAI.parse(answered({"status": "completed", "output": output})).hits == ()


def test_a_failure_without_a_reason_is_a_sentence_too() -> None:
    with pytest.raises(BrokenReply, match=r"failed to answer\."):
        OPENAI.parse(answered({"status": "failed", "output": []}))


def error(code: str | None, message: str = "", kind: str | None = None) -> dict[str, Any]:
    return {"error": {"code": code, "type": kind, "message": message, "param": None}}


MEANT: dict[str, tuple[int, dict[str, Any], type[GossamerError]]] = {
    "a key, whatever the status": (403, error("invalid_api_key"), Denied),
    "slowing down is a pace": (429, error("slow_down"), RateLimited),
    "slowing down with 503 is overload": (503, error("slow_down"), Unreachable),
    "another server error": (500, error(None, kind="server_error"), Unreachable),
    "a 403 for a reason nobody knows": (403, error("no_such_project"), Denied),
    "a 404 for a reason nobody knows": (404, error(None), NotFound),
}


@pytest.mark.parametrize(("status", "body", "meant"), MEANT.values(), ids=MEANT)
def test_the_code_tells_before_the_status(status: int, body: dict[str, Any], meant: type[GossamerError]) -> None:
    with pytest.raises(meant):
        OPENAI.judge(answered(body, status))


def test_an_overloaded_service_says_when_to_come_again() -> None:
    with pytest.raises(Unreachable) as caught:
        OPENAI.judge(answered(error("server_is_overloaded"), 503, **{"retry-after": "120"}))
    assert caught.value.retry_after_s == 120


def test_what_a_complaint_says_of_the_key_is_not_repeated() -> None:
    with pytest.raises(Denied) as caught:
        OPENAI.judge(answered(error("invalid_api_key", "Incorrect API key provided: sk-proj-abcd"), 401))
    assert "sk-" not in str(caught.value)


WAITS: dict[str, tuple[dict[str, str], str, float | None]] = {
    "the exact header": ({"retry-after-ms": "1584", "retry-after": "2"}, "", 1.584),
    "the usual header": ({"retry-after": "20", "retry-after-ms": "soon"}, "Please try again in 3s.", 20),
    "seconds": ({}, "Please try again in 1.584s. Visit", 1.584),
    "milliseconds": ({}, "Please try again in 84ms.", 0.084),
    "minutes": ({}, "Please try again in 6m0s.", 360),
    "nothing": ({}, "Please try again soon.", None),
}


@pytest.mark.parametrize(("headers", "message", "wait_s"), WAITS.values(), ids=WAITS)
def test_how_long_to_wait_is_read_where_it_is_said(headers: dict[str, str], message: str, wait_s: float | None) -> None:
    with pytest.raises(RateLimited) as caught:
        OPENAI.judge(answered(error("rate_limit_exceeded", message), 429, **headers))
    assert caught.value.retry_after_s == pytest.approx(wait_s)


WISH = ModelQuery(text="ferries", task="Search, then write.", day=date(2026, 11, 16))


def ordered(provider: OpenAI = OPENAI, **asked: Any) -> dict[str, Any]:
    return json.loads(provider.model_request(replace(WISH, **asked)).body or b"")


@pytest.mark.promise("000.18")
def test_a_wish_is_sent_at_no_temperature_and_stored_nowhere() -> None:
    assert ordered() == {
        "model": "gpt-5-nano",
        "instructions": "Search, then write.",
        "input": "ferries",
        "tool_choice": "auto",
        "max_output_tokens": 8000,
        "store": False,
        "reasoning": {"effort": "low"},
        "tools": [{"type": "web_search", "user_location": {"type": "approximate"}}],
    }


def test_a_country_a_model_and_a_shape_are_asked_for_as_the_service_wants_them() -> None:
    asked = ordered(country="AE", model="o3", shape={"type": "object"})
    assert asked["tools"][0]["user_location"] == {"type": "approximate", "country": "AE"}
    assert asked["model"] == "o3"
    assert "reasoning" not in asked
    assert asked["include"] == ["web_search_call.action.sources"]
    shape = {"type": "json_schema", "name": "results", "schema": {"type": "object"}, "strict": True}
    assert asked["text"] == {"format": shape}


def test_without_a_day_a_wish_is_of_today() -> None:
    assert ordered(day=None)["model"] == living("gpt-5-nano", datetime.now(UTC).date())


def part_of(text: str, *annotations: dict[str, Any]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": list(annotations)}


def cite(start: int, end: int, url: str | None = "https://a.test/", kind: str = "url_citation") -> dict[str, Any]:
    return {"type": kind, "start_index": start, "end_index": end, "url": url, "title": None}


def response(*output: dict[str, Any], **more: Any) -> HttpReply:
    return answered({"status": "completed", "output": list(output), **more})


SEARCH = {"type": "web_search_call", "status": "completed"}


def test_several_parts_are_one_text_and_their_citations_move_along() -> None:
    output = [
        {"type": "reasoning", "summary": []},
        {
            **SEARCH,
            "action": {"type": "search", "sources": [{"type": "url", "url": "https://s.test/"}, {"type": "api"}]},
        },
        {"type": "message", "content": [part_of("one [1]", cite(4, 7)), part_of(" two [2]", cite(5, 8))]},
        {"type": "message", "content": [part_of(" three", cite(9, 99))]},
    ]
    found = OPENAI.model_answer(response(*output, usage={"input_tokens": 5, "output_tokens": 6}), WISH)
    assert found.text == "one [1] two [2] three"
    assert [found.text[one.start : one.end] for one in found.mentions] == ["[1]", "[2]", ""]
    assert found.sources == ("https://s.test/",)
    assert (found.model, found.prompt_tokens, found.response_tokens) == ("gpt-5-nano", 5, 6)


@pytest.mark.promise("000.116", "000.170")
def test_what_is_null_is_read_as_what_is_missing() -> None:
    nowhere = {**cite(0, 0, url="https://b.test/"), "start_index": None, "end_index": None}
    somewhere = {**nowhere, "url": "https://a.test/"}
    bare = {"type": None, "url": None, "title": None, "start_index": None, "end_index": None}
    parts = [
        {"type": "output_text", "text": None, "annotations": None},
        part_of("See https://a.test/ now.", somewhere, nowhere, bare),
    ]
    reply = response(SEARCH, {"type": None, "content": None}, {"type": "message", "content": parts}, usage=None)
    found = OPENAI.model_answer(reply, WISH)
    assert found.text == "See https://a.test/ now."
    assert [(one.url, found.text[one.start : one.end]) for one in found.mentions] == [
        ("https://a.test/", "https://a.test/"),
        ("https://b.test/", ""),
    ]
    assert [one.url for one in OPENAI.parse(reply).hits] == ["https://a.test/", "https://b.test/"]


def test_a_page_that_was_opened_is_one_looked_at() -> None:
    def step(kind: str, url: str, status: str = "completed") -> dict[str, Any]:
        return {"type": "web_search_call", "status": status, "action": {"type": kind, "url": url}}

    reply = response(
        SEARCH,
        step("open_page", "https://a.test/"),
        step("find_in_page", "https://b.test/"),
        step("open_page", "https://c.test/", "failed"),
        {"type": "message", "content": [part_of("text")]},
    )
    assert OPENAI.model_answer(reply, WISH).sources == ("https://a.test/", "https://b.test/")


def test_what_is_no_citation_of_a_page_is_none() -> None:
    odd = [cite(0, 1, kind="file_citation"), cite(0, 1, url=None), cite(0, 1, url="javascript:x")]
    found = OPENAI.model_answer(response(SEARCH, {"type": "message", "content": [part_of("text", *odd)]}), WISH)
    assert found.mentions == ()
    assert found.prompt_tokens is None


def test_no_more_citations_are_read_than_anybody_writes() -> None:
    many = [cite(0, 1)] * 500
    message = {"type": "message", "content": [part_of("text", *many), part_of("text", *many)]}
    assert len(OPENAI.model_answer(response(SEARCH, message), WISH).mentions) == 200


def test_a_text_without_a_word_is_no_answer() -> None:
    with pytest.raises(UnexpectedReply) as raised:
        OPENAI.model_answer(response(SEARCH, {"type": "message", "content": [part_of(" ")]}), WISH)
    assert raised.value.context == {"reason": "no_text"}


LACKS = {
    "no key": (OpenAI(), "no_key"),
    "a key": (OPENAI, ""),
    "the key of another service": (OpenAI(api_key=SecretStr("pk-1")), "odd_key"),
    "the key of a service at another address": (OpenAI(base_url="https://b.test", api_key=SecretStr("pk-1")), ""),
    "a service without a key": (OpenAI(base_url="https://b.test"), ""),
}


@pytest.mark.parametrize(("provider", "lacking"), LACKS.values(), ids=LACKS)
def test_only_at_home_a_key_must_be_one(provider: OpenAI, lacking: str) -> None:
    assert isinstance(provider, SearchModel)
    assert provider.lacks == lacking


def test_the_steps_of_a_response_alone_are_read_as_well() -> None:
    steps = [
        {"type": "web_search_call", "id": "ws_67c9fa", "status": "completed"},
        {
            "id": "msg_67c9fa",
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [part_of("On March 6, 2025, several news [1]", cite(31, 34))],
        },
    ]
    found = OPENAI.model_answer(answered(steps), WISH)
    assert [found.text[one.start : one.end] for one in found.mentions] == ["[1]"]
    assert [one.url for one in OPENAI.parse(answered(steps)).hits] == ["https://a.test/"]
