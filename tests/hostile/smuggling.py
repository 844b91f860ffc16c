"""Request smuggling: attacks that try to have a part of one message taken for another, and how they are judged.

Every attack hides a request. After it a victim with another login asks through the same front: it must get the answer
to its own question, which it knows by its id, and no tool may have run but those that victims called. Where there is no
proxy, the victim's request follows on the attacker's connection whenever HTTP allows that, as a proxy would do it.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.server.http.token_file import new_token
from tests.hostile.raw_http import NotHttp, RawConnection
from tests.hostile.reverse_proxies import NAME, Front
from tests.real.processes import HttpServer, environment_for

LIMIT = 600
"""Requests of one user in an hour: room for a victim of each case, and soon used up by who wants to be over it."""
QUIET_S = 0.1
"""How long an attacker waits for an answer that need not come."""
_NUMBERS = itertools.count()


@dataclass(frozen=True, kw_only=True)
class Attack:
    """What is sent, in pieces that are written one by one."""

    pieces: tuple[bytes, ...]
    waits: bool = False
    """The rest is sent when the answer to the first piece is here."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What an attack is made for: who is addressed, and the logins that it may use."""

    host: str
    token: str
    """A login that is good."""
    exhausted: str
    """A login that is over its limit."""

    def head(self, method: str = "POST", path: str = "/mcp", *lines: str, host: str = "", token: str = "") -> bytes:
        """A head with its own lines behind the usual ones; the blank line is the caller's."""
        login = [f"Authorization: Bearer {token}"] if token else []
        usual = ["Content-Type: application/json", "Accept: application/json, text/event-stream"]
        all_lines = [f"{method} {path} HTTP/1.1", f"Host: {host or self.host}", *usual, *login, *lines]
        return "".join(f"{line}\r\n" for line in all_lines).encode("latin-1")

    def call(self, token: str, number: str) -> bytes:
        """A whole request that runs a tool, at once and without a look outside: an argument is missing."""
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "web_fetch"}}
        body = json.dumps(message).encode()
        return self.head("POST", "/mcp", f"Content-Length: {len(body)}", token=token) + b"\r\n" + body

    @property
    def hidden(self) -> bytes:
        """The request that must never be one."""
        return self.call(self.token, "smuggled")

    @property
    def hidden_stranger(self) -> bytes:
        """The same without a login, for bytes of which proxies may think what they like."""
        return self.call("", "smuggled")


def _wishes(stage: Stage, size: int = 330_000) -> bytes:
    """A body full of wishes to upgrade, then blank lines, then a hidden request."""
    block = b"\r\nUpgrade:" * 2_500 + b"\r\n\r\n"
    tail = b"\r\n" * 30_000 + stage.hidden
    return (block * (size // len(block)))[: size - len(tail)].ljust(size - len(tail), b"a") + tail


def _requests(stage: Stage, size: int = 330_000) -> bytes:
    """A body of nothing but whole requests."""
    return (stage.hidden * (size // len(stage.hidden) + 1))[:size]


def refused(
    method: str = "POST", path: str = "/mcp", *lines: str, size: int = 330_000, **who: str
) -> Callable[[Stage], Iterator[Attack]]:
    """A request that is refused before its body is read, with each kind of body, sent in each way."""

    def attacks(stage: Stage) -> Iterator[Attack]:
        named = {key: getattr(stage, value, value) for key, value in who.items()}
        for body in (_wishes(stage, size), _requests(stage, size)):
            head = stage.head(method, path, *lines, f"Content-Length: {len(body)}", **named) + b"\r\n"
            yield Attack(pieces=(head + body,))
            yield Attack(pieces=(head + body[:1_000], body[1_000:200_000], body[200_000:]), waits=True)
            chunked = stage.head(method, path, *lines, "Transfer-Encoding: chunked", **named) + b"\r\n"
            yield Attack(pieces=(chunked, b"%x\r\n" % len(body), body, b"\r\n0\r\n\r\n"), waits=False)

    return attacks


def upgraded(*lines: str, token: str = "") -> Callable[[Stage], Iterator[Attack]]:
    """A request that would rather speak another protocol, whose body is a request: whole, and cut at every seam."""

    def attacks(stage: Stage) -> Iterator[Attack]:
        login = getattr(stage, token, "")
        for body in (stage.hidden, b"\r\n" * 1_000 + stage.hidden, _wishes(stage, 150_000)):
            head = stage.head("POST", "/mcp", *lines, f"Content-Length: {len(body)}", token=login)
            name = head.lower().rfind(b"upgrade:")
            yield Attack(pieces=(head + b"\r\n" + body,))
            yield Attack(pieces=(head[: name + 4], head[name + 4 :] + b"\r\n" + body))
            yield Attack(pieces=(head, b"\r\n", body))
            yield Attack(pieces=(head[:-1], head[-1:] + b"\r", b"\n", body))

    return attacks


def framed(*lines: str, body: bytes = b"", end: bytes = b"\r\n") -> Callable[[Stage], Iterator[Attack]]:
    """A head that says twice, or unclearly, how long its body is; `{}` stands for the length of what follows it."""

    def attacks(stage: Stage) -> Iterator[Attack]:
        hidden = stage.hidden_stranger
        in_a_chunk = b"%x\r\n" % len(hidden) + hidden + b"\r\n0\r\n\r\n"
        for follows in (body + hidden,) if body else (b"0\r\n\r\n" + hidden, in_a_chunk):
            sized = (line.replace("{}", str(len(follows))) for line in lines)
            head = stage.head("POST", "/mcp", *sized, token=stage.token)
            yield Attack(pieces=(head + end + follows,))
            yield Attack(pieces=(head, end + follows))

    return attacks


def expecting(*lines: str, **who: str) -> Callable[[Stage], Iterator[Attack]]:
    """A client that asks before it sends its body, is refused, and sends a request, or the body all the same."""

    def attacks(stage: Stage) -> Iterator[Attack]:
        named = {key: getattr(stage, value, value) for key, value in who.items()}
        for body in (stage.hidden, _wishes(stage)):
            head = stage.head("POST", "/mcp", "Expect: 100-continue", *lines, f"Content-Length: {len(body)}", **named)
            yield Attack(pieces=(head + b"\r\n", body), waits=True)
            yield Attack(pieces=(head + b"\r\n" + body,))

    return attacks


BAD_LOGIN = "gsm_00000000_" + "A" * 43
UPGRADE = ("Connection: Upgrade", "Upgrade: websocket")
EARLY = {
    "no login": refused(),
    "a bad login": refused(token=BAD_LOGIN),
    "over the limit": refused(token="exhausted"),
    "a body that is too large": refused(token="token", size=1_300_000),
    "another path": refused("POST", "/nowhere", token="token"),
    "another method": refused("PUT", "/mcp", token="token"),
    "a path that takes no body": refused("POST", "/health"),
    "another host": refused(host="evil.example", token="token"),
    "another origin": refused("POST", "/mcp", "Origin: https://evil.example", token="token"),
    "a session": refused("POST", "/mcp", "Mcp-Session-Id: 0123456789", token="token"),
    "no login, and a wish to upgrade": refused("POST", "/mcp", *UPGRADE),
}
"""Requests that are refused before their bodies have come."""
WISHES = {
    "an upgrade without a login": upgraded(*UPGRADE),
    "an upgrade with a login": upgraded(*UPGRADE, token="token"),
    "an upgrade to HTTP/2": upgraded("Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABk", "Upgrade: h2c"),
    "an upgrade that no Connection names": upgraded("Upgrade: websocket", token="token"),
    "asking before sending, without a login": expecting(),
    "asking before sending, over the limit": expecting(token="exhausted"),
    "asking before sending, with a wish to upgrade": expecting(*UPGRADE),
}
"""Requests that want another protocol, or to be told to go on."""
AMBIGUOUS = {
    "a length, then chunks": framed("Content-Length: {}", "Transfer-Encoding: chunked"),
    "chunks, then a length": framed("Transfer-Encoding: chunked", "Content-Length: 5"),
    "chunks, then no length": framed("Transfer-Encoding: chunked", "Content-Length: 0"),
    "two lengths": framed("Content-Length: 0", "Content-Length: {}"),
    "two lengths in one line": framed("Content-Length: 0, {}"),
    "a length with a sign": framed("Content-Length: +{}"),
    "a length in sixteens": framed("Content-Length: 0x10"),
    "a length with a blank": framed("Content-Length: 1 0"),
    "a length before a blank name": framed("Content-Length : {}"),
    "chunks of another name": framed("Content-Length: {}", "Transfer-Encoding: xchunked"),
    "chunks and identity": framed("Content-Length: {}", "Transfer-Encoding: chunked, identity"),
    "identity and chunks": framed("Content-Length: {}", "Transfer-Encoding: identity, chunked"),
    "chunks twice": framed("Content-Length: {}", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    "chunks, and a second coding": framed("Content-Length: {}", "Transfer-Encoding: chunked", "Transfer-encoding: cow"),
    "chunks behind a tab": framed("Content-Length: {}", "Transfer-Encoding:\tchunked"),
    "chunks behind a vertical tab": framed("Content-Length: {}", "Transfer-Encoding: \x0bchunked"),
    "chunks in quotes": framed("Content-Length: {}", 'Transfer-Encoding: "chunked"'),
    "chunks, the name before a blank": framed("Content-Length: {}", "Transfer-Encoding : chunked"),
    "chunks in a folded line": framed("Content-Length: {}", "Transfer-Encoding:", " chunked"),
    "chunks hidden in a folded line": framed("Content-Length: {}", "X-Fold: a", " Transfer-Encoding: chunked"),
    "chunks behind a bare line feed": framed("Content-Length: {}", "X-Line: a\nTransfer-Encoding: chunked"),
    "chunks behind a bare return": framed("Content-Length: {}", "X-Line: a\rTransfer-Encoding: chunked"),
    "chunks behind a nul": framed("Content-Length: {}", "X-Nul: a\x00Transfer-Encoding: chunked"),
    "a head ended by line feeds": framed("Content-Length: {}", "X-End: a\n", end=b""),
    "a head ended by a bare line feed": framed("Content-Length: {}", end=b"\n"),
    "a chunk whose size overflows": framed("Transfer-Encoding: chunked", body=b"10000000000000001\r\na\r\n0\r\n\r\n"),
    "a chunk whose size has a prefix": framed("Transfer-Encoding: chunked", body=b"0x1\r\na\r\n0\r\n\r\n"),
    "a chunk whose size has a sign": framed("Transfer-Encoding: chunked", body=b"-1\r\na\r\n0\r\n\r\n"),
    "a chunk without its end": framed("Transfer-Encoding: chunked", body=b"1\r\nab\r\n0\r\n\r\n"),
    "a chunk ended by a bare line feed": framed("Transfer-Encoding: chunked", body=b"1\na\n0\n\n"),
    "an extension with a bare line feed": framed("Transfer-Encoding: chunked", body=b"1;a\nb\r\na\r\n0\r\n\r\n"),
}
"""Requests whose end is where one reader sees it and another does not."""
CASES = EARLY | WISHES | AMBIGUOUS


class Theatre:
    """A server with logins, on which attacks are tried through fronts."""

    def __init__(self, server: HttpServer, tokens: dict[str, str]) -> None:
        self.server = server
        self._tokens = tokens
        self._other = RawConnection(server.port)

    def close(self) -> None:
        self._other.close()

    @staticmethod
    def prepare(folder: Path, now: float) -> tuple[dict[str, str], dict[str, str]]:
        """The environment of the server, and a login for everybody on stage."""
        environment = {
            **environment_for("http://127.0.0.1:1", "127.0.0.1:1", folder),
            "GOSSAMER_HTTP__HOSTS": NAME,
            "GOSSAMER_LIMITS__REQUESTS": f"{LIMIT}/3600",
        }
        path = Path(environment["DATA_DIR"]) / "tokens.json"
        users = [
            "exhausted",
            "watcher",
            *(f"{role} {at}" for at in range(len(CASES)) for role in ("victim", "attacker")),
        ]
        return environment, {user: new_token(path, user.replace(" ", "-"), now=now)[0] for user in users}

    def runs(self) -> float:
        """How many tools have run."""
        page = self.server.ask("GET", "/metrics", {"Authorization": f"Bearer {self._tokens['watcher']}"})
        assert page.status == 200, page
        rows = [row for row in page.body.decode().splitlines() if row.startswith("gossamer_calls_total{")]
        return sum(float(row.rpartition(" ")[2]) for row in rows)

    def exhaust(self) -> None:
        """Bring one login over its limit."""
        login = {"Authorization": f"Bearer {self._tokens['exhausted']}"}
        for _ in range(2 * LIMIT):
            if self.server.ask("GET", "/metrics", login).status == 429:
                return
        raise AssertionError("the limit was never reached")

    def stage(self, front: Front, at: int = 0) -> Stage:
        """What an attack is made of, with the logins of one case."""
        return Stage(host=front.host, token=self._tokens[f"attacker {at}"], exhausted=self._tokens["exhausted"])

    def try_case(self, front: Front, name: str, tries: int) -> list[str]:
        """Attack so many times in a row, or until something goes wrong: what that was."""
        at = list(CASES).index(name)
        stage = self.stage(front, at)
        if "limit" in name:
            self.exhaust()
        before, called, faults = self.runs(), 0, list[str]()
        for attack in itertools.islice(itertools.cycle(CASES[name](stage)), tries):
            answered, fault = self._try(front, stage, attack, self._tokens[f"victim {at}"])
            called += answered
            if fault:
                faults.append(f"{fault} after {_shown(attack)}")
                break
        if (ran := self.runs() - before) != called:
            faults.append(f"{ran:g} tools ran, and {called} were called")
        return faults

    def _try(self, front: Front, stage: Stage, attack: Attack, victim: str) -> tuple[int, str]:
        """Attack once: how many calls of the victim were answered, and what was wrong."""
        called = 0
        with front.connect() as attacker:
            try:
                for piece in attack.pieces:
                    attacker.send(piece)
                    if attack.waits:
                        attacker.receive(within_s=QUIET_S)
                    if len(attack.pieces) > 1:
                        self.let_it_read()
                answers = attacker.receive(within_s=QUIET_S)
                if any("smuggled" in answer.ids for answer in answers):
                    return 0, "the hidden request was answered"
                if front.name == "direct":
                    if len(answers) > 1:
                        return 0, f"one request was answered {len(answers)} times"
                    if answers and not answers[0].is_last and not attacker.is_closed:
                        called, fault = _ask_as(victim, stage, attacker, 1)
                        if fault:
                            return called, fault
            except NotHttp as error:
                return called, str(error)
        with front.connect() as client:
            answered, fault = _ask_as(victim, stage, client, 0)
            return called + answered, fault

    def let_it_read(self) -> None:
        """Wait until the server has taken what was sent before: it answers somebody else in a later round."""
        if self._other.is_closed:
            self._other.close()
            self._other = RawConnection(self.server.port)
        before = len(self._other.answers)
        self._other.send(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        self._other.receive(before + 1)


def _ask_as(token: str, stage: Stage, client: RawConnection, before: int) -> tuple[int, str]:
    """Call a tool as a victim does, and compare ids: how many calls were answered, and what was wrong."""
    number = f"victim {next(_NUMBERS)}"
    if not client.send(stage.call(token, number)) and not client.receive(before + 1):
        return 0, ""  # it ended under the request, which the server has not seen: who asks again is answered
    answers = client.receive(before + 1)[before:]
    if not answers and before:
        return 0, ""
    if len(answers) != 1 or answers[0].status != 200 or answers[0].ids != {number}:
        return (
            0,
            f"{number} was answered with {[(answer.status, answer.ids or answer.body[:80]) for answer in answers]}",
        )
    return 1, ""


def _shown(attack: Attack) -> str:
    """An attack in few letters."""
    return " | ".join(f"{piece[:120]!r} ({len(piece)} bytes)" for piece in attack.pieces)
