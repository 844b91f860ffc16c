"""One real search with every provider that is configured: `make live`. It needs the internet, and keys may be charged.

The settings are those of the command line. The exit code is 1 when any of them failed.
"""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from gossamer import new_call, open_engine
from gossamer.compose import configured_providers
from gossamer.engine import Engine
from gossamer.errors import GossamerError
from gossamer.model.search import Query
from gossamer.ports import Provider
from gossamer.settings.load import load

TEXT = "history of the lighthouse"
SHOWN = 3


async def main(text: str) -> int:
    """Ask each in its turn, and tell how it went."""
    loaded = load()
    if loaded.problems:
        print(*loaded.problems, sep="\n", file=sys.stderr)
        return 1
    settings = loaded.settings
    wanted = settings.search.providers
    known = {one.name: one for one in configured_providers(settings.providers)}
    ready = [known[name] for name in wanted or known if name in known and known[name].is_ready]
    uncached = settings.model_copy(update={"search": settings.search.model_copy(update={"cache_s": 0})})
    async with open_engine(uncached) as engine:
        went = [await told(engine, provider, text) for provider in ready]
    print(f"{sum(went)} of {len(went)} answered; not asked: {_others(known.values(), ready)}.")
    return 0 if all(went) else 1


async def told(engine: Engine, provider: Provider, text: str) -> bool:
    """One search, in the category that the provider knows best."""
    category = "general" if "general" in provider.categories else min(provider.categories)
    ends = provider.terms.ends
    if ends and datetime.now(UTC).date() >= ends:
        print(f"-- {provider.name}: ended on {ends}: {provider.terms.ending}")
        return True
    try:
        page = await engine.search(Query(text=text, category=category, count=5), new_call(), providers=[provider.name])
    except GossamerError as error:
        print(f"!! {provider.name}: {error.outcome}: {error}")
        return False
    print(f"ok {provider.name}: {len(page.hits)} results in {page.elapsed_ms / 1000:.1f} s ({category})")
    for hit in page.hits[:SHOWN]:
        print(f"     {hit.title} <{hit.url}> {hit.published or ''}".rstrip())
    return bool(page.hits)


def _others(known: Sequence[Provider], ready: Sequence[Provider]) -> str:
    return ", ".join(one.name for one in known if one not in ready) or "none"


if __name__ == "__main__":
    sys.exit(asyncio.run(main(" ".join(sys.argv[1:]) or TEXT)))
