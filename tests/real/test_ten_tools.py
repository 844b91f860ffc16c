"""All ten tools through a real client, in both eras, on stdio and over HTTP with a token: whole results.

The services are those of the little web, in their own wire formats over real HTTP. One server for each way is asked
everything once, successes first; the tests look at what came.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.real.processes import open_http
from tests.real.serving import new_token
from tests.real.ten_failures import FAILURES
from tests.real.ten_tools import SUCCESSES, Case, comparable
from tests.workflows.little_web import Asked, LittleWeb, little_web

ROOT = Path(__file__).parents[2]
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
WAYS = [f"{transport}, {era}" for transport in ("stdio", "http") for era in ERAS]
KEYS = ("key-of-brave", "key-of-google", "sk-key-of-openai")
GOOGLE_ENDS = datetime(2027, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What came back for one call, and what had to."""

    told: Any
    """The object, the text where there is none, or the protocol's error."""
    text: str
    is_error: bool
    outcome: str
    expected: Any
    whole: str


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """Everything that one client heard."""

    good: dict[str, Heard]
    bad: dict[str, Heard]
    tools: list[str]
    version: str
    asked: list[Asked]
    """What came to the services meanwhile."""


@asynccontextmanager
async def connected(way: str, environment: dict[str, str]) -> AsyncIterator[Client]:
    transport, era = way.split(", ")
    if transport == "stdio":
        parameters = StdioServerParameters(command=sys.executable, args=["-m", "gossamer", "serve"], env=environment)
        async with Client(stdio_client(parameters), mode=era) as client:
            yield client
        return
    login = {"Authorization": f"Bearer {new_token(environment)}"}
    with open_http(environment) as server:
        async with (
            httpx2.AsyncClient(headers=login, timeout=60) as http,
            Client(streamable_http_client(server.url, http_client=http), mode=era) as client,
        ):
            yield client


async def heard(client: Client, case: Case, web: LittleWeb) -> Heard:
    try:
        result = await client.call_tool(case.tool, case.asked)
    except MCPError as error:
        told = {"code": error.code, "message": error.error.message, "data": error.error.data}
        expected = case.expected(web)
        return Heard(told=told, text="", is_error=True, outcome=case.outcome, expected=expected, whole=json.dumps(told))
    (text,) = (block.text for block in result.content)
    told = result.structured_content if result.structured_content is not None else text
    outcome = (result.meta or {}).get("gossamer/outcome", "")
    return Heard(
        told=comparable(told),
        text=text,
        is_error=bool(result.is_error),
        outcome=outcome,
        expected=comparable(case.expected(web)),
        whole=result.model_dump_json(),
    )


async def conversation(way: str, folder: Path) -> Conversation:
    """Every case is asked, the successes before anything is broken."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
    with little_web() as web:
        environment = {**kept, **web.environment(folder), "GOSSAMER_TOOLS": "all", "SIMILARITY_THRESHOLD": "0"}
        async with connected(way, environment) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            good = {case.tool: await heard(client, case, web) for case in SUCCESSES}
            bad: dict[str, Heard] = {}
            for case in FAILURES:
                web.faults |= case.faults
                bad[case.tool] = await heard(client, case, web)
            return Conversation(good=good, bad=bad, tools=tools, version=client.protocol_version, asked=web.asked)


@pytest.fixture(scope="module", params=WAYS)
def replies(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Conversation:
    said = asyncio.run(conversation(request.param, tmp_path_factory.mktemp("ten")))
    assert said.version == ERAS[request.param.split(", ")[1]]
    return said


def ordered(value: Any) -> str:
    """With the order of the fields."""
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.promise(
    "000.1",
    "000.10",
    "000.30",
    "000.31",
    "000.32",
    "000.33",
    "000.35",
    "000.36",
    "000.37",
    "000.38",
    "000.39",
    "000.40",
    "000.41",
    "000.42",
    "000.121",
    "000.123",
    "000.152",
    "000.153",
    "000.155",
    "000.156",
    "001.1",
    "001.2",
    "001.36",
    "001.82",
    "001.104",
    "003.1",
    "003.7",
    "003.9",
    "003.10",
    "003.11",
    "003.12",
    "003.13",
    "003.14",
    "003.15",
    "003.16",
    "003.17",
    "003.24",
    "003.95",
    "003.131",
    "004.6",
    "004.15",
    "004.16",
    "004.17",
    "004.18",
    "004.66",
    "004.97",
    "004.98",
)
@pytest.mark.parametrize("case", SUCCESSES, ids=[case.tool for case in SUCCESSES])
def test_every_tool_returns_the_whole_result_of_its_specification(case: Case, replies: Conversation) -> None:
    if case.tool == "web.search" and datetime.now(UTC) >= GOOGLE_ENDS:
        pytest.skip("Google Custom Search has ended, and is not asked any more")
    came = replies.good[case.tool]
    assert came.told == came.expected
    assert ordered(came.told) == ordered(came.expected)
    assert (came.is_error, came.outcome) == (False, "ok")


@pytest.mark.promise("001.82", "003.158", "004.40", "004.41", "004.42")
@pytest.mark.parametrize("case", FAILURES, ids=[case.tool for case in FAILURES])
def test_every_tool_tells_a_failure_as_its_specification_says(case: Case, replies: Conversation) -> None:
    if case.tool == "web.search" and datetime.now(UTC) >= GOOGLE_ENDS:
        pytest.skip("Google Custom Search has ended, and is not asked any more")
    came = replies.bad[case.tool]
    assert came.told == came.expected
    assert ordered(came.told) == ordered(came.expected)
    assert (came.is_error, came.outcome) == (True, case.outcome)
    assert not any(key in came.whole for key in KEYS)


def test_ten_tools_are_published_and_all_of_them_were_called(replies: Conversation) -> None:
    assert len(replies.tools) == 10
    assert sorted(replies.good) == sorted(replies.bad) == sorted(replies.tools)


@pytest.mark.promise("004.35", "004.75")
def test_each_service_gets_its_own_key_and_no_other(replies: Conversation) -> None:
    sent = {
        "brave": lambda one: one.headers.get("x-subscription-token"),
        "google": lambda one: one.parameters.get("key"),
        "openai": lambda one: one.headers.get("authorization", "").removeprefix("Bearer "),
    }
    for (service, key_of), key in zip(sent.items(), KEYS, strict=True):
        came = [one for one in replies.asked if one.service == service]
        assert service == "google" or came
        assert {key_of(one) for one in came} <= {key}
        assert not [one for one in came if any(other in repr(one) for other in KEYS if other != key)]
    assert not [
        one for one in replies.asked if one.service in {"page", "searxng"} if any(key in repr(one) for key in KEYS)
    ]


def test_the_text_of_a_contract_tool_is_its_object_as_json(replies: Conversation) -> None:
    for tool in ("WebSearch", "WebFetch", "web.search", "web.readFromPage", "search_web", "chatgpt_o3_search"):
        came = replies.good[tool]
        assert comparable(json.loads(came.text)) == came.told


@pytest.mark.promise("000.125", "000.159")
def test_the_examples_in_the_document_are_what_the_server_returns() -> None:
    program = [sys.executable, "-m", "tests.workflows.document", "--check"]
    told = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
