"""MCP over stdio: one client, one process, gone when the client is."""

import asyncio
import contextlib
import logging
import os
import signal
import sys

from gossamer.errors import EXIT_BUG
from gossamer.server.log import LogBridge
from gossamer.server.pipe import guard_stdout, open_pipe
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.load import Loaded

_TURN_S = 0.001
"""How long a thread may keep the interpreter from the event loop, which must notice the end at once."""
_LEAVE_S = 0.15
"""For all that is done before leaving: replies nearly ready first, then the store."""
_FLUSH_S = 0.08
_CLOSE_S = 0.04
_LATEST_S = 0.28
"""Then the system ends us, whoever holds the interpreter: what was acknowledged is on disk."""


def _hurry() -> None:
    """Give this thread its turn often, and let the system end the process if it gets none in time."""
    sys.setswitchinterval(_TURN_S / 10)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, _LATEST_S)


def serve_stdio(loaded: Loaded) -> None:
    """Serve until stdin closes or a signal comes, then leave within 0.3 s, whatever is still running."""
    out = guard_stdout()
    sys.setswitchinterval(_TURN_S)
    asyncio.run(_serve(loaded, out))


async def _serve(loaded: Loaded, out: int) -> None:
    service = Service(loaded)
    logging.getLogger("gossamer").addHandler(LogBridge(service.log))
    for problem in loaded.problems:
        service.log.problem(str(problem))
    server = build_server(service)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopped.set)
    async with open_pipe(0, out) as pipe:
        running = loop.create_task(server.run(pipe.read, pipe.write, server.create_initialization_options()))
        ends = [loop.create_task(event.wait()) for event in (pipe.ended, stopped)]
        await asyncio.wait([running, *ends], return_when=asyncio.FIRST_COMPLETED)
        error = running.exception() if running.done() else None
        if error:
            service.log.bug("server", error)
        _hurry()
        leave_at = loop.time() + _LEAVE_S
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(pipe.idle.wait(), _FLUSH_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(service.close(), max(_CLOSE_S, leave_at - loop.time()))
        os._exit(EXIT_BUG if error else 0)  # threads that still run must not hold us; everything committed is on disk
