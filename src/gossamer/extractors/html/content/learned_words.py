"""Learned words: how much the words of class names, and of short texts, speak for content or against it.

`scripts/train_content.py` counts them: for every word that enough sites use, the share of content among the blocks
inside of what is called so, or among the short texts that have it, as a weight above or below zero. The words that a
page says of itself as a whole are counted by kind of page in the same way.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gossamer.extractors.html.content.blocks import Block
from gossamer.extractors.html.content.tree_counts import Numbers, Places, Shape

KINDS = ("article", "documentation", "service", "forum", "collection", "listing", "product")
TEXT_TOKENS = 12
"""Only a shorter text is weighed by its words."""
_NAME_CHARS = 300
_WORD = re.compile(r"[a-z]{2,24}")
_CAMEL = re.compile(r"([a-z])([A-Z])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """What was learned of words: above zero speaks for content, or for a kind of page."""

    names: Mapping[str, float] = field(default_factory=dict[str, float])
    texts: Mapping[str, float] = field(default_factory=dict[str, float])
    kinds: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])
    """By kind, in the order of `KINDS`."""


def packed(weights: Weights) -> dict[str, NDArray[np.generic]]:
    """The weights as arrays for a file: the words of each table in one text, their weights beside it."""
    tables = {"names": weights.names, "texts": weights.texts, "kinds": weights.kinds}
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, table in tables.items():
        arrays[f"{name}_words"] = np.frombuffer(" ".join(table).encode(), np.uint8)
        arrays[f"{name}_weights"] = np.array(list(table.values()), np.float16)
    return arrays


def unpacked(arrays: Mapping[str, NDArray[np.generic]]) -> Weights:
    """The weights in the arrays of a file; none where it has none."""
    if "names_words" not in arrays:
        return Weights()
    words = {name: bytes(arrays[f"{name}_words"]).decode().split() for name in ("names", "texts", "kinds")}
    values = {name: arrays[f"{name}_weights"].tolist() for name in words}
    return Weights(**{name: dict(zip(words[name], values[name], strict=True)) for name in words})


def name_words(names: str) -> set[str]:
    """The words of a class and an id."""
    return set(_WORD.findall(_CAMEL.sub(r"\1 \2", names[:_NAME_CHARS]).lower()))


def of_words(
    blocks: Sequence[Block], names: Sequence[str], shape: Shape, place: Places, above: Places, weights: Weights
) -> dict[str, Numbers]:
    """The columns of weights; `above` is for each block the heading above it, or a negative number."""
    own = _weights_of(names, weights.names)
    least, most, total = list(own), list(own), list(own)
    parents = shape.parents
    for at in range(1, len(own)):
        parent = parents[at]
        total[at] += total[parent]
        if least[parent] < least[at]:
            least[at] = least[parent]
        if most[parent] > most[at]:
            most[at] = most[parent]
    every = np.array(own)
    text = np.array([_weight_of(block.tokens, weights.texts) for block in blocks])
    up = shape.up
    return {
        "names_near": (every + every[up] + every[up[up]])[place],
        "names_own": every[place],
        "names_sum": np.array(total)[place],
        "names_least": np.array(least)[place],
        "names_most": np.array(most)[place],
        "words": text,
        "words-1": np.concatenate([[0.0], text[:-1]]),
        "words+1": np.concatenate([text[1:], [0.0]]),
        "words_above": np.where(above >= 0, text[above], 0.0),
    }


def _weights_of(names: Iterable[str], weights: Mapping[str, float]) -> list[float]:
    known: dict[str, float] = {" ": 0.0}
    out: list[float] = []
    for both in names:
        weight = known.get(both)
        if weight is None:
            weight = known[both] = sum(weights.get(word, 0.0) for word in name_words(both))
        out.append(weight)
    return out


def _weight_of(tokens: Sequence[str], weights: Mapping[str, float]) -> float:
    if not 0 < len(tokens) <= TEXT_TOKENS:
        return 0.0
    return sum(weights.get(token, 0.0) for token in tokens) / len(tokens) ** 0.5


def of_kinds(words: Iterable[str], weights: Weights) -> dict[str, float]:
    """How much a page's words about itself speak for each kind."""
    found = [weights.kinds[word] for word in words if word in weights.kinds]
    sums = np.clip(np.sum(found, axis=0), -10, 10).tolist() if found else [0.0] * len(KINDS)
    return {f"kind_{name}": value for name, value in zip(KINDS, sums, strict=True)}
