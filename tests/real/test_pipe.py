"""The pipe transport under load: size, number, splitting, cancellation, progress, and clients that do not read."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.processes import LEAVES_S, LEFT, LEGACY, Wire, open_wire

MIB = 2**20
PATIENCE_S = 60
SERVER = """
import asyncio, hashlib
import mcp.types as types
from mcp.server import Server
from gossamer.server.stdio.serve import serve_stdio
from gossamer.settings.load import load

def build(service):
    gate = asyncio.Event()

    async def call(ctx, params):
        asked = params.arguments or {}
        for step in range(asked.get("steps", 0)):
            await ctx.session.report_progress(step + 1, None, "a step")
        if asked.get("opens"):
            gate.set()
        if asked.get("waits"):
            await gate.wait()
        await asyncio.sleep(asked.get("takes_s", 0))
        text = asked.get("text")
        said = hashlib.sha256(text.encode()).hexdigest() if text is not None else "ü" * (asked.get("size", 0) // 2)
        return types.CallToolResult(content=[types.TextContent(text=said)])

    return Server("load", on_call_tool=call)

serve_stdio(load(), build=build)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
    return {**kept, "HOME": str(tmp_path), "DATA_DIR": str(tmp_path / "data")}


@pytest.fixture
def untraced(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith("COVERAGE")}


@pytest.fixture
def wire(environment: dict[str, str]) -> Iterator[Wire]:
    with open_wire(environment, [sys.executable, "-c", SERVER]) as wire:
        wire.handshake()
        yield wire


def line_of(number: int, **arguments: Any) -> bytes:
    params = {"name": "any", "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


def write(wire: Wire, data: bytes) -> None:
    assert wire.process.stdin
    wire.process.stdin.write(data)
    wire.process.stdin.flush()


def text_of(reply: dict[str, Any]) -> str:
    return reply["result"]["content"][0]["text"]


@pytest.mark.parametrize("size", [MIB, 8 * MIB, 31 * MIB], ids=["1 MiB", "8 MiB", "31 MiB"])
def test_messages_of_every_size_come_and_go_whole(size: int, wire: Wire) -> None:
    text = random.Random(size).randbytes(1024).hex() * (size // 2048)
    write(wire, line_of(10, text=text))
    assert text_of(wire.receive(10)) == hashlib.sha256(text.encode()).hexdigest()
    write(wire, line_of(11, size=size))
    assert text_of(wire.receive(11)) == "ü" * (size // 2)


@pytest.mark.parametrize("pieces", [1, 7], ids=["in one piece", "in pieces"])
def test_a_line_that_is_too_long_is_answered_and_skipped(pieces: int, wire: Wire) -> None:
    long = line_of(20, text="x" * (33 * MIB))
    step = len(long) // pieces + 1
    for start in range(0, len(long), step):
        write(wire, long[start : start + step])
    write(wire, line_of(21, size=4))
    told = wire.receive(20)["error"]
    assert told["code"] == -32600
    assert "33554432 bytes" in told["message"]
    assert text_of(wire.receive(21)) == "üü"


def test_a_line_that_is_too_long_and_has_no_id_is_answered_too(wire: Wire) -> None:
    write(wire, b"x" * (32 * MIB + 1) + b"\n")
    assert wire.process.stdout
    told = json.loads(wire.process.stdout.readline())
    assert (told["id"], told["error"]["code"]) == (None, -32600)


def test_lines_may_be_cut_anywhere_even_inside_a_character(wire: Wire) -> None:
    text = "größer 東京 🦊"
    line = json.dumps(
        {"jsonrpc": "2.0", "id": 30, "method": "tools/call", "params": {"name": "any", "arguments": {"text": text}}},
        ensure_ascii=False,
    ).encode()
    for byte in line + b"\r\n":
        write(wire, bytes([byte]))
    assert text_of(wire.receive(30)) == hashlib.sha256(text.encode()).hexdigest()


def test_thousands_of_lines_in_one_write_are_all_answered(wire: Wire) -> None:
    data = b"\n \r\n".join(line_of(number, size=2) for number in range(100, 2100))
    writer = threading.Thread(target=write, args=(wire, data))
    writer.start()
    for number in range(100, 2100):
        assert text_of(wire.receive(number)) == "ü"
    writer.join()


def test_five_hundred_calls_may_be_under_way_at_once(wire: Wire) -> None:
    for number in range(100, 600):
        write(wire, line_of(number, waits=True))
    write(wire, line_of(600, size=2))
    wire.receive(600)
    assert not [line for line in wire.lines if 100 <= (line.get("id") or 0) < 600]
    write(wire, line_of(601, opens=True))
    for number in range(100, 600):
        assert not wire.receive(number)["result"].get("isError")


def test_cancelled_calls_get_no_answer_and_the_others_do(wire: Wire) -> None:
    for number in range(100, 600):
        write(wire, line_of(number, waits=True))
        if number % 2:
            wire.send("notifications/cancelled", {"requestId": number}, notify=True)
    write(wire, line_of(600, opens=True))
    for number in range(100, 600, 2):
        wire.receive(number)
    assert wire.process.stdin
    wire.process.stdin.close()
    assert wire.process.stdout
    rest = [json.loads(line) for line in wire.process.stdout.read().splitlines()]
    answered = {line["id"] for line in (*wire.lines, *rest) if "id" in line}
    assert not set(range(101, 600, 2)) & answered
    assert wire.process.wait(PATIENCE_S) == 0


def test_progress_keeps_its_order_and_comes_before_its_answer(wire: Wire) -> None:
    for number in range(100, 200):
        params = {"name": "any", "arguments": {"steps": 20}, "_meta": {"progressToken": f"t{number}"}}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        write(wire, json.dumps(message).encode() + b"\n")
    for number in range(100, 200):
        wire.receive(number)
    for number in range(100, 200):
        told = [
            line.get("id") or line["params"]["progress"]
            for line in wire.lines
            if line.get("id") == number or line.get("params", {}).get("progressToken") == f"t{number}"
        ]
        assert told == [*range(1, 21), number]


def status(pid: int, field: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024


def wait_until_idle(pid: int) -> None:
    """Until the process has used no processor time for a while."""
    deadline, seen, since = time.monotonic() + PATIENCE_S, -1, 0.0
    while time.monotonic() < deadline:
        used = sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
        if used != seen:
            seen, since = used, time.monotonic()
        elif time.monotonic() - since > 0.5:
            return
        os.sched_yield()
    raise AssertionError("the server never rests")


def test_a_client_that_stops_reading_is_waited_for_and_loses_nothing(untraced: dict[str, str]) -> None:
    with open_wire(untraced, [sys.executable, "-c", SERVER]) as wire:
        wire.handshake()
        before = status(wire.process.pid, "VmRSS")
        data = b"".join(line_of(number, size=MIB, more="x" * 4000) for number in range(1000, 1300))
        writer = threading.Thread(target=write, args=(wire, data))
        writer.start()
        wait_until_idle(wire.process.pid)
        assert status(wire.process.pid, "VmHWM") - before < 120 * MIB
        assert wire.process.stdout
        numbers: list[int] = []
        for _ in range(300):
            reply = json.loads(wire.process.stdout.readline())
            assert len(text_of(reply)) == MIB // 2
            numbers.append(reply["id"])
        writer.join()
        assert sorted(numbers) == [*range(1000, 1300)]


@pytest.mark.parametrize("end", ["stdin closes", "SIGTERM"])
def test_a_client_that_stops_reading_and_hangs_up_is_not_waited_for(end: str, untraced: dict[str, str]) -> None:
    with open_wire(untraced, [sys.executable, "-c", SERVER]) as wire:
        wire.handshake()
        write(wire, b"".join(line_of(number, size=MIB) for number in range(1000, 1100)))
        wait_until_idle(wire.process.pid)
        assert wire.process.stdin
        started = time.monotonic()
        if end == "SIGTERM":
            wire.process.send_signal(signal.SIGTERM)
        else:
            wire.process.stdin.close()
        assert wire.process.wait(PATIENCE_S) in LEFT
        assert time.monotonic() - started < LEAVES_S


def test_hanging_up_in_the_middle_of_many_calls_ends_them_all(untraced: dict[str, str]) -> None:
    with open_wire(untraced, [sys.executable, "-c", SERVER]) as wire:
        wire.handshake()
        write(wire, b"".join(line_of(number, waits=True) for number in range(100, 300)) + line_of(300, size=2))
        wire.receive(300)
        assert wire.process.stdin
        started = time.monotonic()
        wire.process.stdin.close()
        assert wire.process.wait(PATIENCE_S) in LEFT
        assert time.monotonic() - started < LEAVES_S
        assert wire.process.stderr
        assert wire.process.stderr.read() == b""


OPENING = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
HANDSHAKE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": OPENING}).encode() + b"\n"


def test_files_serve_as_pipes(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(HANDSHAKE + line_of(2, size=2) + line_of(3, size=4).removesuffix(b"\n"))
    with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
        command = [sys.executable, "-c", SERVER]
        done = subprocess.run(command, env=environment, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [json.loads(line)["id"] for line in (tmp_path / "out").read_bytes().splitlines()] == [1, 2, 3]


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_one_who_hung_up_before_it_was_heard_gets_answers_that_take_a_moment(
    kind: str, environment: dict[str, str], tmp_path: Path
) -> None:
    lines = HANDSHAKE + line_of(2, takes_s=0.4, size=2) + line_of(3, waits=True)
    (tmp_path / "in").write_bytes(lines)
    command = [sys.executable, "-c", SERVER]
    with (tmp_path / "in").open("rb") as file:
        given: dict[str, Any] = {"stdin": file} if kind == "file" else {"input": lines}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE_S, check=True, **given)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]


CLOSING = """
from gossamer.errors import StoreBusy
from gossamer.server.protocol import build_server
from gossamer.server.stdio.serve import serve_stdio
from gossamer.settings.load import load

def build(service):
    async def fail():
        raise StoreBusy("Another program holds the library.")

    service._stack.push_async_callback(fail)
    return build_server(service)

serve_stdio(load(), build=build)
"""


def test_a_library_that_cannot_be_closed_does_not_spoil_the_end(environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", CLOSING]
    done = subprocess.run(
        command, env=environment, input=HANDSHAKE, capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_the_sdk_says_about_a_message_does_not_reach_stderr(environment: dict[str, str]) -> None:
    with open_wire(environment, [sys.executable, "-c", SERVER]) as wire:
        wire.handshake()
        wire.send("notifications/progress", {"progressToken": {"my": "secret"}}, notify=True)
        write(wire, line_of(50, size=2))
        wire.receive(50)
        assert wire.process.stdin
        wire.process.stdin.close()
        assert wire.process.stderr
        assert wire.process.stderr.read() == b""


def test_an_output_that_takes_nothing_ends_the_server_quietly(environment: dict[str, str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-c", SERVER]
        done = subprocess.run(
            command, env=environment, input=HANDSHAKE, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")


PORTABLE = """
import asyncio
from gossamer.server.stdio.serve import Stdio
from gossamer.settings.load import load
asyncio.run(Stdio(load()).serve_portably())
"""


def test_where_descriptors_cannot_be_waited_for_the_sdk_serves(environment: dict[str, str]) -> None:
    with open_wire(environment, [sys.executable, "-c", PORTABLE]) as wire:
        assert wire.handshake()["serverInfo"]["name"] == "gossamer"
        assert wire.call("web_fetch")["isError"]
        assert wire.process.stdin
        wire.process.stdin.close()
        assert wire.process.wait(PATIENCE_S) == 0
