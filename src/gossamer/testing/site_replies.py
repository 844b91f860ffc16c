"""Ways to misbehave below the page: packing, time, framing, heads, redirects, statuses, cookies."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from importlib import import_module

from gossamer.testing.site_case import ERROR, MIB, OK, Case, Visit, always, page, reply

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_LONG = _HEAD + b"Content-Length: 100000\r\n\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
_TEXT = "<title>Quay</title><article><h1>Quay</h1><p>The ferry leaves the quay at nine and is back before dusk.</p>"
_SAID = "leaves the quay"
_BOMB = frozenset({"too_large"})
_TIMEOUT = frozenset({"timeout"})
_REFUSED = frozenset({"refused"})
_KINDS = {"deflate": zlib.MAX_WBITS, "gzip": 16 + zlib.MAX_WBITS}


def _packed(data: bytes, coding: str) -> bytes:
    return reply(data, f"Content-Encoding: {coding}")


@cache
def _zlib_bomb(coding: str, size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, _KINDS[coding])
    return b"".join(packer.compress(b"\0" * MIB) for _ in range(size // MIB)) + packer.flush()


@cache
def _brotli_bomb(size: int) -> bytes:
    packer = import_module("brotli").Compressor(quality=1)
    return b"".join(packer.process(b"\0" * MIB) for _ in range(size // MIB)) + packer.finish()


def _zstd_bomb(size: int) -> bytes:
    """A frame of blocks that say "this byte, 128 KiB of it": no packer is needed."""
    block = 128 * 1024
    blocks = [(block << 3 | 1 << 1 | (n == 0)).to_bytes(3, "little") + b"\0" for n in reversed(range(size // block))]
    return b"\x28\xb5\x2f\xfd\x00\x58" + b"".join(blocks)


BOMBS: dict[str, Callable[[], bytes]] = {
    "gzip": lambda: _packed(_zlib_bomb("gzip", 128 * MIB), "gzip"),
    "deflate": lambda: _packed(_zlib_bomb("deflate", 128 * MIB), "deflate"),
    "brotli": lambda: _packed(_brotli_bomb(256 * MIB), "br"),
    "zstd": lambda: _packed(_zstd_bomb(512 * MIB), "zstd"),
    "nested": lambda: _packed(gzip.compress(_zlib_bomb("gzip", 128 * MIB)), "gzip, gzip"),
    "members": lambda: _packed(gzip.compress(b" " * 1000) * 50_000, "gzip"),
}


async def _endless(_visit: Visit, pause_s: float = 0.0, size: int = 65536) -> AsyncIterator[bytes]:
    yield _CHUNKED
    while True:
        yield b"%x\r\n" % size + b"the sea " * (size // 8) + b"\r\n"
        await asyncio.sleep(pause_s)


async def drip(head: bytes, drop: bytes, _visit: Visit) -> AsyncIterator[bytes]:
    """Send a beginning, then the same few bytes ten times a second without end."""
    yield head
    while True:
        yield drop
        await asyncio.sleep(0.1)


async def silent(_visit: Visit) -> AsyncIterator[bytes]:
    """Accept the request and send nothing."""
    await asyncio.Event().wait()
    yield b""


async def _hints(_visit: Visit) -> AsyncIterator[bytes]:
    while True:
        yield b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 50


async def _switching(visit: Visit) -> AsyncIterator[bytes]:
    yield b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    async for piece in silent(visit):
        yield piece


TIMES: tuple[Case, ...] = (
    Case(name="endless", family="endless", answer=_endless, outcomes=OK | _BOMB, contains=("the sea",)),
    Case(
        name="endless-slow",
        family="endless-slow",
        answer=partial(_endless, pause_s=0.1, size=2048),
        outcomes=_TIMEOUT,
        waits=True,
    ),
    Case(name="drip", family="drip", answer=partial(drip, _LONG, b"a"), outcomes=_TIMEOUT, waits=True),
    Case(
        name="drip-head", family="drip-head", answer=partial(drip, _HEAD, b"X-A: b\r\n"), outcomes=_TIMEOUT, waits=True
    ),
    Case(name="silent", family="silent", answer=silent, outcomes=_TIMEOUT, waits=True),
    Case(name="flood-1xx", family="flood-1xx", answer=_hints, outcomes=ERROR, max_wire_bytes=4 * MIB),
    Case(name="switching", family="switching", answer=_switching, outcomes=ERROR),
)

_SMUGGLED = b"HTTP/1.1 200 OK\r\n\r\nSMUGGLED"
FRAMING: dict[str, bytes] = {
    "coding-lie": _packed(b"<p>This was never packed.</p>", "gzip"),
    "coding-unknown": _packed(b"<p>x</p>", "compress"),
    "length-more": _HEAD + b"Content-Length: 90000\r\n\r\n<p>a short one",
    "length-bad": _HEAD + b"Content-Length: -7\r\n\r\n<p>x</p>",
    "length-two": _HEAD + b"Content-Length: 5\r\nContent-Length: 33\r\n\r\nhello" + _SMUGGLED,
    "cl-te": _HEAD + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "chunk-bad": _CHUNKED + b"xyz\r\nhello\r\n0\r\n\r\n",
    "chunk-cut": _CHUNKED + b"40\r\n<p>half of",
    "status-line": b"<html><body>an answer of another age</body></html>",
    "status-odd": b"HTTP/1.1 799 Odd\r\nContent-Length: 2\r\n\r\nhi",
    "big-header": _HEAD + b"X-Long: " + b"y" * 10 * MIB + b"\r\n\r\n",
    "many-headers": _HEAD + b"X-A: b\r\n" * 100_000 + b"\r\n",
    "header-nul": _HEAD + b"X-A: a\0b\r\nContent-Length: 2\r\n\r\nhi",
    "tls-on-plain": b"\x15\x03\x01\x00\x02\x02\x28",
}


def _location(to: str, status: int = 302) -> bytes:
    return reply(b"", f"Location: {to}", status=status)


async def _loop(visit: Visit) -> AsyncIterator[bytes]:
    yield _location(f"/{visit.name}?{(len(visit.query) + 1) * 'a'}" if visit.name == "redirect-grow" else "")


async def _chain(visit: Visit) -> AsyncIterator[bytes]:
    """As many redirects as the name ends in, then a page."""
    done = int(visit.rest or 0)
    hops = int(visit.name.rpartition("-")[2])
    yield _location(f"/{visit.name}/{done + 1}") if done < hops else reply(_TEXT.encode())


async def _inside(visit: Visit) -> AsyncIterator[bytes]:
    yield _location(f"{visit.private}/meta-data/")


async def _cookie_wall(visit: Visit) -> AsyncIterator[bytes]:
    is_known = "cookie" in visit.headers
    yield reply(_TEXT.encode()) if is_known else reply(b"", "Location: ", "Set-Cookie: k=v; Path=/", status=302)


REDIRECTS: tuple[Case, ...] = (
    Case(name="redirect-loop", family="redirect-loop", answer=_loop, outcomes=ERROR, max_requests=6),
    Case(name="redirect-grow", family="redirect-grow", answer=_loop, outcomes=ERROR, max_requests=6),
    Case(name="redirect-5", family="redirect-5", answer=_chain, outcomes=OK, contains=(_SAID,), max_requests=6),
    Case(name="redirect-6", family="redirect-6", answer=_chain, outcomes=ERROR, excludes=(_SAID,), max_requests=6),
    Case(name="redirect-private", family="redirect-private", answer=_inside, outcomes=_REFUSED),
    Case(name="redirect-cookie", family="redirect-cookie", answer=_cookie_wall, outcomes=ERROR, max_requests=6),
    *(
        Case(name=name, family=family, answer=always(_location(to)), outcomes=_REFUSED, excludes=excludes)
        for name, family, to, excludes in (
            ("redirect-metadata", "redirect-private", "http://169.254.169.254/latest/", ()),
            ("redirect-file", "redirect-scheme", "file:///etc/passwd", ("root:",)),
            ("redirect-data", "redirect-scheme", "data:text/html,<p>CARRIED</p>", ("CARRIED",)),
            ("redirect-script", "redirect-scheme", "javascript:alert(1)", ("alert",)),
            ("redirect-long", "redirect-long", "/" + "x" * 20_000, ()),
            ("redirect-auth", "redirect-auth", "http://user:word@127.0.0.1:1/", ("user:word",)),
        )
    ),
    Case(name="redirect-none", family="redirect-none", answer=page("", status=302), outcomes=ERROR),
)

_STATUSES: dict[int, str] = {
    204: "empty",
    400: "denied",
    401: "denied",
    403: "denied",
    404: "not_found",
    410: "not_found",
    451: "denied",
    500: "unreachable",
    503: "unreachable",
}


def _soon() -> bytes:
    when = datetime.now(UTC) + timedelta(seconds=90)
    return reply(b"Later.", when.strftime("Retry-After: %a, %d %b %Y %H:%M:%S GMT"), status=429)


async def _flaky(visit: Visit) -> AsyncIterator[bytes]:
    yield reply(_TEXT.encode()) if visit.number > 1 else reply(b"Broken.", status=502)


async def _cookies(visit: Visit) -> AsyncIterator[bytes]:
    said = "KNOWN-AGAIN" if "cookie" in visit.headers else "nobody we know"
    yield reply(f"{_TEXT}<p>You are {said}.</p>".encode(), "Set-Cookie: id=1; Path=/")


STATUSES: tuple[Case, ...] = (
    *(
        Case(
            name=f"status-{status}",
            family="status",
            answer=page("" if status == 204 else f"<h1>{status}</h1>ERROR-PAGE", status=status),
            outcomes=frozenset({outcome}),
            excludes=("ERROR-PAGE",),
            max_requests=3,
        )
        for status, outcome in _STATUSES.items()
    ),
    Case(
        name="status-429",
        family="status",
        answer=page("Slow down.", "Retry-After: 60", status=429),
        outcomes=frozenset({"rate_limited"}),
        closes=True,
    ),
    Case(
        name="retry-date", family="retry-date", answer=always(_soon), outcomes=frozenset({"rate_limited"}), closes=True
    ),
    Case(
        name="flaky",
        family="flaky",
        answer=_flaky,
        outcomes=frozenset({"ok", "unreachable"}),
        max_requests=3,
    ),
    Case(name="cookies", family="cookies", answer=_cookies, outcomes=OK, excludes=("KNOWN-AGAIN",), max_requests=2),
    Case(
        name="cookie-flood",
        family="cookie-flood",
        answer=page(_TEXT, *(f"Set-Cookie: c{n}={'x' * 400}" for n in range(90))),
        outcomes=OK,
    ),
)

REPLIES: tuple[Case, ...] = (
    *(
        Case(name=f"bomb-{name}", family=f"bomb-{name}", answer=always(make), outcomes=_BOMB, max_wire_bytes=4 * MIB)
        for name, make in BOMBS.items()
    ),
    *TIMES,
    *(Case(name=name, family=name, answer=always(data), outcomes=ERROR) for name, data in FRAMING.items()),
    Case(
        name="length-less",
        family="length-less",
        answer=always(reply(_TEXT.encode()) + _SMUGGLED),
        outcomes=OK,
        contains=(_SAID,),
        excludes=("SMUGGLED",),
    ),
    *REDIRECTS,
    *STATUSES,
)
