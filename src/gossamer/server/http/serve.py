"""MCP over streamable HTTP: many clients, one process, until a signal ends it."""

import asyncio
import contextlib
import gc
import logging
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from gossamer.compose import SystemClock, misfits, tool_rates
from gossamer.errors import BadSettings, GossamerError
from gossamer.process import EXIT_INTERRUPTED, hear_signals, leave
from gossamer.server.http.bind import Bind, are_loopback, open_sockets, place, raise_file_limit
from gossamer.server.http.gate import Door, Gate
from gossamer.server.http.health import Health
from gossamer.server.http.host_origin import Hosts, Origins
from gossamer.server.http.listen import Listener
from gossamer.server.http.metrics import Metrics
from gossamer.server.http.token_file import token_path
from gossamer.server.http.tokens import Tokens
from gossamer.server.log import LogBridge
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.settings.key_file import folder_key
from gossamer.settings.load import Loaded
from gossamer.settings.model import Settings

DRAIN_S = 10.0
_TURN_S = 0.0005
"""How long the event loop may keep the interpreter from the threads that store: they need it often, for a moment."""
_CLOSE_S = 3.0
_MOST_CONNECTIONS = 10_000

Build = Callable[[Service], Server[Any]]


def serve_http(loaded: Loaded, bind: Bind, *, is_insecure: bool = False, build: Build = build_server) -> None:
    """Serve until a signal comes, let running requests end, then leave; a second signal ends at once.

    Unlike stdio, broken settings are refused here: whoever starts a server for others can mend them. `build` makes
    the protocol's side of a service.
    """
    if problems := [*loaded.problems, *misfits(loaded.settings)]:
        raise problems[0]
    tool_rates(loaded.settings)
    settings = loaded.settings
    hosts, origins = Hosts(settings.http.hosts), Origins(settings.http.origins)
    tokens = Tokens(token_path(settings), clock=SystemClock())
    if settings.http.tokens and not tokens.required():
        raise BadSettings(
            f"The setting http.tokens names {settings.http.tokens}, and there is no such file.",
            hint="Make it with `gossamer token new NAME`, or correct the setting.",
        )
    sockets = open_sockets(bind)
    door = Door(is_loopback=are_loopback(sockets) and not hosts.has_foreign, is_insecure=is_insecure)
    if not (door.is_loopback or is_insecure or tokens.required()):
        for one in sockets:
            one.close()
        raise BadSettings(
            f"{place(bind.host, bind.port)} can be reached by others, and nobody would need a login.",
            hint="Make one with `gossamer token new NAME`, or add --insecure if everybody may use this server.",
        )
    sys.setswitchinterval(_TURN_S)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(loaded, sockets, _Entrance(door=door, hosts=hosts, origins=origins, tokens=tokens), build))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entrance:
    """The authentication that the settings ask for."""

    door: Door
    hosts: Hosts
    origins: Origins
    tokens: Tokens


async def _serve(loaded: Loaded, sockets: list[socket.socket], entrance: _Entrance, build: Build) -> None:
    door, tokens = entrance.door, entrance.tokens
    service = Service(loaded)
    service.log.prepare()
    logging.getLogger("gossamer").addHandler(LogBridge(service.log))
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its words may quote a request
    server = build(service)
    metrics = service.watch = Metrics(service.tools)
    limiter = await service.limiter()
    health = Health(service.log)
    health.checks.append(lambda: "logins cannot be checked" if tokens.problem else None)
    health.doubts.append(
        lambda: None if service.has_state and not limiter.is_degraded else "limits are kept in this process alone"
    )
    manager = StreamableHTTPSessionManager(
        app=server, stateless=True, json_response=False, max_request_body_size=door.max_body_bytes
    )
    settings = loaded.settings
    gate = Gate(
        manager.handle_request,
        door=door,
        hosts=entrance.hosts,
        origins=entrance.origins,
        tokens=tokens,
        limiter=limiter,
        metrics=metrics,
        health=health,
        log=service.log,
        tools=service.tools,
        peer_key=await asyncio.to_thread(_peer_key, settings),
        in_flight_total=settings.limits.in_flight_total,
    )
    host, port = sockets[0].getsockname()[:2]
    listener = Listener(
        gate,
        on_listening=lambda: _say(f"Listening on http://{place(host, port)}/mcp"),
        drain=lambda: gate.drain(DRAIN_S),
        on_refuse=metrics.refuse_on_wire,
        # The other half of the files is for what calls open: pages, stores, workers.
        most_connections=min(_MOST_CONNECTIONS, raise_file_limit() // 2),
    )
    take_signals(listener, health)
    async with manager.run():
        beside = [
            asyncio.create_task(health.keep_opening(lambda: _open(service))),
            asyncio.create_task(tokens.keep_looking()),
        ]
        await listener.serve(sockets)
        for task in beside:
            task.cancel()
    with contextlib.suppress(TimeoutError, GossamerError):
        await asyncio.wait_for(service.close(), _CLOSE_S)
    leave()


async def _open(service: Service) -> None:
    """Open the engine and its store; what lives from now on need not be looked at by later garbage collections."""
    engine = await service.open()
    await engine.library.look()
    gc.collect()
    gc.freeze()


def _say(text: str) -> None:
    """Print a line for the operator."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def take_signals(listener: Listener, health: Health) -> None:
    """Drain at the first signal, leave at the second."""

    def stop() -> None:
        if health.is_draining:
            leave(EXIT_INTERRUPTED)
        health.is_draining = True
        listener.should_exit = True

    hear_signals(asyncio.get_running_loop(), stop)


def _peer_key(settings: Settings) -> bytes:
    """What peers without a login are hashed with: the same after a new start, so that their cursors stay theirs."""
    try:
        return folder_key(settings, "peers")
    except GossamerError:
        return os.urandom(32)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
