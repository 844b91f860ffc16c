"""A table of piece vectors in the package: no key, no download, no network.

A text's vector is the mean of its pieces' vectors. Rows lie in the file as bytes with a scale each and are mapped
into memory, so that every process on a machine shares them.
"""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
_AT_ONCE = 8192
"""Pieces whose vectors are unpacked at a time: 4 MB."""


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

        sums = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for first, cuts in _groups([self.pieces.cut(text) for text in texts]):
            said = [number for number, cut in enumerate(cuts) if cut]
            if said:
                sums[[first + number for number in said]] = self._sums([cuts[number] for number in said])
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return (sums / np.maximum(lengths, 1e-12)).astype("<f2").tobytes()

    def _sums(self, cuts: Sequence[Sequence[int]]) -> "NDArray[np.float32]":
        import numpy as np

        numbers = np.fromiter((piece for cut in cuts for piece in cut), dtype=np.intp)
        vectors = self.rows["bytes"][numbers] * self.rows["scale"][numbers].astype(np.float32)[:, None]
        starts = np.cumsum([0, *(len(cut) for cut in cuts[:-1])])
        return np.add.reduceat(vectors, starts, axis=0)


def _groups(cuts: list[list[int]]) -> Iterator[tuple[int, list[list[int]]]]:
    """Neighbours that are unpacked together, each group with the number of its first."""
    first = used = 0
    for number, cut in enumerate(cuts):
        if used and used + len(cut) > _AT_ONCE:
            yield first, cuts[first:number]
            first, used = number, 0
        used += len(cut)
    yield first, cuts[first:]
