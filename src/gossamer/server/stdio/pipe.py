"""MCP messages over a pair of file descriptors, on the event loop: no thread and no task between a line and the SDK."""

import asyncio
import contextlib
import os
import select
import stat
from types import TracebackType
from typing import Self

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest

from gossamer.process import stop_waiting
from gossamer.server.stdio.lines import Lines, read_line, unreadable

_CHUNK_BYTES = 262_144
_MOST_SENDERS = 16
"""While more messages than this wait for the client to read, nothing is read from it: it waits, and nothing grows."""
_LOOK_S = 0.1
"""How often a client that is not read from is looked after: it may have hung up."""


class Pipe:
    """What the SDK reads from and writes to, and what we watch to know when to leave."""

    def __init__(self, in_fd: int, out_fd: int, *, lead: bytes = b"", silent: str | int | None = None) -> None:
        """`lead` was read from `in_fd` before; the first reply to the request `silent` has been given already."""
        self.ended = asyncio.Event()
        """The client closed its end."""
        self.idle = asyncio.Event()
        """Every request that came has been answered."""
        self.idle.set()
        self._waiting: set[str] = set()
        self.write = Outgoing(out_fd, self, silent)
        self.read = Incoming(in_fd, self, lead)

    def note(self, message: JSONRPCMessage) -> None:
        """Keep count of what awaits a reply; a cancelled request gets none."""
        if isinstance(message, JSONRPCRequest):
            self._waiting.add(str(message.id))
            self.idle.clear()
        elif isinstance(message, JSONRPCNotification):
            if message.method == "notifications/cancelled":
                self._forget((message.params or {}).get("requestId"))
        else:
            self._forget(message.id)

    def _forget(self, number: object) -> None:
        self._waiting.discard(str(number))
        if not self._waiting:
            self.idle.set()

    def hang_up(self) -> None:
        """The client is gone: nothing more is owed to it."""
        self._waiting.clear()
        self.idle.set()
        self.ended.set()


class _Stream:
    """What the SDK expects of either direction beside its own method; the pipe's owner closes it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Nothing: the descriptors are the process's own."""


class Incoming(_Stream):
    """Messages from a descriptor, line by line."""

    def __init__(self, descriptor: int, pipe: Pipe, lead: bytes) -> None:
        self._descriptor = descriptor
        self._pipe = pipe
        self._lines = Lines()
        self._lines.feed(lead)
        self._can_wait = can_wait(descriptor)
        self._is_watching = False
        self._has_ended = False
        self._arrived: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()

    def __aiter__(self) -> "Incoming":
        return self

    async def __anext__(self) -> SessionMessage:
        while True:
            await self._until_client_reads()
            while line := self._lines.next():
                if message := read_line(line):
                    self._pipe.note(message.message)
                    return message
                await self._pipe.write.put(unreadable(line))
            if self._has_ended:
                self._pipe.ended.set()
                await self._pipe.idle.wait()
                raise StopAsyncIteration
            await self._wait()

    async def receive(self) -> SessionMessage:
        """The next message."""
        try:
            return await anext(self)
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def _until_client_reads(self) -> None:
        """Take nothing from a client that does not read what it was sent, unless it hung up meanwhile."""
        room = self._pipe.write.has_room
        while not room.is_set():
            if is_hung_up(self._descriptor):
                self._pipe.hang_up()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(room.wait(), _LOOK_S)

    async def _wait(self) -> None:
        """Wait until something was read."""
        if not self._can_wait:
            self._read()
            await asyncio.sleep(0)
            return
        self._arrived = self._loop.create_future()
        if not self._is_watching:
            self._loop.add_reader(self._descriptor, self._read)
            self._is_watching = True
        await self._arrived

    def _pause(self) -> None:
        """Read no more until the next message is asked for."""
        if self._is_watching:
            self._loop.remove_reader(self._descriptor)
            self._is_watching = False

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, _CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._has_ended = True
        self._lines.feed(data or b"\n")
        if self._has_ended or self._lines.is_plenty:
            self._pause()
        if self._arrived and not self._arrived.done():
            self._arrived.set_result(None)


class Outgoing(_Stream):
    """Messages to a descriptor, each written at once, or in turn as the client reads; only one is kept as bytes."""

    def __init__(self, descriptor: int, pipe: Pipe, silent: str | int | None) -> None:
        self._descriptor = descriptor
        self._pipe = pipe
        self._silent = silent
        self._rest = memoryview(b"")
        self._written = asyncio.Event()
        self._written.set()
        self._turn = asyncio.Lock()
        self._senders = 0
        self._is_broken = False
        self._loop = asyncio.get_running_loop()
        self.has_room = asyncio.Event()
        """The client reads what it is sent."""
        self.has_room.set()
        stop_waiting(descriptor)

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message; return when all of it is written."""
        message = item.message
        is_reply = not isinstance(message, JSONRPCRequest | JSONRPCNotification)
        if is_reply and self._silent is not None and message.id == self._silent:
            self._silent = None
        else:
            await self.put(message)
        if is_reply:
            self._pipe.note(message)

    async def put(self, message: JSONRPCMessage | bytes) -> None:
        """Write a message or a line; one who is cancelled meanwhile leaves no half of it behind."""
        self._senders += 1
        if self._senders > _MOST_SENDERS:
            self.has_room.clear()
        try:
            async with self._turn:  # without a wait where nobody else is there
                if self._rest:
                    await self._written.wait()
                self._begin(message)
                if self._rest:
                    await self._written.wait()
        finally:
            self._senders -= 1
            if self._senders <= _MOST_SENDERS:
                self.has_room.set()

    def _give_up(self) -> None:
        """Stop writing and wake every waiter."""
        self._loop.remove_writer(self._descriptor)
        self._is_broken = True
        self._rest = memoryview(b"")
        self._written.set()

    def _begin(self, message: JSONRPCMessage | bytes) -> None:
        if self._is_broken:
            return
        if not isinstance(message, bytes):
            message = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        self._rest = memoryview(message)
        self._flush()
        if self._rest:
            self._written.clear()
            self._loop.add_writer(self._descriptor, self._flush)

    def _flush(self) -> None:
        try:
            while self._rest:
                self._rest = self._rest[os.write(self._descriptor, self._rest) :]
        except BlockingIOError:
            return
        except OSError:
            self._give_up()
            self._pipe.hang_up()
            return
        if not self._written.is_set():
            self._loop.remove_writer(self._descriptor)
            self._written.set()


def can_wait(descriptor: int) -> bool:
    """Whether the event loop can wait for a descriptor; files and `/dev/null` are always ready."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


def is_hung_up(descriptor: int) -> bool:
    """Whether the other end is closed, whatever may still be there to read."""
    events = select.poll()
    events.register(descriptor, getattr(select, "POLLRDHUP", 0))
    return bool(events.poll(0))
