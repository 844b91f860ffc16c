"""The trained judge of blocks: decision trees, read from a data file and walked for all blocks at once.

Made by `scripts/train_content.py`; nothing that trains is needed to run it.
"""

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

_FILE = "model.npz"
_ROWS_AT_ONCE = 512
"""Bounds the memory that a large page takes."""


class Forest:
    """Trees as flat lists of knots: a knot asks one column, a leaf points at itself."""

    def __init__(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        self.columns = [str(name) for name in arrays["columns"]]
        self._asks = arrays["asks"].astype(np.int64)
        self._limits = arrays["limits"].astype(np.float32)
        self._next = np.stack([arrays["no"], arrays["yes"]], axis=1).astype(np.int64).ravel()
        self._values = arrays["values"].astype(np.float32)
        self._roots = arrays["roots"].astype(np.int64)
        self._depth = int(arrays["depth"])

    def likelihood(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """For each row how likely it is content, from 0 to 1."""
        parts = [self._points(rows[at : at + _ROWS_AT_ONCE]) for at in range(0, len(rows), _ROWS_AT_ONCE)]
        return 1 / (1 + np.exp(-np.concatenate(parts)))

    def _points(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        size, width = rows.shape
        flat = rows.ravel()
        start = np.repeat(np.arange(size, dtype=np.int64) * width, len(self._roots))
        at: NDArray[np.int64] = np.tile(self._roots, size)
        for _ in range(self._depth):
            is_yes = np.take(flat, start + np.take(self._asks, at)) <= np.take(self._limits, at)
            at = np.take(self._next, 2 * at + is_yes)
        return np.add.reduceat(np.take(self._values, at).astype(float), np.arange(0, len(at), len(self._roots)))


@cache
def forest() -> Forest:
    """The forest that is shipped; read once."""
    with (files("gossamer.extractors.content") / _FILE).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return Forest(dict(arrays))
