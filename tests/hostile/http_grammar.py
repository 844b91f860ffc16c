"""A grammar of HTTP conversations, and what must come of each: requests well-formed and broken, framed, cut, pipelined.

Every request is made with its verdict, so that the judge needs no parser of its own. A conversation is told by its seed
and number alone.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from random import Random
from typing import Any

from tests.hostile.raw_http import Answer

CRLF = b"\r\n"


class Verdict(Enum):
    """What a server must make of a request."""

    FINE = "exactly one answer, as announced"
    REFUSED = "at most one answer, an error, and the end of the connection"
    EITHER = "at most one answer; whether the connection ends is the server's choice"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request, in the parts that mutations change, and what may come of it."""

    line: bytes
    headers: tuple[bytes, ...]
    body: bytes = b""
    framing: bytes = b""
    """The body as it stands on the wire, with the header lines that say so left in `headers`."""
    number: str = ""
    """The id that its answer carries, if it carries any."""
    statuses: frozenset[int] = frozenset({200})
    verdict: Verdict = Verdict.FINE
    may_close: bool = False
    reads_body: bool = False
    """The server reads its body before it answers; else its answer may come first, and is then the last."""
    label: str = "plain"

    @property
    def raw(self) -> bytes:
        return CRLF.join([self.line, *self.headers, b"", b""]) + self.framing


class Ending(Enum):
    """How a client leaves."""

    CLOSE = "closes when it has all answers"
    HALF_CLOSE = "says that nothing more comes, and reads on"
    VANISH = "closes without reading"


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """What one connection sends, and in which pieces."""

    requests: tuple[Request, ...]
    pieces: tuple[bytes, ...]
    is_pipelined: bool
    ending: Ending
    is_truncated: bool

    @property
    def labels(self) -> list[str]:
        return [request.label for request in self.requests]


class Grammar:
    """Makes conversations for one server."""

    def __init__(self, host: str, token: str, seed: str) -> None:
        self._host = host.encode()
        self._headers = (
            b"Host: " + self._host,
            b"Content-Type: application/json",
            b"Accept: application/json, text/event-stream",
        )
        self._login = b"Authorization: Bearer " + token.encode()
        self._seed = seed

    def conversation(self, number: int) -> Conversation:
        """The conversation of a number: always the same."""
        random = Random(f"{self._seed}:{number}")
        count = random.choice((1, 1, 2, 3, 5, 8))
        requests: list[Request] = []
        for at in range(count):
            request = self._request(random, f"{number}.{at}")
            if random.random() < 0.35:
                request = random.choice(MUTATIONS)(request, random)
            if at < count - 1 and any(line.lower().strip().endswith(b"close") for line in request.headers):
                request = replace(request, verdict=_less_sure(request.verdict))
            requests.append(request)
        ending = random.choices(list(Ending), (8, 1, 1))[0]
        is_truncated = random.random() < 0.08
        if is_truncated:
            ending = Ending.HALF_CLOSE
        is_pipelined = is_truncated or ending is not Ending.CLOSE or random.random() < 0.6
        raw = [request.raw for request in requests]
        if is_truncated:
            raw[-1] = raw[-1][: random.randrange(len(raw[-1]))]
        pieces = _cut(b"".join(raw), random) if is_pipelined else tuple(raw)
        return Conversation(
            requests=tuple(requests), pieces=pieces, is_pipelined=is_pipelined, ending=ending, is_truncated=is_truncated
        )

    def ordinary(self, number: int) -> Conversation:
        """Four calls as clients make them, one after another."""
        requests = tuple(self._ping(f"{number}.{at}") for at in range(4))
        return Conversation(
            requests=requests,
            pieces=tuple(request.raw for request in requests),
            is_pipelined=False,
            ending=Ending.CLOSE,
            is_truncated=False,
        )

    def _ping(self, number: str) -> Request:
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode()
        headers = (*self._headers, self._login, b"Content-Length: %d" % len(body))
        return Request(line=b"POST /mcp HTTP/1.1", headers=headers, body=body, framing=body, number=number)

    def _request(self, random: Random, number: str) -> Request:
        """A well-formed request of some kind."""
        kind = random.choice(KINDS)
        method, path, message, statuses, is_known = kind
        if message is None:
            headers = [b"Host: " + self._host, self._login]
            random.shuffle(headers)
            line = f"{method} {path} HTTP/1.1".encode()
            made = Request(line=line, headers=tuple(headers), statuses=statuses, label=f"{method} {path}")
        else:
            body = _body(message, number, random)
            headers = [*self._headers, *([self._login] if is_known else [])]
            made = Request(
                line=f"{method} {path} HTTP/1.1".encode(),
                headers=tuple(headers),
                body=body,
                number=number if statuses == {200} and b'"id"' in body else "",
                statuses=statuses,
                label=f"{method} {path} {message.get('method', 'no message')}{'' if is_known else ' by a stranger'}",
            )
            made = random.choice((_with_length, _with_chunks))(made, random)
        reads_body = message is not None and bool(statuses & {200, 202, 400})
        made = replace(made, may_close=max(statuses) >= 400, reads_body=reads_body)
        for _ in range(random.choice((0, 0, 1, 2))):
            made = random.choice(SPELLINGS)(made, random)
        return made


def _less_sure(verdict: Verdict) -> Verdict:
    """A client that announces its last request and sends more gets one answer at most."""
    return Verdict.EITHER if verdict is Verdict.FINE else verdict


LOGGED_IN = True
STRANGER = False
KINDS: Sequence[tuple[str, str, dict[str, Any] | None, frozenset[int], bool]] = (
    ("POST", "/mcp", {"method": "ping"}, frozenset({200}), LOGGED_IN),
    ("POST", "/mcp", {"method": "ping"}, frozenset({200}), LOGGED_IN),
    ("POST", "/mcp", {"method": "ping"}, frozenset({200}), LOGGED_IN),
    ("POST", "/mcp/", {"method": "prompts/list"}, frozenset({200}), LOGGED_IN),
    ("POST", "/mcp", {"method": "tools/call", "params": {"name": "web_fetch"}}, frozenset({200}), LOGGED_IN),
    ("POST", "/mcp", {"method": "notifications/initialized", "id": None}, frozenset({202}), LOGGED_IN),
    ("POST", "/mcp", {}, frozenset({400}), LOGGED_IN),
    ("POST", "/mcp", {"method": "ping"}, frozenset({401}), STRANGER),
    ("POST", "/nowhere", {"method": "ping"}, frozenset({404}), LOGGED_IN),
    ("PUT", "/mcp", {"method": "ping"}, frozenset({405}), LOGGED_IN),
    ("post", "/mcp", {"method": "ping"}, frozenset({405}), LOGGED_IN),
    ("GET", "/health", None, frozenset({200}), STRANGER),
    ("GET", "/ready?a=b", None, frozenset({200, 503}), STRANGER),
    ("GET", "/%2e%2e/x", None, frozenset({404}), STRANGER),
    ("GET", "/mcp", None, frozenset({405}), LOGGED_IN),
    ("DELETE", "/health", None, frozenset({405}), LOGGED_IN),
)
"""What can be asked for: method, path, message, what is answered, and whether there is a login."""


def _body(message: dict[str, Any], number: str, random: Random) -> bytes:
    """A message with its id, sometimes padded with blanks or with what looks like a request."""
    if not message:
        return random.choice((b"", b"{", b"[]", b"null", b"POST /mcp HTTP/1.1\r\n\r\n", b"\xff\xfe"))
    told = {"jsonrpc": "2.0", "id": number, **message}
    if told["id"] is None:
        del told["id"]
    if random.random() < 0.1:
        told["params"] = {**told.get("params", {}), "_meta": {"x": "GET /health HTTP/1.1\r\nHost: a\r\n\r\n" * 9}}
    text = json.dumps(told).encode()
    padding = random.choices((0, 10, 5_000, 90_000, 400_000), (60, 20, 10, 5, 1))[0]
    return random.choice((b" ", b"\r\n", b"\r\n\r\n", b"\n")) * (padding // 2) + text + b"\r\n" * (padding // 4)


def _with_length(request: Request, random: Random) -> Request:
    return replace(request, headers=(*request.headers, b"Content-Length: %d" % len(request.body)), framing=request.body)


def _with_chunks(request: Request, random: Random) -> Request:
    """A body in chunks of all sizes and spellings, with extensions and a trailer here and there."""
    rest, wire = request.body, b""
    while rest:
        size = min(len(rest), random.choice((1, 2, 7, 100, 5_000, 100_000)) if len(rest) < 20_000 else 60_000)
        digits = random.choice((b"%x", b"%X", b"0%x", b"000%X")) % size
        extension = random.choice((b"", b"", b"", b";a", b";a=b", b';a="b c"'))
        wire += digits + extension + CRLF + rest[:size] + CRLF
        rest = rest[size:]
    wire += random.choice((b"0", b"00", b"000")) + CRLF
    for at in range(random.choice((0, 0, 0, 1, 5))):
        wire += b"X-Trailer-%d: %s" % (at, b"a" * random.choice((0, 1, 1_000))) + CRLF
    coding = random.choice((b"Transfer-Encoding: chunked", b"transfer-encoding: Chunked"))
    return replace(request, headers=(*request.headers, coding), framing=wire + CRLF)


def _respelled(request: Request, random: Random) -> Request:
    """Header names in other letters, and blanks where they may be."""

    def spelled(line: bytes) -> bytes:
        name, _, value = line.partition(b":")
        blank = random.choice((b"", b" ", b"\t", b"   "))
        return random.choice((name.lower(), name.upper(), name)) + b":" + blank + value.strip() + blank

    return replace(request, headers=tuple(map(spelled, request.headers)), label=f"{request.label}, respelled")


def _shuffled(request: Request, random: Random) -> Request:
    return replace(request, headers=tuple(random.sample(request.headers, len(request.headers))))


def _with_more_headers(request: Request, random: Random) -> Request:
    size = random.choice((0, 10, 1_000))
    more = tuple(b"X-More-%d: %s" % (at, b"a" * size) for at in range(random.choice((1, 5, 20))))
    return replace(request, headers=(*more, *request.headers), label=f"{request.label}, more headers")


def _wishing(request: Request, random: Random) -> Request:
    wish = random.choice((b"websocket", b"h2c", b"foo"))
    more = (b"Connection: Upgrade", b"Upgrade: " + wish)
    return replace(request, headers=(*request.headers, *more), label=f"{request.label}, wishing to upgrade")


def _expecting(request: Request, random: Random) -> Request:
    if not request.framing:
        return request
    return replace(
        request,
        headers=(*request.headers, b"Expect: 100-continue"),
        label=f"{request.label}, expecting",
        may_close=True,
    )


def _leaving(request: Request, random: Random) -> Request:
    return replace(
        request, headers=(*request.headers, b"Connection: close"), label=f"{request.label}, leaving", may_close=True
    )


SPELLINGS: Sequence[Callable[[Request, Random], Request]] = (
    _respelled,
    _shuffled,
    _with_more_headers,
    _wishing,
    _expecting,
    _leaving,
)
"""Other ways to say the same: what comes of the request stays."""


def _headed(
    verdict: Verdict,
    label: str,
    *lines: bytes,
    first: bool = False,
    without: bytes | tuple[bytes, ...] = (),
    is_empty: bool = False,
) -> Callable[[Request, Random], Request]:
    """A mutation of the header lines."""

    def mutate(request: Request, random: Random) -> Request:
        old = tuple(line for line in request.headers if not line.lower().startswith(without))
        headers = (*lines, *old) if first else (*old, *lines)
        framing = b"" if is_empty else request.framing
        return replace(request, headers=headers, framing=framing, verdict=verdict, label=f"{request.label}: {label}")

    return mutate


def _overruled(
    status: int, label: str, *lines: bytes, without: bytes | tuple[bytes, ...] = ()
) -> Callable[[Request, Random], Request]:
    """Header lines that are well-formed and not allowed: the request is framed as before, and refused."""
    change = _headed(Verdict.FINE, label, *lines, without=without)

    def mutate(request: Request, random: Random) -> Request:
        return replace(
            change(request, random), statuses=frozenset({status}), number="", may_close=True, reads_body=False
        )

    return mutate


def _lined(verdict: Verdict, label: str, change: Callable[[bytes], bytes]) -> Callable[[Request, Random], Request]:
    """A mutation of the request line."""

    def mutate(request: Request, random: Random) -> Request:
        return replace(request, line=change(request.line), verdict=verdict, label=f"{request.label}: {label}")

    return mutate


def _framed(verdict: Verdict, label: str, framing: bytes) -> Callable[[Request, Random], Request]:
    """Chunks that are none, in place of the body; without a login the head alone is answered."""

    def mutate(request: Request, random: Random) -> Request:
        headers = tuple(line for line in request.headers if not line.lower().startswith(_FRAMING))
        return replace(
            request,
            headers=(*headers, b"Transfer-Encoding: chunked"),
            framing=framing,
            verdict=verdict,
            label=f"{request.label}: {label}",
        )

    return mutate


def _flipped(request: Request, random: Random) -> Request:
    """Bytes changed, left out or put in, anywhere in a head or its framing: whatever that becomes."""
    raw = bytearray(request.raw)
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(min(len(raw), 2_000))
        match random.randrange(3):
            case 0:
                raw[at] = random.randrange(256)
            case 1:
                del raw[at]
            case _:
                raw[at:at] = random.choice((b"\r\n", b"\n", b"\r", b"\x00", b" ", b":", b"0\r\n\r\n", b"\r\n\r\n"))
    return replace(
        request, line=b"", headers=(), framing=bytes(raw), verdict=Verdict.EITHER, label=f"{request.label}: flipped"
    )


_FRAMING = (b"content-length", b"transfer-encoding", b"expect")
"""Headers that say how a body comes."""
R, E = Verdict.REFUSED, Verdict.EITHER
MUTATIONS: Sequence[Callable[[Request, Random], Request]] = (
    _overruled(403, "another origin", b"Origin: https://evil.example"),
    _headed(R, "chunks and a length", b"Transfer-Encoding: chunked", b"Content-Length: 5"),
    _headed(R, "two lengths", b"Content-Length: 5", b"Content-Length: 6", without=b"content-length"),
    _headed(R, "a length that is none", b"Content-Length: abc", without=b"content-length"),
    _headed(R, "a negative length", b"Content-Length: -1", without=b"content-length"),
    _headed(R, "a length with a sign", b"Content-Length: +1", without=b"content-length"),
    _headed(R, "an empty length", b"Content-Length: ", without=b"content-length"),
    _headed(R, "a length without end", b"Content-Length: " + b"9" * 50, without=b"content-length"),
    _headed(R, "an unknown coding", b"Transfer-Encoding: gzip, chunked", without=b"transfer-encoding"),
    _headed(R, "two codings", b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"),
    _headed(R, "no host", without=b"host"),
    _headed(R, "two hosts", b"Host: evil.example"),
    _overruled(421, "a host that is none", b"Host: a b", without=b"host"),
    _overruled(421, "another host", b"Host: evil.example", without=b"host"),
    _headed(R, "two logins", b"Authorization: Bearer a", b"Authorization: Bearer b"),
    _headed(R, "a line without a colon", b"nothing"),
    _headed(R, "a blank before the colon", b"X-Blank : a"),
    _headed(R, "an empty name", b": a"),
    _headed(R, "a name in other letters", b"X-\xc3\xa4: a"),
    _headed(R, "a nul", b"X-Nul: a\x00b"),
    _headed(R, "a bare return", b"X-Return: a\rb"),
    _headed(R, "a fold at the beginning", b" X-Fold: a", first=True),
    _headed(R, "a header too large", b"X-Large: " + b"a" * 100_000),
    _overruled(431, "too many headers", *(b"X-%d: a" % at for at in range(150))),
    _headed(E, "a fold", b"X-Fold: a", b" b"),
    _headed(E, "a bare line feed", b"X-Line: a\nX-Other: b"),
    _headed(E, "two equal lengths", b"Content-Length: 0", b"Content-Length: 0", without=_FRAMING, is_empty=True),
    _headed(E, "a list of lengths", b"Content-Length: 0, 0", without=_FRAMING, is_empty=True),
    _headed(E, "a keep-alive of our own", b"Keep-Alive: timeout=1000", b"Connection: keep-alive, close, x"),
    _headed(E, "a session", b"Mcp-Session-Id: 1"),
    _lined(E, "another version", lambda line: line.replace(b"HTTP/1.1", b"HTTP/2.0")),
    _lined(R, "no version", lambda line: line.replace(b" HTTP/1.1", b"")),
    _lined(R, "a version in small letters", lambda line: line.replace(b"HTTP", b"http")),
    _lined(R, "a blank in the path", lambda line: line.replace(b"/", b"/ /", 1)),
    _lined(R, "a method that is none", lambda line: b"P\x01ST" + line[4:]),
    _lined(R, "a path too long", lambda line: line.replace(b" HTTP", b"a" * 100_000 + b" HTTP")),
    _lined(R, "bytes that are no HTTP", lambda _line: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    _lined(E, "two blanks", lambda line: line.replace(b" ", b"  ")),
    _lined(E, "an absolute address", lambda line: line.replace(b" /", b" http://127.0.0.1/", 1)),
    _lined(E, "an old version", lambda line: line.replace(b"HTTP/1.1", b"HTTP/1.0")),
    _lined(R, "a blank line before it", lambda line: CRLF + line),
    _framed(R, "a chunk size that is none", b"xyz\r\nabc\r\n0\r\n\r\n"),
    _framed(R, "a negative chunk size", b"-1\r\na\r\n0\r\n\r\n"),
    _framed(R, "a chunk size with a prefix", b"0x1\r\na\r\n0\r\n\r\n"),
    _framed(R, "a chunk size without end", b"1" * 100 + b"\r\na\r\n0\r\n\r\n"),
    _framed(R, "a chunk that is longer than it says", b"1\r\nabcdef\r\n0\r\n\r\n"),
    _framed(R, "a trailer without a colon", b"1\r\n{\r\n0\r\nnothing\r\n\r\n"),
    _framed(R, "a trailer too large", b"1\r\n{\r\n0\r\nX: " + b"a" * 200_000 + b"\r\n\r\n"),
    _framed(R, "an extension too large", b"1;" + b"a" * 200_000 + b"\r\n{\r\n0\r\n\r\n"),
    _framed(E, "a chunk size and a blank", b"2 \r\n{}\r\n0\r\n\r\n"),
    _framed(E, "chunks ended by line feeds", b"2\n{}\n0\n\n"),
    _framed(E, "a trailer of many lines", b"2\r\n{}\r\n0\r\n" + b"a: b\r\n" * 500 + b"\r\n"),
    *[_flipped] * 12,
)
"""Ways to break a request, each with what must come of it."""


def _cut(data: bytes, random: Random) -> tuple[bytes, ...]:
    """The same bytes in pieces."""
    count = random.choice((0, 0, 1, 2, 5, 30))
    at = sorted({random.randrange(1, len(data)) for _ in range(count)}) if len(data) > 1 else []
    return tuple(data[start:end] for start, end in zip([0, *at], [*at, len(data)], strict=True))


def judge(conversation: Conversation, answers: Sequence[Answer], *, has_ended: bool) -> str:
    """What is wrong with the answers to a conversation, or nothing."""
    mine = {request.number for request in conversation.requests}
    ids = [number for answer in answers for number in answer.ids]
    if foreign := [number for number in ids if number not in mine]:
        return f"answers of somebody else: {foreign}"
    if len(set(ids)) < len(ids):
        return f"an answer came twice: {ids}"
    left = list(answers)
    is_sure = conversation.ending is Ending.CLOSE
    """Every request until here was framed as announced, so the next one must be answered."""
    for request in conversation.requests:
        answer = left.pop(0) if left else None
        if request.verdict is Verdict.FINE and (is_sure or answer):
            if answer is None:
                return f"no answer to {request.label}"
            is_expected = answer.status in request.statuses and answer.ids == ({request.number} - {""})
            if is_sure and not is_expected and answer.status != 429:
                return f"{request.label} was answered with {answer.status} {answer.body[:200]!r}"
            if is_sure and answer.is_last and not request.may_close:
                return f"the connection ended after {request.label}"
        elif request.verdict is Verdict.REFUSED:
            is_early = answer and answer.is_last and not request.reads_body
            if answer and (answer.status < 400 or answer.ids) and not is_early:
                return f"{request.label} was answered with {answer.status} {answer.body[:200]!r}"
            if is_sure and not has_ended:
                return f"the connection went on after {request.label}"
        if request.verdict is Verdict.REFUSED or (answer and answer.is_last):
            return f"{len(left)} more answers came after the last one" if left else ""
        is_sure = is_sure and request.verdict is Verdict.FINE
    return f"{len(left)} more answers than requests" if left else ""
