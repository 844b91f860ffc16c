"""Search services on loopback: they speak the recorded wire formats over real HTTP, and fail as they are told to."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gossamer.model.http import HttpReply
from gossamer.model.search import Query
from gossamer.ports import Provider
from gossamer.providers import PROVIDERS
from gossamer.testing.recorded import SECRET, Case, folders

CASES = Path(__file__).parents[1] / "cases" / "providers"
_DRIP_S = 0.05


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it came, and the way to answer it."""

    writer: asyncio.StreamWriter
    recorded: HttpReply
    number: int
    """Counts the requests to this service."""

    async def reply(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"HTTP/1.1 {status} Said", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in ({"content-type": "application/json"} | named).items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await self.writer.drain()

    async def good(self) -> None:
        named = {name.replace("-", "_"): value for name, value in self.recorded.headers.items()}
        await self.reply(self.recorded.status, self.recorded.body, **named)


Answer = Callable[[Sent], Awaitable[None]]


async def good(sent: Sent) -> None:
    await sent.good()


async def hang(sent: Sent) -> None:
    await sent.writer.wait_closed()


async def drip(sent: Sent) -> None:
    """A byte now and then, so that silence alone never ends it."""
    body = sent.recorded.body
    sent.writer.write(f"HTTP/1.1 200 Said\r\ncontent-length: {len(body)}\r\n\r\n".encode())
    for place in range(len(body)):
        sent.writer.write(body[place : place + 1])
        await sent.writer.drain()
        await asyncio.sleep(_DRIP_S)


async def reset(sent: Sent) -> None:
    """Half of the body, then the connection breaks."""
    body = sent.recorded.body
    sent.writer.write(f"HTTP/1.1 200 Said\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body[: len(body) // 2])
    await sent.writer.drain()
    sent.writer.transport.abort()


async def drop(sent: Sent) -> None:
    """The connection breaks before a word was said."""
    sent.writer.transport.abort()


def status(code: int, body: bytes = b"{}", **headers: str) -> Answer:
    async def answer(sent: Sent) -> None:
        await sent.reply(code, body, **headers)

    return answer


async def cut_json(sent: Sent) -> None:
    await sent.reply(200, sent.recorded.body[: len(sent.recorded.body) // 2])


@dataclass
class FakeServices:
    """Every registered provider with a recorded search, at an address of its own."""

    port: int = 0
    faults: dict[str, Answer] = field(default_factory=dict)
    came: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    """Every request, its head and its body."""
    open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)
    _recorded: dict[str, tuple[HttpReply, ...]] = field(default_factory=dict)

    def play(self, name: str, replies: Sequence[HttpReply]) -> None:
        """Let a service answer with these, one after the other and the last again and again."""
        self._recorded[name] = tuple(replies)
        self.came[name] = 0

    def provider(self, name: str, *, port: int = 0) -> Provider:
        """The real provider, told to look here; with a key, so that nothing depends on those without."""
        made = PROVIDERS[name]
        secrets = {key: SECRET for key, shape in made.model_fields.items() if "SecretStr" in str(shape.annotation)}
        address = f"http://127.0.0.1:{port or self.port}/{name}"
        return made.model_validate({"base_url": address, "per_second": 1000.0, **secrets})

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self.open[task] = writer
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = next((line for line in head.lower().split("\r\n") if line.startswith("content-length:")), "")
                body = await reader.readexactly(int(length.partition(":")[2] or 0))
                self.asked.append(head + body.decode())
                name = head.split(" ", 2)[1].split("/")[1].partition("?")[0]
                self.came[name] += 1
                sent = Sent(writer, self._reply(name), self.came[name])
                await self.faults.get(name, good)(sent)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            del self.open[task]
            writer.close()

    async def hang_up(self) -> None:
        """Break every connection and wait until nobody is served any more."""
        left = dict(self.open)
        for writer in left.values():
            writer.transport.abort()
        if left:
            await asyncio.wait(left, timeout=5)

    def _reply(self, name: str) -> HttpReply:
        if name not in self._recorded:
            self._recorded[name] = found_case(name).replies
        replies = self._recorded[name]
        return replies[min(self.came[name], len(replies)) - 1]


def found_case(name: str) -> Case:
    """The recorded search of a provider that found something."""
    return Case.load(CASES / name / "found", PROVIDERS[name])


def speaks_json(name: str) -> bool:
    """Whether a service answers in JSON, and not with a page or a feed."""
    try:
        json.loads(found_case(name).replies[0].body)
    except ValueError:
        return False
    return True


def all_cases() -> list[Case]:
    """Everything that was recorded of any service."""
    return [Case.load(folder, made) for name, made in PROVIDERS.items() for folder in folders(CASES / name)]


def query_for(name: str) -> Query:
    """What its recorded search asked for, few results so that one exchange is enough."""
    return found_case(name).query


@asynccontextmanager
async def fake_services() -> AsyncGenerator[FakeServices]:
    """The services, on a port of their own until the block ends."""
    services = FakeServices()
    server = await asyncio.start_server(services.serve, "127.0.0.1", 0)
    services.port = server.sockets[0].getsockname()[1]
    try:
        yield services
    finally:
        server.close()
        await services.hang_up()
