"""MCP messages over a pair of file descriptors, on the event loop: no thread hops per line."""

import asyncio
import contextlib
import json
import os
import re
import stat
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

Writer = Callable[[bytes], Awaitable[None]]

_LONGEST_LINE = 32 * 2**20
_HEAD_BYTES = 512
_ID = re.compile(rb'"id"\s*:\s*(\d{1,15}|"[\w-]{1,64}")')


@dataclass(frozen=True, kw_only=True, slots=True)
class Pipe:
    """What the SDK reads from and writes to, and what we watch to know when to leave."""

    read: MemoryObjectReceiveStream[SessionMessage | Exception]
    write: MemoryObjectSendStream[SessionMessage]
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """The client closed its end."""
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    """Every request that came has been answered."""


def guard_stdout() -> int:
    """Keep descriptor 1 for the protocol: return a private copy of it, and let every print go to stderr."""
    private = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return private


@asynccontextmanager
async def open_pipe(in_fd: int, out_fd: int) -> AsyncGenerator[Pipe]:
    """Read messages line by line from `in_fd`, write them to `out_fd`; ends when the body does."""
    reader = await _reader(in_fd)
    write = await _writer(out_fd)
    in_send, in_receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    out_send, out_receive = anyio.create_memory_object_stream[SessionMessage](0)
    pipe = Pipe(read=in_receive, write=out_send)
    pipe.idle.set()
    waiting: set[str | int] = set()

    async def pump_in() -> None:
        async with in_send:
            while line := await _line(reader):
                message = _parse(line)
                if message is None:
                    await write(_unreadable(line))
                    continue
                _note_request(message.message, waiting)
                if waiting:
                    pipe.idle.clear()
                else:
                    pipe.idle.set()
                await in_send.send(message)
            pipe.ended.set()
            await pipe.idle.wait()

    async def pump_out() -> None:
        async with out_receive:
            async for item in out_receive:
                message = item.message
                try:
                    await write(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                except ConnectionError:
                    pipe.ended.set()
                    waiting.clear()
                if not isinstance(message, JSONRPCRequest | JSONRPCNotification) and message.id is not None:
                    waiting.discard(message.id)
                if not waiting:
                    pipe.idle.set()

    async with anyio.create_task_group() as group:
        group.start_soon(pump_in)
        group.start_soon(pump_out)
        yield pipe
        group.cancel_scope.cancel()


def _note_request(message: JSONRPCMessage, waiting: set[str | int]) -> None:
    """Keep count of what awaits a reply; a cancelled request gets none."""
    if isinstance(message, JSONRPCRequest):
        waiting.add(message.id)
    elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
        waiting.discard((message.params or {}).get("requestId", ""))


def _can_wait(descriptor: int) -> bool:
    """Whether the event loop can wait for a descriptor; files and `/dev/null` are always ready."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


def _parse(line: bytes) -> SessionMessage | None:
    """The message of a line; half characters, as some clients send them, are replaced instead of refused."""
    with contextlib.suppress(ValidationError):
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    with contextlib.suppress(ValueError, RecursionError):
        mended = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(mended, by_name=False))
    return None


def _unreadable(line: bytes) -> bytes:
    """The reply to a line that is no message, with its id where one can be seen."""
    seen = _ID.search(line[:_HEAD_BYTES]) or _ID.search(line[-_HEAD_BYTES:])
    told = {"code": PARSE_ERROR, "message": "This line is not a JSON-RPC message that can be read."}
    return b'{"jsonrpc":"2.0","id":%s,"error":%s}\n' % (seen[1] if seen else b"null", json.dumps(told).encode())


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line; nothing at the end, or where a line is longer than any message may be."""
    while True:
        try:
            line = await reader.readline()
        except ValueError:
            return b""
        if line.strip() or not line:
            return line


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    if not _can_wait(descriptor):
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            reader.feed_data(file.read())
        reader.feed_eof()
        return reader
    source = os.fdopen(descriptor, "rb", 0, closefd=False)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    return reader


async def _writer(descriptor: int) -> Writer:
    if not _can_wait(descriptor):

        async def to_file(data: bytes) -> None:
            os.write(descriptor, data)

        return to_file
    loop = asyncio.get_running_loop()
    sink = os.fdopen(descriptor, "wb", 0, closefd=False)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sink)
    transport.set_write_buffer_limits(0)  # drained means written: we may leave right after a reply
    stream = asyncio.StreamWriter(transport, protocol, None, loop)

    async def to_pipe(data: bytes) -> None:
        stream.write(data)
        await stream.drain()

    return to_pipe
