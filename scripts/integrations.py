"""docs/integrations.md: every search service with its key, cost, limits and privacy, from the providers themselves."""

import inspect
import sys

from gossamer.ports import Provider
from gossamer.providers import PROVIDERS
from gossamer.settings.names import env_name, usual_name

INTRODUCTION = """# Search services

Searches work without any key: they then go to services that answer everybody, one after the other. A service that you
have a key for, or an instance of your own, is asked before them. Set the variable named below, or `api_key` in the
table `[providers.<name>]` of the settings file; `GOSSAMER_PROVIDERS__<NAME>__API_KEY_FILE` names a file that holds
it. `GOSSAMER_SEARCH__PROVIDERS` limits and orders who is asked.

- **Order**: services that search the whole web and know the category, your own before those free to all, the cheaper
  before the dearer; then sources of one site; last the library, which nobody else sees. A language model that
  searches (OpenAI) comes after all others who search the whole web, although it has a key, because its answers take
  many seconds; to ask it first, name it first in `GOSSAMER_SEARCH__PROVIDERS`.
- **Failover**: the next one is asked when one fails, or when one found nothing and the next costs nothing. A service
  that fails again and again is left alone for a while. Every result names the services that saw the query.
- **Categories**: only services that know images, videos, map, music or files are asked for them: pages are no answer,
  and where nobody knows them the call says so. With `safe_search=2` those that can apply it come before their equals.
- **Prices** are those of a key, as last seen on the services' own pages; some are estimates. Check before you rely on
  them.
- **Health**: `gossamer doctor` says of each service whether it is configured, answers and is healthy, what it costs
  and when it ends; it spends nothing. `make live` makes one search with each that is configured, and so may cost a
  cent.
- **Keys** go to their own service alone, over HTTPS unless `base_url` is on this machine, and are never logged or
  shown.

To add one: [adding-a-provider.md](adding-a-provider.md).
"""
LIBRARY = """### `library`: pages read before

What was fetched here stays findable by its words; nobody else sees the query.

- **Key**: none. **Cost**: none.
- **Can**: general; filters site.
"""


def integrations_page(note: str) -> str:
    """The page as it belongs into docs/."""
    rows = ["| Name | Service | Searches | Needs | A thousand searches |", "|---|---|---|---|---|"]
    rows += [_row(name, kind) for name, kind in PROVIDERS.items()]
    rows.append("| `library` | Pages read before | what was read here | nothing | free |")
    sections = [_section(name, kind) for name, kind in PROVIDERS.items()]
    return "\n".join([note, INTRODUCTION, *rows, "", "## One by one", "", *sections, LIBRARY])


def _row(name: str, kind: type[Provider]) -> str:
    cost = f"${kind.terms.usd_per_1000:g}" if kind.terms.usd_per_1000 else "free"
    reach = "the whole web" if kind.is_general else "one site"
    return f"| [`{name}`](#{name}) | {kind.title} | {reach} | {_needs(name, kind)} | {cost} |"


def _needs(name: str, kind: type[Provider]) -> str:
    fields = [field for field in ("api_key", "engine_id", "base_url") if field in kind.model_fields]
    bare = kind()
    if bare.is_ready:
        key = _variable(name, "api_key") if "api_key" in fields else ""
        return f"nothing; more with {key}" if key else "nothing"
    missing = [field for field in fields if not str(getattr(bare, field))]
    return " and ".join(_variable(name, field) for field in missing)


def _variable(name: str, field: str) -> str:
    key = ("providers", name, field)
    return f"`{usual_name(key) or env_name(key)}`"


def _section(name: str, kind: type[Provider]) -> str:
    terms = kind.terms
    _, _, about = (inspect.getdoc(sys.modules[kind.__module__]) or "").partition(": ")
    cost = f"${terms.usd_per_1000:g} for a thousand searches" if terms.usd_per_1000 else "none"
    kept = "kept for an hour, or as `search.cache_s` says"
    if terms.keep_s is not None:
        kept = (
            f"kept for at most {terms.keep_s:g} s, as its terms ask"
            if terms.keep_s
            else "held in memory for ten minutes at most and never written down, as its terms ask"
        )
    lines = [
        f'### <a id="{name}"></a>`{name}`: {kind.title}\n',
        f"{about[:1].upper()}{about[1:]}\n",
        f"- **Needs**: {_needs(name, kind)}. **Cost**: {cost}. **Limits**: {terms.limits or 'none published'}.",
        f"- **Privacy**: {terms.privacy}. Results are {kept}.",
        f"- **Can**: {', '.join(sorted(kind.categories))}; filters {', '.join(sorted(kind.filters)) or 'none'}.",
        f"- **Settings** in `[providers.{name}]`: {', '.join(f'`{field}`' for field in kind.model_fields)}.",
    ]
    lines += [f"- **Ends** on {terms.ends}: {terms.ending}"] if terms.ends else []
    return "\n".join([*lines, ""])
