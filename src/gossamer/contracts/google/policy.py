"""Policy of `google`: the time of its calls, as REQUEST_TIMEOUT_MS says, its slots on the network, its threshold."""

from dataclasses import dataclass
from typing import Literal, cast

from gossamer.contracts.contract_settings import ContractBlocks, Defaults
from gossamer.contracts.google.settings import GoogleSettings
from gossamer.engine.policies import SearchPolicy
from gossamer.model.http import FetchPolicy, NetworkSlots
from gossamer.ports import Call
from gossamer.resilience.retry import RetryPolicy

TIME_SETTING = "REQUEST_TIMEOUT_MS"
_SHARE, _MOST_SHARE = 0.02, 0.1
_ENOUGH_S = 0.1
"""Of a call's time: what is kept back says that the rest ran out, and by which setting."""

SafeSearch = Literal["off", "moderate", "strict"]


@dataclass(frozen=True, kw_only=True, slots=True)
class GooglePolicy:
    """What the operator decides for the tools of `google`."""

    timeout_ms: int = 20_000
    """What a page, and a call as a whole, may take."""
    at_once: int = 2
    """How many of its calls may be on the network at the same time."""
    min_score: float = 0.72
    """How close a passage has to be to a query, on the common scale (`steps/retrieval/scores.py`)."""
    safe_search: SafeSearch = "off"
    """What a search filters that does not say."""

    @property
    def timeout_s(self) -> float:
        """The same time in seconds."""
        return self.timeout_ms / 1000

    @property
    def search(self) -> SearchPolicy:
        """Google alone is asked: once more after an error on its side or silence, no more."""
        return SearchPolicy(
            providers=("google",),
            retries=RetryPolicy(when_late=True),
            timeout_s=self.timeout_s,
            wants_raw=True,
            slots=self._slots,
        )

    @property
    def fetch(self) -> FetchPolicy:
        """A page may take as long as a call, and holds one of the same slots."""
        return FetchPolicy(timeout_s=self.timeout_s, slots=self._slots)

    @property
    def _slots(self) -> NetworkSlots:
        return NetworkSlots(name="google", at_once=self.at_once)


def policies(settings: ContractBlocks, defaults: Defaults) -> tuple[GooglePolicy]:
    """What the `google` block says, and the filter that Google's own table names."""
    own = settings.block(GoogleSettings)
    return (
        GooglePolicy(
            timeout_ms=own.timeout_ms,
            at_once=own.concurrency,
            min_score=own.similarity_threshold,
            safe_search=_safe_search(str(defaults.providers.get("google", {}).get("safe_search", "off"))),
        ),
    )


def _safe_search(level: str) -> SafeSearch:
    """A level that there is; what the table may say is judged with the rest of it."""
    return cast("SafeSearch", level) if level in ("moderate", "strict") else "off"


def most_of(call: Call) -> Call:
    """The same call with nearly all of its time."""
    left_s = call.remaining_s
    kept_back = max(_SHARE, min(_MOST_SHARE, _ENOUGH_S / left_s)) if left_s else 0.0
    return call.within(left_s * (1 - kept_back))
