"""Messages through a pair of pipes: each whole, in turn, and none that was given before."""

import asyncio
import json
import os
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from gossamer.server.stdio.pipe import Pipe
from tests.patience import LONG_S

Ends = tuple[int, int, int, int]
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


@pytest.fixture
def ends() -> Iterator[Ends]:
    """What the server reads and writes, and the client's ends of it."""
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    yield server_in, server_out, client_in, client_out
    for descriptor in (server_in, server_out, client_in, client_out):
        try:
            os.close(descriptor)
        except OSError:
            continue


def reply(number: int, size: int = 0) -> SessionMessage:
    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=number, result={"text": "x" * size}))


async def lines(descriptor: int, count: int) -> list[dict[str, Any]]:
    def read() -> list[dict[str, Any]]:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return [json.loads(file.readline()) for _ in range(count)]

    return await asyncio.to_thread(read)


async def test_what_was_read_before_comes_first_and_the_end_comes_last(ends: Ends) -> None:
    server_in, server_out, _, client_out = ends
    pipe = Pipe(server_in, server_out, lead=PING + b'{"jsonrpc":"2.0",')
    os.write(client_out, b'"method":"notifications/initialized"}')
    os.close(client_out)
    assert isinstance((await pipe.read.receive()).message, JSONRPCRequest)
    assert not pipe.idle.is_set()
    assert isinstance((await pipe.read.receive()).message, JSONRPCNotification)
    await pipe.write.send(reply(1))
    assert pipe.idle.is_set()
    with pytest.raises(anyio.EndOfStream):
        await pipe.read.receive()
    assert pipe.ended.is_set()


async def test_the_end_waits_until_every_request_is_answered(ends: Ends) -> None:
    server_in, server_out, _, client_out = ends
    os.write(client_out, PING)
    os.close(client_out)
    pipe = Pipe(server_in, server_out)
    await pipe.read.receive()
    last = asyncio.ensure_future(pipe.read.receive())
    await pipe.ended.wait()
    assert not last.done()
    await pipe.write.send(reply(1))
    with pytest.raises(anyio.EndOfStream):
        await last


async def test_only_the_first_reply_to_the_silent_request_is_dropped(ends: Ends) -> None:
    server_in, server_out, client_in, _ = ends
    pipe = Pipe(server_in, server_out, lead=PING, silent=1)
    await pipe.read.receive()
    await pipe.write.send(reply(1, 5))
    assert pipe.idle.is_set()
    await pipe.write.send(reply(1, 7))
    (seen,) = await lines(client_in, 1)
    assert len(seen["result"]["text"]) == 7


async def test_a_cancelled_sender_leaves_no_half_line_behind(ends: Ends) -> None:
    server_in, server_out, client_in, _ = ends
    pipe = Pipe(server_in, server_out)
    large = asyncio.ensure_future(pipe.write.send(reply(1, 300_000)))
    waiting = asyncio.ensure_future(pipe.write.send(reply(2, 10)))
    third = asyncio.ensure_future(pipe.write.send(reply(3, 300_000)))
    await asyncio.sleep(0)
    for sender in (large, waiting):
        sender.cancel()
    seen = await lines(client_in, 2)
    await third
    assert [line["id"] for line in seen] == [1, 3]


async def test_a_client_that_is_gone_frees_every_sender(ends: Ends) -> None:
    server_in, server_out, client_in, _ = ends
    pipe = Pipe(server_in, server_out, lead=PING)
    await pipe.read.receive()
    senders = [asyncio.ensure_future(pipe.write.send(reply(number, 300_000))) for number in range(2, 30)]
    await asyncio.sleep(0)
    assert not pipe.write.has_room.is_set()
    os.close(client_in)
    await asyncio.gather(*senders)
    assert pipe.ended.is_set()
    assert pipe.idle.is_set()
    assert pipe.write.has_room.is_set()
    await pipe.write.send(reply(1))


async def test_nothing_is_taken_from_a_client_that_does_not_read(ends: Ends) -> None:
    server_in, server_out, client_in, client_out = ends
    pipe = Pipe(server_in, server_out)
    senders = [asyncio.ensure_future(pipe.write.send(reply(number, 100_000))) for number in range(30)]
    await asyncio.sleep(0)
    os.write(client_out, PING)
    taken = asyncio.ensure_future(pipe.read.receive())
    done, _ = await asyncio.wait([taken], timeout=0.3)
    assert not done
    await lines(client_in, 30)
    await asyncio.gather(*senders)
    assert isinstance((await taken).message, JSONRPCRequest)


async def test_one_who_does_not_read_and_hangs_up_is_gone(ends: Ends) -> None:
    server_in, server_out, _, client_out = ends
    pipe = Pipe(server_in, server_out)
    senders = [asyncio.ensure_future(pipe.write.send(reply(number, 100_000))) for number in range(30)]
    await asyncio.sleep(0)
    taken = asyncio.ensure_future(pipe.read.receive())
    os.close(client_out)
    await asyncio.wait_for(pipe.ended.wait(), LONG_S)
    for task in (taken, *senders):
        task.cancel()
    await asyncio.gather(taken, *senders, return_exceptions=True)


async def test_a_cancelled_request_is_owed_nothing_whatever_kind_its_id_is(ends: Ends) -> None:
    server_in, server_out, _, _ = ends
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}\n'
    pipe = Pipe(server_in, server_out, lead=PING + cancelled)
    await pipe.read.receive()
    assert not pipe.idle.is_set()
    await pipe.read.receive()
    assert pipe.idle.is_set()
