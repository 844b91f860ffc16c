"""Search cache: results kept for a while, so that the same search is not paid for again."""

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from gossamer.errors import Outcome, StoreError
from gossamer.model.search import Query, SearchPage
from gossamer.ports import Call, State

_PAGE = TypeAdapter(SearchPage)
_SOON_S = 60.0
"""How long a stand-in's results, or the news that there are none, are kept: that may change soon."""
_IN_USE_S = 600.0
"""How long results that may not be written down are held in memory: cursors and repeats are still in use."""
_MOST_RAW = 2**18
"""Characters of a service's own JSON; what is longer is not held."""
_IN_USE = 256
"""So many searches are held, those used last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchCache:
    """Remembers pages of results in the state, without their queries; when that is away, nothing is kept.

    What a provider's terms forbid to write down, or what holds the query itself, is held by this process alone, for as
    long as it is in use.
    """

    state: State
    keep_s: float
    _held: OrderedDict[str, tuple[float, SearchPage]] = field(
        init=False, default_factory=OrderedDict[str, tuple[float, SearchPage]]
    )

    async def recall(self, key: str, query: Query, call: Call, *, keep_s: float | None = None) -> SearchPage | None:
        """The page kept under this key, if it is not older than the tool's own `keep_s`.

        Nobody saw the query this time, and nobody failed.
        """
        kept = self._in_use(key, call) or await self._written(key)
        if kept is None or (keep_s is not None and not 0 <= call.clock.now() - (kept.kept_since or 0.0) < keep_s):
            return None
        call.record("search cache", Outcome.OK if kept.hits else Outcome.NO_MATCH, since=call.clock.monotonic())
        return replace(kept, query=query, services=(), failures=())

    async def remember(
        self,
        key: str,
        page: SearchPage,
        call: Call,
        *,
        keep_s: float | None,
        allowed_s: float | None,
        is_whole: bool,
    ) -> None:
        """Keep a page as long as the tool or else the setting says and its provider allows; a part of one briefly."""
        own_s = self.keep_s if keep_s is None else keep_s
        is_written = allowed_s != 0 and not page.raw
        most_s = allowed_s if is_written else _IN_USE_S
        ttl_s = own_s if most_s is None else min(own_s, most_s)
        if not page.hits or not is_whole:
            ttl_s = min(ttl_s, _SOON_S)
        if ttl_s <= 0 or len(page.raw) > _MOST_RAW:
            return
        page = replace(page, query=Query(text=""), kept_since=call.clock.now())
        if not is_written:
            self._hold(key, page, until=call.clock.monotonic() + ttl_s)
            return
        try:
            await self.state.put(key, _PAGE.dump_json(page).decode(), ttl_s=ttl_s)
        except StoreError as error:
            call.note_failure("The search was not cached", error)

    async def _written(self, key: str) -> SearchPage | None:
        try:
            text = await self.state.get(key)
            return _PAGE.validate_json(text) if text is not None else None
        except (StoreError, ValidationError):
            return None

    def _in_use(self, key: str, call: Call) -> SearchPage | None:
        until, page = self._held.get(key, (0.0, None))
        if page is None or call.clock.monotonic() >= until:
            self._held.pop(key, None)
            return None
        self._held.move_to_end(key)
        return page

    def _hold(self, key: str, page: SearchPage, *, until: float) -> None:
        self._held[key] = (until, page)
        self._held.move_to_end(key)
        while len(self._held) > _IN_USE:
            self._held.popitem(last=False)
