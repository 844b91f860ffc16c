"""Forest: a classifier of small decision trees, read from a data file; nothing that trains is needed to run it.

A tree has at most sixteen leaves, so one number of sixteen bits says which of them a row can still reach. Every
question that a row answers with no closes the leaves on its yes side; the first leaf left open is the row's. That way
all rows answer the same question of all trees in one step, and no step waits for the one before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

_ROWS_AT_ONCE = 256
"""Bounds the memory that many rows take."""
MOST_LEAVES = 16


@dataclass(slots=True)
class _Tree:
    """A tree by its questions (column, limit, leaves that a no closes) and its leaves, the yes side first."""

    questions: list[tuple[int, float, int]] = field(default_factory=list[tuple[int, float, int]])
    leaves: list[float] = field(default_factory=list[float])


class Forest:
    """Trees that are stored as flat lists of knots: a knot asks one column, a leaf points at itself."""

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        self.columns = [str(name) for name in arrays["columns"]]
        trees = _trees(arrays)
        shape = (max(1, *(len(tree.questions) for tree in trees)), len(trees), 1)
        self._asks: NDArray[np.int64] = np.zeros(shape[:2], np.int64)
        self._limits: NDArray[np.float32] = np.full(shape, np.inf, np.float32)
        self._open: NDArray[np.uint16] = np.zeros(shape, np.uint16)
        self._values: NDArray[np.float32] = np.zeros((len(trees), MOST_LEAVES), np.float32)
        for nth, tree in enumerate(trees):
            self._values[nth, : len(tree.leaves)] = tree.leaves
            for at, (column, most, closed) in enumerate(tree.questions):
                self._asks[at, nth], self._limits[at, nth], self._open[at, nth] = column, most, 0xFFFF & ~closed
        self._starts: NDArray[np.int64] = MOST_LEAVES * np.arange(len(trees))[:, None]

    def likelihood(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """For each row how likely it is what the trees were trained to tell, from 0 to 1."""
        parts = [self._points(rows[at : at + _ROWS_AT_ONCE]) for at in range(0, len(rows), _ROWS_AT_ONCE)]
        return 1 / (1 + np.exp(-np.concatenate(parts)))

    def _points(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        by_column = np.ascontiguousarray(rows.T)
        still: NDArray[np.uint16] = np.full((len(self._values), len(rows)), 0xFFFF, np.uint16)
        for asks, limits, left_open in zip(self._asks, self._limits, self._open, strict=True):
            leaves = (np.take(by_column, asks, axis=0) <= limits).astype(np.uint16)
            np.negative(leaves, out=leaves)  # a yes is all bits: it closes nothing
            leaves |= left_open
            still &= leaves
        return np.take(self._values, np.take(_first_bits(), still) + self._starts).sum(axis=0, dtype=float)


def _trees(arrays: Mapping[str, NDArray[np.generic]]) -> list[_Tree]:
    """The trees of the flat lists."""
    asks, limits, values, yes, no = (arrays[name].tolist() for name in ("asks", "limits", "values", "yes", "no"))

    def leaves_of(at: int, tree: _Tree) -> int:
        """Add a knot and all below it; return its leaves, one bit each."""
        if yes[at] == at:
            tree.leaves.append(values[at])
            return 1 << (len(tree.leaves) - 1)
        nth = len(tree.questions)
        tree.questions.append((asks[at], limits[at], 0))
        on_yes = leaves_of(yes[at], tree)
        tree.questions[nth] = (asks[at], limits[at], on_yes)
        return on_yes | leaves_of(no[at], tree)

    trees = [_Tree() for _ in arrays["roots"]]
    for root, tree in zip(arrays["roots"].tolist(), trees, strict=True):
        leaves_of(root, tree)
    return trees


@cache
def _first_bits() -> NDArray[np.int64]:
    """For every number of sixteen bits the place of its lowest one."""
    every = np.arange(1, 1 << MOST_LEAVES)
    return np.concatenate([[0], np.log2(every & -every)]).astype(np.int64)
