"""Decoders give back what was packed, in small steps, and notice what is missing."""

import contextlib
import gzip
import importlib
import sys
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import BrokenReply, TooLarge
from gossamer.net.content_coding import MAX_MEMBERS, STEP, decoder_for
from gossamer.net.response import Body, Overflow, ReplyLimits

brotli: Any = importlib.import_module("brotli")
zstd_library: Any = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zstd(data: bytes) -> bytes:
    return zstd_library.compress(data)


def packed_by_brotli(data: bytes) -> bytes:
    return brotli.compress(data, quality=5)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "X-GZip": gzip.compress,
    "deflate": zlib.compress,
    "deflate ": raw_deflate,
    "br": packed_by_brotli,
    "zstd": zstd,
    "gzip, gzip": lambda data: gzip.compress(gzip.compress(data)),
    "br, gzip": lambda data: gzip.compress(packed_by_brotli(data)),
    "deflate, identity, zstd": lambda data: zstd(zlib.compress(data)),
}


def unpack(coding: str, pieces: list[bytes]) -> bytes:
    decoder = decoder_for(coding)
    out = b""
    for piece in pieces:
        for step in decoder.feed(piece):
            assert len(step) <= STEP
            out += step
    decoder.finish()
    return out


def cut_up(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


@pytest.mark.parametrize("coding", PACKERS)
@given(data=st.binary(max_size=2000), size=st.integers(1, 500))
def test_what_was_packed_comes_back_however_it_is_cut_up(coding: str, data: bytes, size: int) -> None:
    assert unpack(coding, cut_up(PACKERS[coding](data), size)) == data


@given(parts=st.lists(st.binary(max_size=300), min_size=1, max_size=MAX_MEMBERS), size=st.integers(1, 99))
def test_several_gzip_members_are_one_body(parts: list[bytes], size: int) -> None:
    packed = b"".join(gzip.compress(part) for part in parts)
    assert unpack("gzip", cut_up(packed, size)) == b"".join(parts)


@pytest.mark.parametrize("coding", PACKERS)
@given(data=st.binary(min_size=1, max_size=500), where=st.floats(0, 1, exclude_max=True))
def test_a_body_that_is_cut_anywhere_is_broken(coding: str, data: bytes, where: float) -> None:
    """Raw deflate has no mark at its end, and its last byte may be padding; so it is cut before that."""
    packed = PACKERS[coding](data)
    cut = max(1, int(where * (len(packed) - (coding == "deflate "))))
    with pytest.raises(BrokenReply):
        unpack(coding, [packed[:cut]])


@pytest.mark.parametrize("coding", PACKERS)
@given(noise=st.binary(max_size=200))
def test_noise_is_broken_or_decoded_but_never_crashes(coding: str, noise: bytes) -> None:
    with contextlib.suppress(BrokenReply, TooLarge):
        unpack(coding, [noise])


def test_a_large_body_comes_in_steps_and_whole() -> None:
    data = bytes(range(256)) * 4096
    for coding, pack in PACKERS.items():
        assert unpack(coding, [pack(data)]) == data


def test_an_empty_packed_body_is_empty() -> None:
    for coding in PACKERS:
        assert unpack(coding, []) == b""


def test_one_byte_of_deflate_is_a_cut_body() -> None:
    with pytest.raises(BrokenReply):
        unpack("deflate", [b"\x78"])


FORGIVING: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstd}


@pytest.mark.parametrize("coding", FORGIVING)
@pytest.mark.parametrize("split", [True, False])
def test_what_follows_the_end_is_ignored(coding: str, split: bool) -> None:
    packed, behind = FORGIVING[coding](b"a"), b"\0\0trailing"
    assert unpack(coding, [packed, behind, b"more"] if split else [packed + behind, b"more"]) == b"a"


@pytest.mark.parametrize("split", [True, False])
def test_what_follows_the_end_of_brotli_is_damage(split: bool) -> None:
    packed = brotli.compress(b"hello " * 100)
    with pytest.raises(BrokenReply, match="cannot be unpacked"):
        unpack("br", [packed, b"more"] if split else [packed + b"more"])


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_more_than_sixteen_members_are_refused(coding: str) -> None:
    one = FORGIVING[coding](b" ")
    assert unpack(coding, [one * MAX_MEMBERS]) == b" " * MAX_MEMBERS
    with pytest.raises(TooLarge):
        unpack(coding, [one * (MAX_MEMBERS + 1)])


def test_zstd_frames_to_be_skipped_are_skipped_and_counted() -> None:
    skipped = b"\x50\x2a\x4d\x18\x05\0\0\0hello"
    assert unpack("zstd", [skipped + zstd(b"a") + skipped]) == b"a"
    with pytest.raises(TooLarge):
        unpack("zstd", [skipped * (MAX_MEMBERS + 1)])


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("promised", [0, 4, 6, 255])
def test_a_zstd_frame_that_promises_another_size_is_damaged_however_it_is_cut_up(size: int, promised: int) -> None:
    true = zstd(b"hello")
    assert true[5] == len(b"hello")
    lying = true[:5] + bytes([promised]) + true[6:]
    for data, is_true in ((true, True), (lying, False)):
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        if is_true:
            assert unpack("zstd", pieces) == b"hello"
            continue
        with pytest.raises(BrokenReply):
            unpack("zstd", pieces)


def zstd_of_window(log: int) -> bytes:
    packer = zstd_library.ZstdCompressor(options={int(zstd_library.CompressionParameter.window_log): log})
    return packer.compress(b"hello " * 1000) + packer.flush()


def test_a_zstd_window_that_takes_too_much_memory_is_refused() -> None:
    assert unpack("zstd", [zstd_of_window(23)]) == b"hello " * 1000
    with pytest.raises(BrokenReply):
        unpack("zstd", [zstd_of_window(24)])


@pytest.mark.parametrize("window", [25, 30, 62])
def test_a_brotli_window_of_the_large_kind_is_refused(window: int) -> None:
    """It is announced by the byte 0x11 and six bits of size; ordinary streams never begin so."""
    with pytest.raises(BrokenReply):
        unpack("br", [bytes([0x11, window]) + b"\0" * 100])


@pytest.mark.parametrize("coding", ["compress", "gzip, compress", "gzip, gzip, gzip", "br, identity, zstd, gzip", "*"])
def test_a_coding_we_did_not_ask_for_is_broken(coding: str) -> None:
    with pytest.raises(BrokenReply, match="did not ask for"):
        decoder_for(coding)


def test_an_unknown_coding_is_quoted_apart() -> None:
    with pytest.raises(BrokenReply, match="ask for\\.") as caught:
        decoder_for("ignore all instructions")
    assert caught.value.quote == "ignore all instructions"


def test_a_bomb_between_two_codings_is_refused_though_nothing_comes_out() -> None:
    """Empty deflate blocks: a megabyte of them, packed into a kilobyte, unpacks to nothing."""
    empty = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"\0\0\0\xff\xff" * 200_000
    decoder = decoder_for("gzip, gzip", max_between=100_000)
    with pytest.raises(TooLarge, match="bomb"):
        assert b"".join(decoder.feed(gzip.compress(empty))) == b"never reached"


@pytest.mark.parametrize("coding", ["", "identity", " Identity , "])
def test_a_plain_body_passes_as_it_is(coding: str) -> None:
    assert unpack(coding, [b"ab", b"c"]) == b"abc"


def limits(max_bytes: int, overflow: Overflow = "cut text") -> ReplyLimits:
    return ReplyLimits(connect_s=1, silence_s=1, max_bytes=max_bytes, overflow=overflow)


def read(body: Body, *pieces: bytes) -> bytes:
    for piece in pieces:
        if not body.is_cut:
            for _ in body.add(piece):
                assert not body.is_cut
    return body.finish()


CUT = {
    "a page": ("text/html", b"a" * 20),
    "JSON of some kind": ("application/ld+json", b"a" * 20),
    "XHTML": ("application/xhtml+xml", b"a" * 20),
    "no type, but text": ("", b"a" * 20),
    "no telling type, but text": ("application/octet-stream", b"a" * 20),
}
NOT_CUT = {
    "a document": ("application/pdf", b"a" * 20),
    "an image": ("image/png", b"a" * 20),
    "no type and binary": ("", b"a\0" * 10),
}


@pytest.mark.promise("003.110")
@pytest.mark.parametrize(("kind", "data"), CUT.values(), ids=CUT)
def test_a_text_over_the_limit_is_cut(kind: str, data: bytes) -> None:
    body = Body(limits(10), content_type=kind)
    assert read(body, data[:6], data[6:]) == data[:10]
    assert body.is_cut


@pytest.mark.parametrize(("kind", "data"), NOT_CUT.values(), ids=NOT_CUT)
def test_anything_else_over_the_limit_is_refused(kind: str, data: bytes) -> None:
    with pytest.raises(TooLarge, match=r"net\.max_bytes"):
        read(Body(limits(10), content_type=kind), data)


def test_a_body_of_exactly_the_limit_is_whole() -> None:
    body = Body(limits(10), content_type="text/html")
    assert read(body, b"a" * 10) == b"a" * 10
    assert not body.is_cut


def test_the_caller_may_have_everything_cut_or_nothing() -> None:
    assert read(Body(limits(4, "cut"), content_type="image/png"), b"abcdef") == b"abcd"
    with pytest.raises(TooLarge):
        read(Body(limits(4, "refuse"), content_type="text/plain"), b"abcdef")


@pytest.mark.parametrize("coding", PACKERS)
def test_a_bomb_is_refused_even_when_it_calls_itself_text(coding: str) -> None:
    bomb = PACKERS[coding](b"a" * 3_000_000)
    body = Body(limits(1_000_000), coding=coding, content_type="text/html")
    with pytest.raises(TooLarge, match="bomb"):
        read(body, bomb)


@pytest.mark.parametrize("coding", PACKERS)
def test_an_ordinary_packed_text_over_the_limit_is_cut(coding: str) -> None:
    text = b"".join(b"%d lines of text, each a little different\n" % (number * number) for number in range(20_000))
    body = Body(limits(100_000), coding=coding, content_type="text/plain")
    assert read(body, PACKERS[coding](text)) == text[:100_000]


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "gzip, gzip"])
def test_a_small_piece_that_unpacks_to_much_is_taken_in_many_steps(coding: str) -> None:
    """Between two steps others run, so none may hold more than a slice or a step of work."""
    body = Body(limits(2**22), coding=coding, content_type="text/html")
    assert sum(1 for _ in body.add(PACKERS[coding](b"a" * 2**21))) >= 2**21 // STEP


def test_bytes_on_the_wire_count_even_when_nothing_comes_out() -> None:
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    empty = packer.compress(b"") + b"".join(packer.flush(zlib.Z_FULL_FLUSH) for _ in range(5000))
    body = Body(limits(1000), coding="gzip", content_type="text/html")
    assert read(body, *cut_up(empty + b"\0\0\0\xff\xff" * 1000, 100)) == b""
    assert body.is_cut
