"""The least one can serve with the SDK: a low-level server with one `echo` tool. What our overhead is measured by.

    python bench/_bare_sdk.py            stdio, by the SDK's own transport
    python bench/_bare_sdk.py PORT       streamable HTTP on loopback, SSE, no sessions

It gives the SDK the schema of its tool, so that a call over HTTP is not preceded by a listing each time.
"""

import asyncio
import sys

import mcp.types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
LISTING = types.ListToolsResult(tools=[types.Tool(name="echo", description="Says it again.", input_schema=SCHEMA)])


async def list_tools(_ctx, _params) -> types.ListToolsResult:
    return LISTING


async def call_tool(_ctx, params) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=params.arguments["text"])])


SERVER = Server(
    "bare",
    version="1",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    get_tool_input_schema={"echo": SCHEMA}.get,
)


async def serve_stdio() -> None:
    async with stdio_server() as (read, write):
        await SERVER.run(read, write, SERVER.create_initialization_options())


def serve_http(port: int) -> None:
    import uvicorn

    app = SERVER.streamable_http_app(stateless_http=True, json_response=False)
    uvicorn.run(app, port=port, loop="uvloop", http="httptools", access_log=False, log_level="warning")


if __name__ == "__main__":
    if sys.argv[1:]:
        serve_http(int(sys.argv[1]))
    else:
        asyncio.run(serve_stdio())
