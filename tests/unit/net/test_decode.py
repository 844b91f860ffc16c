"""Decoders give back what was packed, in small steps, and notice what is missing."""

import contextlib
import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import BrokenReply, TooLarge
from gossamer.net.body import Body, Limits, Overflow
from gossamer.net.decode import MAX_MEMBERS, STEP, decoder_for


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


PACKERS = {"gzip": gzip.compress, "X-GZip": gzip.compress, "deflate": zlib.compress, "deflate ": raw_deflate}


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


@given(data=st.binary(min_size=1, max_size=500), cut=st.integers(1, 8))
def test_a_cut_gzip_body_is_broken(data: bytes, cut: int) -> None:
    with pytest.raises(BrokenReply):
        unpack("gzip", [gzip.compress(data)[:-cut]])


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


def test_what_follows_the_end_is_ignored() -> None:
    assert unpack("gzip", [gzip.compress(b"a") + b"\0\0trailing", b"more"]) == b"a"
    assert unpack("deflate", [zlib.compress(b"a") + b"trailing", b"more"]) == b"a"


def test_more_than_sixteen_members_are_refused() -> None:
    with pytest.raises(TooLarge):
        unpack("gzip", [gzip.compress(b" ") * (MAX_MEMBERS + 1)])


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "gzip, gzip", "deflate, gzip"])
def test_a_coding_we_did_not_ask_for_is_broken(coding: str) -> None:
    with pytest.raises(BrokenReply, match="did not ask for"):
        decoder_for(coding)


@pytest.mark.parametrize("coding", ["", "identity", " Identity , "])
def test_a_plain_body_passes_as_it_is(coding: str) -> None:
    assert unpack(coding, [b"ab", b"c"]) == b"abc"


def limits(max_bytes: int, overflow: Overflow = "cut text") -> Limits:
    return Limits(connect_s=1, silence_s=1, max_bytes=max_bytes, overflow=overflow)


def read(body: Body, *pieces: bytes) -> bytes:
    for piece in pieces:
        if not body.is_cut:
            body.add(piece)
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


def test_a_bomb_is_refused_even_when_it_calls_itself_text() -> None:
    bomb = gzip.compress(b"a" * 3_000_000)
    with pytest.raises(TooLarge, match="bomb"):
        read(Body(limits(1_000_000), coding="gzip", content_type="text/html"), bomb)


def test_an_ordinary_packed_text_over_the_limit_is_cut() -> None:
    text = b"".join(b"%d lines of text, each a little different\n" % number for number in range(20_000))
    body = Body(limits(100_000), coding="gzip", content_type="text/plain")
    assert read(body, gzip.compress(text)) == text[:100_000]


def test_bytes_on_the_wire_count_even_when_nothing_comes_out() -> None:
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    empty = packer.compress(b"") + b"".join(packer.flush(zlib.Z_FULL_FLUSH) for _ in range(5000))
    body = Body(limits(1000), coding="gzip", content_type="text/html")
    assert read(body, *cut_up(empty + b"\0\0\0\xff\xff" * 1000, 100)) == b""
    assert body.is_cut
