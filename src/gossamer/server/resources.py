"""MCP resources: the pages already read, listed and shown only to the user of this machine."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from gossamer.compose import SystemClock
from gossamer.contracts import resources
from gossamer.contracts.render.envelope import clean_json, cursor_key_of
from gossamer.engine.library import LibraryAccess
from gossamer.errors import GossamerError, Outcome, TimedOut
from gossamer.ports import Call
from gossamer.ports.redact import redacted
from gossamer.server.service import Service, caller_of, name_request
from gossamer.steps.text.untrusted_markers import new_nonce

_LEGACY_NOT_FOUND = -32002
"""What older versions of the protocol say; newer ones count it among the invalid parameters."""

_TIMEOUT_S = 10.0
_NOT_SHARED = "Pages already read are resources of the machine's own user; ask for the page with a tool."
_LATE = "The pages already read could not be had in time."

Context = ServerRequestContext[Any]


class Resources:
    """The handlers of `resources/list`, `resources/templates/list` and `resources/read`."""

    def __init__(self, service: Service, *, timeout_s: float = _TIMEOUT_S) -> None:
        self._service = service
        self._timeout_s = timeout_s
        self._clock = SystemClock()

    async def list(self, ctx: Context, _params: Any) -> types.ListResourcesResult:
        """The newest pages; an empty list where there are none, or none for this caller."""
        async with self._opened(ctx, "resources/list") as (library, call):
            kept = await library.newest(call, count=resources.MOST_LISTED)
        nonce = new_nonce()
        shown = [resources.listed(number, page, nonce=nonce) for number, page in enumerate(kept, 1)]
        return types.ListResourcesResult.model_validate({"resources": shown})

    async def list_templates(self, ctx: Context, _params: Any) -> types.ListResourceTemplatesResult:
        """How any kept page is addressed."""
        shown = [resources.template(self._service.settings.language)] if caller_of(ctx.request).is_owner else []
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": shown})

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The kept text of a page between marks; a page that is not kept is an error that says what to do."""
        address = resources.address_of(params.uri)
        async with self._opened(ctx, "resources/read", asked=address) as (library, call):
            page = await library.page(address, call) if address else None
            if page is None:
                raise _not_found(ctx, params.uri)
            reply = resources.page_text(
                page,
                key=cursor_key_of(call.caller, await asyncio.to_thread(self._service.cursor_key)),
                now=self._clock.now(),
                reader="web_fetch" if "web_fetch" in self._service.tools else "",
            )
        shown = types.TextResourceContents(
            uri=params.uri, mime_type=resources.MIME_TYPE, text=reply.text, _meta=clean_json(dict(reply.meta))
        )
        return types.ReadResourceResult(contents=[shown])

    @asynccontextmanager
    async def _opened(
        self, ctx: Context, method: str, *, asked: str = ""
    ) -> AsyncGenerator[tuple[LibraryAccess, Call]]:
        """The kept pages for one request, which leaves one event in the log; our errors become the protocol's."""
        started = self._clock.monotonic()
        call = Call(
            clock=self._clock,
            caller=caller_of(ctx.request).name,
            request=name_request(ctx.request_id),
            deadline=started + self._timeout_s,
        )
        outcome = Outcome.ERROR
        try:
            async with asyncio.timeout(self._timeout_s), self._service.library() as library:
                yield library, call
            outcome = Outcome.OK
        except (GossamerError, TimeoutError) as error:
            told = error if isinstance(error, GossamerError) else TimedOut(_LATE, hint="Try again.")
            outcome = told.outcome
            raise MCPError(types.INTERNAL_ERROR, str(told if call.is_owner else redacted(told))) from error
        except MCPError:
            outcome = Outcome.NOT_FOUND
            raise
        finally:
            self._service.log.request(call=call, tool=method, outcome=outcome.value, started=started, asked=asked)


def _not_found(ctx: Context, uri: str) -> MCPError:
    is_modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    is_owner = caller_of(ctx.request).is_owner
    hint = "Choose one that resources/list shows, or fetch the page first." if is_owner else _NOT_SHARED
    return MCPError(
        types.INVALID_PARAMS if is_modern else _LEGACY_NOT_FOUND,
        f"No page is kept under this URI. {hint}",
        {"uri": uri},
    )
