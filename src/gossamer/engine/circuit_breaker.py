"""Circuit breaker of each service, kept in the state: shared by all processes, alive after a restart."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from gossamer.errors import GossamerError, StoreError
from gossamer.ports import Clock, State
from gossamer.resilience.breaker import (
    LONGEST_S,
    WINDOW_S,
    Health,
    after_answer,
    after_failure,
    begin_probe,
    is_its_fault,
    quiet_s,
    told,
)

_HEALTH = TypeAdapter(Health)
_SWAPS = 5
"""How often a change is tried against others who change the same record; lost, it only opens a little later."""
_PATIENCE_S = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class CircuitBreakers:
    """What is remembered of services by their key; without the state nothing is, and everybody is asked.

    A service that never failed has no record, so that a good answer writes nothing; when it last answered is then
    known to this process alone.
    """

    state: State
    clock: Clock
    _ok_at: dict[str, float] = field(init=False, default_factory=dict[str, float])

    async def admit(self, key: str, title: str) -> bool:
        """Raise when the service is to be left alone; after an outage one caller in a while is let through.

        Tell whether this is that one, who looks whether the outage is over.
        """
        with suppress(StoreError):
            written, health = await self._recall(key)
            now = self.clock.now()
            if quiet_s(health, now=now):
                raise told(health, title, now=now)
            if health.is_out:
                probing = begin_probe(health, now=now)
                if not await self._swap(key, written, probing):
                    raise told(probing, title, now=now)
                return True
        return False

    async def look(self, key: str) -> Health:
        """What is known of a service, without asking it."""
        with suppress(StoreError):
            return (await self._recall(key))[1]
        return Health()

    async def failed(self, key: str, error: GossamerError, *, longest_s: float = LONGEST_S) -> None:
        """Remember a failed attempt; it keeps us away for so long at most."""
        if is_its_fault(error):
            now = self.clock.now()
            await self._change(
                key, lambda known: after_failure(self._seen(key, known), error, now=now, longest_s=longest_s)
            )

    async def succeeded(self, key: str, *, rest_s: float = 0.0) -> None:
        """Forget what was held against it; one that asks for a rest with its answer gets it."""
        now = self._ok_at[key] = self.clock.now()
        await self._change(
            key,
            lambda known: (
                after_answer(known, now=now, rest_s=rest_s) if rest_s or known != Health(ok_at=known.ok_at) else known
            ),
        )

    def _seen(self, key: str, health: Health) -> Health:
        return replace(health, ok_at=max(health.ok_at, self._ok_at.get(key, 0.0)))

    async def _change(self, key: str, change: Callable[[Health], Health]) -> None:
        """Change a record as often as it takes for nobody's change to be lost; no answer waits long for it."""
        with suppress(StoreError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                for _ in range(_SWAPS):
                    written, before = await self._recall(key)
                    after = change(before)
                    if after == before or await self._swap(key, written, after):
                        break

    async def _recall(self, key: str) -> tuple[str | None, Health]:
        written = await self.state.get(_name(key))
        if written is not None:
            with suppress(ValidationError):
                return written, _HEALTH.validate_json(written)
        return written, Health()

    async def _swap(self, key: str, written: str | None, health: Health) -> bool:
        ttl_s = LONGEST_S if health.failed or health.quiet_until else WINDOW_S
        return await self.state.swap(_name(key), written, _HEALTH.dump_json(health).decode(), ttl_s=ttl_s)


def _name(key: str) -> str:
    return f"health:{key}"
