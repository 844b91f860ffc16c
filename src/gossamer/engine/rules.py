"""Limits and policies that the operator decides: deadlines, single tools, the engine's work."""

from dataclasses import dataclass, field
from typing import Literal

from gossamer.engine.model_search_policy import O3Rules, SearchWebRules
from gossamer.engine.search_policy import SearchPolicy
from gossamer.model.http import FetchPolicy
from gossamer.resilience.retry import RetryPolicy


@dataclass(frozen=True, kw_only=True, slots=True)
class Deadlines:
    """Seconds that a whole call of each kind may take."""

    search_s: float = 30.0
    media_search_s: float = 30.0
    """Of the `websearch` contract's `WebSearch`."""
    fetch_s: float = 25.0
    web_fetch_s: float = 30.0
    """Of the `websearch` contract's `WebFetch`."""
    read_s: float = 30.0
    answer_s: float = 60.0
    google_s: float = 20.0
    """Of the `google` contract's tools."""
    search_web_s: float = 15.0
    """Of the `openai` contract's tool."""
    o3_s: float = 30.0
    """Of the `o3` contract's tool."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WebFetchRules:
    """What the operator decides for the `websearch` contract's `WebFetch` alone."""

    terms: FetchPolicy = field(default_factory=lambda: FetchPolicy(limited_retries=2))
    max_chars: int = 100_000
    """The most that one result holds, whatever is asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GoogleRules:
    """What the operator decides for the `google` contract alone."""

    timeout_ms: int = 20_000
    """What a page, and a call as a whole, may take."""
    at_once: int = 2
    """How many of its calls may be on the network at the same time."""
    min_score: float = 0.72
    """How close a passage has to be to a query, on the common scale (`steps/retrieval/scores.py`)."""
    safe_search: Literal["off", "moderate", "strict"] = "off"
    """What a search filters that does not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MediaSearchRules:
    """What the operator decides for the `websearch` contract's `WebSearch` alone."""

    providers: tuple[str, ...] = ()
    """Who may be asked, in this order; empty: as for every search, Brave first."""
    max_count: int = 20
    """The most results that a call returns, whatever it asks for."""
    is_safe: bool = True
    """What a call that does not say asks for."""
    terms: SearchPolicy = field(
        default_factory=lambda: SearchPolicy(
            first=("brave",), retries=RetryPolicy(most=2, when_limited=True), per_minute=30
        )
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentRules:
    """What the operator decides about the pages that come with a search."""

    at_once: int = 5
    terms: FetchPolicy = field(default_factory=lambda: FetchPolicy(timeout_s=45.0, max_bytes=2 * 2**20))
    summary_chars: int = 500
    """The longest summary; 0: none is made."""
    code_blocks: bool = True
    """Whether code is looked for apart from the passages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WebSearchRules:
    """What the operator decides for `web_search`: how many results, and what comes of their pages."""

    default_count: int = 10
    max_count: int = 50
    contents: ContentRules = field(default_factory=ContentRules)


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What the operator decides about the engine's work."""

    providers: tuple[str, ...] = ()
    """Limits and orders the providers; empty: the plan decides."""
    provider_timeout_s: float = 10.0
    search_cache_s: float = 3600.0
    page_timeout_s: float = 20.0
    fetches_at_once: int = 5
    chunk_tokens: int = 128
    may_fetch: bool = True
    """Whether a search may open the pages that it found."""
    comments: bool = False
    """Whether pages are read with the comments under them."""
    deadlines: Deadlines = Deadlines()
    web_fetch: WebFetchRules = WebFetchRules()
    google: GoogleRules = GoogleRules()
    media_search: MediaSearchRules = MediaSearchRules()
    web_search: WebSearchRules = WebSearchRules()
    search_web: SearchWebRules = field(default_factory=SearchWebRules)
    o3: O3Rules = field(default_factory=O3Rules)
    reads_with: tuple[str, ...] = ()
    """The services outside this process that see the questions which pages are read for."""
