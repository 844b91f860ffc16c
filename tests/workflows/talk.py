"""A conversation with a real server on stdio, told as it goes: what was asked, what came, what was expected of it."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.workflows.little_web import LittleWeb, little_web

_SHOWN = 600
_PASSED_ON = ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_CONFIG")


@dataclass
class Talk:
    """A client, the web that its server lives in, and what went wrong so far."""

    client: Client
    web: LittleWeb
    broken: list[str] = field(default_factory=list)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; its object, or the protocol's error as `{"code", "message", "data"}`."""
        print(f"\n> {tool} {json.dumps(arguments, ensure_ascii=False)}")
        try:
            result = await self.client.call_tool(tool, arguments)
        except MCPError as error:
            told = {"code": error.code, "message": error.error.message, "data": error.error.data}
        else:
            told = result.structured_content or {"text": result.content[0].text}  # type: ignore[union-attr]
            told = {**told, "_error": bool(result.is_error), "_meta": dict(result.meta or {})}
        print(f"< {_short({name: value for name, value in told.items() if not name.startswith('_')})}")
        return told

    async def pause(self, seconds: float) -> None:
        """Wait, and say so."""
        print(f"  ({seconds:g} s later)")
        await asyncio.sleep(seconds)

    def expect(self, sentence: str, *, when: bool) -> None:
        """Something that must be so."""
        print(f"  {'ok' if when else 'FAILED'}: {sentence}")
        if not when:
            self.broken.append(sentence)


Story = Callable[[Talk], Awaitable[None]]


def _short(told: dict[str, Any]) -> str:
    text = json.dumps(told, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


@asynccontextmanager
async def talking(web: LittleWeb, folder: Path, tools: str, **settings: str) -> AsyncIterator[Client]:
    """A client of a server of its own, which offers these tools."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment = {**kept, **web.environment(folder), "GOSSAMER_TOOLS": tools, **settings}
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "gossamer", "serve"], env=environment)
    async with Client(stdio_client(parameters)) as client:
        yield client


async def _tell(story: Story, tools: str, settings: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder, little_web() as web:
        async with talking(web, Path(folder), tools, **settings) as client:
            talk = Talk(client, web)
            try:
                await story(talk)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                talk.expect(f"the reply has its shape ({type(error).__name__}: {error})", when=False)
            return talk.broken


def run(story: Story, *, tools: str, **settings: str) -> int:
    """Tell a story with these tools; 0 where everything was as expected, else 1."""
    print((story.__doc__ or "").strip())
    broken = asyncio.run(_tell(story, tools, settings))
    print(f"\n{len(broken)} expectations failed." if broken else "\nEverything was as expected.")
    return 1 if broken else 0
