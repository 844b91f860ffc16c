"""Which tools there are, by contract, and which of them a list of names publishes."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gossamer.contracts.contract import Contract, Tool
from gossamer.errors import UnknownName

ALL = "all"


def without_dots(name: str) -> str:
    """The spelling of a tool's name for clients that allow no dot; equal for both spellings of one tool."""
    return name.replace(".", "-")


class Contracts(Mapping[str, Contract]):
    """Contracts by name, each imported when it is asked for: most servers publish one."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules

    def __getitem__(self, name: str) -> Contract:
        return importlib.import_module(self._modules[name]).CONTRACT

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


@dataclass(frozen=True, kw_only=True, slots=True)
class Registry:
    """Every tool by name; a contract is loaded only when a tool of it is chosen."""

    names: Mapping[str, tuple[str, ...]]
    """The tools of each contract."""
    contracts: Mapping[str, Contract]

    def choose(
        self, names: Sequence[str], *, without: frozenset[str] = frozenset(), dotless: bool = False
    ) -> tuple[Tool, ...]:
        """The tools of a list of contract and tool names (`all`: every one), in the order named, each once.

        Tools that need what is `without` are left out. Both spellings of a name are understood; `dotless` says
        which one is published.
        """
        members = dict.fromkeys(name for asked in names for name in self._members(asked))
        kept = [tool for name in members if not (tool := self._tool(name)).needs & without]
        return tuple(replace(tool, published=without_dots(tool.name) if dotless else tool.name) for tool in kept)

    def _tool(self, name: str) -> Tool:
        owner = next(contract for contract, names in self.names.items() if name in names)
        return next(tool for tool in self.contracts[owner].tools if tool.name == name)

    def _members(self, asked: str) -> tuple[str, ...]:
        """The tools that one name of a list stands for."""
        every = tuple(name for names in self.names.values() for name in names)
        if asked == ALL:
            return every
        if asked in self.names:
            return self.names[asked]
        spelt = {without_dots(name): name for name in every}
        if name := spelt.get(without_dots(asked)):
            return (name,)
        known = [*self.names, *every, ALL]
        import difflib

        near = difflib.get_close_matches(asked, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(known)}."
        raise UnknownName(f"There is no contract or tool named {asked!r}.", hint=hint)


def find_tool(name: str, tools: Mapping[str, Tool]) -> Tool | None:
    """The tool that a client means, in either spelling."""
    spelt = without_dots(name)
    return tools.get(name) or next((tool for tool in tools.values() if without_dots(tool.name) == spelt), None)
