"""Queue for large texts, so that several at once slow down one another and nobody else."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

LARGE_CHARS = 256 * 1024
"""Ordinary pages are far below; what is done to a text of this length takes a tenth of a second."""


class Large:
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
