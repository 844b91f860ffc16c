"""One provider or source asked: in its turn, within its time, once more where that may help."""

import asyncio
import hashlib
import math
import random
from dataclasses import dataclass, field, replace

from pydantic import SecretStr

from gossamer.engine.health import Healths
from gossamer.engine.queues import Queues
from gossamer.errors import Busy, GossamerError, Outcome, TimedOut
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Call, Http, Provider, Source
from gossamer.steps.canonical import host_of
from gossamer.steps.retry import Retries, pause_s

_SHORTEST_KEY = 8
"""What is shorter is no key of any service, and may be a part of any word."""
_FAIR_SHARE = 0.5
"""Of its time: a service that was given less and did not answer is not to blame."""


@dataclass(kw_only=True, slots=True)
class Attempt:
    """Somebody being asked, as seen by those who wait for it."""

    part: Provider | Source
    began: float
    started: float
    """When its last try began."""
    time_s: float
    """How long it may take this time."""
    has_seen_query: bool = False
    is_hurried: bool = False
    """It has less time than a service may take, so that being late says nothing of it."""
    noted: GossamerError | None = None
    """The failure that was recorded last."""
    queued_s: float = 0.0
    """How long it stood in our own queue; that is no time of the service."""
    queued_at: float | None = None
    """Since when it stands there, if it does."""
    latest: float = math.inf
    """When it ends, however long it queued."""
    timer: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))

    def waited_s(self, now: float) -> float:
        """How long our own queue has kept it."""
        return self.queued_s + (now - self.queued_at if self.queued_at is not None else 0.0)

    def thought_s(self, now: float) -> float:
        """How long the service itself has taken, all attempts together."""
        return now - self.began - self.waited_s(now)


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
        attempt.latest = (limit.deadline + call.deadline) / 2
        attempt.timer = asyncio.timeout(limit_s)
        try:
            async with attempt.timer:
                await self.healths.admit(account(part), part.title)
                found = await self._found(attempt, query, limit, retries)
        except TimeoutError as error:
            late = _late(attempt, limit_s)
            await self.note(attempt, late, call)
            raise late from error
        except GossamerError as error:
            await self.note(attempt, error, call)
            raise
        found = replace(found, hits=_on_site(found.hits, query.site), note=without_keys(found.note, part))
        call.record(part.name, Outcome.OK if found.hits else Outcome.NO_MATCH, since=attempt.started)
        await self.healths.succeeded(account(part), rest_s=found.rest_s)
        return found

    def time_for(self, part: Provider | Source) -> float:
        """How long somebody may take: as the operator set, else as long as a search engine, or as it needs."""
        return part.timeout_s or max(self.timeout_s, part.terms.takes_s)

    async def note(self, attempt: Attempt, error: GossamerError, call: Call) -> bool:
        """Record how an attempt failed, once; tell whether its service is given up from now on."""
        if attempt.noted is error:
            return False
        attempt.noted = error
        _silence(error, attempt.part)
        call.record(attempt.part.name, error.outcome, since=attempt.started)
        if not attempt.has_seen_query or (attempt.is_hurried and isinstance(error, TimedOut)):
            return False
        return await self.healths.failed(account(attempt.part), error)

    async def _found(self, attempt: Attempt, query: Query, call: Call, retries: Retries) -> Found:
        part = attempt.part
        if isinstance(part, Provider):
            return await self._exchange(attempt, part, query, call, retries)
        call = await self._turn(attempt, call)
        attempt.has_seen_query = True
        return await part.search(query, call)

    async def _turn(self, attempt: Attempt, call: Call) -> Call:
        """Stand in our own queue, and give the service its time from there on, within half of what others have left."""
        part, clock = attempt.part, call.clock
        if per_second := pace(part):
            attempt.queued_at = clock.monotonic()
            await self.queues.turn(account(part), part.title, per_second, _until(attempt, call))
            attempt.queued_s, attempt.queued_at = attempt.waited_s(clock.monotonic()), None
        limit = _until(attempt, call)
        given_s = limit.remaining_s + attempt.thought_s(clock.monotonic())
        attempt.is_hurried |= given_s < _FAIR_SHARE * self.time_for(part)
        attempt.timer.reschedule(asyncio.get_running_loop().time() + limit.remaining_s)
        return limit

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
            limit = await self._turn(attempt, call)
            attempt.has_seen_query = True
            from_network = True
            try:
                reply = await self.api.send(request, limit)
                from_network = False
                provider.judge(reply)
            except GossamerError as error:
                tried += 1
                wait_s = pause_s(
                    retries,
                    error,
                    tried=tried,
                    from_network=from_network,
                    left_s=limit.remaining_s,
                    chance=random.random(),  # noqa: S311 - spreads requests, hides nothing
                )
                if await self.note(attempt, error, call) or wait_s is None:
                    raise
                await asyncio.sleep(wait_s)
                attempt.started = call.clock.monotonic()
            else:
                return reply


def account(part: Provider | Source) -> str:
    """One account at one address: another key has a health, a queue and a quota of its own."""
    if not isinstance(part, Provider):
        return part.name
    values = (getattr(part, name) for name in type(part).model_fields)
    said = [value.get_secret_value() if isinstance(value, SecretStr) else value for value in values]
    return f"{part.name}:{hashlib.sha256(repr(said).encode()).hexdigest()[:16]}"


def pace(part: Provider | Source) -> float | None:
    """How many requests a second it is sent, where that is bounded."""
    return (part.per_second if isinstance(part, Provider) else None) or part.terms.per_second


def _until(attempt: Attempt, call: Call) -> Call:
    return replace(call, deadline=min(call.deadline + attempt.queued_s, attempt.latest))


def _late(attempt: Attempt, limit_s: float) -> GossamerError:
    """What is said of one that was not done in time: it was silent, or its turn had not come."""
    title, given = attempt.part.title, f"{round(limit_s, 1):g} s"
    if attempt.queued_at is None:
        return TimedOut(f"{title} did not answer within {given}.", hint="Try again.")
    return Busy(
        f"{title} takes {pace(attempt.part):g} a second here; our turn did not come within {given}.", hint="Try again."
    )


def _silence(error: GossamerError, part: Provider | Source) -> None:
    """Take our keys out of a failure: some services repeat the key that they do not know."""
    error.message = without_keys(error.message, part)
    error.hint = without_keys(error.hint, part)
    error.args = (error.message,)


def without_keys(text: str, part: Provider | Source) -> str:
    """What a service said, without our keys for it."""
    for name in type(part).model_fields if isinstance(part, Provider) else ():
        value = getattr(part, name)
        key = value.get_secret_value() if isinstance(value, SecretStr) else ""
        if len(key) >= _SHORTEST_KEY:
            text = text.replace(key, "…")
    return text


def _on_site(hits: tuple[Hit, ...], site: str | None) -> tuple[Hit, ...]:
    """The hits on the site asked for: not every engine obeys its own operator."""
    return tuple(hit for hit in hits if site is None or f".{host_of(hit.url)}".endswith(f".{site.lower()}"))
