"""The official TypeScript SDK's clients, the old one and the new, walk over the server as an application would."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gossamer.demo.web import MiniWeb
from tests.node.programs import typescript_client
from tests.real.processes import environment_for, open_http
from tests.real.serving import new_token
from tests.real.slow_site import PATIENT, slow_site

pytestmark = pytest.mark.component("node")

CORE = ["web_search", "web_fetch", "web_read", "web_answer"]
INVALID_PARAMS = -32602
LEGACY, MODERN = "2025-11-25", "2026-07-28"


@dataclass(frozen=True, kw_only=True)
class Walk:
    """One client on one transport, and what it saw."""

    sdk: str
    era: str
    transport: str
    page: str
    """The page that its search ought to find first."""
    seen: dict[str, Any]


WALKS = [
    (sdk, era, transport)
    for sdk, era in (("v1", "legacy"), ("v2", "legacy"), ("v2", "modern"))
    for transport in ("stdio", "http")
]


@pytest.fixture(scope="module", params=WALKS, ids=" ".join)
def walk(request: pytest.FixtureRequest, web: MiniWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    sdk, era, transport = request.param
    with slow_site() as slow:
        environment = environment_for(web.url, web.host, tmp_path_factory.mktemp("typescript")) | PATIENT
        environment["GOSSAMER_NET__ALLOW_PRIVATE"] += f",{slow.host}"
        task = {
            "sdk": sdk,
            "era": era,
            "query": "ferry timetable",
            "question": "When does the first ferry leave?",
            "slow": slow.url,
        }
        if transport == "stdio":
            command = [str(Path(sys.executable).with_name("gossamer"))]
            seen = typescript_client(**task, command=command, env=environment)
        else:
            token = new_token(environment)
            with open_http(environment) as server:
                seen = typescript_client(**task, url=server.url, token=token)
        yield Walk(sdk=sdk, era=era, transport=transport, page=f"{web.url}/ferry/timetable", seen=seen)


def text_of(result: dict[str, Any]) -> str:
    return result["content"][0]["text"]


def test_the_client_and_the_server_agree_on_an_era(walk: Walk) -> None:
    assert walk.seen["server"]["name"] == "gossamer"
    assert walk.seen["instructions"].startswith("web_search: ")
    if walk.sdk == "v2":
        assert walk.seen["version"] == {"legacy": LEGACY, "modern": MODERN}[walk.era]


def test_every_core_tool_is_listed_and_gives_its_result(walk: Walk) -> None:
    seen = walk.seen
    assert [tool["name"] for tool in seen["tools"]] == CORE
    assert [seen[name].get("isError", False) for name in CORE] == [False] * 4
    assert seen["web_search"]["structuredContent"]["results"][0]["url"] == walk.page
    assert "Port Ellery" in text_of(seen["web_fetch"])
    assert "Port Ellery" in text_of(seen["web_read"])
    assert seen["web_answer"]["structuredContent"]["citations"]
    assert "structuredContent" not in seen["web_fetch"]


def test_progress_is_heard_and_only_grows(walk: Walk) -> None:
    counts = [step["progress"] for step in walk.seen["progress"]]
    assert counts == sorted(set(counts))
    assert "read a page" in [step["message"] for step in walk.seen["progress"]]


def test_a_failed_call_is_a_result_that_the_client_accepts(walk: Walk) -> None:
    for name, said in (("invalid", "results_count must be at most 50"), ("refused", "is not on the public web")):
        failed = walk.seen[name]
        assert failed["isError"] is True
        assert said in text_of(failed)
        assert failed["_meta"]["gossamer/outcome"] == name


def test_an_unknown_tool_is_an_error_of_the_protocol(walk: Walk) -> None:
    assert walk.seen["unknown"]["code"] == INVALID_PARAMS
    assert "no_such_tool" in walk.seen["unknown"]["message"]


def test_a_cancelled_call_ends_for_the_client_and_on_the_server(walk: Walk) -> None:
    cancelled = walk.seen["cancelled"]
    assert cancelled["asked"] is True
    assert "the reader left" in cancelled["error"]["message"]
    assert cancelled["stopped"] is True
    assert "Port Ellery" in text_of(walk.seen["after"])


def test_prompts_are_listed_and_filled_in(walk: Walk) -> None:
    assert [prompt["name"] for prompt in walk.seen["prompts"]] == ["research", "fact_check", "compare"]
    (message,) = walk.seen["prompt"]["messages"]
    assert '"ferry timetable"' in message["content"]["text"]


def test_pages_already_read_are_shown_to_the_user_of_this_machine_alone(walk: Walk) -> None:
    listed = [page["description"] for page in walk.seen["resources"]]
    if walk.transport == "stdio":
        assert any(walk.page in description for description in listed)
        assert "<untrusted-web-content" in walk.seen["resource"]["contents"][0]["text"]
    else:
        assert listed == []
    assert "No page is kept under this URI." in walk.seen["missing"]["message"]
