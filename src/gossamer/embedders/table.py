"""Static embeddings: a table of piece vectors in the package, with no key, no download and no network.

A text's vector is the mean of its pieces' vectors. Rows lie in the file as bytes with a scale each and are mapped
into memory, so that every process on a machine shares them.
"""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gossamer.embedders.piece_tokenizer import Pieces, SentencePieces, WordPieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSION = 128

Language = Literal["english", "multilingual"]

_DATA = Path(__file__).with_name("data")
_NAMES: dict[Language, str] = {"english": "potion-base-8M-128", "multilingual": "potion-multilingual-128M-128"}
_CUTS: dict[Language, type[WordPieces] | type[SentencePieces]] = {
    "english": WordPieces,
    "multilingual": SentencePieces,
}
_AT_ONCE = 480
"""Pieces whose vectors are unpacked at a time, into the same 240 kB: fresh memory would cost more than the work."""

_FEW = 6
"""Pieces of a word: texts of so few are summed by their number, at a fifth of the cost of sums of any length."""


def name_of(language: Language) -> str:
    """The name by which vectors of a table are kept."""
    return _NAMES[language]


@dataclass(frozen=True, slots=True)
class Table:
    """Pieces with one vector each. Nothing in it changes, so any number of threads may use it."""

    pieces: Pieces
    rows: "NDArray[np.void]"

    @classmethod
    def load(cls, language: Language) -> "Table":
        """Read a table that comes with the package."""
        import numpy as np

        vocabulary = gzip.decompress((_DATA / f"{language}.txt.gz").read_bytes()).decode()
        rows = np.asarray(np.load(_DATA / f"{language}.npy", mmap_mode="r"))
        return cls(_CUTS[language](vocabulary.split("\n")), rows)

    def means(self, texts: Sequence[str]) -> bytes:
        """Packed float16 unit vectors; a text without a known piece gets zeros, which are near to nothing."""
        import numpy as np

        cuts = [self.pieces.cut(text) for text in texts]
        packed = np.zeros((len(cuts), DIMENSION), dtype="<f2")
        room = np.empty((_AT_ONCE, DIMENSION), dtype=np.float32)
        sizes = np.fromiter(map(len, cuts), dtype=np.intp, count=len(cuts))
        for places in _groups(sizes):
            sums = self._sums([cuts[place] for place in places], room)
            lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
            packed[places] = np.divide(sums, np.maximum(lengths, 1e-12), out=sums)
        return packed.tobytes()

    def _sums(self, cuts: Sequence[Sequence[int]], room: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """The sums of the vectors of a few texts, which are unpacked into `room` where they fit."""
        import numpy as np

        rows = self.rows.take(np.fromiter(chain.from_iterable(cuts), dtype=np.intp))
        vectors = room[: len(rows)] if len(rows) <= len(room) else np.empty((len(rows), DIMENSION), dtype=np.float32)
        np.copyto(vectors, rows["bytes"])
        scales = rows["scale"].astype(np.float32)
        size = len(cuts[0])
        if size > _FEW:
            ends = [*accumulate(map(len, cuts), initial=0)]
            return np.stack([scales[start:end] @ vectors[start:end] for start, end in pairwise(ends)])
        vectors *= scales[:, None]
        return vectors if size == 1 else vectors.reshape(-1, size, DIMENSION).sum(axis=1)


def _groups(sizes: "NDArray[np.intp]") -> Iterator[list[int]]:
    """The places of texts that are unpacked together: those of a few pieces by their number, long ones as they come."""
    import numpy as np

    for size in range(1, _FEW + 1):
        alike = np.flatnonzero(sizes == size).tolist()
        portion = _AT_ONCE // size
        yield from (alike[first : first + portion] for first in range(0, len(alike), portion))
    group: list[int] = []
    used = 0
    for place in np.flatnonzero(sizes > _FEW).tolist():
        size = int(sizes[place])
        if group and used + size > _AT_ONCE:
            yield group
            group, used = [], 0
        group.append(place)
        used += size
    if group:
        yield group
