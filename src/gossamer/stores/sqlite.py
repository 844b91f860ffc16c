"""Pages in one SQLite file, shared by every process on one machine. The default store."""

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from sqlite3 import Connection
from typing import Self, TypeVar

from gossamer.errors import StoreError
from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.search import Hit
from gossamer.ports import Clock
from gossamer.sqlite import Database, Schema, path_of
from gossamer.stores import packed, tables
from gossamer.stores.finding import find
from gossamer.stores.rows import DamagedRow, encode

_LOG = logging.getLogger("gossamer")

T = TypeVar("T")


class SqliteStore:
    """A page is committed when `save` returns; kill -9 at any moment loses nothing that was."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open(cls, address: str, *, clock: Clock) -> Self:
        """Open or create the file that `sqlite:///path` names."""
        return await cls.open_file(path_of(address), clock=clock)

    @classmethod
    async def open_file(cls, path: Path, *, clock: Clock, patience_s: float = 10.0) -> Self:
        """Open or create a file; callers wait at most `patience_s` for other processes."""
        return cls(await Database.open(path, schema(), clock=clock, patience_s=patience_s))

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or the snapshot with this hash (its beginning will do).

        A page that is not what was written is forgotten, and reported as none, so that it is fetched again.
        """
        return await self._read_whole(lambda it: tables.load(it, url, view, content_hash), url, view, damaged=None)

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        """Keep a page and its chunks in one step, and return it with its version.

        When a newer fetch is there already, that one is returned. The same text without chunks keeps those it has.
        """
        rows = await self._database.compute(lambda: encode(page, chunks))
        return await self._database.write(lambda it: tables.save(it, rows))

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        return await self._read_whole(lambda it: tables.load_chunks(it, page), page.url, page.view, damaged=())

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        return await self._database.read(lambda it: packed.load(it, page, model))

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks; ignored when the page has another text or other chunks by now."""
        await self._database.write(lambda it: packed.put(it, page, vectors))

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        """What was last kept for this address by this model, whatever its text was; else by another model."""
        return await self._database.read(lambda it: packed.former(it, page, model))

    async def models(self) -> Mapping[str, int]:
        """The models whose vectors are kept, each with its dimension."""
        return await self._database.read(packed.models)

    async def forget_vectors(self, model: str) -> None:
        """Let go of all vectors of a model, and of its dimension."""
        await self._database.write(lambda it: packed.forget(it, model))

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages (default view) that hold words of `text`, best first, with the best chunk as snippet."""
        return await self._database.read(lambda it: find(it, text, count, site))

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages (default view), newest first."""
        return await self._database.read(lambda it: tables.newest(it, count))

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        return await self._database.write(lambda it: tables.remove(it, url))

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
            await self._database.write(lambda it: tables.sound(it, url, view))
        return damaged


@cache
def schema() -> Schema:
    """The tables of this version, made by the numbered scripts."""
    scripts = sorted(resources.files("gossamer.stores").joinpath("schema").iterdir(), key=lambda file: file.name)
    migrations = tuple(file.read_text("utf-8") for file in scripts if file.name.endswith(".sql"))
    return Schema(name="store", migrations=migrations, ready=tables.ready)
