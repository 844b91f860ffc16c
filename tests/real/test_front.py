"""The command as clients start it: its first answers come at once, and none differs from the real server's."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import gossamer
from tests.real.processes import LEAVES_S, LEFT

FRONT = [sys.executable, "-m", "gossamer"]
PLAIN = [sys.executable, "-c", "from gossamer.cli.main import main; main()"]
PATIENCE_S = 60
"""Machines are noisy: the promise is 0.3 s, a process that hangs takes far longer than this many times that."""
MODERN = "2026-07-28"
KEY = "io.modelcontextprotocol/"
ENVELOPE = {f"{KEY}protocolVersion": MODERN, f"{KEY}clientCapabilities": {}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}

Message = dict[str, Any] | list[Any] | bytes


def ask(number: Any, method: str, params: Any = ...) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is ... else {"params": params})}


def hello(version: Any = "2025-11-25", number: Any = 1, **changes: Any) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}, **changes}
    return ask(number, "initialize", {key: value for key, value in params.items() if value is not ...})


def modern(number: Any, method: str, **more: Any) -> dict[str, Any]:
    return ask(number, method, {"_meta": ENVELOPE, **more})


def call(number: Any, **more: Any) -> dict[str, Any]:
    """A call that is answered without any network: its arguments are wrong."""
    return ask(number, "tools/call", {"name": "web_fetch", "arguments": {}, **more})


TALKS: dict[str, Sequence[Message]] = {
    "a handshake of old": [hello("2024-11-05"), INITIALIZED, ask(2, "tools/list"), call(3)],
    "a handshake and both lists": [hello(), INITIALIZED, ask(2, "tools/list", {}), ask(3, "prompts/list", None)],
    "a version of tomorrow": [hello("2099-01-01"), INITIALIZED, ask(2, "tools/list"), call("c")],
    "the modern way": [modern(1, "server/discover"), modern(2, "tools/list"), call(3, _meta=ENVELOPE)],
    "discovery alone": [modern("only", "server/discover")],
    "a list before the handshake": [ask(1, "tools/list"), hello(number=2), INITIALIZED, ask(3, "tools/list")],
    "a ping before the handshake": [ask("p", "ping"), hello(), INITIALIZED, ask(2, "tools/list")],
    "marks and cursors": [
        hello(_meta={"progressToken": 1}),
        INITIALIZED,
        ask(2, "tools/list", {"_meta": {"progressToken": "x", "traceparent": "y"}}),
        ask(3, "tools/list", {"cursor": "zzz"}),
        ask(4, "tools/list", {"cursor": 5}),
    ],
    "odd ids": [
        hello(number="a b"),
        ask("é", "tools/list"),
        ask(-7, "prompts/list"),
        ask('"', "ping"),
        ask(2**70, "ping"),
    ],
    "an id that is none": [hello(), ask(None, "tools/list"), ask(1.5, "tools/list"), ask(2, "tools/list")],
    "notifications and nothing else": [
        INITIALIZED,
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
    ],
    "unknown methods between lists": [
        hello(),
        INITIALIZED,
        ask(2, "foo/bar"),
        ask(3, "tools/list"),
        ask(4, "resources/list"),
        ask(5, "tools/list"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}},
    ],
    "lines that are no messages": [
        b"{nope",
        hello(),
        b"\r",
        b"",
        b"[]",
        [ask(2, "ping")],
        INITIALIZED,
        ask(3, "tools/list"),
    ],
    "a client without a name": [hello(clientInfo=...), hello(number=2), INITIALIZED, ask(3, "tools/list"), call(4)],
    "parameters of wrong types": [
        hello(capabilities=[]),
        hello(3, 2),
        ask(3, "tools/list", {"_meta": 5}),
        hello(number=4),
    ],
    "two handshakes": [hello(), hello("2025-03-26", 2), INITIALIZED, ask(3, "tools/list"), call(4)],
    "modern, then a handshake": [
        modern(1, "tools/list"),
        hello(number=2),
        ask(3, "tools/list"),
        modern(4, "prompts/list"),
    ],
    "a handshake, then modern": [hello(), INITIALIZED, modern(2, "tools/list"), ask(3, "tools/list"), call(4)],
    "half an envelope": [
        ask(1, "tools/list", {"_meta": {f"{KEY}protocolVersion": MODERN}}),
        ask(2, "tools/list", {"_meta": {**ENVELOPE, f"{KEY}protocolVersion": "2030-01-01"}}),
        modern(3, "tools/list"),
    ],
    "calls in one breath": [hello(), INITIALIZED, ask(2, "tools/list"), *(call(n) for n in range(3, 40))],
}


def bytes_of(message: Message) -> bytes:
    return (message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n"


def answers_due(messages: Sequence[Message]) -> list[bool]:
    """Which of them get an answer: requests, even with an id that is none, and lines that cannot be read."""
    return [bool(one.strip()) if isinstance(one, bytes) else isinstance(one, list) or "id" in one for one in messages]


class Talk:
    """One server process and its lines."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, env=environment, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self._rest = b""

    def say(self, data: bytes) -> None:
        while data:
            data = data[self.stdin.write(data) :]

    def line(self) -> dict[str, Any]:
        """The next answer; silence fails."""
        deadline = time.monotonic() + PATIENCE_S
        while b"\n" not in self._rest:
            assert select.select([self.stdout], [], [], max(0, deadline - time.monotonic()))[0], "no answer"
            data = os.read(self.stdout.fileno(), 65_536)
            assert data, f"the server ended: {self._rest!r} {self.process.stderr and self.process.stderr.read()!r}"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def end(self) -> list[dict[str, Any]]:
        """Close the server's input; what it still says."""
        self.stdin.close()
        rest = self._rest + self.stdout.read()
        assert self.process.wait(PATIENCE_S) == 0
        assert self.process.stderr
        assert self.process.stderr.read() == b""
        return [json.loads(line) for line in rest.splitlines()]

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def sorted_texts(replies: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(reply, sort_keys=True) for reply in replies)


def all_at_once(talk: Talk, messages: Sequence[Message]) -> list[dict[str, Any]]:
    talk.say(b"".join(map(bytes_of, messages)))
    return [talk.line() for due in answers_due(messages) if due] + talk.end()


def one_by_one(talk: Talk, messages: Sequence[Message]) -> list[dict[str, Any]]:
    replies: list[dict[str, Any]] = []
    for message, is_due in zip(messages, answers_due(messages), strict=True):
        talk.say(bytes_of(message))
        replies += [talk.line()] if is_due else []
    return replies + talk.end()


def byte_by_byte(talk: Talk, messages: Sequence[Message]) -> list[dict[str, Any]]:
    for byte in b"".join(map(bytes_of, messages)):
        talk.say(bytes([byte]))
    return [talk.line() for due in answers_due(messages) if due] + talk.end()


def with_the_last_after_the_handover(talk: Talk, messages: Sequence[Message]) -> list[dict[str, Any]]:
    talk.say(b"".join(map(bytes_of, messages[:-1])))
    replies = [talk.line() for due in answers_due(messages[:-1]) if due]
    wait_for_the_real_server(talk.process.pid)
    talk.say(bytes_of(messages[-1]))
    return replies + [talk.line() for due in answers_due(messages[-1:]) if due] + talk.end()


def hanging_up_at_once(talk: Talk, messages: Sequence[Message]) -> list[dict[str, Any]]:
    talk.say(b"".join(map(bytes_of, messages)).removesuffix(b"\n"))
    return talk.end()


def wait_for_the_real_server(pid: int) -> None:
    """Until the event loop is there, which the front does not have."""
    deadline = time.monotonic() + PATIENCE_S
    while "anon_inode:[eventpoll]" not in descriptors(pid):
        assert time.monotonic() < deadline, "the real server never came"
        os.sched_yield()


def descriptors(pid: int) -> list[str]:
    found: list[str] = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(link.readlink()))
    return found


TIMINGS = [all_at_once, one_by_one, byte_by_byte, with_the_last_after_the_handover, hanging_up_at_once]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("home")
    kept = {name: os.environ[name] for name in ("PATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
    return {**kept, "HOME": str(folder), "DATA_DIR": str(folder / "data")}


@pytest.fixture(scope="module")
def expected(home: dict[str, str]) -> Iterator[dict[str, list[str]]]:
    """What the command without its front answers to each talk, two processes at a time."""

    def answers(messages: Sequence[Message]) -> list[str]:
        talk = Talk(PLAIN, home)
        try:
            return sorted_texts(all_at_once(talk, messages))
        finally:
            talk.close()

    with ThreadPoolExecutor(2) as pool:
        yield dict(zip(TALKS, pool.map(answers, TALKS.values()), strict=True))


@pytest.fixture
def open_talk(home: dict[str, str]) -> Iterator[Any]:
    talks: list[Talk] = []

    def start(command: list[str] = FRONT, **extra: str) -> Talk:
        talks.append(Talk(command, {**home, **extra}))
        return talks[-1]

    yield start
    for talk in talks:
        talk.close()


PLAN = [(name, TIMINGS[(n + shift) % len(TIMINGS)]) for n, name in enumerate(TALKS) for shift in (0, 2)]


@pytest.mark.parametrize(("name", "timing"), PLAN, ids=[f"{name}, {timing.__name__}" for name, timing in PLAN])
def test_the_front_answers_what_the_server_answers(
    name: str, timing: Any, expected: dict[str, list[str]], open_talk: Any
) -> None:
    assert sorted_texts(timing(open_talk(), TALKS[name])) == expected[name]


SELECTIONS: dict[str, tuple[list[str], dict[str, str]]] = {
    "flags": (["serve", "--tools", "web_fetch,web_search"], {}),
    "Japanese": ([], {"GOSSAMER_LANGUAGE": "ja"}),
    "no fetch": (["serve"], {"WEB_FETCH_ENABLED": "false"}),
    "a file": (["serve", "--config", "{folder}/my.toml"], {}),
    "a name that does not exist": ([], {"GOSSAMER_TOOLS": "cor"}),
}


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_selection_is_listed_as_the_server_lists_it(selection: str, open_talk: Any, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text('tools = ["web_answer"]\nlanguage = "ja"')
    arguments, extra = SELECTIONS[selection]
    arguments = [argument.format(folder=tmp_path) for argument in arguments]
    messages = [hello(), INITIALIZED, ask(2, "tools/list"), ask(3, "prompts/list")]
    front, plain = (open_talk([*command, *arguments], **extra) for command in (FRONT, PLAIN))
    for talk in (front, plain):
        talk.say(b"".join(map(bytes_of, messages)))
    for _ in range(3):
        assert front.line() == plain.line()


@pytest.fixture
def broken(tmp_path: Path) -> dict[str, str]:
    """An environment in which the SDK cannot be imported."""
    (tmp_path / "mcp.py").write_text("raise ImportError('there is no SDK')")
    return {"PYTHONPATH": str(tmp_path)}


def test_the_first_answers_need_no_server(open_talk: Any, broken: dict[str, str]) -> None:
    talk = open_talk(**broken)
    for message in (hello(), ask(2, "prompts/list"), ask(3, "tools/list")):
        talk.say(bytes_of(message))
        assert "result" in talk.line()


def test_a_server_that_cannot_be_imported_is_told_on_stderr(open_talk: Any, broken: dict[str, str]) -> None:
    talk = open_talk(**broken)
    talk.say(bytes_of(hello()) + bytes_of(call(2)))
    assert talk.line()["id"] == 1
    assert talk.process.wait(PATIENCE_S) == 1
    assert talk.process.stderr
    assert b"there is no SDK" in talk.process.stderr.read()


@pytest.mark.parametrize("end", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("command", [FRONT, PLAIN], ids=["front", "plain"])
def test_a_signal_during_the_import_is_an_ordinary_end(
    command: list[str], end: str, open_talk: Any, tmp_path: Path
) -> None:
    (tmp_path / "mcp.py").write_text("import os, threading\nos.write(2, b'here')\nthreading.Event().wait()")
    talk = open_talk(command, PYTHONPATH=str(tmp_path), COVERAGE_PROCESS_CONFIG="")
    talk.say(bytes_of(hello()) + bytes_of(call(2)))
    assert talk.process.stderr.read(4) == b"here"
    talk.process.send_signal(getattr(signal, end))
    assert talk.process.wait(PATIENCE_S) == 0
    assert talk.process.stderr.read() == b""


@pytest.mark.parametrize("change", ["another version", "no snapshot", "a broken snapshot"])
def test_a_snapshot_that_does_not_fit_is_not_used(change: str, open_talk: Any, tmp_path: Path) -> None:
    copy = tmp_path / "gossamer"
    shutil.copytree(Path(gossamer.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    snapshot = copy / "front" / "snapshot.json"
    if change == "another version":
        (copy / "version.py").write_text('__version__ = "9.9.9"\n')
    elif change == "no snapshot":
        snapshot.unlink()
    else:
        snapshot.write_text('{"version": "0.1.0"}')
    talk = open_talk(PYTHONPATH=str(tmp_path))
    talk.say(bytes_of(hello()))
    result = talk.line()["result"]
    assert result["serverInfo"]["version"] == ("9.9.9" if change == "another version" else gossamer.__version__)
    assert "web_search" in result["instructions"]


MOMENTS: dict[str, Sequence[Message]] = {
    "before a word": [],
    "after the handshake": [hello(), INITIALIZED],
    "while the server is imported": [hello(), INITIALIZED, ask(2, "tools/list")],
    "with half a line": [hello(), b'{"jsonrpc":'],
}


@pytest.mark.parametrize("end", ["stdin closes", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_front_leaves_at_once(moment: str, end: str, open_talk: Any) -> None:
    talk = open_talk(COVERAGE_PROCESS_CONFIG="")
    for message in MOMENTS[moment]:
        talk.say(bytes_of(message).removesuffix(b"\n" if isinstance(message, bytes) else b""))
        if answers_due([message])[0] and not isinstance(message, bytes):
            talk.line()
    if moment == "before a word" and end != "stdin closes":
        wait_for_the_guard(talk.process.pid)
    started = time.monotonic()
    if end == "stdin closes":
        if moment == "with half a line":
            return  # what is owed an answer gets it first; see the talks
        talk.stdin.close()
    else:
        talk.process.send_signal(getattr(signal, end))
    assert talk.process.wait(PATIENCE_S) in LEFT
    assert time.monotonic() - started < LEAVES_S
    assert talk.process.stderr
    assert talk.process.stderr.read() == b""


def wait_for_the_guard(pid: int) -> None:
    """Until descriptor 1 is where descriptor 2 is: the front is at work."""
    deadline = time.monotonic() + PATIENCE_S
    links = (Path(f"/proc/{pid}/fd/1"), Path(f"/proc/{pid}/fd/2"))
    while len({link.readlink() for link in links}) > 1:
        assert time.monotonic() < deadline
        os.sched_yield()


def test_an_unused_server_never_loads_itself(open_talk: Any) -> None:
    talk = open_talk(COVERAGE_PROCESS_CONFIG="")
    wait_for_the_guard(talk.process.pid)
    assert not any("pydantic" in line for line in Path(f"/proc/{talk.process.pid}/maps").read_text().splitlines())
    assert talk.end() == []


def test_a_client_that_is_silent_after_the_handshake_gets_the_server_ready(open_talk: Any) -> None:
    talk = open_talk()
    talk.say(bytes_of(hello()))
    assert talk.line()["id"] == 1
    wait_for_the_real_server(talk.process.pid)
    talk.say(bytes_of(INITIALIZED) + bytes_of(ask(2, "tools/list")))
    assert talk.line()["id"] == 2


def test_a_large_call_right_behind_the_handshake_is_answered(open_talk: Any) -> None:
    talk = open_talk()
    talk.say(bytes_of(hello()) + bytes_of(call(2, arguments={"url": "x" * 3_000_000})) + bytes_of(ask(3, "tools/list")))
    assert sorted(talk.line()["id"] for _ in range(3)) == [1, 2, 3]
    assert talk.end() == []


def test_a_client_that_reads_late_loses_nothing(open_talk: Any) -> None:
    talk = open_talk()
    talk.say(bytes_of(hello()) + b"".join(bytes_of(ask(n, "tools/list")) for n in range(2, 60)))
    assert sorted(talk.line()["id"] for _ in range(1, 60)) == [*range(1, 60)]


def test_a_client_that_never_reads_and_hangs_up_is_not_waited_for(open_talk: Any) -> None:
    talk = open_talk(COVERAGE_PROCESS_CONFIG="")
    talk.say(bytes_of(hello()) + b"".join(bytes_of(ask(n, "tools/list")) for n in range(2, 60)))
    deadline = time.monotonic() + PATIENCE_S
    while select.select([talk.stdout], [], [], 0)[0] == [] and time.monotonic() < deadline:
        os.sched_yield()
    started = time.monotonic()
    talk.stdin.close()
    assert talk.process.wait(PATIENCE_S) in LEFT
    assert time.monotonic() - started < LEAVES_S


def test_a_client_that_stops_listening_ends_the_front_quietly(open_talk: Any) -> None:
    talk = open_talk()
    talk.stdout.close()
    talk.say(bytes_of(hello()))
    assert talk.process.wait(PATIENCE_S) == 0
    assert talk.process.stderr
    assert talk.process.stderr.read() == b""


@pytest.mark.parametrize("arguments", ["", "serve", "serve --tools core"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_end_the_server_without_a_word(closed: str, arguments: str, home: dict[str, str]) -> None:
    command = f'"{sys.executable}" -m gossamer {arguments} {closed}'
    done = subprocess.run(["sh", "-c", command], env=home, input=b"", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_server_without_stderr_still_answers(home: dict[str, str]) -> None:
    command = f'"{sys.executable}" -m gossamer 2>&-'
    lines = b"".join(map(bytes_of, (hello(), INITIALIZED, ask(2, "tools/list"), call(3))))
    done = subprocess.run(["sh", "-c", command], env=home, input=lines, capture_output=True, check=True)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2, 3]


TELLING = {"GOSSAMER_LOG__LEVEL": "info", "GOSSAMER_TOOLS": "cor"}
"""An environment that makes a server write to stderr, first while it starts."""


@pytest.mark.parametrize("command", [FRONT, PLAIN], ids=["front", "plain"])
def test_what_would_go_to_a_closed_stderr_goes_nowhere(command: list[str], open_talk: Any) -> None:
    for extra in ({}, TELLING):
        talk = open_talk(["sh", "-c", 'exec "$@" 2>&-', "sh", *command], **extra)
        talk.say(b"".join(map(bytes_of, (hello(), INITIALIZED, call(2)))))
        assert [talk.line()["id"] for _ in range(2)] == [1, 2]
        for number in (1, 2):
            assert str(Path(f"/proc/{talk.process.pid}/fd/{number}").readlink()) == os.devnull
        assert talk.end() == []


@pytest.mark.parametrize("command", [FRONT, PLAIN], ids=["front", "plain"])
def test_a_client_that_does_not_read_stderr_is_served(command: list[str], open_talk: Any) -> None:
    talk = open_talk(command, **TELLING)
    talk.process.stderr.close()
    talk.process.stderr = None
    for message in (hello(), call(2), call(3), ask(4, "resources/list")):
        talk.say(bytes_of(message))
    replies = {reply["id"]: reply for reply in (talk.line() for _ in range(4))}
    for number in (2, 3):
        assert replies[number]["result"]["_meta"]["gossamer/outcome"] == "invalid"
    assert "Errno" not in json.dumps(replies)


@pytest.mark.parametrize("command", [FRONT, PLAIN], ids=["front", "plain"])
@pytest.mark.parametrize("messages", [[hello()], [hello(), call(2)]], ids=["the front's end", "the server's end"])
def test_an_output_that_others_use_too_is_left_as_it_was(
    command: list[str], messages: Sequence[Message], home: dict[str, str]
) -> None:
    reader, writer = os.pipe()
    try:
        subprocess.run(command, env=home, input=b"".join(map(bytes_of, messages)), stdout=writer, check=True)
        assert os.get_blocking(writer)
        assert len(os.read(reader, 1_000_000).splitlines()) == len(messages)
    finally:
        os.close(reader)
        os.close(writer)


def test_other_commands_go_past_the_front(home: dict[str, str]) -> None:
    for arguments, start in ((["--version"], gossamer.__version__), (["--help"], "Usage")):
        done = subprocess.run([*FRONT, *arguments], env=home, capture_output=True, text=True, check=True, input="")
        assert done.stdout.strip().startswith(start)
