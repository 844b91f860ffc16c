"""Lines come out as they went in, however they were cut, and none is longer than it may be."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import JSONRPCNotification, JSONRPCRequest

from gossamer.server.stdio.lines import LONGEST_BYTES, Lines, TooLong, read_line, unreadable

pieces = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc", b" ", b"\xc3", b"\xa9", b"0123456789"]), max_size=30)


def drained(lines: Lines) -> list[bytes]:
    found: list[bytes] = []
    while line := lines.next():
        found.append(line)
    return found


@given(pieces)
def test_where_the_bytes_are_cut_makes_no_difference(chunks: list[bytes]) -> None:
    lines = Lines()
    found: list[bytes] = []
    for chunk in chunks:
        lines.feed(chunk)
        found += drained(lines)
    whole = b"".join(chunks)
    *complete, _ = whole.split(b"\n")
    assert found == [line for line in complete if line.strip()]


@given(pieces, st.integers(1, 12))
def test_a_line_that_is_too_long_is_told_apart_and_costs_nobody_else(chunks: list[bytes], longest: int) -> None:
    lines = Lines(longest)
    for chunk in chunks:
        lines.feed(chunk)
    *complete, _ = b"".join(chunks).split(b"\n")
    for line, wanted in zip(drained(lines), [line for line in complete if line.strip()], strict=True):
        assert len(line) > longest or line == wanted
        assert line == wanted or isinstance(line, TooLong)
        assert len(wanted) <= longest or len(line) > longest


def test_only_the_two_ends_of_a_long_line_are_kept() -> None:
    lines = Lines(10_000)
    lines.feed(b"head" + b"x" * 20_000)
    for _ in range(100):
        lines.feed(b"y" * 1_000)
    lines.feed(b'"tail"\nnext\n')
    first, second = drained(lines)
    assert isinstance(first, TooLong)
    assert first.startswith(b"headx")
    assert first.endswith(b'y"tail"')
    assert len(first) == 1024
    assert second == b"next"


def test_plenty_is_told() -> None:
    lines = Lines()
    lines.feed(b"x" * 600_000 + b"\n")
    assert not lines.is_plenty
    lines.feed(b"x" * 600_000 + b"\n")
    assert lines.is_plenty
    drained(lines)
    assert not lines.is_plenty


READABLE = {
    "a request": ('{"jsonrpc":"2.0","id":1,"method":"ping"}', JSONRPCRequest),
    "a notification": ('{"jsonrpc":"2.0","method":"x","params":{}}', JSONRPCNotification),
    "half a character": ('{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":"\\udc00"}}', JSONRPCRequest),
}


@pytest.mark.parametrize(("line", "kind"), READABLE.values(), ids=READABLE)
def test_a_message_is_read(line: str, kind: type) -> None:
    read = read_line(line.encode())
    assert read
    assert isinstance(read.message, kind)


UNREADABLE = {
    "no JSON": (b"nope", -32700, None),
    "a batch": (b'[{"jsonrpc":"2.0","id":4,"method":"ping"}]', -32700, 4),
    "broken characters": (b'{"jsonrpc":"2.0","id":"a-1","method":"\xff"}', -32700, "a-1"),
    "no method, its id at the far end": (b'{"jsonrpc":"2.0",' + b'"x":1,' * 200 + b'"id":7}', -32700, 7),
    "too long": (TooLong(b'{"jsonrpc":"2.0","id":5,"method":"tools/call"'), -32600, 5),
}


@pytest.mark.parametrize(("line", "code", "number"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_answered_with_its_id_where_one_is_seen(line: bytes, code: int, number: object) -> None:
    assert read_line(line) is None
    reply = unreadable(line)
    assert reply.endswith(b"\n")
    told = json.loads(reply)
    assert (told["jsonrpc"], told["id"], told["error"]["code"]) == ("2.0", number, code)


def test_the_longest_message_is_told_in_bytes() -> None:
    assert str(LONGEST_BYTES) in unreadable(TooLong(b"")).decode()
