"""What the tools look like from outside: translate and render, nothing cleverer."""

from gossamer.contracts.i18n import LANGUAGES, Spoken
from gossamer.contracts.instructions import instructions
from gossamer.contracts.registry import Contracts, Registry, find_tool

CONTRACTS = Contracts({name: f"gossamer.contracts.{name}" for name in ("core", "websearch", "google", "openai", "o3")})
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
