"""What the settings mean for the engine: its limits, its deadlines, and the rules of single tools."""

from dataclasses import replace
from typing import Literal, cast

from gossamer.engine import (
    ContentRules,
    Deadlines,
    GoogleRules,
    Limits,
    MediaSearchRules,
    WebFetchRules,
    WebSearchRules,
)
from gossamer.engine.model_search_policy import O3Rules, SearchWebRules
from gossamer.model.http import FetchPolicy
from gossamer.settings.model import Settings
from gossamer.steps.web.canonical import host_of


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
            media_search_s=settings.search.timeout_s,
            web_fetch_s=settings.WebFetch.TimeoutSeconds,
            read_s=settings.read.timeout_s,
            answer_s=settings.answer.timeout_s,
            google_s=settings.google.timeout_ms / 1000,
            search_web_s=settings.openai.timeout_s,
            o3_s=settings.o3.timeout_s,
        ),
        web_fetch=_web_fetch_rules(settings),
        web_search=_web_search_rules(settings),
        reads_with=(f"embeddings at {host_of(settings.embedding.server_url)}",)
        if settings.embedding.server_url
        else (),
        search_web=SearchWebRules(
            guardrails=settings.openai.guardrails,
            guardrails_file=settings.openai.guardrails_file,
            writing=replace(
                SearchWebRules().writing, keep_s=settings.openai.cache_s, timeout_s=settings.openai.timeout_s
            ),
        ),
        o3=O3Rules(
            model=settings.o3.model,
            writing=replace(O3Rules().writing, keep_s=settings.search.cache_s, timeout_s=settings.o3.timeout_s),
        ),
        google=GoogleRules(
            timeout_ms=settings.google.timeout_ms,
            at_once=settings.google.concurrency,
            min_score=settings.google.similarity_threshold,
            safe_search=_google_safe_search(settings),
        ),
        media_search=_media_search_rules(settings),
    )


def _web_search_rules(settings: Settings) -> WebSearchRules:
    """The `web_search` block; what it leaves open is as for every search."""
    own = settings.web_search
    return WebSearchRules(
        default_count=min(own.default_results_count, own.max_results_count),
        max_count=own.max_results_count,
        contents=ContentRules(
            at_once=own.max_concurrent_fetches or settings.search.max_concurrent_fetches,
            terms=FetchPolicy(timeout_s=own.content_fetch_timeout, max_bytes=own.max_content_size),
            summary_chars=own.max_summary_length if own.summarize_long_content else 0,
            code_blocks=own.extract_code_blocks,
        ),
    )


def _media_search_rules(settings: Settings) -> MediaSearchRules:
    """The `WebSearch` block; what it leaves open is as for every search."""
    own, usual = settings.WebSearch, MediaSearchRules()
    minutes = own.CacheDurationMinutes
    return MediaSearchRules(
        providers=own.Provider,
        max_count=own.MaxResultsPerQuery,
        is_safe=own.DefaultSafeSearch,
        terms=replace(
            usual.terms, keep_s=None if minutes is None else minutes * 60.0, per_minute=own.RateLimitPerMinute
        ),
    )


def _google_safe_search(settings: Settings) -> Literal["off", "moderate", "strict"]:
    """What Google's table says; what it may say is judged with the rest of the table."""
    said = str(settings.providers.get("google", {}).get("safe_search", "off"))
    return cast("Literal['off', 'moderate', 'strict']", said) if said in ("moderate", "strict") else "off"


def _web_fetch_rules(settings: Settings) -> WebFetchRules:
    """The `WebFetch` block, as far as it differs from what holds for every page."""
    own, net = settings.WebFetch, settings.net
    asked: dict[bool | None, Literal["respect", "ignore"]] = {None: net.robots, True: "respect", False: "ignore"}
    robots = asked[own.RespectRobotsTxt]
    return WebFetchRules(
        terms=FetchPolicy(
            user_agent=own.UserAgent if own.UserAgent not in ("", net.user_agent) else None,
            robots=robots if robots != net.robots else None,
            timeout_s=own.TimeoutSeconds,
            fresh_s=own.CacheDurationMinutes * 60.0,
            limited_retries=2,
        ),
        max_chars=own.MaxContentLength,
    )
