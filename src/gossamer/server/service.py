"""Tools bound to an engine: arguments in, a result or a told failure out. Knows no transport."""

import asyncio
import importlib
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from gossamer.contracts import choose_tools, unbuilt
from gossamer.contracts.arguments import read_arguments
from gossamer.contracts.contract import Reply, Tool
from gossamer.engine import Engine
from gossamer.engine.shelf import Shelf
from gossamer.errors import GossamerError, Outcome, RateLimited, TimedOut, UsageError
from gossamer.ports import Call, Progress
from gossamer.server.beat import Counter
from gossamer.server.log import CANCELLED, EventLog
from gossamer.settings.load import Loaded
from gossamer.settings.numbers import spare_threads
from gossamer.steps.mark import escape
from gossamer.wiring import SystemClock, cursor_key, open_engine, open_shelf
from gossamer.wiring.limits import engine_limits

if TYPE_CHECKING:
    from gossamer.server.limits.limiter import Limiter

_BEAT_S = 4.0
"""A client hears from a long call at least every five seconds."""
_LARGEST_ID = 2**53


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """The result of a call, for whichever transport carries it."""

    text: str
    data: dict[str, Any] | None
    meta: dict[str, Any]
    is_error: bool


class Watch(Protocol):
    """Whoever counts calls."""

    def begin(self) -> None:
        """A call starts."""
        ...

    def end(self, tool: str, outcome: str, seconds: float) -> None:
        """A call that began has ended."""
        ...


class Service:
    """The tools of a server. The engine opens at the first call, so that a handshake never waits for it."""

    def __init__(self, loaded: Loaded, *, beat_s: float = _BEAT_S) -> None:
        self.settings = loaded.settings
        self.log = EventLog(loaded.settings.log.level)
        if self.log.tells_requests:
            self.log.prepare()
        self._problems: list[GossamerError] = list(loaded.problems)
        self.tools = {tool.name: tool for tool in self._choose()}
        self._check_limits()
        self._clock = SystemClock()
        self._deadlines = engine_limits(loaded.settings).deadlines
        self._stack = AsyncExitStack()
        self._engine: Engine | None = None
        self._opening: asyncio.Task[Engine] | None = None
        self._looking = asyncio.Lock()
        self._cursor_key: bytes | None = None
        self._limiter: Limiter | None = None
        self._counting = asyncio.Lock()
        self._beat_s = beat_s
        self.watch: Watch | None = None
        self.has_state = True
        """Whether limits are counted where the settings say; else in this process alone."""

    def _check_limits(self) -> None:
        if self.settings.limits.tools:
            from gossamer.server.limits.opening import tool_rates

            try:
                tool_rates(self.settings)
            except UsageError as error:
                self._problems.append(error)

    def _choose(self) -> tuple[Tool, ...]:
        settings = self.settings
        without = {
            name
            for name, on in (("search", settings.web_search_enabled), ("fetch", settings.web_fetch_enabled))
            if not on
        }
        try:
            names = settings.tools.split(",")
            chosen = choose_tools(names, without=frozenset(without), dotless=settings.dotless)
        except UsageError as error:
            self._problems.append(error)
            self.log.problem(str(error))
            return choose_tools(["core"], without=frozenset(without), dotless=settings.dotless)
        for name in unbuilt(names):
            self.log.problem(f"{name}: not in this version, so it adds no tool.")
        return chosen

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
            deadline=started + tool.timeout_s(self._deadlines),
            progress=counter.report,
        )
        counter.start()
        if self.watch:
            self.watch.begin()
        outcome = Outcome.ERROR.value
        try:
            reply = await self._run(tool, arguments, call)
            outcome = reply.outcome.value
            return _result(reply)
        except GossamerError as error:
            outcome = error.outcome.value
            return _failure(error, call, tool, arguments)
        except asyncio.CancelledError:
            outcome = CANCELLED
            call.cancelled.set()
            raise
        except Exception as error:  # noqa: BLE001  the last line before the protocol: a bug is told and logged, not hidden
            self.log.bug(name, error)
            told = GossamerError("Gossamer failed on this call.", hint="Try other arguments, and report it.")
            return _failure(told, call, tool, arguments)
        finally:
            counter.stop()
            if self.watch:
                self.watch.end(name, outcome, self._clock.monotonic() - started)
            if self.log.tells_requests:
                asked = " ".join(str(arguments.get(key, "")) for key in ("query", "question", "url", "urls", "queries"))
                self.log.request(call=call, tool=name, outcome=outcome, started=started, asked=asked)

    async def _run(self, tool: Tool, arguments: Mapping[str, Any], call: Call) -> Reply[Any]:
        if self._problems:
            raise self._problems[0].with_traceback(None)
        read = read_arguments(tool.arguments, arguments, call.note)
        try:
            async with asyncio.timeout(call.remaining_s):
                if self.settings.limits.tools:
                    await self._admit(tool, call)
                engine = await self.open()
                return await tool.run(
                    engine, call, **{field: getattr(read, field) for field in type(read).model_fields}
                )
        except TimeoutError as error:
            raise TimedOut(
                f"{tool.name} did not finish within {tool.timeout_s(self._deadlines):g} s.",
                hint="Try again, or ask for less.",
            ) from error

    async def _admit(self, tool: Tool, call: Call) -> None:
        wait_s = await (await self.limiter()).admit_call(call.caller, tool.name)
        if wait_s is not None:
            raise RateLimited(f"The limit that the operator set for {tool.name}", retry_after_s=wait_s)

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
        self._engine = await self._stack.enter_async_context(open_engine(self.settings))
        self._engine.warm()
        return self._engine

    async def limiter(self) -> "Limiter":
        """What counts requests and calls, opened if it is not yet."""
        async with self._counting:
            if self._limiter is None:
                from gossamer.server.limits.opening import open_limiter

                opened = open_limiter(self.settings, clock=self._clock, log=self.log)
                self._limiter, self.has_state = await self._stack.enter_async_context(opened)
            return self._limiter

    @asynccontextmanager
    async def shelf(self) -> AsyncGenerator[Shelf]:
        """The pages already read; while no call has opened the engine, the store alone is opened for it."""
        if self._problems:
            raise self._problems[0].with_traceback(None)
        if not self.settings.library.remember:
            yield Shelf(store=None)
            return
        if self._engine is None:
            async with self._looking, open_shelf(self.settings, clock=self._clock) as shelf:
                yield shelf
        else:
            yield self._engine.shelf

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


def name_request(given: object) -> str:
    """What the log calls a request: the client's id where that is a plain number, since text may say anything."""
    is_plain = isinstance(given, int) and abs(given) < _LARGEST_ID
    return str(given) if is_plain else uuid.uuid4().hex[:12]


def _take_note(opening: asyncio.Task[Engine]) -> None:
    """Look at the end of an opening, which perhaps nobody waits for any longer."""
    if not opening.cancelled():
        opening.exception()


def _load_parts() -> None:
    """Import what an engine is made of off the event loop, which goes on answering meanwhile."""
    spare_threads()
    for name in (
        "engine.answering",
        "net.client",
        "net.wire",
        "net.trust",
        "extractors.workers.pool",
        "stores.sqlite",
        "states.sqlite",
    ):
        importlib.import_module(f"gossamer.{name}")
    importlib.import_module("numpy")


def _result(reply: Reply[Any]) -> Outgoing:
    return Outgoing(
        text=reply.text,
        data=reply.data.model_dump(mode="json", exclude_none=True) if reply.data is not None else None,
        meta={"gossamer/outcome": reply.outcome.value, **reply.meta},
        is_error=not (reply.outcome.is_result or reply.is_plain),
    )


def _failure(error: GossamerError, call: Call, tool: Tool, arguments: Mapping[str, Any]) -> Outgoing:
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
    if tool.told is not None:
        return replace(_result(tool.told(error, arguments)), meta=meta, is_error=True)
    return Outgoing(text=escape(f"{error.outcome.value}: {error}"), data=None, meta=meta, is_error=True)
