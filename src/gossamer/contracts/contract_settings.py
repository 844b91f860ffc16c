"""What a contract's settings are, and what its policy is made of: its own blocks, and what holds for every call."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from gossamer.setting_types import Section

B = TypeVar("B", bound="ContractSettings")
Tables = Mapping[str, Mapping[str, Any]]
"""The settings of each provider by its name, as written."""


class ContractSettings(Section):
    """A block of settings under the names of a specification: `[o3]` in the file, `GOSSAMER_O3__…` outside it.

    A contract names its blocks in `Contract.settings`, in its `__init__.py`; `BLOCKS` in `settings/model.py` picks them
    up from there.
    """

    usual: ClassVar[Mapping[str, str]] = {}
    """Variables that people use already, and the field that each sets."""
    unused: ClassVar[frozenset[str]] = frozenset()
    """Names that a block written for another server of the specification may hold, and that set nothing here."""
    by_variable: ClassVar[frozenset[str]] = frozenset()
    """Fields whose specification writes the value as the name of a variable, `${NAME}`."""

    def lend(self, tables: Tables) -> Tables:
        """The tables of the providers, with the key that this block holds for one of them."""
        return tables

    def check(self, providers: Collection[str]) -> None:
        """Raise for a value that only the part it is for can judge; `providers` are the names of all there are."""

    @property
    def embeddings_at_once(self) -> int | None:
        """How many requests to the embedding server may run at once, where the specification bounds them."""
        return None


class ContractBlocks(Protocol):
    """The settings, as far as a contract sees them."""

    def block(self, kind: type[B]) -> B:
        """The contract's own block of this kind."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Defaults:
    """What holds for every call, where a contract's own settings say nothing else."""

    search_timeout_s: float = 30.0
    search_cache_s: float = 3600.0
    page_timeout_s: float = 20.0
    read_timeout_s: float = 30.0
    answer_timeout_s: float = 60.0
    fetches_at_once: int = 5
    may_fetch: bool = True
    """Whether a search may open the pages that it found."""
    robots: Literal["respect", "ignore"] = "respect"
    user_agent: str = ""
    providers: Tables = field(default_factory=dict[str, dict[str, Any]])
