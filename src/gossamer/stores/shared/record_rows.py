"""Whole records as rows, for imports and rescues: a page, its former texts, and its vectors at a byte a number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gossamer.model.page import ID_DIGITS, FormerVectors, Vectors
from gossamer.model.records import Kept
from gossamer.stores.shared.page_rows import SNAPSHOTS, PageRows, encode

FLOAT16_BYTES = 2
"""Of one float16."""
MADE8 = "2"
"""Counts the ways in which bytes were made of vectors; those made in another way are made again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A record as rows, made before the lock is taken."""

    record: Kept
    rows: PageRows
    former: tuple[PageRows, ...]
    bytes8: tuple[bytes, ...]

    @property
    def size(self) -> int:
        """About what it takes in memory while it waits for the lock."""
        vectors = sum(len(vector.data) for vector in self.record.vectors) + sum(map(len, self.bytes8))
        return self.rows.size + sum(rows.size for rows in self.former) + vectors


def prepare(record: Kept) -> Prepared:
    """Make the rows of a record."""
    return Prepared(
        record=record,
        rows=encode(record.page, record.chunks),
        former=tuple(encode(page, ()) for page in record.former[:SNAPSHOTS]),
        bytes8=tuple(map(bytes_of, record.vectors)),
    )


def bytes_of(vectors: Vectors) -> bytes:
    """The same vectors at a byte a number; to be made before the lock is taken."""
    from gossamer.stores.shared.cosine import packed8

    is_whole = vectors.dimension > 0 and len(vectors.data) % (FLOAT16_BYTES * vectors.dimension) == 0
    return packed8(vectors.data, vectors.dimension) if is_whole else b""


def decoded(model: str, row: Sequence[Any]) -> FormerVectors | None:
    """None for a damaged row, and for one of an older Gossamer, which names no chunks: both are made again."""
    if not is_whole(row):
        return None
    dimension, data, digits = row
    ids = tuple(digits[at : at + ID_DIGITS] for at in range(0, len(digits), ID_DIGITS))
    return FormerVectors(chunk_ids=ids, vectors=Vectors(model=model, dimension=dimension, data=data))


def is_whole(row: Sequence[object]) -> bool:
    """Whether a dimension, vectors and the ids of their chunks can be what was written."""
    match row:
        case (int(dimension), bytes(data), str(digits)):
            count, rest = divmod(len(digits), ID_DIGITS)
            return count > 0 and rest == 0 and len(data) == FLOAT16_BYTES * dimension * count
        case _:
            return False
