"""Through a real proxy on loopback: it is all that is dialled, and what it is asked for has been judged before."""

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest

from gossamer import open_engine
from gossamer.compose import misfits, net_policy, new_call
from gossamer.errors import BlockedAddress, TimedOut, Unreachable
from gossamer.model.http import HttpRequest
from gossamer.net.client import ApiDoor, WebDoor
from gossamer.net.policy import NetPolicy
from gossamer.net.proxy import Proxy
from gossamer.ports import Call
from gossamer.settings.load import load
from gossamer.settings.model import Settings
from gossamer.states.memory import MemoryState
from tests.hostile.test_door import CLOCK, PUBLIC, Server, reply, tls_for
from tests.patience import LONG_S

UNUSED = "93.184.215.99"


@dataclass
class RealProxy:
    """Forwards and tunnels everything to two local servers, and remembers what it was asked."""

    plain: int
    tls: int
    port: int = 0
    asked: list[str] = field(default_factory=list[str])
    heads: list[str] = field(default_factory=list[str])
    refuses: str = ""
    """The status with which it refuses everything."""

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator["RealProxy"]:
        tasks: set[asyncio.Task[Any]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            tasks.add(task)
            try:
                with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                    await self._serve(reader, writer)
            finally:
                writer.close()
                if task.cancelling():
                    writer.transport.abort()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.decode().split("\r\n")[0].split(" ")
        self.asked.append(f"{method} {target}")
        self.heads.append(head.decode())
        if self.refuses:
            writer.write(f"HTTP/1.1 {self.refuses}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        inner_reader, inner = await asyncio.open_connection(
            "127.0.0.1", self.tls if method == "CONNECT" else self.plain
        )
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            path = "/" + target.split("/", 3)[3]
            inner.write(head.replace(target.encode(), path.encode(), 1))

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
            sink.close()

        try:
            await asyncio.gather(pump(reader, inner), pump(inner_reader, writer))
        finally:
            inner.transport.abort()


@dataclass
class Stage:
    proxy: RealProxy
    pem: str
    names: dict[str, list[str] | None] = field(default_factory=dict[str, "list[str] | None"])
    """What names lead to; nobody answers for one without a list, and any other is public."""
    looked_up: list[str] = field(default_factory=list[str])
    dialled: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    async def resolve(self, host: str) -> list[str]:
        self.looked_up.append(host)
        answers = self.names.get(host, [PUBLIC])
        if answers is None:
            await asyncio.Event().wait()
        if not answers:
            raise OSError("no such name")
        return answers

    async def dial(self, address: str, port: int) -> tuple[str, int]:
        self.dialled.append((address, port))
        return "127.0.0.1", self.proxy.plain if address == PUBLIC else 1 if address == UNUSED else port

    async def fetch(self, url: str, *, auth: str = "", **policy: Any) -> str:
        policy = {"proxy": f"http://{auth}127.0.0.1:{self.proxy.port}", "ca_bundle": self.pem, **policy}
        door = WebDoor(NetPolicy(**policy), resolve=self.resolve, dial=self.dial, clock=CLOCK, state=MemoryState(CLOCK))
        try:
            got = await door.send(HttpRequest(url=url), Call(clock=CLOCK, deadline=CLOCK.monotonic() + LONG_S))
            return got.body.decode()
        finally:
            await door.close()


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        if path == "/robots.txt":
            writer.write(reply(b"User-agent: *\nDisallow: /secret\n"))
        elif path == "/posing":
            writer.write(reply(b"it poses as a proxy", 407))
        elif path.startswith("/to/"):
            writer.write(reply(b"", 302, f"Location: http://{path.removeprefix('/to/')}/"))
        else:
            writer.write(reply(b"the page"))

    context, pem = tls_for({"site.example"}, tmp_path)
    server = Server(answer)
    async with server.open() as plain, server.open(context) as tls, RealProxy(plain, tls).open() as proxy:
        yield Stage(proxy=proxy, pem=pem)


async def test_a_page_comes_through_the_proxy_alone(stage: Stage) -> None:
    assert await stage.fetch("http://site.example/page?q=1") == "the page"
    assert stage.proxy.asked == ["GET http://site.example:80/robots.txt", "GET http://site.example:80/page?q=1"]
    assert stage.looked_up == ["site.example"]
    assert set(stage.dialled) == {("127.0.0.1", stage.proxy.port)}


UNKNOWN_HERE: dict[str, list[str] | None] = {"there is no such name": [], "nobody answers": None}


@pytest.mark.parametrize("answers", UNKNOWN_HERE.values(), ids=UNKNOWN_HERE)
async def test_a_name_that_cannot_be_looked_up_here_is_the_proxys_to_look_up(
    stage: Stage, answers: list[str] | None
) -> None:
    stage.names["site.example"] = answers
    assert await stage.fetch("http://site.example/page") == "the page"
    assert stage.proxy.asked == ["GET http://site.example:80/robots.txt", "GET http://site.example:80/page"]


LEAD_INSIDE = {
    "a private network": ["10.0.0.8"],
    "this machine": ["127.0.0.1"],
    "metadata": ["169.254.169.254"],
    "one private answer among public ones": [PUBLIC, "fd00::1"],
}


@pytest.mark.parametrize("answers", LEAD_INSIDE.values(), ids=LEAD_INSIDE)
async def test_a_name_that_leads_inside_is_refused_before_the_proxy_hears_of_it(
    stage: Stage, answers: list[str]
) -> None:
    stage.names["site.example"] = answers
    for scheme in ("http", "https"):
        with pytest.raises(BlockedAddress):
            await stage.fetch(f"{scheme}://site.example/page")
    assert stage.proxy.asked == []


async def test_a_safe_page_is_tunnelled_and_its_certificate_is_judged_by_the_bundle(stage: Stage) -> None:
    assert await stage.fetch("https://site.example/page") == "the page"
    assert set(stage.proxy.asked) == {"CONNECT site.example:443"}
    with pytest.raises(Unreachable, match="certificate"):
        await stage.fetch("https://other.example/page")


@pytest.mark.parametrize("login", ["me:word", "m%C3%BC:w%40rd"])
async def test_a_password_is_for_the_proxy_alone(stage: Stage, login: str) -> None:
    await stage.fetch("https://site.example/page", auth=f"{login}@")
    said = base64.b64encode(unquote_to_bytes(login)).decode()
    assert all(f"proxy-authorization: basic {said}".lower() in head.lower() for head in stage.proxy.heads)


REFUSED = (
    "http://127.0.0.1/",
    "http://localhost/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/",
    "http://[::1]/",
    "http://metadata.google.internal/",
    "http://site.example:25/",
    "http://wiki/",
    "http://vault.internal/",
    "http://printer.local/",
    "http://nas.lan/",
    "http://wiki.corp/",
    "http://router.home.arpa/",
    "http://api.default.svc/",
    "http://api.default.svc.cluster.local/",
)


@pytest.mark.parametrize("url", REFUSED)
async def test_names_literals_and_ports_are_judged_before_the_proxy_hears_of_them(stage: Stage, url: str) -> None:
    stage.names = {name: [] for name in ("wiki", "vault.internal", "printer.local", "nas.lan", "wiki.corp")}
    with pytest.raises(BlockedAddress):
        await stage.fetch(url)
    assert stage.proxy.asked == []
    assert stage.dialled == []


async def test_an_inner_name_that_is_opened_is_reached_through_the_proxy(stage: Stage) -> None:
    stage.names["wiki.corp"] = []
    assert await stage.fetch("http://wiki.corp/page", allow_private=("wiki.corp",)) == "the page"
    assert "GET http://wiki.corp:80/page" in stage.proxy.asked


@pytest.mark.parametrize("where", ["169.254.169.254", "inside.example", "wiki.corp", "opened.corp", "opened.example"])
async def test_a_redirect_inside_is_refused_behind_a_proxy_too(stage: Stage, where: str) -> None:
    stage.names |= {"inside.example": ["10.0.0.8"], "wiki.corp": [], "opened.corp": [], "opened.example": []}
    with pytest.raises(BlockedAddress):
        await stage.fetch(f"http://site.example/to/{where}", allow_private=("opened.corp", "opened.example"))
    assert not any(where in line for line in stage.proxy.asked if "/to/" not in line)


async def test_what_goes_past_the_proxy_is_looked_up_and_judged_by_us(stage: Stage) -> None:
    assert await stage.fetch("http://site.example/page", no_proxy=("site.example",)) == "the page"
    assert stage.proxy.asked == []
    assert stage.looked_up == ["site.example"]
    assert set(stage.dialled) == {(PUBLIC, 80)}


KEPT_BACK = {
    "it refuses": ("403 Blocked by policy", r"The proxy refused .* site\.example \(status 403\)\..*net\.no_proxy"),
    "it wants a password": ("407 Who are you", r"The proxy wants a name and a password.*\(status 407\)"),
    "it finds no way": ("502 Bad gateway", r"The proxy could not reach site\.example \(status 502\)"),
    "it asks to be asked elsewhere": ("302 Found", r"The proxy refused .*\(status 302\)"),
}


@pytest.mark.parametrize(("status", "message"), KEPT_BACK.values(), ids=KEPT_BACK)
async def test_what_a_proxy_answers_itself_is_not_taken_for_the_site(stage: Stage, status: str, message: str) -> None:
    stage.proxy.refuses = status
    with pytest.raises(Unreachable, match=message) as caught:
        await stage.fetch("https://site.example/page")
    assert status[4:] not in str(caught.value)
    assert caught.value.hint


async def test_a_proxy_that_wants_a_password_says_so_for_plain_pages_too(stage: Stage) -> None:
    stage.proxy.refuses = "407 Who are you"
    with pytest.raises(Unreachable, match=r"The proxy wants a name and a password.*\(status 407\)"):
        await stage.fetch("http://site.example/page")


async def test_a_site_behind_a_tunnel_cannot_speak_for_the_proxy(stage: Stage) -> None:
    assert await stage.fetch("https://site.example/posing") == "it poses as a proxy"


async def test_a_proxy_that_is_not_there_is_told_as_what_it_is(stage: Stage) -> None:
    with pytest.raises(Unreachable, match=r"proxy does not accept a connection.*net\.proxy"):
        await stage.fetch("http://site.example/page", proxy="http://127.0.0.1:1")


AMBIENT = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")


def from_environment(folder: Path, **variables: str) -> Settings:
    loaded = load(environ={"DATA_DIR": str(folder), "GOSSAMER_CONFIG": str(folder / "none.toml"), **variables})
    return loaded.settings


@pytest.mark.parametrize("variable", AMBIENT)
async def test_a_proxy_in_the_environment_serves_services_and_no_page(
    stage: Stage, tmp_path: Path, variable: str
) -> None:
    """A proxy that reaches more than we do would else be a way inside that nobody meant to open."""
    address = f"http://127.0.0.1:{stage.proxy.port}"
    settings = from_environment(tmp_path, **{variable: address, "GOSSAMER_NET__ROBOTS": "ignore"})
    async with open_engine(settings, resolve=stage.resolve, dial=stage.dial) as engine:
        page = await engine.fetch("http://site.example/page", new_call())
        assert page.text.strip() == "the page"
        assert stage.proxy.asked == []
        assert set(stage.dialled) == {(PUBLIC, 80)}
    policy = net_policy(settings)
    door = ApiDoor(user_agent="Test/1", proxy=policy.service_way)
    try:
        call = Call(clock=CLOCK, deadline=CLOCK.monotonic() + LONG_S)
        assert (await door.send(HttpRequest(url="http://site.example/api"), call)).body == b"the page"
    finally:
        await door.close()
    assert stage.proxy.asked == ["GET http://site.example:80/api"]


@pytest.mark.parametrize("variable", AMBIENT)
async def test_a_proxy_in_the_environment_that_cannot_be_read_keeps_no_server_from_starting_and_no_page_away(
    stage: Stage, tmp_path: Path, variable: str
) -> None:
    address = "socks5://me:sesame@proxy.example:1080"
    settings = from_environment(tmp_path, **{variable: address, "GOSSAMER_NET__ROBOTS": "ignore"})
    assert misfits(settings) == []
    async with open_engine(settings, resolve=stage.resolve, dial=stage.dial) as engine:
        assert (await engine.fetch("http://site.example/page", new_call())).text.strip() == "the page"


async def test_a_proxy_for_pages_is_set_by_its_own_name_and_serves_services_too(stage: Stage, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{stage.proxy.port}"
    settings = from_environment(
        tmp_path, GOSSAMER_NET__PROXY=address, GOSSAMER_NET__ROBOTS="ignore", NO_PROXY="a.example"
    )
    async with open_engine(settings, resolve=stage.resolve, dial=stage.dial) as engine:
        await engine.fetch("http://a.example/page", new_call())
    assert stage.proxy.asked == ["GET http://a.example:80/page"]
    service_way = net_policy(settings).service_way
    assert service_way
    assert service_way.url == address
    assert service_way.carries("b.example")
    assert not service_way.carries("a.example")


AWAY: dict[str, tuple[str, list[str] | None]] = {
    "there is no such name": ("http://site.example/page", []),
    "nobody answers for the name": ("http://site.example/page", None),
    "nobody accepts the connection": (f"http://{UNUSED}/page", [PUBLIC]),
}


@pytest.mark.parametrize(("url", "answers"), AWAY.values(), ids=AWAY)
async def test_a_page_that_cannot_be_reached_without_a_proxy_says_how_to_set_one_for_as_long_as_none_is_set(
    stage: Stage, tmp_path: Path, url: str, answers: list[str] | None
) -> None:
    """A failure is remembered for a moment, also over a change of the settings; what to do about it is not."""
    stage.names["site.example"] = answers
    hints: dict[str, str] = {}
    ambient, own = {"HTTP_PROXY": "http://proxy.example:3128"}, {"GOSSAMER_NET__PROXY": "http://proxy.example:3128"}
    for when, variables in {"first": ambient, "again": ambient, "with net.proxy": own, "without": {}}.items():
        settings = from_environment(tmp_path, **variables, GOSSAMER_NET__CONNECT_TIMEOUT_S="0.5")
        async with open_engine(settings, resolve=stage.resolve, dial=stage.dial) as engine:
            with pytest.raises((Unreachable, TimedOut)) as caught:
                await engine.fetch(url, new_call())
        hints[when] = caught.value.hint
    assert "force_refresh" not in hints["first"]
    assert all("force_refresh" in hints[when] for when in ("again", "with net.proxy", "without")), "it was remembered"
    assert {when: hint.count("HTTP_PROXY") for when, hint in hints.items()} == {
        "first": 1,
        "again": 1,
        "with net.proxy": 0,
        "without": 0,
    }


@pytest.mark.promise("002.164")
async def test_services_of_the_operator_are_asked_through_the_proxy_too_but_not_those_of_this_machine(
    stage: Stage,
) -> None:
    door = ApiDoor(user_agent="Test/1", proxy=Proxy.read(f"http://127.0.0.1:{stage.proxy.port}"))
    try:
        call = Call(clock=CLOCK, deadline=CLOCK.monotonic() + LONG_S)
        assert (await door.send(HttpRequest(url="http://site.example/api"), call)).body == b"the page"
        assert (await door.send(HttpRequest(url=f"http://127.0.0.1:{stage.proxy.plain}/api"), call)).body == b"the page"
    finally:
        await door.close()
    assert stage.proxy.asked == ["GET http://site.example:80/api"]
