"""Tool result: a result or a failure in the protocol's shape, whichever transport carries it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gossamer.contracts.contract import Fault, Reply, Tool
from gossamer.contracts.render.clean import clean_json
from gossamer.contracts.render.envelope import error_text, quote_data
from gossamer.errors import GossamerError
from gossamer.ports import Call
from gossamer.ports.redact import redacted


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """The result of a call, for whichever transport carries it."""

    text: str
    data: dict[str, Any] | None
    meta: dict[str, Any]
    is_error: bool
    fault: Fault | None = None
    """What the protocol tells instead of all this, where the tool's contract says so."""


def result_of(reply: Reply[Any]) -> Outgoing:
    """A reply as it goes out."""
    return Outgoing(
        text=reply.text,
        data=reply.data.model_dump(mode="json", exclude_none=True) if reply.data is not None else None,
        meta=clean_json({"gossamer/outcome": reply.outcome.value, **reply.meta}),
        is_error=not (reply.outcome.is_result or reply.is_plain),
        fault=reply.fault,
    )


def failure_of(error: GossamerError, call: Call, tool: Tool, arguments: Mapping[str, Any]) -> Outgoing:
    """A failure as the tool's contract shows it, or in one sentence; what is ours stands beside it."""
    error = error if call.is_owner else redacted(error)
    told: dict[str, Any] = {
        "code": error.outcome.value,
        "message": error.message,
        "hint": error.hint,
        "retryable": error.retryable,
        **quote_data(error.quote),
    }
    if error.retry_after_s is not None:
        told["retry_after_s"] = error.retry_after_s
    meta: dict[str, Any] = {"gossamer/outcome": error.outcome.value, "gossamer/error": told}
    if call.log.notes:
        meta["gossamer/note"] = list(call.log.notes)
    if tool.told is not None:
        shown = result_of(tool.told(error, arguments))
        meta["gossamer/error"] = {**clean_json(told), **shown.meta.get("gossamer/error", {})}
        return replace(shown, meta=meta, is_error=True)
    return Outgoing(text=error_text(error, now=call.clock.now()), data=None, meta=clean_json(meta), is_error=True)
