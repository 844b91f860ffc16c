"""What the tools look like from outside: translate and render, nothing cleverer."""

from gossamer.contracts import core, websearch
from gossamer.contracts.contract import Contract
from gossamer.contracts.guide import instructions
from gossamer.contracts.registry import Registry, find_tool
from gossamer.contracts.words import LANGUAGES, Spoken

CONTRACTS: dict[str, Contract] = {one.name: one for one in (core.CONTRACT, websearch.CONTRACT)}
"""The contracts of this version."""
REGISTRY = Registry(
    names={
        "core": ("web_search", "web_fetch", "web_read", "web_answer"),
        "websearch": ("WebSearch", "WebFetch"),
        "google": ("web.search", "web.readFromPage"),
        "openai": ("search_web",),
        "o3": ("chatgpt_o3_search",),
    },
    contracts=CONTRACTS,
)
choose_tools = REGISTRY.choose
unbuilt = REGISTRY.unbuilt

__all__ = [
    "CONTRACTS",
    "LANGUAGES",
    "REGISTRY",
    "Registry",
    "Spoken",
    "choose_tools",
    "find_tool",
    "instructions",
    "unbuilt",
]
