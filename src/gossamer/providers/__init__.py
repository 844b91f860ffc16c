"""Search engines, one file each; `library` is the one that looks into our own pages."""

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

PROVIDERS: dict[str, type[Provider]] = {
    name: getattr(import_module(f"{__name__}.{name}"), made) for name, made in _CLASSES.items()
}
"""Every provider by its name, in the order in which they are listed to people."""
