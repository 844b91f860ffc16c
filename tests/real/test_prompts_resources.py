"""Prompts and pages already read, through a server process: what one chat read, the next one finds."""

import sys
from typing import Literal

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client

from gossamer.contracts import choose_tools
from gossamer.contracts.prompts import PROMPTS
from gossamer.contracts.resources import uri_of
from gossamer.demo.web import MiniWeb
from tests.real.processes import open_wire
from tests.unit.contracts.material import blocks, outside, true_tokens

Era = Literal["auto", "legacy"]
LONG = "/observatory/report-2025"


def started(environment: dict[str, str], **extra: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "gossamer"], env={**environment, **extra})


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_what_one_chat_read_is_a_resource_of_the_next(
    era: Era, environment: dict[str, str], web: MiniWeb
) -> None:
    timetable, report = f"{web.url}/ferry/timetable", f"{web.url}{LONG}"
    async with Client(stdio_client(started(environment)), mode=era) as client:
        assert (await client.list_resources()).resources == []
        for url in (report, timetable):
            assert not (await client.call_tool("web_fetch", {"url": url})).is_error
    async with Client(stdio_client(started(environment)), mode=era) as client:
        listed = (await client.list_resources()).resources
        assert [one.uri for one in listed] == [uri_of(timetable), uri_of(report)]
        assert listed[0].name.startswith("Page 1, read on ")
        assert "timetable" in blocks(listed[0].description)[0].lower()
        (short,) = (await client.read_resource(listed[0].uri)).contents
        assert short.mime_type == "text/markdown"
        assert len(blocks(short.text)) == 1
        assert outside(short.text) == ""
        (long,) = (await client.read_resource(listed[1].uri)).contents
        assert true_tokens(long.text) <= 8000
        end = long.meta["gossamer/span"][1]
        rest = await client.call_tool("web_fetch", {"url": report, "cursor": long.meta["gossamer/cursor"]})
        assert rest.meta["gossamer/span"][0] == end
        with pytest.raises(MCPError, match="No page is kept") as missing:
            await client.read_resource(uri_of(f"{web.url}/nowhere"))
        assert missing.value.code == (-32602 if era == "auto" else -32002)


async def test_a_search_that_reads_pages_makes_them_resources(environment: dict[str, str]) -> None:
    async with Client(stdio_client(started(environment))) as client:
        found = await client.call_tool("web_search", {"query": "ferry timetable", "results_count": 3})
        assert found.structured_content
        urls = {one["url"] for one in found.structured_content["results"] if one.get("content")}
        assert urls
        listed = (await client.list_resources()).resources
        assert urls <= {blocks(one.description)[0].rpartition("\n")[2] for one in listed}


async def test_what_is_not_remembered_is_no_resource(environment: dict[str, str], web: MiniWeb) -> None:
    async with Client(stdio_client(started(environment, GOSSAMER_LIBRARY__REMEMBER="false"))) as client:
        assert not (await client.call_tool("web_fetch", {"url": f"{web.url}/"})).is_error
        assert (await client.list_resources()).resources == []


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_prompt_is_filled_in_the_language_of_the_settings(
    era: Era, language: Literal["en", "ja"], environment: dict[str, str]
) -> None:
    async with Client(stdio_client(started(environment, GOSSAMER_LANGUAGE=language)), mode=era) as client:
        listed = (await client.list_prompts()).prompts
        assert [one.title for one in listed] == [one.wire(language)["title"] for one in PROMPTS]
        got = await client.get_prompt("research", {"topic": "tidal mills", "depth": "one page"})
        wanted = PROMPTS[0].fill({"topic": "tidal mills", "depth": "one page"}, choose_tools(["core"]), language)
        assert got.messages[0].content.text == wanted
        with pytest.raises(MCPError, match="topic is missing") as refused:
            await client.get_prompt("research", {})
        assert refused.value.code == -32602


def test_tools_chosen_one_by_one_are_served_without_the_prompts_of_others(environment: dict[str, str]) -> None:
    with open_wire({**environment, "GOSSAMER_TOOLS": "web_read,openai"}) as wire:
        wire.handshake()
        tools = wire.receive(wire.send("tools/list"))["result"]["tools"]
        assert [one["name"] for one in tools] == ["web_read", "search_web"]
        assert wire.receive(wire.send("prompts/list"))["result"]["prompts"] == []
        told = wire.call("web_read", urls=["nonsense"], queries=[])
        assert told["isError"]
