"""Chunk and index caches: stored chunks of a page, cut anew where they are too long; pages ready to be ranked."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from gossamer.errors import StoreError
from gossamer.model.page import Chunk, Page, Vectors
from gossamer.ports import Call, Store
from gossamer.steps.retrieval.chunk import chunk, suits
from gossamer.steps.retrieval.index import PageIndex

T = TypeVar("T")
D = TypeVar("D")

LARGE_CHARS = 256 * 1024
"""Ordinary pages are far below; what is done to a text of this length takes a tenth of a second."""


class LargeTextQueue:
    """One large text at a time is cut, given vectors, ranked or kept; smaller ones never wait."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(1)

    @asynccontextmanager
    async def turn(self, chars: int) -> AsyncGenerator[None]:
        """Wait for a turn if a text of this length needs one."""
        if chars <= LARGE_CHARS:
            yield
            return
        async with self._turn:
            yield


async def read_if_possible(reading: Awaitable[T], call: Call, *, lacking: D) -> T | D:
    """What the library says; where it cannot be read, what stands for nothing, and a note that says so."""
    try:
        return await reading
    except StoreError as error:
        call.note_failure("The library could not be read", error)
        return lacking


_LATELY = 4
"""Pages cut last whose chunks are at hand, for who reads what was just fetched; large ones never are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkCache:
    """Cuts pages into chunks of at most so many tokens, each page once."""

    store: Store
    chunk_tokens: int
    _lately: dict[tuple[str, str], tuple[Chunk, ...]] = field(
        init=False, default_factory=dict[tuple[str, str], tuple[Chunk, ...]]
    )

    async def chunks(self, page: Page, call: Call) -> tuple[Chunk, ...]:
        """The chunks of exactly this text; those cut anew take the place of the kept ones, whose vectors go."""
        if at_hand := self._lately.pop((page.url, page.content_hash), ()):
            return at_hand
        kept = await read_if_possible(self.store.chunks(page), call, lacking=())
        if kept and suits(kept, self.chunk_tokens):
            return kept
        made = await self._cut(page)
        if kept and kept != made:
            try:
                await self.store.save(page, made)
            except StoreError as error:
                call.note_failure("The page was not kept as it is cut now", error)
        return made

    async def renewed(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks that the library keeps, cut anew before where they are too large by now; maybe none.

        For who changes the library itself: a store that fails is an error.
        """
        kept = await self.store.chunks(page)
        if not kept or suits(kept, self.chunk_tokens):
            return kept
        made = await self._cut(page)
        if made == kept:
            return kept
        await self.store.save(page, made)
        return await self.store.chunks(page)

    async def cut(self, page: Page) -> tuple[Chunk, ...]:
        """The page cut as it is to be; whoever reads it next gets these very chunks."""
        made = await self._cut(page)
        if len(page.text) <= LARGE_CHARS:
            self._lately[page.url, page.content_hash] = made
        if len(self._lately) > _LATELY:
            self._lately.pop(next(iter(self._lately)))
        return made

    async def known_or_cut(self, page: Page) -> tuple[Chunk, ...]:
        """The same for a page that is about to be kept: nothing is kept here, and a store that fails is an error."""
        kept = await self.store.chunks(page)
        return kept if kept and suits(kept, self.chunk_tokens) else await self.cut(page)

    async def _cut(self, page: Page) -> tuple[Chunk, ...]:
        return await asyncio.to_thread(chunk, page.url, page.text, size=self.chunk_tokens)


MAX_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Indexed:
    """All that ranking needs of a page; without vectors its chunks are ranked by words."""

    index: PageIndex
    vectors: Vectors | None
    version: int = 0
    """Of the page, when its vectors were last given to the library, which keeps those of the newest text."""

    @property
    def nbytes(self) -> int:
        """About what it takes in memory."""
        return self.index.nbytes + (len(self.vectors.data) if self.vectors else 0)


Key = tuple[str, ...]


class Indexes:
    """The indexes used last, together at most `max_bytes`."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[Key, Indexed] = OrderedDict()
        self._bytes = 0

    def get(self, key: Key) -> Indexed | None:
        """What was kept under this name."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Key, indexed: Indexed) -> None:
        """Keep it in place of those not used for longest, of all others if need be; what is larger is not kept."""
        if (before := self._kept.pop(key, None)) is not None:
            self._bytes -= before.nbytes
        if indexed.nbytes > self._max_bytes:
            return
        self._kept[key] = indexed
        self._bytes += indexed.nbytes
        while self._bytes > self._max_bytes:
            self._bytes -= self._kept.popitem(last=False)[1].nbytes
