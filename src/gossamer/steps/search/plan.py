"""Provider plan: which providers suit a query, in which order they are asked, and which follows which."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gossamer.model.search import Query

_FREE_ORDER = ("tavily", "you", "firecrawl", "duckduckgo")
"""Services that are free to all, those with an interface of their own before those whose pages are read."""
_CHOOSING = frozenset({"site", "time_range", "region"})
"""Filters for which another provider is worth asking first; the words of a query tell its language anyway."""
_STRICT = 2
"""The level of safe search for which that is so too."""
_THINGS = frozenset({"images", "videos", "map", "music", "files"})
"""Categories in which something else than pages is looked for."""
_AGREED = 2
"""So many searches of the whole web that find nothing are believed."""


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
    is_ours: bool = False
    """Searches our own library: the query leaves this machine for no service."""
    is_slow: bool = False
    """An answer may take longer than a search engine is waited for."""
    usd_per_1000: float = 0.0
    ends: date | None = None
    """The day on which the service is switched off."""

    @property
    def is_free(self) -> bool:
        """Whether a query costs nothing; a service free to all charges nothing without a key."""
        return not self.is_own or not self.usd_per_1000

    def has_ended(self, today: date) -> bool:
        """Whether the service is gone."""
        return self.ends is not None and today >= self.ends


def plan(
    query: Query,
    candidates: Sequence[Candidate],
    *,
    today: date,
    wanted: Sequence[str] = (),
    first: Sequence[str] = (),
) -> tuple[Candidate, ...]:
    """The ready candidates to ask, one after the other until one finds something.

    A list of the caller or operator limits and orders them. Without one, who is to be `first` is, if it is the
    operator's own and knows the category; then come those that search the whole web,
    the operator's own before those that are free to all; then one-site sources, unless the query names a site or a
    category that they cannot apply; then those for whom the category means nothing; and last our own pages. Where
    pictures, films, maps, music or files are looked for, pages are no answer: only who knows them is asked. Among
    equals those come first that can apply more of the filters, then the cheaper. Who is slow comes after those who
    are not, key or no key.
    """
    able_now = [c for c in candidates if c.is_ready and not c.has_ended(today) and knows(query, c)]
    ready: Mapping[str, Candidate] = {c.name: c for c in able_now}
    if wanted:
        return tuple(ready[name] for name in dict.fromkeys(wanted) if name in ready)
    needed = (_CHOOSING | ({"safe_search"} if query.safe_search == _STRICT else set[str]())) & query.filters()
    best_first = sorted(ready.values(), key=lambda c: (c.is_slow, not c.is_own, len(needed - c.filters), _place(c)))
    able = [c for c in best_first if query.category in c.categories]
    general = [c for c in able if c.is_general]
    narrow = [c for c in able if not c.is_general and (query.site is None or "site" in c.filters)]
    others = [c for c in best_first if c.is_general and query.category not in c.categories]
    general.sort(key=lambda c: first.index(c.name) if c.is_own and c.name in first else len(first))
    return (*general, *(c for c in narrow if not c.is_ours), *others, *(c for c in narrow if c.is_ours))


def knows(query: Query, candidate: Candidate) -> bool:
    """Whether what it finds can be an answer: pages are one unless something else is looked for."""
    return query.category not in _THINGS or query.category in candidate.categories


def ended(candidates: Sequence[Candidate], *, today: date, wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Discontinued providers that the settings still name, or have a key for where no list is set."""
    return tuple(c.name for c in candidates if c.has_ended(today) and (c.name in wanted if wanted else c.is_own))


def following(
    query: Query,
    order: Sequence[Candidate],
    asked: Collection[str],
    *,
    empty: Collection[str] = (),
    slow: Collection[str] = (),
) -> Candidate | None:
    """The next provider: after a failure the next in order, after an empty answer only a free one.

    While somebody slow is still thinking, only who costs nothing and looks as far as they do: an early answer from a
    corner of the web is no stand-in. When several who search the whole web found nothing, only our own pages are left.
    """
    left = [c for c in order if c.name not in asked]
    if empty or slow:
        left = [c for c in left if c.is_free]
    thinking = [c for c in order if c.name in slow]
    left = [c for c in left if all(_stands_in(query, c, other) for other in thinking)]
    if sum(c.is_general for c in order if c.name in empty) >= _AGREED:
        left = [c for c in left if c.is_ours]
    return next(iter(left), None)


def _stands_in(query: Query, substitute: Candidate, wanted: Candidate) -> bool:
    """Whether one looks at least as far as the other, and knows the category if the other does."""
    knows, known = query.category in substitute.categories, query.category in wanted.categories
    return not substitute.is_ours and substitute.is_general >= wanted.is_general and knows >= known


def unmet_filters(query: Query, asked: Candidate) -> tuple[str, ...]:
    """The filters of a query that a candidate cannot apply, for the note."""
    able = asked.filters | ({"category"} if query.category in asked.categories else set[str]())
    return tuple(sorted(query.filters() - able))


def _place(candidate: Candidate) -> float:
    """The operator's own by price, the others as we know them."""
    if candidate.is_own:
        return candidate.usd_per_1000
    return _FREE_ORDER.index(candidate.name) if candidate.name in _FREE_ORDER else len(_FREE_ORDER)
