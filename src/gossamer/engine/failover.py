"""Failover: providers asked in turn, the next when one fails, a free one when one is slow (hedging)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gossamer.engine.policies import SearchPolicy
from gossamer.engine.provider_call import Attempt, ProviderCalls, takes
from gossamer.errors import GossamerError, TimedOut
from gossamer.model.search import Failure, Found, Query
from gossamer.ports import Call, Provider, Source
from gossamer.resilience.deadline import HEDGE, ONE_PROVIDER
from gossamer.resilience.single_flight import mark_seen
from gossamer.steps.search.plan import Candidate, following

_HEDGE_S = 3.0


@dataclass(kw_only=True, slots=True)
class Failover:
    """One query on its way: who was asked, who failed and how, whose answer counts."""

    provider_calls: ProviderCalls
    parts: Mapping[str, Provider | Source]
    order: Sequence[Candidate]
    query: Query
    call: Call
    policy: SearchPolicy
    attempts: dict[str, Attempt] = field(default_factory=dict[str, Attempt])
    errors: dict[str, GossamerError] = field(default_factory=dict[str, GossamerError])
    empty: dict[str, Found] = field(default_factory=dict[str, Found])
    answer: tuple[str, Found] | None = None
    is_stand_in: bool = False
    """Whether another would have answered, had we not kept it waiting in our own queue."""
    _running: dict[asyncio.Task[Found], str] = field(default_factory=dict[asyncio.Task[Found], str])

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Who could not deliver, in the order in which it turned out."""
        return tuple(Failure.of(name, error) for name, error in self.errors.items())

    @property
    def seen_by(self) -> tuple[str, ...]:
        """Who was really sent the query, in the order asked."""
        return tuple(name for name, attempt in self.attempts.items() if attempt.has_seen_query)

    async def run(self) -> None:
        """Ask until a provider has hits or none is left; the first empty answer counts when there is no other."""
        try:
            has_begun = await self._begin()
            while self._running and not self.answer:
                patience_s = self._patience_s() if has_begun else None
                done, _ = await asyncio.wait(self._running, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    self._take(self._running.pop(task), task)
                if not self.answer and (done or not self._patience_s()):
                    has_begun = await self._begin()
            await self._drop_the_slow()
        finally:
            for task in self._running:
                task.cancel()
        if self.answer is None and self.empty:
            self.answer = next(iter(self.empty.items()))

    def _hedge_s(self, attempt: Attempt) -> float:
        """How long a provider alone may take before another is asked too; one that says that it is slow has longer."""
        share_s = HEDGE * attempt.time_s
        return (
            share_s
            if self.provider_calls.time_for(attempt.part, self.policy) > self.provider_calls.timeout_s
            else min(_HEDGE_S, share_s)
        )

    def _patience_s(self) -> float:
        """How long it is until everybody who was asked has thought, or stood in our queue, for too long."""
        now = self.call.clock.monotonic()
        waiting = [self.attempts[name] for name in self._running.values()]
        return max(
            0.0, *(self._hedge_s(attempt) - max(attempt.waited_s(now), attempt.thought_s(now)) for attempt in waiting)
        )

    def _time_s(self, part: Provider | Source, *, is_last: bool) -> float:
        """As long as it needs, as long as those after it get their turn."""
        return min(
            self.provider_calls.time_for(part, self.policy), self.call.remaining_s * (1.0 if is_last else ONE_PROVIDER)
        )

    async def _begin(self) -> bool:
        """Ask the next one; tell whether there was one."""
        slow = self._running.values()
        chosen = following(self.query, self.order, self.attempts, empty=self.empty, slow=slow)
        if chosen is None or (self.attempts and not self.call.remaining_s):
            return False
        part, now = self.parts[chosen.name], self.call.clock.monotonic()
        is_last = len(self.attempts) + 1 >= len(self.order)
        time_s = self._time_s(part, is_last=is_last)
        attempt = Attempt(part=part, began=now, started=now, time_s=time_s, is_last=is_last)
        self.attempts[chosen.name] = attempt
        await self.call.progress(len(self.attempts), len(self.order), f"asking {part.title}")
        task = asyncio.create_task(self.provider_calls.ask(attempt, self.query, self.call, self.policy))
        task.add_done_callback(mark_seen)
        self._running[task] = chosen.name
        return True

    def _take(self, name: str, task: asyncio.Task[Found]) -> None:
        try:
            found = task.result()
        except GossamerError as error:
            self.errors[name] = error
            return
        if not found.hits:
            self.empty[name] = found
        elif self.answer is None:
            self.answer = (name, found)

    async def _drop_the_slow(self) -> None:
        """Stop those that have not answered; one that kept us waiting becomes a failure and counts against it.

        One that had failed and was being asked again keeps that failure.
        """
        dropped = dict(self._running)
        for task in dropped:
            task.cancel()
        if dropped:
            await asyncio.wait(dropped)
        self._running.clear()
        for name in dropped.values():
            attempt = self.attempts[name]
            now = self.call.clock.monotonic()
            thought_s = attempt.thought_s(now)
            self._tell_of_queue(attempt, attempt.waited_s(now))
            if attempt.noted:
                self.errors[name] = attempt.noted
            elif attempt.has_seen_query:
                late = TimedOut(
                    f"{attempt.part.title} had not answered after {thought_s:.1f} s, when another had.",
                    hint="Try again.",
                )
                if thought_s >= self._hedge_s(attempt):
                    self.errors[name] = late
                else:
                    attempt.is_hurried = True
                await self.provider_calls.note(attempt, late, self.call)

    def _tell_of_queue(self, attempt: Attempt, waited_s: float) -> None:
        if waited_s and waited_s >= self._hedge_s(attempt):
            self.is_stand_in = True
            self.call.log.note(
                f"{takes(attempt.part)}; this search had waited {waited_s:.1f} s for its turn, so another answered."
            )
