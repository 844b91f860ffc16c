"""Everything that was recorded of any service, over real HTTP and through the real engine.

The services answer word for word as they were recorded; what comes out is what was written beside it, and no key of
ours is in anything that anybody could read: not even where a service repeats the key that it was given.
"""

import asyncio
import json
import logging
import os
import traceback
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gossamer import errors
from gossamer.engine import EngineOptions
from gossamer.errors import GossamerError
from gossamer.model.http import HttpReply
from gossamer.model.search import Hit
from gossamer.net.client import ApiDoor
from gossamer.ports import Provider
from gossamer.providers import PROVIDERS
from gossamer.states.memory import MemoryState
from gossamer.steps.web.urls import fingerprint
from gossamer.testing.provider_contract import written
from gossamer.testing.recorded import RECORDED, SECRET, Case, dump, sample
from tests.real.fake_services import FakeServices, all_cases, fake_services
from tests.real.processes import open_wire
from tests.real.rig import RunningClock, api_door, engine_over, new_call

CASES = [case for case in all_cases() if not any(reply.url for reply in case.replies)]
"""A case with an address of its own is one that the door never lets come so far."""
LIMITS = EngineOptions(provider_timeout_s=30.0, search_cache_s=3600)


class Everything(logging.Handler):
    """Keeps all that is logged by anybody."""

    def __init__(self) -> None:
        super().__init__(level=0)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(f"{record.getMessage()} {record.args} {record.exc_info}")


async def played(
    door: ApiDoor, services: FakeServices, case: Case, replies: Sequence[HttpReply], provider: Provider
) -> tuple[object, list[str]]:
    """What a search came to, and every word of it: result, error with its causes, call, and what is remembered."""
    services.play(case.made.name, replies)
    clock = RunningClock(datetime(RECORDED.year, RECORDED.month, RECORDED.day, 12, tzinfo=UTC).timestamp())
    state = MemoryState(clock=clock)
    engine = engine_over(door, provider, limits=LIMITS, clock=clock, state=state)
    call = new_call(clock)
    ended: object
    try:
        ended = await engine.search(case.query, call, providers=[provider.name])
        words = [repr(ended)]
    except GossamerError as error:
        ended = error
        words = [repr(error), str(error), *traceback.format_exception(error)]
    kept = [repr(vars(state))]
    return ended, [*words, repr(call), repr(provider), str(provider), *kept]


def of(name: str) -> list[Case]:
    return [case for case in CASES if case.made.name == name]


def wrong(case: Case, ended: object) -> str:
    """How an end differs from what was written beside the case; nothing, if it does not."""
    expected = case.expected
    if "error" in expected:
        kind: Any = getattr(errors, expected["error"])
        is_right = isinstance(ended, kind) and expected.get("says", "") in str(ended)
        return "" if is_right else f"{case.name}: {ended!r} for {dict(expected)}"
    if isinstance(ended, GossamerError):
        return f"{case.name}: {ended!r}"
    page: Any = ended
    home = sample(case.made).instance(case.query)
    hits = [replace(hit, score=0.0, url=hit.url.replace(page.instance, home)) for hit in page.hits]
    pages: dict[str, Hit] = {}
    for hit in expected["hits"]:
        pages.setdefault(fingerprint(hit["url"]), written(hit))
    return "" if hits == list(pages.values()) else f"{case.name}: {hits}"


@pytest.mark.promise("000.151", "002.129", "002.139")
@pytest.mark.parametrize("name", PROVIDERS)
async def test_what_a_service_says_over_http_comes_out_as_what_it_means(name: str) -> None:
    async with fake_services() as services, api_door() as door:
        provider = services.provider(name)
        ends = [(case, (await played(door, services, case, case.replies, provider))[0]) for case in of(name)]
    assert ends
    assert [said for case, ended in ends if (said := wrong(case, ended))] == []


def with_the_key_repeated(reply: HttpReply) -> HttpReply:
    """The same reply from a service that repeats the key in every sentence and in a header."""

    def told(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: told(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [told(inner) for inner in value]
        return f"{value} You sent {SECRET}." if isinstance(value, str) and " " in value else value

    headers = {**reply.headers, "x-echo": SECRET, "set-cookie": f"key={SECRET}"}
    try:
        return replace(reply, headers=headers, body=dump(told(json.loads(reply.body))))
    except ValueError:
        return replace(reply, headers=headers, body=reply.body + f"<!-- {SECRET} -->".encode())


BAD = [case for case in CASES if "error" in case.expected or case.replies[0].status >= 400]


def secrets_of(name: str) -> list[str]:
    """The settings of a provider that nobody else may see."""
    return [field for field, shape in PROVIDERS[name].model_fields.items() if "SecretStr" in str(shape.annotation)]


KEYED = [name for name in PROVIDERS if secrets_of(name)]


@pytest.mark.promise("001.95", "004.76")
@pytest.mark.parametrize("name", KEYED)
async def test_no_key_is_in_anything_that_is_written_while_services_complain(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    everything, root = Everything(), logging.getLogger()
    level = root.level
    root.addHandler(everything)
    root.setLevel(0)
    words: list[str] = []
    try:
        async with fake_services() as services, api_door() as door:
            provider = services.provider(name)
            for case in of(name):
                for replies in (case.replies, [with_the_key_repeated(reply) for reply in case.replies]):
                    if case in BAD:
                        words += (await played(door, services, case, replies, provider))[1]
            asked = services.asked
    finally:
        root.setLevel(level)
        root.removeHandler(everything)
    out, err = capfd.readouterr()
    assert any(SECRET in request for request in asked), "no key was sent, so there was nothing to hide"
    assert words
    assert [word for word in (*words, *everything.said, out, err) if SECRET in word] == []


TELLING = (
    "cookie:",
    "from:",
    "forwarded:",
    "via:",
    "x-forwarded-for:",
    "x-real-ip:",
    "origin:",
    "user:",
    "x-request-id:",
)


@pytest.mark.promise("002.2", "002.100", "002.104", "002.162", "002.164")
@pytest.mark.parametrize("name", PROVIDERS)
async def test_nothing_that_tells_users_apart_is_sent(name: str) -> None:
    async with fake_services() as services, api_door() as door:
        await played(door, services, of(name)[0], of(name)[0].replies, services.provider(name))
    lines = [line.lower() for request in services.asked for line in request.split("\r\n")]
    assert lines.count("dnt: 1") == len(services.asked) > 0
    assert [line for line in lines if line.startswith(TELLING)] == []


async def test_a_model_is_told_to_store_nothing() -> None:
    async with fake_services() as services, api_door() as door:
        await played(door, services, of("openai")[0], of("openai")[0].replies, services.provider("openai"))
    bodies = [json.loads(request.partition("\r\n\r\n")[2]) for request in services.asked]
    assert [body["store"] for body in bodies] == [False] * len(bodies)
    assert not {"user", "metadata", "safety_identifier", "previous_response_id"} & {
        key for body in bodies for key in body
    }


def everything_written(environment: dict[str, str]) -> tuple[str, bytes]:
    """What a server says on both streams while it is asked for every category, and what it leaves on disk."""
    with open_wire(environment) as wire:
        wire.handshake()
        said = [
            repr(wire.call("web_search", query=f"tokio {category}", category=category, fetch_content=False))
            for category in ("general", "news", "images", "videos", "it", "science")
        ]
        wire.process.stdin.close()  # type: ignore[union-attr]
        wire.process.wait(timeout=60)
        said.append(wire.process.stderr.read().decode())  # type: ignore[union-attr]
    files = [path.read_bytes() for path in sorted(Path(environment["DATA_DIR"]).rglob("*")) if path.is_file()]
    return "\n".join(said), b"\n".join(files)


@pytest.mark.promise("004.76")
async def test_a_server_that_talks_writes_no_key_anywhere(tmp_path: Path) -> None:
    """At its most talkative, with a key for everybody, and everybody complaining about the key in plain words."""
    complaint = dump({"error": {"message": f"Bad key {SECRET}!"}, "message": f"Bad key {SECRET}!", "key": SECRET})
    bad = HttpReply(status=400, url="", headers={"content-type": "application/json"}, body=complaint)
    async with fake_services() as services:
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DATA_DIR": str(tmp_path / "data")}
        environment |= {"GOSSAMER_LOG__LEVEL": "debug", "GOSSAMER_SEARCH__TIMEOUT_S": "60"}
        for name in PROVIDERS:
            services.play(name, [bad])
            environment[f"GOSSAMER_PROVIDERS__{name.upper()}__BASE_URL"] = f"http://127.0.0.1:{services.port}/{name}"
            for field in secrets_of(name):
                environment[f"GOSSAMER_PROVIDERS__{name.upper()}__{field.upper()}"] = SECRET
        said, kept = await asyncio.to_thread(everything_written, environment)
    assert {name for name in KEYED if any(f"/{name}" in request for request in services.asked)} == set(KEYED)
    assert "did not accept" in said
    assert '"level"' in said
    assert SECRET not in said
    assert SECRET.encode() not in kept
