"""Search engines, one file each; `library` is the one that looks into our own pages."""

from importlib import import_module

from gossamer.ports import Provider

_CLASSES = {
    "searxng": "SearXNG",
    "wikipedia": "Wikipedia",
}
"""File -> class. This line and a recorded case make a new file a provider: docs/adding-a-provider.md."""

PROVIDERS: dict[str, type[Provider]] = {
    name: getattr(import_module(f"{__name__}.{name}"), made) for name, made in _CLASSES.items()
}
"""Every provider by its name, in the order in which they are listed to people."""
