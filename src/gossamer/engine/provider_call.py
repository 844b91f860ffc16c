"""One call of a provider or source: in its turn, within its time, retried where that may help."""

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from gossamer.engine.key_redaction import account, redacted, without_key, without_keys
from gossamer.engine.policies import SearchPolicy
from gossamer.errors import Busy, GossamerError, Outcome, RateLimited, TimedOut
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.model.search import Found, Hit, Query
from gossamer.ports import Call, Http, Provider, Source
from gossamer.resilience.breaker import CircuitBreakers
from gossamer.resilience.deadline import BLAME
from gossamer.resilience.pacing import Queues, SlotPools
from gossamer.resilience.retry import Trial, retried
from gossamer.steps.search.domains import is_on_site


@dataclass(kw_only=True, slots=True)
class Attempt:
    """A provider or source being asked, as seen by those who wait for it."""

    part: Provider | Source
    began: float
    started: float
    """When its last try began."""
    time_s: float
    """How long it may take this time."""
    has_seen_query: bool = False
    is_hurried: bool = False
    """It has less time than a service may take, so that being late says nothing of it."""
    is_probe: bool = False
    """It looks whether an outage is over, and asks once; whoever was let in before is cut short by none."""
    noted: GossamerError | None = None
    """The failure that was recorded last."""
    queued_s: float = 0.0
    """How long it stood in our own queue; that is no time of the service."""
    queued_at: float | None = None
    """Since when it stands there, if it does."""
    is_last: bool = False
    """No other would be asked after it: what is left of the call is its own."""
    latest: float = math.inf
    """When it ends, however long it queued."""
    timer: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))

    def waited_s(self, now: float) -> float:
        """How long our own queue has kept it."""
        return self.queued_s + (now - self.queued_at if self.queued_at is not None else 0.0)

    def stay(self, now: float) -> None:
        """It may stand in a queue beyond the time of its service."""
        until = asyncio.get_running_loop().time() + self.latest - now
        self.timer.reschedule(None if math.isinf(until) else until)

    def leave_queue(self, now: float) -> None:
        """Its turn has come."""
        self.queued_s, self.queued_at = self.waited_s(now), None

    def thought_s(self, now: float) -> float:
        """How long the service itself has taken, all attempts together."""
        return now - self.began - self.waited_s(now)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderCalls:
    """Asks one at a time; every attempt ends as a part of the call, and what it says of the service is remembered."""

    api: Http
    circuit_breakers: CircuitBreakers
    queues: Queues
    slots: SlotPools
    timeout_s: float

    async def ask(self, attempt: Attempt, query: Query, call: Call, policy: SearchPolicy) -> Found:
        """What the provider found; walls, limits and faults are raised as what they are."""
        part, limit = attempt.part, call.within(attempt.time_s)
        limit_s = limit.remaining_s
        attempt.is_hurried = limit_s < BLAME * self.time_for(part, policy)
        may_wait = attempt.is_last and policy.per_minute
        attempt.latest = call.deadline if may_wait else (limit.deadline + call.deadline) / 2
        attempt.timer = asyncio.timeout(limit_s)
        try:
            async with attempt.timer:
                await self._admit(attempt, limit, policy)
                found = await self._found(attempt, query, limit, policy)
        except TimeoutError as error:
            raise await self.note(attempt, _late(attempt, limit_s), call) from error
        except GossamerError as error:
            raise await self.note(attempt, error, call) from None
        found = replace(
            found,
            hits=_on_site(found.hits, query.site),
            note=without_keys(found.note, part),
            raw=without_key(found.raw, part),
        )
        call.record(part.name, Outcome.OK if found.hits else Outcome.NO_MATCH, since=attempt.started)
        await self.circuit_breakers.succeeded(account(part), rest_s=found.rest_s)
        return found

    def time_for(self, part: Provider | Source, policy: SearchPolicy) -> float:
        """How long a provider may take: as the operator set, else as long as a search engine, or as it needs."""
        return part.timeout_s or policy.timeout_s or max(self.timeout_s, part.terms.takes_s)

    async def note(self, attempt: Attempt, failure: GossamerError, call: Call) -> GossamerError:
        """Record how an attempt failed, once, and hold it against the service where it is to blame.

        What goes on from here is the failure without our keys.
        """
        if attempt.noted is failure:
            return failure
        error = attempt.noted = redacted(failure, attempt.part)
        call.record(attempt.part.name, error.outcome, since=attempt.started)
        if attempt.has_seen_query and not (attempt.is_hurried and isinstance(error, TimedOut)):
            await self.circuit_breakers.failed(account(attempt.part), error)
        return error

    async def _admit(self, attempt: Attempt, call: Call, policy: SearchPolicy) -> None:
        """Go on where the service may be asked; one that limits us is waited for where the contract says so."""
        part = attempt.part

        async def admit(_: Trial) -> None:
            attempt.is_probe = await self.circuit_breakers.admit(account(part), part.title)

        async def pause(error: GossamerError, trial: Trial) -> bool:
            return isinstance(error, RateLimited) and await self._waited(attempt, error, trial, call, policy)

        await retried(admit, pause)

    async def _waited(
        self, attempt: Attempt, error: GossamerError, trial: Trial, call: Call, policy: SearchPolicy
    ) -> bool:
        """Wait before asking again, if that may help.

        A limit is waited out as in a queue of ours, that is, also beyond the time of the service.
        """
        is_queue = isinstance(error, RateLimited)
        now = call.clock.monotonic()
        left_s = attempt.latest - now if is_queue else _until(attempt, call).remaining_s
        wait_s = policy.retries.pause_s(error, tried=trial.number, status=trial.status, left_s=left_s)
        if wait_s is None:
            return False
        if is_queue:
            attempt.queued_at = now
            attempt.stay(now)
        await asyncio.sleep(wait_s)
        attempt.leave_queue(call.clock.monotonic())
        return True

    async def _found(self, attempt: Attempt, query: Query, call: Call, policy: SearchPolicy) -> Found:
        part = attempt.part
        if isinstance(part, Provider):
            return await self._exchange(attempt, part, query, call, policy)
        async with self._turn(attempt, call, policy) as limit:
            attempt.has_seen_query = True
            return await part.search(query, limit)

    @asynccontextmanager
    async def _turn(self, attempt: Attempt, call: Call, policy: SearchPolicy) -> AsyncGenerator[Call]:
        """Stand in our own queues, and give the service its time from there on, within half of what others have left.

        As long as the block lasts, one of the contract's places on the network is taken.
        """
        part, clock = attempt.part, call.clock
        attempt.queued_at = clock.monotonic()
        async with self.slots.held(policy.slots):
            if policy.per_minute:
                await self._minute(attempt, part, policy.per_minute, call)
            if per_second := pace(part):
                await self.queues.turn(account(part), part.title, per_second, _until(attempt, call))
            attempt.leave_queue(clock.monotonic())
            limit = _until(attempt, call)
            given_s = limit.remaining_s + attempt.thought_s(clock.monotonic())
            attempt.is_hurried |= given_s < BLAME * self.time_for(part, policy)
            attempt.timer.reschedule(asyncio.get_running_loop().time() + limit.remaining_s)
            yield limit

    async def _minute(self, attempt: Attempt, part: Provider | Source, most: int, call: Call) -> None:
        """Wait for one of the minute's places: the last to be asked as long as the call lasts."""
        limit = _until(attempt, call)
        if attempt.is_last:
            attempt.stay(call.clock.monotonic())
            limit = replace(call, deadline=attempt.latest)
        await self.queues.minute(account(part), part.title, most, limit)

    async def _exchange(
        self, attempt: Attempt, provider: Provider, query: Query, call: Call, policy: SearchPolicy
    ) -> Found:
        """Drive a provider's steps. A failed exchange is thrown into them, so that earlier pages need not be lost."""
        steps = provider.steps(query)
        try:
            request = next(steps)
            while True:
                try:
                    reply = await self._send(attempt, provider, request, call, policy)
                except GossamerError as error:
                    request = steps.throw(error)
                else:
                    request = steps.send(reply)
        except StopIteration as done:
            return done.value

    async def _send(
        self, attempt: Attempt, provider: Provider, request: HttpRequest, call: Call, policy: SearchPolicy
    ) -> HttpReply:
        """One request and a good reply to it, asked for again where that may help."""

        async def send(trial: Trial) -> HttpReply:
            if trial.number > 1:
                attempt.started = call.clock.monotonic()
            try:
                async with self._turn(attempt, call, policy) as limit:
                    attempt.has_seen_query = True
                    reply = await self.api.send(request, limit)
                trial.status = reply.status
                provider.judge(reply)
            except GossamerError as failure:
                raise await self.note(attempt, failure, call) from None
            return reply

        async def pause(error: GossamerError, trial: Trial) -> bool:
            return not attempt.is_probe and await self._waited(attempt, error, trial, call, policy)

        return await retried(send, pause)


def pace(part: Provider | Source) -> float | None:
    """How many requests a second it is sent, where that is bounded."""
    return (part.per_second if isinstance(part, Provider) else None) or part.terms.per_second


def takes(part: Provider | Source) -> str:
    """Why there is a queue for it."""
    per_second = pace(part)
    return f"{part.title} takes {per_second:g} a second here" if per_second else f"Other requests to {part.title} wait"


def _until(attempt: Attempt, call: Call) -> Call:
    return replace(call, deadline=min(call.deadline + attempt.queued_s, attempt.latest))


def _late(attempt: Attempt, limit_s: float) -> GossamerError:
    """What is said of one that was not done in time: it was silent, or its turn had not come."""
    title, given = attempt.part.title, f"{round(limit_s, 1):g} s"
    if attempt.queued_at is None:
        return TimedOut(f"{title} did not answer within {given}.", hint="Try again.")
    return Busy(f"{takes(attempt.part)}; our turn did not come within {given}.", hint="Try again.")


def _on_site(hits: tuple[Hit, ...], site: str | None) -> tuple[Hit, ...]:
    """The hits on the site asked for: not every engine obeys its own operator."""
    return tuple(hit for hit in hits if site is None or is_on_site(hit.url, site))
