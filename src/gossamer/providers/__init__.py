"""Search engines, one file each; `library` is the one that looks into our own pages."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from gossamer.ports import Provider

_CLASSES = {
    "searxng": "SearXNG",
    "brave": "Brave",
    "duckduckgo": "DuckDuckGo",
    "openai": "OpenAI",
    "google": "Google",
    "bing": "Bing",
    "tavily": "Tavily",
    "exa": "Exa",
    "serper": "Serper",
    "kagi": "Kagi",
    "jina": "Jina",
    "perplexity": "Perplexity",
    "firecrawl": "Firecrawl",
    "you": "You",
    "mojeek": "Mojeek",
    "marginalia": "Marginalia",
    "wikipedia": "Wikipedia",
    "stackexchange": "StackExchange",
    "github": "GitHub",
    "arxiv": "Arxiv",
    "crossref": "Crossref",
    "semantic_scholar": "SemanticScholar",
    "openalex": "OpenAlex",
    "hackernews": "HackerNews",
}
"""File -> class. This line and a recorded case make a new file a provider: docs/adding-a-provider.md."""


class _Providers(Mapping[str, type[Provider]]):
    """Names are known at once; a file is loaded when its provider is looked at, and not at the start of a server."""

    def __getitem__(self, name: str) -> type[Provider]:
        made = _CLASSES[name]
        return getattr(import_module(f"{__name__}.{name}"), made)

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


PROVIDERS: Mapping[str, type[Provider]] = _Providers()
"""Every provider by its name, in the order in which they are listed to people."""
