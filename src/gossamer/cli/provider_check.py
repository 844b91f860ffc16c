"""One provider, examined: whether it is configured, answers, is healthy, costs something, comes to an end."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from math import ceil
from typing import Literal

from pydantic import SecretStr

from gossamer.cli.session import in_words
from gossamer.compose import SystemClock, net_policy, search_parts
from gossamer.engine.key_redaction import account, without_keys
from gossamer.errors import GossamerError
from gossamer.model.search import Query
from gossamer.net.proxy import Proxy
from gossamer.ports import Call, Http, Provider, Source
from gossamer.resilience.breaker import CircuitBreakers, Health, quiet_s
from gossamer.settings.model import Settings
from gossamer.settings.names import usual_name

State = Literal["works", "off", "broken"]

PROBE_S = 5.0
_PROBE = Query(text="gossamer", count=1)
"""What a provider is asked to see whether it answers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderData:
    """What is known of a provider, for programs; None: not looked at."""

    is_configured: bool
    is_reachable: bool | None = None
    is_healthy: bool | None = None
    """Whether our searches may ask it now."""
    rests_s: int = 0
    """For how long it is left alone."""
    usd_per_1000: float = 0.0
    """What a thousand searches cost with these settings."""
    ends: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """The report on one provider."""

    name: str
    state: State
    text: str
    data: ProviderData


@dataclass(frozen=True, kw_only=True, slots=True)
class _Checking:
    """Examines providers with what they share."""

    wanted: Sequence[str]
    parts: Mapping[str, Provider | Source]
    """The provider or source behind each name."""
    door: Http
    proxy: Proxy | None
    circuit_breakers: CircuitBreakers | None
    clock: SystemClock = field(default_factory=SystemClock)

    async def check(self, provider: Provider) -> Check:
        """Ask a provider that costs nothing; to one that is paid for, only a connection is made."""
        if self.wanted and provider.name not in self.wanted:
            return _off(provider, "left out by search.providers")
        if not provider.is_ready:
            return _off(provider, f"{provider.title} is not configured: set {_needs(provider)}")
        terms, today = provider.terms, datetime.fromtimestamp(self.clock.now(), UTC).date()
        cost = terms.usd_per_1000 if provider.is_own else 0.0
        part = self.parts[provider.name]
        breakers = self.circuit_breakers
        health = await breakers.look(account(part)) if breakers else Health()
        rests_s = ceil(quiet_s(health, now=self.clock.now()))
        has_ended = terms.ends is not None and today >= terms.ends
        is_asked = not cost and not has_ended
        is_there, how = (None, "") if has_ended else await self._reached(provider, part, is_asked=is_asked)
        said = (
            _about(provider) + how,
            f"configured, not asked now: a thousand searches cost ${cost:g}" if cost else "free",
            _resting(health, rests_s) if rests_s else "healthy" if breakers and is_there is not False else "",
            _ending(terms.ends, terms.ending, today),
            provider.remark(today),
        )
        return Check(
            name=provider.name,
            state="broken" if is_there is False or rests_s or has_ended else "works",
            text="; ".join(part for part in said if part),
            data=ProviderData(
                is_configured=True,
                is_reachable=is_there,
                is_healthy=not rests_s if breakers else None,
                rests_s=rests_s,
                usd_per_1000=cost,
                ends=terms.ends.isoformat() if terms.ends else None,
            ),
        )

    async def _reached(self, provider: Provider, part: Provider | Source, *, is_asked: bool) -> tuple[bool | None, str]:
        """Whether the host answers, None where that is unknown, and the same in words."""
        from gossamer.net.client import reach

        try:
            async with asyncio.timeout(PROBE_S):
                if is_asked:
                    await self._ask(part)
                    return True, " answers"
                if await reach(provider.instance(_PROBE), proxy=self.proxy):
                    return True, " takes connections"
        except TimeoutError:
            return False, f" does not answer within {PROBE_S:g} s"
        except GossamerError as error:
            return False, f" does not answer: {without_keys(in_words(error), part).rstrip('.')}"
        return None, ", not checked since it is behind the proxy"

    async def _ask(self, part: Provider | Source) -> None:
        """Make a search for one result, to its end: a provider may need several replies to have read one."""
        call = Call(clock=self.clock).within(PROBE_S)
        if not isinstance(part, Provider):
            await part.search(_PROBE, call)
            return
        steps = part.steps(_PROBE)
        with suppress(StopIteration):
            request = next(steps)
            while True:
                reply = await self.door.send(request, call)
                part.judge(reply)
                request = steps.send(reply)


async def check_providers(providers: Sequence[Provider], settings: Settings) -> list[Check]:
    """All of them, at once."""
    from gossamer.net.client import ApiDoor
    from gossamer.states import open_state

    clock = SystemClock()
    policy = net_policy(settings)
    async with AsyncExitStack() as stack:
        door = ApiDoor(user_agent=policy.user_agent, ca_bundle=policy.ca_bundle, proxy=policy.service_way)
        stack.push_async_callback(door.close)
        circuit_breakers = None
        with suppress(GossamerError):  # a state that cannot be opened is told as that
            state = await open_state(settings.state_address, clock=clock)
            stack.push_async_callback(state.close)
            circuit_breakers = CircuitBreakers(state=state, clock=clock)
        parts = {part.name: part for part in search_parts(settings)}
        checking = _Checking(
            wanted=settings.search.providers,
            parts=parts,
            door=door,
            proxy=policy.service_way,
            circuit_breakers=circuit_breakers,
            clock=clock,
        )
        return list(await asyncio.gather(*(checking.check(provider) for provider in providers)))


def _off(provider: Provider, text: str) -> Check:
    return Check(name=provider.name, state="off", text=text, data=ProviderData(is_configured=provider.is_ready))


def _resting(health: Health, rests_s: int) -> str:
    why = f"{health.outcome}: {health.message}" if health.message else "an answer that asked for it"
    return f"left alone for {rests_s} s more after {why}"


def _about(provider: Provider) -> str:
    reach = "the whole web" if provider.is_general else "one site"
    return f"{provider.title} ({reach}) at {provider.instance(_PROBE)}"


def _ending(ends: date | None, why: str, today: date) -> str:
    if ends is None:
        return ""
    days = (ends - today).days
    when = f"ends on {ends}, in {days} days" if days > 0 else f"ended on {ends}"
    return f"{when}: {why}"


def _needs(provider: Provider) -> str:
    """What has to be set, by the name that people know."""
    fields = [field for field in type(provider).model_fields if field in {"api_key", "engine_id", "base_url"}]
    missing = [field for field in fields if not _is_set(getattr(provider, field))]
    keys = [("providers", provider.name, field) for field in missing]
    return " and ".join(usual_name(key) or ".".join(key) for key in keys)


def _is_set(value: object) -> bool:
    return bool(value.get_secret_value() if isinstance(value, SecretStr) else value)
