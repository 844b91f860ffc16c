"""A web site that misbehaves in every way we know of, on loopback, so that tests need no other site.

`python -m gossamer.testing.site 3` listens on three ports, prints one line of JSON (`bases`, `private`) and serves
until it is ended. `/<name of a case>` misbehaves, `/ordinary` does not, `/_seen` tells what was asked of the site. A
case of robots.txt is the one of the host of its name. The second address, `private`, plays a service inside a network:
whoever comes there was led astray.
"""

import asyncio
import contextlib
import json
import sys
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field

from gossamer.testing.site_case import Case, Visit, reply
from gossamer.testing.site_pages import HIDDEN, ORDINARY, PAGES
from gossamer.testing.site_replies import REPLIES
from gossamer.testing.site_robots import ROBOTS

CASES: dict[str, Case] = {case.name: case for case in (*REPLIES, *PAGES, *HIDDEN, *ROBOTS)}
"""Every way to misbehave, by its name."""

INNER = "SAID-INSIDE"
"""What the inner service says."""
_MOST_TOLD = 1_000


@dataclass(kw_only=True, slots=True)
class Seen:
    """What was asked of the site."""

    requests: Counter[str] = field(default_factory=Counter[str])
    """By the first word of the path."""
    sent_bytes: Counter[str] = field(default_factory=Counter[str])
    methods: Counter[str] = field(default_factory=Counter[str])
    telling: list[str] = field(default_factory=list[str])
    """Headers that tell users apart, or where they came from."""
    private: int = 0
    """Connections to the inner service."""


class MisbehavingSite:
    """Listens until `close`; every request and every byte is counted."""

    def __init__(self) -> None:
        self.seen = Seen()
        self.bases: tuple[str, ...] = ()
        self.private = ""
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, *, ports: int = 1) -> AsyncGenerator["MisbehavingSite"]:
        """A site that listens on as many ports of 127.0.0.1, and its inner service on one of 127.0.0.2."""
        site = cls()
        try:
            servers = [await asyncio.start_server(site._serve, "127.0.0.1", 0) for _ in range(ports)]
            site._servers = [*servers, await asyncio.start_server(site._betray, "127.0.0.2", 0)]
            *bases, site.private = map(_address, site._servers)
            site.bases = tuple(bases)
            yield site
        finally:
            await site.close()

    async def close(self) -> None:
        """Stop listening and drop everybody."""
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _betray(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seen.private += 1
        writer.write(reply(INNER.encode()))
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            await self._answer(_visit(head, self), writer)
        with contextlib.suppress(ConnectionError):
            writer.close()

    async def _answer(self, visit: Visit, writer: asyncio.StreamWriter) -> None:
        self.seen.requests[visit.name] += 1
        self.seen.methods[visit.method] += 1
        told = [f"{name}: {visit.headers[name]}" for name in _TELLING if name in visit.headers]
        self.seen.telling = (self.seen.telling + told)[:_MOST_TOLD]
        async for piece in self._pieces(visit):
            writer.write(piece)
            self.seen.sent_bytes[visit.name] += len(piece)
            await writer.drain()

    def _pieces(self, visit: Visit) -> AsyncIterator[bytes]:
        if visit.name == "_seen":
            told = {name: getattr(self.seen, name) for name in Seen.__slots__}
            return _once(reply(json.dumps(told).encode(), "Content-Type: application/json"))
        if visit.name == "ordinary":
            return _once(reply(ORDINARY))
        case = CASES.get(visit.name)
        return case.answer(visit) if case else _once(reply(b"There is no such page.", status=404))


_TELLING = ("cookie", "authorization", "proxy-authorization", "referer", "origin")


def _address(server: asyncio.Server) -> str:
    host, port = server.sockets[0].getsockname()[:2]
    return f"http://{host}:{port}"


def _visit(head: list[str], site: MisbehavingSite) -> Visit:
    method, target, *_ = (*head[0].split(" "), "/")
    path, _, query = target.partition("?")
    name, _, rest = path.lstrip("/").partition("/")
    headers = {key.strip().lower(): value.strip() for key, _, value in (line.partition(":") for line in head[1:])}
    label = headers.get("host", "").partition(".")[0]
    if name == "robots.txt" and label in CASES:
        name = label
    return Visit(
        method=method,
        name=name,
        rest=rest,
        query=query,
        headers=headers,
        private=site.private,
        number=site.seen.requests[name] + 1,
    )


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def _main() -> None:
    async with MisbehavingSite.open(ports=int(sys.argv[1]) if len(sys.argv) > 1 else 1) as site:
        sys.stdout.write(json.dumps({"bases": site.bases, "private": site.private}) + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main())
