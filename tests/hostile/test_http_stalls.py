"""One connection cannot stall the server or fill its memory: everything that arrives counts against a bound.

Each flood is a shape that has no end, sent by a stranger without a login; what is measured is the real process.
"""

import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gossamer.server.http.token_file import new_token
from tests.hostile.reverse_proxies import COMPONENT_OF, FRONTS, NAME, Front
from tests.hostile.server_cost import Cost, check, measured
from tests.patience import LONG_S
from tests.real.processes import HttpServer, environment_for, open_http

MOST_BYTES = 64 * 2**20
"""What an attack sends at most: who has not hung up by then reads without end."""
MOST_GROWTH_MB = 32
MOST_CPU_S = 5.0
"""Processor time that one attack may cost."""
PIPELINED = 3_000
PIECE = 65_536
LOOK_S = 0.05
HEAD = "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + "Transfer-Encoding: chunked\r\n\r\n"

Flood = tuple[str, Callable[[], Iterator[bytes]]]
"""How it begins, and what follows without end."""


def repeated(piece: bytes) -> Callable[[], Iterator[bytes]]:
    """The same bytes again and again, in large writes."""
    return lambda: itertools.repeat(piece * max(1, PIECE // len(piece)))


def numbered(line: str) -> Callable[[], Iterator[bytes]]:
    """Lines that differ, in large writes."""

    def lines() -> Iterator[bytes]:
        for start in itertools.count(0, 4_000):
            yield "".join(line.format(start + at) for at in range(4_000)).encode()

    return lines


FLOODS: dict[str, Flood] = {
    "a trailer whose value has no end": (CHUNKED + "0\r\nX: ", repeated(b"a")),
    "a trailer whose name has no end": (CHUNKED + "0\r\n", repeated(b"a")),
    "a trailer of endless lines": (CHUNKED + "0\r\n", numbered("X-{}: a\r\n")),
    "a trailer of endless folds": (CHUNKED + "0\r\nX: a\r\n", repeated(b" a\r\n")),
    "a header whose name has no end": (HEAD, repeated(b"a")),
    "a header whose value has no end": (HEAD + "X: ", repeated(b"a")),
    "a header of blanks": (HEAD + "X: ", repeated(b" ")),
    "headers without end": (HEAD, numbered("X-{}: a\r\n")),
    "the same tiny header without end": (HEAD, repeated(b"a:b\r\n")),
    "a header of endless folds": (HEAD + "X: a\r\n", repeated(b" a\r\n")),
    "lines without a colon": (HEAD, repeated(b"a\r\n")),
    "a method without end": ("", repeated(b"A")),
    "a path without end": ("POST /", repeated(b"a")),
    "a version without end": ("POST /mcp HTTP/", repeated(b"1")),
    "blank lines before a request": ("", repeated(b"\r\n")),
    "line feeds before a request": ("", repeated(b"\n")),
    "returns before a request": ("", repeated(b"\r")),
    "nuls": ("", repeated(b"\x00")),
    "a chunk extension without end": (CHUNKED + "1;", repeated(b"a")),
    "a quoted chunk extension without end": (CHUNKED + '1;a="', repeated(b"\\a")),
    "an extension on every chunk": (CHUNKED, repeated(b"1;" + b"a" * 1_000 + b"\r\na\r\n")),
    "a chunk size without end": (CHUNKED, repeated(b"0")),
    "a chunk size of blanks": (CHUNKED + "1", repeated(b" ")),
    "chunks of one byte": (CHUNKED, repeated(b"1\r\na\r\n")),
    "chunks of one byte, each number long": (CHUNKED, repeated(b"0000000000000001\r\na\r\n")),
    "one chunk without end": (CHUNKED + "fffffff0\r\n", repeated(b"a")),
    "a body that is longer than any": (HEAD + "Content-Length: 99999999999\r\n\r\n", repeated(b"a")),
    "a body longer than may be": (HEAD + "Content-Length: 70000000\r\n\r\n", repeated(b"[")),
}


def within(server: HttpServer, cost: Cost, most_cpu_s: float = MOST_CPU_S) -> None:
    check(server, cost, growth_mb=MOST_GROWTH_MB, cpu_s=most_cpu_s)


def bounded(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """As much of them as an attack sends at most."""
    left = MOST_BYTES
    for piece in pieces:
        yield piece
        left -= len(piece)
        if left <= 0:
            return


class Servers:
    """An open server, one with logins, and what stands before it; each is started when it is first needed."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack = stack
        self._folder = folder
        self._started: dict[str, tuple[HttpServer, Front]] = {}

    def __getitem__(self, name: str) -> tuple[HttpServer, Front]:
        if name not in self._started:
            folder = self._folder / str(len(self._started))
            folder.mkdir()
            if name in {"open", "with logins"}:
                environment = environment_for("http://127.0.0.1:1", "127.0.0.1:1", folder)
                if name == "with logins":
                    environment["GOSSAMER_HTTP__HOSTS"] = NAME
                    new_token(Path(environment["DATA_DIR"]) / "tokens.json", "alice", now=time.time())
                server = self._stack.enter_context(open_http(environment))
                server.ask("POST", "/mcp", {}, b"{}")  # what is loaded with the first message is no growth
                front = self._stack.enter_context(FRONTS["direct"](server.port, folder))
            else:
                server, _ = self["with logins"]
                front = self._stack.enter_context(FRONTS[name](server.port, folder))
            self._started[name] = server, front
        return self._started[name]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack, tmp_path_factory.mktemp("stalls"))


PROXIES = [
    pytest.param(name, marks=[pytest.mark.component(COMPONENT_OF[name])] if name in COMPONENT_OF else [])
    for name in FRONTS
    if name != "direct"
]


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("place", ["open", "with logins"])
def test_what_has_no_end_is_cut_off_and_costs_little(place: str, flood: str, servers: Servers) -> None:
    server, front = servers[place]
    beginning, rest = FLOODS[flood]
    with measured(server) as cost, front.connect() as stranger:
        stranger.send(beginning.format(host=front.host).encode())
        stranger.flood(bounded(rest()), within_s=4 * LONG_S)
        assert stranger.wait_closed(), f"still open after {stranger.sent_bytes} bytes"
        assert len(stranger.answers) <= 1
    within(server, cost)


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("place", PROXIES)
def test_what_has_no_end_costs_little_behind_a_proxy(place: str, flood: str, servers: Servers) -> None:
    server, front = servers[place]
    beginning, rest = FLOODS[flood]
    with measured(server) as cost, front.connect() as stranger:
        stranger.send(beginning.format(host=front.host).encode())
        stranger.flood(bounded(rest()), within_s=4 * LONG_S)
    within(server, cost)


@pytest.mark.parametrize("place", ["open", "with logins"])
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
    within(server, cost)


@pytest.mark.parametrize("place", ["open", "with logins"])
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
    within(server, cost, most_cpu_s=PIPELINED * 0.005)


DRIPS = {
    "nothing at all": ("", b""),
    "a head": (HEAD + "X: ", b"a"),
    "lines of a head": (HEAD, b"a:b\r\n"),
    "blank lines": ("", b"\r\n"),
    "a path": ("POST /", b"a"),
    "a body": (HEAD + "Content-Length: 1000\r\n\r\n", b"a"),
    "chunks": (CHUNKED, b"1\r\na\r\n"),
    "a chunk": (CHUNKED + "ffff\r\n", b"a"),
    "a chunk size": (CHUNKED, b"0"),
    "a chunk extension": (CHUNKED + "1;", b"a"),
    "a trailer": (CHUNKED + "0\r\nX: ", b"a"),
    "lines of a trailer": (CHUNKED + "0\r\n", b"a:b\r\n"),
    "a body after a refusal": (HEAD.replace("/mcp", "/nowhere") + "Content-Length: 1000\r\n\r\n", b"a"),
}
"""What arrives drop by drop, and the drop; each connection has 20 s for a head and 20 s for a body."""
DRIP_S = 1.0


@pytest.mark.parametrize("place", ["open", "with logins"])
def test_what_comes_drop_by_drop_is_cut_off(place: str, servers: Servers) -> None:
    server, front = servers[place]
    still_open: list[str] = []

    def drip(name: str) -> None:
        beginning, drop = DRIPS[name]
        until = time.monotonic() + 2 * LONG_S
        with front.connect() as stranger:
            stranger.send(beginning.format(host=front.host).encode())
            while not stranger.wait_closed(DRIP_S):
                if time.monotonic() > until:
                    still_open.append(name)
                    return
                stranger.send(drop)

    with measured(server) as cost:
        threads = [threading.Thread(target=drip, args=[name]) for name in DRIPS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert still_open == []
    within(server, cost)
