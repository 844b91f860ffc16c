"""Noise and damaged truth for all that reads foreign bytes at the door: they are read, or an error of ours."""

import asyncio
import gzip
import importlib
import sys
import zlib
from collections.abc import Callable
from typing import Any

import httpcore2
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gossamer.errors import BrokenReply, GossamerError, TooLarge
from gossamer.extractors.charset import decode, known
from gossamer.model.http import HttpReply
from gossamer.net.content_coding import STEP, decoder_for
from gossamer.net.exchange import Wire
from gossamer.net.guard import Target
from gossamer.net.pinned_backend import Judged, PinnedBackend, dial_as_told
from gossamer.net.response import BadHead, Body, Head, ReplyLimits
from tests.patience import in_proportion

brotli: Any = importlib.import_module("brotli")
zstd: Any = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

BOUNDED = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FEWER = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TRUSTED = httpcore2.default_ssl_context()
MAX_BYTES = 200_000
LIMITS = ReplyLimits(connect_s=2, silence_s=2, max_bytes=MAX_BYTES, overflow="cut text")


# --- decoders ---


def gzipped(data: bytes) -> bytes:
    """Without the time in its head, so that the same text is packed the same."""
    return gzip.compress(data, mtime=0)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzipped,
    "deflate": zlib.compress,
    "deflate ": raw_deflate,
    "br": lambda data: brotli.compress(data, quality=3),
    "zstd": zstd.compress,
    "br, zstd": lambda data: zstd.compress(brotli.compress(data, quality=3)),
    "gzip, gzip": lambda data: gzipped(gzipped(data)),
}


@st.composite
def damaged(draw: st.DrawFn, true: bytes) -> bytes:
    """True bytes with a few places changed, cut out, doubled or put in."""
    data = bytearray(true)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        upto = min(len(data), at + draw(st.integers(0, 8)))
        data[at:upto] = draw(st.one_of(st.binary(max_size=8), st.just(bytes(data[at:upto] * 2))))
    return bytes(data)


def unpack(coding: str, data: bytes, size: int) -> bytes:
    """A body taken in pieces, or an error of ours; it never holds more than it may."""
    body = Body(LIMITS, coding=coding, content_type="text/html")
    for start in range(0, len(data), size):
        if body.is_cut:
            break
        for _ in body.add(data[start : start + size]):
            pass
    got = body.finish()
    assert len(got) <= MAX_BYTES
    return got


@pytest.mark.parametrize("coding", PACKERS)
@BOUNDED
@given(data=st.data(), text=st.binary(max_size=400), times=st.integers(1, 50), size=st.integers(1, 300))
def test_a_damaged_body_is_unpacked_or_an_error(
    coding: str, data: st.DataObject, text: bytes, times: int, size: int
) -> None:
    """However it is cut up, it ends the same way."""
    bad = data.draw(damaged(PACKERS[coding](text * times)))
    ends: list[object] = []
    for pieces_of in (size, len(bad) + 1):
        try:
            ends.append(unpack(coding, bad, pieces_of))
        except (BrokenReply, TooLarge) as error:
            ends.append((type(error), bool(error.hint)))
    assert ends[0] == ends[1] != (BrokenReply, False)


@pytest.mark.parametrize("coding", PACKERS)
@BOUNDED
@given(noise=st.binary(max_size=600))
def test_no_step_of_a_decoder_is_larger_than_promised(coding: str, noise: bytes) -> None:
    decoder = decoder_for(coding)
    try:
        assert all(len(step) <= STEP for step in decoder.feed(noise))
        assert decoder.taken <= len(noise)
        decoder.finish()
    except (BrokenReply, TooLarge):
        pass


@BOUNDED
@given(
    coding=st.one_of(
        st.text(max_size=60), st.lists(st.sampled_from(["gzip", "br", "zstd", "x", "", "\0"])).map(",".join)
    )
)
def test_any_name_of_a_coding_is_known_or_an_error(coding: str) -> None:
    said = ""
    try:
        decoder_for(coding)
    except BrokenReply as error:
        said = str(error)
    assert said.isprintable()
    assert len(said) < 120


# --- heads, framing, statuses ---

NAMES = st.sampled_from(
    ["Content-Length", "content-length", "Transfer-Encoding", "Content-Encoding", "Content-Type", "Connection", "X-A"]
)
VALUES = st.one_of(
    st.sampled_from(
        ["5", "0", "-1", "5, 5", "5, 6", "chunked", "gzip", "identity", "close", "text/html", "é", " ", ""]
    ),
    st.text(st.characters(max_codepoint=255), max_size=20),
)
ENDS = st.sampled_from(["\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\n ", "\0"])
STATUSES = st.one_of(
    st.sampled_from(["200 OK", "204 X", "304 X", "103 X", "101 X", "999 X", "000 X", "20 X"]), st.text(max_size=5)
)
BODIES = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from([b"5\r\nhello\r\n", b"0\r\n\r\n", b"5;x\r\n", b"hello", b"\r\n", b"ffffffff\r\n", b"-1\r\n"])
    ).map(b"".join),
)


@st.composite
def replies(draw: st.DrawFn) -> bytes:
    """Replies that are nearly right."""
    parts: list[bytes] = []
    for _ in range(draw(st.integers(1, 2))):
        text = f"{draw(st.sampled_from(['HTTP/1.1', 'HTTP/1.0', 'HTTP/2']))} {draw(STATUSES)}{draw(ENDS)}"
        for name, value in draw(st.lists(st.tuples(NAMES, VALUES), max_size=5)):
            text += f"{name}: {value}{draw(ENDS)}"
        parts += [text.encode("utf-8", "surrogatepass"), draw(ENDS).encode(), draw(BODIES)]
    return b"".join(parts)


@BOUNDED
@given(reply=replies(), size=st.integers(1, 60))
def test_a_head_is_read_the_same_however_it_is_cut_up(reply: bytes, size: int) -> None:
    assert _head(reply, size) == _head(reply, len(reply))


def _head(data: bytes, size: int) -> object:
    head = Head()
    for start in range(0, len(data), size):
        try:
            behind = head.feed(data[start : start + size])
        except BadHead:
            return BadHead
        if head.is_complete:
            return head.status, head.lines, behind + max(0, len(data) - start - size)
    return None


@pytest.mark.parametrize("size", [7, 2**16])
@FEWER
@example(reply=b"HTTP/1.1 200 X\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 X\r\nContent-Length: 8\r\n\r\nSMUGGLED")
@given(reply=replies())
def test_any_reply_is_read_or_an_error_of_ours(size: int, reply: bytes) -> None:
    """Twice over one kept connection: the second reply is the first bytes of the answer to the second request."""
    answers = asyncio.run(_exchange_twice(reply, size))
    assert all(isinstance(answer, HttpReply | GossamerError) for answer in answers)
    for answer in answers:
        if isinstance(answer, HttpReply):
            assert 200 <= answer.status <= 599
            assert b"SMUGGLED" not in answer.body


async def _exchange_twice(reply: bytes, size: int) -> list[object]:
    wire = Wire(_Backend(_here, reply, size), TRUSTED)
    target = Target(scheme="http", host="site.example", port=80, path="/")
    answers: list[object] = []
    for _ in range(2):
        try:
            answers.append(await wire.exchange(target, {"host": "site.example"}, LIMITS))
        except GossamerError as error:
            answers.append(error)
    await wire.close()
    return answers


async def _here(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


class _Backend(PinnedBackend):
    """A far end that answers every request with the same bytes and then hangs up."""

    def __init__(self, judged: Judged, reply: bytes, size: int) -> None:
        super().__init__(judged, dial_as_told)
        self._inner = _Far(reply, size)


class _Far(httpcore2.AsyncNetworkBackend):
    def __init__(self, reply: bytes, size: int) -> None:
        self._reply = reply
        self._size = size

    async def connect_tcp(self, *_: Any, **__: Any) -> httpcore2.AsyncNetworkStream:
        return _Stream(self._reply, self._size)


class _Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, reply: bytes, size: int) -> None:
        self._reply = reply
        self._size = size
        self._left = b""
        self._requests = 0

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - the library's
        self._requests += b"\r\n\r\n" in buffer
        self._left += self._reply

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - the library's
        size = min(max_bytes, self._size)
        piece, self._left = self._left[:size], self._left[size:]
        return piece

    async def aclose(self) -> None:
        self._left = b""

    def get_extra_info(self, info: str) -> Any:
        return None


# --- charsets ---

LABELS = st.one_of(
    st.text(max_size=50),
    st.sampled_from(
        ["utf-8", "utf-7", "utf-16", "gb2312", "shift_jis", "iso-2022-jp", "hz", "base64", "rot13", "zip", "idna"]
    ),
)
TEXTS = st.one_of(
    st.binary(max_size=2000),
    st.text(max_size=400).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.text(st.characters(max_codepoint=0x9FFF), max_size=200).map(lambda text: text.encode("gb18030", "replace")),
    st.text(max_size=200).map(lambda text: text.encode("utf-16", "surrogatepass")),
    st.binary(max_size=300).map(lambda noise: b"<meta charset=" + noise + b">" + noise),
)


@BOUNDED
@given(body=TEXTS, label=LABELS, is_html=st.booleans())
@example(body=b"\xff\xfe\x00\xd8", label="", is_html=True)
@example(body=b"+ADw-script+AD4-", label="utf-7", is_html=True)
def test_any_bytes_become_text_that_can_be_written(body: bytes, label: str, is_html: bool) -> None:
    text = decode(body, label=label, is_html=is_html)
    text.encode("utf-8")
    assert "<script" not in text or b"script" in body.replace(b"\0", b"")


@BOUNDED
@given(label=LABELS)
def test_any_label_names_a_charset_of_text_or_none(label: str) -> None:
    name = known(label)
    assert not name or isinstance(b"a\0".decode(name, "replace"), str)


@FEWER
@given(text=st.text(max_size=300), label=LABELS)
def test_valid_utf_8_is_read_as_such_whatever_a_label_of_one_byte_says(text: str, label: str) -> None:
    if known(label).startswith(("utf", "iso2022", "hz")) or text.startswith(("\ufeff", "\ufffe")):
        return
    if any("\x80" <= character <= "\x9f" for character in text):
        return  # UTF-8 that was written twice holds such; it is undone, and tested elsewhere
    assert decode(text.encode(), label=label) == text


SLOW_BYTES = {
    "tags that never close": b"<meta " * 40_000,
    "labels without end": b"<meta charset=" + b"a" * 256_000,
    "bytes of no charset": bytes(range(128, 256)) * 2_000,
    "escapes of a stateful charset": b"\x1b$B" * 80_000,
}


@pytest.mark.parametrize("body", SLOW_BYTES.values(), ids=SLOW_BYTES)
def test_a_charset_is_found_in_bounded_time(body: bytes) -> None:
    """Ten seconds are the promise for a page; a quarter of a megabyte of the worst must stay far below."""
    with in_proportion():
        decode(body, is_html=True)
