"""A library that was found damaged: commands wait for its pages, and show nobody a part of them as if it were all."""

import asyncio
import math

from gossamer.compose import open_shelf
from gossamer.engine.library import LibraryAccess
from gossamer.errors import StoreUnavailable
from gossamer.ports import Call
from gossamer.settings.model import Settings
from gossamer.stores import store_class

_LOOK_S = 0.1
_STILL_S = 10.0
"""Where no page has come for so long none may ever come: the disk is full, or who takes them over was stopped."""


async def is_whole(shelf: LibraryAccess, settings: Settings, call: Call, *, within_s: float = math.inf) -> bool:
    """Wait for the pages of a damaged library as long as they come, `within_s` at most; tell whether all are here."""
    address = settings.store_address
    kind = store_class(address)
    count, came_at = -1, call.clock.monotonic()
    until = came_at + within_s
    while kind.is_recovering(address) and shelf.store:
        found, now = (await shelf.store.stats()).pages, call.clock.monotonic()
        if found != count:
            count, came_at = found, now
            await call.progress(count, None, f"{count} pages of a damaged library are taken over")
        if now >= min(until, came_at + _STILL_S):
            return False
        await asyncio.sleep(_LOOK_S)
    return not kind.is_recovering(address)


async def must_be_whole(settings: Settings, call: Call) -> None:
    """Wait until all pages of a damaged library are here, for work that would pass by those that are not."""
    async with open_shelf(settings, clock=call.clock) as shelf:
        if not await is_whole(shelf, settings, call):
            raise partial()


def partial() -> StoreUnavailable:
    """What somebody is told who was, or would have been, given a part for all."""
    return StoreUnavailable(
        "Not all pages of a damaged library had been taken over yet.",
        hint="Run the command again in a moment: it goes on with them.",
    )
