"""Where pages are kept."""

from importlib import import_module
from typing import Protocol

from gossamer.errors import UnknownName
from gossamer.ports import Clock, Store

STORES = {
    "memory": "gossamer.stores.memory:MemoryStore",
    "sqlite": "gossamer.stores.sqlite:SqliteStore",
}
"""Where the store for each kind of address is found; its driver is imported only when the address asks for it."""


class _Kind(Protocol):
    async def open(self, address: str, *, clock: Clock) -> Store: ...


async def open_store(address: str, *, clock: Clock) -> Store:
    """Open the store at an address such as `sqlite:///home/me/store.sqlite` or `memory:`."""
    module, _, name = place_of(address).partition(":")
    kind: _Kind = getattr(import_module(module), name)
    return await kind.open(address, clock=clock)


def place_of(address: str) -> str:
    """Where the store for an address is found, or an error that names the kinds there are."""
    scheme = address.partition(":")[0]
    if scheme not in STORES:
        # An address may hold a password, so none of it is repeated.
        kinds = ", ".join(f"{name}:" for name in STORES)
        raise UnknownName("There is no store for this kind of address.", hint=f"Begin it with one of {kinds}.")
    return STORES[scheme]
