"""The parts round the gate: addresses to listen on, readiness, limits per tool, and what a connection may cost."""

import asyncio
import json
import signal
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest

from gossamer.compose import SystemClock, cursor_key, folder_key, open_limiter, shared_state, tool_rates
from gossamer.contracts import choose_tools
from gossamer.contracts.contract import Reply, tool
from gossamer.engine import Engine
from gossamer.errors import BadSettings, InvalidArgument, StoreUnavailable
from gossamer.ports import Call, Clock, no_progress
from gossamer.ports.addresses import Entry
from gossamer.server.http.bind import Bind, are_loopback, open_sockets, place, raise_file_limit, read_bind
from gossamer.server.http.connection import Bounds
from gossamer.server.http.health import Health
from gossamer.server.http.listen import Listener
from gossamer.server.http.metrics import Metrics
from gossamer.server.http.refusal import Refusal
from gossamer.server.http.serve import take_signals
from gossamer.server.log import EventLog
from gossamer.server.service import Service
from gossamer.settings.load import Loaded, load
from gossamer.states import STATES
from gossamer.states.memory import MemoryState
from gossamer.testing.state_contract import SetClock
from tests.patience import LONG_S

BINDS = {
    "a port": ("8000", "127.0.0.1", 8000),
    "a port after a colon": (":8000", "127.0.0.1", 8000),
    "a host": ("0.0.0.0:80", "0.0.0.0", 80),
    "a name": ("localhost:0", "localhost", 0),
    "IPv6": ("[::1]:8000", "::1", 8000),
    "blanks around": (" 127.0.0.1:1 ", "127.0.0.1", 1),
}


@pytest.mark.parametrize(("text", "host", "port"), BINDS.values(), ids=BINDS)
def test_an_address_to_listen_on_is_read(text: str, host: str, port: int) -> None:
    assert read_bind(text) == Bind(host=host, port=port)


@pytest.mark.parametrize(
    "text", ["", "host", "host:", "host:http", "::1:80", "host:65536", "host:-1", "host:٣", "1:2:3"]
)
def test_what_is_no_address_is_named(text: str) -> None:
    with pytest.raises(InvalidArgument, match="HOST:PORT"):
        read_bind(text)


REACH = {"127.0.0.1": True, "127.8.8.8": True, "::1": True, "localhost": True, "0.0.0.0": False, "::": False}


@pytest.mark.parametrize(("host", "is_loopback"), REACH.items(), ids=REACH)
def test_open_sockets_tell_whether_others_can_reach_them(host: str, is_loopback: bool) -> None:
    try:
        sockets = open_sockets(Bind(host=host, port=0))
    except InvalidArgument as error:
        if ":" not in host:
            raise
        pytest.skip(f"no IPv6 here: {error}")
    try:
        assert are_loopback(sockets) is is_loopback
    finally:
        for one in sockets:
            one.close()


def test_one_socket_that_others_can_reach_is_enough() -> None:
    sockets = [*open_sockets(Bind(host="127.0.0.1", port=0)), *open_sockets(Bind(host="0.0.0.0", port=0))]
    assert not are_loopback(sockets)
    for one in sockets:
        one.close()


def test_a_host_that_is_none_is_told() -> None:
    with pytest.raises(InvalidArgument, match="no address to listen on"):
        Bind(host="no.such.host.invalid", port=1).addresses()


def test_every_address_of_a_host_gets_the_same_port() -> None:
    sockets = open_sockets(Bind(host="localhost", port=0))
    try:
        assert len({one.getsockname()[1] for one in sockets}) == 1
        assert "127.0.0.1" in {one.getsockname()[0] for one in sockets}
    finally:
        for one in sockets:
            one.close()


def test_a_port_that_is_taken_and_an_address_of_another_machine_are_told() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(InvalidArgument, match="Address already in use"),
    ):
        open_sockets(Bind(host="127.0.0.1", port=taken.getsockname()[1]))
    with pytest.raises(InvalidArgument, match="192\\.0\\.2\\.1:0"):
        open_sockets(Bind(host="192.0.2.1", port=0))


def test_an_address_is_written_as_in_a_link() -> None:
    assert (place("::1", 80), place("127.0.0.1", 80)) == ("[::1]:80", "127.0.0.1:80")


def test_the_limit_of_open_files_is_raised_to_what_the_system_allows() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
        allowed = raise_file_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == allowed
        assert allowed == (1_048_576 if hard == resource.RLIM_INFINITY else hard)
        assert raise_file_limit() == allowed
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_opening_is_tried_until_it_works_and_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    health = Health(EventLog("warning"), again_s=0.001)
    failures: list[Exception] = [StoreUnavailable("The disk is full."), StoreUnavailable("Still full.")]
    seen: list[list[str]] = []

    async def opens() -> None:
        seen.append(health.reasons())
        if failures:
            raise failures.pop()

    await health.keep_opening(opens)
    assert seen == [["still starting"], *[["the place where pages are kept cannot be used"]] * 2]
    assert health.reasons() == []
    assert capsys.readouterr().err.count("full") == 1


async def test_a_bug_while_opening_is_told_without_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    health = Health(EventLog("warning"), again_s=0.001)
    failures: list[Exception] = [RuntimeError("SECRET")]

    async def opens() -> None:
        if failures:
            raise failures.pop()

    await health.keep_opening(opens)
    told = capsys.readouterr().err
    assert '"kind": "RuntimeError"' in told
    assert "SECRET" not in told


def test_each_check_may_give_a_reason() -> None:
    health = Health(EventLog("warning"))
    health.checks += [lambda: None, lambda: "the moon is full"]
    assert health.reasons() == ["the moon is full", "still starting"]


def loaded(folder: Path, **environ: str) -> Loaded:
    return load(environ={"DATA_DIR": str(folder), "GOSSAMER_CONFIG": "", **environ})


def test_limits_of_tools_go_by_either_spelling(tmp_path: Path) -> None:
    settings = loaded(tmp_path, GOSSAMER_LIMITS__TOOLS="web-search=2/60,web_fetch=3/60,web_read=0").settings
    assert {name: (rate.count, rate.seconds) for name, rate in tool_rates(settings).items()} == {
        "web.search": (2, 60),
        "web_fetch": (3, 60),
    }


async def test_a_limit_for_a_tool_that_there_is_not_is_a_bad_setting(tmp_path: Path) -> None:
    wrong = loaded(tmp_path, GOSSAMER_LIMITS__TOOLS="web_serch=2/60")
    with pytest.raises(BadSettings, match="web_serch"):
        tool_rates(wrong.settings)
    service = Service(wrong)
    told = await service.call("web_fetch", {"url": "http://127.0.0.1:1/"}, progress=no_progress)
    assert told.is_error
    assert "web_serch" in told.text
    await service.close()


@tool(title="Say", timeout=lambda _: LONG_S, needs=frozenset())
async def web_fetch(engine: Engine, call: Call, word: str = "") -> Reply[None]:
    """Say a word, in the place of a tool that is limited."""
    return Reply(text=word, data=None)


async def test_calls_of_a_limited_tool_are_counted_per_user_on_every_transport(tmp_path: Path) -> None:
    service = Service(loaded(tmp_path, GOSSAMER_LIMITS__TOOLS="web_fetch=2/600", GOSSAMER_STATE="memory:"))
    service.tools["web_fetch"] = web_fetch

    async def outcome(caller: str, **arguments: Any) -> str:
        told = await service.call("web_fetch", arguments, caller=caller, progress=no_progress)
        return told.meta["gossamer/outcome"]

    assert await outcome("alice", wrong=1) == "invalid", "a call that is rejected does not count"
    assert [await outcome("alice") for _ in range(3)] == ["ok", "ok", "rate_limited"]
    assert await outcome("bob") == "ok"
    told = await service.call("web_fetch", {}, caller="alice", progress=no_progress)
    assert 0 < told.meta["gossamer/error"]["retry_after_s"] <= 600
    assert "web_fetch" in told.text
    await service.close()


async def test_where_the_state_cannot_be_opened_limits_hold_in_this_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    clock, warn = SystemClock(), EventLog("warning").problem
    settings = loaded(tmp_path / "file" / "data").settings
    state = shared_state(settings, clock=clock)
    async with open_limiter(settings, state=state, clock=clock, warn=warn) as (limiter, is_shared):
        assert not is_shared
        assert limiter.is_degraded
        assert await limiter.admit("alice") is None
    assert capsys.readouterr().err.count("Limits hold in this process alone") == 1
    await state.close()
    settings = loaded(tmp_path / "good").settings
    state = shared_state(settings, clock=clock)
    async with open_limiter(settings, state=state, clock=clock, warn=warn) as (limiter, is_shared):
        assert is_shared
        assert not limiter.is_degraded
    await state.close()


async def test_a_state_that_can_be_opened_later_is_counted_in_from_then_on(tmp_path: Path) -> None:
    clock = SetClock()
    (tmp_path / "data").write_text("no folder")
    settings = loaded(tmp_path / "data").settings
    state = shared_state(settings, clock=clock)
    async with open_limiter(settings, state=state, clock=clock, warn=EventLog("error").problem) as (limiter, _):
        assert limiter.is_degraded
        (tmp_path / "data").unlink()
        clock.advance(60)
        async with asyncio.timeout(LONG_S):
            while limiter.is_degraded:  # noqa: ASYNC110  it is a probe of the limiter's own that changes it
                await asyncio.sleep(0.01)
    await state.close()


class CountedState(MemoryState):
    """A state that tells how often it was opened and which keys were used."""

    opened: ClassVar[int] = 0
    keys: ClassVar[list[str]] = []

    @classmethod
    async def open(cls, _address: str, *, clock: Clock) -> "CountedState":
        CountedState.opened += 1
        return cls(clock)

    async def get(self, key: str) -> str | None:
        CountedState.keys.append(key)
        return await super().get(key)


async def test_engine_and_limits_of_a_server_share_one_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STATES, "counted", Entry(f"{__name__}:CountedState", is_lasting=False))
    service = Service(loaded(tmp_path, GOSSAMER_STATE="counted:", GOSSAMER_SEARCH__PROVIDERS="library"))
    limiter = await service.limiter()
    assert await limiter.admit("alice") is None
    await service.call("web_search", {"query": "words"}, progress=no_progress)
    await service.close()
    assert CountedState.opened == 1
    assert {key.partition(":")[0] for key in CountedState.keys} >= {"limit", "health"}


async def test_processes_on_one_state_agree_on_what_a_name_is_hashed_to(tmp_path: Path) -> None:
    """Also where nothing else is kept: two of them, one window for both."""
    limits = {"GOSSAMER_LIMITS__REQUESTS": "3/999999", "GOSSAMER_LIBRARY__REMEMBER": "false"}
    settings = loaded(tmp_path, **limits).settings
    clock, warn = SystemClock(), EventLog("warning").problem
    states = [shared_state(settings, clock=clock) for _ in range(2)]
    async with (
        open_limiter(settings, state=states[0], clock=clock, warn=warn, patience_s=LONG_S) as (one, _),
        open_limiter(settings, state=states[1], clock=clock, warn=warn, patience_s=LONG_S) as (other, _),
    ):
        waits = [await limiter.admit("alice") for _ in range(2) for limiter in (one, other)]
    for state in states:
        await state.close()
    assert [wait is None for wait in waits] == [True, True, True, False]


def test_keys_of_a_folder_differ_by_use_and_from_the_one_that_signs_cursors(tmp_path: Path) -> None:
    settings = loaded(tmp_path).settings
    keys = [cursor_key(settings), folder_key(settings, "limits"), folder_key(settings, "peers")]
    assert len({*keys}) == 3
    assert folder_key(settings, "limits") == keys[1]
    assert folder_key(loaded(tmp_path / "other").settings, "limits") != keys[1]


HURRIED = Bounds(head_timeout_s=0.3, unread_timeout_s=0.3, linger_s=0.3)


@asynccontextmanager
async def listening(
    answer: Any = None,
    *,
    app: Any = None,
    most: int = 100,
    bounds: Bounds = Bounds(),  # noqa: B008  frozen
    on_refuse: Callable[[Refusal], None] = lambda _: None,
) -> AsyncGenerator[tuple[int, list[dict[str, Any]]]]:
    """A port behind which every request is remembered and answered."""
    scopes: list[dict[str, Any]] = []

    async def plain(scope: dict[str, Any], receive: Any, send: Any) -> None:
        scopes.append(scope)
        if answer:
            await answer(receive)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def drained() -> None:
        return None

    sockets = open_sockets(Bind(host="127.0.0.1", port=0))
    port = sockets[0].getsockname()[1]
    started = asyncio.Event()
    listener = Listener(
        app or plain,
        on_listening=started.set,
        drain=drained,
        on_refuse=on_refuse,
        most_connections=most,
        bounds=bounds,
    )
    serving = asyncio.create_task(listener.serve(sockets))
    await started.wait()
    try:
        yield port, scopes
    finally:
        listener.should_exit = True
        async with asyncio.timeout(LONG_S):
            await serving


async def talk(port: int, *pieces: bytes) -> bytes:
    """Send pieces, each after the one before has gone out, and read until the server hangs up, however it does."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    got = bytearray()
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.01)  # so that they arrive apart; nothing depends on it if they do not
    except ConnectionError:
        pass  # it hung up before it had all of it; what it said may still be there
    try:
        async with asyncio.timeout(LONG_S):
            while piece := await reader.read(65_536):
                got += piece
    except ConnectionError:
        pass
    finally:
        await hang_up(writer)
    return bytes(got)


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """End a connection with whatever was not sent on it, and see it gone: a close waits for a server that reads on."""
    writer.transport.abort()
    with suppress(ConnectionError):
        await writer.wait_closed()


GET = b"GET /x HTTP/1.1\r\nHost: h\r\n"
LAST = b"Connection: close\r\n\r\n"

LATE = {
    "nothing at all": (),
    "half a line": (b"GET / HT",),
    "a head without its end": (GET,),
    "one byte after the other": tuple(bytes([byte]) for byte in GET[:20]),
}
REFUSED = {
    "no HTTP": ((b"\x16\x03\x01\x02\x00\x01\x00",), b"HTTP/1.1 400"),
    "two lengths": (
        (b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n",),
        b"HTTP/1.1 400",
    ),
    "blank lines": ((b"\r\n", b"\r\n"), b"HTTP/1.1 400"),
    "two transfers": (
        (b"POST / HTTP/1.1\r\nHost: h\r\n" + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n",),
        b"HTTP/1.1 400",
    ),
    "an unknown transfer": (
        (b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",),
        b"HTTP/1.1 400",
    ),
    "a large header": ((GET + b"X: " + b"a" * 70_000 + b"\r\n\r\n",), b"HTTP/1.1 431"),
    "a header without end": ((GET + b"X: ", *[b"a" * 40_000] * 2), b"HTTP/1.1 431"),
    "headers without number": ((GET + b"X: a\r\n" * 20_000,), b"HTTP/1.1 431"),
    "a long address": ((b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n",), b"HTTP/1.1 431"),
}


@pytest.mark.parametrize("pieces", LATE.values(), ids=LATE)
async def test_a_connection_that_gives_no_whole_head_in_time_ends(pieces: tuple[bytes, ...]) -> None:
    async with listening(bounds=HURRIED) as (port, scopes):
        assert await talk(port, *pieces) == b""
        assert scopes == []


async def test_a_second_head_has_no_more_time_than_the_first() -> None:
    async with listening(bounds=HURRIED) as (port, scopes):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET + b"\r\n")
        await reader.readuntil(b"ok")
        writer.write(GET)
        assert await is_cut(reader)
        await hang_up(writer)
        assert len(scopes) == 1


@pytest.mark.parametrize("turns", [0, 10])
async def test_a_head_that_begins_behind_another_request_has_no_more_time_than_the_first(turns: int) -> None:
    async def work(_receive: Any) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)

    async with listening(work, bounds=HURRIED) as (port, scopes):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET + b"\r\n" + GET)
        await reader.readuntil(b"ok")
        assert await is_cut(reader)
        await hang_up(writer)
        assert len(scopes) == 1


REASONS = {b"HTTP/1.1 400": "malformed", b"HTTP/1.1 413": "size", b"HTTP/1.1 431": "head"}


def refusal_in(got: bytes) -> str:
    """The reason in a refusal that is the last answer of a connection."""
    head, _, body = got.partition(b"\r\n\r\n")
    assert b"\r\nconnection: close" in head
    assert b"\r\ncontent-type: application/json" in head
    return json.loads(body)["error"]["data"]["reason"]


@pytest.mark.parametrize(("pieces", "answer"), REFUSED.values(), ids=REFUSED)
async def test_a_head_that_is_none_or_too_large_is_refused(pieces: tuple[bytes, ...], answer: bytes) -> None:
    refusals: list[Refusal] = []
    async with listening(on_refuse=refusals.append) as (port, scopes):
        got = await talk(port, *pieces)
        assert got.startswith(answer)
        assert refusal_in(got) == REASONS[answer]
        assert [refused.reason for refused in refusals] == [REASONS[answer]]
        assert scopes == []


def test_what_a_connection_refuses_is_counted_as_an_answer_and_as_a_refusal() -> None:
    metrics = Metrics(["web_fetch"])
    metrics.refuse_on_wire(Refusal(431, "head", "Too large."))
    page = metrics.page().decode()
    assert 'gossamer_http_answers_total{status="4xx"} 1.0' in page
    assert 'gossamer_http_refused_total{reason="head"} 1.0' in page


async def test_a_blank_line_between_two_requests_ends_the_connection() -> None:
    async with listening() as (port, scopes):
        got = await talk(port, GET + b"\r\n" + b"\r\n" + GET + LAST)
        first, second = got.split(b"HTTP/1.1 ")[1:]
        assert first.startswith(b"200")
        assert second.startswith(b"400")
        assert refusal_in(second) == "malformed"
        assert len(scopes) == 1


async def test_a_body_that_breaks_off_behind_the_beginning_of_its_answer_is_not_answered_twice() -> None:
    refusals: list[Refusal] = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass

    async with listening(app=app, on_refuse=refusals.append) as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        await reader.readuntil(b"begun")
        writer.write(b"no size\r\n")
        try:
            async with asyncio.timeout(LONG_S):
                assert b"HTTP/1.1" not in await reader.read()
        except ConnectionError:
            pass
        await hang_up(writer)
        assert refusals == []


async def test_a_head_of_many_lines_within_the_limit_is_read_and_blanks_round_values_are_not() -> None:
    async with listening() as (port, scopes):
        assert (await talk(port, GET + b"X: a \t\r\n" * 98 + LAST)).startswith(b"HTTP/1.1 200")
        assert scopes[0]["headers"] == [(b"host", b"h"), *[(b"x", b"a")] * 98, (b"connection", b"close")]


async def test_a_large_body_and_the_beginning_of_the_next_head_in_one_piece_are_no_large_head() -> None:
    async def read_all(receive: Any) -> None:
        while (await receive()).get("more_body"):
            pass

    post = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n" + b"b" * 200_000
    async with listening(read_all) as (port, scopes):
        got = await talk(port, post + GET[:10], GET[10:] + LAST)
        assert got.count(b"HTTP/1.1 200") == 2
        assert len(scopes) == 2


POST = b"POST / HTTP/1.1\r\nHost: h\r\n"
INNER = b"GET /inner HTTP/1.1\r\nHost: h\r\n\r\n"
UNREAD = {
    "all of it at once": (b"Content-Length: %d\r\n\r\n" % (len(INNER) * 5_000), INNER * 5_000),
    "none of it yet": (b"Content-Length: 1000000\r\n\r\n",),
    "byte by byte": (b"Content-Length: 1000000\r\n\r\n", *[b"b"] * 3),
    "one byte short, and a request": (b"Content-Length: 4\r\n\r\nabc", INNER),
    "chunks": (b"Transfer-Encoding: chunked\r\n\r\n", *[b"%x\r\n%s\r\n" % (len(INNER), INNER)] * 3),
    "a wish to upgrade": (b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 9000000\r\n\r\n", INNER * 20),
    "a wait for a go-ahead": (b"Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",),
}


@pytest.mark.parametrize("pieces", UNREAD.values(), ids=UNREAD)
async def test_an_answer_before_the_end_of_a_body_is_the_last_of_its_connection(pieces: tuple[bytes, ...]) -> None:
    async with listening(bounds=HURRIED) as (port, scopes):
        got = await talk(port, POST + pieces[0], *pieces[1:])
        assert got.startswith(b"HTTP/1.1 200 OK\r\n")
        assert got.count(b"HTTP/1.1") == 1
        assert b"connection: close" in got.lower()
        assert [scope["method"] for scope in scopes] == ["POST"]


async def test_what_is_sent_after_an_early_answer_is_dropped_so_that_the_answer_arrives() -> None:
    async with listening() as (port, scopes):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST + b"Content-Length: 9000000\r\n\r\n" + b"b" * 4_000_000)
        await writer.drain()
        async with asyncio.timeout(LONG_S):
            got = await reader.read()
        await hang_up(writer)
        assert got.endswith(b"ok")
        assert len(scopes) == 1


UPGRADES = {
    "to WebSocket": (b"Connection: upgrade\r\nUpgrade: websocket\r\n",),
    "to HTTP/2": (
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n",
    ),
    "in two reads": (b"Connection: upgrade\r\nUpgr", b"ade: websocket\r\n"),
    "without a Connection header": (b"Upgrade: h2c\r\n",),
}


@pytest.mark.parametrize("pieces", UPGRADES.values(), ids=UPGRADES)
async def test_a_wish_to_upgrade_is_ignored_and_its_body_kept(pieces: tuple[bytes, ...]) -> None:
    bodies: list[bytes] = []

    async def read_all(receive: Any) -> None:
        body, has_more = b"", True
        while has_more:
            message = await receive()
            body, has_more = body + message["body"], message["more_body"]
        bodies.append(body)

    body = b"\r\nUpgrade: websocket\r\n\r\n" * 40
    tail = b"Content-Length: %d\r\n\r\n" % len(body) + body
    async with listening(read_all) as (port, _):
        got = await talk(port, POST + pieces[0], *pieces[1:], tail + POST + b"Content-Length: 2\r\n" + LAST + b"ok")
        assert got.count(b"HTTP/1.1 200 OK") == 2
        assert bodies == [body, b"ok"]


async def test_a_client_that_reads_nothing_of_a_long_answer_is_cut_off() -> None:
    ended: asyncio.Queue[str] = asyncio.Queue()

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(1_000):
            await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
        ended.put_nowait("sent")

    async with listening(app=app, bounds=HURRIED) as (port, _):
        with socket.create_connection(("127.0.0.1", port)) as silent:
            silent.sendall(GET + b"\r\n")
            async with asyncio.timeout(LONG_S):
                assert await ended.get() == "sent", "what goes to a connection that is gone is dropped"


@pytest.mark.parametrize("wish", [b"", b"Connection: upgrade\r\nUpgrade: h2c\r\n"], ids=["plain", "with an upgrade"])
async def test_a_client_that_leaves_is_noticed_while_its_request_runs(wish: bytes) -> None:
    gone, is_asked = asyncio.Event(), asyncio.Event()

    async def wait_for_leave(receive: Any) -> None:
        is_asked.set()
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    async with listening(wait_for_leave) as (port, _):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST + wish + b"Content-Length: 2\r\n\r\nok")
        async with asyncio.timeout(LONG_S):
            await is_asked.wait()
            await hang_up(writer)
            await gone.wait()


async def test_a_client_that_reads_slowly_gets_everything() -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"20000000")]})
        for _ in range(20):
            await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async with listening(app=app) as (port, _):
        got = await talk(port, GET + LAST)
        assert got.endswith(b"x" * 1_000_000)
        assert got.count(b"x") == 20_000_000


CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "one trailer": (CHUNKED + b"0\r\nX: ", b"a"),
    "the name of a trailer": (CHUNKED + b"0\r\n", b"a"),
    "many trailers": (CHUNKED + b"0\r\n", b"X: a\r\n"),
    "a chunk extension": (CHUNKED + b"4;", b"a"),
    "small chunks with extensions": (CHUNKED, b"1;%s\r\nb\r\n" % (b"a" * 100)),
    "the size of a chunk": (CHUNKED, b"0"),
    "small chunks": (CHUNKED, b"1\r\nb\r\n"),
    "a length": (POST + b"Content-Length: ", b"0"),
    "blanks before a value": (POST + b"X:", b" "),
    "a folded header": (POST + b"X: a\r\n", b" b\r\n"),
}


@pytest.mark.parametrize(("begin", "more"), ENDLESS.values(), ids=ENDLESS)
async def test_whatever_has_no_end_is_refused_and_cut_off(begin: bytes, more: bytes) -> None:
    async def read_all(receive: Any) -> None:
        while (await receive()).get("more_body"):
            pass

    async with listening(read_all, bounds=HURRIED) as (port, _):
        got = await talk(port, begin + more * (8_000_000 // len(more)))
        assert refusal_in(got) == REASONS[got[:12]]
        assert got.count(b"HTTP/1.1") == 1


async def test_a_large_body_reaches_the_parser_in_slices_one_in_each_turn_of_the_loop() -> None:
    sizes: list[int] = []

    async def read_all(receive: Any) -> None:
        is_more = True
        while is_more:
            message = await receive()
            sizes.append(len(message["body"]))
            is_more = message["more_body"]

    body = b"b" * 1_000_000
    async with listening(read_all) as (port, _):
        head = f"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {len(body)}\r\n".encode()
        assert (await talk(port, head + LAST + body)).startswith(b"HTTP/1.1 200")
    assert sum(sizes) == len(body)
    assert max(sizes) <= 8_192


async def test_a_large_body_in_small_chunks_is_read_whole() -> None:
    sizes: list[int] = []

    async def read_all(receive: Any) -> None:
        has_more = True
        while has_more:
            message = await receive()
            sizes.append(len(message["body"]))
            has_more = message["more_body"]

    async with listening(read_all) as (port, _):
        chunks = b"20\r\n%s\r\n" % (b"b" * 32) * 30_000
        got = await talk(port, POST + b"Transfer-Encoding: chunked\r\n" + LAST + chunks + b"0\r\n\r\n")
        assert got.startswith(b"HTTP/1.1 200")
        assert sum(sizes) == 960_000


async def is_cut(reader: asyncio.StreamReader) -> bool:
    """Whether the server hangs up, which is waited for."""
    try:
        async with asyncio.timeout(LONG_S):
            return await reader.read() == b""
    except ConnectionError:
        return True


async def test_of_too_many_connections_the_one_that_rests_longest_makes_room() -> None:
    async with listening(most=3) as (port, scopes):
        lines = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        lines[0][1].write(GET + b"\r\n")
        await lines[0][0].readuntil(b"ok")  # it rests from now on, later than the second
        lines.append(await asyncio.open_connection("127.0.0.1", port))
        assert await is_cut(lines[1][0]), "silent since it came"
        lines.append(await asyncio.open_connection("127.0.0.1", port))
        assert await is_cut(lines[2][0])
        lines.append(await asyncio.open_connection("127.0.0.1", port))
        assert await is_cut(lines[0][0]), "between two requests since before the others came"
        for reader, writer in lines[3:]:
            writer.write(GET + LAST)
            assert (await reader.read()).endswith(b"ok")
        assert len(scopes) == 4
        for _, writer in lines:
            await hang_up(writer)


async def test_a_connection_whose_request_runs_is_never_cut_for_another() -> None:
    may_answer, asked = asyncio.Event(), asyncio.Semaphore(0)
    at_once = iter([True, False] * 2)

    async def wait(_receive: Any) -> None:
        asked.release()
        if not next(at_once):
            await may_answer.wait()

    async with listening(wait, most=2) as (port, _):
        busy = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        for _, writer in busy:
            writer.write(GET + b"\r\n" + GET + LAST)  # two at once: the second begins when the first is answered
            for _ in range(2):
                await asked.acquire()
        late = await asyncio.open_connection("127.0.0.1", port)
        assert await is_cut(late[0])
        may_answer.set()
        for reader, writer in busy:
            assert (await reader.read()).count(b"HTTP/1.1 200") == 2
            await hang_up(writer)
        await hang_up(late[1])


async def write_on(writer: asyncio.StreamWriter) -> None:
    """Send until nobody is there any more."""
    async with asyncio.timeout(LONG_S):
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0)


async def test_a_server_that_ends_closes_the_connections_that_linger_too() -> None:
    async with listening(bounds=Bounds(linger_s=10 * LONG_S)) as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"\x16\x03\x01\x02\x00\x01\x00")
        assert (await reader.read()).startswith(b"HTTP/1.1 400")
    with pytest.raises(ConnectionError):
        await write_on(writer)
    await hang_up(writer)


async def test_connections_that_are_gone_leave_their_room() -> None:
    async with listening(most=2) as (port, scopes):
        for _ in range(10):
            assert (await talk(port, GET + LAST)).endswith(b"ok")
            assert (await talk(port, b"\x16\x03\x01\x02\x00\x01\x00")).startswith(b"HTTP/1.1 400")
        assert len(scopes) == 10
        lines = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        assert await is_cut(lines[0][0]), "no other takes its place, since no other is there"
        for _, writer in lines:
            await hang_up(writer)


class Elsewhere(asyncio.SelectorEventLoop):
    """A loop as on Windows, which takes no signals itself."""

    def add_signal_handler(self, *_: Any) -> None:
        raise NotImplementedError


@pytest.mark.parametrize("factory", [None, Elsewhere])
def test_a_signal_begins_the_drain_on_every_kind_of_loop(factory: Any) -> None:
    before = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGINT)}
    health = Health(EventLog("warning"))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        return None

    async def drained() -> None:
        return None

    async def serve() -> None:
        sockets = open_sockets(Bind(host="127.0.0.1", port=0))
        stop = lambda: signal.raise_signal(signal.SIGTERM)  # noqa: E731  a moment after it listens
        listener = Listener(app, on_listening=stop, drain=drained, on_refuse=lambda _: None, most_connections=1)
        take_signals(listener, health)
        async with asyncio.timeout(LONG_S):
            await listener.serve(sockets)

    try:
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(serve())
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    assert health.is_draining


async def test_requests_sent_at_once_are_answered_in_order() -> None:
    async with listening() as (port, scopes):
        paths = [b"/%d" % number for number in range(20)]
        requests = [b"GET %s HTTP/1.1\r\nHost: h\r\n\r\n" % path for path in paths[:-1]]
        got = await talk(port, b"".join(requests) + b"GET %s HTTP/1.1\r\nHost: h\r\n%s" % (paths[-1], LAST))
        assert got.count(b"HTTP/1.1 200 OK") == 20
        assert [scope["raw_path"] for scope in scopes] == paths


@pytest.mark.parametrize("size", [10, 5_000, 20_000, 40_000, 60_000])
async def test_a_head_of_any_size_behind_another_request_is_answered(size: int) -> None:
    async with listening() as (port, scopes):
        got = await talk(port, GET + b"\r\n" + GET + b"X: " + b"a" * size + b"\r\n" + LAST)
        assert got.count(b"HTTP/1.1 200 OK") == 2
        assert len(scopes) == 2


RATES = {
    "as the contract says": ("", {"search_web": (20, 600)}),
    "as the operator says": ("search_web=5/60", {"search_web": (5, 60)}),
    "beside another tool's": ("web_fetch=1/1", {"search_web": (20, 600), "web_fetch": (1, 1)}),
    "none": ("search_web=0", {}),
}


@pytest.mark.parametrize(("written", "expected"), RATES.values(), ids=RATES)
def test_a_tool_has_the_limit_of_its_contract_unless_the_operator_says_otherwise(
    written: str, expected: dict[str, tuple[int, int]], tmp_path: Path
) -> None:
    settings = loaded(tmp_path, GOSSAMER_LIMITS__TOOLS=written).settings
    rates = tool_rates(settings, choose_tools(["all", "verify"]))
    assert {name: (rate.count, rate.seconds) for name, rate in rates.items()} == expected
