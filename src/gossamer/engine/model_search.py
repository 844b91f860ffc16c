"""Model search: one provider's model searches and writes, by a contract's policy of retries, time and cache."""

import asyncio
import hashlib
import math
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pydantic import TypeAdapter, ValidationError

from gossamer.engine.key_redaction import account, hidden, redacted
from gossamer.engine.policies import ModelSearchPolicy
from gossamer.engine.searching import Variable
from gossamer.errors import (
    Denied,
    GossamerError,
    Outcome,
    QuotaExhausted,
    RateLimited,
    StoreError,
    TimedOut,
    UnknownName,
)
from gossamer.model.http import HttpReply
from gossamer.model.search import ModelAnswer, ModelQuery
from gossamer.ports import Call, Http, Provider, SearchModel, Source, State
from gossamer.resilience.breaker import CircuitBreakers
from gossamer.resilience.deadline import MODEL_SEARCH
from gossamer.resilience.retry import Trial
from gossamer.resilience.single_flight import SingleFlight
from gossamer.steps.text.clean_line import plain
from gossamer.steps.web.urls import host_of

_ANSWER = TypeAdapter(ModelAnswer)
_QUOTA_REST_S = 60.0
"""There is nobody else to ask, and an account that was topped up is to be noticed."""
_LONGEST_REST_S = 600.0
"""Whatever a service says of its return, it is looked at again after so long."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSearch:
    """Asks and remembers; equal queries at one time are one (single-flight)."""

    api: Http
    circuit_breakers: CircuitBreakers
    state: State
    part: Callable[[str], Awaitable[Provider | Source | None]]
    """A provider or source, by name."""
    variable: Variable
    _flights: SingleFlight[ModelAnswer] = field(init=False, default_factory=SingleFlight[ModelAnswer])

    async def search(self, name: str, query: ModelQuery, call: Call, policy: ModelSearchPolicy) -> ModelAnswer:
        """What the model of a provider writes; every failure knows who failed, and how the exchange went."""
        provider = await self.part(name)
        if not (isinstance(provider, Provider) and isinstance(provider, SearchModel)):
            raise UnknownName(f"There is no provider named {name!r} that writes.", hint="Check the settings.")
        query = replace(query, day=datetime.fromtimestamp(call.clock.now(), UTC).date())
        lacking = provider.lacks
        if lacking == "no_key" or (lacking and policy.checks_key):
            raise self._unready(provider, lacking)
        key = _key(provider, query, call.tenant)
        if kept := await self._recall(key, call, policy.keep_s):
            return kept
        model_call = _ModelCall(self, provider, provider, query, policy, key)
        limit = MODEL_SEARCH.of(call)
        started, parts = call.clock.monotonic(), len(call.log.parts)
        try:
            async with asyncio.timeout(None if limit.deadline == math.inf else limit.remaining_s):
                answer = await self._flights.join(key, lambda: model_call.run(limit))
        except TimeoutError as error:
            raise model_call.late() from error
        except GossamerError as error:
            is_ours = isinstance(error, TimedOut) and not limit.remaining_s
            raise model_call.late() if is_ours else error.but() from error
        if len(call.log.parts) == parts:
            call.record("search shared", Outcome.OK, since=started)
        return answer

    def _unready(self, provider: Provider, lacking: str) -> Denied:
        variable = self.variable(provider.name, "api_key")
        if lacking == "no_key":
            error = Denied(
                f"{provider.title} cannot be asked without {variable}.",
                hint=f"Set {variable} to a key of your project; see gossamer doctor.",
            )
        else:
            error = Denied(
                f"The key in {variable} is none of {provider.title}: those begin with sk-.",
                hint=f"Set {variable} to a key of your project, or base_url to the service that it is for.",
            )
        return error.about(provider=provider.name, reason=lacking)

    async def _recall(self, key: str, call: Call, keep_s: float) -> ModelAnswer | None:
        if not keep_s:
            return None
        with suppress(StoreError, ValidationError):
            if (text := await self.state.get(key)) is not None:
                call.record("search cache", Outcome.OK, since=call.clock.monotonic())
                return replace(_ANSWER.validate_json(text), is_kept=True)
        return None

    async def remember(self, key: str, answer: ModelAnswer, call: Call, keep_s: float) -> None:
        """Keep a text without what was asked; when the state is away it is not kept, and that is said."""
        if keep_s:
            try:
                await self.state.put(key, _ANSWER.dump_json(answer).decode(), ttl_s=keep_s)
            except StoreError as error:
                call.note_failure("The search was not cached", error)


@dataclass(frozen=True, slots=True)
class _ModelCall:
    """One query on its way to one provider."""

    search: ModelSearch
    provider: Provider
    model: SearchModel
    """The same, as a model that searches."""
    query: ModelQuery
    policy: ModelSearchPolicy
    key: str

    async def run(self, starter: Call) -> ModelAnswer:
        """Ask for all who wait for it: the one who came first may leave without ending it.

        However often it asks, it is one call to those who count outages, and theirs cuts none of its attempts.
        """
        call = replace(starter, cancelled=threading.Event())
        provider, circuit_breakers = self.provider, self.search.circuit_breakers
        try:
            await circuit_breakers.admit(self._account, provider.title)
        except GossamerError as error:
            call.record(provider.name, error.outcome, since=call.clock.monotonic())
            wait_s = None if isinstance(error, QuotaExhausted) else error.retry_after_s  # waiting fills no account
            raise error.but(retry_after_s=wait_s).about(provider=provider.name, reason="left_alone") from error
        await call.progress(0, 1, f"asking {provider.title}")
        try:
            answer = await self._asked(call)
        except GossamerError as error:
            await self._note(error, call)
            raise
        await circuit_breakers.succeeded(self._account)
        await self.search.remember(self.key, answer, call, self.policy.keep_s)
        return answer

    async def _asked(self, call: Call) -> ModelAnswer:
        """What it wrote, asked for as often as the contract says."""
        provider = self.provider

        async def attempt(trial: Trial) -> ModelAnswer:
            started, reply = call.clock.monotonic(), None
            try:
                reply = await self.search.api.send(self.model.model_request(self.query), call)
                trial.status = reply.status
                provider.judge(reply)
                answer = self.model.model_answer(reply, self.query)
            except GossamerError as failure:
                error = self._explained(failure, reply, trial.number)
                call.record(provider.name, error.outcome, since=started)
                raise error from None
            call.record(provider.name, Outcome.OK, since=started, size=len(reply.body))
            return replace(self._redacted(answer), written_at=call.clock.now())

        async def note_limit(error: GossamerError) -> None:
            if isinstance(error, RateLimited) and error.retry_after_s:
                await self._note(error, call)  # it binds others too

        return await self.policy.attempts.run(attempt, call, on_retry=note_limit)

    def late(self) -> TimedOut:
        """That the time ran out, and by which setting."""
        setting = self.policy.timeout_setting
        return TimedOut(
            f"{self.provider.title} did not answer within {self.policy.timeout_s:g} s ({setting}).",
            hint=f"Try again; the operator can raise {setting}.",
        ).about(provider=self.provider.name, reason="timeout")

    @property
    def _account(self) -> str:
        """Every model of an account has a pace and a health of its own."""
        return f"{account(self.provider)}:{self.query.model}"

    def _explained(self, error: GossamerError, reply: HttpReply | None, tried: int) -> GossamerError:
        """An error that knows its exchange; keys are taken out of its words, and who failed is called by name."""
        known: dict[str, str | int] = {"provider": self.provider.name, "attempts": tried}
        if reply is not None:
            error = error.but(status=reply.status)
            known["status"] = reply.status
            if request_id := plain(reply.headers.get("x-request-id", ""), max_chars=100):
                known["requestId"] = request_id
        else:
            host = host_of(self.model.model_request(self.query).url)
            error = error.but(message=error.message.replace(host, self.provider.title))
        return redacted(error.about(**known), self.provider)

    def _redacted(self, answer: ModelAnswer) -> ModelAnswer:
        """What it wrote without our key, were it to repeat it; every index stays true."""
        return replace(
            answer,
            text=hidden(answer.text, self.provider),
            mentions=tuple(
                replace(mention, url=hidden(mention.url, self.provider), title=hidden(mention.title, self.provider))
                for mention in answer.mentions
            ),
            sources=tuple(hidden(url, self.provider) for url in answer.sources),
        )

    async def _note(self, error: GossamerError, call: Call) -> None:
        """Remember a failure of the service; that we gave it little time is none."""
        if not (isinstance(error, TimedOut) and not call.remaining_s):
            longest_s = _QUOTA_REST_S if isinstance(error, QuotaExhausted) else _LONGEST_REST_S
            await self.search.circuit_breakers.failed(self._account, error, longest_s=longest_s)


def _key(provider: Provider, query: ModelQuery, user: str) -> str:
    identity = repr((account(provider), query, user))
    return f"writing:{hashlib.sha256(identity.encode()).hexdigest()}"
