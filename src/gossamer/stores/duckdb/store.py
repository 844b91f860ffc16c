"""Pages in one DuckDB file, used by the processes of one machine in turn. The extra `duckdb`."""

import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Self, TypeVar

from gossamer.errors import BadSettings, StoreError
from gossamer.filedb.address import FileAddress, path_of
from gossamer.filedb.processes import count_sharers
from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.records import Record, Spending, Stats, Version
from gossamer.model.search import Hit
from gossamer.ports import Clock
from gossamer.stores import scripts
from gossamer.stores.duckdb import eviction, export, pages, vector_rows, word_search
from gossamer.stores.duckdb.database import Database
from gossamer.stores.duckdb.open_file import Connection, Schema
from gossamer.stores.duckdb.recovery import begin_lost, salvage
from gossamer.stores.shared import ledger_rows as ledger
from gossamer.stores.shared.page_rows import (
    USED_GRAIN_S,
    DamagedRow,
    bytes_of,
    encode,
    load_page,
    models,
    newest,
    prepare,
    versions,
)
from gossamer.stores.shared.spend_ledger import check_amount

_LOG = logging.getLogger("gossamer")
_MOST_SHARERS = 5
"""Busy processes that one file serves well: each has to open it for its turn."""

T = TypeVar("T")


class DuckdbStore(FileAddress):
    """A page is committed when `save` returns; kill -9 at any moment loses nothing that was."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    async def open(cls, address: str, *, clock: Clock) -> Self:
        """Open or create the file that `duckdb:///path` names."""
        path = path_of(address)
        if "?" in str(path):
            raise BadSettings(
                "DuckDB takes no path with a question mark in it.", hint="Name another file or folder for the store."
            )
        return await cls.open_file(path, clock=clock)

    @classmethod
    async def open_file(cls, path: Path, *, clock: Clock, patience_s: float = 6.0) -> Self:
        """Open or create a file; callers wait at most `patience_s` for other processes."""
        return cls(await Database.open(path, schema(), clock=clock, patience_s=patience_s), clock)

    @classmethod
    def remark(cls, address: str) -> str:
        """Who uses the file, and whether they are too many."""
        if count_sharers(path_of(address)) <= _MOST_SHARERS:
            return super().remark(address)
        slow = f"in turn: beyond {_MOST_SHARERS} busy ones it is slow, and a sqlite:/// store serves more"
        return f"{super().remark(address)}, {slow}"

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or the snapshot with this hash (its beginning will do).

        A page that is not what was written is forgotten, and reported as none, so that it is fetched again.
        """
        page, used_at = await self._read_whole(
            lambda connection: load_page(connection, url, view, content_hash, used_at="used_at"),
            url,
            view,
            damaged=(None, 0.0),
        )
        now = self._clock.now()
        if page and not content_hash and now - used_at >= USED_GRAIN_S:
            self._database.post(lambda connection: eviction.note_use(connection, url, view, now))
        return page

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        """Keep a page and its chunks in one step, and return it with its version.

        When a newer fetch is there already, that one is returned. The same text without chunks keeps those it has.
        """
        rows = await self._database.compute(lambda: encode(page, chunks))
        now = self._clock.now()
        return await self._database.write(lambda connection: pages.save(connection, rows, now), size=rows.size)

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        return await self._read_whole(
            lambda connection: pages.load_chunks(connection, page), page.url, page.view, damaged=()
        )

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        return await self._database.read(lambda connection: vector_rows.load(connection, page, model))

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks; ignored when the page has another text or other chunks by now."""
        data8 = await self._database.compute(lambda: bytes_of(vectors))
        size = len(vectors.data) + len(data8)
        await self._database.write(lambda connection: vector_rows.put(connection, page, vectors, data8), size=size)

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        """What was last kept for this address by this model, whatever its text was; else by another model."""
        return await self._database.read(lambda connection: vector_rows.former(connection, page, model))

    async def models(self) -> Mapping[str, int]:
        """The models whose vectors are kept, each with its dimension."""
        return await self._database.read(models)

    async def forget_vectors(self, model: str) -> None:
        """Let go of all vectors of a model, and of its dimension."""
        await self._database.write(lambda connection: vector_rows.forget(connection, model))

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) that hold words of `text`, best first, with the best chunk as snippet."""
        return await self._database.read(lambda connection: word_search.find(connection, text, count, site))

    async def nearest(self, asked: Vectors, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) whose chunks are closest to one vector, by its model; `score` is the cosine."""

        def look(connection: Connection) -> tuple[Hit, ...]:
            from gossamer.stores.duckdb.vector_search import nearest

            return nearest(connection, asked, count, site)

        return await self._database.read(look)

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages (default view), newest first."""
        return await self._database.read(lambda connection: newest(connection, count))

    async def versions(self, url: str, view: str = "") -> tuple[Version, ...]:
        """The texts of an address, newest first."""
        return await self._database.read(lambda connection: versions(connection, url, view))

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        return await self._database.write(lambda connection: pages.remove(connection, url))

    async def reserve(self, op: str, *, provider: str, day: str, amount: int, cap: int, ttl_s: float) -> bool:
        """Set `amount` aside for one attempt if the day's sum stays within `cap`."""
        check_amount(amount)
        now = self._clock.now()
        entry = Spending(op=op, provider=provider, day=day, amount=amount, until=now + ttl_s)
        return await self._database.write(lambda connection: ledger.reserve(connection, entry, cap, now))

    async def settle(self, op: str, amount: int) -> None:
        """Put what an attempt did cost in place of what was set aside."""
        check_amount(amount)
        await self._database.write(lambda connection: ledger.settle(connection, op, amount))

    async def spent(self, provider: str, day: str) -> int:
        """What a day has cost so far, with what is set aside."""
        now = self._clock.now()
        return await self._database.read(lambda connection: ledger.spent(connection, provider, day, now))

    async def stats(self) -> Stats:
        """How much is kept."""
        return await self._database.read(eviction.stats)

    async def trim(self, *, most_bytes: int) -> int:
        """Let go of earlier texts, then of whole pages, unused for longest first; a few at a time."""
        if await self._database.read(eviction.size) <= most_bytes:
            return 0
        total = 0
        while gone := await self._database.write(lambda connection: eviction.evict(connection, most_bytes)):
            total += gone
        if total:
            used = await self._database.read(eviction.size)
            await self._database.compact(2 * used + eviction.FREE_BYTES)
        return total

    async def export(self) -> AsyncIterator[Record]:
        """The ledger, then every page of every view, each in a short look of its own."""
        for entry in await self._database.read(ledger.entries):
            yield entry
        after = 0
        while row := await self._database.read(lambda connection, after=after: export.next_record(connection, after)):
            after, record = row
            if record:
                yield record

    async def restore(self, record: Record) -> bool:
        """Keep a record of an export as it is, unless as new a one is there."""
        if isinstance(record, Spending):
            return await self._database.write(lambda connection: ledger.restore(connection, record))
        prepared = await self._database.compute(lambda: prepare(record))
        return await self._database.write(lambda connection: export.restore(connection, prepared), size=prepared.size)

    async def close(self) -> None:
        """Finish what was begun and let go of files."""
        await self._database.close()

    async def _read_whole(self, work: Callable[[Connection], T], url: str, view: str, *, damaged: T) -> T:
        try:
            return await self._database.read(work)
        except DamagedRow:
            _LOG.warning("A kept page was damaged and is forgotten; it will be fetched again.")
        # Failing to forget it changes nothing for the caller: it is found damaged again next time.
        with contextlib.suppress(StoreError):
            await self._database.write(lambda connection: pages.sound(connection, url, view))
        return damaged


def _is_ready(connection: Connection) -> bool:
    return pages.is_ready(connection) and vector_rows.is_ready(connection)


def _make_ready(connection: Connection) -> None:
    for part in (pages, vector_rows):
        if not part.is_ready(connection):
            part.make_ready(connection)


@cache
def schema() -> Schema:
    """The tables of this version, made by the numbered scripts."""
    return Schema(
        migrations=scripts("gossamer.stores.duckdb"),
        tables=pages.NAMES,
        is_ready=_is_ready,
        make_ready=_make_ready,
        salvage=salvage,
        begin_lost=begin_lost,
    )
