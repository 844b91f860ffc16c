"""Small shared records with expiry."""

from importlib import import_module
from typing import Protocol

from gossamer.errors import UnknownName
from gossamer.ports import Clock, State

STATES = {
    "memory": "gossamer.states.memory:MemoryState",
    "sqlite": "gossamer.states.sqlite:SqliteState",
}
"""Where the state for each kind of address is found; its driver is imported only when the address asks for it."""


class _Kind(Protocol):
    async def open(self, address: str, *, clock: Clock) -> State: ...


async def open_state(address: str, *, clock: Clock) -> State:
    """Open the state at an address such as `sqlite:///home/me/state.sqlite` or `memory:`."""
    module, _, name = place_of(address).partition(":")
    kind: _Kind = getattr(import_module(module), name)
    return await kind.open(address, clock=clock)


def place_of(address: str) -> str:
    """Where the state for an address is found, or an error that names the kinds there are."""
    scheme = address.partition(":")[0]
    if scheme not in STATES:
        # An address may hold a password, so none of it is repeated.
        kinds = ", ".join(f"{name}:" for name in STATES)
        raise UnknownName("There is no state for this kind of address.", hint=f"Begin it with one of {kinds}.")
    return STATES[scheme]
