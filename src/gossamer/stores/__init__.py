"""Where pages are kept."""

from importlib import import_module
from importlib.util import find_spec
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


class _Kind(Protocol):
    async def open(self, address: str, *, clock: Clock) -> Store: ...


async def open_store(address: str, *, clock: Clock) -> Store:
    """Open the store at an address such as `sqlite:///home/me/store.sqlite` or `memory:`."""
    module, _, name = place_of(address).partition(":")
    kind: _Kind = getattr(import_module(module), name)
    return await kind.open(address, clock=clock)


def remark(address: str) -> str:
    """What whoever looks after a store should know of the one at an address; mostly nothing."""
    from gossamer.sqlite import chosen_journal, journal_of, path_of

    if address.startswith("sqlite:"):
        _, shared_by = chosen_journal(path_of(address).parent, journal_of(address))
        return f"on {shared_by}, where writing is slower" if shared_by else ""
    if not address.startswith("duckdb:"):
        return ""
    from gossamer.stores.duckdb.sharers import remark_on

    return remark_on(path_of(address))


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
