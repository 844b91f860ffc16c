"""What stands before the protocol on HTTP: who may come in, how often, with how much."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.contracts import choose_tools
from gossamer.limits.limiter import Limiter, Rate
from gossamer.ports import State
from gossamer.ports.call import LOCAL, Caller
from gossamer.server.http.gate import Door, Gate
from gossamer.server.http.health import Health
from gossamer.server.http.host_origin import Hosts, Origins
from gossamer.server.http.metrics import Metrics
from gossamer.server.http.token_file import new_token
from gossamer.server.http.tokens import Tokens
from gossamer.server.log import EventLog
from gossamer.server.service import SCOPE_KEY, caller_of
from gossamer.states.memory import MemoryState
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S

INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}).encode()


@dataclass
class Answered:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""

    @property
    def told(self) -> dict[str, Any]:
        return json.loads(self.body)


class App:
    """Stands where the protocol stands: remembers who came with what."""

    def __init__(self) -> None:
        self.callers: list[Caller] = []
        self.bodies: list[bytes] = []
        self.hold: asyncio.Event | None = None
        self.entered = asyncio.Event()
        self.error: Exception | None = None
        self.breaks_late = False

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.callers.append(scope[SCOPE_KEY])
        message = await receive()
        assert not message["more_body"]
        self.bodies.append(message["body"])
        self.entered.set()
        if self.hold:
            await self.hold.wait()
        if self.error and not self.breaks_late:
            raise self.error
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        if self.error:
            raise self.error
        await send({"type": "http.response.body", "body": b"ok"})


@dataclass
class Case:
    """A gate and what it is made of."""

    gate: Gate
    app: App
    tokens: Path
    seen: Tokens
    metrics: Metrics
    health: Health
    clock: SetClock

    async def ask(
        self,
        method: str = "POST",
        path: str = "/mcp",
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        *,
        body: Iterable[bytes | None] = (INITIALIZE,),
        peer: str = "127.0.0.1",
        host: str | None = "127.0.0.1:8000",
        watch: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
    ) -> Answered:
        """One request; None in the body stands for a client that sends no more, and stays; `watch` sees the answer."""
        pairs = list(headers.items() if isinstance(headers, Mapping) else headers)
        if host and not any(name.lower() == "host" for name, _ in pairs):
            pairs.append(("host", host))
        scope: dict[str, Any] = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in pairs],
            "client": (peer, 50_000),
        }
        parts = list(body)
        answered = Answered()

        async def receive() -> dict[str, Any]:
            if not parts:
                return {"type": "http.disconnect"}
            part = parts.pop(0)
            if part is None:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": part, "more_body": bool(parts)}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answered.status = message["status"]
                answered.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                answered.body += message.get("body", b"")
            if watch:
                await watch(message)

        await self.gate(scope, receive, send)
        return answered

    def login(self, user: str = "alice", tools: tuple[str, ...] | None = None) -> dict[str, str]:
        """A new token that the server has seen."""
        token, _ = new_token(self.tokens, user, tools=tools, now=self.clock.now())
        self.seen.look()
        return {"authorization": f"Bearer {token}"}

    def metric(self, line: str) -> float:
        found = [row for row in self.metrics.page().decode().splitlines() if row.startswith(f"{line} ")]
        return float(found[0].rpartition(" ")[2]) if found else 0


Make = Callable[..., Awaitable[Case]]


@pytest.fixture
async def make(tmp_path: Path) -> Any:
    """Makes gates; by default one on loopback without a token file."""
    limiters: list[Limiter] = []

    async def made(
        *,
        hosts: tuple[str, ...] = (),
        origins: tuple[str, ...] = (),
        requests: Rate | None = None,
        in_flight: int = 16,
        in_flight_total: int = 512,
        failed_logins: Rate = Rate(count=20, seconds=60),  # noqa: B008  frozen
        state: State | None = None,
        **door: Any,
    ) -> Case:
        clock = SetClock(time=3_600_000.0)
        limiter = Limiter(
            state or MemoryState(clock),
            clock=clock,
            key=b"l" * 32,
            requests=requests,
            tools={},
            in_flight=in_flight,
            in_flight_total=in_flight_total,
            failed_logins=failed_logins,
        )
        limiters.append(limiter)
        tools = {tool.name: tool for tool in choose_tools(["core"])}
        app, metrics, log = App(), Metrics(tools), EventLog("warning")
        health = Health(log)
        tokens = tmp_path / "tokens.json"
        seen = Tokens(tokens, clock=clock)
        gate = Gate(
            app,
            door=Door(**{"is_loopback": True, **door}),
            hosts=Hosts(hosts),
            origins=Origins(origins),
            tokens=seen,
            limiter=limiter,
            metrics=metrics,
            health=health,
            log=log,
            tools=tools,
            peer_key=b"k" * 32,
            in_flight_total=in_flight_total,
        )
        return Case(gate=gate, app=app, tokens=tokens, seen=seen, metrics=metrics, health=health, clock=clock)

    yield made
    for limiter in limiters:
        await limiter.close()


async def test_a_server_of_this_machine_alone_is_open_to_its_user(make: Make) -> None:
    case = await make()
    answered = await case.ask()
    assert (answered.status, answered.body) == (200, b"ok")
    assert case.app.callers == [LOCAL]
    assert case.app.bodies == [INITIALIZE]


async def test_its_user_is_not_counted_against_the_limits_of_a_shared_server(make: Make) -> None:
    case = await make(requests=Rate(count=1, seconds=60), in_flight=1)
    assert [(await case.ask()).status for _ in range(5)] == [200] * 5


HOSTS = {
    "loopback by name": ("localhost:8000", True, True),
    "loopback in capitals": ("LocalHost", True, True),
    "loopback by address": ("127.0.0.1", True, True),
    "another loopback address": ("127.9.9.9:80", True, True),
    "loopback in IPv6": ("[::1]:8000", True, True),
    "a configured name, any port": ("mcp.example.org:9999", True, True),
    "a configured name with its port": ("tools.example.org:8443", True, True),
    "a configured name with another port": ("tools.example.org:80", False, False),
    "a name of somebody else": ("evil.example", False, False),
    "a look-alike": ("localhost.evil.example", False, False),
    "a public address": ("203.0.113.7:8000", False, True),
    "a private address": ("[fd00::1]", False, True),
    "nothing": ("", False, False),
    "no port after the colon": ("localhost:", False, False),
    "a port that is none": ("localhost:8000x", False, False),
    "an address without its bracket": ("[::1", False, False),
    "brackets round a name": ("[localhost]", False, False),
    "a user before the name": ("localhost@evil.example", False, False),
    "an address with a path": ("127.0.0.1/evil", False, False),
    "two names": ("localhost, evil.example", False, False),
}


@pytest.mark.parametrize(("host", "on_loopback", "elsewhere"), HOSTS.values(), ids=HOSTS)
async def test_only_requests_to_our_own_names_are_answered(
    host: str, on_loopback: bool, elsewhere: bool, make: Make
) -> None:
    names = ("mcp.example.org", "tools.example.org:8443")
    home = await make(hosts=names)
    assert (await home.ask(headers={"host": host})).status == (200 if on_loopback else 421)
    public = await make(hosts=names, is_loopback=False, is_insecure=True)
    assert (await public.ask(headers={"host": host})).status == (200 if elsewhere else 421)
    assert (await public.ask("GET", "/health", {"host": host}, body=())).status == (200 if elsewhere else 421)


async def test_a_request_that_names_no_host_is_malformed(make: Make) -> None:
    case = await make()
    assert (await case.ask(host=None, body=[None])).status == 400


async def test_a_server_behind_logins_goes_by_any_name_unless_its_names_are_configured(make: Make) -> None:
    case = await make(is_loopback=False)
    login = case.login()
    assert (await case.ask(headers={**login, "host": "any.example"})).status == 200
    named = await make(is_loopback=False, hosts=("mcp.example.org",))
    assert (await named.ask(headers={**login, "host": "any.example"})).status == 421
    assert (await named.ask(headers={**login, "host": "mcp.example.org"})).status == 200


async def test_many_odd_hosts_and_origins_take_no_memory(make: Make) -> None:
    hosts, origins = Hosts(()), Origins(())
    for number in range(2_000):
        hosts.judge(f"h{number}".encode())
        assert not origins.allows(f"https://h{number}".encode())
    assert len(hosts._kept) <= 256
    assert len(origins._kept) <= 256


ORIGINS = {
    "a page of this machine": ("http://localhost:3000", 200),
    "over TLS": ("https://127.0.0.1", 200),
    "in IPv6": ("http://[::1]:5173", 200),
    "configured": ("https://chat.example.org", 200),
    "configured, in capitals": ("https://Chat.Example.org", 200),
    "configured, another port": ("https://chat.example.org:8443", 403),
    "configured, without TLS": ("http://chat.example.org", 403),
    "longer than configured": ("https://chat.example.org.evil.example", 403),
    "somebody else's": ("https://evil.example", 403),
    "a look-alike of this machine": ("http://localhost.evil.example", 403),
    "another scheme": ("chrome-extension://localhost", 403),
    "none that can be named": ("null", 403),
    "empty": ("", 403),
    "with a path": ("http://localhost/x", 403),
}


@pytest.mark.parametrize(("origin", "status"), ORIGINS.values(), ids=ORIGINS)
async def test_pages_of_other_origins_are_refused_before_their_body_is_read(
    origin: str, status: int, make: Make
) -> None:
    case = await make(origins=("https://chat.example.org",))
    answered = await case.ask(headers={"origin": origin}, body=[INITIALIZE] if status == 200 else [None])
    assert answered.status == status
    assert answered.headers.get("access-control-allow-origin") == (origin if status == 200 else None)
    if status == 200:
        assert answered.headers["access-control-expose-headers"] == "retry-after, www-authenticate"
        assert answered.headers["vary"] == "origin"


async def test_a_browser_is_told_what_an_allowed_page_may_send(make: Make) -> None:
    case = await make()
    asked = {
        "origin": "http://localhost:3000",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, Content-Type, mcp-param-city, x-api-key, cookie",
    }
    answered = await case.ask("OPTIONS", headers=asked, body=())
    assert answered.status == 204
    assert answered.headers["access-control-allow-methods"] == "POST"
    assert answered.headers["access-control-allow-headers"] == "authorization, content-type, mcp-param-city"
    assert "access-control-allow-credentials" not in answered.headers
    assert (await case.ask("OPTIONS", headers={**asked, "origin": "https://evil.example"}, body=())).status == 403
    assert (await case.ask("OPTIONS", body=())).status == 405


PATHS = {
    "a stream of its own": ("GET", "/mcp", 405, "POST"),
    "the end of a session": ("DELETE", "/mcp", 405, "POST"),
    "an echo": ("TRACE", "/mcp", 405, "POST"),
    "a post to health": ("POST", "/health", 405, "GET, HEAD"),
    "a post to metrics": ("POST", "/metrics", 405, "GET, HEAD"),
    "elsewhere": ("POST", "/", 404, None),
    "a longer path": ("POST", "/mcp/x", 404, None),
    "out of the tree": ("GET", "/../../etc/passwd", 404, None),
}


@pytest.mark.parametrize(("method", "path", "status", "allow"), PATHS.values(), ids=PATHS)
async def test_other_paths_and_methods_are_refused(
    method: str, path: str, status: int, allow: str | None, make: Make
) -> None:
    case = await make()
    answered = await case.ask(method, path, body=())
    assert (answered.status, answered.headers.get("allow")) == (status, allow)
    assert case.app.callers == []


async def test_a_slash_at_the_end_does_no_harm(make: Make) -> None:
    case = await make()
    assert (await case.ask(path="/mcp/")).status == 200


async def test_a_session_id_is_no_credential_and_never_known(make: Make) -> None:
    case = await make()
    answered = await case.ask(headers={"mcp-session-id": "of-somebody-else"})
    assert answered.status == 404
    assert "Initialize again" in answered.told["error"]["message"]
    assert case.app.callers == []


BAD_LOGINS = {
    "none": ({}, 'Bearer realm="gossamer"'),
    "another scheme": ({"authorization": "Basic dXNlcjpwdw=="}, 'Bearer realm="gossamer"'),
    "nothing behind the scheme": ({"authorization": "Bearer"}, 'Bearer realm="gossamer"'),
    "blanks behind the scheme": ({"authorization": "Bearer    "}, 'Bearer realm="gossamer"'),
    "in a cookie": ({"cookie": "token=GOOD"}, 'Bearer realm="gossamer"'),
    "in a header of another name": ({"x-api-key": "GOOD"}, 'Bearer realm="gossamer"'),
    "unknown": ({"authorization": "Bearer gsm_00000000_wrong"}, 'Bearer realm="gossamer", error="invalid_token"'),
    "not in ASCII": ({"authorization": "Bearer gsm_é"}, 'Bearer realm="gossamer", error="invalid_token"'),
    "endless": ({"authorization": f"Bearer {'A' * 60_000}"}, 'Bearer realm="gossamer", error="invalid_token"'),
    "cut by a character": ({"authorization": "Bearer SHORT"}, 'Bearer realm="gossamer", error="invalid_token"'),
    "with a scheme before it": ({"authorization": "Basic GOOD"}, 'Bearer realm="gossamer"'),
}


@pytest.mark.promise("000.24", "000.98", "000.118", "000.119")
@pytest.mark.parametrize(("headers", "challenge"), BAD_LOGINS.values(), ids=BAD_LOGINS)
async def test_without_a_valid_token_in_the_right_place_nothing_runs(
    headers: dict[str, str], challenge: str, make: Make
) -> None:
    case = await make(is_loopback=False)
    good = case.login()["authorization"].removeprefix("Bearer ")
    sent = {name: value.replace("GOOD", good).replace("SHORT", good[:-1]) for name, value in headers.items()}
    answered = await case.ask(headers=sent, body=[None])
    assert (answered.status, answered.headers["www-authenticate"]) == (401, challenge)
    assert b"token" not in answered.body
    assert case.app.callers == []


@pytest.mark.promise("000.98", "000.117")
async def test_a_valid_token_makes_its_user_the_caller_whatever_the_case_of_the_scheme(make: Make) -> None:
    case = await make(is_loopback=False)
    good = case.login("alice")["authorization"].removeprefix("Bearer ")
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert (await case.ask(headers={"authorization": f"{scheme} {good}"})).status == 200
    assert case.app.callers == [Caller(name="alice")] * 3


async def test_two_logins_or_two_hosts_in_one_request_are_refused(make: Make) -> None:
    case = await make(is_loopback=False)
    login = ("authorization", case.login()["authorization"])
    assert (await case.ask(headers=[login, login])).status == 400
    assert (await case.ask(headers=[login, ("host", "127.0.0.1"), ("host", "127.0.0.1")])).status == 400
    assert (await case.ask(headers=[login, ("accept", "a/b"), ("accept", "c/d")])).status == 200


async def test_a_token_made_while_an_open_server_runs_closes_it(make: Make) -> None:
    case = await make()
    assert (await case.ask()).status == 200
    login = case.login()
    assert (await case.ask()).status == 401
    assert (await case.ask(headers=login)).status == 200
    case.tokens.unlink()
    case.seen.look()
    assert (await case.ask()).status == 401, "a file that is gone must not open the server again"


async def test_failed_logins_are_limited_per_address_and_never_hold_up_a_valid_one(make: Make) -> None:
    case = await make(is_loopback=False, failed_logins=Rate(count=3, seconds=60))
    good, bad = case.login(), {"authorization": "Bearer gsm_00000000_wrong"}
    assert [(await case.ask(headers=bad)).status for _ in range(4)] == [401, 401, 401, 429]
    refused = await case.ask(headers={**bad, "x-forwarded-for": "198.51.100.9"})
    assert refused.status == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert (await case.ask(headers=good)).status == 200
    assert (await case.ask(headers=bad, peer="203.0.113.5")).status == 401


async def test_a_limited_token_may_call_its_tools_and_no_others(make: Make) -> None:
    case = await make(is_loopback=False)
    login = case.login("bob", ("web_search",))

    def call(name: Any) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}).encode()

    assert (await case.ask(headers=login, body=[call("web_search")])).status == 200
    refused = await case.ask(headers=login, body=[call("web_fetch")[:20], call("web_fetch")[20:]])
    assert refused.status == 403
    assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    assert "web_fetch" in refused.told["error"]["message"]
    assert case.app.callers == [Caller(name="bob", tools=frozenset({"web_search"}))]


NO_CALLS = {
    "nothing": b"",
    "broken": b"{",
    "a number": b"7",
    "an odd method": b'{"method": 1}',
    "no parameters": b'{"method": "tools/call"}',
    "parameters in a list": b'{"method": "tools/call", "params": []}',
    "an odd name": b'{"method": "tools/call", "params": {"name": ["x"]}}',
    "an unknown name": b'{"method": "tools/call", "params": {"name": "no"}}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("body", NO_CALLS.values(), ids=NO_CALLS)
async def test_what_a_limited_token_sends_that_is_no_call_of_a_tool_is_the_protocols_to_judge(
    body: bytes, make: Make
) -> None:
    case = await make(is_loopback=False)
    assert (await case.ask(headers=case.login("bob", ("web_search",)), body=[body])).status == 200
    assert case.app.bodies == [body]


IDS = {
    "a number": ("7", 200),
    "a text": ('"seven"', 200),
    "a whole number with a point, which the protocol's side knows only as a notification": ("7.0", 400),
    "null, which nobody could be answered by": ("null", 400),
    "nothing in quotes": ('""', 200),
    "the largest that all can write": ("9007199254740991", 200),
    "a fraction": ("7.5", 400),
    "beyond all numbers": ("1e400", 400),
    "a truth": ("true", 400),
    "a list": ("[7]", 400),
    "an object": ("{}", 400),
}


@pytest.mark.parametrize(("number", "status"), IDS.values(), ids=IDS)
async def test_a_request_with_an_odd_id_is_not_taken_for_a_notification(number: str, status: int, make: Make) -> None:
    case = await make()
    body = b'{"jsonrpc":"2.0","id":%s,"method":"tools/list"}' % number.encode()
    answered = await case.ask(body=[body])
    assert answered.status == status
    assert status == 200 or answered.told["error"]["data"]["reason"] == "message"


async def test_several_messages_in_one_request_are_refused_without_repeating_them(make: Make) -> None:
    case = await make()
    answered = await case.ask(body=[b'[{"jsonrpc":"2.0","id":1,"method":"SECRET"}]'])
    assert answered.status == 400
    assert "SECRET" not in answered.body.decode()
    assert "one message" in answered.told["error"]["message"]


async def test_half_a_character_does_not_cost_the_message(make: Make) -> None:
    case = await make()
    whole, half = (
        b'{"id":1,"method":"x","params":{"a":"\\ud83d\\ude00"}}',
        b'{"id":1,"method":"x","params":{"a":"b\\ud83d"}}',
    )
    assert (await case.ask(body=[whole])).status == (await case.ask(body=[half])).status == 200
    assert [json.loads(body)["params"]["a"] for body in case.app.bodies] == ["😀", "b?"]
    broken = b'{"id":1,"method":"x\\ud83d'
    await case.ask(body=[broken])
    assert case.app.bodies[-1] == broken


NO_REQUESTS = {
    "a notification": b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
    "an error that nobody could tell apart": b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
    "an odd id and no method": b'{"jsonrpc":"2.0","id":[7]}',
}


@pytest.mark.parametrize("body", NO_REQUESTS.values(), ids=NO_REQUESTS)
async def test_what_is_no_request_needs_no_id(body: bytes, make: Make) -> None:
    case = await make()
    assert (await case.ask(body=[body])).status == 200


async def test_a_user_who_asks_too_often_is_told_when_to_come_back(make: Make) -> None:
    case = await make(is_loopback=False, requests=Rate(count=2, seconds=60))
    alice, alice_again, bob = case.login("alice"), case.login("alice"), case.login("bob")
    assert [(await case.ask(headers=alice)).status for _ in range(2)] == [200, 200]
    refused = await case.ask(headers=alice_again, body=[None])
    assert refused.status == 429, "a second token is no second user"
    wait_s = int(refused.headers["retry-after"])
    assert 1 <= wait_s <= 60
    assert refused.told["error"]["data"] == {"reason": "rate", "retry_after_s": wait_s}
    assert (await case.ask(headers=bob)).status == 200
    case.clock.advance(wait_s)
    assert (await case.ask(headers=alice)).status == 200


@pytest.mark.promise("002.146")
async def test_too_many_at_once_are_refused_by_user_and_in_all(make: Make) -> None:
    case = await make(is_loopback=False, in_flight=1, in_flight_total=2)
    logins = [case.login(name) for name in ("alice", "bob", "carol")]
    case.app.hold = asyncio.Event()
    running = []
    for login in logins[:2]:
        running.append(asyncio.create_task(case.ask(headers=login)))
        await case.app.entered.wait()
        case.app.entered.clear()
        if len(running) == 1:
            mine = await case.ask(headers=login, body=[None])
            assert (mine.status, mine.told["error"]["data"]["reason"]) == (429, "in_flight")
            assert int(mine.headers["retry-after"]) >= 1
    everybody = await case.ask(headers=logins[2], body=[None])
    assert (everybody.status, everybody.told["error"]["data"]["reason"]) == (503, "busy")
    assert int(everybody.headers["retry-after"]) >= 1
    case.app.hold.set()
    assert [(await task).status for task in running] == [200, 200]
    assert (await case.ask(headers=logins[2])).status == 200


async def test_a_user_who_has_the_last_byte_is_within_the_cap_again(make: Make) -> None:
    case = await make(is_loopback=False, in_flight=1)
    login = case.login()
    again: list[Answered] = []

    async def ask_again(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body":
            again.append(await case.ask(headers=login))

    assert (await case.ask(headers=login, watch=ask_again)).status == 200
    assert [answered.status for answered in again] == [200]


@pytest.mark.promise("000.148")
async def test_the_cap_of_all_holds_for_the_user_of_this_machine_too(make: Make) -> None:
    case = await make(in_flight_total=1)
    case.app.hold = asyncio.Event()
    running = asyncio.create_task(case.ask())
    await case.app.entered.wait()
    assert (await case.ask(body=[None])).status == 503
    case.app.hold.set()
    assert (await running).status == 200


async def test_without_logins_every_address_is_a_user_of_its_own(make: Make) -> None:
    case = await make(is_loopback=False, is_insecure=True, requests=Rate(count=1, seconds=3600))
    peers = ["203.0.113.5", "203.0.113.6", "2001:db8:1:2::5", "2001:db8:1:3::5"]
    assert [(await case.ask(peer=peer)).status for peer in peers] == [200] * 4
    names = {caller.name for caller in case.app.callers}
    assert len(names) == 4
    assert all(name.startswith("peer:") and "203" not in name for name in names)
    for same in ("203.0.113.5", "::ffff:203.0.113.5", "2001:db8:1:2:ffff::9"):
        refused = await case.ask(peer=same, headers={"x-forwarded-for": "192.0.2.1", "forwarded": "for=192.0.2.1"})
        assert refused.status == 429


RELAYED = {
    "Forwarded": "for=203.0.113.9",
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Proto": "https",
    "x-forwarded-host": "web.example.org",
    "X-Real-IP": "203.0.113.9",
    "Via": "1.1 proxy",
    "CF-Connecting-IP": "203.0.113.9",
    "True-Client-IP": "203.0.113.9",
    "X-Client-IP": "203.0.113.9",
}


@pytest.mark.parametrize("path", ["/mcp", "/metrics"])
@pytest.mark.parametrize("name", RELAYED)
async def test_a_request_that_a_proxy_relayed_is_nobodys_where_everybody_is_the_owner(
    name: str, path: str, make: Make
) -> None:
    method, relayed = ("POST" if path == "/mcp" else "GET"), {name: RELAYED[name]}
    case = await make()
    refused = await case.ask(method, path, headers=relayed, body=[None])
    assert (refused.status, refused.told["error"]["data"]["reason"]) == (403, "proxy")
    assert "gossamer token new" in refused.told["error"]["message"]
    assert case.app.callers == []
    assert (await case.ask(method, path)).status == 200
    login = case.login()
    case.seen.look()
    assert (await case.ask(method, path, headers={**login, **relayed})).status == 200, "with tokens it is served"


@pytest.mark.parametrize("path", ["/health", "/ready"])
async def test_who_watches_over_the_server_may_do_so_through_a_proxy(path: str, make: Make) -> None:
    case = await make()
    assert (await case.ask("GET", path, headers=RELAYED)).status == (await case.ask("GET", path)).status != 403


BODIES = {
    "just within": ([b"x" * 1000], {}, 200),
    "just within, in pieces": ([b"x" * 500, b"", b"x" * 500], {}, 200),
    "one byte over": ([b"x" * 1001], {}, 413),
    "over while it arrives": ([b"x" * 600, b"x" * 600, None], {}, 413),
    "declared over, nothing sent": ([None], {"content-length": "1001"}, 413),
    "declared beyond all numbers": ([None], {"content-length": "9" * 400}, 413),
    "declared as no number": ([None], {"content-length": "-5"}, 413),
    "unfinished": ([b"x" * 10, None], {"content-length": "20"}, 408),
    "never begun": ([None], {}, 408),
}


@pytest.mark.parametrize(("body", "headers", "status"), BODIES.values(), ids=BODIES)
async def test_bodies_are_bounded_in_size_and_time(
    body: list[bytes | None], headers: dict[str, str], status: int, make: Make
) -> None:
    case = await make(max_body_bytes=1000, body_timeout_s=0.05 if status == 408 else LONG_S)
    answered = await case.ask(headers=headers, body=body)
    assert answered.status == status
    assert case.app.bodies == ([b"x" * 1000] if status == 200 else [])


async def test_a_client_that_leaves_before_its_body_is_complete_costs_nothing(make: Make) -> None:
    case = await make()
    assert (await case.ask(body=())).status == 0
    assert case.app.callers == []
    await case.gate.drain(1)


async def test_two_ways_to_tell_the_length_of_one_body_are_malformed(make: Make) -> None:
    case = await make()
    answered = await case.ask(headers={"content-length": "2", "transfer-encoding": "chunked"})
    assert (answered.status, answered.headers["connection"]) == (400, "close")
    assert case.app.callers == []


async def test_a_head_may_have_a_hundred_headers(make: Make) -> None:
    case = await make()
    few = {f"x-{number}": "a" for number in range(90)}
    assert (await case.ask(headers=few)).status == 200
    assert (await case.ask(headers={**few, **{f"y-{number}": "a" for number in range(11)}})).status == 431
    assert len(case.app.callers) == 1


async def test_a_bug_is_answered_in_one_sentence_and_logged_without_its_text(
    make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    case = await make()
    case.app.error = RuntimeError("SECRET of the inside")
    answered = await case.ask()
    assert answered.status == 500
    assert "SECRET" not in answered.body.decode()
    logged = capsys.readouterr().err
    assert json.loads(logged)["kind"] == "RuntimeError"
    assert "SECRET" not in logged
    case.app.breaks_late = True
    with pytest.raises(RuntimeError):
        await case.ask()
    await case.gate.drain(1)


async def test_health_is_open_and_ready_says_why_not(make: Make) -> None:
    case = await make(is_loopback=False)
    assert (await case.ask("GET", "/health", body=())).told == {"status": "ok"}
    assert (await case.ask("HEAD", "/health", body=())).status == 200
    starting = await case.ask("GET", "/ready", body=())
    assert (starting.status, starting.told["reasons"]) == (503, ["still starting"])
    await case.health.keep_opening(_opened)
    assert (await case.ask("GET", "/ready", body=())).told == {"status": "ok"}
    case.health.doubts += [lambda: None, lambda: "it is late"]
    doubtful = await case.ask("GET", "/ready", body=())
    assert (doubtful.status, doubtful.told) == (200, {"status": "degraded", "reasons": ["it is late"]})
    case.health.is_draining = True
    draining = await case.ask("GET", "/ready", body=())
    assert (draining.status, draining.told["reasons"]) == (503, ["draining: the server is about to end"])
    assert (await case.ask("GET", "/health", body=())).status == 200


async def _opened() -> None:
    return None


async def test_while_draining_what_runs_may_end_and_nothing_new_begins(make: Make) -> None:
    case = await make()
    case.app.hold = asyncio.Event()
    running = asyncio.create_task(case.ask())
    await case.app.entered.wait()
    case.health.is_draining = True
    refused = await case.ask(body=[None])
    assert (refused.status, refused.told["error"]["data"]["reason"]) == (503, "draining")
    draining = asyncio.create_task(case.gate.drain(10))
    await asyncio.sleep(0)
    assert not draining.done()
    case.app.hold.set()
    await draining
    assert (await running).status == 200


class Hesitant(MemoryState):
    """A state that is asked, and answers when the test says so."""

    def __init__(self, clock: SetClock) -> None:
        super().__init__(clock)
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def add(self, key: str, amount: int = 1, *, ttl_s: float) -> int:
        self.asked.set()
        await self.may_answer.wait()
        return await super().add(key, amount, ttl_s=ttl_s)


async def test_a_request_that_is_still_being_counted_is_waited_for(make: Make) -> None:
    state = Hesitant(SetClock())
    case = await make(is_loopback=False, requests=Rate(count=5, seconds=60), state=state)
    running = asyncio.create_task(case.ask(headers=case.login()))
    await state.asked.wait()
    case.health.is_draining = True
    draining = asyncio.create_task(case.gate.drain(10))
    await asyncio.sleep(0)
    assert not draining.done()
    state.may_answer.set()
    assert (await running).status == 200
    await draining


async def test_a_request_that_is_refused_by_the_limits_is_not_waited_for(make: Make) -> None:
    case = await make(is_loopback=False, requests=Rate(count=1, seconds=3600))
    login = case.login()
    assert [(await case.ask(headers=login)).status for _ in range(2)] == [200, 429]
    async with asyncio.timeout(LONG_S):
        await case.gate.drain(60)


async def test_draining_ends_in_time_and_says_what_was_cut(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    case = await make()
    case.app.hold = asyncio.Event()
    running = asyncio.create_task(case.ask())
    await case.app.entered.wait()
    await case.gate.drain(0.05)
    assert "1 requests were still running" in capsys.readouterr().err
    case.app.hold.set()
    await running


async def test_metrics_are_for_those_who_may_come_in(make: Make) -> None:
    case = await make(is_loopback=False)
    login = case.login()
    refused = await case.ask("GET", "/metrics", body=())
    assert refused.status == 401
    assert not any(word in refused.body for word in (b"token", b"query", b"http://", b"@"))
    page = await case.ask("GET", "/metrics", login, body=())
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'gossamer_http_refused_total{reason="login"} 1.0' in page.body.decode()


async def test_metrics_are_not_for_a_login_that_opens_some_tools(make: Make) -> None:
    case = await make(is_loopback=False)
    refused = await case.ask("GET", "/metrics", case.login("bob", ("web_search",)), body=())
    assert (refused.status, refused.told["error"]["data"]["reason"]) == (403, "scope")
    assert (await case.ask("GET", "/metrics", case.login("ann"), body=())).status == 200


async def test_metrics_count_as_requests_of_their_reader(make: Make) -> None:
    case = await make(is_loopback=False, requests=Rate(count=2, seconds=3600))
    login = case.login()
    assert [(await case.ask("GET", "/metrics", login, body=())).status for _ in range(3)] == [200, 200, 429]
    assert (await case.ask(headers=login)).status == 429


WATCHERS = {"127.0.0.1": 200, "::1": 200, "::ffff:127.0.0.1": 200, "203.0.113.5": 403, "2001:db8::1": 403, "": 403}


@pytest.mark.parametrize(("peer", "status"), WATCHERS.items())
async def test_where_everybody_comes_in_metrics_are_for_the_machine_itself(peer: str, status: int, make: Make) -> None:
    case = await make(is_loopback=False, is_insecure=True)
    assert (await case.ask("GET", "/metrics", body=(), peer=peer)).status == status
    assert (await case.ask(peer=peer)).status == 200


async def test_answers_and_refusals_are_counted(make: Make) -> None:
    case = await make()
    await case.ask()
    await case.ask(headers={"host": "evil.example"})
    await case.ask(path="/nowhere")
    assert case.metric('gossamer_http_answers_total{status="2xx"}') == 1
    assert case.metric('gossamer_http_answers_total{status="4xx"}') == 2
    assert case.metric('gossamer_http_refused_total{reason="host"}') == 1
    assert case.metric('gossamer_http_refused_total{reason="path"}') == 1


def test_whoever_comes_without_a_request_is_the_user_of_this_machine() -> None:
    assert caller_of(None) is LOCAL
    assert LOCAL.is_owner


def test_a_request_that_passed_no_gate_is_nobodys() -> None:
    ann = Caller(name="ann")
    assert caller_of(SimpleNamespace(scope={SCOPE_KEY: ann})) is ann
    assert not ann.is_owner
    with pytest.raises(KeyError):
        caller_of(SimpleNamespace(scope={}))


HOUSEHOLDS = {
    "one address": ("192.0.2.1", "192.0.2.1", True),
    "neighbours in IPv4": ("192.0.2.1", "192.0.2.2", False),
    "one network in IPv6": ("2001:db8::1", "2001:db8::ffff:1", True),
    "another network in IPv6": ("2001:db8::1", "2001:db8:0:1::1", False),
    "another spelling": ("2001:db8::1", "2001:0DB8:0:0::1", True),
    "IPv4 in IPv6": ("::ffff:192.0.2.1", "192.0.2.1", True),
    "neighbours in IPv4 in IPv6": ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
    "with the interface it came by": ("fe80::1%eth0", "fe80::1%eth1", True),
    "no address": ("somewhere", "elsewhere", False),
}


@pytest.mark.parametrize(("first", "second", "is_same"), HOUSEHOLDS.values(), ids=HOUSEHOLDS)
async def test_failed_logins_and_strangers_are_counted_by_household(
    first: str, second: str, is_same: bool, make: Make
) -> None:
    closed = await make(is_loopback=False, failed_logins=Rate(count=1, seconds=60))
    bad = {"authorization": "Bearer gsm_00000000_wrong"}
    answers = [(await closed.ask(headers=bad, peer=peer)).status for peer in (first, second)]
    assert answers == [401, 429 if is_same else 401]
    opened = await make(is_loopback=False, is_insecure=True)
    for peer in (first, second):
        await opened.ask(peer=peer)
    assert len({caller.name for caller in opened.app.callers}) == (1 if is_same else 2)
