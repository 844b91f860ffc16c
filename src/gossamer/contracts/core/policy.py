"""Policy of `core`: the time of each tool, how many results a search has, what comes of their pages."""

from dataclasses import dataclass, field

from gossamer.contracts.contract_settings import ContractBlocks, Defaults
from gossamer.contracts.core.settings import WebSearchSettings
from gossamer.engine.policies import ContentPolicy
from gossamer.model.http import FetchPolicy

_RENDERING_S = 5.0
"""Of a fetch, beside what the page itself may take."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CorePolicy:
    """What the operator decides for the tools of `core`; seconds are those of a whole call."""

    search_s: float = 30.0
    fetch_s: float = 25.0
    read_s: float = 30.0
    answer_s: float = 60.0
    default_count: int = 10
    max_count: int = 50
    may_fetch: bool = True
    """Whether a search may open the pages that it found."""
    contents: ContentPolicy = field(default_factory=ContentPolicy)


def policies(settings: ContractBlocks, defaults: Defaults) -> tuple[CorePolicy]:
    """What the `web_search` block says; what it leaves open is as for every call."""
    own = settings.block(WebSearchSettings)
    return (
        CorePolicy(
            search_s=own.default_timeout or defaults.search_timeout_s,
            fetch_s=defaults.page_timeout_s + _RENDERING_S,
            read_s=defaults.read_timeout_s,
            answer_s=defaults.answer_timeout_s,
            default_count=min(own.default_results_count, own.max_results_count),
            max_count=own.max_results_count,
            may_fetch=defaults.may_fetch,
            contents=ContentPolicy(
                at_once=own.max_concurrent_fetches or defaults.fetches_at_once,
                fetch=FetchPolicy(timeout_s=own.content_fetch_timeout, max_bytes=own.max_content_size),
                summary_chars=own.max_summary_length if own.summarize_long_content else 0,
                code_blocks=own.extract_code_blocks,
            ),
        ),
    )
