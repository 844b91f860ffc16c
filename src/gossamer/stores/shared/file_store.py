"""What the stores in one file share: each question or change is one function that runs in its database."""

import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from gossamer.errors import StoreError
from gossamer.filedb.address import FileAddress
from gossamer.filedb.rescue import C
from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.records import Kept, KeptReply, Record, Spending, Stats, Version
from gossamer.ports import Clock
from gossamer.stores.shared import ledger_rows as ledger
from gossamer.stores.shared import reply_rows
from gossamer.stores.shared.chunk_rows import DamagedRow
from gossamer.stores.shared.page_rows import (
    USED_GRAIN_S,
    PageRows,
    StoredPage,
    earlier_texts,
    encode,
    load_page,
    models,
    newest,
    versions,
)
from gossamer.stores.shared.record_rows import Prepared, bytes_of, prepare
from gossamer.stores.shared.spend_ledger import check_amount

_LOG = logging.getLogger("gossamer")

T = TypeVar("T")
C_contra = TypeVar("C_contra", contravariant=True)
C_co = TypeVar("C_co", covariant=True)


class _Database(Protocol[C_co]):
    async def read(self, work: Callable[[C_co], T]) -> T: ...
    async def write(self, work: Callable[[C_co], T], *, size: int = 0) -> T: ...
    async def compute(self, work: Callable[[], T]) -> T: ...


class _Pages(Protocol[C_contra]):
    def load_document(self, connection: C_contra, document: int) -> StoredPage | None: ...
    def load_chunks(self, connection: C_contra, page: Page) -> tuple[Chunk, ...]: ...
    def remove(self, connection: C_contra, url: str) -> bool: ...
    def sound(self, connection: C_contra, url: str, view: str) -> object: ...


class _VectorRows(Protocol[C_contra]):
    def load(self, connection: C_contra, page: Page, model: str) -> Vectors | None: ...
    def models_of(self, connection: C_contra, document: int) -> Sequence[str]: ...
    def put(self, connection: C_contra, page: Page, vectors: Vectors, data8: bytes) -> None: ...
    def former(self, connection: C_contra, page: Page, model: str) -> FormerVectors | None: ...
    def forget(self, connection: C_contra, model: str) -> None: ...


class _Export(Protocol[C_contra]):
    def used_at(self, connection: C_contra, stored: StoredPage, /) -> float: ...
    def restore(self, connection: C_contra, prepared: Prepared) -> bool: ...


class _Eviction(Protocol[C_contra]):
    def stats(self, connection: C_contra) -> Stats: ...


class FileStore(FileAddress, Generic[C]):
    """A page is committed when `save` returns; kill -9 at any moment loses nothing that was."""

    _database: _Database[C]
    _clock: Clock
    _pages: _Pages[C]
    _vectors: _VectorRows[C]
    _export: _Export[C]
    _eviction: _Eviction[C]
    _used_at: str
    """The column that says when a page was last used."""

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or the snapshot with this hash (its beginning will do).

        A page that is not what was written is forgotten, and reported as none, so that it is fetched again.
        """
        page, used_at = await self._read_whole(
            lambda connection: load_page(connection, url, view, content_hash, used_at=self._used_at),
            url,
            view,
            damaged=(None, 0.0),
        )
        if page and not content_hash and self._clock.now() - used_at >= USED_GRAIN_S:
            self._use(url, view)
        return page

    async def reply(self, url: str, identity: str = "") -> KeptReply | None:
        """The reply that is kept for an address; one that is damaged is none, and the next one takes its place."""
        try:
            return await self._database.read(lambda connection: reply_rows.load(connection, url, identity))
        except DamagedRow:
            return None

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        return await self._read_whole(
            lambda connection: self._pages.load_chunks(connection, page), page.url, page.view, damaged=()
        )

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        return await self._database.read(lambda connection: self._vectors.load(connection, page, model))

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks; ignored when the page has another text or other chunks by now."""
        data8 = await self._database.compute(lambda: bytes_of(vectors))
        await self._write(
            lambda connection: self._vectors.put(connection, page, vectors, data8), size=len(vectors.data) + len(data8)
        )

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        """What was last kept for this address by this model, whatever its text was; else by another model."""
        return await self._database.read(lambda connection: self._vectors.former(connection, page, model))

    async def models(self) -> Mapping[str, int]:
        """The models whose vectors are kept, each with its dimension."""
        return await self._database.read(models)

    async def forget_vectors(self, model: str) -> None:
        """Let go of all vectors of a model, and of its dimension."""
        await self._write(lambda connection: self._vectors.forget(connection, model))

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages (default view), newest first."""
        return await self._database.read(lambda connection: newest(connection, count))

    async def versions(self, url: str, view: str = "") -> tuple[Version, ...]:
        """The texts of an address, newest first."""
        return await self._database.read(lambda connection: versions(connection, url, view))

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        return await self._write(lambda connection: self._pages.remove(connection, url))

    async def reserve(self, op: str, *, provider: str, day: str, amount: int, cap: int, ttl_s: float) -> bool:
        """Set `amount` aside for one attempt if the day's sum stays within `cap`."""
        check_amount(amount)
        now = self._clock.now()
        entry = Spending(op=op, provider=provider, day=day, amount=amount, until=now + ttl_s)
        return await self._write(lambda connection: ledger.reserve(connection, entry, cap, now))

    async def settle(self, op: str, amount: int) -> None:
        """Put what an attempt did cost in place of what was set aside."""
        check_amount(amount)
        await self._write(lambda connection: ledger.settle(connection, op, amount))

    async def spent(self, provider: str, day: str) -> int:
        """What a day has cost so far, with what is set aside."""
        now = self._clock.now()
        return await self._database.read(lambda connection: ledger.spent(connection, provider, day, now))

    async def stats(self) -> Stats:
        """How much is kept."""
        return await self._database.read(self._eviction.stats)

    async def export(self) -> AsyncIterator[Record]:
        """The ledger, then every page of every view, each in a short look of its own."""
        for entry in await self._database.read(ledger.entries):
            yield entry
        after = 0
        while row := await self._database.read(lambda connection, after=after: self._next_record(connection, after)):
            after, record = row
            if record:
                yield record

    async def restore(self, record: Record) -> bool:
        """Keep a record of an export as it is, unless as new a one is there."""
        if isinstance(record, Spending):
            return await self._write(lambda connection: ledger.restore(connection, record))
        prepared = await self._database.compute(lambda: prepare(record))
        return await self._write(lambda connection: self._export.restore(connection, prepared), size=prepared.size)

    def _next_record(self, connection: C, after: int) -> tuple[int, Kept | None] | None:
        """The document after this one, with its number; None when it is damaged, and none at all at the end."""
        (document,) = connection.execute("SELECT min(id) FROM documents WHERE id > ?", (after,)).fetchone() or (None,)
        if document is None:
            return None
        try:
            stored = self._pages.load_document(connection, document)
            if stored is None:
                return document, None
            models_kept = self._vectors.models_of(connection, document)
            vectors = [self._vectors.load(connection, stored.page, model) for model in models_kept]
            record = Kept(
                page=stored.page,
                chunks=stored.chunks,
                chunk_count=stored.chunk_count,
                vectors=tuple(filter(None, vectors)),
                former=earlier_texts(connection, document, stored.page),
                used_at=self._export.used_at(connection, stored) or stored.page.fetched_at,
            )
        except DamagedRow:
            return document, None
        return document, record

    def _use(self, url: str, view: str) -> None:
        """Remember that a page was used."""
        raise NotImplementedError

    async def _encoded(
        self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None
    ) -> tuple[PageRows, reply_rows.ReplyRow | None]:
        """The rows of a page and of its reply, made before the lock is taken."""
        return await self._database.compute(
            lambda: (encode(page, chunks), reply_rows.encode_reply(page.url, reply) if reply else None)
        )

    async def _drop_stale_replies(self) -> None:
        now = self._clock.now()
        if await self._database.read(lambda connection: reply_rows.has_stale(connection, now)):
            await self._write(lambda connection: reply_rows.drop_stale(connection, now))

    async def _read_whole(self, work: Callable[[C], T], url: str, view: str, *, damaged: T) -> T:
        try:
            return await self._database.read(work)
        except DamagedRow:
            _LOG.warning("A kept page was damaged and is forgotten; it will be fetched again.")
        # Failing to forget it changes nothing for the caller: it is found damaged again next time.
        with contextlib.suppress(StoreError):
            await self._database.write(lambda connection: self._pages.sound(connection, url, view))
        return damaged

    async def _write(self, work: Callable[[C], T], *, size: int = 0) -> T:
        return await self._database.write(work, size=size)
