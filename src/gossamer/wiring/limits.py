"""What the settings mean for the engine: its limits, its deadlines, and the rules of single tools."""

from typing import Literal

from gossamer.engine import ContentRules, Deadlines, GoogleRules, Limits, WebFetchRules, WebSearchRules
from gossamer.model.http import FetchTerms
from gossamer.settings.model import Settings
from gossamer.steps.canonical import host_of


def engine_limits(settings: Settings) -> Limits:
    """What the settings mean for the engine."""
    return Limits(
        providers=settings.search.providers,
        provider_timeout_s=settings.search.provider_timeout_s,
        search_cache_s=settings.search.cache_s,
        page_timeout_s=settings.net.page_timeout_s,
        fetches_at_once=settings.search.max_concurrent_fetches,
        chunk_tokens=settings.read.chunk_tokens,
        may_fetch=settings.web_fetch_enabled,
        comments=settings.pages.comments,
        deadlines=Deadlines(
            search_s=settings.web_search.default_timeout or settings.search.timeout_s,
            fetch_s=settings.net.page_timeout_s + 5,
            web_fetch_s=settings.WebFetch.TimeoutSeconds,
            read_s=settings.read.timeout_s,
            answer_s=settings.answer.timeout_s,
            google_s=settings.google.timeout_ms / 1000,
        ),
        web_fetch=_web_fetch_rules(settings),
        web_search=_web_search_rules(settings),
        reads_with=(f"embeddings at {host_of(settings.embedding.server_url)}",)
        if settings.embedding.server_url
        else (),
        google=GoogleRules(
            timeout_ms=settings.google.timeout_ms,
            at_once=settings.google.concurrency,
            min_score=settings.google.similarity_threshold,
        ),
    )


def _web_search_rules(settings: Settings) -> WebSearchRules:
    """The `web_search` block; what it leaves open is as for every search."""
    own = settings.web_search
    return WebSearchRules(
        default_count=min(own.default_results_count, own.max_results_count),
        max_count=own.max_results_count,
        contents=ContentRules(
            at_once=own.max_concurrent_fetches or settings.search.max_concurrent_fetches,
            terms=FetchTerms(timeout_s=own.content_fetch_timeout, max_bytes=own.max_content_size),
            summary_chars=own.max_summary_length if own.summarize_long_content else 0,
            code_blocks=own.extract_code_blocks,
        ),
    )


def _web_fetch_rules(settings: Settings) -> WebFetchRules:
    """The `WebFetch` block, as far as it differs from what holds for every page."""
    own, net = settings.WebFetch, settings.net
    asked: dict[bool | None, Literal["respect", "ignore"]] = {None: net.robots, True: "respect", False: "ignore"}
    robots = asked[own.RespectRobotsTxt]
    return WebFetchRules(
        terms=FetchTerms(
            user_agent=own.UserAgent if own.UserAgent not in ("", net.user_agent) else None,
            robots=robots if robots != net.robots else None,
            timeout_s=own.TimeoutSeconds,
            fresh_s=own.CacheDurationMinutes * 60.0,
            limited_retries=2,
        ),
        max_chars=own.MaxContentLength,
    )
