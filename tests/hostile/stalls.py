"""Stalls: what has no end, and what comes drop by drop, sent by strangers without a login; and what each may cost.

Everything that arrives counts against a bound. What is measured is the real process.
"""

import itertools
import json
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from gossamer.server.http.token_file import new_token
from tests.hostile.raw_http import NotHttp, RawConnection
from tests.hostile.reverse_proxies import FRONTS, NAME, Front
from tests.hostile.server_cost import Cost, TimedServer, measured, open_timed
from tests.patience import LONG_S
from tests.real.processes import environment_for

AT_ONCE = 20
"""Floods that run beside each other, and are measured together."""
TINY_AT_ONCE = 5
"""Chunks of one byte: so few that all end by their bytes long before the time of a body is over."""
MOST_BYTES = 4 * 2**20
"""What one flood sends at most: who has not hung up by then reads without end."""
PIECE = 65_536
QUIET_S = 0.5
"""A proxy that takes nothing for so long holds the flood itself."""
GROWTH_MB = 32
TURN_S = 0.3
"""Processor time that the loop may work without serving anybody else: 15 ms for each flood of tiny chunks at once.

100 ms where memory is tidied meanwhile."""
TRY_CPU_S = 0.1
"""Processor time that one flood may cost; most cost 2 ms, endless trailers and chunk extensions 20."""
TINY_CHUNKS_CPU_S = 1.5
"""The same for chunks of one byte, of which the framing of one request allows 50,000: 0.6 s."""
REFUSED = {400, 401, 413, 431}
"""How a flood ends that is cut off for what it sends."""
BY_TIME = "cut off for the time it took, not for its bytes"
KEPT_SENDING = 64 * 2**20
"""Who has not hung up on a client that goes on sending by then reads without end."""
ANSWERS_READ = 300
"""Of a pipeline of 20,000 requests: a parser that is given more with each of them holds all of it by then."""
DRIP_S = 1.0
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
OPEN, CLOSED = "open", "direct"
"""The server alone: for everybody of this machine, and with logins."""
PLACES = (OPEN, *FRONTS)


class Servers:
    """An open server, one with logins, and what stands before it; each is started when it is first needed."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack = stack
        self._folder = folder
        self._servers: dict[bool, TimedServer] = {}
        self._fronts: dict[str, Front] = {}

    def __getitem__(self, place: str) -> tuple[TimedServer, Front]:
        server = self._server(is_open=place == OPEN)
        if place not in self._fronts:
            opening = FRONTS["direct" if place == OPEN else place]
            self._fronts[place] = self._stack.enter_context(opening(server.port, self._new_folder()))
        return server, self._fronts[place]

    def _server(self, *, is_open: bool) -> TimedServer:
        if is_open not in self._servers:
            environment = environment_for("http://127.0.0.1:1", "127.0.0.1:1", self._new_folder())
            if not is_open:
                environment["GOSSAMER_HTTP__HOSTS"] = NAME
                new_token(Path(environment["DATA_DIR"]) / "tokens.json", "alice", now=time.time())
            server = self._servers[is_open] = self._stack.enter_context(open_timed(environment))
            server.ask("POST", "/mcp", {}, b"{}")  # what is loaded with the first message is no growth
        return self._servers[is_open]

    def _new_folder(self) -> Path:
        folder = self._folder / str(len(self._servers) + len(self._fronts))
        folder.mkdir()
        return folder


def flood(front: Front, name: str, *, must_end: bool) -> str:
    """Flood once: what went wrong."""
    beginning, rest = FLOODS[name]
    with front.connect() as stranger:
        try:
            stranger.send(beginning.format(host=front.host).encode())
            if not must_end:
                stranger.flood(bounded(rest()), QUIET_S)
                return ""
            stranger.flood(bounded(rest()))
            if not stranger.wait_closed():
                return f"still open after {stranger.sent_bytes} bytes"
        except NotHttp as error:
            return str(error)
        if len(stranger.answers) > 1:
            return f"{len(stranger.answers)} answers to one request"
        return "" if {answer.status for answer in stranger.answers} & REFUSED else BY_TIME


def try_flood(server: TimedServer, front: Front, name: str, tries: int) -> tuple[Cost, list[str]]:
    """Flood so many times, some at once: what it cost, and what went wrong."""
    must_end = front.name == "direct"
    at_once = TINY_AT_ONCE if _is_tiny(name) else AT_ONCE
    with measured(server) as cost, ThreadPoolExecutor(at_once) as threads:
        faults = [
            fault for fault in threads.map(lambda _: flood(front, name, must_end=must_end), range(tries)) if fault
        ]
    return cost, faults


def most_cpu_s(name: str, tries: int) -> float:
    """Processor time that so many floods may cost, with that of the watcher beside them."""
    return 1 + tries * (TINY_CHUNKS_CPU_S if _is_tiny(name) else TRY_CPU_S)


def _is_tiny(name: str) -> bool:
    return name.startswith("chunks of one byte")


def keep_sending(front: Front) -> str:
    """Go on after the refusal: what went wrong."""
    with socket.create_connection(("127.0.0.1", front.port), timeout=LONG_S) as stranger:
        stranger.sendall(HEAD.format(host=front.host).encode() + b"Content-Length: 99999999999\r\n\r\n")
        sent = 0
        try:
            while sent < KEPT_SENDING:
                sent += stranger.send(b"a" * PIECE)
        except OSError:
            return ""
    return f"still read after {sent} bytes"


def pipeline(front: Front) -> str:
    """Ask for much, one request behind another, and read few of the answers: what it costs tells what went wrong."""
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    post = HEAD.format(host=front.host).encode() + b"Accept: application/json, text/event-stream\r\n"
    request = post + b"Content-Length: %d\r\n\r\n" % len(ping) + ping
    with front.connect() as stranger:
        stranger.flood(bounded(repeated(request)()), QUIET_S)
        stranger.receive(ANSWERS_READ)
    return ""


STUBBORN = {"sending after the refusal": keep_sending, "a pipeline of which little is read": pipeline}
"""Who does not heed the server, and what one of them may do."""
STUBBORN_CPU_S = 2.0
"""Answers that nobody reads are work all the same: 0.6 s until the server writes no more."""
ALONE = (OPEN, CLOSED)


def try_stubborn(server: TimedServer, front: Front, name: str, tries: int) -> tuple[Cost, list[str]]:
    """Do not heed the server so many times, some at once: what it cost, and what went wrong."""
    with measured(server) as cost, ThreadPoolExecutor(AT_ONCE) as threads:
        faults = [fault for fault in threads.map(lambda _: STUBBORN[name](front), range(tries)) if fault]
    return cost, faults


def try_drips(servers: Servers, places: Sequence[str], tries: int) -> tuple[list[tuple[TimedServer, Cost]], list[str]]:
    """Every drip so many times on each way in, all at once: what it cost each server, and what went wrong.

    The server alone ends each drip; behind a proxy, which may hold it, it costs little.
    """
    with ExitStack() as stack:
        costs = [(server, stack.enter_context(measured(server))) for server in {servers[place][0] for place in places}]
        with ExitStack() as connections:
            dripping: list[tuple[str, str, RawConnection]] = []
            for place in places:
                _, front = servers[place]
                for name, (beginning, _) in DRIPS.items():
                    for _ in range(tries):
                        stranger = connections.enter_context(front.connect())
                        stranger.send(beginning.format(host=front.host).encode())
                        dripping.append((place, name, stranger))
            until = time.monotonic() + 2 * LONG_S
            while left := {(place, name) for place, name, each in dripping if place in ALONE and not each.is_closed}:
                if time.monotonic() > until:
                    return costs, [f"still open: {name} ({place})" for place, name in sorted(left)]
                next_s = time.monotonic() + DRIP_S
                for _, name, stranger in dripping:
                    stranger.wait_closed(within_s=0.001)
                    stranger.send(DRIPS[name][1], within_s=0.001)
                if still := next((each for _, _, each in dripping if not each.is_closed), None):
                    still.wait_closed(next_s - time.monotonic())
    return costs, []


def bounded(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """As much of them as a flood sends at most."""
    left = MOST_BYTES
    for piece in pieces:
        yield piece
        left -= len(piece)
        if left <= 0:
            return
