"""Pages in one SQLite file, shared by every process on one machine. The default store."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from typing import Self, TypeVar

from gossamer.errors import StoreError
from gossamer.filedb.address import path_of
from gossamer.filedb.processes import Sharer
from gossamer.filedb.sqlite import OPENING_S, PATIENCE_S, Database, Journal, Schema, chosen_journal, journal_of
from gossamer.filedb.sqlite.error_mapping import Unprepared
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.model.records import KeptReply, Record
from gossamer.model.search import Hit
from gossamer.ports import Clock
from gossamer.stores import scripts
from gossamer.stores.shared.file_store import FileStore
from gossamer.stores.shared.salvage import begin_lost
from gossamer.stores.sqlite import eviction, export, pages, vector_rows, word_search
from gossamer.stores.sqlite.integrity_check import check
from gossamer.stores.sqlite.recovery import salvage

_USES = 64
"""Pages whose use is noted with the next write; so many are not left waiting for one."""

T = TypeVar("T")


class SqliteStore(FileStore[Connection]):
    """The store that an address `sqlite:///path` names."""

    _pages, _vectors, _export, _eviction = pages, vector_rows, export, eviction
    _used_at = pages.USED_AT

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database: Database = database  # pyright: ignore[reportIncompatibleVariableOverride] - set only here
        self._clock = clock
        self._uses: dict[tuple[str, str], float] = {}
        self._sharer: Sharer | None = None

    @classmethod
    async def open(cls, address: str, *, clock: Clock) -> Self:
        """Open or create the file that `sqlite:///path` names."""
        return await cls.open_file(path_of(address), clock=clock, opening_s=OPENING_S, journal=journal_of(address))

    @classmethod
    async def open_file(
        cls,
        path: Path,
        *,
        clock: Clock,
        patience_s: float = PATIENCE_S,
        opening_s: float | None = None,
        journal: Journal = "auto",
    ) -> Self:
        """Open or create a file; callers wait at most `patience_s` for other processes."""
        database = await Database.open(
            path, schema(), clock=clock, patience_s=patience_s, opening_s=opening_s, journal=journal
        )
        store = cls(database, clock)
        with contextlib.suppress(StoreError, OSError):
            store._sharer = await database.compute(lambda: Sharer(path))
        return store

    @classmethod
    def remark(cls, address: str) -> str:
        """The processes that use the file, and whether writing is slow there; raises for a damaged file."""
        check(path_of(address))
        _, shared_by = chosen_journal(path_of(address).parent, journal_of(address))
        slow = f"on {shared_by}, where writing is slower" if shared_by else ""
        return ", ".join(filter(None, (super().remark(address), slow)))

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        """Keep a page, its chunks and the reply it was made of in one step, and return it with its version.

        When a newer fetch is there already, that one is returned. The same text without chunks keeps those it has.
        """
        rows, row = await self._encoded(page, chunks, reply)
        self._uses[page.url, page.view] = self._clock.now()
        size = rows.size + (row.size if row else 0)
        return await self._write(lambda connection: pages.save(connection, rows, row), size=size)

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) that hold words of `text`, best first, with the best chunk as snippet."""
        return await self._read_prepared(lambda connection: word_search.find(connection, text, count, site))

    async def nearest(self, asked: Vectors, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) whose chunks are closest to one vector, by its model; `score` is the cosine."""

        def work(connection: Connection) -> tuple[Hit, ...]:
            # It loads NumPy, which only those pay for who search by vectors.
            from gossamer.stores.sqlite.vector_search import nearest

            return nearest(connection, asked, count, site)

        return await self._read_prepared(work)

    async def trim(self, *, most_bytes: int) -> int:
        """Let go of earlier texts, then of whole pages, unused for longest first; a few per turn at the lock."""
        await self._note_uses()
        await self._drop_stale_replies()
        used, free = await self._database.read(eviction.size)
        if used <= most_bytes and free <= eviction.FREE_BYTES:
            return 0
        if await self._database.read(eviction.is_untidy):
            # Left by one who ended: until then what is gone counts as used, and more would go than has to.
            await self._tidy()
        while await self._write(lambda connection: eviction.evict_replies(connection, most_bytes)):
            pass
        total = 0
        while gone := await self._write(lambda connection: eviction.evict_texts(connection, most_bytes)):
            total += gone
        while chars := await self._database.read(lambda connection: eviction.surplus(connection, most_bytes)):
            gone = await self._evict_pages(chars)
            if not gone:
                break
            total += gone
            await self._tidy()
        await self._give_back()
        return total

    async def _evict_pages(self, chars: int) -> int:
        total = 0
        while chars > 0:
            gone, chars = await self._write(lambda connection, chars=chars: eviction.evict_pages(connection, chars))
            if not gone:
                break
            total += gone
        return total

    async def _tidy(self) -> None:
        is_begun = False
        while await self._write(lambda connection, is_begun=is_begun: eviction.tidy(connection, is_begun=is_begun)):
            is_begun = True

    async def _give_back(self) -> None:
        _, free = await self._database.read(eviction.size)
        if free > eviction.FREE_BYTES:
            while await self._write(eviction.give_back):
                pass
            await self._database.checkpoint()

    async def export(self) -> AsyncIterator[Record]:
        """The ledger, then every page of every view, each in a short look of its own."""
        with contextlib.suppress(StoreError):
            await self._note_uses()
        async for record in super().export():
            yield record

    async def close(self) -> None:
        """Finish what was begun and let go of files."""
        if self._sharer:
            self._sharer.close()
        if self._uses:
            self._database.post(self._noting())
        await self._database.close()

    def _use(self, url: str, view: str) -> None:
        """Remember that a page was used; the next write carries it along."""
        self._uses[url, view] = self._clock.now()
        if len(self._uses) >= _USES:
            self._database.post(self._noting())

    async def _note_uses(self) -> None:
        if self._uses:
            await self._database.write(self._noting())

    def _noting(self) -> Callable[[Connection], None]:
        uses, self._uses = self._uses, {}
        return lambda connection: pages.note_uses(connection, uses)

    async def _write(self, work: Callable[[Connection], T], *, size: int = 0) -> T:
        note = self._noting()

        def noted(connection: Connection) -> T:
            result = work(connection)
            note(connection)
            return result

        return await self._database.write(noted, size=size)

    async def _read_prepared(self, work: Callable[[Connection], T]) -> T:
        """Read what is made of the rest; where some of it has to be made first, that is waited for within patience."""
        try:
            return await self._database.read(work)
        except Unprepared:
            await self._database.prepare()
        return await self._database.read(work)


@cache
def schema() -> Schema:
    """The tables of this version, made by the numbered scripts."""
    return Schema(
        name="store",
        migrations=scripts(),
        prepare=lambda connection: pages.prepare(connection) or vector_rows.prepare(connection),
        doubt=word_search.begin,
        salvage=salvage,
        begin_lost=begin_lost,
    )
