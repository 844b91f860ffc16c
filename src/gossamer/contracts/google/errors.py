"""Errors of `google`: Google's own error object, and a timeout that names the setting that decides on it."""

import json
from typing import Any, cast

from gossamer.contracts.google.policy import TIME_SETTING
from gossamer.contracts.render.envelope import clean_json, clean_line
from gossamer.errors import Busy, GossamerError, Outcome, TimedOut

_KINDS: dict[Outcome, tuple[int, str]] = {
    Outcome.INVALID: (400, "INVALID_ARGUMENT"),
    **dict.fromkeys((Outcome.DENIED, Outcome.REFUSED, Outcome.BLOCKED, Outcome.CAPTCHA), (403, "PERMISSION_DENIED")),
    Outcome.NOT_FOUND: (404, "NOT_FOUND"),
    **dict.fromkeys((Outcome.RATE_LIMITED, Outcome.QUOTA), (429, "RESOURCE_EXHAUSTED")),
    Outcome.UNREACHABLE: (503, "UNAVAILABLE"),
    Outcome.TIMEOUT: (504, "DEADLINE_EXCEEDED"),
}
"""What an outcome is called by Google: a status and a word."""
_OTHERWISE = (500, "INTERNAL")


def late(tool: str, timeout_ms: int, error: TimeoutError | TimedOut | Busy) -> TimedOut:
    """The same timeout with the setting that decides on it; a service's own words on it stay."""
    message = f"{tool} did not finish in time." if isinstance(error, TimeoutError) else error.message
    return TimedOut(
        f"{message} ({TIME_SETTING} is {timeout_ms}.)",
        hint=f"Try again; the operator can raise {TIME_SETTING}.",
    ).but(raw="" if isinstance(error, TimeoutError) else error.raw)


def failed(error: GossamerError) -> dict[str, Any]:
    """Google's error object; where it gave none, one of the same shape with our reason."""
    return _googles(error.raw) or _ours(error)


def _googles(raw: str) -> dict[str, Any]:
    try:
        reply = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    is_error = isinstance(reply, dict) and isinstance(cast("dict[str, Any]", reply).get("error"), dict)
    return clean_json(reply) if is_error else {}


def _ours(error: GossamerError) -> dict[str, Any]:
    code, status = _KINDS.get(error.outcome, _OTHERWISE)
    message = clean_line(str(error))
    return {
        "error": {
            "code": error.status or code,
            "message": message,
            "errors": [{"message": message, "domain": "gossamer", "reason": error.outcome.value}],
            "status": status,
        }
    }
