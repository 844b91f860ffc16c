"""Applies a reranker: the best chunks come first in the model's order, with scores that say so."""

from collections.abc import Mapping, Sequence

_JUDGED = 0.8
"""How much of a promoted sentence's score is the judge's opinion of its chunk; the rest is its own among its like."""


def best_chunks(scores: Sequence[float], owners: Sequence[int], *, most: int) -> list[int]:
    """The chunks that hold the best sentences, best first; `owners` names the chunk of each sentence.

    Chunks that nothing speaks for are not among them.
    """
    best: dict[int, float] = {}
    for score, owner in zip(scores, owners, strict=True):
        if score > best.get(owner, 0.0):
            best[owner] = score
    return sorted(best, key=lambda owner: -best[owner])[:most]


def promote(scores: Sequence[float], owners: Sequence[int], judged: Mapping[int, float]) -> list[float]:
    """Put the sentences of judged chunks above all others, as 0..1: the upper half is theirs."""
    return [
        0.5 + 0.5 * (_JUDGED * judged[owner] + (1 - _JUDGED) * score) if owner in judged else 0.5 * score
        for score, owner in zip(scores, owners, strict=True)
    ]
