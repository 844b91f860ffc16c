"""The diagnostic server that benchmarks and the conformance suite use: the product's own, with more on its lists."""

import subprocess
import sys

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.real.serving import diagnostic_server

MODULE = ["-m", "gossamer.testing.conformance"]
ERAS = ["legacy", "auto"]


async def check(client: Client) -> None:
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert {"web_fetch", "echo"} <= set(tools)
    assert (await client.call_tool("echo", {"text": "Grüße\n"})).content[0].text == "Grüße\n"
    refused = await client.call_tool("echo", {"words": "x"})
    assert refused.is_error
    assert refused.meta
    assert refused.meta["gossamer/outcome"] == "invalid"
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    assert {"research", "test_simple_prompt"} <= set(prompts)
    filled = await client.get_prompt("research", {"topic": "ferries"})
    assert '"ferries"' in filled.messages[0].content.text
    (text,) = (await client.read_resource("test://static-text")).contents
    assert text.text == "This is the content of the static text resource."


@pytest.mark.parametrize("era", ERAS)
async def test_it_serves_its_own_things_and_the_products_on_stdio(era: str, environment: dict[str, str]) -> None:
    command = StdioServerParameters(command=sys.executable, args=[*MODULE, "--stdio"], env=environment)
    async with Client(stdio_client(command), mode=era) as client:
        await check(client)


@pytest.mark.parametrize("era", ERAS)
async def test_it_serves_its_own_things_and_the_products_over_http(era: str, environment: dict[str, str]) -> None:
    with diagnostic_server(environment) as url:
        async with Client(streamable_http_client(url), mode=era) as client:
            await check(client)


def test_like_the_product_it_is_not_open_to_others_without_logins(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, *MODULE, "--http", "0.0.0.0:0"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "gossamer token new" in done.stderr
    assert "Traceback" not in done.stderr
