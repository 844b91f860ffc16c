"""A table of piece vectors in the package: no key, no download, no network.

A text's vector is the mean of its pieces' vectors. Rows lie in the file as bytes with a scale each and are mapped
into memory, so that every process on a machine shares them.
"""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gossamer.embedders.pieces import Pieces, SentencePieces, WordPieces

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

        room = np.empty((_AT_ONCE, DIMENSION), dtype=np.float32)
        return b"".join(self._packed(cuts, room) for cuts in _groups([self.pieces.cut(text) for text in texts]))

    def _packed(self, cuts: Sequence[Sequence[int]], room: "NDArray[np.float32]") -> bytes:
        """The vectors of a few texts, unpacked into `room` where they fit; words mostly are single pieces: no sums."""
        import numpy as np

        numbers = np.array(list(chain.from_iterable(cuts)), dtype=np.intp)
        rows = self.rows.take(numbers)
        vectors = room[: len(rows)] if len(rows) <= len(room) else np.empty((len(rows), DIMENSION), dtype=np.float32)
        np.multiply(rows["bytes"], rows["scale"].astype(np.float32)[:, None], out=vectors)
        if len(numbers) != len(cuts) or not all(cuts):
            sizes = np.fromiter(map(len, cuts), dtype=np.intp, count=len(cuts))
            said = np.flatnonzero(sizes)
            sums = np.zeros((len(cuts), DIMENSION), dtype=np.float32)
            if len(said):
                sums[said] = np.add.reduceat(vectors, (np.cumsum(sizes) - sizes)[said], axis=0)
            vectors = sums
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        return np.divide(vectors, np.maximum(lengths, 1e-12), out=vectors).astype("<f2").tobytes()


def _groups(cuts: list[list[int]]) -> Iterator[list[list[int]]]:
    """Neighbours that are unpacked together."""
    first = used = 0
    for number, cut in enumerate(cuts):
        size = max(1, len(cut))
        if used and used + size > _AT_ONCE:
            yield cuts[first:number]
            first, used = number, 0
        used += size
    if cuts:
        yield cuts[first:]
