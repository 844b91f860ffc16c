"""Policies of contracts that ask one model which searches."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gossamer.resilience.retry import RetryPolicy

SEARCH_WEB_ATTEMPTS = RetryPolicy(
    when_limited=True,
    statuses=frozenset({500, 502, 503}),
    after_faults=False,
    first_s=0.5,
    limited_s=None,
    named="at least",
    share=1.0,
)
"""Of specification 000: one more attempt after a limit or a server error, with jitter, after nothing else."""
O3_ATTEMPTS = RetryPolicy(
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

Guardrails = Literal["ours", "literal", "off"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSearchPolicy:
    """How patiently it is asked, and for how long its text is kept."""

    attempts: RetryPolicy
    timeout_s: float
    """What a call may take, and below what sets it: for those who run out of it."""
    timeout_setting: str
    keep_s: float = 0.0
    checks_key: bool = False
    """Whether a key that cannot be one is refused before it is sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchWebRules:
    """What the operator decides for `search_web` alone."""

    guardrails: Guardrails = "ours"
    """Which queries are sent to a specialised server instead."""
    guardrails_file: Path | None = None
    """The operator's own rules in the place of ours."""
    writing: ModelSearchPolicy = ModelSearchPolicy(
        attempts=SEARCH_WEB_ATTEMPTS, timeout_s=15.0, timeout_setting="openai.timeout_s", keep_s=300.0
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class O3Rules:
    """What the operator decides for `chatgpt_o3_search` alone."""

    model: str = "o3"
    writing: ModelSearchPolicy = ModelSearchPolicy(
        attempts=O3_ATTEMPTS, timeout_s=30.0, timeout_setting="o3.timeout_s", keep_s=3600.0, checks_key=True
    )
