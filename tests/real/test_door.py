"""The doors against real sites on loopback: what they send, what they follow, what they hand back."""

import asyncio
import contextlib
import gzip
import ipaddress
import json
import os
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gossamer.errors import (
    BadSettings,
    BlockedAddress,
    BrokenReply,
    InvalidArgument,
    Outcome,
    RateLimited,
    RobotsDisallowed,
    TimedOut,
    TooLarge,
    Unreachable,
)
from gossamer.model.http import FetchPolicy, HttpRequest
from gossamer.net.client import ApiDoor, WebDoor
from gossamer.net.policy import DEFAULT_USER_AGENT, NetPolicy
from gossamer.ports import Call
from gossamer.states.memory import MemoryState
from tests.patience import LONG_S

PUBLIC = "93.184.215.14"


class RealClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


CLOCK = RealClock()
Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


def page(body: bytes | str = b"hello", status: int = 200, *headers: str) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def moved(location: str, status: int = 302) -> bytes:
    return page(b"moved", status, f"Location: {location}")


class Site:
    """A web site on loopback: each path has one answer, robots.txt is missing unless given."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self.answers: dict[str, Answer] = {"/robots.txt": page(b"", 404)} | answers
        self.heads: list[str] = []
        self.bodies: list[bytes] = []
        self.connections = 0
        self.gone = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def paths(self) -> list[str]:
        return [head.split(" ")[1] for head in self.heads]

    @contextlib.asynccontextmanager
    async def open(self, tls: ssl.SSLContext | None = None) -> AsyncIterator["Site"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        self.port: int = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                self.heads.append(head)
                lengths = [line.split(": ")[1] for line in head.split("\r\n") if line.startswith("content-length")]
                self.bodies.append(await reader.readexactly(int(lengths[0])) if lengths else b"")
                answer = self.answers.get(head.split(" ")[1], page(b"nothing here", 404))
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                else:
                    await answer(writer)
                    if writer.is_closing():
                        break
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            self.gone.set()
        finally:
            writer.transport.abort()

    async def dial(self, _address: str, _port: int) -> tuple[str, int]:
        return "127.0.0.1", self.port


async def public(_host: str) -> list[str]:
    return [PUBLIC]


def call(seconds: float = 30.0) -> Call:
    return Call(clock=CLOCK, deadline=CLOCK.monotonic() + seconds)


@contextlib.asynccontextmanager
async def web(site: Site, **policy: object) -> AsyncIterator[WebDoor]:
    settings = NetPolicy(**policy)  # type: ignore[arg-type]
    door = WebDoor(settings, resolve=public, dial=site.dial, clock=CLOCK, state=MemoryState(CLOCK))
    try:
        yield door
    finally:
        await door.close()


def get(url: str, **headers: str) -> HttpRequest:
    return HttpRequest(url=url, headers={name.replace("_", "-"): value for name, value in headers.items()})


async def test_a_page_comes_back_with_its_status_headers_and_address() -> None:
    async with (
        Site({"/a?b=1": page("héllo", 200, "X-A: 1", "X-a: 2", "Set-Cookie: id=7")}).open() as site,
        web(site) as door,
    ):
        asked = call()
        reply = await door.send(HttpRequest(url="http://Site.Example/a#top", params={"b": 1}), asked)
    assert (reply.status, reply.body.decode(), reply.url) == (200, "héllo", "http://site.example/a?b=1")
    assert reply.headers == {"x-a": "1, 2"}
    assert [(part.name, part.outcome, part.bytes) for part in asked.log.parts] == [("fetch", Outcome.OK, 6)]


@pytest.mark.promise("001.57", "001.100", "002.35", "002.100", "002.104")
async def test_we_say_who_we_are_and_nothing_of_the_user() -> None:
    async with Site({"/": page()}).open() as site, web(site) as door:
        request = get("http://site.example/", Cookie="a=b", Authorization="x", Referer="y", If_None_Match='"7"')
        await door.send(replace(request, known_url="http://site.example/"), call())
    head = site.heads[-1].lower()
    for line in ("host: site.example", f"user-agent: {DEFAULT_USER_AGENT.lower()}", "dnt: 1", 'if-none-match: "7"'):
        assert f"\r\n{line}\r\n" in head
    assert "accept-encoding: gzip, deflate, br, zstd\r\n" in head
    assert not any(word in head for word in ("cookie", "authorization", "referer"))


@pytest.mark.parametrize("status", [304, 403, 404, 500, 503])
async def test_the_last_reply_is_handed_back_whatever_its_status(status: int) -> None:
    answer = page(b"", status) if status != 304 else b"HTTP/1.1 304 X\r\nETag: x\r\n\r\n"
    async with Site({"/": answer}).open() as site, web(site) as door:
        assert (await door.send(get("http://site.example/"), call())).status == status


async def test_headers_in_old_encodings_are_read() -> None:
    async with (
        Site({"/": page().replace(b"\r\n\r\n", b"\r\nX-Name: caf\xe9\r\n\r\n")}).open() as site,
        web(site) as door,
    ):
        assert (await door.send(get("http://site.example/"), call())).headers == {"x-name": "café"}


@pytest.mark.promise("001.58")
@pytest.mark.parametrize(
    ("coding", "compress"), [("gzip", gzip.compress), ("br", import_module("brotli").compress)], ids=["gzip", "br"]
)
async def test_packed_pages_are_unpacked(coding: str, compress: Callable[[bytes], bytes]) -> None:
    packed = page(compress(b"hello " * 100), 200, f"Content-Encoding: {coding}", "Content-Type: text/plain")
    async with Site({"/": packed}).open() as site, web(site) as door:
        reply = await door.send(get("http://site.example/"), call())
    assert reply.body == b"hello " * 100
    assert reply.headers == {"content-type": "text/plain"}


async def test_five_redirects_are_followed_and_the_sixth_is_not() -> None:
    hops: dict[str, Answer] = {f"/{number}": moved(f"/{number + 1}") for number in range(6)}
    async with Site(hops | {"/6": page(b"end")}).open() as site, web(site) as door:
        reply = await door.send(get("http://site.example/1"), call())
        assert (reply.url, reply.body) == ("http://site.example/6", b"end")
        with pytest.raises(BrokenReply, match="more than 5 times"):
            await door.send(get("http://site.example/0"), call())
    assert "/6" not in site.paths[-6:]


async def test_a_circle_and_a_redirect_to_nowhere_are_broken() -> None:
    answers: dict[str, Answer] = {"/a": moved("/b"), "/b": moved("/a"), "/c": page(b"", 302)}
    async with Site(answers).open() as site, web(site) as door:
        with pytest.raises(BrokenReply, match="in a circle"):
            await door.send(get("http://site.example/a"), call())
        with pytest.raises(BrokenReply, match="without saying where"):
            await door.send(get("http://site.example/c"), call())


async def test_pages_are_only_read() -> None:
    async with Site({}).open() as site, web(site) as door:
        with pytest.raises(InvalidArgument):
            await door.send(HttpRequest(url="http://site.example/", method="POST"), call())
    assert site.connections == 0


@pytest.mark.promise("002.144")
async def test_one_connection_serves_several_pages() -> None:
    async with Site({"/a": page(b"a"), "/b": page(b"b")}).open() as site, web(site) as door:
        for path in "ab":
            await door.send(get(f"http://site.example/{path}"), call())
    assert site.connections == 1


async def test_a_kept_connection_that_died_is_replaced() -> None:
    async def bye(writer: asyncio.StreamWriter) -> None:
        site.answers["/b"] = page(b"second try")
        writer.close()

    site = Site({"/a": page(b"a"), "/b": bye})
    async with site.open(), web(site) as door:
        await door.send(get("http://site.example/a"), call())
        assert (await door.send(get("http://site.example/b"), call())).body == b"second try"
    assert site.connections == 2


LEFT_OVER = {
    "a whole reply": page(b"SMUGGLED"),
    "the beginning of one": b"HTTP/1.1 200 X\r\nLocation: http://other.example/\r\nX-Rest: ",
    "a status alone": b"HTTP/1.1 404 ",
    "blank lines": b"\r\n\r\n",
}


@pytest.mark.parametrize("behind", LEFT_OVER.values(), ids=LEFT_OVER)
async def test_bytes_behind_a_reply_never_pass_for_the_next_one(behind: bytes) -> None:
    """The connection is kept, and holds what the site sent unasked; the next page is asked for anew."""
    answers: dict[str, Answer] = {"/a": page(b"a") + behind, "/b": page(b"b", 200, "X-B: 1")}
    async with Site(answers).open() as site, web(site) as door:
        assert (await door.send(get("http://site.example/a"), call())).body == b"a"
        reply = await door.send(get("http://site.example/b"), call())
    assert (reply.status, reply.body, reply.headers) == (200, b"b", {"x-b": "1"})


async def test_hints_before_a_page_are_passed_over() -> None:
    hints = b"HTTP/1.1 103 Early\r\nLink: </a.css>\r\n\r\n" * 2
    async with Site({"/": hints + page(b"hello"), "/b": page(b"b")}).open() as site, web(site) as door:
        assert (await door.send(get("http://site.example/"), call())).body == b"hello"
        assert (await door.send(get("http://site.example/b"), call())).body == b"b"
    assert site.connections == 1


async def test_chunks_with_extensions_and_trailers_are_one_page() -> None:
    chunks = b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n"
    async with Site({"/": chunks}).open() as site, web(site) as door:
        for _ in range(2):
            reply = await door.send(get("http://site.example/"), call())
            assert (reply.body, reply.headers) == (b"hello world", {})
    assert site.connections == 1


async def test_a_page_that_robots_forbids_is_not_asked_for() -> None:
    robots = page("User-agent: Gossamer\nDisallow: /private\n")
    answers: dict[str, Answer] = {"/robots.txt": robots, "/private": page(b"secret"), "/": page(b"open")}
    async with Site(answers).open() as site:
        async with web(site) as door:
            with pytest.raises(RobotsDisallowed, match="does not allow this page"):
                await door.send(get("http://site.example/private"), call())
            assert (await door.send(get("http://site.example/"), call())).body == b"open"
            assert (await door.send(get("http://site.example/robots.txt"), call())).body.startswith(b"User-agent")
        assert site.paths == ["/robots.txt", "/", "/robots.txt"]
        async with web(site, robots="ignore") as door:
            assert (await door.send(get("http://site.example/private"), call())).body == b"secret"
    assert site.paths[3:] == ["/private"]


async def test_robots_binds_the_page_that_a_redirect_leads_to() -> None:
    robots = page("User-agent: *\nDisallow: /private\n")
    async with Site({"/robots.txt": robots, "/go": moved("/private")}).open() as site, web(site) as door:
        with pytest.raises(RobotsDisallowed):
            await door.send(get("http://site.example/go"), call())
    assert "/private" not in site.paths


async def test_redirects_of_robots_are_followed_and_too_many_mean_none() -> None:
    answers: dict[str, Answer] = {
        "/robots.txt": moved("/r"),
        "/r": page("User-agent: *\nDisallow: /"),
        "/": page(b"open"),
    }
    async with Site(answers).open() as site:
        async with web(site) as door:
            with pytest.raises(RobotsDisallowed):
                await door.send(get("http://site.example/"), call())
        site.answers["/r"] = moved("/r")
        async with web(site) as door:
            assert (await door.send(get("http://site.example/"), call())).body == b"open"


async def test_a_robots_file_that_hangs_closes_the_site() -> None:
    async def hang(_writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with Site({"/robots.txt": hang}).open() as site, web(site, page_timeout_s=2) as door:
        with pytest.raises(RobotsDisallowed, match="could not be had"):
            await door.send(get("http://site.example/"), call())


BOUNDS = {
    "for all": (FetchPolicy(), "net.page_timeout_s"),
    "of a tool": (FetchPolicy(timeout_s=3), "this tool's settings"),
}


@pytest.mark.parametrize(("terms", "setting"), BOUNDS.values(), ids=BOUNDS)
async def test_a_page_that_is_late_names_the_setting_that_bound_it(terms: FetchPolicy, setting: str) -> None:
    async def hang(_writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with Site({"/": hang}).open() as site, web(site, page_timeout_s=4) as door:
        with pytest.raises(TimedOut) as late:
            await door.send(HttpRequest(url="http://site.example/", terms=terms), call())
    assert setting in late.value.hint


async def test_a_site_that_asked_for_quiet_is_not_asked_again() -> None:
    async with Site({"/": page(b"", 429, "Retry-After: 30")}).open() as site, web(site) as door:
        assert (await door.send(get("http://site.example/"), call())).status == 429
        asked = call()
        with pytest.raises(RateLimited) as caught:
            await door.send(get("http://site.example/"), asked)
    assert caught.value.retry_after_s == pytest.approx(30, abs=2)
    assert asked.log.parts[0].outcome is Outcome.RATE_LIMITED
    assert site.paths == ["/robots.txt", "/"]


async def test_an_opened_address_is_fetched_without_any_seam() -> None:
    async with Site({"/": page(b"mine")}).open() as site:
        policy = NetPolicy(allow_private=(f"localhost:{site.port}",))
        door = WebDoor(policy, clock=CLOCK, state=MemoryState(CLOCK))
        assert (await door.send(get(f"http://localhost:{site.port}/"), call())).body == b"mine"
        with pytest.raises(BlockedAddress):
            await door.send(get(f"http://127.0.0.1:{site.port}/"), call())
        await door.close()


async def test_the_second_address_is_tried_when_the_first_refuses() -> None:
    async with Site({"/": page(b"here")}).open() as site:

        async def resolve(_host: str) -> list[str]:
            return ["1.1.1.1", PUBLIC]

        async def dial(address: str, _port: int) -> tuple[str, int]:
            if address == "1.1.1.1":
                raise OSError("refused")
            return "127.0.0.1", site.port

        door = WebDoor(NetPolicy(), resolve=resolve, dial=dial, clock=CLOCK, state=MemoryState(CLOCK))
        assert (await door.send(get("http://site.example/"), call())).body == b"here"
        await door.close()


async def test_the_deadline_of_the_call_binds_before_the_pages_own() -> None:
    async def hang(_writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with Site({"/": hang}).open() as site, web(site) as door:
        with pytest.raises(TimedOut, match="time of this call"):
            await door.send(get("http://site.example/"), call(3))


async def test_a_cancelled_fetch_lets_go_of_its_connection() -> None:
    reached = asyncio.Event()

    async def hang(writer: asyncio.StreamWriter) -> None:
        reached.set()
        while not writer.is_closing():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)
        site.gone.set()

    site = Site({"/": hang})
    async with site.open(), web(site) as door:
        fetching = asyncio.create_task(door.send(get("http://site.example/"), call()))
        await reached.wait()
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        async with asyncio.timeout(LONG_S):
            await site.gone.wait()


@pytest.fixture
def authority(tmp_path: Path) -> tuple[ssl.SSLContext, str]:
    """A server context for site.example, localhost and a public literal, and the file that makes it trusted."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test authority")])
    hosts = [x509.DNSName(host) for host in ("site.example", "localhost")]
    names = [*hosts, x509.IPAddress(ipaddress.ip_address(PUBLIC))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, secret = tmp_path / "ca.pem", tmp_path / "key.pem"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, secret)
    return context, str(pem)


async def test_certificates_are_checked_against_the_name_and_the_trusted_authorities(
    authority: tuple[ssl.SSLContext, str],
) -> None:
    asked_for: list[str | None] = []
    context, pem = authority
    context.sni_callback = lambda _socket, name, _context: asked_for.append(name)
    async with Site({"/": page(b"safe")}).open(context) as site:
        async with web(site, ca_bundle=pem) as door:
            for url in ("https://site.example/", f"https://{PUBLIC}/"):
                assert (await door.send(get(url), call())).body == b"safe"
            with pytest.raises(Unreachable, match=r"certificate.*net\.ca_bundle"):
                await door.send(get("https://other.example/"), call())
        async with web(site) as door:
            with pytest.raises(Unreachable, match="certificate"):
                await door.send(get("https://site.example/"), call())
    assert asked_for == ["site.example", None, "other.example", "site.example"]


@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\nhalf"], ids=["head", "body"])
async def test_a_damaged_record_is_a_broken_reply(authority: tuple[ssl.SSLContext, str], begun: bytes) -> None:
    async def damage(writer: asyncio.StreamWriter) -> None:
        writer.write(begun)
        await writer.drain()
        os.write(writer.get_extra_info("socket").fileno(), b"\x17\x03\x03\x00\x20" + b"junkjunk" * 4)
        await asyncio.Event().wait()

    context, pem = authority
    async with Site({"/": damage}).open(context) as site, web(site, ca_bundle=pem, retry_pause_s=0.01) as door:
        with pytest.raises(BrokenReply):
            await door.send(get("https://site.example/"), call())


async def test_a_part_that_nobody_asked_for_is_no_page() -> None:
    answer = page(b"User-a", 206, "Content-Range: bytes 0-5/100")
    async with Site({"/": answer}).open() as site, web(site) as door:
        with pytest.raises(BrokenReply, match="206"):
            await door.send(get("http://site.example/"), call())
    async with Site({"/robots.txt": answer, "/": page()}).open() as site, web(site) as door:
        with pytest.raises(RobotsDisallowed):
            await door.send(get("http://site.example/"), call())


async def test_a_file_of_authorities_that_cannot_be_read_is_a_broken_setting(tmp_path: Path) -> None:
    async with Site({}).open() as site, web(site, ca_bundle=str(tmp_path / "none.pem")) as door:
        with pytest.raises(BadSettings, match=r"net\.ca_bundle"):
            await door.send(get("http://site.example/"), call())


@contextlib.asynccontextmanager
async def api(**settings: Any) -> AsyncIterator[ApiDoor]:
    door = ApiDoor(user_agent="Test/1", **settings)
    try:
        yield door
    finally:
        await door.close()


@pytest.mark.promise("002.105", "002.106", "004.82")
async def test_a_service_must_prove_by_its_certificate_that_it_is_the_one_that_was_named(
    authority: tuple[ssl.SSLContext, str],
) -> None:
    context, pem = authority
    async with Site({"/": page(b"{}")}).open(context) as site:
        named, other = f"https://localhost:{site.port}/", f"https://127.0.0.1:{site.port}/"
        async with api(ca_bundle=pem) as door:
            assert (await door.send(get(named), call())).body == b"{}"
            with pytest.raises(Unreachable, match="certificate"):
                await door.send(get(other), call())
        async with api() as door:
            with pytest.raises(Unreachable, match="certificate"):
                await door.send(get(named), call())


async def test_the_trusted_door_speaks_to_loopback_and_sends_what_it_is_given() -> None:
    async with Site({"/v1/ask?n=2": page(b'{"ok": true}')}).open() as site, api() as door:
        request = HttpRequest(
            url=f"http://localhost:{site.port}/v1/ask",
            method="POST",
            params={"n": 2},
            headers={"X-Key": "k", "Content-Type": "application/json"},
            body=b'{"q": 1}',
        )
        reply = await door.send(request, call())
    assert json.loads(reply.body) == {"ok": True}
    assert site.bodies == [b'{"q": 1}']
    assert "\r\nx-key: k\r\n" in site.heads[0]
    assert "\r\nuser-agent: Test/1\r\n" in site.heads[0]


async def test_the_trusted_door_keeps_keys_within_one_origin() -> None:
    async with Site({"/": page(b"other")}).open() as other:
        answers: dict[str, Answer] = {
            "/near": moved("/end"),
            "/end": page(b"end"),
            "/far": moved(f"http://127.0.0.1:{other.port}/"),
            "/round": moved("/round"),
        }
        async with Site(answers).open() as site, api() as door:
            base = f"http://127.0.0.1:{site.port}"
            assert (await door.send(get(f"{base}/near", X_Key="k"), call())).body == b"end"
            assert (await door.send(get(f"{base}/far", X_Key="k"), call())).status == 302
            with pytest.raises(BrokenReply):
                await door.send(get(f"{base}/round"), call())
        assert other.heads == []


async def test_the_trusted_door_is_bounded_too() -> None:
    async def hang(_writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with Site({"/": hang, "/big": page(b"a" * 2000)}).open() as site, api(timeout_s=3, max_bytes=1000) as door:
        base = f"http://127.0.0.1:{site.port}"
        with pytest.raises(TimedOut):
            await door.send(get(f"{base}/"), call())
        with pytest.raises(TooLarge):
            await door.send(get(f"{base}/big"), call())
        with pytest.raises(InvalidArgument, match="header"):
            await door.send(get(f"{base}/", X_Key="secret\r\nX-Injected: 1"), call())
    async with api() as door:
        with pytest.raises(Unreachable):
            await door.send(get(f"{base}/"), call())


async def test_the_trusted_door_asks_for_the_coding_it_is_told_and_says_nothing_of_who_asks() -> None:
    telling = {"Cookie": "id=7", "From": "me@home.example", "X-Forwarded-For": "10.0.0.9", "Host": "other.example"}
    async with Site({"/": page(b"{}")}).open() as site, api() as door:
        base = f"http://127.0.0.1:{site.port}/"
        await door.send(HttpRequest(url=base, headers={"Accept-Encoding": "identity", **telling}), call())
        await door.send(HttpRequest(url=base), call())
    first, second = (head.lower() for head in site.heads)
    assert "\r\naccept-encoding: identity\r\n" in first
    assert "gzip" in second
    assert f"\r\nhost: 127.0.0.1:{site.port}\r\n" in first
    assert not any(value.lower() in first for value in telling.values())
