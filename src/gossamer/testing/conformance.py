"""The real server with the conformance suite's diagnostic tools, prompts and resources beside its own.

`python -m gossamer.testing.conformance --http 127.0.0.1:0` or `--stdio`. Everything passes through the same gate,
transport and service as the product; only what the suite asks for by name is added.
"""

import argparse
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext

from gossamer.errors import GossamerError
from gossamer.server.http.bind import read_bind
from gossamer.server.http.serve import serve_http
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.server.stdio.serve import serve_stdio
from gossamer.settings.load import load
from gossamer.testing import diagnostics

Context = ServerRequestContext[Any]
Handler = Callable[[Context, Any], Awaitable[Any]]

_MISSING_CAPABILITY = -32021


def build_diagnostic_server(service: Service) -> Server[Any]:
    """The product's server over a service that also has the diagnostic tools."""
    service.tools |= {tool.name: tool for tool in diagnostics.TOOLS}
    server = build_server(service)
    server.add_request_handler("tools/call", types.CallToolRequestParams, _calling(_own(server, "tools/call")))
    _add_prompts(server)
    _add_resources(server)
    return server


def _own(server: Server[Any], method: str) -> Handler:
    """The product's own handler of a method."""
    entry = server.get_request_handler(method)
    if entry is None:
        raise LookupError(f"The server does not serve {method}.")
    return entry.handler


def _calling(own: Handler) -> Handler:
    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name == "test_missing_capability":
            _need_sampling(ctx)
        result: types.CallToolResult = await own(ctx, params)
        if params.name in diagnostics.CONTENTS:
            return result.model_copy(update={"content": diagnostics.CONTENTS[params.name]})
        return result

    return call_tool


def _need_sampling(ctx: Context) -> None:
    offered = ctx.session.client_capabilities
    if not (offered and offered.sampling):
        raise MCPError(_MISSING_CAPABILITY, "This tool needs sampling.", {"requiredCapabilities": {"sampling": {}}})


def _add_prompts(server: Server[Any]) -> None:
    own_list, own_get = _own(server, "prompts/list"), _own(server, "prompts/get")

    async def list_prompts(ctx: Context, params: types.PaginatedRequestParams) -> types.ListPromptsResult:
        listed: types.ListPromptsResult = await own_list(ctx, params)
        return listed.model_copy(update={"prompts": [*listed.prompts, *diagnostics.PROMPTS.values()]})

    async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name not in diagnostics.PROMPTS:
            return await own_get(ctx, params)
        return types.GetPromptResult(messages=diagnostics.messages(params.name, params.arguments or {}))

    server.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)


def _add_resources(server: Server[Any]) -> None:
    own_list, own_read = _own(server, "resources/list"), _own(server, "resources/read")
    own_templates = _own(server, "resources/templates/list")

    async def list_resources(ctx: Context, params: types.PaginatedRequestParams) -> types.ListResourcesResult:
        listed: types.ListResourcesResult = await own_list(ctx, params)
        return listed.model_copy(update={"resources": [*listed.resources, *diagnostics.RESOURCES.values()]})

    async def list_templates(ctx: Context, params: types.PaginatedRequestParams) -> types.ListResourceTemplatesResult:
        listed: types.ListResourceTemplatesResult = await own_templates(ctx, params)
        return listed.model_copy(update={"resource_templates": [*listed.resource_templates, *diagnostics.TEMPLATES]})

    async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        found = diagnostics.contents(params.uri)
        return await own_read(ctx, params) if found is None else types.ReadResourceResult(contents=[found])

    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read_resource)


def main() -> None:
    """Serve over the transport that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m gossamer.testing.conformance", description=__doc__)
    transport = parser.add_mutually_exclusive_group(required=True)
    transport.add_argument("--stdio", action="store_true", help="serve one client on stdin and stdout")
    transport.add_argument("--http", metavar="HOST:PORT", help="serve over HTTP; port 0 picks a free one")
    chosen = parser.parse_args()
    if chosen.stdio:
        serve_stdio(load(), build=build_diagnostic_server)
        return
    try:
        serve_http(load(), read_bind(chosen.http), build=build_diagnostic_server)
    except GossamerError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
