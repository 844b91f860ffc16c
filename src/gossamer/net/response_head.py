"""Response head, read by our own strict rules before the HTTP library sees it.

The library forgives much: bare line feeds, folded lines, bytes that were left over from the reply before. What two
readers may understand differently is an error here.
"""

import re

MAX_BYTES = 64 * 1024
MAX_LINES = 100
MAX_HINTS = 8
"""Interim replies (1xx) before the real one; 101 is a real one, since no other follows it."""

_END = b"\r\n\r\n"
_UNCLEAR = re.compile(rb"(?<!\r)\n|\r[^\n]|\0|\r\n[ \t]")
_OLD = b"HTTP/1.0 "
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: .*)?")
_LENGTH = re.compile(rb"content-length:", re.IGNORECASE)
_CODING = re.compile(rb"transfer-encoding[ \t]*:", re.IGNORECASE)


class BadHead(Exception):
    """A head that is not taken; the message completes the sentence "its head …"."""


class Head:
    """Takes the bytes of a connection until the head of the final reply is complete.

    The limits hold for all of it, interim replies included.
    """

    def __init__(self) -> None:
        self.status = 0
        """The final status; 0 as long as it has not come."""
        self.lines = 0
        """Header lines of the final reply; a repeated Content-Length, which is read as one, counts once."""
        self._lines_before = 0
        self._hints = 0
        self._bytes_before = 0
        self._data = bytearray()

    @property
    def is_complete(self) -> bool:
        """Whether what follows is the body."""
        return self.status != 0

    @property
    def is_begun(self) -> bool:
        """Whether anything came at all."""
        return bool(self._data) or self._bytes_before > 0

    def feed(self, data: bytes) -> int:
        """Take what was read; tells how many bytes of it lie behind the head."""
        seen = max(0, len(self._data) - len(_END) + 1)
        self._data += data
        while not self.is_complete:
            end = self._data.find(_END, seen)
            self._check(seen, len(self._data) if end < 0 else end + len(_END))
            if end < 0:
                return 0
            self._read(bytes(self._data[:end]))
            self._bytes_before += end + len(_END)
            del self._data[: end + len(_END)]
            seen = 0
        behind = len(self._data)
        self._data.clear()
        return behind

    def _check(self, start: int, end: int) -> None:
        if self._bytes_before + end > MAX_BYTES:
            raise BadHead(f"is larger than {MAX_BYTES // 1024} KiB")
        if _UNCLEAR.search(self._data, start, end):
            raise BadHead("has line ends or characters that no head may have")

    def _read(self, head: bytes) -> None:
        first, *lines = head.split(b"\r\n")
        status = _STATUS.fullmatch(first)
        if status is None:
            raise BadHead("does not begin with a status")
        if self._lines_before + len(lines) > MAX_LINES:
            raise BadHead(f"has more than {MAX_LINES} lines")
        if first.startswith(_OLD) and any(map(_CODING.match, lines)):
            raise BadHead("frames the reply in a way that HTTP/1.0 does not know")
        number = int(status[1])
        if 100 <= number < 200 and number != 101:
            self._hints += 1
            self._lines_before += len(lines)
            if self._hints > MAX_HINTS:
                raise BadHead(f"comes after more than {MAX_HINTS} interim replies")
            return
        lengths = sum(1 for line in lines if _LENGTH.match(line))
        self.lines = len(lines) - max(0, lengths - 1)
        self.status = number
