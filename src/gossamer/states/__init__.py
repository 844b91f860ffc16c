"""Small shared records with expiry: a state is one file here, and one entry."""

from typing import Protocol

from gossamer.ports import Clock, State
from gossamer.ports.addresses import Addressed, Entry, class_of

STATES = {
    "memory": Entry("gossamer.states.memory:MemoryState", is_lasting=False),
    "sqlite": Entry("gossamer.states.sqlite:SqliteState", options=frozenset({"journal"})),
}
"""The state for each scheme of an address; its driver is imported only when an address asks for it."""


class _StateClass(Protocol):
    async def open(self, address: str, *, clock: Clock) -> State: ...


async def open_state(address: str, *, clock: Clock) -> State:
    """Open the state at an address such as `sqlite:///home/me/state.sqlite` or `memory:`."""
    opened_by: _StateClass = class_of(STATES, address, "state")
    return await opened_by.open(address, clock=clock)


def state_class(address: str) -> type[Addressed]:
    """The class that answers for an address."""
    return class_of(STATES, address, "state")
