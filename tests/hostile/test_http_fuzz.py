"""The HTTP face under thousands of conversations out of a grammar: each request gets its one answer, or the end."""

from pathlib import Path

import pytest

from tests.hostile.http_fuzzing import TIMES_AS_DEAR, TURN_S, Fuzzer, fuzzed_server
from tests.hostile.http_grammar import Grammar
from tests.hostile.raw_http import RawConnection
from tests.hostile.server_cost import check
from tests.real.processes import tool_call

SEED = "gossamer"
SECONDS = 60.0
FEWEST = 2_000
"""Conversations that even a busy machine has, however long they take; an idle one has ten times as many in the time."""
MOST_GROWTH_MB = 64


@pytest.mark.alone
def test_every_request_of_a_minute_gets_exactly_its_own_answer_whatever_else_is_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with fuzzed_server(tmp_path) as (server, token):
        result, cost, dearness = Fuzzer(server, token, SEED).fuzz(SECONDS, FEWEST)
        with capsys.disabled():
            print(f"\n{result.conversations:,} conversations with {result.requests:,} requests were fuzzed.")
        assert result.conversations >= FEWEST or result.faults
        assert result.faults == []
        assert {200, 202, 400, 401, 403, 404, 405, 421, 431} <= set(result.answers), "every kind of answer was met"
        assert dearness <= TIMES_AS_DEAR, "a hostile request costs less than an ordinary one"
        check(server, cost, growth_mb=MOST_GROWTH_MB, turn_s=TURN_S)
        assert server.post(tool_call("web_fetch"), token).json()["id"] == 7


def test_a_large_head_behind_another_request_in_one_write_is_answered(tmp_path: Path) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    with fuzzed_server(tmp_path) as (server, token), RawConnection(server.port) as client:
        first = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n"
        )
        first += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n"
        second = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 50_000 + b"\r\n\r\n"
        client.send(first.encode() + body + second)
        assert [answer.status for answer in client.receive(2)] == [200, 200]


def test_a_conversation_is_told_by_its_seed_and_number() -> None:
    grammars = [Grammar("127.0.0.1:1", "token", SEED) for _ in range(2)]
    first, again = ([grammar.conversation(number) for number in range(50)] for grammar in grammars)
    assert first == again
