"""The server as others reach it: a process behind a port."""

import asyncio
import contextlib
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from gossamer.demo.web import MiniWeb
from tests.patience import LONG_S
from tests.real.processes import ACCEPT, Cli, HttpServer, Line, environment_for, open_http, tool_call

"""Machines are noisy: what is promised within a moment has this long."""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@pytest.fixture(scope="module")
def home(web: MiniWeb, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of the server that most tests here share: on loopback, without tokens."""
    return environment_for(web.url, web.host, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def server(home: dict[str, str]) -> Iterator[HttpServer]:
    with open_http(home) as started:
        yield started


class Site(ThreadingHTTPServer):
    """A site whose page comes when the test says so."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Page)
        self.asked = threading.Event()
        self.may_answer = threading.Event()
        self.host = f"127.0.0.1:{self.server_port}"


class _Page(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self.send_error(404)
            return
        self.server.asked.set()
        self.server.may_answer.wait(60)
        body = b"<html><title>Late</title><body><p>The page that came late, and came whole.</p></body></html>"
        with contextlib.suppress(ConnectionError):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield made
        made.may_answer.set()
        made.shutdown()
        thread.join()


@pytest.fixture
def shared(site: Site, tmp_path: Path) -> dict[str, str]:
    """The environment of a server that may fetch from the site."""
    return environment_for(f"http://{site.host}", site.host, tmp_path)


def token_for(environment: dict[str, str], name: str, *options: str) -> str:
    made = Cli(environment)("token", "new", name, *options)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def until(holds: Callable[[], Any], within_s: float = LONG_S, every_s: float = 0.02) -> Any:
    """Ask again and again until something holds; seldom where each question counts as a failed login."""
    last = time.monotonic() + within_s
    while not (found := holds()):
        assert time.monotonic() < last, "it never came true"
        time.sleep(every_s)
    return found


def metric(server: HttpServer, line: str, token: str = "") -> float:
    login = {"Authorization": f"Bearer {token}"} if token else {}
    page = server.ask("GET", "/metrics", login).body.decode()
    rows = [row for row in page.splitlines() if row.startswith(f"{line} ")]
    return float(rows[0].rpartition(" ")[2]) if rows else 0


def in_background(work: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(work()), daemon=True)
    thread.start()
    return thread, done


def is_refused(server: HttpServer) -> bool:
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=60).close()
    except ConnectionRefusedError:
        return True
    return False


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_client_walks_the_whole_path(era: str, server: HttpServer, web: MiniWeb) -> None:
    steps: list[str] = []

    async def on_progress(_done: float, _total: float | None, message: str | None) -> None:
        steps.append(message or "")

    async with Client(server.url, mode=era) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["web_search", "web_fetch", "web_read", "web_answer"]
        found = await client.call_tool("web_search", {"query": f"ferry {era}"}, progress_callback=on_progress)
        assert not found.is_error
        page = await client.call_tool("web_fetch", {"url": f"{web.url}/island/history"})
        assert not page.is_error
        assert page.content[0].text.startswith("<untrusted-web-content id=")
        bad = await client.call_tool("web_fetch", {})
        assert bad.is_error
        assert bad.content[0].text == "invalid: url is missing. Correct it and call again."
    assert any("asking" in step for step in steps)


@pytest.mark.promise("000.117")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_clients_with_a_token_are_users_of_their_own(era: str, environment: dict[str, str]) -> None:
    token = token_for(environment, "alice", "--tools", "web_fetch,web_read")
    with open_http(environment) as server:
        login = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=login) as http,
            Client(streamable_http_client(server.url, http_client=http), mode=era) as client,
        ):
            assert [tool.name for tool in (await client.list_tools()).tools] == ["web_fetch", "web_read"]


@pytest.mark.promise("000.24", "000.97", "000.118", "000.119")
def test_a_stranger_is_turned_away(environment: dict[str, str]) -> None:
    token = token_for(environment, "alice")
    with open_http(environment) as server:
        refused = server.post(INITIALIZE)
        assert refused.status == 401
        assert refused.headers["www-authenticate"].startswith("Bearer ")
        assert server.post(INITIALIZE, token).status == 200
        assert server.ask("GET", "/metrics").status == 401
        assert server.ask("GET", "/health").status == 200
        line = server.line()
        line.send("POST", "/mcp", {**ACCEPT, "Content-Length": "1000", "Expect": "100-continue"})
        assert line.receive().status == 401, "not asked for a body that nobody will read"
        assert line.is_closed()
        line.close()


def test_a_token_opens_the_tools_it_names(environment: dict[str, str]) -> None:
    token = token_for(environment, "bob", "--tools", "web_search")
    with open_http(environment) as server:
        refused = server.post(tool_call("web_fetch", url="http://127.0.0.1:1/"), token)
        assert refused.status == 403
        assert "insufficient_scope" in refused.headers["www-authenticate"]
        assert server.post(tool_call("web_search"), token).json()["result"]["isError"]
        assert server.ask("GET", "/metrics", {"Authorization": f"Bearer {token}"}).status == 403
        whole = token_for(environment, "carol")
        until(lambda: server.post(LIST, whole).status == 200, every_s=0.2)
        assert metric(server, 'gossamer_calls_total{outcome="invalid",tool="web_search"}', whole) == 1
        assert metric(server, 'gossamer_http_refused_total{reason="scope"}', whole) == 2


def test_tokens_come_and_go_while_the_server_runs(environment: dict[str, str]) -> None:
    with open_http(environment) as server:
        assert server.post(LIST).status == 200, "open while there are no tokens"
        token = token_for(environment, "alice")
        until(lambda: server.post(LIST).status == 401)
        assert server.post(LIST, token).status == 200
        other = token_for(environment, "bob")
        until(lambda: server.post(LIST, other).status == 200, every_s=0.2)
        assert Cli(environment)("token", "revoke", "alice").returncode == 0
        until(lambda: server.post(LIST, token).status == 401)
        assert server.post(LIST, other).status == 200
        assert Cli(environment)("token", "revoke", "bob").returncode == 0
        until(lambda: server.post(LIST, other).status == 401)
        assert server.post(LIST).status == 401, "no token is left, and still nobody is let in"


def test_progress_comes_as_events_before_the_result(server: HttpServer) -> None:
    call = tool_call("web_search", query="lighthouse keeper")
    call["params"]["_meta"] = {"progressToken": "p"}
    line = server.line()
    line.send("POST", "/mcp", ACCEPT, json.dumps(call).encode())
    assert b"text/event-stream" in line.lines_until_blank()
    events = [line.event()]
    while "result" not in events[-1]:
        events.append(line.event())
    line.close()
    told = [event["params"] for event in events[:-1]]
    assert told
    assert all(event["method"] == "notifications/progress" for event in events[:-1])
    assert [one["progress"] for one in told] == sorted({one["progress"] for one in told})


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_a_client_that_hangs_up_ends_its_call(era: str, shared: dict[str, str], site: Site) -> None:
    call = tool_call("web_fetch", url=f"http://{site.host}/{era}")
    headers = {**ACCEPT, "MCP-Protocol-Version": era}
    if era == "2026-07-28":
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "web_fetch"}
        call["params"]["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    with open_http(shared) as server:
        line = server.line()
        line.send("POST", "/mcp", headers, json.dumps(call).encode())
        assert site.asked.wait(LONG_S)
        assert metric(server, "gossamer_calls_in_flight") == 1
        line.close()
        until(lambda: metric(server, "gossamer_calls_in_flight") == 0)
        ended = 'gossamer_calls_total{outcome="%s",tool="web_fetch"}'
        assert (metric(server, ended % "cancelled"), metric(server, ended % "error")) == (1, 0)


@pytest.mark.promise("002.157")
def test_a_user_over_the_limit_is_told_when_to_come_back(environment: dict[str, str]) -> None:
    token = token_for(environment, "alice")
    with open_http({**environment, "GOSSAMER_LIMITS__REQUESTS": "3/3600"}) as server:
        answers = [server.post(LIST, token) for _ in range(5)]
        assert [one.status for one in answers] in ([200, 200, 200, 429, 429], [200] * 5), "an hour may just begin"
        refused = until(lambda: (one := server.post(LIST, token)).status == 429 and one)
        assert 1 <= int(refused.headers["retry-after"]) <= 3600
        assert refused.json()["error"]["data"]["retry_after_s"] == int(refused.headers["retry-after"])


def test_too_many_at_once_are_told_to_come_back(shared: dict[str, str], site: Site) -> None:
    tokens = {name: token_for(shared, name) for name in ("alice", "bob", "carol")}
    limits = {"GOSSAMER_LIMITS__IN_FLIGHT": "1", "GOSSAMER_LIMITS__IN_FLIGHT_TOTAL": "2"}
    with open_http({**shared, **limits}) as server:
        running = []
        for name in ("alice", "bob"):
            work = tool_call("web_fetch", url=f"http://{site.host}/{name}")
            running.append(in_background(lambda work=work, name=name: server.post(work, tokens[name])))
            assert site.asked.wait(LONG_S)
            site.asked.clear()
        mine = server.post(LIST, tokens["alice"])
        assert mine.status == 429
        assert int(mine.headers["retry-after"]) >= 1
        everybody = server.post(LIST, tokens["carol"])
        assert everybody.status == 503
        assert int(everybody.headers["retry-after"]) >= 1
        assert server.ask("GET", "/health").status == 200
        site.may_answer.set()
        for thread, done in running:
            thread.join(LONG_S)
            assert "came whole" in done[0].json()["result"]["content"][0]["text"]
        until(lambda: server.post(LIST, tokens["carol"]).status == 200)


def test_limits_of_a_tool_hold_over_http(environment: dict[str, str], web: MiniWeb) -> None:
    with open_http({**environment, "GOSSAMER_LIMITS__TOOLS": "web_fetch=1/3600"}) as server:
        url = f"{web.url}/island/history"
        told = [server.call("web_fetch", url=url)["_meta"]["gossamer/outcome"] for _ in range(3)]
        assert told[0] == "ok"
        assert "rate_limited" in told[1:]


def test_a_signal_lets_what_runs_end_and_nothing_new_begin(shared: dict[str, str], site: Site) -> None:
    with open_http(shared) as server:
        idle = server.line()
        idle.send("GET", "/ready", {})
        until(lambda: idle.receive().status == 200 or idle.send("GET", "/ready", {}))
        thread, done = in_background(lambda: server.post(tool_call("web_fetch", url=f"http://{site.host}/x")))
        assert site.asked.wait(LONG_S)
        server.process.send_signal(signal.SIGTERM)
        until(lambda: is_refused(server))
        idle.send("GET", "/ready", {})
        answer = idle.receive()
        assert (answer.status, answer.json()["reasons"]) == (503, ["draining: the server is about to end"])
        idle.send("POST", "/mcp", ACCEPT, json.dumps(LIST).encode())
        assert idle.receive().status == 503
        assert server.process.poll() is None, "it waits for the call"
        site.may_answer.set()
        thread.join(LONG_S)
        assert "came whole" in done[0].json()["result"]["content"][0]["text"]
        assert server.wait() == 0
        assert idle.is_closed()
        idle.close()
        assert b"Traceback" not in server.told


def test_what_does_not_end_in_time_is_cut_and_a_second_signal_waits_for_nothing(
    shared: dict[str, str], site: Site, tmp_path: Path
) -> None:
    call = tool_call("web_fetch", url=f"http://{site.host}/x")
    slow = {**shared, "GOSSAMER_NET__SILENCE_S": "60", "GOSSAMER_NET__PAGE_TIMEOUT_S": "60"}
    other = {**slow, "DATA_DIR": str(tmp_path / "other")}
    with open_http(slow) as patient, open_http(other) as hurried:
        lines = [patient.line(), hurried.line()]
        for line in lines:
            line.send("POST", "/mcp", ACCEPT, json.dumps(call).encode())
            assert site.asked.wait(LONG_S)
            site.asked.clear()
        began = time.monotonic()
        patient.process.send_signal(signal.SIGTERM)
        hurried.process.send_signal(signal.SIGTERM)
        until(lambda: is_refused(hurried))
        hurried.process.send_signal(signal.SIGTERM)
        assert hurried.wait() == 130
        assert patient.wait() == 0
        assert 9 < time.monotonic() - began < 40
        assert b"1 requests were still running after 10 s; they were cut." in patient.told
        for line in lines:
            line.close()
        assert b"Traceback" not in patient.told


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_server_leaves_at_once_with_nothing_to_say(name: signal.Signals, environment: dict[str, str]) -> None:
    with open_http(environment) as server:
        idle = server.line()
        assert server.post(LIST).status == 200
        server.process.send_signal(name)
        assert server.wait() == 0
        assert idle.is_closed()
        idle.close()
        assert re.fullmatch(rb"Listening on http://127\.0\.0\.1:\d+/mcp\n", server.told)


def test_one_connection_serves_many_requests(server: HttpServer) -> None:
    line = server.line()
    body = json.dumps(LIST).encode()
    for _ in range(5):
        line.send("POST", "/mcp", ACCEPT, body)
        assert line.receive().json()["id"] == 2
    for _ in range(3):
        line.send("GET", "/health", {})
    assert [line.receive().json() for _ in range(3)] == [{"status": "ok"}] * 3
    line.close()


def test_requests_sent_at_once_are_answered_in_order(server: HttpServer) -> None:
    line = server.line()
    for number in range(8):
        line.send("POST", "/mcp", ACCEPT, json.dumps({**LIST, "id": number}).encode())
    assert [line.receive().json()["id"] for _ in range(8)] == list(range(8))
    line.close()


def test_bodies_may_come_in_pieces_and_in_chunks(server: HttpServer) -> None:
    body = json.dumps({**LIST, "id": "grüße"}).encode()
    line = server.line()
    line.socket.sendall(line.head("POST", "/mcp", {**ACCEPT, "Content-Length": str(len(body))}))
    for byte in body:
        line.socket.sendall(bytes([byte]))
    assert line.receive().json()["id"] == "grüße"
    line.socket.sendall(line.head("POST", "/mcp", {**ACCEPT, "Transfer-Encoding": "chunked"}))
    for start in range(0, len(body), 7):
        piece = body[start : start + 7]
        line.socket.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
    line.socket.sendall(b"0\r\n\r\n")
    assert line.receive().json()["id"] == "grüße"
    line.close()


BROKEN = {
    "nothing": b"",
    "half": b'{"jsonrpc":',
    "no JSON": b"hello",
    "no UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
    "a list": b"[]",
    "a batch": json.dumps([INITIALIZE, LIST]).encode(),
    "a text": b'"tools/list"',
    "no method": b'{"jsonrpc":"2.0","id":1}',
    "another version": b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 50_000,
    "a number beyond all": b'{"jsonrpc":"2.0","id":1e400,"method":"x"}',
    "many digits": b'{"jsonrpc":"2.0","id":%s,"method":"x"}' % (b"9" * 5_000),
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_a_body_that_is_no_message_is_a_bad_request(era: str, body: bytes, server: HttpServer) -> None:
    answer = server.post(body, MCP_Protocol_Version=era)
    assert answer.status == 400
    assert b"Traceback" not in answer.body
    assert server.post(LIST).status == 200


def test_a_body_over_the_limit_is_refused_while_it_arrives(server: HttpServer) -> None:
    line = server.line()
    line.socket.sendall(line.head("POST", "/mcp", {**ACCEPT, "Transfer-Encoding": "chunked"}))
    with contextlib.suppress(ConnectionError):
        for _ in range(20):
            line.socket.sendall(b"10000\r\n" + b"a" * 65_536 + b"\r\n")
    assert line.receive().status == 413
    line.close()


def test_pages_on_other_sites_and_foreign_names_are_refused(server: HttpServer) -> None:
    assert server.post(LIST, Origin="https://evil.example").status == 403
    assert server.post(LIST, Host="evil.example").status == 421
    allowed = server.post(LIST, Origin="http://localhost:6274")
    assert allowed.status == 200
    assert allowed.headers["access-control-allow-origin"] == "http://localhost:6274"


@pytest.mark.promise("001.101", "001.114")
def test_metrics_tell_what_was_done_and_nothing_of_what_was_asked(server: HttpServer, web: MiniWeb) -> None:
    line = 'gossamer_calls_total{outcome="ok",tool="web_fetch"}'
    before = metric(server, line)
    assert not server.call("web_fetch", url=f"{web.url}/island/history?secret=7Q")["isError"]
    assert metric(server, line) == before + 1
    page = server.ask("GET", "/metrics").body.decode()
    assert 'gossamer_call_seconds_count{tool="web_fetch"}' in page
    assert 'gossamer_http_answers_total{status="2xx"}' in page
    assert [server.ask("GET", path).status for path in ("/health", "/ready")] == [200, 200]
    assert not [word for word in ("token", "query", "http://", "@", "secret", web.host) if word in page]


def test_a_server_for_others_without_logins_refuses_to_start(cli: Cli) -> None:
    refused = cli("serve", "--http", "0.0.0.0:0")
    assert refused.returncode == 2
    assert "gossamer token new" in refused.stderr
    assert "--insecure" in refused.stderr
    assert "Listening" not in refused.stderr


def test_insecure_serves_others_without_logins_each_address_a_user(environment: dict[str, str]) -> None:
    limits = {"GOSSAMER_LIMITS__REQUESTS": "2/3600"}
    with open_http({**environment, **limits}, "--insecure", bind="0.0.0.0:0") as server:
        statuses = [server.post(LIST).status for _ in range(5)]
        assert statuses[:2] == [200, 200]
        assert 429 in statuses
        assert server.post(LIST, Host="any.example").status == 421
        assert server.ask("GET", "/metrics").status in {200, 429}, "asked from the machine itself"


def test_a_server_for_others_with_logins_starts(environment: dict[str, str]) -> None:
    token = token_for(environment, "alice")
    with open_http(environment, bind="0.0.0.0:0") as server:
        assert server.post(LIST, Host="mcp.example.org").status == 401
        assert server.post(LIST, token, Host="mcp.example.org").status == 200


MISTAKES = {
    "a broken setting": (["serve", "--http", "0"], {"GOSSAMER_NET__ROBOTS": "maybe"}, "net.robots"),
    "an unknown tool": (["serve", "--http", "0", "--tools", "web_serch"], {}, "web_serch"),
    "a limit for an unknown tool": (["serve", "--http", "0"], {"GOSSAMER_LIMITS__TOOLS": "x=1/1"}, "limits.tools"),
    "no address": (["serve", "--http", "nowhere"], {}, "HOST:PORT"),
    "an address of another machine": (["serve", "--http", "192.0.2.1:80", "--insecure"], {}, "192.0.2.1:80"),
    "insecure without HTTP": (["serve", "--insecure"], {}, "--http"),
    "a host with a scheme": (["serve", "--http", "0"], {"GOSSAMER_HTTP__HOSTS": "https://a.example"}, "http.hosts"),
    "any host": (["serve", "--http", "0"], {"GOSSAMER_HTTP__HOSTS": "*"}, "http.hosts"),
    "an origin without a scheme": (["serve", "--http", "0"], {"GOSSAMER_HTTP__ORIGINS": "a.example"}, "http.origins"),
    "an origin with a path": (["serve", "--http", "0"], {"GOSSAMER_HTTP__ORIGINS": "https://a.io/b"}, "http.origins"),
    "a token file that is not there": (["serve", "--http", "0"], {"GOSSAMER_HTTP__TOKENS": "/no/file"}, "http.tokens"),
    "a name for others, and no logins": (["serve", "--http", "0"], {"GOSSAMER_HTTP__HOSTS": "a.example"}, "token new"),
    "a state of an unknown kind": (["serve", "--http", "0"], {"GOSSAMER_STATE": "paper:"}, "no state"),
    "a store of an unknown kind": (["serve", "--http", "0"], {"GOSSAMER_STORE": "paper:"}, "no store"),
}


@pytest.mark.parametrize(("arguments", "extra", "named"), MISTAKES.values(), ids=MISTAKES)
def test_a_server_that_cannot_serve_says_why_and_ends(
    arguments: list[str], extra: dict[str, str], named: str, cli: Cli
) -> None:
    refused = cli(*arguments, **extra)
    assert refused.returncode == 2
    assert named in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_wish_for_another_protocol_is_not_heard_and_costs_nothing(server: HttpServer) -> None:
    wishes = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQAoAAAAAIAAAAA"}
    assert server.post(LIST, **wishes).json()["result"]["tools"]
    assert server.post(LIST, Connection="Upgrade", Upgrade="websocket").json()["result"]["tools"]


def test_what_stands_behind_a_body_is_no_header(environment: dict[str, str]) -> None:
    token = token_for(environment, "alice")
    with open_http(environment) as server:
        line = server.line()
        body = json.dumps(LIST).encode()
        head = line.head("POST", "/mcp", {**ACCEPT, "Transfer-Encoding": "chunked"})
        trailer = f"0\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        line.socket.sendall(head + b"%x\r\n%s\r\n" % (len(body), body) + trailer)
        assert line.receive().status == 401
        line.close()


def test_behind_a_proxy_without_logins_nobody_is_the_owner(environment: dict[str, str]) -> None:
    with open_http({**environment, "GOSSAMER_HTTP__HOSTS": "mcp.example.org"}, "--insecure") as server:
        fetched = server.call("web_fetch", url=f"{environment['SEARXNG_URL']}/")
        assert fetched
        listed = server.post({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, Host="mcp.example.org").json()
        assert listed["result"]["resources"] == []


def test_a_port_that_is_taken_is_told(server: HttpServer, cli: Cli) -> None:
    refused = cli("serve", "--http", str(server.port))
    assert refused.returncode == 2
    assert "Address already in use" in refused.stderr


def test_a_folder_that_cannot_be_used_is_told_by_ready_and_by_calls(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    with open_http({**environment, "DATA_DIR": str(tmp_path / "file" / "data")}) as server:
        assert server.ask("GET", "/health").status == 200
        reasons = until(lambda: [one for one in server.ask("GET", "/ready").json()["reasons"] if "cannot" in one])
        assert reasons == ["the place where pages are kept cannot be used"]
        assert str(tmp_path) not in server.ask("GET", "/ready").body.decode()
        assert server.call("web_fetch", url="http://127.0.0.1:1/")["isError"]


def test_a_token_file_that_cannot_be_read_lets_nobody_in_and_ready_says_so(environment: dict[str, str]) -> None:
    token = token_for(environment, "alice")
    Path(environment["DATA_DIR"], "tokens.json").write_text("{")
    with open_http(environment) as server:
        assert server.post(LIST, token).status == 401
        assert "logins cannot be checked" in server.ask("GET", "/ready").json()["reasons"]


def test_the_server_raises_its_own_limit_of_open_files(environment: dict[str, str]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, soft), hard))
    try:
        server = HttpServer(environment)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    try:
        limits = Path(f"/proc/{server.process.pid}/limits").read_text()
        row = next(line.split() for line in limits.splitlines() if line.startswith("Max open files"))
        assert row[3] == ("1048576" if hard == resource.RLIM_INFINITY else str(hard))
    finally:
        server.close()


def test_silent_connections_beyond_what_the_system_allows_lock_nobody_out(environment: dict[str, str]) -> None:
    few = ["sh", "-c", 'ulimit -n 200; exec "$0" "$@"', sys.executable, "-m", "gossamer", "serve", "--http", "0"]
    process = subprocess.Popen(few, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    silent: list[socket.socket] = []
    try:
        assert process.stderr
        port = int(re.search(rb":(\d+)/mcp", process.stderr.readline())[1])  # type: ignore[index]
        for _ in range(3):
            silent += [socket.create_connection(("127.0.0.1", port), timeout=LONG_S) for _ in range(220)]
            line = Line("127.0.0.1", port)
            line.send("POST", "/mcp", ACCEPT, json.dumps(LIST).encode())
            assert line.receive().status == 200
            line.close()
        assert len(os.listdir(f"/proc/{process.pid}/fd")) < 200  # noqa: PTH208  a process, not a folder
    finally:
        for one in silent:
            one.close()
        process.terminate()
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0
    assert told == b""


def test_names_without_dots_and_other_tools_can_be_asked_for(environment: dict[str, str]) -> None:
    with open_http(environment, "--tools", "web_fetch", "--dotless") as server:
        assert [tool["name"] for tool in server.post(LIST).json()["result"]["tools"]] == ["web_fetch"]


def test_several_servers_of_one_machine_count_a_user_together(environment: dict[str, str]) -> None:
    token = token_for(environment, "alice")
    limited = {**environment, "GOSSAMER_LIMITS__REQUESTS": "4/3600"}
    with open_http(limited) as one, open_http(limited) as other:
        statuses = [server.post(LIST, token).status for _ in range(4) for server in (one, other)]
        assert 4 <= statuses.count(200) < 8
        assert 429 in statuses


async def test_many_callers_at_once_are_all_answered(server: HttpServer) -> None:
    async def caller(number: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        body = json.dumps({**LIST, "id": number}).encode()
        for _ in range(3):
            head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
            names = "".join(f"{name}: {value}\r\n" for name, value in ACCEPT.items())
            writer.write(f"{head}{names}\r\n".encode() + body)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            await reader.readuntil(b"0\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        return number

    async with asyncio.timeout(60):
        assert sorted(await asyncio.gather(*(caller(number) for number in range(100)))) == list(range(100))
    assert os.path.exists(f"/proc/{server.process.pid}")  # noqa: PTH110  a process, not a file
