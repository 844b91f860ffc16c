"""Ways to misbehave in robots.txt: the page behind it is like any other, if one gets there."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

from gossamer.testing.site_case import MIB, OK, Answer, Case, Visit, always, page, reply
from gossamer.testing.site_replies import drip, silent

_PLAIN = "Content-Type: text/plain"
_RULES = b"User-agent: *\nDisallow: /secret\n"
_FORBIDDEN = frozenset({"robots"})
_LATE = frozenset({"robots", "timeout"})
_CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
_DRIP = partial(drip, _CHUNKED, b"1\r\n#\r\n")
_STARS = b"User-agent: *\n" + b"Disallow: /" + b"*a" * 200_000 + b"b\n" + b"Disallow: /*a*a*a*a*a*a*a*a*b\n" * 10_000


async def _endless(_visit: Visit) -> AsyncIterator[bytes]:
    """Rules that allow the page, then remarks for ever."""
    yield _CHUNKED + b"%x\r\n%s\r\n" % (len(_RULES), _RULES)
    while True:
        yield b"10000\r\n" + b"# more\n\n" * 8192 + b"\r\n"
        await asyncio.sleep(0)


async def _inside(visit: Visit) -> AsyncIterator[bytes]:
    yield reply(b"", f"Location: {visit.private}/robots.txt", status=302)


async def _circle(_visit: Visit) -> AsyncIterator[bytes]:
    yield reply(b"", "Location: /robots.txt", status=302)


def _case(
    name: str, answer: Answer, outcomes: frozenset[str], *, contains: tuple[str, ...] = (), requests: int = 3
) -> Case:
    return Case(
        name=f"robots-{name}",
        family=f"robots-{name}",
        answer=answer,
        outcomes=outcomes,
        contains=contains or ("lit the lamps",),
        max_requests=requests,
        max_wire_bytes=8 * MIB,
        waits=answer in {_DRIP, silent},
        is_robots=True,
    )


ROBOTS: tuple[Case, ...] = (
    _case("huge", always(lambda: reply(_RULES + b"# remark\n" * (2 * MIB), _PLAIN)), OK),
    _case("endless", _endless, OK),
    _case("drip", _DRIP, _LATE),
    _case("silent", silent, _LATE),
    _case("inside", _inside, _FORBIDDEN | {"refused"}),
    _case("circle", _circle, OK, requests=6),
    _case("stars", always(reply(_STARS, _PLAIN)), OK | _FORBIDDEN),
    _case("page", page("<html><body><h1>Not here</h1>Disallow: /</body></html>"), OK),
    _case("binary", page(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100, "Content-Type: image/png"), OK),
    _case("503", page("Later.", status=503), _FORBIDDEN),
    _case("404", page("None.", status=404), OK),
    _case("forbids", page(b"User-agent: *\nDisallow: /ordinary\n", _PLAIN), _FORBIDDEN),
)
