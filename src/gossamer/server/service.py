"""Tools bound to an engine: arguments in, a result or a told failure out. Knows no transport."""

import asyncio
import importlib
import uuid
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from gossamer.contracts import choose_tools
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Reply, Tool
from gossamer.engine import Engine
from gossamer.errors import GossamerError, Outcome, TimedOut, UsageError
from gossamer.ports import Call, Progress
from gossamer.server.log import EventLog
from gossamer.settings.load import Loaded
from gossamer.steps.mark import escape
from gossamer.wiring import SystemClock, engine_limits, open_engine

_BEAT_S = 4.0
"""A client hears from a long call at least every five seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """The result of a call, for whichever transport carries it."""

    text: str
    data: dict[str, Any] | None
    meta: dict[str, Any]
    is_error: bool


class Service:
    """The tools of a server. The engine opens at the first call, so that a handshake never waits for it."""

    def __init__(self, loaded: Loaded, *, beat_s: float = _BEAT_S) -> None:
        self.settings = loaded.settings
        self.log = EventLog(loaded.settings.log.level)
        self._problems: list[GossamerError] = list(loaded.problems)
        self.tools = {tool.name: tool for tool in self._choose()}
        self._clock = SystemClock()
        self._deadlines = engine_limits(loaded.settings).deadlines
        self._stack = AsyncExitStack()
        self._engine: Engine | None = None
        self._opening = asyncio.Lock()
        self._beat_s = beat_s

    def _choose(self) -> tuple[Tool, ...]:
        settings = self.settings
        without = {
            name
            for name, on in (("search", settings.web_search_enabled), ("fetch", settings.web_fetch_enabled))
            if not on
        }
        try:
            return choose_tools([name.strip() for name in settings.tools.split(",")], without=frozenset(without))
        except UsageError as error:
            self._problems.append(error)
            return choose_tools(["core"], without=frozenset(without))

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, caller: str = "local", request: str = "", progress: Progress
    ) -> Outgoing:
        """Run a tool; every foreseeable failure is a result that says what to do next."""
        tool = self.tools[name]
        counter = _Counter(progress, self._beat_s)
        started = self._clock.monotonic()
        call = Call(
            clock=self._clock,
            caller=caller,
            request=request or uuid.uuid4().hex[:12],
            deadline=started + tool.timeout_s(self._deadlines),
            progress=counter.report,
        )
        beat = asyncio.create_task(counter.beat())
        outcome = Outcome.ERROR
        try:
            reply = await self._run(tool, arguments, call)
            outcome = reply.outcome
            return _result(reply)
        except GossamerError as error:
            outcome = error.outcome
            return _failure(error, call)
        except asyncio.CancelledError:
            call.cancelled.set()
            raise
        except Exception as error:  # noqa: BLE001  the last line before the protocol: a bug is told and logged, not hidden
            self.log.bug(name, error)
            return _failure(
                GossamerError("Gossamer failed on this call.", hint="Try other arguments, and report it."), call
            )
        finally:
            beat.cancel()
            asked = " ".join(str(arguments.get(key, "")) for key in ("query", "question", "url", "urls", "queries"))
            self.log.request(call=call, tool=name, outcome=outcome, started=started, asked=asked)

    async def _run(self, tool: Tool, arguments: Mapping[str, Any], call: Call) -> Reply[Any]:
        if self._problems:
            raise self._problems[0].with_traceback(None)
        read = read_arguments(tool.arguments, arguments, call.note)
        engine = await self._open()
        try:
            async with asyncio.timeout(call.remaining_s):
                return await tool.run(
                    engine, call, **{field: getattr(read, field) for field in type(read).model_fields}
                )
        except TimeoutError as error:
            raise TimedOut(
                f"{tool.name} did not finish within {tool.timeout_s(self._deadlines):g} s.",
                hint="Try again, or ask for less.",
            ) from error

    async def _open(self) -> Engine:
        async with self._opening:
            if self._engine is None:
                await asyncio.to_thread(_load_parts)
                self._engine = await self._stack.enter_async_context(open_engine(self.settings, is_serving=True))
            return self._engine

    async def close(self) -> None:
        """Close the engine, if it was opened."""
        await self._stack.aclose()


def _load_parts() -> None:
    """Import what an engine is made of off the event loop, which goes on answering meanwhile."""
    for name in ("net.client", "net.wire", "net.trust", "extractors.pool", "stores.sqlite", "states.sqlite"):
        importlib.import_module(f"gossamer.{name}")
    importlib.import_module("numpy")


class _Counter:
    """Progress that only grows, with a beat when there is nothing else to say."""

    def __init__(self, progress: Progress, beat_s: float) -> None:
        self._progress = progress
        self._beat_s = beat_s
        self._steps = 0

    async def report(self, _done: float, _total: float | None, message: str) -> None:
        self._steps += 1
        await self._progress(self._steps, None, message)

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(self._beat_s)
            await self.report(0, None, "still working")


def _result(reply: Reply[Any]) -> Outgoing:
    return Outgoing(
        text=reply.text,
        data=reply.data.model_dump(mode="json", exclude_none=True) if reply.data is not None else None,
        meta={"gossamer/outcome": reply.outcome.value, **reply.meta},
        is_error=not reply.outcome.is_result,
    )


def _failure(error: GossamerError, call: Call) -> Outgoing:
    told: dict[str, Any] = {
        "code": error.outcome.value,
        "message": error.message,
        "hint": error.hint,
        "retryable": error.retryable,
    }
    if error.retry_after_s is not None:
        told["retry_after_s"] = error.retry_after_s
    meta: dict[str, Any] = {"gossamer/outcome": error.outcome.value, "gossamer/error": told}
    if call.notes:
        meta["gossamer/note"] = list(call.notes)
    return Outgoing(text=escape(f"{error.outcome.value}: {error}"), data=None, meta=meta, is_error=True)
