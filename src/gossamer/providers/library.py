"""The library: pages that were read before, found again by their words without asking anybody."""

from dataclasses import replace

from gossamer.model.search import Category, Found, Hit, Query
from gossamer.ports import Call, Filter, Store
from gossamer.steps.plain import plain


class Library:
    """A search over the pages in a store; nobody outside sees the query."""

    name: str = "library"
    title: str = "Library"
    filters: frozenset[Filter] = frozenset({"site"})
    categories: frozenset[Category] = frozenset({"general"})

    def __init__(self, store: Store) -> None:
        self._store = store

    async def search(self, query: Query, call: Call) -> Found:  # noqa: ARG002 - a store keeps its own time
        """Kept pages that hold the words of `query`, best first."""
        kept = await self._store.find(query.text, count=query.count, site=query.site or "")
        return Found(hits=tuple(_line(hit) for hit in kept), engines=(self.name,) if kept else ())


def _line(hit: Hit) -> Hit:
    title = plain(hit.title, max_chars=200) or hit.url
    return replace(hit, title=title, snippet=plain(hit.snippet), engine=Library.name)
