"""Pacing per site: four requests at once, eight a second, and a pause when the site asked for one."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from gossamer.errors import RateLimited, StoreError
from gossamer.model.http import HttpReply
from gossamer.net.guard import Target
from gossamer.ports import Clock, State, retry_after
from gossamer.resilience.pacing import next_start

AT_ONCE = 4
PER_SECOND = 8
_MAX_SITES = 1_024
_MAX_USERS = 1_024
"""Who have a pause of their own at one site."""
_LOOK_S = 1.0
"""How old our knowledge of the pauses that other processes were given may be."""


class _Site:
    def __init__(self) -> None:
        self.free = asyncio.Semaphore(AT_ONCE)
        self.inside = 0
        self.starts: list[float] = []
        self.closed_until = 0.0
        self.pause_s = 0.0
        """What the site named when it closed."""
        self.pauses: dict[str, float] = {}
        """Until when each user hears that it is closed."""
        self.looked_at = float("-inf")
        self.silence = ""


class Pace:
    """Keeps the pace per host and port, within this process; silence holds for all that share the state.

    The owner of the machine hears how long it still lasts. Any other user hears what the site named, from its own first
    request on, as if the site had been asked and had said it again: the rest would tell when somebody else was there.
    """

    def __init__(
        self, clock: Clock, state: State, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._clock = clock
        self._state = state
        self._sleep = sleep
        self._sites: dict[tuple[str, int], _Site] = {}

    @asynccontextmanager
    async def turn(self, target: Target, user: str = "") -> AsyncGenerator[None]:
        """Wait for a turn; a site that asked for a pause is not asked at all. The owner has no name."""
        site = self._site(target)
        site.inside += 1
        try:
            async with site.free:
                await self._look(target, site)
                self._refuse_closed(site, user)
                await self._wait(site)
                self._refuse_closed(site, user)
                yield
        finally:
            site.inside -= 1

    async def heed(self, target: Target, reply: HttpReply, user: str = "") -> None:
        """Close the site for as long as a 429 asks, a day at most."""
        if reply.status != 429:
            return
        pause_s = retry_after(reply, now=self._clock.now())
        if not pause_s:
            return
        site = self._site(target)
        site.silence = json.dumps([self._clock.now(), pause_s])
        self._close(site, pause_s, left_s=pause_s)
        self._pause(site, user, pause_s)
        with suppress(StoreError):
            await self._state.put(_key(target), site.silence, ttl_s=pause_s)

    def _site(self, target: Target) -> _Site:
        """What is known of a site; the ones used longest ago give way, for their silence lies in the state too."""
        key = (target.host, target.port)
        site = self._sites.pop(key, None) or _Site()
        while len(self._sites) >= _MAX_SITES:
            oldest = next((known for known, other in self._sites.items() if not other.inside), None)
            if oldest is None:
                break
            del self._sites[oldest]
        self._sites[key] = site
        return site

    async def _look(self, target: Target, site: _Site) -> None:
        """Learn of a pause that another process was given, once: a clock set back never makes it longer."""
        now = self._clock.monotonic()
        if now - site.looked_at < _LOOK_S:
            return
        site.looked_at = now
        with suppress(StoreError, ValueError, TypeError):
            kept = await self._state.get(_key(target))
            if kept is not None and kept != site.silence:
                site.silence = kept
                told_at, pause_s = json.loads(kept)
                self._close(site, pause_s, left_s=min(pause_s, told_at + pause_s - self._clock.now()))

    def _close(self, site: _Site, pause_s: float, *, left_s: float) -> None:
        until = self._clock.monotonic() + left_s
        if until > site.closed_until:
            site.closed_until, site.pause_s = until, pause_s

    def _pause(self, site: _Site, user: str, pause_s: float) -> None:
        until = max(site.pauses.pop(user, 0.0), self._clock.monotonic() + pause_s)
        while len(site.pauses) >= _MAX_USERS:
            del site.pauses[next(iter(site.pauses))]
        site.pauses[user] = until

    def _refuse_closed(self, site: _Site, user: str) -> None:
        """Refuse in the words of the error that the reply itself became (`steps.web.walls`)."""
        now = self._clock.monotonic()
        if user and site.pauses.get(user, 0.0) <= now < site.closed_until:
            self._pause(site, user, site.pause_s)
        left_s = (site.pauses.get(user, 0.0) if user else site.closed_until) - now
        if left_s > 0:
            raise RateLimited("The site", retry_after_s=round(left_s, 3)).but(status=429)

    async def _wait(self, site: _Site) -> None:
        now = self._clock.monotonic()
        start, site.starts = next_start(site.starts, most=PER_SECOND, span_s=1.0, now=now)
        if start > now:
            await self._sleep(start - now)


def _key(target: Target) -> str:
    return f"quiet:{target.host}:{target.port}"
