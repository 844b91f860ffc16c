"""What the tools look like from outside: translate and render, nothing cleverer."""

import difflib
from collections.abc import Sequence

from gossamer.contracts import core
from gossamer.contracts.contract import Contract, Tool
from gossamer.errors import UnknownName

CONTRACTS: dict[str, Contract] = {core.CONTRACT.name: core.CONTRACT}
INSTRUCTIONS = core.INSTRUCTIONS


def choose_tools(names: Sequence[str], *, without: frozenset[str] = frozenset()) -> tuple[Tool, ...]:
    """The tools of a list of contract and tool names (`all`: every tool), less those that need what is `without`."""
    every = {tool.name: tool for contract in CONTRACTS.values() for tool in contract.tools}
    chosen: dict[str, Tool] = {}
    for name in names:
        if name == "all":
            chosen |= every
        elif name in CONTRACTS:
            chosen |= {tool.name: tool for tool in CONTRACTS[name].tools}
        elif name in every:
            chosen[name] = every[name]
        else:
            known = [*CONTRACTS, *every, "all"]
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(known)}."
            raise UnknownName(f"There is no contract or tool named {name!r}.", hint=hint)
    return tuple(tool for tool in chosen.values() if not tool.needs & without)
