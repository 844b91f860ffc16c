"""Where pages are kept."""

import asyncio
import glob
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from gossamer.errors import BadSettings, UnknownName
from gossamer.ports import Clock, Store

STORES = {
    "memory": "gossamer.stores.memory:MemoryStore",
    "sqlite": "gossamer.stores.sqlite:SqliteStore",
    "duckdb": "gossamer.stores.duckdb.store:DuckdbStore",
}
"""Where the store for each kind of address is found; its driver is imported only when the address asks for it."""

EXTRAS = {"duckdb": "duckdb"}
"""The module that a kind of address needs beyond the core installation; the extra has the same name."""


MOST_SHARERS = 5
"""Busy processes that one DuckDB file serves well: each has to open it for its turn."""


class _Kind(Protocol):
    async def open(self, address: str, *, clock: Clock) -> Store: ...


async def open_store(address: str, *, clock: Clock) -> Store:
    """Open the store at an address such as `sqlite:///home/me/store.sqlite` or `memory:`."""
    module, _, name = place_of(address).partition(":")
    # A driver takes a tenth of a second and more to load, which nobody on the event loop should wait for.
    kind: _Kind = getattr(await asyncio.to_thread(import_module, module), name)
    from gossamer.stores.plain import PlainStore

    return PlainStore(await kind.open(address, clock=clock))


def remark(address: str) -> str:
    """What whoever looks after a store should know of the one at an address: who uses it, and what makes it slow.

    A file that is damaged, or its word index, is told as an error: pages would be missed without a word.
    """
    from gossamer.sqlite import chosen_journal, journal_of, path_of
    from gossamer.sqlite.sharers import count_sharers
    from gossamer.stores.checking import check

    if address.startswith("memory:"):
        return ""
    path = path_of(address)
    count = count_sharers(path)
    remarks = [f"used by {count} process{'es' if count > 1 else ''}" if count else ""]
    if address.startswith("sqlite:"):
        _, shared_by = chosen_journal(path.parent, journal_of(address))
        remarks += [f"on {shared_by}, where writing is slower" if shared_by else ""]
        check(path)
    elif count > MOST_SHARERS:
        remarks += [f"in turn: beyond {MOST_SHARERS} busy ones it is slow, and a sqlite:/// store serves more"]
    return ", ".join(filter(None, remarks))


def is_being_rescued(address: str) -> bool:
    """Whether pages of a damaged store that was at this address are still to be taken over."""
    from gossamer.sqlite import path_of
    from gossamer.sqlite.files import Files

    return not address.startswith("memory:") and bool(Files(path_of(address)).unsaved())


def moved_aside(address: str) -> set[Path]:
    """The files that were moved away from this address, since they were damaged or of a newer Gossamer."""
    from gossamer.sqlite import path_of

    if address.startswith("memory:"):
        return set()
    path = path_of(address)
    return set(path.parent.glob(f"*/{glob.escape(path.name)}"))


def place_of(address: str) -> str:
    """Where the store for an address is found, or an error that names the kinds there are, or what is missing."""
    scheme = address.partition(":")[0]
    if scheme not in STORES:
        # An address may hold a password, so none of it is repeated.
        kinds = ", ".join(f"{name}:" for name in STORES)
        raise UnknownName("There is no store for this kind of address.", hint=f"Begin it with one of {kinds}.")
    extra = EXTRAS.get(scheme)
    if extra and find_spec(extra) is None:
        raise BadSettings(
            f"The store is kept by {extra}, which is not installed.",
            hint=f'Install it: pip install "gossamer[{extra}]".',
        )
    return STORES[scheme]
