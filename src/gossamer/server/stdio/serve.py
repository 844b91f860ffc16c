"""MCP over stdio: one client, one process, gone when the client is."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from mcp.server import Server

from gossamer.errors import EXIT_BUG, GossamerError
from gossamer.process import guard_stdout, hear_signals, leave, leave_within
from gossamer.server.log import LogBridge
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.server.stdio.pipe import Pipe, can_wait, is_hung_up
from gossamer.settings.load import Loaded

_TURN_S = 0.001
"""How long a thread may keep the interpreter from the event loop, which must notice the end at once."""
_LEAVE_S = 0.15
"""For all that is done before leaving: replies nearly ready first, then the store."""
_FLUSH_S = 0.08
_LATE_S = 1.0
"""For the answers to a client that hung up before it was heard: they have only just begun."""
_CLOSE_S = 0.04
_LATEST_S = 0.28
"""Then the system ends us, whoever holds the interpreter: what was acknowledged is on disk."""


def serve_stdio(loaded: Loaded, *, build: Callable[[Service], Server[Any]] = build_server) -> None:
    """Serve until stdin closes or a signal comes, then leave within 0.3 s, whatever is still running."""
    Stdio(loaded, build=build).run()


class Stdio:
    """A server that is ready to be run on standard input and output; it may be made in any thread."""

    def __init__(self, loaded: Loaded, *, build: Callable[[Service], Server[Any]] = build_server) -> None:
        self._service = Service(loaded)
        logging.getLogger("gossamer").addHandler(LogBridge(self._service.log))
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its words may quote a request
        for problem in loaded.problems:
            self._service.log.problem(str(problem))
        self._server = build(self._service)

    def run(
        self,
        *,
        out: int | None = None,
        lead: bytes = b"",
        silent: str | int | None = None,
        has_ended: bool = False,
    ) -> None:
        """Serve until the client or a signal ends it, SIGINT too, which is no failure here; the process ends here.

        `out` is the guarded standard output and `lead` what was read of standard input, where somebody did so
        before; the reply to the request `silent` has been given. `has_ended` says that the client hung up already.
        """
        sys.setswitchinterval(_TURN_S)
        if os.name != "posix":
            asyncio.run(self.serve_portably())
            return
        try:
            out = guard_stdout() if out is None else out
        except OSError:
            return  # no standard output: nobody to serve
        asyncio.run(self._serve(out, lead, silent, has_ended=has_ended))

    async def serve_portably(self) -> None:
        """Serve with the SDK's own transport, where the event loop cannot wait for standard input."""
        from mcp.server.stdio import stdio_server

        async with stdio_server() as (read, write):
            await self._server.run(read, write, self._server.create_initialization_options())
        await self._service.close()

    async def _serve(self, out: int, lead: bytes, silent: str | int | None, *, has_ended: bool) -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        hear_signals(loop, stopped.set)
        is_late = has_ended or not can_wait(0) or is_hung_up(0)
        pipe = Pipe(0, out, lead=lead, silent=silent)
        options = self._server.create_initialization_options()
        running = loop.create_task(self._server.run(pipe.read, pipe.write, options))
        ends = [loop.create_task(event.wait()) for event in (pipe.ended, stopped)]
        await asyncio.wait([running, *ends], return_when=asyncio.FIRST_COMPLETED)
        error = running.exception() if running.done() else None
        if error:
            self._service.log.bug("server", error)
        if is_late:
            owed = loop.create_task(pipe.idle.wait())
            await asyncio.wait([owed, ends[1]], return_when=asyncio.FIRST_COMPLETED, timeout=_LATE_S)
        sys.setswitchinterval(_TURN_S / 10)
        leave_within(_LATEST_S)
        leave_at = loop.time() + _LEAVE_S
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(pipe.idle.wait(), _FLUSH_S)
        with contextlib.suppress(TimeoutError, GossamerError):
            await asyncio.wait_for(self._service.close(), max(_CLOSE_S, leave_at - loop.time()))
        leave(EXIT_BUG if error else 0)
