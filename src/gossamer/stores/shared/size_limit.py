"""A store kept within a size: what is beyond it is evicted in the background, after saves."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any, cast

from gossamer.errors import StoreError
from gossamer.model.page import Chunk, Page
from gossamer.ports import Store
from gossamer.ports.forwarding import Forwarding

_SAVES = 20
"""Saved pages between two looks at the size."""
_LAST_S = 2.0
"""How long closing waits for an eviction: a command that ends at once would else never get to the end of it."""


def size_limited(store: Store, *, most_bytes: int) -> Store:
    """Any store; what outgrows `most_bytes` goes in time."""
    return cast("Store", _SizeLimited(store, most_bytes))


class _SizeLimited(Forwarding):
    def __init__(self, store: Store, most_bytes: int) -> None:
        super().__init__(Store)
        self._store = store
        self._most_bytes = most_bytes
        self._saves = 0
        self._trimming: asyncio.Task[None] | None = None

    def forwarded(self, name: str) -> Callable[..., Any]:
        return getattr(self._store, name)

    async def save(self, page: Page, chunks: Sequence[Chunk]) -> Page:
        saved = await self._store.save(page, chunks)
        self._saves += 1
        if self._saves % _SAVES == 1 and (self._trimming is None or self._trimming.done()):
            self._trimming = asyncio.create_task(self._trim())
        return saved

    async def close(self) -> None:
        if self._trimming is not None:
            await asyncio.wait([self._trimming], timeout=_LAST_S)
            self._trimming.cancel()
            await asyncio.wait([self._trimming])
        await self._store.close()

    async def _trim(self) -> None:
        # The next one to save tries again.
        with contextlib.suppress(StoreError):
            await self._store.trim(most_bytes=self._most_bytes)
