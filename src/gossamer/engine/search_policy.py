"""Search policy: how one tool's searches are made where its contract differs from the default."""

import asyncio
from dataclasses import dataclass, field

from gossamer.resilience.retry import RetryPolicy


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchPolicy:
    """What the tool that asks decides about a search; the defaults are what holds for every one."""

    first: tuple[str, ...] = ()
    """Who is asked before all others, where it is ready and no list orders them."""
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    """How patiently each is asked."""
    timeout_s: float | None = None
    """How long each may take, unless its own settings say so; None: as for all."""
    keep_s: float | None = None
    """For how long the same search is not asked again; None: as for all."""
    per_minute: int | None = None
    """How many requests a minute each gets from this tool; more wait for their turn."""
    wants_raw: bool = False
    """Whether the service's own JSON is handed on; it holds the query, so it is never written down."""
    slots: asyncio.Semaphore | None = None
    """Held while a request is on the network, together with others of the same contract."""
