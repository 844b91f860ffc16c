"""Google's own JSON for `web.search`: as it came but cleaned, and the same shape for failures that are not Google's."""

import json
from typing import Any, cast

from gossamer.contracts.render.envelope import clean_json, clean_line
from gossamer.errors import GossamerError, Outcome

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


def found(raw: str) -> dict[str, Any]:
    """Google's reply."""
    return clean_json(json.loads(raw))


def failed(error: GossamerError) -> dict[str, Any]:
    """Google's error object; where it gave none, one of the same shape with our reason."""
    return _said(error.raw) or _ours(error)


def _said(raw: str) -> dict[str, Any]:
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    is_error = isinstance(said, dict) and isinstance(cast("dict[str, Any]", said).get("error"), dict)
    return clean_json(said) if is_error else {}


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
