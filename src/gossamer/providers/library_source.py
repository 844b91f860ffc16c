"""The library as a provider: full-text search over pages read before, without a request."""

from dataclasses import replace

from gossamer.model.search import Category, Found, Hit, Query
from gossamer.ports import Call, Filter, Store, Terms
from gossamer.steps.text.clean_line import plain


class Library:
    """Full-text search over the pages in a store; the query stays on this machine."""

    name: str = "library"
    title: str = "Library"
    filters: frozenset[Filter] = frozenset({"site"})
    categories: frozenset[Category] = frozenset({"general"})
    terms: Terms = Terms(limits="what was read before", privacy="nobody else sees the query")
    timeout_s: float | None = None

    def __init__(self, store: Store) -> None:
        self._store = store

    def instance(self, query: Query) -> str:  # noqa: ARG002 - it is where everything is kept
        """It has no address: it is here."""
        return self.name

    async def search(self, query: Query, call: Call) -> Found:  # noqa: ARG002 - a store keeps its own time
        """Kept pages that hold the words of `query`, best first."""
        kept = await self._store.find(query.text, count=query.count, site=query.site or "")
        return Found(hits=tuple(_line(hit) for hit in kept), engines=(self.name,) if kept else ())


def _line(hit: Hit) -> Hit:
    title = plain(hit.title, max_chars=200) or hit.url
    return replace(hit, title=title, snippet=plain(hit.snippet), engine=Library.name)
