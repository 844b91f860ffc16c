"""An embedding server on loopback, over real HTTP, in the dialect of each program that people run.

Vectors are bags of hashed words, so that texts which share words are close. It counts what it is given, and fails or
lies as it is told to.
"""

import asyncio
import base64
import json
import math
import re
import struct
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

Dialect = Literal["openai", "ollama", "llama.cpp", "tei", "vllm"]
DIALECTS: tuple[Dialect, ...] = ("openai", "ollama", "llama.cpp", "tei", "vllm")
TEI_MOST_INPUTS = 32
_WORD = re.compile(r"\w+")


def vector_of(text: str, dimension: int) -> list[float]:
    """A unit vector made of the words of a text."""
    sums = [0.0] * dimension
    for word in _WORD.findall(text.lower()):
        sums[zlib.crc32(word.encode()) % dimension] += 1.0
    length = math.sqrt(sum(value * value for value in sums)) or 1.0
    return [value / length for value in sums] if any(sums) else [1.0, *sums[1:]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def texts(self) -> list[str]:
        """What is to be embedded."""
        return list(self.body["input"])


@dataclass(frozen=True, slots=True)
class Said:
    """A reply: JSON, or nothing at all."""

    status: int
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


Fault = Callable[["FakeEmbeddings", Asked], Awaitable[Said]]


async def good(server: "FakeEmbeddings", asked: Asked) -> Said:
    return Said(200, server.reply(asked))


def status(code: int, **headers: str) -> Fault:
    """Refuse, in the words of the dialect."""

    async def answer(server: "FakeEmbeddings", _asked: Asked) -> Said:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Said(code, server.error(code, "told to refuse"), named)

    return answer


async def hang(_server: "FakeEmbeddings", _asked: Asked) -> Said:
    await asyncio.Event().wait()
    raise AssertionError


async def drop(_server: "FakeEmbeddings", _asked: Asked) -> Said:
    raise ConnectionResetError


def once(first: Fault) -> Fault:
    """Fail at the first request alone."""
    seen: list[Asked] = []

    async def answer(server: "FakeEmbeddings", asked: Asked) -> Said:
        seen.append(asked)
        return await (first if len(seen) == 1 else good)(server, asked)

    return answer


def changed(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Fault:
    """Answer with other items than the right ones; vectors are lists of numbers then."""

    async def answer(server: "FakeEmbeddings", asked: Asked) -> Said:
        items = [
            {"object": "embedding", "index": number, "embedding": vector_of(text, server.dimension)}
            for number, text in enumerate(asked.texts)
        ]
        return Said(200, {"object": "list", "model": asked.body["model"], "data": change(items)})

    return answer


def _with(**fields: Any) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda items: [*items[:-1], {**items[-1], **fields}]


async def _page(_server: "FakeEmbeddings", _asked: Asked) -> Said:
    return Said(200, "<html>Welcome</html>", {"content-type": "text/html"})


LIES: dict[str, Fault] = {
    "one vector too few": changed(lambda items: items[:-1]),
    "one vector too many": changed(lambda items: [*items, {**items[0], "index": len(items)}]),
    "no vectors at all": changed(lambda _items: []),
    "an index twice": changed(lambda items: [items[0], {**items[0]}, *items[2:]]),
    "an index beyond the end": changed(_with(index=10_000)),
    "a negative index": changed(_with(index=-1)),
    "not a number": changed(lambda items: [{**it, "embedding": [math.nan, *it["embedding"][1:]]} for it in items]),
    "an infinite number": changed(
        lambda items: [{**it, "embedding": [math.inf, *it["embedding"][1:]]} for it in items]
    ),
    "one vector longer than the others": changed(lambda items: _with(embedding=[*items[-1]["embedding"], 0.5])(items)),
    "an empty vector": changed(_with(embedding=[])),
    "a vector without length": changed(lambda items: [{**it, "embedding": [0.0] * 8} for it in items]),
    "words for numbers": changed(_with(embedding=["one", "two"])),
    "base64 of half a number": changed(_with(embedding=base64.b64encode(b"\0\0\0").decode())),
    "no base64": changed(_with(embedding="?!")),
    "a page": _page,
}


@dataclass
class FakeEmbeddings:
    """What the server is told, and what it has seen."""

    dialect: Dialect = "openai"
    dimension: int = 64
    fault: Fault = good
    key: str = ""
    """The key that requests must carry; none: anybody may ask."""
    most_inputs: int = 2048
    speaks_base64: bool = True
    port: int = 0
    requests: list[Asked] = field(default_factory=list)
    """Everything that was asked, refused or not."""
    texts: list[str] = field(default_factory=list)
    """Every text that was given a vector, in order."""
    at_once: int = 0
    most_at_once: int = 0
    _open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Where it is, without `/v1`."""
        return f"http://127.0.0.1:{self.port}"

    def reply(self, asked: Asked) -> dict[str, Any]:
        """The right answer, as this dialect writes it."""
        packs = asked.body.get("encoding_format") == "base64" and self.speaks_base64
        items: list[dict[str, Any]] = []
        for number, text in enumerate(asked.texts):
            numbers = vector_of(text, self.dimension)
            packed = base64.b64encode(struct.pack(f"<{self.dimension}f", *numbers)).decode()
            item = {"object": "embedding", "index": number, "embedding": packed if packs else numbers}
            items.append(item | ({"encoding_format": "base64"} if packs and self.dialect == "llama.cpp" else {}))
        if self.dialect == "vllm":
            items.reverse()
        self.texts += asked.texts
        more = {"id": "embd-1", "created": 1_700_000_000} if self.dialect == "vllm" else {}
        used = sum(len(text.split()) for text in asked.texts)
        usage = {"prompt_tokens": used, "total_tokens": used}
        return {"object": "list", "data": items, "model": asked.body["model"], "usage": usage} | more

    def error(self, code: int, message: str) -> object:
        """An error, as this dialect writes it."""
        match self.dialect:
            case "tei":
                kind = {429: "Overloaded", 422: "Validation", 424: "Backend"}.get(code, "Unhealthy")
                return None if code == 401 else {"message": message, "code": code, "type": kind}
            case "llama.cpp" | "vllm":
                return {"error": {"message": message, "type": "server_error", "code": code}}
            case "ollama":
                kind = "not_found_error" if code == 404 else "api_error"
                return {"error": {"message": message, "type": kind, "param": None, "code": None}}
            case _:
                return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}

    async def answer(self, asked: Asked) -> Said:
        """Judge a request as the program itself would, then answer or do what `fault` says."""
        if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
            return Said(401, self.error(401, f"Incorrect API key provided: {self.key[:4]}***"))
        if asked.path != "/v1/embeddings":
            return Said(404, self.error(404, "there is nothing here"))
        if asked.body.get("encoding_format") == "base64" and not self.speaks_base64 and self.dialect != "ollama":
            return Said(400, self.error(400, "encoding_format must be float"))
        most = min(self.most_inputs, TEI_MOST_INPUTS) if self.dialect == "tei" else self.most_inputs
        if len(asked.texts) > most:
            code = 422 if self.dialect == "tei" else 400
            return Said(code, self.error(code, f"batch size {len(asked.texts)} > maximum allowed batch size {most}"))
        if any(not text for text in asked.texts) and self.dialect != "ollama":
            return Said(400, self.error(400, "the input must not be empty"))
        return await self.fault(self, asked)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Speak to one client for as long as it stays."""
        task = asyncio.current_task()
        assert task
        self._open[task] = writer
        try:
            while True:
                asked = await _read(reader)
                self.requests.append(asked)
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                try:
                    said = await self.answer(asked)
                finally:
                    self.at_once -= 1
                _write(writer, said)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.transport.abort()
        finally:
            del self._open[task]
            writer.close()

    async def hang_up(self) -> None:
        """Break every connection and wait until nobody is served any more."""
        left = dict(self._open)
        for task, writer in left.items():
            writer.transport.abort()
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=5)


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(path=first.split(" ")[1], headers=headers, body=json.loads(body or b"{}"))


def _write(writer: asyncio.StreamWriter, said: Said) -> None:
    body = (
        b""
        if said.body is None
        else said.body.encode()
        if isinstance(said.body, str)
        else json.dumps(said.body).encode()
    )
    headers = {"content-type": "application/json"} | dict(said.headers) | {"content-length": str(len(body))}
    lines = [f"HTTP/1.1 {said.status} Said", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    writer.write("\r\n".join(lines).encode() + body)


@asynccontextmanager
async def fake_embeddings(
    dialect: Dialect = "openai", *, dimension: int = 64, key: str = ""
) -> AsyncGenerator[FakeEmbeddings]:
    """A server on a port of its own until the block ends."""
    fake = FakeEmbeddings(dialect=dialect, dimension=dimension, key=key, speaks_base64=dialect != "ollama")
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        server.close()
        await fake.hang_up()
