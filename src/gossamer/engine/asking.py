"""One provider or source asked: in its turn, within its time, once more where that may help."""

import asyncio
import hashlib
import random
from dataclasses import dataclass, replace

from pydantic import SecretStr

from gossamer.engine.health import Healths
from gossamer.engine.queues import Queues
from gossamer.errors import GossamerError, Outcome, TimedOut
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Call, Http, Provider, Source
from gossamer.steps.canonical import host_of
from gossamer.steps.retry import Retries, pause_s

_FAIR_SHARE = 0.5
"""Of its time: a service that was given less and did not answer is not to blame."""


@dataclass(kw_only=True, slots=True)
class Attempt:
    """Somebody being asked, as seen by those who wait for it."""

    part: Provider | Source
    started: float
    time_s: float
    """How long it may take this time."""
    has_seen_query: bool = False
    is_hurried: bool = False
    """It has less time than a service may take, so that being late says nothing of it."""
    noted: GossamerError | None = None
    """The failure that was recorded last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """Asks one at a time; every attempt ends as a part of the call, and what it says of the service is remembered."""

    api: Http
    healths: Healths
    queues: Queues
    timeout_s: float

    async def ask(self, attempt: Attempt, query: Query, call: Call, retries: Retries) -> Found:
        """What the provider found; walls, limits and faults are raised as what they are."""
        part, limit = attempt.part, call.within(attempt.time_s)
        limit_s = limit.remaining_s
        attempt.is_hurried = limit_s < _FAIR_SHARE * self.time_for(part)
        try:
            async with asyncio.timeout(limit_s):
                await self.healths.admit(_key(part), part.title)
                found = await self._found(attempt, query, limit, retries)
        except TimeoutError as error:
            late = TimedOut(f"{part.title} did not answer within {round(limit_s, 1):g} s.", hint="Try again.")
            await self.note(attempt, late, call)
            raise late from error
        except GossamerError as error:
            await self.note(attempt, error, call)
            raise
        found = replace(found, hits=_on_site(found.hits, query.site))
        call.record(part.name, Outcome.OK if found.hits else Outcome.NO_MATCH, since=attempt.started)
        await self.healths.succeeded(_key(part))
        return found

    def time_for(self, part: Provider | Source) -> float:
        """How long somebody may take: as long as a search engine, or as it says itself."""
        return max(self.timeout_s, part.terms.takes_s) if isinstance(part, Provider) else self.timeout_s

    async def note(self, attempt: Attempt, error: GossamerError, call: Call) -> bool:
        """Record how an attempt failed, once; tell whether its service is given up from now on."""
        if attempt.noted is error:
            return False
        attempt.noted = error
        call.record(attempt.part.name, error.outcome, since=attempt.started)
        if not attempt.has_seen_query or (attempt.is_hurried and isinstance(error, TimedOut)):
            return False
        return await self.healths.failed(_key(attempt.part), error)

    async def _found(self, attempt: Attempt, query: Query, call: Call, retries: Retries) -> Found:
        part = attempt.part
        if isinstance(part, Provider):
            return await self._exchange(attempt, part, query, call, retries)
        attempt.has_seen_query = True
        return await part.search(query, call)

    async def _exchange(
        self, attempt: Attempt, provider: Provider, query: Query, call: Call, retries: Retries
    ) -> Found:
        """Drive a provider's steps. A failed exchange is thrown into them, so that earlier pages need not be lost."""
        steps = provider.steps(query)
        try:
            request = next(steps)
            while True:
                try:
                    reply = await self._send(attempt, provider, request, call, retries)
                except GossamerError as error:
                    request = steps.throw(error)
                else:
                    request = steps.send(reply)
        except StopIteration as done:
            return done.value

    async def _send(
        self, attempt: Attempt, provider: Provider, request: HttpRequest, call: Call, retries: Retries
    ) -> HttpReply:
        """One request and a good reply to it, asked for again where that may help."""
        tried = 0
        while True:
            if per_second := provider.per_second or provider.terms.per_second:
                await self.queues.turn(_key(provider), provider.title, per_second, call)
            attempt.has_seen_query = True
            from_network = True
            try:
                reply = await self.api.send(request, call)
                from_network = False
                provider.judge(reply)
            except GossamerError as error:
                tried += 1
                wait_s = pause_s(
                    retries,
                    error,
                    tried=tried,
                    from_network=from_network,
                    left_s=call.remaining_s,
                    chance=random.random(),  # noqa: S311 - spreads requests, hides nothing
                )
                if await self.note(attempt, error, call) or wait_s is None:
                    raise
                await asyncio.sleep(wait_s)
                attempt.started = call.clock.monotonic()
            else:
                return reply


def _key(part: Provider | Source) -> str:
    """One account at one address: another key has a health, a queue and a quota of its own."""
    if not isinstance(part, Provider):
        return part.name
    values = (getattr(part, name) for name in type(part).model_fields)
    said = [value.get_secret_value() if isinstance(value, SecretStr) else value for value in values]
    return f"{part.name}:{hashlib.sha256(repr(said).encode()).hexdigest()[:16]}"


def _on_site(hits: tuple[Hit, ...], site: str | None) -> tuple[Hit, ...]:
    """The hits on the site asked for: not every engine obeys its own operator."""
    return tuple(hit for hit in hits if site is None or f".{host_of(hit.url)}".endswith(f".{site.lower()}"))
