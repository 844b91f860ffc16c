"""Which providers suit a query, and in which order they are asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gossamer.model.search import Query


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """What the plan knows of a provider or source."""

    name: str
    filters: frozenset[str]
    is_general: bool
    """Searches the whole web."""
    is_ready: bool


def plan(query: Query, candidates: Sequence[Candidate], *, wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Name the ready candidates to ask, one after the other until one finds something.

    A list of the caller or operator limits and orders them. Without one, those that search the whole web come
    first; one-site sources are left out where the query names a site or a category that they cannot apply.
    """
    ready: Mapping[str, Candidate] = {c.name: c for c in candidates if c.is_ready}
    if wanted:
        return tuple(name for name in dict.fromkeys(wanted) if name in ready)
    general = [c.name for c in ready.values() if c.is_general]
    narrow = [
        c.name for c in ready.values() if not c.is_general and not (query.filters() & {"site", "category"}) - c.filters
    ]
    return (*general, *narrow)


def unmet_filters(query: Query, asked: Candidate) -> tuple[str, ...]:
    """The filters of a query that a candidate cannot apply, for the note."""
    return tuple(sorted(query.filters() - asked.filters))
