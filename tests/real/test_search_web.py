"""`search_web` against its specification: whole results, typed errors, attempts and limits, over a fake of OpenAI."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.load import load
from tests.real.fake_openai import (
    DROP,
    HANG,
    KEY,
    REQUEST_ID,
    FakeOpenAI,
    Said,
    citation,
    fake_openai,
    message,
    recorded,
    response,
    searched,
    written,
)
from tests.real.processes import Cli, open_http

TOOL = "search_web"
QUERY = "latest stable Python release"
SPECIFIED: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text", "citations", "provider", "respondedAt"],
    "properties": {
        "text": {"type": "string"},
        "provider": {"type": "string", "pattern": "^[a-z0-9.-]+-web-search$"},
        "respondedAt": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"},
        "usage": {
            "type": "object",
            "additionalProperties": False,
            "required": ["promptTokens", "responseTokens"],
            "properties": {"promptTokens": {"type": "integer"}, "responseTokens": {"type": "integer"}},
        },
        "citations": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["url", "title", "textSnippet", "startIndex", "endIndex", "rank"],
                "properties": {
                    **{key: {"type": "string"} for key in ("url", "title", "textSnippet")},
                    **{key: {"type": "integer"} for key in ("startIndex", "endIndex", "rank")},
                },
            },
        },
    },
}


@pytest.fixture
def openai() -> Iterator[FakeOpenAI]:
    with fake_openai() as running:
        yield running


def process_environment(openai: FakeOpenAI, folder: Path, **more: str) -> dict[str, str]:
    names = ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_CONFIG")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, "HOME": str(folder), **openai.environment(folder, "openai", **more)}


@asynccontextmanager
async def on_stdio(environment: dict[str, str], *command: str) -> AsyncIterator[Client]:
    arguments = list(command or ("-m", "gossamer", "serve"))
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    async with Client(stdio_client(parameters)) as client:
        yield client


@asynccontextmanager
async def beside(openai: FakeOpenAI, folder: Path, **more: str) -> AsyncIterator[Client]:
    """A client of a server in this process, which remembers nothing of others."""
    environment = openai.environment(folder, "openai", GOSSAMER_STATE="memory:", **more)
    service = Service(load(environ=environment))
    try:
        async with Client(build_server(service)) as client:
            yield client
    finally:
        await service.close()


async def found(client: Client, **given: Any) -> tuple[dict[str, Any], Any]:
    """The object of a call, held against the specification, and the whole result."""
    result = await client.call_tool(TOOL, {"query": QUERY, **given})
    told = result.structured_content
    assert told
    assert not result.is_error, told
    assert json.loads(result.content[0].text) == told
    Draft202012Validator(SPECIFIED).validate(told)
    for rank, one in enumerate(told["citations"], 1):
        assert told["text"][one["startIndex"] : one["endIndex"]] == one["textSnippet"]
        assert one["rank"] == rank
    return told, result


async def failed(client: Client, **given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The error object of a call, and what is ours beside it."""
    result = await client.call_tool(TOOL, {"query": QUERY, **given})
    assert result.is_error
    told = result.structured_content
    assert json.loads(result.content[0].text) == told
    assert set(told) == {"name", "code", "message", "details"}
    assert KEY not in result.model_dump_json()
    beside = result.meta["gossamer/error"]
    assert (beside["class"], beside["type"], beside["details"]) == (told["name"], told["code"], told["details"])
    return told, result.meta


@pytest.mark.promise(
    "000.1",
    "000.4",
    "000.5",
    "000.6",
    "000.7",
    "000.8",
    "000.9",
    "000.10",
    "000.12",
    "000.30",
    "000.31",
    "000.32",
    "000.33",
    "000.34",
    "000.35",
    "000.36",
    "000.37",
    "000.38",
    "000.39",
    "000.42",
    "000.48",
    "000.90",
    "000.112",
    "000.121",
    "000.144",
    "000.145",
    "000.154",
    "000.156",
    "000.167",
)
async def test_the_whole_result_of_a_search_is_the_specified_one(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    before = datetime.now(UTC) - timedelta(seconds=2)
    async with on_stdio(process_environment(openai, tmp_path)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [TOOL]
        told, result = await found(client)
    responded = datetime.fromisoformat(told.pop("respondedAt"))
    assert before <= responded <= datetime.now(UTC) + timedelta(seconds=2)
    part = json.loads(recorded("found").body)["output"][-1]["content"][0]
    docs, python = part["annotations"]
    assert told == {
        "text": part["text"],
        "citations": [
            {
                "url": "https://docs.python.org/3/whatsnew/3.14.html",
                "title": docs["title"],
                "textSnippet": "([docs.python.org](https://docs.python.org/3/whatsnew/3.14.html?utm_source=openai))",
                "startIndex": docs["start_index"],
                "endIndex": docs["end_index"],
                "rank": 1,
            },
            {
                "url": "https://www.python.org/downloads/",
                "title": python["title"],
                "textSnippet": "([python.org](https://www.python.org/downloads/?utm_source=openai))",
                "startIndex": python["start_index"],
                "endIndex": python["end_index"],
                "rank": 2,
            },
        ],
        "provider": "gpt-5-nano-web-search",
        "usage": {"promptTokens": 12873, "responseTokens": 611},
    }
    assert result.meta["gossamer/outcome"] == "ok"
    assert result.meta["gossamer/services"] == ["OpenAI"]


@pytest.mark.promise(
    "000.2",
    "000.3",
    "000.11",
    "000.27",
    "000.28",
    "000.29",
    "000.49",
    "000.51",
    "000.86",
    "000.100",
    "000.106",
    "000.107",
    "000.140",
)
async def test_what_is_sent_is_what_the_specification_and_the_api_allow(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    async with beside(openai, tmp_path) as client:
        await found(client, maxResults=3, freshnessHours=24, region="ae")
        await found(client, includeAnswers=False)
    first, second = openai.asked
    assert openai.paths == ["/v1/responses"] * 2
    assert openai.heads[0]["authorization"] == f"Bearer {KEY}"
    assert first["model"] == "gpt-5-nano"
    assert first["input"] == f"{QUERY} (prefer results from last 24 hours)"
    assert first["tools"] == [{"type": "web_search", "user_location": {"type": "approximate", "country": "AE"}}]
    assert "at most 3 results" in first["instructions"]
    assert "brief summary (max 800 characters)" in first["instructions"]
    assert first["max_output_tokens"] == 8000
    assert first["store"] is False
    assert not {"temperature", "stream", "top_p"} & set(first)
    assert second["input"] == QUERY
    assert second["tools"] == [{"type": "web_search", "user_location": {"type": "approximate"}}]
    assert "bare list" in second["instructions"]
    assert "summary" not in second["instructions"].replace("without a summary", "")


@pytest.mark.promise(
    "000.5", "000.7", "000.9", "000.37", "000.39", "000.40", "000.41", "000.48", "000.89", "000.91", "000.144"
)
async def test_indexes_slice_the_text_after_emoji_and_over_several_parts(openai: FakeOpenAI, tmp_path: Path) -> None:
    first, second = "Fähren 🚢⛴️ leave at noon. ([a.test](https://a.test/?ref=x))", "Tickets cost 4 €. 👨‍👩‍👧 (b)"
    mark = first.index("([a")
    units = len(first[:mark].encode("utf-16-le")) // 2
    openai.play(
        response(
            searched(),
            message(written(first, citation(mark, len(first), "https://a.test/?ref=x", "A"))),
            message(
                written(second, citation(len(second) - 3, len(second), "https://b.test/p?utm_campaign=c&id=7", "B")),
                written(first, citation(units, units + len(first) - mark, "https://a.test/?ref=x", "again")),
            ),
        )
    )
    async with on_stdio(process_environment(openai, tmp_path)) as client:
        told, _ = await found(client)
    assert told["text"] == first + second + first
    assert [one["textSnippet"] for one in told["citations"]] == [first[mark:], "(b)", first[mark:]]
    assert [one["url"] for one in told["citations"]] == ["https://a.test/", "https://b.test/p?id=7", "https://a.test/"]


@pytest.mark.promise("000.26", "000.49", "000.99")
async def test_max_results_cuts_the_citations(openai: FakeOpenAI, tmp_path: Path) -> None:
    text = "".join(f"[{n}]" for n in range(10))
    spans = [citation(3 * n, 3 * n + 3, f"https://a.test/{n}", f"Page {n}") for n in range(10)]
    openai.play(response(searched(), message(written(text, *spans))))
    async with beside(openai, tmp_path) as client:
        assert len((await found(client))[0]["citations"]) == 5
        assert len((await found(client, maxResults="8"))[0]["citations"]) == 8
        told, result = await found(client, maxResults=1)
    assert [one["url"] for one in told["citations"]] == ["https://a.test/0"]
    assert result.meta["gossamer/outcome"] == "ok"


@pytest.mark.promise("000.34", "000.116")
async def test_a_reply_without_usage_and_citations_is_a_result_without_them(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(response(searched(), message(written("Nothing to cite.")), usage=None))
    async with beside(openai, tmp_path) as client:
        told, _ = await found(client)
    assert told["citations"] == []
    assert "usage" not in told


FAILURES: dict[str, tuple[Said, str, str, int, str]] = {
    "401": (recorded("bad-key"), "SearchAuthError", "AUTH", 1, "denied"),
    "403": (recorded("unsupported-country"), "SearchAuthError", "AUTH", 1, "denied"),
    "429, named time": (recorded("too-many-tokens"), "SearchRateLimitError", "RATE_LIMIT", 2, "rate_limited"),
    "429, beyond the deadline": (
        recorded("too-many-requests", retry_after="300"),
        "SearchRateLimitError",
        "RATE_LIMIT",
        1,
        "rate_limited",
    ),
    "429, no quota": (recorded("no-quota"), "SearchRateLimitError", "RATE_LIMIT", 1, "quota"),
    "429, no credit": (recorded("no-credit"), "SearchRateLimitError", "RATE_LIMIT", 1, "quota"),
    "500": (recorded("server-error"), "SearchProviderError", "PROVIDER", 2, "unreachable"),
    "502, a gateway's page": (Said(502, b"<h1>Bad gateway</h1>"), "SearchProviderError", "PROVIDER", 2, "unreachable"),
    "503": (recorded("overloaded"), "SearchProviderError", "PROVIDER", 2, "unreachable"),
    "504": (Said(504, b""), "SearchProviderError", "PROVIDER", 1, "timeout"),
    "400": (recorded("forced-tool"), "SearchProviderError", "PROVIDER", 1, "invalid"),
    "404, model gone": (recorded("model-gone"), "SearchProviderError", "PROVIDER", 1, "not_found"),
    "409": (Said(409, b"{}"), "SearchProviderError", "PROVIDER", 1, "error"),
    "a connection that breaks": (DROP, "SearchProviderError", "PROVIDER", 1, "error"),
    "200, failed": (recorded("failed"), "SearchProviderError", "PROVIDER", 2, "unreachable"),
    "200, failed by pace": (recorded("failed-by-pace"), "SearchRateLimitError", "RATE_LIMIT", 2, "rate_limited"),
    "200, failed by quota": (recorded("failed-by-quota"), "SearchRateLimitError", "RATE_LIMIT", 1, "quota"),
    "200, failed otherwise": (recorded("failed-for-another-reason"), "SearchProviderError", "PROVIDER", 1, "error"),
    "200, refusal": (recorded("refusal"), "SearchProviderError", "PROVIDER", 1, "denied"),
    "200, search failed": (recorded("search-failed"), "SearchProviderError", "PROVIDER", 1, "unreachable"),
    "200, no search call": (recorded("no-search"), "SearchProviderParseError", "PARSE", 1, "error"),
    "200, incomplete": (recorded("incomplete"), "SearchProviderParseError", "PARSE", 1, "error"),
    "200, filtered": (recorded("filtered"), "SearchProviderParseError", "PARSE", 1, "error"),
    "200, of another shape": (Said(200, b'{"status": "completed"}'), "SearchProviderParseError", "PARSE", 1, "error"),
    "200, no JSON": (Said(200, b"<html>"), "SearchProviderParseError", "PARSE", 1, "error"),
    "200, no text": (response(searched(), message(written(" "))), "SearchProviderParseError", "PARSE", 1, "error"),
}
SHOWN_KEYS = {
    "a text": response(searched(), message(written(f"Your key is {KEY}."))),
    "a citation": response(
        searched(), message(written("Noon.", citation(0, 5, f"https://a.test/?k={KEY}", f"Of {KEY[:20]}")))
    ),
}
HIDDEN_KEYS = {
    "a request id": Said(409, b"{}", {"x-request-id": f"req-{KEY}"}),
    "a complaint that is cut": Said(
        400, json.dumps({"error": {"message": f"{'x' * 160} {KEY}", "param": "input"}}).encode()
    ),
}


@pytest.mark.promise("000.74")
@pytest.mark.parametrize("case", [*SHOWN_KEYS, *HIDDEN_KEYS])
async def test_a_reply_that_repeats_our_key_shows_no_piece_of_it(case: str, openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play({**SHOWN_KEYS, **HIDDEN_KEYS}[case])
    async with beside(openai, tmp_path) as client:
        _, result = await found(client) if case in SHOWN_KEYS else await failed(client)
    whole = repr(result)
    assert "…" in whole or case == "a request id"
    assert not [piece for piece in (KEY[:12], KEY[-12:]) if piece in whole]


@pytest.mark.promise("000.116", "000.170")
async def test_fields_that_are_null_are_read_as_missing(openai: FakeOpenAI, tmp_path: Path) -> None:
    part = {**written("Noon."), "annotations": None}
    openai.play(response(searched(), message({**part, "text": None}, part)))
    async with beside(openai, tmp_path) as client:
        told, _ = await found(client)
    assert (told["text"], told["citations"]) == ("Noon.", [])


REASONS = {
    "429, no quota": "quota",
    "429, no credit": "quota",
    "200, failed by quota": "quota",
    "200, failed": "failed",
    "200, failed otherwise": "failed",
    "200, refusal": "refusal",
    "200, search failed": "search_failed",
    "200, no search call": "no_search",
    "200, incomplete": "incomplete",
    "200, of another shape": "malformed",
}


@pytest.mark.promise(
    "000.19",
    "000.20",
    "000.54",
    "000.55",
    "000.60",
    "000.61",
    "000.62",
    "000.64",
    "000.65",
    "000.66",
    "000.67",
    "000.68",
    "000.70",
    "000.72",
    "000.73",
    "000.74",
    "000.75",
    "000.76",
    "000.87",
    "000.93",
    "000.94",
    "000.95",
    "000.96",
    "000.108",
    "000.109",
    "000.110",
    "000.111",
    "000.113",
    "000.114",
    "000.115",
    "000.137",
    "000.158",
)
@pytest.mark.parametrize("case", FAILURES)
async def test_a_failure_is_typed_and_tried_again_exactly_as_specified(
    case: str, openai: FakeOpenAI, tmp_path: Path
) -> None:
    said, name, code, attempts, outcome = FAILURES[case]
    openai.play(said)
    async with beside(openai, tmp_path) as client:
        told, meta = await failed(client)
    assert (told["name"], told["code"]) == (name, code)
    assert len(openai.asked) == attempts
    assert meta["gossamer/outcome"] == outcome
    details = told["details"]
    assert details["provider"] == "openai"
    assert details["attempts"] == attempts
    if said.way == "answer":
        assert details["status"] == said.status
        assert details["requestId"] == REQUEST_ID
    if case in REASONS:
        assert details["reason"] == REASONS[case]
    assert "127.0.0.1" not in told["message"]


@pytest.mark.promise("000.19", "000.65", "000.105")
@pytest.mark.parametrize("said", [recorded("server-error"), recorded("overloaded"), recorded("failed")])
async def test_a_second_attempt_that_is_answered_is_a_result(said: Said, openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(said, recorded("found"))
    async with beside(openai, tmp_path) as client:
        await found(client)
    assert len(openai.asked) == 2
    assert openai.asked[0] == openai.asked[1]


@pytest.mark.promise("000.17", "000.71", "000.115", "000.133")
async def test_a_timeout_is_not_tried_again_and_names_its_setting(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    async with beside(openai, tmp_path, GOSSAMER_OPENAI__TIMEOUT_S="3") as client:
        await client.call_tool(TOOL, {"query": "something that opens the engine"})
        openai.play(HANG)
        told, meta = await failed(client)
    assert (told["name"], told["code"], told["details"]["reason"]) == ("SearchProviderError", "PROVIDER", "timeout")
    assert told["message"] == (
        "OpenAI did not answer within 3 s (openai.timeout_s). Try again; the operator can raise openai.timeout_s."
    )
    assert meta["gossamer/outcome"] == "timeout"
    assert len(openai.asked) == 1


@pytest.mark.promise("000.60")
async def test_without_a_key_it_says_which_one_to_set(openai: FakeOpenAI, tmp_path: Path) -> None:
    environment = process_environment(openai, tmp_path)
    del environment["OPENAI_API_KEY"], environment["GOSSAMER_PROVIDERS__OPENAI__BASE_URL"]
    async with on_stdio(environment) as client:
        told, _ = await failed(client)
    assert (told["name"], told["code"], told["details"]["reason"]) == ("SearchAuthError", "AUTH", "no_key")
    assert "Set OPENAI_API_KEY" in told["message"]


async def test_a_service_that_speaks_the_same_needs_no_key(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    environment = process_environment(openai, tmp_path, OPENAI_API_KEY="")
    async with on_stdio(environment) as client:
        await found(client)
    assert "authorization" not in openai.heads[0]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "too short": ({"query": " ab "}, "query must have at least 3 characters."),
    "too long": ({"query": "x" * 401}, "query must have at most 400 characters, not 401."),
    "a control character": ({"query": "ferries\x07today"}, "query must not hold control characters."),
    "two lines": ({"query": "ferries\ntoday"}, "query must not hold control characters."),
    "no results": ({"maxResults": 0}, "maxResults must be at least 1, not 0."),
    "too many results": ({"maxResults": 9}, "maxResults must be at most 8, not 9."),
    "no hours": ({"freshnessHours": 0}, "freshnessHours must be at least 1, not 0."),
    "too many hours": ({"freshnessHours": 169}, "freshnessHours must be at most 168, not 169."),
    "no country": ({"region": "ZZ"}, "region is no country."),
    "small letters that are none": ({"region": "xk"}, "region is no country."),
    "no code": ({"region": "Austria"}, "region does not have the form"),
    "no such argument": ({"token": "t"}, "There is no argument named 'token'."),
    "polymarket": ({"query": "polymarket odds for the election"}, "Use polymarket MCP server for market-related"),
    "rss": ({"query": "rss feed of the BBC"}, "Use google-news-rss MCP server for RSS feed queries"),
}


@pytest.mark.promise(
    "000.21",
    "000.25",
    "000.26",
    "000.27",
    "000.28",
    "000.46",
    "000.47",
    "000.63",
    "000.69",
    "000.75",
    "000.80",
    "000.82",
    "000.84",
    "000.101",
    "000.120",
    "000.137",
    "000.143",
)
@pytest.mark.parametrize("case", REFUSED)
async def test_what_is_not_acceptable_is_refused_unasked(case: str, openai: FakeOpenAI, tmp_path: Path) -> None:
    given, says = REFUSED[case]
    openai.play(recorded("found"))
    async with beside(openai, tmp_path) as client:
        told, meta = await failed(client, **given)
    assert (told["name"], told["code"]) == ("SearchValidationError", "VALIDATION")
    assert told["message"].startswith(says)
    assert meta["gossamer/outcome"] == "invalid"
    assert not openai.asked


@pytest.mark.promise("000.14", "000.43", "000.45", "000.76", "000.81", "000.136", "000.142", "000.157")
async def test_a_refusal_for_another_server_names_it_and_the_words(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    async with beside(openai, tmp_path) as client:
        told, _ = await failed(client, query="What are the odds on Polymarket?")
        await found(client, query="event loop in Python")
    assert told["details"] == {
        "reason": "prediction_markets",
        "server": "polymarket",
        "rejectedKeywords": ["polymarket", "odds"],
    }
    async with beside(openai, tmp_path, GOSSAMER_OPENAI__GUARDRAILS="literal") as client:
        told, _ = await failed(client, query="event loop in Python")
        assert told["details"]["rejectedKeywords"] == ["event"]
    async with beside(openai, tmp_path, GOSSAMER_OPENAI__GUARDRAILS="off") as client:
        await found(client, query="polymarket odds")


WINDOW = 600
BEGINS = 1_800_000_000
"""A window begins here: ten minutes and the whole hour."""


@pytest.mark.promise("000.22", "000.56", "000.61", "000.160", "000.162")
async def test_the_21st_call_is_refused_until_the_window_ends(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    clock = tmp_path / "clock"
    clock.write_text(str(BEGINS + 10))
    server = ("-m", "tests.real.clocked_server", str(clock))
    environment = process_environment(openai, tmp_path, GOSSAMER_OPENAI__CACHE_S="300")
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    async with on_stdio(environment, *server) as client:
        for number in range(10):
            await found(client, query=f"ferry number {number}")
        await failed(client, query="polymarket odds")
        await failed(client, query="x")
        for _ in range(10):
            await found(client, query="ferry number 0")
        assert len(openai.asked) == 10  # the cached ones counted, those refused did not
        told, meta = await failed(client, query="one more")
        assert (told["name"], told["code"]) == ("SearchRateLimitError", "RATE_LIMIT")
        assert told["details"]["retryAfter"] == WINDOW - 10
        assert "Try again in 590 s." in told["message"]
        assert meta["gossamer/error"]["retry_after_s"] == WINDOW - 10
        clock.write_text(str(BEGINS + WINDOW - 1))
        await failed(client, query="one more")
        assert len(openai.asked) == 10
    async with on_stdio(environment, *server) as client:
        await failed(client, query="one more")  # another process of the same user
        clock.write_text(str(BEGINS + WINDOW))
        await found(client, query="one more")
    assert len(openai.asked) == 11


@pytest.mark.promise("000.22", "000.162")
async def test_over_http_every_user_has_a_window(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    environment = process_environment(openai, tmp_path, GOSSAMER_LIMITS__TOOLS="search_web=2/100000")
    tokens = [Cli(environment)("token", "new", name).stdout.strip() for name in ("ann", "bob")]
    with open_http(environment) as server:
        ann, bob = ([server.call(TOOL, token, query=f"ferry {number}") for number in range(3)] for token in tokens)
    for results in (ann, bob):
        assert [bool(one.get("isError")) for one in results] == [False, False, True]
        assert results[2]["structuredContent"]["code"] == "RATE_LIMIT"


@pytest.mark.promise("000.130", "000.160", "000.161")
async def test_the_same_search_is_asked_once_in_five_minutes(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    clock = tmp_path / "clock"
    clock.write_text(str(BEGINS))
    environment = process_environment(openai, tmp_path)
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    async with on_stdio(environment, "-m", "tests.real.clocked_server", str(clock)) as client:
        first, asked = await found(client)
        clock.write_text(str(BEGINS + 299))
        second, kept = await found(client)
        await found(client, maxResults=4)
        assert len(openai.asked) == 2
        assert second == first
        assert asked.meta["gossamer/services"] == ["OpenAI"]
        assert "gossamer/services" not in kept.meta
        clock.write_text(str(BEGINS + 301))
        third, _ = await found(client)
    assert len(openai.asked) == 3
    assert third["respondedAt"] > first["respondedAt"]


@pytest.mark.promise("000.57")
async def test_sustained_server_errors_open_the_circuit(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("server-error"))
    async with beside(openai, tmp_path) as client:
        for calls in (1, 2, 3):
            told, _ = await failed(client)
            assert told["details"]["attempts"] == 2
            assert len(openai.asked) == 2 * calls  # each makes both its attempts
        told, _ = await failed(client)
    assert len(openai.asked) == 6
    assert (told["code"], told["details"]["reason"]) == ("PROVIDER", "left_alone")
    assert told["message"].startswith("OpenAI failed 3 times in a row and is left alone")
    assert told["details"]["retryAfter"] <= 30


@pytest.mark.promise("000.19", "000.65")
async def test_calls_at_one_time_make_both_their_attempts_each(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("overloaded"))
    async with beside(openai, tmp_path) as client:
        told = await asyncio.gather(*(failed(client, query=f"ferry number {number}") for number in range(4)))
    assert [one["details"]["attempts"] for one, _ in told] == [2] * 4
    assert len(openai.asked) == 8


async def test_an_account_without_money_names_no_time_and_is_asked_again_within_a_minute(
    openai: FakeOpenAI, tmp_path: Path
) -> None:
    openai.play(recorded("no-quota"), recorded("found"))
    clock = tmp_path / "clock"
    clock.write_text(str(BEGINS))
    environment = process_environment(openai, tmp_path)
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    for seconds in (0, 50):
        clock.write_text(str(BEGINS + seconds))
        async with on_stdio(environment, "-m", "tests.real.clocked_server", str(clock)) as client:
            told, meta = await failed(client)
        assert (told["code"], told["details"]["reason"]) == ("RATE_LIMIT", "quota")
        assert "retryAfter" not in told["details"]
        assert "retry_after_s" not in meta["gossamer/error"]
    clock.write_text(str(BEGINS + 61))
    async with on_stdio(environment, "-m", "tests.real.clocked_server", str(clock)) as client:
        await found(client)
    assert len(openai.asked) == 2


@pytest.mark.promise("000.122")
async def test_no_search_of_a_test_run_leaves_this_machine(openai: FakeOpenAI, tmp_path: Path) -> None:
    dialled: list[str] = []
    ears = [dialled.append]  # a hook stays for good, so it is made deaf in the end

    def hear(event: str, told: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(told[1], tuple):
            for listen in ears:
                listen(told[1][0])

    sys.addaudithook(hear)
    openai.play(recorded("found"), recorded("server-error"))
    try:
        async with beside(openai, tmp_path) as client:
            await found(client)
            await failed(client, query="something that fails")
    finally:
        ears.clear()
    assert len(openai.asked) == 3
    assert dialled
    assert set(dialled) == {"127.0.0.1"}


@pytest.mark.promise("000.122")
def test_real_services_are_asked_by_hand_alone() -> None:
    root = Path(__file__).parents[2]
    assert (root / ".ci" / "run").read_text("utf-8").splitlines()[-1] == "make test"
    commands = subprocess.run(["make", "-n", "test"], cwd=root, capture_output=True, text=True, check=True).stdout
    assert "pytest" in commands
    assert "scripts/live.py" not in commands  # which alone asks real services


@pytest.mark.promise("000.169")
async def test_what_it_costs_and_how_often_it_is_limited_can_be_watched(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"), recorded("too-many-requests", retry_after="300"))
    environment = process_environment(openai, tmp_path, GOSSAMER_LIMITS__TOOLS=f"{TOOL}=2/100000")
    with open_http(environment) as server:
        spent = server.call(TOOL, query="ferry number 1")["structuredContent"]["usage"]
        for number in (2, 3):
            server.call(TOOL, query=f"ferry number {number}")
        counted = server.ask("GET", "/metrics").body.decode()
    assert spent["promptTokens"] > spent["responseTokens"] > 0
    assert f'gossamer_calls_total{{outcome="ok",tool="{TOOL}"}} 1.0' in counted
    assert f'gossamer_calls_total{{outcome="rate_limited",tool="{TOOL}"}} 2.0' in counted  # by OpenAI, and by us


async def test_a_refusal_closes_no_circuit(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(*[recorded("refusal")] * 6, recorded("found"))
    async with beside(openai, tmp_path) as client:
        for number in range(6):
            await failed(client, query=f"something else {number}")
        await found(client)


@pytest.mark.promise("000.23", "000.58")
async def test_the_log_holds_a_hash_and_counts_and_no_word_of_the_search(openai: FakeOpenAI, tmp_path: Path) -> None:
    openai.play(recorded("found"))
    environment = process_environment(openai, tmp_path, GOSSAMER_LOG__LEVEL="debug")
    with open_http(environment) as server:
        server.call(TOOL, query="zanzibar ferries", maxResults=1)
    lines = [json.loads(line) for line in server.told.decode().splitlines() if line.startswith("{")]
    (event,) = [one for one in lines if one["event"] == "request"]
    assert event["tool"] == TOOL
    assert event["outcome"] == "ok"
    assert event["results"] == 1
    assert event["ms"] >= 0
    assert len(event["query_hash"]) == 16
    assert [(part["name"], part["outcome"]) for part in event["parts"]] == [("openai", "ok")]
    said = server.told.decode()
    assert not [word for word in ("zanzibar", "python.org", KEY, "free-threaded") if word in said]
