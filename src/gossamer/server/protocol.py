"""MCP's side of the tools: what the SDK's server answers with, whichever transport carries it."""

from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import CacheHint, Server, ServerRequestContext

from gossamer.contracts import INSTRUCTIONS
from gossamer.server.caller import caller_of
from gossamer.server.service import Service
from gossamer.version import __version__

_HOUR = CacheHint(ttl_ms=3_600_000, scope="public")


def build_server(service: Service) -> Server[Any]:
    """The protocol's side of the tools."""
    wire = [tool.wire() for tool in service.tools.values()]
    listing = types.ListToolsResult.model_validate({"tools": wire})

    async def list_tools(ctx: ServerRequestContext[Any], _params: Any) -> types.ListToolsResult:
        caller = caller_of(ctx.request)
        if caller.tools is None:
            return listing
        return types.ListToolsResult(tools=[tool for tool in listing.tools if caller.may_call(tool.name)])

    async def call_tool(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = caller_of(ctx.request)
        if params.name not in service.tools or not caller.may_call(params.name):
            raise MCPError(types.INVALID_PARAMS, f"There is no tool named {params.name[:64]!r}.")

        async def progress(done: float, total: float | None, message: str) -> None:
            await ctx.session.report_progress(done, total, message)

        result = await service.call(
            params.name,
            params.arguments or {},
            caller=caller.name,
            request=str(ctx.request_id or ""),
            progress=progress,
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
