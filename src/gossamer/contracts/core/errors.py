"""A failed search in its specified form: the kind of failure, the provider, and when to retry."""

from collections.abc import Mapping
from math import ceil
from typing import Any

from gossamer.contracts.contract import Reply
from gossamer.contracts.core.shapes import SearchFailureOut
from gossamer.errors import EnginesSilent, GossamerError, UsageError
from gossamer.resilience.breaker import PROBE_S
from gossamer.steps.text.clean_line import plain
from gossamer.steps.text.untrusted_markers import escape

_QUERY_CHARS = 500
_DETAIL_CHARS = 1000
_INSTANCES = frozenset({"searxng"})
"""Providers that have instances."""
_NO_INSTANCES = "no_instances_available"


def search_failure(error: GossamerError, asked: Mapping[str, Any]) -> Reply[SearchFailureOut]:
    """The error object: `no_instances_available` where SearXNG alone could be asked and did not answer."""
    names = {name for name, _ in error.asked}
    is_away = bool(names) and names <= _INSTANCES and not isinstance(error, UsageError | EnginesSilent)
    retry_after_s = error.retry_after_s
    if is_away and retry_after_s is None:
        retry_after_s = PROBE_S
    kind = _NO_INSTANCES if is_away else error.outcome.value
    return Reply(
        text=escape(f"{kind}: {error}"),
        data=SearchFailureOut(
            query=plain(str(asked.get("query") or "")[:_QUERY_CHARS], max_chars=_QUERY_CHARS),
            error_type=kind,
            error_details=escape(plain(str(error), max_chars=_DETAIL_CHARS)),
            attempted_instances=[address for _, address in error.asked] or None,
            retry_after=ceil(retry_after_s) if retry_after_s is not None else None,
        ),
        outcome=error.outcome,
    )
