"""robots.txt cache, bounded: anybody can have many sites with long files."""

import json
from collections import Counter, OrderedDict
from contextlib import suppress
from dataclasses import asdict, dataclass

from gossamer.errors import StoreError
from gossamer.net.guard import Target
from gossamer.net.resolve import domain_of
from gossamer.ports import Clock, State

DAY_S = 24 * 3600.0
KEPT_S = 7 * DAY_S
SHARED_CHARS = 64 * 1024
"""Longer rules stay in this process."""
SHARED_A_DAY = 8 * 2**20
"""Characters that all sites together may put into the state within a day: some 30,000 ordinary files."""
SHARED_BY_DOMAIN = 256 * 1024
"""Of these, the sites of one domain."""
OWN_CHARS = 16 * 2**20
OWN_BY_DOMAIN = 2 * 2**20
OWN_SITES = 4096
_ORDINARY = 1024
"""A record of this length counts against all, and not against its domain."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What is known of one site's robots.txt."""

    at: float
    """UTC seconds."""
    rules: str = ""
    trouble: str = ""
    """Why it could not be had; then nothing may be fetched."""
    tried_at: float = 0.0
    """UTC seconds of the last attempt to renew it that failed."""


class Rulebook:
    """Keeps short rules in the state, for all that share it, and the rest in this process.

    Both are bounded, in all and for the sites of one domain, so that neither a crawl over every site of the web nor a
    domain of ten thousand sites fills them. In the process those used longest ago give way, of the same domain first.
    """

    def __init__(self, state: State, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._own: OrderedDict[str, tuple[str, Known]] = OrderedDict()
        """Domain and rules by origin, those used last at the end."""
        self._chars: Counter[str] = Counter()
        self._all_chars = 0

    async def recall(self, site: Target) -> Known | None:
        """What is known of a site, however old."""
        own = self._own.get(site.origin)
        if own is not None and 0 <= self._clock.now() - own[1].at < KEPT_S:
            self._own.move_to_end(site.origin)
            return own[1]
        with suppress(StoreError, ValueError, TypeError):
            kept = await self._state.get(_key(site))
            if kept is not None:
                return Known(**json.loads(kept))
        return None

    async def keep(self, site: Target, known: Known, *, kept_s: float) -> None:
        """Remember this of a site, and nothing older."""
        self._drop(site.origin)
        if not await self._share(site, known, min(max(kept_s, 0.0), KEPT_S)):
            self._keep_own(site, known)

    async def _share(self, site: Target, known: Known, kept_s: float) -> bool:
        record = json.dumps(asdict(known))
        size = len(_key(site)) + len(record)
        try:
            if len(known.rules) > SHARED_CHARS or not await self._has_room(site, size):
                return False
            await self._state.put(_key(site), record, ttl_s=kept_s)
        except StoreError:
            return False
        return True

    async def _has_room(self, site: Target, size: int) -> bool:
        """Asked of the domain first: what it has no room for costs nobody any."""
        if size > _ORDINARY:
            name = f"robots-room:{domain_of(site.host)}"
            if await self._state.take(name, size, cap=SHARED_BY_DOMAIN, ttl_s=DAY_S) is None:
                return False
        return await self._state.take("robots-room", size, cap=SHARED_A_DAY, ttl_s=DAY_S) is not None

    def _keep_own(self, site: Target, known: Known) -> None:
        domain = domain_of(site.host)
        self._own[site.origin] = (domain, known)
        self._count(domain, len(known.rules))
        while self._chars[domain] > OWN_BY_DOMAIN:
            self._drop(next(origin for origin, (whose, _) in self._own.items() if whose == domain))
        while self._all_chars > OWN_CHARS or len(self._own) > OWN_SITES:
            self._drop(next(iter(self._own)))

    def _drop(self, origin: str) -> None:
        if origin in self._own:
            domain, known = self._own.pop(origin)
            self._count(domain, -len(known.rules))

    def _count(self, domain: str, chars: int) -> None:
        self._all_chars += chars
        self._chars[domain] += chars
        if self._chars[domain] <= 0:
            del self._chars[domain]


def _key(site: Target) -> str:
    return f"robots:{site.origin}"
