"""Bounded content decoders: at most 64 KiB come out per step, so that the caller can stop a bomb early.

A body that ends too early is an error in every coding. What follows the end is ignored after gzip, deflate and zstd,
as browsers do; brotli has no mark by which its end could be told from damage, so there it is an error. The
libraries for brotli and zstd are loaded with the first body that needs them.
"""

import sys
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Protocol

from gossamer.errors import BrokenReply, TooLarge

ACCEPTED = "gzip, deflate, br, zstd"
MAX_MEMBERS = 16
MAX_CODINGS = 2

_GZIP = 16 + zlib.MAX_WBITS
_RAW = -zlib.MAX_WBITS
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
            raise _cut()


def _damaged() -> BrokenReply:
    return BrokenReply("The reply cannot be unpacked.", hint="The site sent damaged data; try again.")


def _cut() -> BrokenReply:
    """What a stream without its end is."""
    return BrokenReply("The packed reply ends too early.", hint="Try again; the transfer was cut.")


class Decoder(Protocol):
    """Turns what came over the wire into what was meant."""

    @property
    def taken(self) -> int:
        """How many bytes of the wire have been used up so far, give or take one slice."""
        ...

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` unpacks to, in steps; a step may be empty."""
        ...

    def finish(self) -> None:
        """Raise when the end is missing."""
        ...


def decoder_for(coding: str, *, max_between: int = 2**24) -> Decoder:
    """The decoder of a Content-Encoding: two codings at most, and only those we ask for.

    `max_between` bounds what lies between two codings, which nobody sees and which may be a bomb of its own.
    """
    names = [name for name in (part.strip().lower() for part in coding.split(",")) if name not in {"", "identity"}]
    unknown = [name for name in names if name not in _DECODERS]
    if unknown or len(names) > MAX_CODINGS:
        refused = BrokenReply("The reply is packed in a way we did not ask for.", hint="Try another address.")
        raise refused.quoting(coding)
    decoders = [_DECODERS[name]() for name in reversed(names)]
    if not decoders:
        return Plain()
    return decoders[0] if len(decoders) == 1 else Stacked(decoders[0], decoders[1], max_between)


class Plain:
    """Not packed at all."""

    def __init__(self) -> None:
        self.taken = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the data itself."""
        self.taken += len(data)
        yield data

    def finish(self) -> None:
        """Nothing can be missing that the framing would not have shown."""


class Stacked:
    """One coding inside another."""

    def __init__(self, outer: Decoder, inner: Decoder, max_between: int) -> None:
        self._outer = outer
        self._inner = inner
        self._left = max_between

    @property
    def taken(self) -> int:
        """What the outer one used."""
        return self._outer.taken

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what comes out of both."""
        for between in self._outer.feed(data):
            self._left -= len(between)
            if self._left < 0:
                raise TooLarge("The reply unpacks to far more than a page.", hint="It is a bomb; leave it.")
            yield b""
            yield from self._inner.feed(between)

    def finish(self) -> None:
        """Raise when either was cut."""
        self._outer.finish()
        self._inner.finish()


class Members:
    """A body of up to 16 members or frames, one after the other; `begins` tells a next one by its first byte."""

    def __init__(self, start: Callable[[], Stream], begins: Callable[[int], bool]) -> None:
        self._start = start
        self._begins = begins
        self._member: Stream | None = None
        self._members = 0
        self._taken_before = 0
        self._is_over = False

    @property
    def taken(self) -> int:
        """All members together."""
        return self._taken_before + (self._member.taken if self._member else 0)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what the members unpack to."""
        while data and not self._is_over:
            if self._member is None or self._member.is_over:
                self._is_over = self._member is not None and not self._begins(data[0])
                if self._is_over:
                    return
                self._member = self._next_member()
            yield from self._member.feed(data)
            data = self._member.unused

    def _next_member(self) -> Stream:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise TooLarge(
                f"The reply is packed in more than {MAX_MEMBERS} pieces, as bombs are.", hint="Try another address."
            )
        self._taken_before = self.taken
        return self._start()

    def finish(self) -> None:
        """Raise when the last member was cut."""
        if self._member is not None and not self._member.is_over:
            raise _cut()


class Deflate:
    """Deflate, with or without the zlib wrapping that the standard asks for and many servers leave out."""

    def __init__(self) -> None:
        self._stream: Zlib | None = None
        self._first = b""

    @property
    def taken(self) -> int:
        """What the stream used."""
        return self._stream.taken if self._stream else 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what the stream unpacks to; its first two bytes tell the wrapping."""
        if self._stream is None:
            self._first = data = self._first + data
            if len(data) < 2:
                return
            is_wrapped = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._stream = Zlib(zlib.MAX_WBITS if is_wrapped else _RAW)
        if not self._stream.is_over:
            yield from self._stream.feed(data)

    def finish(self) -> None:
        """Raise when the stream was cut."""
        if self._first and not (self._stream and self._stream.is_over):
            raise _cut()


def _gzip() -> Decoder:
    return Members(lambda: Zlib(_GZIP), lambda byte: byte == 0x1F)


def _zstd() -> Decoder:
    return Members(Zstd, lambda byte: byte == 0x28 or 0x50 <= byte <= 0x5F)


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": _zstd,
}
