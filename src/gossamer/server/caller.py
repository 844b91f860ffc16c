"""Who asks: a name for limits, cursors and logs, and the tools it may call."""

from dataclasses import dataclass
from typing import Any

SCOPE_KEY = "gossamer.caller"
"""Where the gate of the HTTP server leaves the caller in an ASGI scope."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """One user of a server."""

    name: str = "local"
    tools: frozenset[str] | None = None
    """Names of the tools it may call; None: every one that is published."""

    def may_call(self, tool: str) -> bool:
        """Whether a tool is open to this caller."""
        return self.tools is None or tool in self.tools


LOCAL = Caller()
"""The user of this machine, who started the server: stdio, and HTTP on loopback without tokens."""


def caller_of(request: Any) -> Caller:
    """The caller of a request as the SDK hands it on; on stdio there is no request."""
    scope: dict[str, Any] = getattr(request, "scope", None) or {}
    return scope.get(SCOPE_KEY, LOCAL)
