"""Where pages are kept: a store is one folder here, and one entry."""

import asyncio
from functools import cache
from importlib import resources
from typing import Protocol

from gossamer.ports import Clock, Store
from gossamer.ports.addresses import Addressed, Entry, class_of

STORES = {
    "memory": Entry("gossamer.stores.memory:MemoryStore", is_lasting=False),
    "sqlite": Entry("gossamer.stores.sqlite.store:SqliteStore", options=frozenset({"journal"})),
    "duckdb": Entry("gossamer.stores.duckdb.store:DuckdbStore", extra="duckdb"),
}
"""The store for each scheme of an address; its driver is imported only when an address asks for it."""


class _StoreClass(Protocol):
    async def open(self, address: str, *, clock: Clock) -> Store: ...


async def open_store(address: str, *, clock: Clock) -> Store:
    """Open the store at an address such as `sqlite:///home/me/store.sqlite` or `memory:`."""
    from gossamer.filedb.wrapper import plain_text_store

    return plain_text_store(await _open(address, clock))


def lazy_store(address: str, *, clock: Clock, most_bytes: int) -> Store:
    """The store at an address as an engine uses it: opened at its first use, and kept within a size."""
    from gossamer.filedb.wrapper import lasting_store

    return lasting_store(lambda: _open(address, clock), clock=clock, most_bytes=most_bytes)


async def _open(address: str, clock: Clock) -> Store:
    # A driver takes a tenth of a second and more to load, which nobody on the event loop should wait for.
    store_type: _StoreClass = await asyncio.to_thread(class_of, STORES, address, "store")
    return await store_type.open(address, clock=clock)


def store_class(address: str) -> type[Addressed]:
    """The class that answers for an address."""
    return class_of(STORES, address, "store")


@cache
def scripts(package: str = "gossamer.stores.sqlite") -> tuple[str, ...]:
    """Those beside a package's modules; the n-th makes schema n of schema n - 1."""
    files = sorted(resources.files(package).joinpath("schema").iterdir(), key=lambda file: file.name)
    return tuple(file.read_text("utf-8") for file in files if file.name.endswith(".sql"))
