"""A store that gets over a bad day, and keeps within its size."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from gossamer.errors import StoreError
from gossamer.model.kept import Record, Stats, Version
from gossamer.model.page import Chunk, FormerVectors, Listed, Page, Vectors
from gossamer.model.search import Hit
from gossamer.ports import Clock, Store
from gossamer.sqlite.lasting import Lasting

_SAVES = 20
"""Saved pages between two looks at the size."""
_LAST_S = 2.0
"""How long closing waits for what goes: a command that ends at once would else never get to the end of it."""


class LastingStore:
    """Any store, opened at its first use and again when it has to be; what outgrows `most_bytes` goes in time."""

    def __init__(self, open_store: Callable[[], Awaitable[Store]], *, clock: Clock, most_bytes: int) -> None:
        self._lasting = Lasting(open_store, clock=clock)
        self._most_bytes = most_bytes
        self._saves = 0
        self._trimming: asyncio.Task[None] | None = None

    async def page(self, url: str, view: str = "", *, content_hash: str = "") -> Page | None:
        """The newest text of an address in a view, or exactly the snapshot with this hash."""
        return await self._lasting.use(lambda it: it.page(url, view, content_hash=content_hash))

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        """Keep a page and its chunks in one step, and return it with its version."""
        saved = await self._lasting.use(lambda it: it.save(page, chunks))
        self._saves += 1
        if self._saves % _SAVES == 1 and (self._trimming is None or self._trimming.done()):
            self._trimming = asyncio.create_task(self._trim())
        return saved

    async def chunks(self, page: Page) -> tuple[Chunk, ...]:
        """The chunks kept with exactly this text, in page order; empty when there are none."""
        return await self._lasting.use(lambda it: it.chunks(page))

    async def vectors(self, page: Page, model: str) -> Vectors | None:
        """The vectors of exactly this text by this model."""
        return await self._lasting.use(lambda it: it.vectors(page, model))

    async def save_vectors(self, page: Page, vectors: Vectors) -> None:
        """Keep the vectors of a page's chunks."""
        await self._lasting.use(lambda it: it.save_vectors(page, vectors))

    async def former_vectors(self, page: Page, model: str) -> FormerVectors | None:
        """What was last kept for this address by this model, whatever its text was; else by another model."""
        return await self._lasting.use(lambda it: it.former_vectors(page, model))

    async def models(self) -> Mapping[str, int]:
        """The models whose vectors are kept, each with its dimension."""
        return await self._lasting.use(lambda it: it.models())

    async def forget_vectors(self, model: str) -> None:
        """Let go of all vectors of a model, and of its dimension."""
        await self._lasting.use(lambda it: it.forget_vectors(model))

    async def find(self, text: str, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages that hold the words of `text`, best first."""
        return await self._lasting.use(lambda it: it.find(text, count=count, site=site))

    async def nearest(self, asked: Vectors, *, count: int, site: str = "") -> tuple[Hit, ...]:
        """Kept pages whose chunks are closest to one vector, by its model."""
        return await self._lasting.use(lambda it: it.nearest(asked, count=count, site=site))

    async def pages(self, *, count: int) -> tuple[Listed, ...]:
        """Kept pages, newest first."""
        return await self._lasting.use(lambda it: it.pages(count=count))

    async def versions(self, url: str, view: str = "") -> tuple[Version, ...]:
        """The texts of an address, newest first."""
        return await self._lasting.use(lambda it: it.versions(url, view))

    async def remove(self, url: str) -> bool:
        """Forget an address in every view and version."""
        return await self._lasting.use(lambda it: it.remove(url))

    async def reserve(self, op: str, *, provider: str, day: str, amount: int, cap: int, ttl_s: float) -> bool:
        """Set `amount` aside for one attempt if the day's sum stays within `cap`."""
        return await self._lasting.use(
            lambda it: it.reserve(op, provider=provider, day=day, amount=amount, cap=cap, ttl_s=ttl_s)
        )

    async def settle(self, op: str, amount: int) -> None:
        """Put what an attempt did cost in place of what was set aside."""
        await self._lasting.use(lambda it: it.settle(op, amount))

    async def spent(self, provider: str, day: str) -> int:
        """What a day has cost so far, with what is set aside."""
        return await self._lasting.use(lambda it: it.spent(provider, day))

    async def stats(self) -> Stats:
        """How much is kept."""
        return await self._lasting.use(lambda it: it.stats())

    async def trim(self, *, most_bytes: int) -> int:
        """Let go of the least useful until at most `most_bytes` are used."""
        return await self._lasting.use(lambda it: it.trim(most_bytes=most_bytes))

    async def export(self) -> AsyncIterator[Record]:
        """The ledger, then every page of every view."""
        async for record in await self._lasting.use(_export):
            yield record

    async def restore(self, record: Record) -> bool:
        """Keep a record of an export as it is."""
        return await self._lasting.use(lambda it: it.restore(record))

    async def close(self) -> None:
        """Finish what was begun and let go of files."""
        if self._trimming is not None:
            await asyncio.wait([self._trimming], timeout=_LAST_S)
            self._trimming.cancel()
            await asyncio.wait([self._trimming])
        await self._lasting.close()

    async def _trim(self) -> None:
        # The next one to save tries again.
        with contextlib.suppress(StoreError):
            await self.trim(most_bytes=self._most_bytes)


async def _export(store: Store) -> AsyncIterator[Record]:
    return store.export()
