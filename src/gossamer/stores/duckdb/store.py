"""Pages in one DuckDB file, used by the processes of one machine in turn. The extra `duckdb`."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Self

from gossamer.errors import BadSettings
from gossamer.filedb.address import path_of
from gossamer.filedb.processes import count_sharers
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.model.records import KeptReply
from gossamer.model.search import Hit
from gossamer.ports import Clock
from gossamer.stores import scripts
from gossamer.stores.duckdb import eviction, export, pages, vector_rows, word_search
from gossamer.stores.duckdb.database import Database
from gossamer.stores.duckdb.open_file import Connection, Schema
from gossamer.stores.duckdb.recovery import salvage
from gossamer.stores.shared.file_store import FileStore
from gossamer.stores.shared.salvage import begin_lost

_MOST_SHARERS = 5
"""Busy processes that one file serves well: each has to open it for its turn."""


class DuckdbStore(FileStore[Connection]):
    """The store that an address `duckdb:///path` names."""

    _pages, _vectors, _export, _eviction = pages, vector_rows, export, eviction
    _used_at = "used_at"

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database: Database = database  # pyright: ignore[reportIncompatibleVariableOverride] - set only here
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
        """The processes that use the file, and whether they are too many."""
        if count_sharers(path_of(address)) <= _MOST_SHARERS:
            return super().remark(address)
        slow = f"in turn: beyond {_MOST_SHARERS} busy ones it is slow, and a sqlite:/// store serves more"
        return f"{super().remark(address)}, {slow}"

    async def save(self, page: Page, chunks: Sequence[Chunk], reply: KeptReply | None = None) -> Page:
        """Keep a page, its chunks and the reply it was made of in one step, and return it with its version.

        When a newer fetch is there already, that one is returned. The same text without chunks keeps those it has.
        """
        rows, row = await self._encoded(page, chunks, reply)
        now = self._clock.now()
        size = rows.size + (row.size if row else 0)
        return await self._database.write(lambda connection: pages.save(connection, rows, now, row), size=size)

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) that hold words of `text`, best first, with the best chunk as snippet."""
        return await self._database.read(lambda connection: word_search.find(connection, text, count, site))

    async def nearest(self, asked: Vectors, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) whose chunks are closest to one vector, by its model; `score` is the cosine."""

        def look(connection: Connection) -> tuple[Hit, ...]:
            from gossamer.stores.duckdb.vector_search import nearest

            return nearest(connection, asked, count, site)

        return await self._database.read(look)

    async def trim(self, *, most_bytes: int) -> int:
        """Let go of earlier texts, then of whole pages, unused for longest first; a few at a time."""
        await self._drop_stale_replies()
        if await self._database.read(eviction.size) <= most_bytes:
            return 0
        total, replies = 0, 0
        while gone := await self._database.write(lambda connection: eviction.evict_replies(connection, most_bytes)):
            replies += gone
        while gone := await self._database.write(lambda connection: eviction.evict(connection, most_bytes)):
            total += gone
        if total or replies:
            used = await self._database.read(eviction.size)
            await self._database.compact(2 * used + eviction.FREE_BYTES)
        return total

    async def close(self) -> None:
        """Finish what was begun and let go of files."""
        await self._database.close()

    def _use(self, url: str, view: str) -> None:
        now = self._clock.now()
        self._database.post(lambda connection: eviction.note_use(connection, url, view, now))


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
