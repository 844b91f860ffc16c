"""Bounded decompression of one stream of each kind, in steps of at most 64 KiB.

The libraries for brotli and zstd are loaded with the first body that needs them.
"""

import sys
import zlib
from collections.abc import Iterator
from importlib import import_module
from typing import Protocol

from gossamer.errors import BrokenReply

STEP = 64 * 1024
_SLICE = 16 * 1024
"""How much brotli and zstd, which do not say what they have used, get at once: so much is known of it."""
_ZSTD_WINDOW_LOG = 23
"""8 MiB, the most that RFC 9659 lets a server ask of us."""
_ZSTD_HEAD = 18
"""The longest head of a frame, in bytes."""
_BROTLI_STEP = 16 * 1024
"""The library gives back up to its first block, 32 KiB, for any limit below that, and far more for one above."""


class Stream(Protocol):
    """One packed stream, unpacked in steps."""

    taken: int
    unused: bytes
    """What came behind its end."""

    @property
    def is_over(self) -> bool:
        """Whether its end has come."""
        ...

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` unpacks to."""
        ...


class Zlib:
    """Gzip, zlib or bare deflate, as `wbits` says."""

    def __init__(self, wbits: int) -> None:
        self.taken = 0
        self.unused = b""
        self._inflate = zlib.decompressobj(wbits)

    @property
    def is_over(self) -> bool:
        """Whether its end has come."""
        return self._inflate.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` unpacks to."""
        while True:
            try:
                piece = self._inflate.decompress(data, STEP)
            except zlib.error as error:
                raise _damaged() from error
            left = self._inflate.unused_data if self.is_over else self._inflate.unconsumed_tail
            self.taken += len(data) - len(left)
            data = left
            yield piece
            if self.is_over or (not data and len(piece) < STEP):
                self.unused = data
                return


class Zstd:
    """One zstd frame, of a window of 8 MiB at most.

    The library judges a frame that it gets all at once by other rules than one that comes in pieces. So that it makes
    no difference how the wire cut it up, the first byte always goes ahead, and what the head promises is compared here.
    """

    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        self.taken = 0
        self.unused = b""
        self._error = zstd.ZstdError
        self._look_at = zstd.get_frame_info
        self._head = b""
        self._given = 0
        options = {int(zstd.DecompressionParameter.window_log_max): _ZSTD_WINDOW_LOG}
        self._decompressor = zstd.ZstdDecompressor(options=options)

    @property
    def is_over(self) -> bool:
        """Whether its end has come."""
        return self._decompressor.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` unpacks to."""
        if not self.taken and len(data) > 1:
            yield from self.feed(data[:1])
            data = data[1:]
        for start in range(0, len(data), _SLICE):
            piece = data[start : start + _SLICE]
            self.taken += len(piece)
            self._head += piece[: _ZSTD_HEAD - len(self._head)]
            while True:
                out = self._process(piece)
                self._given += len(out)
                yield out
                piece = b""
                if self.is_over:
                    self._check_size()
                    self.unused = self._decompressor.unused_data + data[start + _SLICE :]
                    self.taken -= len(self._decompressor.unused_data)
                    return
                if self._decompressor.needs_input:
                    break

    def _check_size(self) -> None:
        if self._look_at(self._head).decompressed_size not in {None, self._given}:
            raise _damaged()

    def _process(self, data: bytes) -> bytes:
        try:
            return self._decompressor.decompress(data, STEP)
        except self._error as error:
            raise _damaged() from error


class _Decompressor(Protocol):
    """What the brotli library, which has no types of its own, offers."""

    def process(self, data: bytes, *, output_buffer_limit: int) -> bytes: ...

    def can_accept_more_data(self) -> bool: ...

    def is_finished(self) -> bool: ...


class Brotli:
    """Brotli, of an ordinary window: the decoder takes 16 MiB at most."""

    def __init__(self) -> None:
        library = import_module("brotli")
        self.taken = 0
        self._error: type[Exception] = library.error
        self._decompressor: _Decompressor = library.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what the stream unpacks to."""
        for start in range(0, len(data), _SLICE):
            piece = data[start : start + _SLICE]
            self.taken += len(piece)
            while (out := self._process(piece)) or not self._decompressor.can_accept_more_data():
                yield out
                piece = b""
            yield b""

    def _process(self, data: bytes) -> bytes:
        try:
            return self._decompressor.process(data, output_buffer_limit=_BROTLI_STEP)
        except self._error as error:
            raise _damaged() from error

    def finish(self) -> None:
        """Raise when the stream was cut."""
        if self.taken and not self._decompressor.is_finished():
            raise cut()


def _damaged() -> BrokenReply:
    return BrokenReply("The reply cannot be unpacked.", hint="The site sent damaged data; try again.")


def cut() -> BrokenReply:
    """What a stream without its end is."""
    return BrokenReply("The packed reply ends too early.", hint="Try again; the transfer was cut.")
