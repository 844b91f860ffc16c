"""Results that are kept for a while, so that the same search is not asked, waited for and paid for again."""

from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError

from gossamer.errors import Outcome, StoreError
from gossamer.model.search import Query, SearchPage
from gossamer.ports import Call, State

_PAGE = TypeAdapter(SearchPage)
_SOON_S = 60.0
"""How long a stand-in's results, or the news that there are none, are kept: that may change soon."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """Remembers pages of results in the state, without their queries; when that is away, nothing is kept."""

    state: State
    keep_s: float

    async def recall(self, key: str, query: Query, call: Call) -> SearchPage | None:
        """The page kept under this key; nobody saw the query this time."""
        try:
            text = await self.state.get(key)
            kept = _PAGE.validate_json(text) if text is not None else None
        except (StoreError, ValidationError):
            return None
        if kept is None:
            return None
        call.record("search cache", Outcome.OK if kept.hits else Outcome.NO_MATCH, since=call.clock.monotonic())
        return replace(kept, query=query, services=())

    async def remember(
        self, key: str, page: SearchPage, call: Call, *, allowed_s: float | None, is_whole: bool
    ) -> None:
        """Keep a page for as long as the setting and the provider's terms allow; what is not whole, briefly."""
        ttl_s = self.keep_s if allowed_s is None else min(self.keep_s, allowed_s)
        if not page.hits or not is_whole:
            ttl_s = min(ttl_s, _SOON_S)
        if ttl_s <= 0:
            return
        try:
            await self.state.put(key, _PAGE.dump_json(replace(page, query=Query(text=""))).decode(), ttl_s=ttl_s)
        except StoreError as error:
            call.note(f"The search was not cached: {error}")
