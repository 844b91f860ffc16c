"""The proxies as in examples/, untouched but for ports and paths: what is usual passes, too much does not."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from gossamer.server.http.token_file import new_token
from tests.hostile.raw_http import RawConnection
from tests.hostile.reverse_proxies import NAME, Front, haproxy, nginx
from tests.real.processes import HttpServer, environment_for, open_http

MOST_BODY = 2**20
BURST = 40
"""Requests at once that each configuration serves."""
HEALTH = f"GET /health HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode()
SHIPPED: dict[str, Callable[[int, Path], AbstractContextManager[Front]]] = {
    "nginx": lambda port, folder: nginx(port, folder, is_widened=False),
    "haproxy": lambda port, folder: haproxy(port, folder, is_widened=False),
}
PROXIES = [pytest.param(name, marks=pytest.mark.component(name)) for name in SHIPPED]


@dataclass(frozen=True, kw_only=True)
class Guarded:
    """A server with a login."""

    server: HttpServer
    token: str

    def post(self, method: str, size: int = 0, framing: str = "length") -> bytes:
        """A request with a body of at least so many bytes."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode().ljust(size)
        head = f"POST /mcp HTTP/1.1\r\nHost: {NAME}\r\nAuthorization: Bearer {self.token}\r\n"
        head += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        if framing == "length":
            return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        return f"{head}Transfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    environment = environment_for("http://127.0.0.1:1", "127.0.0.1:1", tmp_path_factory.mktemp("server"))
    environment["GOSSAMER_HTTP__HOSTS"] = NAME
    token, *_ = new_token(Path(environment["DATA_DIR"]) / "tokens.json", "alice", now=time.time())
    with open_http(environment) as server:
        yield Guarded(server=server, token=token)


@pytest.fixture
def front(request: pytest.FixtureRequest, guarded: Guarded, tmp_path: Path) -> Iterator[Front]:
    """A proxy that has counted nobody yet."""
    with SHIPPED[request.param](guarded.server.port, tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("front", PROXIES, indirect=True)
def test_ordinary_use_passes(front: Front, guarded: Guarded) -> None:
    with front.connect() as client:
        for count, method in enumerate(["ping", "tools/list", "prompts/list", "ping"], 1):
            client.send(guarded.post(method))
            answer = client.receive(count)[-1]
            assert (answer.status, answer.ids) == (200, {1})
        client.send(guarded.post("ping", MOST_BODY))
        assert client.receive(5)[-1].status == 200, "the largest body is served"


@pytest.mark.parametrize("front", PROXIES, indirect=True)
def test_a_body_over_the_limit_is_refused_by_the_proxy(front: Front, guarded: Guarded) -> None:
    with front.connect() as client:
        client.send(guarded.post("ping", MOST_BODY + 1))
        (answer,) = client.receive()
        assert answer.status == 413
        assert b"jsonrpc" not in answer.body, "it did not reach the server"


@pytest.mark.parametrize("front", PROXIES, indirect=True)
def test_a_body_over_the_limit_in_chunks_is_refused_by_the_proxy_or_the_server(front: Front, guarded: Guarded) -> None:
    with front.connect() as client:
        client.send(guarded.post("ping", MOST_BODY + 1, "chunks"))
        assert [answer.status for answer in client.receive()] == [413]


@pytest.mark.parametrize("front", PROXIES, indirect=True)
def test_too_many_requests_of_one_address_are_429(front: Front) -> None:
    statuses: list[int] = []
    while 429 not in statuses and len(statuses) < 4_000:
        with front.connect() as client:
            client.send(HEALTH * 100)
            statuses += [answer.status for answer in client.receive(100)]
    assert statuses[:BURST] == [200] * BURST
    assert set(statuses) == {200, 429}


@pytest.mark.component("haproxy")
@pytest.mark.parametrize("front", ["haproxy"], indirect=True)
def test_too_many_connections_of_one_address_are_refused(front: Front) -> None:
    opened: list[RawConnection] = []
    with ExitStack() as stack:
        for _ in range(80):
            try:
                opened.append(stack.enter_context(front.connect()))
            except OSError:
                break
    assert 60 <= len(opened) <= 64
