"""Asking robots.txt before asking for a page: fetched once per site, kept for a day, shared between processes."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TypeVar

from gossamer.errors import BrokenReply, RobotsDisallowed, StoreError, TimedOut, TooLarge
from gossamer.flights import Flights, Turns
from gossamer.model.http import HttpReply
from gossamer.net.guard import Target
from gossamer.net.resolve import NoConnection
from gossamer.net.robots import forbidding_rule, our_rules
from gossamer.ports import Clock, State

_FRESH_S = 24 * 3600.0
_KEPT_S = 7 * _FRESH_S
_FAILURE_S = 300.0
_SMALL = 32 * 1024

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


class Manners:
    """Decides by robots.txt; a site whose file fails is closed for five minutes, unless an older copy is known.

    The file is asked for by one of all processes that share the state; the others wait for it, `patience_s` at most.
    """

    def __init__(self, fetch: Fetch, state: State, clock: Clock, *, patience_s: float = 10.0) -> None:
        self._fetch = fetch
        self._state = state
        self._clock = clock
        self._patience_s = patience_s
        self._turns = Turns(state, clock)
        self._flights: Flights[Known] = Flights()

    async def check(self, target: Target) -> None:
        """Raise when the site forbids the page, or when its robots.txt cannot be had."""
        if target.path == "/robots.txt":
            return
        known = await self._recall(target)
        if known is None or not self._is_fresh(known):
            known = await self._flights.join(target.origin, lambda: self._learn_once(target, known))
        if known.trouble:
            raise RobotsDisallowed(
                f"The robots.txt of {target.host} could not be had, so its pages are not fetched: {known.trouble}",
                hint='Try again later; the operator may set net.robots = "ignore".',
            )
        rule = await _aside(len(known.rules), partial(forbidding_rule, known.rules, target.url))
        if rule is not None:
            raise RobotsDisallowed(
                f"The robots.txt of {target.host} does not allow this page ({_shown(rule)}).",
                hint='Use another source; the operator may set net.robots = "ignore".',
            )

    def _is_fresh(self, known: Known) -> bool:
        now = self._clock.now()
        limit_s = _FAILURE_S if known.trouble else _FRESH_S
        return 0 <= now - known.at < limit_s or 0 <= now - known.tried_at < _FAILURE_S

    async def _learn_once(self, target: Target, older: Known | None) -> Known:
        async def found() -> Known | None:
            known = await self._recall(target)
            return known if known is not None and self._is_fresh(known) else None

        return await self._turns.take(
            _key(target), lambda: self._learn(target, older), found=found, patience_s=self._patience_s
        )

    async def _learn(self, target: Target, older: Known | None) -> Known:
        """A file that fails is asked for again in five minutes, whether or not an older copy stands in for it."""
        known = await self._ask(target)
        kept_s = _FAILURE_S if known.trouble else _KEPT_S
        if known.trouble and older is not None and not older.trouble:
            kept_s = _KEPT_S - (known.at - older.at)
            known = replace(older, tried_at=known.at)
        with suppress(StoreError):
            await self._state.put(_key(target), json.dumps(asdict(known)), ttl_s=min(max(kept_s, 0.0), _KEPT_S))
        return known

    async def _ask(self, target: Target) -> Known:
        """What bars the whole site (no connection, a private address) is told as what it is, not as its robots.txt."""
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
            rules = await _aside(len(reply.body), partial(our_rules, reply.body, is_cut=reply.is_cut))
            return Known(at=now, rules=rules)
        return Known(at=now)

    async def _recall(self, target: Target) -> Known | None:
        with suppress(StoreError, ValueError, TypeError):
            kept = await self._state.get(_key(target))
            if kept is not None:
                return Known(**json.loads(kept))
        return None


async def _aside(size: int, work: Callable[[], T]) -> T:
    """Do small work at once and large work in a thread, so that a huge file never holds up the others."""
    return work() if size <= _SMALL else await asyncio.to_thread(work)


def _key(target: Target) -> str:
    return f"robots:{target.origin}"


def _shown(rule: str) -> str:
    """A rule as our sentence repeats it: a path in one short word, not the site's prose."""
    return rule if re.fullmatch(r"\w+: [!-;=?-~]{1,80}", rule) else "Disallow"
