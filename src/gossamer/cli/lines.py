"""Lines of standard input or a file, handed to an event loop one at a time as it asks for them."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator

MAX_LINE_BYTES = 1024 * 1024
_PIECE_BYTES = 64 * 1024


class Lines:
    """Reads in a thread of its own, which nobody waits for: an interrupted command ends although nothing comes.

    Only as much is read as is asked for, so that a long input is never held. A longer line than any of use is told
    as None.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._wanted = threading.Semaphore(0)
        self._ready: asyncio.Queue[bytes | EOFError | OSError | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True, name="gossamer-lines").start()

    async def __aiter__(self) -> AsyncIterator[bytes | None]:
        while True:
            self._wanted.release()
            line = await self._ready.get()
            if isinstance(line, EOFError):
                return
            if isinstance(line, OSError):
                raise line
            yield line

    def _read(self) -> None:
        try:
            for line in self._split():
                self._wanted.acquire()
                self._tell(line)
            end: EOFError | OSError = EOFError()
        except OSError as error:
            end = error
        self._wanted.acquire()
        self._tell(end)

    def _tell(self, what: bytes | EOFError | OSError | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._ready.put_nowait, what)
        except RuntimeError:  # the loop has ended, and with it everybody who would listen
            return

    def _split(self) -> Iterator[bytes | None]:
        held, is_long = b"", False
        while piece := os.read(self._descriptor, _PIECE_BYTES):
            *whole, rest = piece.split(b"\n")
            for part in whole:
                line = held + part
                yield None if is_long or len(line) > MAX_LINE_BYTES else line
                held, is_long = b"", False
            is_long = is_long or len(held) + len(rest) > MAX_LINE_BYTES
            held = b"" if is_long else held + rest
        if held or is_long:
            yield None if is_long else held
