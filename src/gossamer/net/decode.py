"""Bounded decoders: at most 64 KiB come out per step, so that the caller can stop a bomb after the first ones."""

import re
import zlib
from collections.abc import Iterator
from typing import Protocol

from gossamer.errors import BrokenReply, TooLarge

ACCEPTED = "gzip, deflate"
STEP = 64 * 1024
MAX_MEMBERS = 16

_GZIP = 16 + zlib.MAX_WBITS
_RAW = -zlib.MAX_WBITS


class Decoder(Protocol):
    """Turns what came over the wire into what was meant."""

    @property
    def taken(self) -> int:
        """How many bytes of the wire have been used up so far."""
        ...

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` unpacks to, in steps."""
        ...

    def finish(self) -> None:
        """Raise when the end is missing."""
        ...


def decoder_for(coding: str) -> Decoder:
    """The decoder of a Content-Encoding; one coding at most, and only those we ask for."""
    names = [name for name in (part.strip().lower() for part in coding.split(",")) if name not in {"", "identity"}]
    if not names:
        return Plain()
    if names in (["gzip"], ["x-gzip"]):
        return Gzip()
    if names == ["deflate"]:
        return Deflate()
    said = f" ({names[0]})" if len(names) == 1 and re.fullmatch(r"[a-z0-9-]{1,20}", names[0]) else ""
    raise BrokenReply(f"The reply is packed in a way we did not ask for{said}.", hint="Try another address.")


class Plain:
    """Not packed at all."""

    def __init__(self) -> None:
        self.taken = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the data itself."""
        self.taken += len(data)
        yield data

    def finish(self) -> None:
        """Nothing can be missing that the framing would not have told."""


class Gzip:
    """Gzip of at most 16 members; what follows the last one is ignored, as browsers do."""

    def __init__(self) -> None:
        self._member: _Stream | None = None
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
                self._is_over = self._member is not None and data[0] != 0x1F
                if self._is_over:
                    return
                self._member = self._next_member()
            yield from self._member.feed(data)
            data = self._member.unused

    def _next_member(self) -> "_Stream":
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise TooLarge(
                f"The reply is packed in more than {MAX_MEMBERS} pieces, as bombs are.", hint="Try another address."
            )
        self._taken_before = self.taken
        return _Stream(_GZIP)

    def finish(self) -> None:
        """Raise when the last member was cut."""
        if self._member is not None and not self._member.is_over:
            raise _cut()


class Deflate:
    """Deflate, with or without the zlib wrapping that the standard asks for and many servers leave out."""

    def __init__(self) -> None:
        self._stream: _Stream | None = None
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
            self._stream = _Stream(zlib.MAX_WBITS if is_wrapped else _RAW)
        if not self._stream.is_over:
            yield from self._stream.feed(data)

    def finish(self) -> None:
        """Raise when the stream was cut."""
        if self._first and not (self._stream and self._stream.is_over):
            raise _cut()


class _Stream:
    """One zlib stream, unpacked in steps."""

    def __init__(self, wbits: int) -> None:
        self.taken = 0
        self.unused = b""
        self._inflate = zlib.decompressobj(wbits)

    @property
    def is_over(self) -> bool:
        return self._inflate.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            try:
                piece = self._inflate.decompress(data, STEP)
            except zlib.error as error:
                raise BrokenReply(
                    "The reply cannot be unpacked.", hint="The site sent damaged data; try again."
                ) from error
            left = self._inflate.unused_data if self.is_over else self._inflate.unconsumed_tail
            self.taken += len(data) - len(left)
            data = left
            yield piece
            if self.is_over or (not data and len(piece) < STEP):
                self.unused = data
                return


def _cut() -> BrokenReply:
    return BrokenReply("The packed reply ends too early.", hint="Try again; the transfer was cut.")
