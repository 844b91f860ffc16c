"""Our own endpoint against strangers: logins, names, origins, sizes, slowness, and what it lets out.

A record says what is sent and what must come of it. Those below are our own; those of the shared corpus, where it is
at hand, are run by the same code.
"""

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gossamer.demo.web import MiniWeb
from gossamer.server.http.token_file import new_token, revoke_tokens
from tests.patience import share
from tests.real.processes import ACCEPT, Answer, Cli, HttpServer, Line, environment_for, open_http, tool_call

CORPUS = Path(__file__).parents[2].parent / "shared" / "security" / "http_cases.jsonl"
LEFT = "logins by an OAuth issuer (JWT) are not part of this version"
"""Why records of the families `jwt-…` are not run."""

SLACK = 4
ALLOWED_ORIGIN = "https://chat.example.org"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}

Record = dict[str, Any]


def post(
    family: str, expect: Record, *, body: Any = "initialize", login: str = "Bearer {GOOD_TOKEN}", **more: Any
) -> Record:
    """A record in which somebody posts to /mcp."""
    headers = {**ACCEPT, **({"Authorization": login} if login else {}), **more.pop("headers", {})}
    request = {"method": "POST", "path": more.pop("path", "/mcp"), "headers": headers, "body": body}
    return {"family": family, "server_auth": "static", "request": request, "expect": expect, **more}


REFUSED = {"status": [401], "headers": {"www-authenticate": "Bearer"}, "tool_runs": 0}

OWN: dict[str, Record] = {
    "no login, asking for tools": post(
        "no-token", REFUSED, login="", body={"raw": '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'}
    ),
    "a token of another make": post("bad-token", REFUSED, login="Bearer sk-live-0123456789abcdef"),
    "a good id with another secret": post("bad-token", REFUSED, login="Bearer {GOOD_ID}_{PAD_43}"),
    "a good token and a letter": post("bad-token", REFUSED, login="Bearer {GOOD_TOKEN}A"),
    "digest": post("scheme", REFUSED, login='Digest username="a"'),
    "the scheme in capitals": post("scheme", {"status": [200]}, login="BEARER {GOOD_TOKEN}"),
    "no blank after the scheme": post("malformed", REFUSED, login="Bearer{GOOD_TOKEN}"),
    "two tokens": post("malformed", REFUSED, login="Bearer {GOOD_TOKEN} {GOOD_TOKEN}"),
    "a token in other letters": post("malformed", REFUSED, login="Bearer ÄÖÜ"),
    "in the address": post("query-token", REFUSED, login="", path="/mcp?token={GOOD_TOKEN}"),
    "in a cookie": post("cookie-token", REFUSED, login="", headers={"Cookie": "Authorization=Bearer {GOOD_TOKEN}"}),
    "a good login lists tools": post(
        "good", {"status": [200]}, body={"raw": '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'}
    ),
    "a token that was revoked": post("revoked", REFUSED, login="Bearer {REVOKED_TOKEN}"),
    "a token that has expired": post("revoked", REFUSED, login="Bearer {EXPIRED_TOKEN}"),
    "the token stays here": post(
        "upstream", {"status": [200], "upstream_never_sees": ["Authorization", "{GOOD_TOKEN}"]}, call="fetch"
    ),
    "an origin that begins alike": post(
        "origin", {"status": [403], "tool_runs": 0}, headers={"Origin": "https://chat.example.org.evil.example"}
    ),
    "an origin that cannot be named": post("origin", {"status": [403], "tool_runs": 0}, headers={"Origin": "null"}),
    "an origin of this machine": post("origin", {"status": [200]}, headers={"Origin": "http://127.0.0.1:6274"}),
    "a name that was bent to us": post(
        "host", {"status": [421], "tool_runs": 0}, headers={"Host": "127.0.0.1.evil.example"}
    ),
    "our address in IPv6": post("host", {"status": [200]}, headers={"Host": "[::1]:{PORT}"}),
    "said to come from home": post(
        "forwarded", REFUSED, login="", headers={"Forwarded": "for=127.0.0.1;host=localhost"}
    ),
    "said to be another host": post(
        "forwarded", {"status": [421]}, headers={"Host": "evil.example", "X-Forwarded-Host": "localhost"}
    ),
    "the limit follows the user": post(
        "limit-key", {"status": [200, 429], "some_429": True}, repeat=200, headers={"X-Real-IP": "{RANDOM_IP}"}
    ),
    "too many requests": post(
        "limit",
        {"status": [200, 429], "some_429": True, "headers_on_429": {"retry-after": "integer seconds"}},
        repeat=200,
    ),
    "too many failed logins": post(
        "limit",
        {"status": [401, 429], "some_429": True, "headers_on_429": {"retry-after": "integer seconds"}, "tool_runs": 0},
        repeat=200,
        login="Bearer gsm_00000000_{PAD_43}",
        own_server=True,
    ),
    "a large body": post(
        "body-size", {"status": [413], "max_rss_mb": 60, "tool_runs": 0}, body={"pad_bytes": 50_000_000}
    ),
    "a large body, in chunks": post(
        "body-size", {"status": [413], "max_rss_mb": 60, "tool_runs": 0}, body={"chunked_bytes": 50_000_000}
    ),
    "deep objects": post("body-json", {"status": [400], "process_alive": True}, body={"raw": '{"a":' * 100_000}),
    "no body": post("body-json", {"status": [400]}, body={"raw": ""}),
    "a request that nobody could be answered by": post(
        "body-json", {"status": [400]}, body={"raw": '{"jsonrpc":"2.0","id":null,"method":"tools/list"}'}
    ),
    "an id that is no id": post(
        "body-json", {"status": [400]}, body={"raw": '{"jsonrpc":"2.0","id":-1e999,"method":"x"}'}
    ),
    "a body drop by drop": post(
        "slow-body", {"closed_within_s": 30, "process_alive": True}, body={"drip_bytes_per_s": 1}
    ),
    "a head drop by drop": {
        "family": "slow-head",
        "raw_drip": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
        "connections": 50,
        "expect": {"closed_within_s": 30, "others_ok_ms": 1000},
    },
    "connections that say nothing": {
        "family": "slow-head",
        "raw_drip": "",
        "connections": 50,
        "expect": {"closed_within_s": 30, "others_ok_ms": 1000},
    },
    "a session of nobody": post("session-id", {"status": [404], "tool_runs": 0}, headers={"Mcp-Session-Id": "0" * 32}),
    "a cursor of another user": post(
        "handle", {"tool_error": True, "other_users_data": False}, call="page handle of another user"
    ),
    "a version that never was": post("proto-header", {"status": [400]}, headers={"Mcp-Protocol-Version": "2031-01-01"}),
    "a header that contradicts the body": post(
        "proto-header",
        {"status": [400]},
        headers={"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"},
    ),
    "connect": {
        "family": "method",
        "raw": "CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "expect": {"status": [400, 404, 405]},
    },
    "an unknown method": {
        "family": "method",
        "raw": "BREW /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "expect": {"status": [400, 405, 501]},
    },
    "two lengths": {
        "family": "smuggle",
        "raw": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nContent-Length: 30\r\n\r\nabc",
        "expect": {"status": [400]},
    },
    "a length with a sign": {
        "family": "smuggle",
        "raw": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: +3\r\n\r\nabc",
        "expect": {"status": [400]},
    },
    "a folded header": {
        "family": "smuggle",
        "raw": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "expect": {"status": [400, 401]},
    },
    "no host": {"family": "host", "raw": "GET /health HTTP/1.1\r\n\r\n", "expect": {"status": [400]}},
    "two hosts": {
        "family": "host",
        "raw": "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        "expect": {"status": [400]},
    },
    "out of the tree, hidden": {
        "family": "path",
        "request": {"method": "GET", "path": "/%2e%2e/%2e%2e/etc/passwd", "headers": {}, "body": None},
        "expect": {"status": [404], "body_never": ["root:"]},
    },
    "readiness": {
        "family": "open-endpoints",
        "request": {"method": "GET", "path": "/ready", "headers": {}, "body": None},
        "expect": {"status": [200, 503], "body_never": ["token", "query", "http://", "@", "/"]},
    },
    "metrics for a user": {
        "family": "open-endpoints",
        "request": {
            "method": "GET",
            "path": "/metrics",
            "headers": {"Authorization": "Bearer {GOOD_TOKEN}"},
            "body": None,
        },
        "expect": {"status": [200], "body_never": ["token", "query", "http://", "@"]},
    },
    "an unknown method of the protocol": post(
        "error-text",
        {"status": [200, 404], "body_never": ["Traceback", 'File "', "/usr/", "/home/", "site-packages"]},
        body={"raw": '{"jsonrpc":"2.0","id":1,"method":"no/such"}'},
    ),
    "secrets stay out of the log": post(
        "log", {"logs_never": ["{GOOD_TOKEN}", "SECRET-QUERY-7Q", "URL-SECRET-9", "chat.example.org"]}, call="search"
    ),
    "others may not reach a server without logins": {
        "family": "bind",
        "start_args": "bind [::] without auth",
        "expect": {"start_fails": True},
    },
    "a port alone is this machine's": {
        "family": "bind",
        "start_args": "default",
        "expect": {"listens_only": ["127.0.0.1", "::1"]},
    },
}


def corpus() -> dict[str, Record]:
    """The records of the shared corpus, where it is at hand."""
    if not CORPUS.exists():
        return {}
    records = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {record["id"]: record for record in records}


def is_slow(record: Record) -> bool:
    return record["family"].startswith("slow-")


RECORDS = {name: one for name, one in {**OWN, **corpus()}.items() if not one["family"].startswith("jwt-")}
WATCHERS = [f"watcher of {name}" for name in RECORDS]
QUICK = {name: one for name, one in RECORDS.items() if not is_slow(one)}


@dataclass
class Target:
    """A server with logins, and what its strangers may know."""

    server: HttpServer
    environment: dict[str, str]
    web: MiniWeb
    tokens: dict[str, str]
    revoked: str
    expired: str

    def fill(self, text: str, name: str) -> str:
        """A text with its placeholders filled in for one record, which has a user of its own."""
        good = self.tokens[name]
        known = {
            "GOOD_TOKEN": good,
            "GOOD_TOKEN_MINUS_LAST_CHAR": good[:-1],
            "GOOD_ID": good.rpartition("_")[0] if good.count("_") == 2 else "_".join(good.split("_")[:2]),
            "REVOKED_TOKEN": self.revoked,
            "EXPIRED_TOKEN": self.expired,
            "ALLOWED_ORIGIN": ALLOWED_ORIGIN,
            "PORT": str(self.server.port),
            "RANDOM_IP": f"198.51.100.{time.monotonic_ns() % 250}",
            "SESSION_OF_OTHER_USER": "f" * 32,
            "JWT": "eyJhbGciOiJub25lIn0.e30.",
        }

        def value(found: re.Match[str]) -> str:
            word = found[1]
            return "A" * int(word[4:]) if word.startswith("PAD_") else known[word]

        return re.sub(r"\{([A-Z][A-Z_0-9]*)\}", value, text)

    def calls(self, name: str) -> float:
        """How many tools have run, as told to a user that only looks on at one record."""
        login = {"Authorization": f"Bearer {self.tokens[f'watcher of {name}']}"}
        page = self.server.ask("GET", "/metrics", login).body.decode()
        return sum(
            float(row.rpartition(" ")[2]) for row in page.splitlines() if row.startswith("gossamer_calls_total{")
        )

    def memory_mb(self, field: str) -> float:
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def prepare(folder: Path, web: MiniWeb) -> tuple[dict[str, str], dict[str, str], str, str]:
    environment = {
        **environment_for(web.url, web.host, folder),
        "GOSSAMER_HTTP__ORIGINS": ALLOWED_ORIGIN,
        "GOSSAMER_LOG__LEVEL": "info",
    }
    path = Path(environment["DATA_DIR"]) / "tokens.json"
    now = time.time()
    names = {name: f"user-{number}" for number, name in enumerate([*RECORDS, *WATCHERS, "watcher", "other"])}
    tokens = {name: new_token(path, user, now=now)[0] for name, user in names.items()}
    revoked = new_token(path, "gone", now=now)[0]
    revoke_tokens(path, "gone")
    expired = new_token(path, "late", days=1, now=now - 2 * 86_400)[0]
    return environment, tokens, revoked, expired


@pytest.fixture(scope="module")
def web() -> Iterator[MiniWeb]:
    with MiniWeb() as site:
        yield site


@pytest.fixture(scope="module")
def target(web: MiniWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    environment, tokens, revoked, expired = prepare(tmp_path_factory.mktemp("target"), web)
    with open_http(environment) as server:
        yield Target(server, environment, web, tokens, revoked, expired)


def body_of(kind: Any) -> bytes | None:
    match kind:
        case None:
            return None
        case "initialize":
            return json.dumps(INITIALIZE).encode()
        case {"raw": text}:
            return text.encode()
        case {"pad_bytes": count}:
            return b'{"a":"' + b"A" * count + b'"}'
        case {"nested_arrays": count}:
            return b"[" * count + b"]" * count
        case _:
            raise AssertionError(f"no body is known for {kind}")


def ask(target: Target, name: str, record: Record) -> Answer:
    """Send what a record says, once."""
    line = Line("127.0.0.1", target.server.port)
    try:
        if "raw" in record:
            line.socket.sendall(target.fill(record["raw"], name).encode("latin-1"))
            return line.receive()
        request = record["request"]
        headers = {key: target.fill(value, name) for key, value in request["headers"].items()}
        path = target.fill(request["path"], name)
        if isinstance(request["body"], dict) and "chunked_bytes" in request["body"]:
            line.socket.sendall(line.head(request["method"], path, {**headers, "Transfer-Encoding": "chunked"}))
            with contextlib.suppress(ConnectionError):
                for _ in range(request["body"]["chunked_bytes"] // 65_536):
                    line.socket.sendall(b"10000\r\n" + b"A" * 65_536 + b"\r\n")
        else:
            line.send(request["method"], path, headers, body_of(request["body"]))
        return line.receive()
    finally:
        line.close()


@pytest.mark.parametrize("name", [name for name, one in QUICK.items() if "request" in one or "raw" in one])
def test_what_a_stranger_sends_comes_to_what_it_should(name: str, target: Target, tmp_path: Path) -> None:
    record = RECORDS[name]
    if record.get("own_server"):
        environment, tokens, revoked, expired = prepare(tmp_path, target.web)
        with open_http(environment) as server:
            judge(Target(server, environment, target.web, tokens, revoked, expired), name, record)
    else:
        judge(target, name, record)


def judge(target: Target, name: str, record: Record) -> None:
    expect = record["expect"]
    calls = target.calls(name)
    Path(f"/proc/{target.server.process.pid}/clear_refs").write_text("5")
    before_mb = target.memory_mb("VmRSS")
    answers = [ask(target, name, record) for _ in range(record.get("repeat", 1))]
    if expect.get("some_429") and not any(one.status == 429 for one in answers):
        answers += [ask(target, name, record) for _ in range(record["repeat"])]  # a new window began in between
    for answer in answers:
        assert "status" not in expect or answer.status in expect["status"], answer
        for header, words in expect.get("headers", {}).items():
            assert words in answer.headers.get(header, ""), answer
        assert not [word for word in expect.get("body_never", ()) if word.encode() in answer.body], answer
    if expect.get("some_429"):
        refused = [one for one in answers if one.status == 429]
        assert refused
        assert all(one.headers["retry-after"].isdigit() for one in refused)
    if "tool_runs" in expect:
        assert target.calls(name) == calls + expect["tool_runs"]
    if "max_rss_mb" in expect:
        assert target.memory_mb("VmHWM") - before_mb <= expect["max_rss_mb"]
    assert target.server.process.poll() is None
    assert target.server.ask("GET", "/health").status == 200
    if "call" in record:
        judge_call(target, name, record)


def judge_call(target: Target, name: str, record: Record) -> None:
    """What a record says in words: a tool that is called with the good token."""
    expect, token = record["expect"], target.tokens[name]
    if expect.get("tool_error"):
        url = f"{target.web.url}/island/history"
        mine = target.server.call("web_fetch", target.tokens["other"], url=url, max_tokens=200)
        cursor = mine["_meta"]["gossamer/cursor"]
        theirs = target.server.call("web_fetch", token, url=url, cursor=cursor)
        assert theirs["isError"]
        assert "untrusted-web-content" not in theirs["content"][0]["text"]
        again = target.server.call("web_fetch", target.tokens["other"], url=url, cursor=cursor)
        assert not again.get("isError"), "its owner may use it"
        return
    seen = len(target.web.requests)
    found = target.server.post(
        tool_call("web_search", query=f"SECRET-QUERY-7Q ferry {name}", fetch_content=False), token
    )
    assert found.status == 200
    page = target.server.post(tool_call("web_fetch", url=f"{target.web.url}/island/history?key=URL-SECRET-9"), token)
    assert page.status == 200
    requests = list(target.web.requests)[seen:]
    assert len(requests) >= 2, "both calls went out"
    for word in expect.get("upstream_never_sees", ()):
        assert not [one for one in requests if target.fill(word, name).lower() in str(one).lower()]
    assert target.server.has_told(b'"event": "request"', 2), "the calls were logged"
    told = target.server.told.decode()
    assert not [word for word in expect.get("logs_never", ()) if target.fill(word, name) in told]


@pytest.mark.parametrize("name", [name for name, one in QUICK.items() if "start_args" in one])
def test_a_server_starts_only_where_it_is_safe(name: str, web: MiniWeb, tmp_path: Path) -> None:
    expect = RECORDS[name]["expect"]
    environment = environment_for(web.url, web.host, tmp_path)
    if expect.get("start_fails"):
        host = "[::]" if "[::]" in RECORDS[name]["start_args"] else "0.0.0.0"
        refused = Cli(environment)("serve", "--http", f"{host}:0")
        assert refused.returncode == 2
        assert "Listening" not in refused.stderr
        return
    with open_http(environment, bind="0") as server:
        assert listening(server.process.pid) <= set(expect["listens_only"])
        assert listening(server.process.pid)


def listening(pid: int) -> set[str]:
    """The addresses on which a process listens."""
    inodes = set()
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            inodes.update(re.findall(r"socket:\[(\d+)\]", str(one.readlink())))
    found = set()
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = row.split()
            if fields[3] == "0A" and fields[9] in inodes:
                digits = fields[1].partition(":")[0]
                v4 = ".".join(str(byte) for byte in reversed(bytes.fromhex(digits))) if table == "tcp" else ""
                found.add(v4 or ("::1" if digits == "0" * 24 + "01000000" else digits))
    return found


async def drip(port: int, first: bytes, within_s: float) -> float:
    """Send the first bytes, then one each second; the seconds after which the server hung up."""
    began = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(first)
    closing = asyncio.create_task(reader.read())
    try:
        while not closing.done():
            assert time.monotonic() - began < within_s, "the connection was never closed"
            await asyncio.wait([closing], timeout=1)
            if first:
                with contextlib.suppress(ConnectionError):
                    writer.write(b"a")
        with contextlib.suppress(ConnectionError):
            await closing
        return time.monotonic() - began
    finally:
        writer.close()


async def slow_ones(target: Target, name: str, record: Record) -> None:
    within_s = record["expect"]["closed_within_s"]
    if "raw_drip" in record:
        first = [record["raw_drip"].encode()] * record["connections"]
    else:
        heads = {key: target.fill(value, name) for key, value in record["request"]["headers"].items()}
        lines = [f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{target.server.port}\r\nContent-Length: 1000"]
        first = ["\r\n".join([*lines, *(f"{key}: {value}" for key, value in heads.items()), "", ""]).encode()]
    took = await asyncio.gather(*(drip(target.server.port, one, within_s * SLACK) for one in first))
    assert max(took) <= within_s * SLACK


async def test_the_slow_are_closed_in_time_and_disturb_nobody(target: Target) -> None:
    slow = {name: one for name, one in RECORDS.items() if is_slow(one)}
    running = asyncio.gather(*(slow_ones(target, name, one) for name, one in slow.items()))
    others: list[float] = []
    while not running.done():
        began = time.monotonic()
        answer = await asyncio.to_thread(target.server.post, INITIALIZE, target.tokens["watcher"])
        assert answer.status == 200
        others.append(time.monotonic() - began)
        await asyncio.wait([running], timeout=1)
    await running
    least_ms = min(one["expect"]["others_ok_ms"] for one in slow.values() if "others_ok_ms" in one["expect"])
    assert share(others, 0.5) * 1000 <= least_ms * SLACK
    assert target.server.process.poll() is None


def test_every_family_of_the_corpus_is_run_or_left_for_a_reason() -> None:
    records = corpus()
    if not records:
        pytest.skip(f"the shared corpus is not at hand: {CORPUS.name}")
    families = {one["family"] for one in records.values()}
    left = {family for family in families if family.startswith("jwt-")}
    assert left == {one["family"] for one in records.values() if one.get("server_auth") == "jwt"}, LEFT
    assert families - left == {one["family"] for one in OWN.values()}, "we have a case of our own in every family"
