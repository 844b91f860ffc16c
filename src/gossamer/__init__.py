"""Gossamer: the web for AI agents. The public names, each loaded when it is first used.

async with open_engine() as engine:
    page = await engine.fetch("https://example.org", new_call())
"""

from gossamer.version import __version__

TYPE_CHECKING = False  # typing.TYPE_CHECKING, without importing typing: every start of the command passes here
if TYPE_CHECKING:
    from gossamer.compose import new_call, open_engine
    from gossamer.engine import Engine
    from gossamer.errors import GossamerError, Outcome
    from gossamer.model.answer import Answer, Citation, Reading, Sentence
    from gossamer.model.page import Page, PageInfo, Passage, View
    from gossamer.model.search import Failure, Hit, Query, SearchPage
    from gossamer.ports import Call
    from gossamer.settings.model import Settings

_HOMES = {
    "gossamer.engine": ("Engine",),
    "gossamer.errors": ("GossamerError", "Outcome"),
    "gossamer.model.answer": ("Answer", "Citation", "Reading", "Sentence"),
    "gossamer.model.page": ("Page", "PageInfo", "Passage", "View"),
    "gossamer.model.search": ("Failure", "Hit", "Query", "SearchPage"),
    "gossamer.ports": ("Call",),
    "gossamer.settings.model": ("Settings",),
    "gossamer.compose": ("new_call", "open_engine"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Call",
    "Citation",
    "Engine",
    "Failure",
    "GossamerError",
    "Hit",
    "Outcome",
    "Page",
    "PageInfo",
    "Passage",
    "Query",
    "Reading",
    "SearchPage",
    "Sentence",
    "Settings",
    "View",
    "__version__",
    "new_call",
    "open_engine",
]


def __getattr__(name: str) -> object:
    """Load a public name from the module it lives in."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME_OF[name]), name)
