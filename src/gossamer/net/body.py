"""Response body as it streams in: counted on the wire and decompressed, cut or refused at the limit."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gossamer.errors import TooLarge
from gossamer.net.content_coding import decoder_for
from gossamer.net.memory_budget import Room

Overflow = Literal["cut", "cut text", "refuse"]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""The statuses of replies that are followed, so that nobody reads their bodies."""
_BOMB_RATIO = 100
_TEXT = re.compile(
    r"text/.*|application/(?:json|xml|xhtml\+xml|javascript|ecmascript|x-javascript|x-ndjson|yaml|.*\+(?:json|xml))"
)
_UNSAID = frozenset({"", "application/octet-stream", "binary/octet-stream", "unknown/unknown"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How long and how much one exchange may take."""

    connect_s: float
    silence_s: float
    max_bytes: int
    overflow: Overflow
    min_bytes_per_s: float = 0.0
    """The average below which a body is given up after ten seconds."""
    advice: str = ""
    """What to do when a limit is met; empty: the setting that holds it is named."""
    room: Room | None = None
    """What the body shares with others that come in; None: it is bounded by itself alone."""
    until: float = math.inf
    """The loop's time at which the body must be there, so that it knows how long it can wait for room."""


class Body:
    """Takes a body piece by piece and never holds more than `max_bytes` of it.

    Over the limit a text is cut, since its beginning is worth reading, and anything else is refused; a body that
    swells to more than a hundred times what was sent is a bomb and refused whatever it calls itself.
    """

    def __init__(self, limits: Limits, *, coding: str = "", content_type: str = "") -> None:
        self._decoder = decoder_for(coding, max_between=limits.max_bytes)
        self._content_type = content_type
        self._max_bytes = limits.max_bytes
        self._overflow = limits.overflow
        self._advice = limits.advice or "Choose a smaller document, or raise net.max_bytes."
        self.wire_bytes = 0
        """What came over the wire so far, packed as it was."""
        self._data = bytearray()
        self.is_cut = False

    @property
    def held_bytes(self) -> int:
        """What lies in memory of it."""
        return len(self._data)

    def add(self, data: bytes) -> Iterator[None]:
        """Take a piece from the wire in small steps, between which others may run.

        Once `is_cut` is set, no more is wanted.
        """
        self.wire_bytes += len(data)
        for piece in self._decoder.feed(data):
            self._data += piece
            if len(self._data) > self._max_bytes:
                self._stop()
                return
            yield
        if self.wire_bytes > self._max_bytes:
            self._stop()

    def finish(self) -> bytes:
        """The whole body, or its beginning when it was cut."""
        if not self.is_cut:
            self._decoder.finish()
        return bytes(self._data)

    def drop(self) -> None:
        """Let go of what was held: an error on its way up keeps everything alive that it passed through."""
        self._data = bytearray()

    def _stop(self) -> None:
        size = f"{self._max_bytes / 2**20:.3g} MiB"
        if len(self._data) > _BOMB_RATIO * self._decoder.taken:
            raise TooLarge(f"The reply unpacks to over {size} from next to nothing.", hint="It is a bomb; leave it.")
        if self._overflow == "refuse" or (self._overflow == "cut text" and not self._is_text()):
            raise TooLarge(f"The reply is larger than {size}.", hint=self._advice)
        del self._data[self._max_bytes :]
        self.is_cut = True

    def _is_text(self) -> bool:
        if self._content_type in _UNSAID:
            return b"\0" not in self._data[:1024]
        return _TEXT.fullmatch(self._content_type) is not None
