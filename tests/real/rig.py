"""The real engine over real HTTP, with a clock of one's choice."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from gossamer.engine import Engine, EngineOptions
from gossamer.net.client import ApiDoor
from gossamer.ports import Call, Provider, State
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S
from tests.unit.engine.world import World

UNHURRIED = EngineOptions(provider_timeout_s=LONG_S, search_cache_s=0)
QUICK = replace(UNHURRIED, provider_timeout_s=2.0)
"""For who hangs; on a busy machine one who is well may take longer than that."""


@asynccontextmanager
async def api_door() -> AsyncGenerator[ApiDoor]:
    door = ApiDoor(user_agent="Gossamer test", timeout_s=LONG_S)
    try:
        yield door
    finally:
        await door.close()


class RunningClock(SetClock):
    """A day of one's choice that passes as ever, so that what is remembered expires."""

    def __init__(self, start: float = 0.0) -> None:
        super().__init__()
        self.time = (start or time.time()) - time.monotonic()

    def now(self) -> float:
        return self.time + time.monotonic()

    def monotonic(self) -> float:
        return time.monotonic()


def engine_over(
    door: ApiDoor,
    *providers: Provider,
    limits: EngineOptions = UNHURRIED,
    clock: SetClock | None = None,
    state: State | None = None,
) -> Engine:
    world = World(clock=clock or RunningClock(), limits=limits, providers=providers, state=state)
    world.api = door  # type: ignore[assignment]
    return world.engine()


def new_call(clock: SetClock | None = None) -> Call:
    return Call(clock=clock or RunningClock(), deadline=time.monotonic() + LONG_S)
