"""What a way to misbehave is, and the plainest replies that the others are made of."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

MIB = 2**20
OK = frozenset({"ok"})
ERROR = frozenset({"error"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """One request."""

    method: str
    name: str
    """The first word of the path, which names the case."""
    rest: str
    """The path behind it."""
    query: str
    headers: dict[str, str] = field(repr=False)
    private: str
    """The address of the inner service."""
    number: int
    """Counts the requests for this case, from 1."""


Answer = Callable[[Visit], AsyncIterator[bytes]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One way to misbehave, and what a careful reader makes of it."""

    name: str
    family: str
    answer: Answer
    outcomes: frozenset[str]
    """The outcomes that are right."""
    contains: tuple[str, ...] = ()
    """What a result must hold."""
    excludes: tuple[str, ...] = ()
    """What neither a result nor an error may hold."""
    max_requests: int = 1
    max_wire_bytes: int = 64 * MIB
    waits: bool = False
    """Ends when the reader's patience does, unless some limit is met before."""
    closes: bool = False
    """The whole site is not asked again for a while."""
    is_robots: bool = False
    """Misbehaves as the robots.txt of the host `<name>.example`, whose page `/ordinary` is asked for."""


def reply(body: bytes, *headers: str, status: int = 200) -> bytes:
    """A reply as it should be: typed as a page unless a header says otherwise."""
    kind = () if any(line.lower().startswith("content-type") for line in headers) else ("Content-Type: text/html",)
    lines = [f"HTTP/1.1 {status} X", *kind, f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def always(data: bytes | Callable[[], bytes]) -> Answer:
    """The same bytes for everybody, then the end; a function makes them when they are first asked for."""

    async def answer(_visit: Visit) -> AsyncIterator[bytes]:
        made = data if isinstance(data, bytes) else await asyncio.to_thread(data)
        for start in range(0, len(made), MIB):
            yield made[start : start + MIB]

    return answer


def page(body: str | bytes, *headers: str, status: int = 200) -> Answer:
    """A page that comes as it should."""
    return always(reply(body.encode() if isinstance(body, str) else body, *headers, status=status))


def one_page(operators: str) -> bytes:
    """Write a PDF with one page on letter paper."""
    content = operators.encode("latin-1")
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 %b>>>>>>" % font,
        b"<</Length %d>>stream\n%b\nendstream" % (len(content), content),
    )
    body, table = b"%PDF-1.7\n", b"0000000000 65535 f \n"
    for number, written in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(body)
        body += b"%d 0 obj\n%b\nendobj\n" % (number, written)
    count = len(objects) + 1
    return body + b"xref\n0 %d\n%btrailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        count,
        table,
        count,
        len(body),
    )
