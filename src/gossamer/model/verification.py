"""Verifications: how a claim stands to the pages that it cites."""

from dataclasses import dataclass
from typing import Literal

from gossamer.model.answer import Citation
from gossamer.model.search import Failure

Verdict = Literal["supported", "partly", "not_supported"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """The verdict on a claim, by that of its pages which bears it out best."""

    claim: str
    verdict: Verdict
    score: float
    """How well that page supports it, 0..1."""
    missing: tuple[str, ...] = ()
    """Words of the claim that the page does not bear out, or lacks the claim by."""
    citations: tuple[Citation, ...] = ()
    """The sentences of the page that say most of it, the best first."""
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
