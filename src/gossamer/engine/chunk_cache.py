"""Chunk cache: the stored chunks of a page, cut anew where the chunk size has become smaller."""

import asyncio
from dataclasses import dataclass, field

from gossamer.engine.large import LARGE_CHARS
from gossamer.errors import StoreError
from gossamer.model.page import Chunk, Page
from gossamer.ports import Call, Store
from gossamer.steps.retrieval.chunk import chunk, suits

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
        try:
            kept = await self.store.chunks(page)
        except StoreError as error:
            call.note_failure("The library could not be read", error)
            kept = ()
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
