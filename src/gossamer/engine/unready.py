"""Why nobody can be asked, and what to set so that somebody can."""

from collections.abc import Callable, Sequence

from pydantic import SecretStr

from gossamer.errors import InvalidArgument
from gossamer.model.search import Query
from gossamer.ports import Provider, Source
from gossamer.steps.search.plan import Candidate, knows

Variable = Callable[[str, str], str]
"""What sets a field of a provider, by the names of both."""

_NEEDED = ("api_key", "engine_id", "base_url")


def nobody(
    query: Query,
    known: Sequence[Candidate],
    unready: Sequence[Provider | Source],
    *,
    wanted: Sequence[str],
    variable: Variable,
) -> InvalidArgument:
    """What to tell when a plan names nobody; `unready` are those wanted who only lack a setting."""
    if unready:
        titles = " and ".join(part.title for part in unready)
        needs = "; ".join(" and ".join(_missing(part, variable)) for part in unready)
        return InvalidArgument(
            f"No search provider is ready for this query: {titles} cannot be asked without {needs}.",
            hint=f"Set {needs}, or choose another provider; see gossamer doctor.",
        )
    if any(not knows(query, one) for one in known if one.name in wanted or not wanted):
        able = [one.name for one in known if one.is_ready and knows(query, one)]
        way = f"Ask {' or '.join(able)}" if able else "Set SEARXNG_URL to a SearXNG instance, which does"
        return InvalidArgument(
            f"No search provider asked looks for category {query.category!r}.",
            hint=f"{way}, or drop category to search pages.",
        )
    return InvalidArgument(
        "No search provider is ready for this query.",
        hint="Set SEARXNG_URL to a SearXNG instance, or drop site and category; see gossamer doctor.",
    )


def _missing(part: Provider | Source, variable: Variable) -> list[str]:
    fields = type(part).model_fields if isinstance(part, Provider) else {}
    return [variable(part.name, field) for field in _NEEDED if field in fields and not _is_set(getattr(part, field))]


def _is_set(value: object) -> bool:
    return bool(value.get_secret_value() if isinstance(value, SecretStr) else value)
