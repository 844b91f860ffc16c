"""Policy of `openai`: how often and how long `search_web` asks its model, and which queries it refuses."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from gossamer.contracts.contract_settings import ContractBlocks, Defaults
from gossamer.contracts.openai.settings import OpenAISettings
from gossamer.engine.policies import ModelSearchPolicy
from gossamer.resilience.retry import RetryPolicy

RATE = "20/600"
"""Of specification 000: calls of one user in ten minutes, unless the operator says otherwise."""
ATTEMPTS = RetryPolicy(
    when_limited=True,
    statuses=frozenset({500, 502, 503}),
    after_faults=False,
    first_s=0.5,
    limited_s=None,
    named="at least",
    share=1.0,
)
"""Of specification 000: one more attempt after a limit or a server error, with jitter, after nothing else."""
MODEL_SEARCH = ModelSearchPolicy(attempts=ATTEMPTS, timeout_s=15.0, timeout_setting="openai.timeout_s", keep_s=300.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchWebPolicy:
    """What the operator decides for `search_web`."""

    guardrails: Literal["ours", "literal", "off"] = "ours"
    """Which queries are sent to a specialised server instead."""
    guardrails_file: Path | None = None
    """The operator's own rules in the place of ours."""
    model_search: ModelSearchPolicy = MODEL_SEARCH


def policies(settings: ContractBlocks, _defaults: Defaults) -> tuple[SearchWebPolicy]:
    """What the `openai` block says."""
    own = settings.block(OpenAISettings)
    return (
        SearchWebPolicy(
            guardrails=own.guardrails,
            guardrails_file=own.guardrails_file,
            model_search=replace(MODEL_SEARCH, keep_s=own.cache_s, timeout_s=own.timeout_s),
        ),
    )
