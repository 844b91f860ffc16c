"""Which providers suit a query, and in which order they are asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gossamer.model.search import Query


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """What the plan knows of a provider or source."""

    name: str
    filters: frozenset[str]
    categories: frozenset[str]
    is_general: bool
    """Searches the whole web."""
    is_own: bool
    """The operator pays for it or runs it."""
    is_ready: bool


def plan(query: Query, candidates: Sequence[Candidate], *, wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Name the ready candidates to ask, one after the other until one finds something.

    A list of the caller or operator limits and orders them. Without one, those that search the whole web come first,
    the operator's own before those that are free to all; then one-site sources, unless the query names a site or a
    category that they cannot apply; and last those for whom the category means nothing.
    """
    ready: Mapping[str, Candidate] = {c.name: c for c in candidates if c.is_ready}
    if wanted:
        return tuple(name for name in dict.fromkeys(wanted) if name in ready)
    able = [c for c in ready.values() if query.category in c.categories]
    general = sorted((c for c in able if c.is_general), key=lambda c: not c.is_own)
    narrow = [c for c in able if not c.is_general and (query.site is None or "site" in c.filters)]
    others = [c for c in ready.values() if c.is_general and query.category not in c.categories]
    return tuple(c.name for c in (*general, *narrow, *others))


def unmet_filters(query: Query, asked: Candidate) -> tuple[str, ...]:
    """The filters of a query that a candidate cannot apply, for the note."""
    able = asked.filters | ({"category"} if query.category in asked.categories else set[str]())
    return tuple(sorted(query.filters() - able))
