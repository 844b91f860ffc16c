"""What the tools look like from outside: translate and render, nothing cleverer.

A contract is a folder: `__init__` says what it is, `settings` what its operator may set, `policy` by which deadlines,
retries and limits it asks, `errors` how it tells a failure. The folder and its line here are all that it takes.
"""

from gossamer.contracts.contract import Registry, find_tool, instructions, registry_of
from gossamer.contracts.i18n import LANGUAGES, Spoken

REGISTRY = registry_of(
    "gossamer.contracts.core",
    "gossamer.contracts.verify",
    "gossamer.contracts.websearch",
    "gossamer.contracts.google",
    "gossamer.contracts.openai",
    "gossamer.contracts.o3",
)
CONTRACTS = REGISTRY.contracts
choose_tools = REGISTRY.choose

__all__ = [
    "CONTRACTS",
    "LANGUAGES",
    "REGISTRY",
    "Registry",
    "Spoken",
    "choose_tools",
    "find_tool",
    "instructions",
]
