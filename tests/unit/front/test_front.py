"""The front answers as the real server does, or leaves the question to it."""

import asyncio
import importlib.util
import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest

import gossamer
from gossamer.contracts import REGISTRY
from gossamer.front.handshake import Handshake
from gossamer.front.messages import json_reader
from gossamer.front.snapshot import compose
from gossamer.server.protocol import build_server
from gossamer.server.service import Service
from gossamer.server.stdio.lines import read_line
from gossamer.settings.early import read_early, read_flags
from gossamer.settings.load import load
from tests.patience import tried

ROOT = Path(__file__).parents[3]
SNAPSHOT = json.loads((Path(gossamer.__file__).parent / "front" / "snapshot.json").read_text(encoding="utf-8"))
HANDSHAKES = SNAPSHOT["handshake_versions"]
MODERN = SNAPSHOT["modern_version"]
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CORE = {"GOSSAMER_CONFIG": os.devnull}

Messages = Sequence[dict[str, Any]]


def request(number: Any, method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


def initialize(version: str = HANDSHAKES[-1], number: Any = 1, **changes: Any) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}, **changes}
    return request(number, "initialize", params)


def handshake_for(environ: dict[str, str]) -> Handshake | None:
    flags = read_flags([])
    assert flags
    early = read_early(flags, SNAPSHOT["settings"], environ)
    answers = compose(SNAPSHOT, early) if early else None
    return Handshake(answers, json_reader()) if answers else None


def front_replies(environ: dict[str, str], messages: Messages) -> list[dict[str, Any]]:
    """What the front answers; every message must be one that it knows."""
    handshake = handshake_for(environ)
    assert handshake
    replies = [handshake.take(json.dumps(message).encode()) for message in messages]
    assert not handshake.has_deferred
    return [json.loads(reply) for reply in replies if reply]


def server_replies(environ: dict[str, str], messages: Messages) -> list[dict[str, Any]]:
    """What the real server answers, one by one."""
    return asyncio.run(_server_replies(Service(load(environ=environ)), messages))


async def _server_replies(service: Service, messages: Messages) -> list[dict[str, Any]]:
    server = build_server(service)
    to_server, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbox, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    replies: list[dict[str, Any]] = []
    async with to_server, from_server, anyio.create_task_group() as group:
        group.start_soon(server.run, inbox, outbox, server.create_initialization_options())
        for message in messages:
            parsed = read_line(json.dumps(message).encode())
            assert parsed
            await to_server.send(parsed)
            if isinstance(parsed.message, JSONRPCRequest):
                reply = (await from_server.receive()).message
                replies.append(json.loads(reply.model_dump_json(by_alias=True, exclude_unset=True)))
        group.cancel_scope.cancel()
    return replies


def script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_snapshot_is_what_the_server_says_today() -> None:
    recorder = script("snapshot")
    assert recorder.PLACE.read_text(encoding="utf-8") == recorder.snapshot(), "stale: run scripts/snapshot.py"


TALKS: dict[str, Messages] = {
    **{
        f"a handshake for {version}": [
            initialize(version),
            INITIALIZED,
            request(2, "tools/list"),
            request(3, "prompts/list", {}),
        ]
        for version in (*HANDSHAKES, "2099-01-01", MODERN, "")
    },
    "discovery, then lists": [
        request("a", "server/discover", {"_meta": ENVELOPE}),
        request("b", "tools/list", {"_meta": ENVELOPE}),
        request("c", "prompts/list", {"_meta": ENVELOPE}),
    ],
    "a list without discovery": [request(0, "tools/list", {"_meta": {**ENVELOPE, "progressToken": "p"}})],
}
SELECTIONS = {
    "everything by default": {},
    **{f"contract {name}": {"GOSSAMER_TOOLS": name} for name in REGISTRY.names},
    **{
        f"tool {name}": {"GOSSAMER_TOOLS": name}
        for name in (*itertools.chain(*REGISTRY.names.values()), "web-search", "web-readFromPage")
    },
    "all": {"GOSSAMER_TOOLS": "all"},
    "one to opt in": {"GOSSAMER_TOOLS": "core,verify"},
    "all without dots": {"GOSSAMER_TOOLS": "all", "GOSSAMER_DOTLESS": "yes"},
    "no search": {"WEB_SEARCH_ENABLED": "false"},
    "no fetch": {"WEB_FETCH_ENABLED": "false"},
    "neither": {"WEB_SEARCH_ENABLED": "0", "WEB_FETCH_ENABLED": "0"},
    "Japanese": {"GOSSAMER_LANGUAGE": "ja"},
    "Japanese, all, no fetch": {"GOSSAMER_LANGUAGE": "ja", "GOSSAMER_TOOLS": "all", "WEB_FETCH_ENABLED": "off"},
}


def random_lists() -> dict[str, dict[str, str]]:
    dice = random.Random(7)
    names = [*REGISTRY.names, *itertools.chain(*REGISTRY.names.values()), "all", "web-search"]
    found: dict[str, dict[str, str]] = {}
    while len(found) < 20:
        environ = {"GOSSAMER_TOOLS": ",".join(dice.choices(names, k=dice.randint(1, 6)))}
        environ |= {"GOSSAMER_LANGUAGE": "ja"} if dice.random() < 0.4 else {}
        environ |= {"GOSSAMER_DOTLESS": "1"} if dice.random() < 0.3 else {}
        environ |= {f"WEB_{dice.choice(['SEARCH', 'FETCH'])}_ENABLED": "0"} if dice.random() < 0.3 else {}
        found[" ".join(environ.values())] = environ
    return found


@pytest.mark.parametrize("selection", {**SELECTIONS, **random_lists()}.items(), ids=lambda pair: pair[0])
def test_every_selection_is_answered_as_the_server_answers_it(selection: tuple[str, dict[str, str]]) -> None:
    environ = {**CORE, **selection[1]}
    service = Service(load(environ=environ))
    is_published = any(
        name in SNAPSHOT["needs"]
        for asked in environ.get("GOSSAMER_TOOLS", "core").split(",")
        for name in (["web_search"] if asked == "all" else REGISTRY.names.get(asked, [asked.replace("web-", "web.")]))
    )
    if not is_published:
        assert handshake_for(environ) is None
        return
    for messages in TALKS.values():
        assert front_replies(environ, messages) == asyncio.run(_server_replies(service, messages))


def test_what_the_server_would_complain_about_is_left_to_it() -> None:
    for tools in ("cor", "core,nothing", "web..search"):
        assert handshake_for({**CORE, "GOSSAMER_TOOLS": tools}) is None


def test_names_with_dots_are_published_in_either_spelling() -> None:
    dotted = json.loads(json.dumps(SNAPSHOT))
    dotted["needs"] = {"web.search": ["search"]}
    words = dotted["languages"]["en"]
    words["tools"]["web.search"] = ',"inputSchema":{}}'
    words["uses"]["web.search"] = "finds."
    for asked, environ, published in (
        ("web.search", {}, "web.search"),
        ("web-search", {}, "web.search"),
        ("google", {"GOSSAMER_DOTLESS": "1"}, "web-search"),
    ):
        flags = read_flags(["serve", "--tools", asked])
        early = read_early(flags, SNAPSHOT["settings"], {**CORE, **environ}) if flags else None
        answers = compose(dotted, early) if early else None
        assert answers
        assert json.loads(answers.result("legacy", "tools/list"))["tools"] == [{"name": published, "inputSchema": {}}]
        assert json.loads(answers.initialize("1"))["instructions"].startswith(f"{published}: finds. ")


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
)
json_values: st.SearchStrategy[Any] = st.deferred(
    lambda: scalars | st.lists(json_values, max_size=2) | st.dictionaries(st.text(max_size=3), json_values, max_size=2)
)


def mostly(usual: Any) -> st.SearchStrategy[Any]:
    return st.one_of(st.just(usual), st.just(usual), st.just(usual), json_values)


tables = st.just({}) | st.dictionaries(st.sampled_from(["form", "url", "tools", "x"]), mostly({}), max_size=2)
capabilities = st.one_of(
    st.just({}),
    json_values,
    st.fixed_dictionaries(
        {},
        optional={
            "roots": st.one_of(json_values, st.fixed_dictionaries({}, optional={"listChanged": mostly(usual=True)})),
            "sampling": tables | json_values,
            "elicitation": tables | json_values,
            "experimental": tables | json_values,
            "extensions": tables | json_values,
            "tasks": st.just({"list": {}, "requests": {"sampling": {"createMessage": {}}}}) | tables | json_values,
            "tools": json_values,
        },
    ),
)
clients = st.one_of(
    json_values,
    st.fixed_dictionaries(
        {"name": mostly("t"), "version": mostly("1")},
        optional={
            "title": mostly("T"),
            "websiteUrl": mostly("https://example.org"),
            "description": json_values,
            "icons": st.just([{"src": "https://example.org/i.png"}]) | json_values,
            "more": json_values,
        },
    ),
)
marks = st.one_of(st.none(), st.integers(), st.text(max_size=3), st.booleans(), st.just(1.5), json_values)
metas = st.fixed_dictionaries({}, optional={"progressToken": marks, "traceparent": json_values, "x/y": json_values})
ids = st.one_of(st.integers(-(2**60), 2**60), st.text(max_size=4), st.sampled_from(["a-b", '"', "\\", "é", "1", ""]))
handshakes = st.builds(
    lambda number, params: request(number, "initialize", params),
    ids,
    st.fixed_dictionaries(
        {"protocolVersion": st.sampled_from([*HANDSHAKES, MODERN, "1"]) | json_values, "capabilities": capabilities},
        optional={"clientInfo": clients, "_meta": metas | json_values, "more": json_values},
    ).flatmap(lambda params: st.just(params) | st.just({"clientInfo": {"name": "t", "version": "1"}, **params})),
)
lists = st.builds(
    request,
    ids,
    st.sampled_from(["tools/list", "prompts/list", "server/discover"]),
    st.one_of(
        st.none(),
        st.fixed_dictionaries({}, optional={"_meta": metas | json_values, "cursor": mostly("x"), "more": json_values}),
    ),
)
enveloped = st.builds(
    lambda number, method, meta: request(number, method, {"_meta": meta}),
    ids,
    st.sampled_from(["tools/list", "prompts/list", "server/discover", "ping"]),
    st.fixed_dictionaries(
        {
            "io.modelcontextprotocol/protocolVersion": mostly(MODERN),
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
        optional={
            "io.modelcontextprotocol/clientInfo": clients,
            "io.modelcontextprotocol/logLevel": st.sampled_from(["info", "loud", None]),
            "io.modelcontextprotocol/else": json_values,
            "progressToken": marks,
            "x": json_values,
        },
    ),
)
talks = st.one_of(
    st.tuples(handshakes, lists),
    st.tuples(st.just(initialize()), lists, lists),
    st.tuples(enveloped, enveloped),
    st.tuples(lists, handshakes),
    st.tuples(st.just(initialize()), enveloped, st.just(request(9, "tools/list"))),
)
SERVICE: list[Service] = []


@given(messages=talks)
@tried(300)
def test_whatever_the_front_answers_the_server_would_have_answered_alike(messages: Messages) -> None:
    SERVICE[:] = SERVICE or [Service(load(environ=CORE))]
    handshake = handshake_for(CORE)
    assert handshake
    replies = [handshake.take(json.dumps(message).encode()) for message in messages]
    expected = asyncio.run(_server_replies(SERVICE[0], messages))
    for message, reply, wanted in zip(messages, replies, expected, strict=True):
        assert not reply or json.loads(reply) == wanted, message
    left = [line(message) for message, reply in zip(messages, replies, strict=True) if not reply]
    replay = handshake.replay(json.dumps).splitlines()
    assert replay[1 if replies[0] else 0 :] == left


def line(message: object) -> bytes:
    return json.dumps(message).encode()


def spoken(*messages: object) -> tuple[Handshake, list[bytes]]:
    handshake = handshake_for(CORE)
    assert handshake
    replies = [handshake.take(one if isinstance(one, bytes) else line(one)) for one in messages]
    return handshake, replies


def test_the_real_server_hears_the_handshake_and_what_was_left_to_it_in_order() -> None:
    call = request(3, "tools/call", {"name": "web_fetch", "arguments": {}})
    handshake, replies = spoken(initialize(), INITIALIZED, request(2, "tools/list"), call, b" \r\n")
    assert [bool(reply) for reply in replies] == [True, False, True, False, False]
    assert handshake.replay(json.dumps) == b"".join(line(one) + b"\n" for one in (initialize(), INITIALIZED, call))
    assert (handshake.opening_id, handshake.has_listed, handshake.has_deferred, handshake.owes_reply) == (
        1,
        True,
        True,
        True,
    )


def test_a_handshake_for_an_unknown_version_is_retold_with_the_one_that_was_agreed() -> None:
    handshake, _ = spoken(initialize("2099-01-01"))
    assert json.loads(handshake.replay(json.dumps)) == initialize(HANDSHAKES[-1])
    assert not handshake.has_deferred


def test_lists_are_answered_past_a_question_that_waits_for_the_server() -> None:
    _, replies = spoken(initialize(), request(2, "resources/list"), request(3, "tools/list"))
    assert [bool(reply) for reply in replies] == [True, False, True]


STATE_CHANGERS = {
    "a second handshake": initialize(number=2),
    "no JSON": b"nope",
    "a batch": [request(2, "ping")],
    "an answer to nothing": {"jsonrpc": "2.0", "id": 2, "result": {}},
    "broken characters": b'{"jsonrpc":"2.0","id":2,"method":"\xff"}',
    "not a number": b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
    "two values": b"{} {}",
    "depth": b"[" * 100_000,
}


@pytest.mark.parametrize("changer", STATE_CHANGERS.values(), ids=STATE_CHANGERS)
def test_behind_a_line_that_may_change_everything_nothing_is_answered(changer: object) -> None:
    handshake, replies = spoken(initialize(), changer, request(3, "tools/list"), INITIALIZED)
    assert [bool(reply) for reply in replies] == [True, False, False, False]
    assert handshake.replay(json.dumps).count(b"\n") == 4
    assert handshake.owes_reply


@pytest.mark.parametrize("number", [None, 1.5, True, [], {}])
def test_a_request_whose_id_is_none_is_left_to_the_server_and_awaits_its_answer(number: object) -> None:
    handshake, replies = spoken(initialize(), request(number, "tools/list"), request(3, "tools/list"))
    assert [bool(reply) for reply in replies] == [True, False, True]
    assert handshake.owes_reply
    assert handshake.replay(json.dumps).splitlines() == [line(initialize()), line(request(number, "tools/list"))]


def test_before_a_handshake_a_plain_question_and_all_behind_it_are_left_to_the_server() -> None:
    handshake, replies = spoken(request(1, "tools/list"), initialize(number=2), request(3, "tools/list"))
    assert replies == [b"", b"", b""]
    assert handshake.opening_id is None


def test_notifications_ask_for_nothing() -> None:
    handshake, _ = spoken(
        INITIALIZED, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    )
    assert handshake.has_deferred
    assert not handshake.owes_reply


def test_each_of_the_two_readers_of_json_reads_alike() -> None:
    read = json_reader()
    for text in ('{"a": [1, 2.5, true, null, "\\u00e9"]}', " [] \n", '"x"', "7"):
        assert read(text) == json.loads(text)
    for text in ("", "{", "[1] 2", "nul", "NaN", "'a'"):
        with pytest.raises(ValueError):  # noqa: PT011  which words it has does not matter
            read(text)


LIGHT = """
import sys
from gossamer.front import _handshake
from gossamer.front.relay import Relay
from gossamer.settings.early import read_flags
assert _handshake(read_flags(["serve", "--tools", "all"]))
print(*sys.modules)
"""


def test_the_front_loads_next_to_nothing() -> None:
    bare = {"PATH": os.environ["PATH"], "HOME": "/nowhere"}
    before = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], env=bare, capture_output=True, check=True
    )
    after = subprocess.run([sys.executable, "-c", LIGHT], env=bare, capture_output=True, check=True)
    loaded = set(after.stdout.decode().split()) - set(before.stdout.decode().split())
    assert {name for name in loaded if not name.startswith("gossamer")} <= {"_json", "select"}
    assert len(loaded) < 16
