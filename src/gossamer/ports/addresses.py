"""Addresses of stores and states: each belongs to the class that its scheme names, and nothing else reads one."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gossamer.errors import BadSettings, UnknownName


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a scheme before its class and its driver are loaded."""

    place: str
    """The class, as `module:Class`."""
    extra: str = ""
    """The driver's module beyond the core installation; the extra has the same name."""
    is_lasting: bool = True
    """Whether what is kept outlives the process."""
    options: frozenset[str] = frozenset()
    """What an address may say behind a question mark."""


class Addressed:
    """What a store or state class answers for its own addresses; these are the answers of one behind a server."""

    @classmethod
    def exists(cls, address: str) -> bool:  # noqa: ARG003  a server makes what is missing by itself
        """Whether there is something to look at, so that looking need not make it."""
        return True

    @classmethod
    def free_bytes(cls, address: str) -> int | None:  # noqa: ARG003
        """The space that is left there; None where that is unknown."""
        return None

    @classmethod
    def remark(cls, address: str) -> str:  # noqa: ARG003
        """What `doctor` says of it beyond its size: who uses it, what makes it slow. Damage is a `StoreDamaged`."""
        return ""

    @classmethod
    def is_recovering(cls, address: str) -> bool:  # noqa: ARG003
        """Whether pages of a damaged store that was at this address are still to be taken over."""
        return False

    @classmethod
    def moved_aside(cls, address: str) -> frozenset[Path]:  # noqa: ARG003
        """The files that were moved away from this address, since they were damaged or of a newer Gossamer."""
        return frozenset()


def entry_of(entries: Mapping[str, Entry], address: str, noun: str) -> Entry:
    """The entry for an address, or an error that names the schemes there are, or the driver that is missing."""
    entry = entries.get(address.partition(":")[0])
    if entry is None:
        # An address may hold a password, so none of it is repeated.
        schemes = ", ".join(f"{scheme}:" for scheme in entries)
        raise UnknownName(f"There is no {noun} for this kind of address.", hint=f"Begin it with one of {schemes}.")
    if entry.extra and find_spec(entry.extra) is None:
        raise BadSettings(
            f"The {noun} is kept by {entry.extra}, which is not installed.",
            hint=f'Install it: pip install "gossamer[{entry.extra}]".',
        )
    return entry


def with_option(entries: Mapping[str, Entry], address: str, option: str, value: str) -> str:
    """An address that says this too, where its class takes the option and the address does not name it by itself."""
    entry = entries.get(address.partition(":")[0])
    is_meant = entry is not None and option in entry.options and f"?{option}=" not in address
    return f"{address}?{option}={value}" if is_meant else address


def class_of(entries: Mapping[str, Entry], address: str, noun: str) -> Any:
    """The class that an address belongs to, an `Addressed` that can be opened; its driver is loaded with it."""
    module, _, name = entry_of(entries, address, noun).place.partition(":")
    return getattr(import_module(module), name)


def is_lasting(entries: Mapping[str, Entry], address: str) -> bool:
    """Whether what is kept at an address outlives the process; an unknown address counts as lasting."""
    entry = entries.get(address.partition(":")[0])
    return entry is None or entry.is_lasting
