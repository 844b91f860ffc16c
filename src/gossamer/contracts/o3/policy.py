"""Policy of `o3`: which model `chatgpt_o3_search` asks, how often and for how long."""

from dataclasses import dataclass, replace

from gossamer.contracts.contract_settings import ContractBlocks, Defaults
from gossamer.contracts.o3.settings import O3Settings
from gossamer.engine.policies import ModelSearchPolicy
from gossamer.resilience.retry import RetryPolicy

ATTEMPTS = RetryPolicy(
    most=2,
    when_limited=True,
    statuses=frozenset(range(500, 600)) | {408},
    first_s=1.0,
    limited_s=None,
    jitter=0.0,
    named="exactly",
    share=1.0,
)
"""Of specification 004: three tries, pauses of one and two seconds, after a limit, server error or network fault."""
MODEL_SEARCH = ModelSearchPolicy(
    attempts=ATTEMPTS, timeout_s=30.0, timeout_setting="o3.timeout_s", keep_s=3600.0, checks_key=True
)


@dataclass(frozen=True, kw_only=True, slots=True)
class O3Policy:
    """What the operator decides for `chatgpt_o3_search`."""

    model: str = "o3"
    model_search: ModelSearchPolicy = MODEL_SEARCH


def policies(settings: ContractBlocks, defaults: Defaults) -> tuple[O3Policy]:
    """What the `o3` block says; a search is kept as long as every other."""
    own = settings.block(O3Settings)
    model_search = replace(MODEL_SEARCH, keep_s=defaults.search_cache_s, timeout_s=own.timeout_s)
    return (O3Policy(model=own.model, model_search=model_search),)
