"""robots.txt policy: fetched once per site, fresh for a day, shared between processes, asked before every page.

What is kept is bounded: anybody can have many sites with long files.
"""

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TypeVar

from gossamer.errors import BrokenReply, RobotsDisallowed, StoreError, TimedOut, TooLarge
from gossamer.model.http import HttpReply
from gossamer.net.guard import Target
from gossamer.net.resolve import NoConnection, domain_of
from gossamer.net.robots.rules import SMALL, TOO_COSTLY, forbidding_rule, our_rules
from gossamer.ports import Clock, State
from gossamer.resilience.single_flight import LeasedFlight, SingleFlight

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

_FAILURE_S = 300.0
_HUGE = 128 * 1024
"""Characters of rules, or bytes of a file, that hardly any site has; such work waits in a line of its own."""
_QUICK_WORK = 2**24
"""Characters of rules times characters of an address that are matched within a few milliseconds."""

T = TypeVar("T")

Fetch = Callable[[Target], Awaitable[HttpReply | None]]
"""Gets a site's robots.txt, redirects followed; None when it redirects too often, which counts as having none."""


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


class RobotsCache:
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
        """Whether a record fits: in its domain first, so that what does not takes no room from others."""
        if size > _ORDINARY:
            name = f"robots-room:{domain_of(site.host)}"
            if not (await self._state.window(name, size, cap=SHARED_BY_DOMAIN, window_s=DAY_S)).is_within:
                return False
        return (await self._state.window("robots-room", size, cap=SHARED_A_DAY, window_s=DAY_S)).is_within

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


class RobotsPolicy:
    """Decides by robots.txt; a site whose file fails is closed for five minutes, unless an older copy is known.

    The file is asked for by one of all processes that share the state; the others wait for it, `patience_s` at most.
    Long work goes to a thread of its own, and huge files' to another one, so that they hold up neither the loop, nor
    what else goes to threads, nor sites whose files are merely long.
    """

    def __init__(self, fetch: Fetch, state: State, clock: Clock, *, patience_s: float = 10.0) -> None:
        self._fetch = fetch
        self._clock = clock
        self._patience_s = patience_s
        self._leased_flight = LeasedFlight(state, clock)
        self._flights: SingleFlight[Known] = SingleFlight()
        self._cache = RobotsCache(state, clock)
        self._long = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gossamer-robots")
        self._huge = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gossamer-robots-huge")

    async def check(self, target: Target) -> None:
        """Raise when the site forbids the page, or when its robots.txt cannot be had."""
        if target.path == "/robots.txt":
            return
        known = await self._cache.recall(target)
        if known is None or not self._is_fresh(known):
            known = await self._flights.join(target.origin, lambda: self._learn_once(target, known))
        if known.trouble:
            raise RobotsDisallowed(
                f"The robots.txt of {target.host} could not be had, so its pages are not fetched: {known.trouble}",
                hint='Try again later; the operator may set net.robots = "ignore".',
            )
        is_quick = len(known.rules) <= SMALL and len(known.rules) * len(target.url) <= _QUICK_WORK
        rule = await self._do(
            partial(forbidding_rule, known.rules, target.url), is_quick=is_quick, size=len(known.rules)
        )
        if rule is not None:
            why = f" ({rule})" if rule == TOO_COSTLY else ""
            raise RobotsDisallowed(
                f"The robots.txt of {target.host} does not allow this page{why}.",
                hint='Use another source; the operator may set net.robots = "ignore".',
            ).quoting("" if why else rule)

    def _is_fresh(self, known: Known) -> bool:
        now = self._clock.now()
        limit_s = _FAILURE_S if known.trouble else DAY_S
        return 0 <= now - known.at < limit_s or 0 <= now - known.tried_at < _FAILURE_S

    async def _learn_once(self, target: Target, older: Known | None) -> Known:
        async def found() -> Known | None:
            known = await self._cache.recall(target)
            return known if known is not None and self._is_fresh(known) else None

        return await self._leased_flight.take(
            f"robots:{target.origin}", lambda: self._learn(target, older), found=found, patience_s=self._patience_s
        )

    async def _learn(self, target: Target, older: Known | None) -> Known:
        """A file that fails is asked for again in five minutes, whether or not an older copy stands in for it."""
        known = await self._ask(target)
        kept_s = _FAILURE_S if known.trouble else KEPT_S
        if known.trouble and older is not None and not older.trouble:
            kept_s = KEPT_S - (known.at - older.at)
            known = replace(older, tried_at=known.at)
        await self._cache.keep(target, known, kept_s=kept_s)
        return known

    async def _ask(self, target: Target) -> Known:
        """What bars the whole site (no connection, a private address) is raised as such, not as its robots.txt."""
        now = self._clock.now()
        try:
            reply = await self._fetch(target)
        except NoConnection:
            raise
        except (TimedOut, BrokenReply, TooLarge) as error:
            return Known(at=now, trouble=error.message)
        if reply is None:
            return Known(at=now)
        if reply.status >= 500 or reply.status == 429:
            return Known(at=now, trouble=f"it answered with status {reply.status}.")
        if 200 <= reply.status < 300:
            work = partial(our_rules, reply.body, is_cut=reply.is_cut)
            rules = await self._do(work, is_quick=len(reply.body) <= SMALL, size=len(reply.body))
            return Known(at=now, rules=rules)
        return Known(at=now)

    async def _do(self, work: Callable[[], T], *, is_quick: bool, size: int) -> T:
        if is_quick:
            return work()
        thread = self._huge if size > _HUGE else self._long
        return await asyncio.get_running_loop().run_in_executor(thread, work)
