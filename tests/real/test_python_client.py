"""The official Python SDK's client in both eras, on stdio and over HTTP, as an application would use it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from gossamer.demo.web import MiniWeb
from tests.real.processes import environment_for, open_http
from tests.real.serving import new_token
from tests.real.slow_site import PATIENCE_S, PATIENT, START_S, slow_site

CORE = ["web_search", "web_fetch", "web_read", "web_answer"]
INVALID_PARAMS, LEGACY_NOT_FOUND = -32602, -32002
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}

Connect = Callable[[dict[str, str], str], AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def over_stdio(environment: dict[str, str], era: str) -> AsyncIterator[Client]:
    script = str(Path(sys.executable).with_name("gossamer"))
    parameters = StdioServerParameters(command=script, args=["serve"], env=environment)
    async with Client(stdio_client(parameters), mode=era) as client:
        yield client


@asynccontextmanager
async def over_http(environment: dict[str, str], era: str) -> AsyncIterator[Client]:
    """With a login, as on a server that others can reach."""
    login = {"Authorization": f"Bearer {new_token(environment)}"}
    with open_http(environment) as server:
        async with (
            httpx2.AsyncClient(headers=login, timeout=60) as http,
            Client(streamable_http_client(server.url, http_client=http), mode=era) as client,
        ):
            yield client


@pytest.fixture(params=[over_stdio, over_http], ids=["stdio", "http"])
def connect(request: pytest.FixtureRequest) -> Connect:
    return request.param


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_walks_over_tools_prompts_and_pages(
    era: str, connect: Connect, environment: dict[str, str], web: MiniWeb
) -> None:
    steps: list[float] = []

    async def on_progress(done: float, _total: float | None, _message: str | None) -> None:
        steps.append(done)

    page = f"{web.url}/ferry/timetable"
    async with connect(environment, era) as client:
        assert client.protocol_version == ERAS[era]
        assert client.server_info.name == "gossamer"
        assert [tool.name for tool in (await client.list_tools()).tools] == CORE

        found = await client.call_tool("web_search", {"query": "ferry timetable"}, progress_callback=on_progress)
        assert found.structured_content
        assert found.structured_content["results"][0]["url"] == page
        assert steps
        assert steps == sorted(set(steps))
        fetched = await client.call_tool("web_fetch", {"url": page})
        assert "Port Ellery" in fetched.content[0].text
        passages = await client.call_tool("web_read", {"urls": [page], "queries": ["first ferry"]})
        assert "Port Ellery" in passages.content[0].text
        answer = await client.call_tool("web_answer", {"question": "When does the first ferry leave?"})
        assert answer.structured_content
        assert answer.structured_content["citations"]

        failed = await client.call_tool("web_search", {"query": "ferry", "results_count": 1000})
        assert failed.is_error
        assert "results_count must be at most 50" in failed.content[0].text
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("no_such_tool", {})
        assert unknown.value.code == INVALID_PARAMS

        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == [
            "research",
            "fact_check",
            "compare",
        ]
        filled = await client.get_prompt("compare", {"subjects": "ferries and bridges"})
        assert "ferries and bridges" in filled.messages[0].content.text
        with pytest.raises(MCPError) as lacking:
            await client.get_prompt("compare", {})
        assert lacking.value.code == INVALID_PARAMS

        listed = (await client.list_resources()).resources
        kept = {(page.description or "").split("\n")[-2]: page.uri for page in listed}
        if connect is over_stdio:
            read = await client.read_resource(kept[page])
            assert "Port Ellery" in read.contents[0].text
        else:
            assert kept == {}
        with pytest.raises(MCPError) as missing:
            await client.read_resource("gossamer://page/none")
        assert missing.value.code == (LEGACY_NOT_FOUND if era == "legacy" else INVALID_PARAMS)


CANCELLING = [(over_stdio, "legacy"), (over_stdio, "auto"), (over_http, "auto")]
"""Over HTTP the old protocol has no session through which a cancellation could find its call."""


@pytest.mark.parametrize(("way", "era"), CANCELLING, ids=["stdio-legacy", "stdio-auto", "http-auto"])
async def test_a_call_that_is_cancelled_ends_on_the_server_too(
    way: Connect, era: str, web: MiniWeb, tmp_path: Path
) -> None:
    with slow_site() as slow:
        environment = environment_for(web.url, f"{web.host},{slow.host}", tmp_path) | PATIENT
        async with way(environment, era) as client:
            call = asyncio.create_task(client.call_tool("web_fetch", {"url": f"{slow.url}/slow"}))
            assert await asyncio.to_thread(slow.asked.wait, START_S)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await asyncio.to_thread(slow.left.wait, PATIENCE_S)
            assert not (await client.call_tool("web_fetch", {"url": f"{web.url}/"})).is_error
