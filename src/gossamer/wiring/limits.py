"""What the settings mean for the engine: its limits, and the policies of the contracts."""

from gossamer.contracts import CONTRACTS
from gossamer.contracts.contract_settings import Defaults
from gossamer.engine.policies import Limits, Policies
from gossamer.settings.model import Settings
from gossamer.steps.web.canonical import host_of


def engine_limits(settings: Settings) -> Limits:
    """What the settings mean for the engine."""
    server_url = settings.embedding.server_url
    return Limits(
        providers=settings.search.providers,
        provider_timeout_s=settings.search.provider_timeout_s,
        search_cache_s=settings.search.cache_s,
        page_timeout_s=settings.net.page_timeout_s,
        fetches_at_once=settings.search.max_concurrent_fetches,
        chunk_tokens=settings.read.chunk_tokens,
        comments=settings.pages.comments,
        reads_with=(f"embeddings at {host_of(server_url)}",) if server_url else (),
        policies=contract_policies(settings),
    )


def contract_policies(settings: Settings) -> Policies:
    """The policies of every contract: its own settings, and what holds for every call."""
    defaults = Defaults(
        search_timeout_s=settings.search.timeout_s,
        search_cache_s=settings.search.cache_s,
        page_timeout_s=settings.net.page_timeout_s,
        read_timeout_s=settings.read.timeout_s,
        answer_timeout_s=settings.answer.timeout_s,
        fetches_at_once=settings.search.max_concurrent_fetches,
        may_fetch=settings.web_fetch_enabled,
        robots=settings.net.robots,
        user_agent=settings.net.user_agent,
        providers=settings.providers,
    )
    made = (contract.policies(settings, defaults) for contract in CONTRACTS.values())
    return Policies(*(policy for policies in made for policy in policies))
