"""`WebFetch` as its users reach it: through real clients over both transports, and in this process."""

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from gossamer.ports import no_progress
from gossamer.server.service import Outgoing, Service
from gossamer.settings.load import load
from tests.real.processes import environment_for, open_http
from tests.real.serving import new_token
from tests.real.spec_site import SpecSite

ERAS = ("legacy", "auto")
_TOOLS = ("--tools", "websearch")

Connect = Callable[[dict[str, str], str], AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def over_stdio(environment: dict[str, str], era: str) -> AsyncIterator[Client]:
    """A client that starts the server itself."""
    script = str(Path(sys.executable).with_name("gossamer"))
    parameters = StdioServerParameters(command=script, args=["serve", *_TOOLS], env=environment)
    async with Client(stdio_client(parameters), mode=era) as client:
        yield client


@asynccontextmanager
async def over_http(environment: dict[str, str], era: str) -> AsyncIterator[Client]:
    """A client with a token, as on a server that others can reach."""
    login = {"Authorization": f"Bearer {new_token(environment)}"}
    with open_http(environment, *_TOOLS) as server:
        async with (
            httpx2.AsyncClient(headers=login, timeout=60) as http,
            Client(streamable_http_client(server.url, http_client=http), mode=era) as client,
        ):
            yield client


class Fetch:
    """Calls the tool in this process, with settings as the environment gives them."""

    def __init__(self, site: SpecSite, folder: Path) -> None:
        self._environment = environment_for(site.url, site.host, folder)
        self._services: list[Service] = []

    def service(self, **more: str) -> Service:
        environ = {**self._environment, "GOSSAMER_TOOLS": "all", **more}
        self._services.append(Service(load(environ=environ, config=Path("/dev/null"))))
        return self._services[-1]

    async def __call__(self, url: str, service: Service | None = None, **given: Any) -> dict[str, Any]:
        told = await self.outgoing(url, service, **given)
        assert told.data is not None
        assert json.loads(told.text) == told.data
        assert told.is_error is (told.data["status"] == "error")
        return told.data

    async def outgoing(self, url: str, service: Service | None = None, **given: Any) -> Outgoing:
        service = service or (self._services[0] if self._services else self.service())
        return await service.call("WebFetch", {"url": url, **given}, progress=no_progress)

    async def close(self) -> None:
        for service in self._services:
            await service.close()


def code_of(told: dict[str, Any]) -> int:
    """The number of an error that has exactly an error's fields."""
    assert list(told) == ["url", "status", "errorCode", "message", "suggestion"]
    assert told["status"] == "error"
    assert told["message"]
    return told["errorCode"]
