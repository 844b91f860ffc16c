"""The limiter over the state that the settings name."""

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager

from gossamer.contracts import REGISTRY
from gossamer.contracts.contract import Tool
from gossamer.contracts.registry import without_dots
from gossamer.errors import BadSettings, GossamerError
from gossamer.ports import Clock
from gossamer.ports.addresses import is_lasting
from gossamer.server.limits.limiter import Limiter, Rate
from gossamer.server.log import EventLog
from gossamer.settings.model import Settings
from gossamer.states import STATES, open_state
from gossamer.wiring import folder_key

_FAILED_LOGINS = Rate(count=60, seconds=60)
"""Of one address. Nobody guesses 256 bits: this keeps strangers cheap, and a valid login is never held up by it."""


def tool_rates(settings: Settings, tools: Iterable[Tool] = ()) -> dict[str, Rate]:
    """The limits of single tools by the tools' own names; one that is no tool's is a bad setting.

    What the settings leave open is as the contracts of `tools` say.
    """
    names = {without_dots(name): name for names in REGISTRY.names.values() for name in names}
    rates = {tool.name: Rate.parse(tool.rate) for tool in tools if tool.rate}
    for written, rate in Rate.by_tool(settings.limits.tools).items():
        name = names.get(without_dots(written))
        if name is None:
            raise BadSettings(
                f"limits.tools names {written!r}, which is no tool.", hint=f"Known are: {', '.join(names.values())}."
            )
        rates[name] = rate
    return {name: rate for name, rate in rates.items() if rate}


@asynccontextmanager
async def open_limiter(
    settings: Settings, rates: Mapping[str, Rate] | None = None, *, clock: Clock, log: EventLog
) -> AsyncGenerator[tuple[Limiter, bool]]:
    """A limiter, and whether it counts where the settings say; where that cannot be opened it counts here alone.

    `rates` are the limits of single tools; None: those of the settings alone.
    Processes that share a state count together when they also share the data folder, whose key hides the names.
    """
    is_shared, key, address = True, os.urandom(32), settings.state_address
    try:
        if is_lasting(STATES, address):
            key = await asyncio.to_thread(folder_key, settings, "limits")
        state = await open_state(address, clock=clock)
    except GossamerError as error:
        log.problem(f"{error} Limits hold in this process alone.")
        state = await open_state("memory:", clock=clock)
        is_shared = False
    limits = settings.limits
    limiter = Limiter(
        state,
        clock=clock,
        key=key,
        requests=Rate.parse(limits.requests),
        tools=tool_rates(settings) if rates is None else rates,
        in_flight=limits.in_flight,
        in_flight_total=limits.in_flight_total,
        failed_logins=_FAILED_LOGINS,
    )
    try:
        yield limiter, is_shared
    finally:
        await limiter.close()
        await state.close()
