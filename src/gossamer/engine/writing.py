"""One provider asked alone for a text, by a contract's own rules: its attempts, its time, its cache."""

import asyncio
import hashlib
import math
import random
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pydantic import TypeAdapter, ValidationError

from gossamer.engine.accounts import account, hidden, silence
from gossamer.engine.health import Healths
from gossamer.engine.isolation import tenant
from gossamer.engine.unready import Variable
from gossamer.engine.writing_rules import WritingRules
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
from gossamer.flights import Flights
from gossamer.model.http import HttpReply
from gossamer.model.writing import Wish, Written
from gossamer.ports import Call, Http, Provider, Source, State, Writer
from gossamer.steps.attempts import rest_s
from gossamer.steps.canonical import host_of
from gossamer.steps.plain import plain

_WRITTEN = TypeAdapter(Written)
_OWN_SHARE = 0.98
"""Of a call's time: what is left says that it ran out, and by which setting."""
_QUOTA_REST_S = 60.0
"""There is nobody else to ask, and an account that was topped up is to be noticed."""
_LONGEST_REST_S = 600.0
"""Whatever a service says of its return, it is looked at again after so long."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Writing:
    """Asks and remembers; equal wishes at one time are one."""

    api: Http
    healths: Healths
    state: State
    part: Callable[[str], Awaitable[Provider | Source | None]]
    """Somebody who can be asked, by name."""
    variable: Variable
    _flights: Flights[Written] = field(init=False, default_factory=Flights[Written])

    async def write(self, name: str, wish: Wish, call: Call, rules: WritingRules) -> Written:
        """What the model of a provider writes; every failure knows who failed, and how the exchange went."""
        provider = await self.part(name)
        if not (isinstance(provider, Provider) and isinstance(provider, Writer)):
            raise UnknownName(f"There is no provider named {name!r} that writes.", hint="Check the settings.")
        wish = replace(wish, day=datetime.fromtimestamp(call.clock.now(), UTC).date())
        lacking = provider.lacks
        if lacking == "no_key" or (lacking and rules.checks_key):
            raise self._unready(provider, lacking)
        key = _key(provider, wish, tenant(call))
        if kept := await self._recall(key, call, rules.keep_s):
            return kept
        errand = _Errand(self, provider, provider, wish, rules, key)
        limit = call if call.deadline == math.inf else call.within(call.remaining_s * _OWN_SHARE)
        started, parts = call.clock.monotonic(), len(call.parts)
        try:
            async with asyncio.timeout(None if limit.deadline == math.inf else limit.remaining_s):
                written = await self._flights.join(key, lambda: errand.run(limit))
        except TimeoutError as error:
            raise errand.late() from error
        except GossamerError as error:
            is_ours = isinstance(error, TimedOut) and not limit.remaining_s
            raise errand.late() if is_ours else copy(error) from error  # others who waited have the same one
        if len(call.parts) == parts:
            call.record("search shared", Outcome.OK, since=started)
        return written

    def _unready(self, provider: Provider, lacking: str) -> Denied:
        variable = self.variable(provider.name, "api_key")
        if lacking == "no_key":
            told = Denied(
                f"{provider.title} cannot be asked without {variable}.",
                hint=f"Set {variable} to a key of your project; see gossamer doctor.",
            )
        else:
            told = Denied(
                f"The key in {variable} is none of {provider.title}: those begin with sk-.",
                hint=f"Set {variable} to a key of your project, or base_url to the service that it is for.",
            )
        return told.about(provider=provider.name, reason=lacking)

    async def _recall(self, key: str, call: Call, keep_s: float) -> Written | None:
        if not keep_s:
            return None
        with suppress(StoreError, ValidationError):
            if (text := await self.state.get(key)) is not None:
                call.record("search cache", Outcome.OK, since=call.clock.monotonic())
                return replace(_WRITTEN.validate_json(text), is_kept=True)
        return None

    async def remember(self, key: str, written: Written, call: Call, keep_s: float) -> None:
        """Keep a text without what was asked; when the state is away it is not kept, and that is said."""
        if keep_s:
            try:
                await self.state.put(key, _WRITTEN.dump_json(written).decode(), ttl_s=keep_s)
            except StoreError as error:
                call.note_failure("The search was not cached", error)


@dataclass(frozen=True, slots=True)
class _Errand:
    """One wish on its way to one provider."""

    writing: Writing
    provider: Provider
    writer: Writer
    """The same, as one who writes."""
    wish: Wish
    rules: WritingRules
    key: str

    async def run(self, starter: Call) -> Written:
        """Ask for all who wait for it: the one who came first may leave without ending it.

        However often it asks, it is one call to those who count outages, and theirs cuts none of its attempts.
        """
        call = replace(starter, cancelled=threading.Event())
        provider, healths = self.provider, self.writing.healths
        try:
            await healths.admit(self._account, provider.title)
        except GossamerError as error:
            call.record(provider.name, error.outcome, since=call.clock.monotonic())
            if isinstance(error, QuotaExhausted):
                error.retry_after_s = None  # waiting alone fills no account
            error.about(provider=provider.name, reason="left_alone")
            raise
        await call.progress(0, 1, f"asking {provider.title}")
        try:
            written = await self._asked(call)
        except GossamerError as error:
            await self._note(error, call)
            raise
        await healths.succeeded(self._account)
        await self.writing.remember(self.key, written, call, self.rules.keep_s)
        return written

    async def _asked(self, call: Call) -> Written:
        """What it wrote, asked for as often as the contract says."""
        provider, tried = self.provider, 0
        while True:
            started, reply = call.clock.monotonic(), None
            tried += 1
            try:
                reply = await self.writing.api.send(self.writer.order(self.wish), call)
                provider.judge(reply)
                written = self.writer.written(reply, self.wish)
            except GossamerError as error:
                self._tell(error, reply, tried)
                call.record(provider.name, error.outcome, since=started)
                wait_s = rest_s(
                    self.rules.attempts,
                    error,
                    tried=tried,
                    status=reply.status if reply else None,
                    left_s=call.remaining_s,
                    chance=random.random(),  # noqa: S311 - spreads requests, hides nothing
                )
                if wait_s is None:
                    raise
                if isinstance(error, RateLimited) and error.retry_after_s:
                    await self._note(error, call)  # it binds others too
                await asyncio.sleep(wait_s)
            else:
                call.record(provider.name, Outcome.OK, since=started, size=len(reply.body))
                return replace(self._silenced(written), written_at=call.clock.now())

    def late(self) -> TimedOut:
        """That the time ran out, and by which setting."""
        setting = self.rules.timeout_setting
        return TimedOut(
            f"{self.provider.title} did not answer within {self.rules.timeout_s:g} s ({setting}).",
            hint=f"Try again; the operator can raise {setting}.",
        ).about(provider=self.provider.name, reason="timeout")

    @property
    def _account(self) -> str:
        """Every model of an account has a pace and a health of its own."""
        return f"{account(self.provider)}:{self.wish.model}"

    def _tell(self, error: GossamerError, reply: HttpReply | None, tried: int) -> None:
        """Let an error know its exchange; keys are taken out of its words, and who failed is called by name."""
        known: dict[str, str | int] = {"provider": self.provider.name, "attempts": tried}
        if reply is not None:
            known["status"] = error.status = reply.status
            if request_id := plain(reply.headers.get("x-request-id", ""), max_chars=100):
                known["requestId"] = request_id
        else:
            host = host_of(self.writer.order(self.wish).url)
            error.message = error.message.replace(host, self.provider.title)
        silence(error.about(**known), self.provider)

    def _silenced(self, written: Written) -> Written:
        """What it wrote without our key, were it to repeat it; every index stays true."""
        return replace(
            written,
            text=hidden(written.text, self.provider),
            mentions=tuple(
                replace(one, url=hidden(one.url, self.provider), title=hidden(one.title, self.provider))
                for one in written.mentions
            ),
            sources=tuple(hidden(url, self.provider) for url in written.sources),
        )

    async def _note(self, error: GossamerError, call: Call) -> None:
        """Remember a failure of the service; that we gave it little time is none."""
        if not (isinstance(error, TimedOut) and not call.remaining_s):
            longest_s = _QUOTA_REST_S if isinstance(error, QuotaExhausted) else _LONGEST_REST_S
            await self.writing.healths.failed(self._account, error, longest_s=longest_s)


def _key(provider: Provider, wish: Wish, user: str) -> str:
    said = repr((account(provider), wish, user))
    return f"writing:{hashlib.sha256(said.encode()).hexdigest()}"
