"""Tools bound to an engine: arguments in, a result or a failure out. Knows no transport."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, cast

from gossamer.compose import (
    SystemClock,
    cursor_key,
    engine_options,
    open_engine,
    open_library,
    open_limiter,
    shared_state,
    tool_rates,
)
from gossamer.contracts import choose_tools
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Fault, Reply, Tool
from gossamer.contracts.render.envelope import clean_json, error_text, quote_data
from gossamer.engine import Engine
from gossamer.engine.library import LibraryAccess
from gossamer.errors import GossamerError, Outcome, RateLimited, TimedOut, UsageError
from gossamer.extractors.workers.sandbox import forbid_dumping
from gossamer.ports import STAGE_PART, Call, Clock, Progress, State
from gossamer.ports.call import LOCAL, Caller
from gossamer.ports.redact import redacted
from gossamer.server.log import CANCELLED, EventLog
from gossamer.settings.environment import limit_blas_threads
from gossamer.settings.load import Loaded

if TYPE_CHECKING:
    from gossamer.limits.limiter import Limiter, Rate

SCOPE_KEY = "gossamer.caller"
"""Where the gate of the HTTP server leaves the caller in an ASGI scope."""
_BEAT_S = 4.0
"""A client hears from a long call at least every five seconds."""
_LARGEST_ID = 2**53
_MOST_ASKED = 4_096


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """The result of a call, for whichever transport carries it."""

    text: str
    data: dict[str, Any] | None
    meta: dict[str, Any]
    is_error: bool
    fault: Fault | None = None
    """What the protocol tells instead of all this, where the tool's contract says so."""


class Watch(Protocol):
    """A rate limiter of calls."""

    def begin(self) -> None:
        """A call starts."""
        ...

    def end(self, tool: str, outcome: str, seconds: float) -> None:
        """A call that began has ended."""
        ...

    def fail(self, stage: str) -> None:
        """A stage of reading a page has failed."""
        ...


class Service:
    """The tools of a server. The engine opens at the first call, so that a handshake never waits for it."""

    def __init__(self, loaded: Loaded, *, beat_s: float = _BEAT_S, clock: Clock | None = None) -> None:
        self.settings = loaded.settings
        self.log = EventLog(loaded.settings.log.level)
        if self.log.tells_requests:
            self.log.prepare()
        self._problems: list[GossamerError] = list(loaded.problems)
        self.tools = {tool.name: tool for tool in self._choose()}
        self._rates = self._read_rates()
        self._clock = clock or SystemClock()
        self._policies = engine_options(loaded.settings).policies
        self._stack = AsyncExitStack()
        self._state: State | None = None
        self._engine: Engine | None = None
        self._opening: asyncio.Task[Engine] | None = None
        self._looking = asyncio.Lock()
        self._cursor_key: bytes | None = None
        self._limiter: Limiter | None = None
        self._counting = asyncio.Lock()
        self._beat_s = beat_s
        self.watch: Watch | None = None
        self.has_state = True
        """Whether limits hash names as other processes do; else they are counted in this process alone."""

    def _read_rates(self) -> "dict[str, Rate]":
        """The limits of the tools that have one, by their contract or by the settings."""
        if not self.settings.limits.tools and not any(tool.rate for tool in self.tools.values()):
            return {}
        try:
            return tool_rates(self.settings, self.tools.values())
        except UsageError as error:
            self._problems.append(error)
            return {}

    def _choose(self) -> tuple[Tool, ...]:
        settings = self.settings
        without = {
            name
            for name, on in (("search", settings.web_search_enabled), ("fetch", settings.web_fetch_enabled))
            if not on
        }
        try:
            return choose_tools(settings.tools.split(","), without=frozenset(without), dotless=settings.dotless)
        except UsageError as error:
            self._problems.append(error)
            self.log.problem(str(error))
            return choose_tools(["core"], without=frozenset(without), dotless=settings.dotless)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        caller: str = "local",
        request: object = None,
        progress: Progress,
    ) -> Outgoing:
        """Run a tool; every foreseeable failure is a result that says what to do next.

        `request` is the client's id of it, if there is one.
        """
        tool = self.tools[name]
        counter = Counter(progress, self._beat_s)
        started = self._clock.monotonic()
        call = Call(
            clock=self._clock,
            caller=caller,
            request=name_request(request),
            deadline=started + tool.timeout_s(self._policies),
            time_setting=tool.time_setting,
            progress=counter.report,
        )
        counter.start()
        if self.watch:
            self.watch.begin()
        outcome, count = Outcome.ERROR.value, None
        try:
            reply = await self._run(tool, arguments, call)
            outcome, count = reply.outcome.value, reply.count
            return result_of(reply)
        except GossamerError as error:
            outcome = error.outcome.value
            return failure_of(error, call, tool, arguments)
        except asyncio.CancelledError:
            outcome = CANCELLED
            call.cancelled.set()
            raise
        except Exception as error:  # noqa: BLE001  the last line before the protocol: a bug is told and logged, not hidden
            self.log.bug(name, error)
            told = GossamerError("Gossamer failed on this call.", hint="Try other arguments, and report it.")
            return failure_of(told, call, tool, arguments)
        finally:
            counter.stop()
            if self.watch:
                self.watch.end(name, outcome, self._clock.monotonic() - started)
                for part in call.log.parts:
                    if part.name.startswith(STAGE_PART):
                        self.watch.fail(part.name.removeprefix(STAGE_PART))
            if self.log.tells_requests:
                asked = " ".join(_asked(arguments.get(key)) for key in ("query", "question", "url", "urls", "queries"))
                self.log.request(call=call, tool=name, outcome=outcome, started=started, asked=asked, count=count)

    async def _run(self, tool: Tool, arguments: Mapping[str, Any], call: Call) -> Reply[Any]:
        if self._problems:
            raise self._problems[0].with_traceback(None)
        read = read_arguments(tool.arguments, arguments, call.log.note)
        if tool.check:
            tool.check(self._policies, read)
        try:
            async with asyncio.timeout(call.remaining_s):
                if tool.name in self._rates:
                    await self._admit(tool, call)
                engine = await self.open()
                return await tool.run(
                    engine, call, **{field: getattr(read, field) for field in type(read).model_fields}
                )
        except TimeoutError as error:
            limit_s = tool.timeout_s(self._policies)
            setting = f" ({tool.time_setting} is {round(limit_s * 1000)}.)" if tool.time_setting else ""
            raise TimedOut(
                f"{tool.name} did not finish within {limit_s:g} s.{setting}", hint="Try again, or ask for less."
            ) from error

    async def _admit(self, tool: Tool, call: Call) -> None:
        wait_s = await (await self.limiter()).admit_call(call.caller, tool.name)
        if wait_s is not None:
            rate = self._rates[tool.name]
            raise RateLimited(tool.name, retry_after_s=wait_s).but(
                message=f"{tool.name} allows each user {rate.count} calls in {rate.seconds} s; this limit is reached."
            )

    async def open(self) -> Engine:
        """The engine, opened if it is not yet; a call does this by itself.

        Opening goes on when one who waits for it gives up: the next finds it further on. One that failed is repeated.
        """
        if self._engine is not None:
            return self._engine
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self._open())
            self._opening.add_done_callback(_take_note)
        opening = self._opening
        await asyncio.wait([opening])
        return opening.result()

    async def _open(self) -> Engine:
        await asyncio.to_thread(_load_parts)
        opened = open_engine(self.settings, clock=self._clock, state=self._shared_state())
        self._engine = await self._stack.enter_async_context(opened)
        self._engine.warm()
        return self._engine

    def _shared_state(self) -> State:
        """The one state of this process, for the engine and for the limits."""
        if self._state is None:
            self._state = shared_state(self.settings, clock=self._clock)
            self._stack.push_async_callback(self._state.close)
        return self._state

    async def limiter(self) -> "Limiter":
        """What counts requests and calls, opened if it is not yet."""
        async with self._counting:
            if self._limiter is None:
                opened = open_limiter(
                    self.settings, self._rates, state=self._shared_state(), clock=self._clock, warn=self.log.problem
                )
                self._limiter, self.has_state = await self._stack.enter_async_context(opened)
            return self._limiter

    @asynccontextmanager
    async def library(self) -> AsyncGenerator[LibraryAccess]:
        """The pages already read; while no call has opened the engine, the store alone is opened for it."""
        if self._problems:
            raise self._problems[0].with_traceback(None)
        if not self.settings.library.remember:
            yield LibraryAccess(store=None)
            return
        if self._engine is None:
            async with self._looking, open_library(self.settings, clock=self._clock) as library:
                yield library
        else:
            yield self._engine.library

    def cursor_key(self) -> bytes:
        """The key that signs cursors, whether the engine is open or not; the first time it may be read from disk."""
        if self._engine:
            return self._engine.cursor_key
        self._cursor_key = self._cursor_key or cursor_key(self.settings)
        return self._cursor_key

    async def close(self) -> None:
        """Close the engine, if it was opened."""
        if self._opening and not self._opening.done():
            self._opening.cancel()
            await asyncio.wait([self._opening])
        await self._stack.aclose()


def result_of(reply: Reply[Any]) -> Outgoing:
    """A reply as it goes out."""
    return Outgoing(
        text=reply.text,
        data=reply.data.model_dump(mode="json", exclude_none=True) if reply.data is not None else None,
        meta=clean_json({"gossamer/outcome": reply.outcome.value, **reply.meta}),
        is_error=not (reply.outcome.is_result or reply.is_plain),
        fault=reply.fault,
    )


def failure_of(error: GossamerError, call: Call, tool: Tool, arguments: Mapping[str, Any]) -> Outgoing:
    """A failure as the tool's contract shows it, or in one sentence; what is ours stands beside it."""
    error = error if call.is_owner else redacted(error)
    told: dict[str, Any] = {
        "code": error.outcome.value,
        "message": error.message,
        "hint": error.hint,
        "retryable": error.retryable,
        **quote_data(error.quote),
    }
    if error.retry_after_s is not None:
        told["retry_after_s"] = error.retry_after_s
    meta: dict[str, Any] = {"gossamer/outcome": error.outcome.value, "gossamer/error": told}
    if call.log.notes:
        meta["gossamer/note"] = list(call.log.notes)
    if tool.told is not None:
        shown = result_of(tool.told(error, arguments))
        meta["gossamer/error"] = {**clean_json(told), **shown.meta.get("gossamer/error", {})}
        return replace(shown, meta=meta, is_error=True)
    return Outgoing(text=error_text(error, now=call.clock.now()), data=None, meta=clean_json(meta), is_error=True)


class Counter:
    """Progress that only grows, with a beat when there is nothing else to say."""

    def __init__(self, progress: Progress, beat_s: float) -> None:
        self._progress = progress
        self._beat_s = beat_s
        self._steps = 0
        self._telling: asyncio.Task[None] | None = None

    async def report(self, _done: float, _total: float | None, message: str) -> None:
        """One step more, whatever its number was."""
        self._steps += 1
        await self._progress(self._steps, None, message)

    def start(self) -> None:
        """Beat from now on: by a timer, since most calls end before the first."""
        self._timer = asyncio.get_running_loop().call_later(self._beat_s, self._beat)

    def stop(self) -> None:
        """Beat no more."""
        self._timer.cancel()
        if self._telling:
            self._telling.cancel()

    def _beat(self) -> None:
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self.report(0, None, "still working"))
        self.start()


def _asked(given: object) -> str:
    """An argument as the log's hash is made of it; however long it is, its beginning tells it from others."""
    return str(cast("str | list[object]", given)[:_MOST_ASKED]) if isinstance(given, str | list) else ""


def name_request(given: object) -> str:
    """What the log calls a request: the client's id where that is a plain number, since text may say anything."""
    is_plain = isinstance(given, int) and abs(given) < _LARGEST_ID
    return str(given) if is_plain else uuid.uuid4().hex[:12]


def caller_of(request: Any) -> Caller:
    """The caller of a request as the SDK hands it on; on stdio there is no request, and no other way to be local."""
    return LOCAL if request is None else request.scope[SCOPE_KEY]


def _take_note(opening: asyncio.Task[Engine]) -> None:
    """Retrieve the result of an opening, so that its error is not reported as unhandled."""
    if not opening.cancelled():
        opening.exception()


def _load_parts() -> tuple[ModuleType, ...]:
    """Import what an engine is made of off the event loop, which goes on answering meanwhile.

    From here on there are keys in memory and parsers beside us: other processes are kept from looking.
    """
    limit_blas_threads()
    forbid_dumping()
    import numpy as np

    from gossamer.engine import result_pages
    from gossamer.extractors.workers import pool
    from gossamer.net import client, exchange
    from gossamer.states import sqlite as state
    from gossamer.stores.sqlite import store

    return np, result_pages, pool, client, exchange, state, store
