"""The door against a world that means harm: addresses that lead inside, bodies without end, lies and bombs."""

import asyncio
import base64
import contextlib
import gzip
import importlib
import ipaddress
import json
import resource
import socket
import ssl
import sys
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gossamer.errors import (
    BlockedAddress,
    BrokenReply,
    GossamerError,
    RobotsDisallowed,
    TimedOut,
    TooLarge,
    Unreachable,
)
from gossamer.model.http import HttpReply, HttpRequest
from gossamer.net.client import WebDoor
from gossamer.net.guard import read_url
from gossamer.net.policy import NetPolicy
from gossamer.ports import Call
from gossamer.states.memory import MemoryState
from tests.patience import LONG_S

brotli: Any = importlib.import_module("brotli")
zstd: Any = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

SHARED = Path(__file__).parents[2] / "../shared/security"
PUBLIC = "93.184.215.14"
MIB = 2**20


class RealClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


UNHURRIED: dict[str, Any] = {"page_timeout_s": LONG_S, "connect_timeout_s": LONG_S, "silence_s": LONG_S}
CLOCK = RealClock()
Answer = Callable[[str, asyncio.StreamWriter], Awaitable[None]]


class Server:
    """One listener on loopback, plain or TLS, that hands every request's path to `answer`."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self._tasks: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def open(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            await self.answer(head.split(" ")[1], writer)
            await writer.drain()
            writer.close()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.transport.abort()


@dataclass
class World:
    """The resolver and the dialler, which remember everything that was asked of them."""

    plain: int
    tls: int = 0
    names: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    looked_up: list[str] = field(default_factory=list[str])
    dialled: list[str] = field(default_factory=list[str])

    async def resolve(self, host: str) -> list[str]:
        self.looked_up.append(host)
        answers = self.names.get(host)
        if answers is None:
            raise OSError("no such name")
        if answers and isinstance(answers[0], list):
            return answers[min(self.looked_up.count(host), len(answers)) - 1]
        return answers

    async def dial(self, address: str, port: int) -> tuple[str, int]:
        self.dialled.append(address)
        return "127.0.0.1", self.tls if port in {443, 8443} else self.plain

    def door(self, **policy: Any) -> WebDoor:
        settings = NetPolicy(**policy)
        return WebDoor(settings, resolve=self.resolve, dial=self.dial, clock=CLOCK, state=MemoryState(CLOCK))


async def fetch(door: WebDoor, url: str) -> HttpReply:
    try:
        return await door.send(HttpRequest(url=url), Call(clock=CLOCK, deadline=CLOCK.monotonic() + 4 * LONG_S))
    finally:
        await door.close()


def reply(body: bytes, status: int = 200, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Content-Type: text/html", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


# --- what a site may send ---


def gzipped(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(b"a" * MIB) for _ in range(size // MIB)) + packer.flush()


def packed(data: bytes, coding: str = "gzip", kind: str = "text/html") -> bytes:
    return f"HTTP/1.1 200 X\r\nContent-Encoding: {coding}\r\nContent-Type: {kind}\r\n\r\n".encode() + data


OK = b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
EMPTY_BLOCKS = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"\0\0\0\xff\xff" * 4 * MIB
BAD_BYTES: dict[str, tuple[bytes, type[GossamerError]]] = {
    "a gzip bomb": (packed(gzipped(60 * MIB)), TooLarge),
    "a deflate bomb": (packed(zlib.compress(b"a" * 30 * MIB), "deflate"), TooLarge),
    "two hundred gzip members": (packed(gzip.compress(b" " * 1000) * 200), TooLarge),
    "a gzip bomb in gzip": (packed(gzip.compress(gzipped(60 * MIB)), "gzip, gzip"), TooLarge),
    "a brotli bomb": (packed(brotli.compress(b"a" * 30 * MIB), "br"), TooLarge),
    "a zstd bomb": (packed(zstd.compress(b"a" * 30 * MIB), "zstd"), TooLarge),
    "a bomb between two codings": (packed(gzip.compress(EMPTY_BLOCKS), "gzip, gzip"), TooLarge),
    "a zstd window of gigabytes": (packed(b"\x28\xb5\x2f\xfd\x00\xa8" + b"\0" * 100, "zstd"), BrokenReply),
    "three codings": (packed(b"", "gzip, gzip, gzip"), BrokenReply),
    "a coding that nobody asked for": (packed(b"hello", "compress"), BrokenReply),
    "brotli that is cut": (packed(brotli.compress(b"hello" * 100)[:-3], "br"), BrokenReply),
    "zstd that is cut": (packed(zstd.compress(b"hello" * 100)[:-3], "zstd"), BrokenReply),
    "a coding that lies": (packed(b"<p>not packed at all</p>"), BrokenReply),
    "a cut gzip body": (packed(gzip.compress(b"hello" * 100)[:-9]), BrokenReply),
    "an image over the limit": (OK.replace(b"text/html", b"image/png") + b"\r\n" + b"a" * 11 * MIB, TooLarge),
    "a body shorter than announced": (OK + b"Content-Length: 100000\r\n\r\n<p>short", BrokenReply),
    "a negative length": (OK + b"Content-Length: -5\r\n\r\n<p>x</p>", BrokenReply),
    "two lengths": (OK + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello", BrokenReply),
    "a chunk cut in the middle": (OK + b"Transfer-Encoding: chunked\r\n\r\n64\r\n<p>only a part", BrokenReply),
    "a chunk size of letters": (OK + b"Transfer-Encoding: chunked\r\n\r\nZZZ\r\nhello\r\n0\r\n\r\n", BrokenReply),
    "no status line": (b"<html><body>HTTP/0.9 answer</body></html>", BrokenReply),
    "a TLS alert on a plain port": (b"\x15\x03\x03\x00\x02\x02\x46", BrokenReply),
    "nothing at all": (b"", BrokenReply),
    "a status of another world": (b"HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nhi", BrokenReply),
    "another protocol": (b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", BrokenReply),
    "a header of ten megabytes": (OK + b"X-Big: " + b"h" * 10 * MIB + b"\r\n\r\n", BrokenReply),
    "a thousand headers": (OK + b"".join(b"X-%d: h\r\n" % n for n in range(1000)) + b"\r\n", BrokenReply),
    "a header line too many": (OK + b"".join(b"X-%d: h\r\n" % n for n in range(100)) + b"\r\n", BrokenReply),
    "a NUL in a header": (OK + b"X-A: a\0b\r\n\r\n", BrokenReply),
    "a length and chunks": (OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", BrokenReply),
    "chunks in HTTP/1.0": (CHUNKED.replace(b"/1.1", b"/1.0") + b"5\r\nhello\r\n0\r\n\r\n", BrokenReply),
    "two lengths in one line": (OK + b"Content-Length: 5, 50\r\n\r\nhello", BrokenReply),
    "a length of letters": (OK + b"Content-Length: 0x5\r\n\r\nhello", BrokenReply),
    "a length with a sign": (OK + b"Content-Length: +5\r\n\r\nhello", BrokenReply),
    "a blank before the colon": (OK + b"Content-Length : 5\r\n\r\nhello", BrokenReply),
    "an unknown transfer": (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", BrokenReply),
    "two transfers": (OK + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n", BrokenReply),
    "bare line feeds": (b"HTTP/1.1 200 X\nContent-Length: 5\n\nhello", BrokenReply),
    "one bare line feed": (OK + b"X-A: 1\nX-B: 2\r\n\r\n", BrokenReply),
    "a bare carriage return": (OK + b"X-A: 1\rX-B: 2\r\n\r\n", BrokenReply),
    "a folded header": (OK + b"X-A: 1\r\n folded\r\n\r\n", BrokenReply),
    "a header before the status": (b"X-A: 1\r\n" + OK + b"\r\n", BrokenReply),
    "a status of HTTP/2": (b"HTTP/2.0 200 X\r\n\r\n", BrokenReply),
    "nine hints": (b"HTTP/1.1 103 X\r\n\r\n" * 9 + OK + b"\r\n", BrokenReply),
    "a chunk size beyond belief": (CHUNKED + b"f" * 30 + b"\r\nhello", BrokenReply),
    "a chunk size with a sign": (CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n", BrokenReply),
    "a chunk longer than it says": (CHUNKED + b"2\r\nhello\r\n0\r\n\r\n", BrokenReply),
    "a chunk with a bare line feed": (CHUNKED + b"5\nhello\n0\n\n", BrokenReply),
    "a chunk size without end": (CHUNKED + b"5;" + b"x" * MIB, BrokenReply),
    "extensions larger than their chunks": (CHUNKED + (b"1;" + b"x" * 9000 + b"\r\na\r\n") * 60, BrokenReply),
    "a page in crumbs": (CHUNKED + b"1\r\na\r\n" * 120_000 + b"0\r\n\r\n", BrokenReply),
    "trailers without end": (CHUNKED + b"0\r\n" + b"X-A: 1\r\n" * MIB, BrokenReply),
    "chunks without a last one": (CHUNKED + b"5\r\nhello\r\n", BrokenReply),
}


@pytest.mark.parametrize(("data", "error"), BAD_BYTES.values(), ids=BAD_BYTES)
async def test_a_broken_or_monstrous_reply_is_an_error_of_ours(data: bytes, error: type[GossamerError]) -> None:
    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"", 404) if path == "/robots.txt" else data)

    async with Server(answer).open() as port:
        with pytest.raises(error) as caught:
            await fetch(World(port, names={"site.example": [PUBLIC]}).door(**UNHURRIED), "http://site.example/")
    assert caught.value.hint


async def endless(writer: asyncio.StreamWriter) -> None:
    writer.write(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b"lorem ip" * 8192 + b"\r\n")
        await writer.drain()


async def drip(writer: asyncio.StreamWriter) -> None:
    writer.write(OK + b"Content-Length: 3600\r\n\r\n")
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.05)


async def drip_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 X\r\n")
    while True:
        writer.write(b"X-Pad: y\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def flood_of_hints(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 103 Hold on\r\nX-N: 1\r\n\r\n" * 100)
        await writer.drain()


async def silence(_writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def silence_in_the_middle(writer: asyncio.StreamWriter) -> None:
    writer.write(OK + b"Content-Length: 3600\r\n\r\nhello")
    await writer.drain()
    await asyncio.Event().wait()


SLOW: dict[str, tuple[Callable[[asyncio.StreamWriter], Awaitable[None]], type[GossamerError], str]] = {
    "a byte now and then": (drip, TimedOut, "page_timeout_s"),
    "a head that never ends": (drip_head, TimedOut, "page_timeout_s"),
    "hints without end": (flood_of_hints, BrokenReply, ""),
    "no answer": (silence, TimedOut, "silence_s"),
    "an answer that stops": (silence_in_the_middle, TimedOut, "silence_s"),
}
"""How a site behaves, how it ends, and the one of our limits that ends it."""


@pytest.mark.promise("003.111")
@pytest.mark.parametrize(("stream", "error", "setting"), SLOW.values(), ids=SLOW)
async def test_a_site_that_takes_its_time_is_left_at_the_limit(
    stream: Callable[[asyncio.StreamWriter], Awaitable[None]], error: type[GossamerError], setting: str
) -> None:
    async def answer(_path: str, writer: asyncio.StreamWriter) -> None:
        await stream(writer)

    async with Server(answer).open() as port:
        world = World(port, names={"site.example": [PUBLIC]})
        limits = UNHURRIED | ({setting: 0.5} if setting else {})
        with pytest.raises(error) as caught:
            await fetch(world.door(robots="ignore", **limits), "http://site.example/")
    assert setting in caught.value.hint


async def test_a_page_that_trickles_in_is_left_after_ten_seconds_whatever_time_it_has() -> None:
    async def answer(_path: str, writer: asyncio.StreamWriter) -> None:
        await drip(writer)

    async with Server(answer).open() as port:
        world = World(port, names={"site.example": [PUBLIC]})
        started = time.monotonic()
        with pytest.raises(TimedOut, match="too slowly"):
            await fetch(world.door(robots="ignore", page_timeout_s=60), "http://site.example/")
    assert 10 <= time.monotonic() - started < 50


@pytest.mark.promise("002.145", "003.110")
async def test_a_text_without_end_is_cut_and_memory_stays_small() -> None:
    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        await (endless(writer) if path == "/" else silence(writer))

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with Server(answer).open() as port:
        world = World(port, names={"site.example": [PUBLIC]})
        got = await fetch(world.door(robots="ignore"), "http://site.example/")
    assert got.is_cut
    assert len(got.body) == 10 * MIB
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 100


async def test_a_redirect_without_end_leads_where_it_says() -> None:
    sent = 0

    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        if path != "/":
            writer.write(reply(b"<p>ok</p>"))
            return
        writer.write(b"HTTP/1.1 302 X\r\nLocation: /page\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"lorem ip" * 8192 + b"\r\n")
            await writer.drain()
            sent += 0x10000

    async with Server(answer).open() as port:
        world = World(port, names={"site.example": [PUBLIC]})
        got = await fetch(world.door(robots="ignore"), "http://site.example/")
        assert got.body == b"<p>ok</p>"
    assert sent < 9 * MIB


async def test_bytes_behind_the_announced_length_are_no_part_of_the_page() -> None:
    async def answer(_path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"<p>ok</p>") + b"HTTP/1.1 200 X\r\n\r\nSMUGGLED")

    async with Server(answer).open() as port:
        world = World(port, names={"site.example": [PUBLIC]})
        got = await fetch(world.door(robots="ignore"), "http://site.example/")
    assert got.body == b"<p>ok</p>"


async def test_a_connection_that_is_never_made_is_late_and_not_a_matter_of_robots() -> None:
    """The port is open, but nobody behind it speaks TLS."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        world = World(0, listening.getsockname()[1], names={"site.example": [PUBLIC]})
        with pytest.raises(TimedOut, match=r"net\.connect_timeout_s"):
            await fetch(world.door(connect_timeout_s=0.3), "https://site.example/")


async def test_a_closed_port_is_unreachable_and_not_a_matter_of_robots() -> None:
    async with Server(lambda _path, _writer: silence(_writer)).open() as port:
        pass
    with pytest.raises(Unreachable, match="does not accept a connection"):
        await fetch(World(port, names={"site.example": [PUBLIC]}).door(), "http://site.example/")


async def test_a_name_that_does_not_exist_is_unreachable() -> None:
    world = World(1)
    with pytest.raises(Unreachable, match=r"no address for nowhere\.example"):
        await fetch(world.door(), "http://nowhere.example/")
    assert world.dialled == []


# --- where an address may lead ---


@dataclass
class Maze:
    """A world in which each page redirects to the next, and every page says that it was reached."""

    redirects: list[str]
    reached: list[str] = field(default_factory=list[str])

    async def answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        if path == "/robots.txt":
            writer.write(reply(b"", 404))
            return
        self.reached.append(path)
        if len(self.reached) <= len(self.redirects):
            location = self.redirects[len(self.reached) - 1].encode()
            writer.write(b"HTTP/1.1 302 X\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n")
        else:
            writer.write(reply(b"REACHED"))


LEADS_INSIDE: dict[str, tuple[str, dict[str, list[Any]], list[str]]] = {
    "a private answer": ("http://a.example/", {"a.example": ["10.0.0.1"]}, []),
    "one bad answer among good ones": ("http://a.example/", {"a.example": [PUBLIC, "::1"]}, []),
    "metadata": ("http://a.example/", {"a.example": ["169.254.169.254"]}, []),
    "a redirect to a private literal": ("http://a.example/", {"a.example": [PUBLIC]}, ["http://127.0.0.1/"]),
    "a redirect to a private name": (
        "http://a.example/",
        {"a.example": [PUBLIC], "b.example": ["192.168.0.1"]},
        ["http://b.example/"],
    ),
    "a redirect without a scheme": ("http://a.example/", {"a.example": [PUBLIC]}, ["//[::1]/"]),
    "a redirect to a file": ("http://a.example/", {"a.example": [PUBLIC]}, ["file:///etc/passwd"]),
    "a redirect with credentials": ("http://a.example/", {"a.example": [PUBLIC]}, ["http://u:p@b.example/"]),
    "a redirect to a closed port": ("http://a.example/", {"a.example": [PUBLIC]}, ["http://a.example:22/"]),
    "a redirect in odd digits": ("http://a.example/", {"a.example": [PUBLIC]}, ["http://①②⑦.⓪.⓪.①/"]),
    "the third hop": ("http://a.example/", {"a.example": [PUBLIC]}, ["/1", "/2", "http://0x7f.1/"]),
}


@pytest.mark.parametrize(("url", "names", "redirects"), LEADS_INSIDE.values(), ids=LEADS_INSIDE)
async def test_nothing_that_leads_inside_is_dialled(
    url: str, names: dict[str, list[Any]], redirects: list[str]
) -> None:
    maze = Maze(redirects)
    async with Server(maze.answer).open() as port:
        world = World(port, names=names)
        with pytest.raises(BlockedAddress) as caught:
            await fetch(world.door(), url)
    assert set(world.dialled) <= {PUBLIC}
    if redirects:
        assert "redirects to an address" in caught.value.message
        assert "ALLOW_PRIVATE" not in str(caught.value)


LEADS_ELSEWHERE = {
    "a name without an address": ["http://obey.example/"],
    "behind a hop on the same site": ["/1", "http://obey.example/"],
    "a circle": ["http://b.example/", "http://obey-b.example/", "http://b.example/"],
    "without an end": [f"http://obey-b.example/{n}" for n in range(9)],
}


@pytest.mark.parametrize("redirects", LEADS_ELSEWHERE.values(), ids=LEADS_ELSEWHERE)
async def test_a_host_that_a_page_chose_stands_in_the_quote_alone(redirects: list[str]) -> None:
    """One that the caller wrote stands in our sentence."""
    names = {"a.example": [PUBLIC], "b.example": [PUBLIC], "obey-b.example": [PUBLIC]}
    maze = Maze(redirects)
    async with Server(maze.answer).open() as port:
        world = World(port, names=names)
        with pytest.raises((BrokenReply, Unreachable)) as caught:
            await fetch(world.door(), "http://a.example/")
    assert caught.value.message == "a.example redirects to another site, where this failed."
    assert "obey" not in str(caught.value)
    assert "obey" in caught.value.quote


async def test_a_name_that_changes_its_mind_is_never_asked_again() -> None:
    """The site closes every connection, so robots.txt, the page and its redirect each dial anew."""
    maze = Maze(["/again"])
    async with Server(maze.answer).open() as port:
        world = World(port, names={"a.example": [[PUBLIC], ["127.0.0.1"]]})
        got = await fetch(world.door(), "http://a.example/")
    assert got.body == b"REACHED"
    assert world.looked_up == ["a.example"]
    assert set(world.dialled) == {PUBLIC}
    assert len(world.dialled) == 3


async def test_robots_that_redirect_inside_close_the_site() -> None:
    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"", 302, "Location: http://169.254.169.254/robots.txt"))

    async with Server(answer).open() as port:
        world = World(port, names={"a.example": [PUBLIC]})
        with pytest.raises(RobotsDisallowed):
            await fetch(world.door(), "http://a.example/")
    assert set(world.dialled) == {PUBLIC}


def tls_for(names: set[str], folder: Path) -> tuple[ssl.SSLContext, str]:
    """A server context whose certificate stands for all of `names`, and the file that makes it trusted."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test authority")])
    alternatives: list[x509.GeneralName] = []
    for name in sorted(names):
        with contextlib.suppress(ValueError):
            alternatives.append(x509.IPAddress(ipaddress.ip_address(name)))
            continue
        alternatives.append(x509.DNSName(name))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem = folder / "ca.pem"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(secret)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, folder / "key.pem")
    return context, str(pem)


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SHARED / name).read_text(encoding="utf-8").splitlines()]


def hosts_of(record: dict[str, Any]) -> set[str]:
    redirects = record.get("redirect_to", [])
    urls = [record["url"], *([redirects] if isinstance(redirects, str) else redirects)]
    found: set[str] = set()
    for url in urls:
        with contextlib.suppress(BlockedAddress):
            found.add(read_url(url).host)
    return found


@pytest.mark.skipif(not SHARED.exists(), reason="the address corpus is not on this machine")
async def test_the_corpus_of_addresses_is_kept_to_the_last_record(tmp_path: Path) -> None:
    """No dial outside what a record permits, no page where it is refused, every benign page fetched."""
    corpus = records("ssrf.jsonl")
    context, pem = tls_for({host for record in corpus for host in hosts_of(record)}, tmp_path)
    maze = Maze([])
    wrong: dict[str, str] = {}

    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        await maze.answer(path, writer)

    server = Server(answer)
    async with server.open() as plain, server.open(context) as tls:
        for record in corpus:
            redirects = record.get("redirect_to", [])
            maze = Maze([redirects] if isinstance(redirects, str) else redirects)
            names: dict[str, list[Any]] = dict(record.get("hosts", {}))
            with contextlib.suppress(BlockedAddress):
                names[read_url(record["url"]).host] = record.get("resolves_to", [])
            world = World(plain, tls, names=names)
            said = await _outcome(world, record["url"], pem)
            permitted = set(record.get("may_connect", []))
            is_pinned = record["family"].startswith("rebind")
            if record["expect"] == "allow":
                is_right = said == "REACHED"
            else:
                is_right = set(world.dialled) <= permitted and (said == "refused" or is_pinned)
            if not is_right:
                wrong[record["id"]] = f"{said}, dialled {world.dialled}"
    assert wrong == {}
    assert len(corpus) > 400


async def _outcome(world: World, url: str, pem: str) -> str:
    try:
        return (await fetch(world.door(ca_bundle=pem), url)).body.decode()
    except (BlockedAddress, Unreachable) as error:
        return "refused" if error.hint else "refused without a next step"


@pytest.mark.skipif(not SHARED.exists(), reason="the robots corpus is not on this machine")
async def test_the_corpus_of_robots_transport_is_met() -> None:
    wrong: list[str] = []
    for record in records("robots.jsonl"):
        if not any(key in record for key in ("status", "fetch", "redirects")) or "age_h" in record:
            continue
        if (await _robots_decision(record)) != record["expect"]:
            wrong.append(record["id"])
    assert wrong == []


async def _robots_decision(record: dict[str, Any]) -> str:
    body = base64.b64decode(record["robots_b64"]) if "robots_b64" in record else record["robots"].encode()
    body = body.replace(record["agent"].encode(), b"Gossamer")
    hops = 0

    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        nonlocal hops
        fault = record.get("fetch")
        if path == "/x":
            writer.write(reply(b"page"))
        elif fault == "truncated_body":
            writer.write(b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\nUser")
        elif fault:
            await silence(writer)
        elif hops < record.get("redirects", 0):
            hops += 1
            host = record.get("redirect_host", "site.example")
            writer.write(reply(b"", 301, f"Location: http://{host}/robots.txt?{hops}"))
        else:
            writer.write(reply(body, record.get("status", 200)))

    async with Server(answer).open() as port:
        names: dict[str, list[Any]] = {"site.example": [PUBLIC], "other.example": [PUBLIC]}
        if record.get("fetch") == "dns_error":
            names = {}
        world = World(1 if record.get("fetch") == "connection_refused" else port, names=names)
        url = record["url"].replace("https:", "http:")
        try:
            got = await fetch(world.door(**UNHURRIED), url)
        except (RobotsDisallowed, Unreachable):
            return "deny"
        return "allow" if got.body == b"page" else "deny"
