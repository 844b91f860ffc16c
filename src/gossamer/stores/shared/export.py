"""A record of an export as rows, made before any lock is taken."""

from dataclasses import dataclass

from gossamer.model.kept import Kept
from gossamer.stores.shared.page_rows import SNAPSHOTS, PageRows, encode
from gossamer.stores.shared.vector_codec import bytes_of


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
        vectors = sum(len(it.data) for it in self.record.vectors) + sum(map(len, self.bytes8))
        return self.rows.size + sum(rows.size for rows in self.former) + vectors


def prepare(record: Kept) -> Prepared:
    """Make the rows of a record."""
    return Prepared(
        record=record,
        rows=encode(record.page, record.chunks),
        former=tuple(encode(page, ()) for page in record.former[:SNAPSHOTS]),
        bytes8=tuple(map(bytes_of, record.vectors)),
    )
