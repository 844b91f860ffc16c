"""Who asks: a name for limits, cursors and logs, and the tools it may call."""

from dataclasses import dataclass
from typing import Any

from gossamer.ports.call import OWNERS

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

    @property
    def is_owner(self) -> bool:
        """Whether this is the machine's own user, to whom the kept pages belong and whom no limit per user binds."""
        return self.name in OWNERS


LOCAL = Caller()
"""The user of this machine, who started the server: stdio, and whoever reaches HTTP on loopback without tokens."""


def caller_of(request: Any) -> Caller:
    """The caller of a request as the SDK hands it on; on stdio there is no request, and no other way to be local."""
    return LOCAL if request is None else request.scope[SCOPE_KEY]
