"""Real clients of real servers, for every contract: on stdio, and over HTTP with a login, in both eras."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.real.processes import environment_for, open_http
from tests.real.serving import new_token
from tests.real.upstreams import Upstreams

Way = Callable[[dict[str, str], str, str], AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def over_stdio(environment: dict[str, str], era: str, tools: str) -> AsyncIterator[Client]:
    """A client that starts the server itself."""
    script = str(Path(sys.executable).with_name("gossamer"))
    parameters = StdioServerParameters(command=script, args=["serve", "--tools", tools], env=environment)
    async with Client(stdio_client(parameters), mode=era) as client:
        yield client


@asynccontextmanager
async def over_http(environment: dict[str, str], era: str, tools: str) -> AsyncIterator[Client]:
    """A client with a token, as on a server that others can reach."""
    login = {"Authorization": f"Bearer {new_token(environment)}"}
    with open_http(environment, "--tools", tools) as server:
        async with (
            httpx2.AsyncClient(headers=login, timeout=60) as http,
            Client(streamable_http_client(server.url, http_client=http), mode=era) as client,
        ):
            yield client


WAYS: dict[str, tuple[Way, str]] = {
    f"{name}-{era}": (way, era)
    for name, way in {"stdio": over_stdio, "http": over_http}.items()
    for era in ("legacy", "auto")
}


def process_environment(running: Upstreams, folder: Path) -> dict[str, str]:
    """The environment of a server process that asks nobody but these services."""
    told = environment_for(running.url, running.host, folder)
    return {**told, **running.environment(folder)}
