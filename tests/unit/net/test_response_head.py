"""The head of a reply is taken whole or not at all, however it is cut up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.net.response import MAX_HEAD_BYTES, MAX_HEAD_LINES, MAX_HINTS, BadHead, Head

HINT = b"HTTP/1.1 103 Early\r\nLink: </a.css>\r\n\r\n"


def read(data: bytes, size: int = 2**20) -> tuple[Head, int]:
    """A head fed in pieces of `size`, and how many bytes of all lie behind it."""
    head = Head()
    for start in range(0, len(data), size):
        behind = head.feed(data[start : start + size])
        if head.is_complete:
            return head, behind + len(data[start + size :])
    return head, 0


GOOD = {
    "a plain one": (b"HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\n", 200, 2),
    "an old one": (b"HTTP/1.0 404 Not found\r\nA: 1\r\n\r\n", 404, 1),
    "without a reason": (b"HTTP/1.1 200\r\nA: 1\r\n\r\n", 200, 1),
    "without any header": (b"HTTP/1.1 204 X\r\n\r\n", 204, 0),
    "a reason in Latin": (b"HTTP/1.1 200 tr\xe8s bien\r\nA: caf\xe9\r\n\r\n", 200, 1),
    "after hints": (HINT * MAX_HINTS + b"HTTP/1.1 200 OK\r\nA: 1\r\n\r\n", 200, 1),
    "another protocol": (b"HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n", 101, 1),
    "the same length twice": (b"HTTP/1.1 200 X\r\nContent-Length: 5\r\ncontent-length: 5\r\n\r\n", 200, 1),
    "as many lines as may be": (b"HTTP/1.1 200 X\r\n" + b"A: 1\r\n" * MAX_HEAD_LINES + b"\r\n", 200, MAX_HEAD_LINES),
}


@pytest.mark.parametrize(("data", "status", "lines"), GOOD.values(), ids=GOOD)
@given(size=st.integers(1, 80), body=st.binary(max_size=20))
def test_a_proper_head_is_read_however_it_is_cut_up(
    data: bytes, status: int, lines: int, size: int, body: bytes
) -> None:
    head, behind = read(data + body, size)
    assert (head.status, head.lines, behind) == (status, lines, len(body))
    assert head.is_begun


BAD = {
    "bare line feeds": b"HTTP/1.1 200 X\nA: 1\n\n",
    "one bare line feed": b"HTTP/1.1 200 X\r\nA: 1\nB: 2\r\n\r\n",
    "a bare carriage return": b"HTTP/1.1 200 X\r\nA: 1\rB: 2\r\n\r\n",
    "a carriage return too many": b"HTTP/1.1 200 X\r\r\nA: 1\r\n\r\n",
    "a folded line": b"HTTP/1.1 200 X\r\nA: 1\r\n 2\r\n\r\n",
    "a line folded with a tab": b"HTTP/1.1 200 X\r\nA: 1\r\n\t2\r\n\r\n",
    "a NUL": b"HTTP/1.1 200 X\r\nA: \0\r\n\r\n",
    "chunks in the old version": b"HTTP/1.0 200 X\r\nTransfer-Encoding: chunked\r\n\r\n",
    "chunks in the old version, spelt oddly": b"HTTP/1.0 200\r\nA: 1\r\ntransfer-ENCODING :\tchunked\r\n\r\n",
    "no status": b"<html>\r\n\r\n",
    "an empty line first": b"\r\nHTTP/1.1 200 X\r\n\r\n",
    "a status of two digits": b"HTTP/1.1 20 X\r\n\r\n",
    "a status of four digits": b"HTTP/1.1 2000 X\r\n\r\n",
    "a status in other digits": "HTTP/1.1 ２００ X\r\n\r\n".encode(),
    "status zero": b"HTTP/1.1 000 X\r\n\r\n",
    "another version": b"HTTP/2.0 200 X\r\n\r\n",
    "a hint too many": HINT * (MAX_HINTS + 1),
    "a line too many": b"HTTP/1.1 200 X\r\n" + b"A: 1\r\n" * (MAX_HEAD_LINES + 1) + b"\r\n",
    "lines too many in hints": (b"HTTP/1.1 103 X\r\n" + b"A: 1\r\n" * 60 + b"\r\n") * 2,
    "a byte too many": b"HTTP/1.1 200 X\r\nA: " + b"a" * (MAX_HEAD_BYTES - 22) + b"\r\n\r\n",
    "a line without end": b"HTTP/1.1 200 X\r\nA: " + b"a" * MAX_HEAD_BYTES,
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
@pytest.mark.parametrize("size", [1, 7, 4096, 2**20])
def test_an_unclear_or_endless_head_is_refused_however_it_is_cut_up(data: bytes, size: int) -> None:
    with pytest.raises(BadHead):
        read(data, size)


def test_a_head_of_exactly_the_limit_is_taken() -> None:
    data = b"HTTP/1.1 200 X\r\nA: " + b"a" * (MAX_HEAD_BYTES - 23) + b"\r\n\r\n"
    assert len(data) == MAX_HEAD_BYTES
    assert read(data)[0].status == 200


@given(noise=st.binary(max_size=300), size=st.integers(1, 50))
def test_noise_is_refused_or_waited_for(noise: bytes, size: int) -> None:
    try:
        head, _ = read(noise, size)
    except BadHead:
        return
    assert not head.is_complete or (noise.startswith((b"HTTP/1.0 ", b"HTTP/1.1 ")) and b"\r\n\r\n" in noise)
