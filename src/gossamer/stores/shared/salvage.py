"""Recovery of a damaged store, the same for both engines: each read may fail, and the rest is still taken over."""

import zlib
from collections.abc import Callable, Container, Generator, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from gossamer.filedb.rescue import Executing, Missing, is_gone
from gossamer.model.page import Page, Vectors
from gossamer.model.records import Kept
from gossamer.stores.shared import ledger_rows as ledger
from gossamer.stores.shared.chunk_rows import DamagedRow
from gossamer.stores.shared.page_rows import StoredPage, earlier_texts
from gossamer.stores.shared.record_rows import Prepared, prepare
from gossamer.stores.shared.spend_ledger import lost_day

C = TypeVar("C", bound=Executing)
C_contra = TypeVar("C_contra", contravariant=True)
T = TypeVar("T")

_BROKEN = (DamagedRow, zlib.error, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)


class _PageTables(Protocol[C_contra]):
    def load_document(self, connection: C_contra, document: int) -> StoredPage | None: ...
    def load_text(self, connection: C_contra, document: int) -> StoredPage | None: ...


class _VectorTables(Protocol[C_contra]):
    def models_of(self, connection: C_contra, document: int) -> Sequence[str]: ...
    def load(self, connection: C_contra, page: Page, model: str) -> Vectors | None: ...


class Salvaging(Generic[C]):
    """Reads a damaged file; `error` is the base class of its driver's errors."""

    def __init__(
        self,
        error: type[Exception],
        pages: _PageTables[C],
        vectors: _VectorTables[C],
        restore: Callable[[C, Prepared], object],
    ) -> None:
        self._broken = (*_BROKEN, error)
        self._pages = pages
        self._vectors = vectors
        self._restore = restore

    def tried(self, read: Callable[[], T]) -> T | None:
        """What is read, or nothing where it cannot be."""
        try:
            return read()
        except self._broken:
            return None

    def changes(
        self,
        old: C,
        documents: Iterable[int],
        used_at: Callable[[C, StoredPage], float],
        *,
        listed: Container[int],
    ) -> Generator[tuple[int, Callable[[C], object] | Missing]]:
        """The change to the new file for each document; one that is `listed` and cannot be read is lost."""
        for document in documents:
            try:
                prepared = self._prepared(old, document, used_at)
            except self._broken:
                yield document, "lost"
                continue
            if prepared is not None:
                yield document, lambda new, prepared=prepared: self._restore_kept(new, prepared)
            else:
                yield document, "lost" if document in listed else "absent"

    def _prepared(self, old: C, document: int, used_at: Callable[[C, StoredPage], float]) -> Prepared | None:
        # A page whose chunks cannot be read is cut again when it is read.
        whole = self.tried(lambda: self._pages.load_document(old, document))
        stored = whole or self._pages.load_text(old, document)
        return self._record(old, stored, used_at) if stored else None

    def _record(self, old: C, stored: StoredPage, used_at: Callable[[C, StoredPage], float]) -> Prepared:
        """A page with as much as can be read of what is kept beside it."""
        document = stored.document
        models = self.tried(lambda: self._vectors.models_of(old, document)) or ()
        vectors = (self.tried(lambda model=model: self._vectors.load(old, stored.page, model)) for model in models)
        return prepare(
            Kept(
                page=stored.page,
                chunks=stored.chunks,
                chunk_count=stored.chunk_count,
                vectors=tuple(filter(None, vectors)),
                former=self.tried(lambda: earlier_texts(old, document, stored.page)) or (),
                used_at=self.tried(lambda: used_at(old, stored)) or stored.page.fetched_at,
            )
        )

    def _restore_kept(self, new: C, prepared: Prepared) -> None:
        """Restore a page unless it was removed while it lay in the damaged file."""
        page = prepared.record.page
        if not is_gone(new, page.url, page.view):
            self._restore(new, prepared)


def begin_lost(new: Executing, now: float) -> None:
    """Count today as spent, since the ledger is lost."""
    ledger.restore(new, lost_day(now))
