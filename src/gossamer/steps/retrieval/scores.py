"""Scores: the cosines of each model on one scale, and a reranker's order turned into scores.

Models differ in how close they find things: what answers a question lies at .53 for one and at .63 for the other. The
scale is therefore set by what answers: of the chunks that answer questions over real pages 99 % reach .5, 97 % reach
.72, half reach .9 and one in ten reaches .97.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

_VALUES = (0.0, 0.5, 0.72, 0.9, 0.97, 1.0)
_ACROSS = " across languages"
_COSINES = {
    "potion-base-8M-128": (0.0, 0.17, 0.26, 0.53, 0.72, 1.0),
    "potion-multilingual-128M-128": (0.0, 0.26, 0.30, 0.63, 0.80, 1.0),
    f"potion-multilingual-128M-128{_ACROSS}": (0.0, 0.15, 0.20, 0.45, 0.63, 1.0),
    "universal-sentence-encoder-multilingual-3": (0.0, 0.11, 0.13, 0.36, 0.52, 1.0),
}
MODELS = tuple(_COSINES)
_JUDGED = 0.8
"""How much of a promoted sentence's score is the judge's opinion of its chunk; the rest is its own among its like."""


def is_far(scores: Sequence[float], model: str) -> bool:
    """Whether nothing is as close as 99 % of what answers; of a model of unknown scale that cannot be told."""
    return model in _COSINES and bool(scores) and max(scores) < _VALUES[1]


def scale(cosine: float, model: str, *, is_mixed: bool = False) -> float:
    """Put a cosine on the common scale, 0..1; a model of unknown scale keeps it.

    Between two languages (`is_mixed`) a model finds everything further apart.
    """
    cosines = _COSINES.get(model, _VALUES)
    if is_mixed:
        cosines = _COSINES.get(f"{model}{_ACROSS}", cosines)
    at = min(max(1, bisect_right(cosines, cosine)), len(cosines) - 1)
    left, right, low, high = cosines[at - 1], cosines[at], _VALUES[at - 1], _VALUES[at]
    return min(1.0, max(0.0, low + (high - low) * (cosine - left) / (right - left)))


def best_chunks(scores: Sequence[float], owners: Sequence[int], *, most: int) -> list[int]:
    """The chunks that hold the best sentences, best first; `owners` names the chunk of each sentence.

    Chunks that nothing speaks for are not among them.
    """
    best: dict[int, float] = {}
    for score, owner in zip(scores, owners, strict=True):
        if score > best.get(owner, 0.0):
            best[owner] = score
    return sorted(best, key=lambda owner: -best[owner])[:most]


def apply_rerank(scores: Sequence[float], owners: Sequence[int], judged: Mapping[int, float]) -> list[float]:
    """Put the sentences of judged chunks above all others, as 0..1: the upper half is theirs."""
    return [
        0.5 + 0.5 * (_JUDGED * judged[owner] + (1 - _JUDGED) * score) if owner in judged else 0.5 * score
        for score, owner in zip(scores, owners, strict=True)
    ]
