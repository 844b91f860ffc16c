"""Policies: how one tool searches, fetches and asks a model, as values; the engine knows no tool by name."""

from dataclasses import dataclass, field
from typing import TypeVar, cast

from gossamer.model.http import FetchPolicy, NetworkSlots
from gossamer.resilience.retry import RetryPolicy

P = TypeVar("P")


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchPolicy:
    """What the tool that asks decides about a search; the defaults are what holds for every one."""

    providers: tuple[str, ...] = ()
    """Who may be asked, in this order; empty: as for every search."""
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
    slots: NetworkSlots | None = None
    """One of them is held while a request is on the network."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentPolicy:
    """What comes of the pages behind the hits of a search."""

    at_once: int = 5
    fetch: FetchPolicy = field(default_factory=lambda: FetchPolicy(timeout_s=45.0, max_bytes=2 * 2**20))
    summary_chars: int = 500
    """The longest summary; 0: none is made."""
    code_blocks: bool = True
    """Whether code is looked for apart from the passages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSearchPolicy:
    """How patiently a model that searches is asked, and for how long its answer is kept."""

    attempts: RetryPolicy
    timeout_s: float
    """What a call may take, and below what sets it: for those who run out of it."""
    timeout_setting: str
    keep_s: float = 0.0
    checks_key: bool = False
    """Whether a key that cannot be one is refused before it is sent."""


class Policies:
    """The policies of the tools, each by its class; one that was not given is as its class says."""

    def __init__(self, *policies: object) -> None:
        self._by_kind = {type(policy): policy for policy in policies}

    def of(self, kind: type[P]) -> P:
        """The policy of this kind."""
        return cast("P", self._by_kind.get(kind) or kind())


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineOptions:
    """What the operator decides about the engine's work."""

    providers: tuple[str, ...] = ()
    """EngineOptions and orders the providers; empty: the plan decides."""
    provider_timeout_s: float = 10.0
    search_cache_s: float = 3600.0
    page_timeout_s: float = 20.0
    fetches_at_once: int = 5
    chunk_tokens: int = 128
    comments: bool = False
    """Whether pages are read with the comments under them."""
    reads_with: tuple[str, ...] = ()
    """The services outside this process that see the questions which pages are read for."""
    policies: Policies = field(default_factory=Policies)
