"""MCP's side of the tools and prompts: what the SDK's server answers with, whichever transport carries it."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from pydantic import ValidationError

from gossamer.contracts import find_tool, instructions
from gossamer.contracts.prompts import prompts_for
from gossamer.errors import InvalidArgument
from gossamer.ports.call import Caller
from gossamer.server.resources import Resources
from gossamer.server.service import Service, caller_of
from gossamer.version import __version__

_HOUR = CacheHint(ttl_ms=3_600_000, scope="public")
_OWN = CacheHint(ttl_ms=0, scope="private")

Context = ServerRequestContext[Any]


def build_server(service: Service) -> Server[Any]:
    """The protocol's side of a service.

    What it lists depends on the tools that are published and on the language alone, so that it can be known
    beforehand; a caller who may use some tools only is shown and told of those, and nobody may keep that for others.
    """
    handlers = _Handlers(service)
    resources = Resources(service)
    server = Server[Any](
        "gossamer",
        version=__version__,
        title="Gossamer",
        instructions=instructions(tuple(service.tools.values()), service.settings.language),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        get_tool_input_schema=handlers.input_schema,
        cache_hints={
            **dict.fromkeys(("tools/list", "prompts/list", "server/discover"), _HOUR),
            **dict.fromkeys(("resources/list", "resources/templates/list", "resources/read"), _OWN),
        },
    )
    server.middleware += [handlers.tell_no_inside, handlers.tell_own_tools]
    return server


class _Handlers:
    """The answers to requests about tools and prompts."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._prompts = {prompt.name: prompt for prompt in prompts_for(service.tools)}

    @cached_property
    def _wire(self) -> dict[str, dict[str, Any]]:
        """The tool list, built at the first request: a client on stdio has its list by then."""
        return {name: tool.wire(self._service.settings.language) for name, tool in self._service.tools.items()}

    @cached_property
    def _listing(self) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": list(self._wire.values())})

    @cached_property
    def _prompt_listing(self) -> types.ListPromptsResult:
        language = self._service.settings.language
        return types.ListPromptsResult.model_validate(
            {"prompts": [prompt.wire(language) for prompt in self._prompts.values()]}
        )

    async def tell_no_inside(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """The last resort before the protocol: a bug is reported in one sentence and logged without its text."""
        try:
            return await call_next(ctx)
        except (MCPError, ValidationError):  # the latter the SDK tells as a wrong parameter
            raise
        except Exception as error:  # noqa: BLE001  it is told and logged, not hidden
            self._service.log.bug(ctx.method, error)
            raise MCPError(types.INTERNAL_ERROR, "Gossamer failed on this request. Please report it.") from None

    async def tell_own_tools(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """The server's instructions, which speak of the caller's own tools alone."""
        result = await call_next(ctx)
        if ctx.method not in {"initialize", "server/discover"} or not isinstance(result, dict):
            return result
        caller = caller_of(ctx.request)
        if caller.tools is None:
            return result
        own = tuple(tool for name, tool in self._service.tools.items() if caller.may_call(name))
        cache = {"cacheScope": "private"} if "cacheScope" in result else {}
        return {**result, "instructions": instructions(own, self._service.settings.language), **cache}

    async def list_tools(self, ctx: Context, _params: Any) -> types.ListToolsResult:
        caller = caller_of(ctx.request)
        if caller.tools is None:
            return self._listing
        own = [tool for name, tool in zip(self._wire, self._listing.tools, strict=True) if caller.may_call(name)]
        return types.ListToolsResult(tools=own, cache_scope="private")

    def input_schema(self, name: str) -> dict[str, Any] | None:
        tool = find_tool(name, self._service.tools)
        return self._wire[tool.name]["inputSchema"] if tool else None

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = caller_of(ctx.request)
        tool = find_tool(params.name, self._service.tools)
        if tool is None or not caller.may_call(tool.name):
            open_to = [one.published for name, one in self._service.tools.items() if caller.may_call(name)]
            raise _unknown("tool", params.name, open_to)

        async def progress(done: float, total: float | None, message: str) -> None:
            await ctx.session.report_progress(done, total, message)

        result = await self._service.call(
            tool.name,
            params.arguments or {},
            caller=caller.name,
            request=ctx.request_id,
            progress=progress,
        )
        if fault := result.fault:
            raise MCPError(fault.code, fault.message, fault.data(self._service.settings.language))
        return types.CallToolResult(
            content=[types.TextContent(text=result.text)],
            structured_content=result.data,
            is_error=result.is_error,
            _meta=result.meta,
        )

    async def list_prompts(self, ctx: Context, _params: Any) -> types.ListPromptsResult:
        caller = caller_of(ctx.request)
        if caller.tools is None:
            return self._prompt_listing
        own = self._open_prompts(caller)
        shown = [prompt for prompt in self._prompt_listing.prompts if prompt.name in own]
        return types.ListPromptsResult(prompts=shown, cache_scope="private")

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        own = self._open_prompts(caller_of(ctx.request))
        if params.name not in own:
            raise _unknown("prompt", params.name, own)
        prompt = self._prompts[params.name]
        language = self._service.settings.language
        try:
            text = prompt.fill(params.arguments or {}, tuple(self._service.tools.values()), language)
        except InvalidArgument as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.wire(language)["description"], messages=[message])

    def _open_prompts(self, caller: Caller) -> list[str]:
        """The prompts whose tools this caller may use."""
        return [name for name, prompt in self._prompts.items() if all(map(caller.may_call, prompt.needs))]


def _unknown(kind: str, name: str, known: Sequence[str]) -> MCPError:
    import difflib

    near = difflib.get_close_matches(name[:64], known, n=1)
    listed = f"Known are: {', '.join(known)}." if known else f"No {kind} is published here."
    hint = f"Did you mean {near[0]}?" if near else listed
    return MCPError(types.INVALID_PARAMS, f"There is no {kind} named {name[:64]!r}. {hint}")
