"""Reading a damaged store, of whatever engine: each look may fail, and what can be read is worth having."""

import zlib
from collections.abc import Callable, Container, Generator, Iterable, Sequence
from typing import Protocol, TypeVar

from gossamer.filedb.recovery import Missing
from gossamer.model.kept import Kept
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.stores.shared.page_rows import DamagedRow

C = TypeVar("C")
T = TypeVar("T")

_BROKEN = (DamagedRow, zlib.error, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)


class WholePage(Protocol):
    """A page as it lies in the tables."""

    @property
    def page(self) -> Page:
        """Its present text."""
        ...

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """As they are kept."""
        ...

    @property
    def chunk_count(self) -> int:
        """Of all that it had."""
        ...


class Salvaging:
    """Looks at a damaged file; `errors` are those of its driver."""

    def __init__(self, *errors: type[Exception]) -> None:
        self._broken = (*_BROKEN, *errors)

    def tried(self, read: Callable[[], T]) -> T | None:
        """What is read, or nothing where it cannot be."""
        try:
            return read()
        except self._broken:
            return None

    def changes(
        self,
        documents: Iterable[int],
        prepared: Callable[[int], T | None],
        restore: Callable[[C, T], object],
        *,
        listed: Container[int],
    ) -> Generator[tuple[int, Callable[[C], object] | Missing]]:
        """What to do to the new file for each document; one that is `listed` and cannot be read is lost."""
        for document in documents:
            try:
                record = prepared(document)
            except self._broken:
                yield document, "lost"
                continue
            if record is not None:
                yield document, lambda new, record=record: restore(new, record)
            else:
                yield document, "lost" if document in listed else "absent"

    def record(
        self,
        whole: WholePage,
        *,
        models: Callable[[], Sequence[str]],
        vectors: Callable[[str], Vectors | None],
        former: Callable[[], tuple[Page, ...]],
        used_at: Callable[[], float],
    ) -> Kept:
        """A page with as much as can be read of what is kept beside it."""
        names = self.tried(models) or ()
        all_vectors = (self.tried(lambda name=name: vectors(name)) for name in names)
        return Kept(
            page=whole.page,
            chunks=whole.chunks,
            chunk_count=whole.chunk_count,
            vectors=tuple(filter(None, all_vectors)),
            former=self.tried(former) or (),
            used_at=self.tried(used_at) or whole.page.fetched_at,
        )
