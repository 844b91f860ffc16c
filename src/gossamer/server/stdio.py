"""MCP over stdio: one client, one process, gone when the client is."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import CacheHint, Server, ServerRequestContext

from gossamer.contracts import INSTRUCTIONS
from gossamer.errors import EXIT_BUG
from gossamer.server.log import LogBridge
from gossamer.server.pipe import guard_stdout, open_pipe
from gossamer.server.service import Service
from gossamer.settings.load import Loaded
from gossamer.version import __version__

_HOUR = CacheHint(ttl_ms=3_600_000, scope="public")
_TURN_S = 0.001
"""How long a thread may keep the interpreter from the event loop, which must notice the end at once."""
_LEAVE_S = 0.15
"""For all that is done before leaving: replies nearly ready first, then the store."""
_FLUSH_S = 0.08
_CLOSE_S = 0.04
_LATEST_S = 0.28
"""Then the system ends us, whoever holds the interpreter: what was acknowledged is on disk."""


def build_server(service: Service) -> Server[Any]:
    """The protocol's side of the tools."""
    wire = [tool.wire() for tool in service.tools.values()]
    listing = types.ListToolsResult.model_validate({"tools": wire})

    async def list_tools(_ctx: ServerRequestContext[Any], _params: Any) -> types.ListToolsResult:
        return listing

    async def call_tool(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in service.tools:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool named {params.name[:64]!r}.")

        async def progress(done: float, total: float | None, message: str) -> None:
            await ctx.session.report_progress(done, total, message)

        result = await service.call(
            params.name, params.arguments or {}, request=str(ctx.request_id or ""), progress=progress
        )
        return types.CallToolResult(
            content=[types.TextContent(text=result.text)],
            structured_content=result.data,
            is_error=result.is_error,
            _meta=result.meta,
        )

    return Server(
        "gossamer",
        version=__version__,
        title="Gossamer",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema={tool["name"]: tool["inputSchema"] for tool in wire}.get,
        cache_hints={"tools/list": _HOUR, "server/discover": _HOUR},
    )


def _hurry() -> None:
    """Give this thread its turn often, and let the system end the process if it gets none in time."""
    sys.setswitchinterval(_TURN_S / 10)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, _LATEST_S)


def serve_stdio(loaded: Loaded) -> None:
    """Serve until stdin closes or a signal comes, then leave within 0.3 s, whatever is still running."""
    out = guard_stdout()
    sys.setswitchinterval(_TURN_S)
    asyncio.run(_serve(loaded, out))


async def _serve(loaded: Loaded, out: int) -> None:
    service = Service(loaded)
    logging.getLogger("gossamer").addHandler(LogBridge(service.log))
    for problem in loaded.problems:
        service.log.problem(str(problem))
    server = build_server(service)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopped.set)
    async with open_pipe(0, out) as pipe:
        running = loop.create_task(server.run(pipe.read, pipe.write, server.create_initialization_options()))
        ends = [loop.create_task(event.wait()) for event in (pipe.ended, stopped)]
        await asyncio.wait([running, *ends], return_when=asyncio.FIRST_COMPLETED)
        error = running.exception() if running.done() else None
        if error:
            service.log.bug("server", error)
        _hurry()
        leave_at = loop.time() + _LEAVE_S
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(pipe.idle.wait(), _FLUSH_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(service.close(), max(_CLOSE_S, leave_at - loop.time()))
        os._exit(EXIT_BUG if error else 0)  # threads that still run must not hold us; everything committed is on disk
