"""Lines come out as they went in, however they were cut, and none is longer than it may be."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest

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
    "an answer that names no request": ('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}', JSONRPCError),
    "an id far inside of a notification": ('{"jsonrpc":"2.0","method":"x","params":{"id":null}}', JSONRPCNotification),
    "half a character": ('{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":"\\udc00"}}', JSONRPCRequest),
}


@pytest.mark.parametrize(("line", "kind"), READABLE.values(), ids=READABLE)
def test_a_message_is_read(line: str, kind: type) -> None:
    read = read_line(line.encode())
    assert read
    assert isinstance(read.message, kind)


UNREADABLE = {
    "no JSON": (b"nope", -32700, None),
    "an id that is none": (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600, None),
    "an id with a fraction": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
    "an id that is a truth": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
    "an id that is a table": (b'{"jsonrpc":"2.0","id":{"id":3},"method":"ping"}', -32600, None),
    "a notification with an id": (b'{"jsonrpc":"2.0","i\\u0064":null,"method":"notifications/x"}', -32600, None),
    "half a character and no id": (b'{"jsonrpc":"2.0","id":null,"method":"\\udc00"}', -32700, None),
    "an id that is not its own": (b'{"jsonrpc":"2.0","params":{"id":3}}', -32700, None),
    "its own id behind another": (b'{"params":{"id":3},"id":-4}', -32700, -4),
    "an id in a text": (b'{"params":"\\"id\\":3,"}', -32700, None),
    "an id that is cut": (TooLong(b'{"id":12' + b"3" * 600), -32600, None),
    "too long, with its id behind another": (
        TooLong(b'{"params":{"id":1,"x":"' + b"y" * 900 + b'"},"id":6}'),
        -32600,
        6,
    ),
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
