"""One connection cannot stall the server or fill its memory: each flood and drip, twenty times, on every way in."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests import components
from tests.hostile.raw_http import RawConnection
from tests.hostile.reverse_proxies import COMPONENT_OF
from tests.hostile.server_cost import Cost, TimedServer, check, measured
from tests.hostile.stalls import (
    DRIPS,
    FLOODS,
    GROWTH_MB,
    HEAD,
    OPEN,
    PIECE,
    PLACES,
    TURN_S,
    Servers,
    most_cpu_s,
    try_flood,
)
from tests.patience import LONG_S

TRIES = 20
MOST_BYTES = 64 * 2**20
"""Who has not hung up on a client that goes on sending by then reads without end."""
PIPELINED = 3_000
DRIP_S = 1.0
ALONE = [OPEN, "direct"]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack, tmp_path_factory.mktemp("stalls"))


def within(server: TimedServer, cost: Cost, cpu_s: float) -> None:
    check(server, cost, growth_mb=GROWTH_MB, cpu_s=cpu_s, turn_s=TURN_S)


def marked(place: str) -> object:
    marks = [pytest.mark.component(COMPONENT_OF[place])] if place in COMPONENT_OF else []
    return pytest.param(place, marks=marks)


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("place", [marked(place) for place in PLACES])
def test_what_has_no_end_is_cut_off_and_costs_little(place: str, flood: str, servers: Servers) -> None:
    server, front = servers[place]
    cost, faults = try_flood(server, front, flood, TRIES)
    assert faults == []
    within(server, cost, most_cpu_s(flood, TRIES))


@pytest.mark.parametrize("place", ALONE)
def test_who_goes_on_sending_after_the_refusal_is_cut_off(place: str, servers: Servers) -> None:
    server, front = servers[place]
    with measured(server) as cost, socket.create_connection(("127.0.0.1", front.port), timeout=LONG_S) as stranger:
        sent, is_cut = 0, False
        stranger.sendall(HEAD.format(host=front.host).encode() + b"Content-Length: 99999999999\r\n\r\n")
        while sent < MOST_BYTES and not is_cut:
            try:
                sent += stranger.send(b"a" * PIECE)
            except OSError:
                is_cut = True
        assert is_cut
    within(server, cost, cpu_s=2.0)


@pytest.mark.parametrize("place", ALONE)
def test_a_pipeline_whose_answers_nobody_reads_holds_little(place: str, servers: Servers) -> None:
    server, front = servers[place]
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    post = HEAD.format(host=front.host).encode() + b"Accept: application/json, text/event-stream\r\n"
    request = post + b"Content-Length: %d\r\n\r\n" % len(ping) + ping
    with measured(server) as cost, socket.create_connection(("127.0.0.1", front.port), timeout=1) as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        left = memoryview(request * PIPELINED)
        try:
            while left:
                left = left[stranger.send(left) :]
        except OSError:  # it reads no more, or has hung up
            pass
    within(server, cost, cpu_s=PIPELINED * 0.005)


def test_what_comes_drop_by_drop_is_cut_off(servers: Servers) -> None:
    """The server alone ends each drip; behind a proxy, which may hold it, it costs little."""
    places = [place for place in PLACES if not (place in COMPONENT_OF and components.trouble(COMPONENT_OF[place]))]
    with ExitStack() as stack:
        costs = [(server, stack.enter_context(measured(server))) for server in {servers[place][0] for place in places}]
        with ExitStack() as connections:
            dripping: list[tuple[str, str, RawConnection]] = []
            for place in places:
                _, front = servers[place]
                for name, (beginning, _) in DRIPS.items():
                    for _ in range(TRIES):
                        stranger = connections.enter_context(front.connect())
                        stranger.send(beginning.format(host=front.host).encode())
                        dripping.append((place, name, stranger))
            until = time.monotonic() + 2 * LONG_S
            while left := {(place, name) for place, name, each in dripping if place in ALONE and not each.is_closed}:
                assert time.monotonic() < until, f"still open: {left}"
                next_s = time.monotonic() + DRIP_S
                for _, name, stranger in dripping:
                    stranger.wait_closed(within_s=0.001)
                    stranger.send(DRIPS[name][1], within_s=0.001)
                next(each for _, _, each in dripping if not each.is_closed).wait_closed(next_s - time.monotonic())
    for server, cost in costs:
        within(server, cost, cpu_s=TRIES)
