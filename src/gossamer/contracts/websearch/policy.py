"""Policies of `websearch`: providers and timeouts of `WebSearch`, and how `WebFetch` requests pages."""

from dataclasses import dataclass, replace
from typing import Literal

from gossamer.contracts.contract_settings import ContractBlocks, Defaults
from gossamer.contracts.websearch.settings import MediaSearchSettings, WebFetchSettings
from gossamer.engine.policies import SearchPolicy
from gossamer.model.http import FetchPolicy
from gossamer.resilience.retry import RetryPolicy

_LIMITED_RETRIES = 2
SEARCH = SearchPolicy(first=("brave",), retries=RetryPolicy(most=_LIMITED_RETRIES, when_limited=True), per_minute=30)
"""Of specification 003: Brave first, two more attempts after a limit, thirty requests a minute."""
FETCH = FetchPolicy(limited_retries=_LIMITED_RETRIES)
"""Of specification 003: two more attempts at a site that limits us."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WebSearchPolicy:
    """What the operator decides for `WebSearch`."""

    timeout_s: float = 30.0
    max_count: int = 20
    """The most results that a call returns, whatever it asks for."""
    is_safe: bool = True
    """What a call that does not say asks for."""
    search: SearchPolicy = SEARCH


@dataclass(frozen=True, kw_only=True, slots=True)
class WebFetchPolicy:
    """What the operator decides for `WebFetch`."""

    timeout_s: float = 30.0
    max_chars: int = 100_000
    """The most that one result holds, whatever is asked for."""
    fetch: FetchPolicy = FETCH


def policies(settings: ContractBlocks, defaults: Defaults) -> tuple[WebSearchPolicy, WebFetchPolicy]:
    """What the blocks `WebSearch` and `WebFetch` say; what they leave open is as for every call."""
    search, fetch = settings.block(MediaSearchSettings), settings.block(WebFetchSettings)
    return _of_search(search, defaults), _of_fetch(fetch, defaults)


def _of_search(own: MediaSearchSettings, defaults: Defaults) -> WebSearchPolicy:
    minutes = own.CacheDurationMinutes
    return WebSearchPolicy(
        timeout_s=defaults.search_timeout_s,
        max_count=own.MaxResultsPerQuery,
        is_safe=own.DefaultSafeSearch,
        search=replace(
            SEARCH,
            providers=own.Provider,
            keep_s=None if minutes is None else minutes * 60.0,
            per_minute=own.RateLimitPerMinute,
        ),
    )


def _of_fetch(own: WebFetchSettings, defaults: Defaults) -> WebFetchPolicy:
    asked: dict[bool | None, Literal["respect", "ignore"]] = {
        None: defaults.robots,
        True: "respect",
        False: "ignore",
    }
    robots = asked[own.RespectRobotsTxt]
    return WebFetchPolicy(
        timeout_s=own.TimeoutSeconds,
        max_chars=own.MaxContentLength,
        fetch=replace(
            FETCH,
            user_agent=own.UserAgent if own.UserAgent not in ("", defaults.user_agent) else None,
            robots=robots if robots != defaults.robots else None,
            timeout_s=own.TimeoutSeconds,
            fresh_s=own.CacheDurationMinutes * 60.0,
        ),
    )
