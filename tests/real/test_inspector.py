"""The official inspector's command line against the server: what it would tell whoever tries us out."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gossamer.demo.web import MiniWeb
from tests.node.programs import Done, environment_options, inspector
from tests.real.processes import environment_for, open_http
from tests.real.serving import new_token

pytestmark = pytest.mark.component("node")

CORE = ["web_search", "web_fetch", "web_read", "web_answer"]
SERVE = [str(Path(sys.executable).with_name("gossamer")), "serve"]
ERAS = ["legacy", "modern"]
COUNTS = re.compile(r"\b(\d+) (error|warning)s?\b")
"""The inspector exits with 0 over warnings, so its own count decides."""
BAD_TOOLS = """
import anyio, mcp.types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"page": {"type": ["string", "null"]}}}

async def list_tools(ctx, params):
    return types.ListToolsResult(tools=[types.Tool(name="bad", input_schema=SCHEMA)])

async def main():
    server = Server("bad", on_list_tools=list_tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(main)
"""


@pytest.fixture(scope="module")
def environment(web: MiniWeb, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return environment_for(web.url, web.host, tmp_path_factory.mktemp("inspector"))


@pytest.fixture(scope="module")
def over_http(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """How the inspector is pointed at an HTTP server that wants a token."""
    apart = {**environment, "DATA_DIR": str(tmp_path_factory.mktemp("guarded"))}
    token = new_token(apart)
    with open_http(apart) as server:
        yield [server.url, "--transport", "http", "--header", f"Authorization: Bearer {token}"]


@pytest.fixture(scope="module")
def over_stdio(environment: dict[str, str]) -> list[str]:
    """How the inspector starts a server, with the environment that clients would give it."""
    return [*environment_options(environment), *SERVE]


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest) -> list[str]:
    return request.getfixturevalue(f"over_{request.param}")


def asked(target: list[str], home: Path, *options: str) -> Done:
    return inspector(*target, *options, "--format", "json", home=home)


def result(done: Done) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


def counted(done: Done) -> list[tuple[str, str]]:
    return [found for found in COUNTS.findall(done.stderr) if found[0] != "0"]


@pytest.mark.parametrize("era", ERAS)
def test_no_tool_is_complained_about(era: str, target: list[str], tmp_path: Path) -> None:
    done = asked(target, tmp_path, "--method", "tools/list", "--strict", "--protocol-era", era)
    assert [tool["name"] for tool in result(done)["tools"]] == CORE
    assert counted(done) == []
    assert done.stderr == ""


EVERY_TOOL = {
    "older era": ["--tools", "all", "--protocol-era", "legacy"],
    "newer era": ["--tools", "all", "--protocol-era", "modern"],
    "names without dots": ["--tools", "all", "--dotless", "--protocol-era", "modern"],
}


@pytest.mark.parametrize("options", EVERY_TOOL.values(), ids=EVERY_TOOL)
def test_no_tool_of_all_is_complained_about(options: list[str], over_stdio: list[str], tmp_path: Path) -> None:
    done = asked([*over_stdio, *options], tmp_path, "--method", "tools/list", "--strict")
    assert set(CORE) <= {tool["name"] for tool in result(done)["tools"]}
    assert counted(done) == []
    assert done.stderr == ""


def test_a_tool_that_clients_may_reject_is_complained_about(tmp_path: Path) -> None:
    done = asked([sys.executable, "-c", BAD_TOOLS], tmp_path, "--method", "tools/list", "--strict")
    assert counted(done) == [("1", "warning")]


@pytest.mark.parametrize("era", ERAS)
def test_a_page_is_fetched(era: str, target: list[str], web: MiniWeb, tmp_path: Path) -> None:
    given = json.dumps({"url": f"{web.url}/ferry/timetable"})
    call = ["--method", "tools/call", "--tool-name", "web_fetch", "--tool-args-json", given]
    fetched = result(asked(target, tmp_path, *call, "--protocol-era", era))
    assert "Port Ellery" in fetched["content"][0]["text"]


def test_a_failed_call_says_so_by_its_exit_code(over_http: list[str], tmp_path: Path) -> None:
    given = json.dumps({"url": "http://169.254.169.254/"})
    done = asked(over_http, tmp_path, "--method", "tools/call", "--tool-name", "web_fetch", "--tool-args-json", given)
    assert done.returncode == 5, done.stderr
    assert "169.254.169.254 is not on the public web" in done.stdout


@pytest.mark.parametrize("era", ERAS)
def test_prompts_are_listed(era: str, target: list[str], tmp_path: Path) -> None:
    listed = result(asked(target, tmp_path, "--method", "prompts/list", "--protocol-era", era))
    assert [prompt["name"] for prompt in listed["prompts"]] == ["research", "fact_check", "compare"]


def test_a_prompt_is_filled_in(over_http: list[str], tmp_path: Path) -> None:
    given = ["--prompt-name", "fact_check", "--prompt-args", "claim=The ferry sails on Sundays."]
    filled = result(asked(over_http, tmp_path, "--method", "prompts/get", *given))
    assert "The ferry sails on Sundays." in filled["messages"][0]["content"]["text"]


def test_pages_already_read_are_listed(environment: dict[str, str], web: MiniWeb, tmp_path: Path) -> None:
    known = {**environment, "DATA_DIR": str(tmp_path / "data")}
    older = [*environment_options(known), *SERVE]
    newer = [*older, "--protocol-era", "modern"]
    assert result(asked(older, tmp_path, "--method", "resources/list"))["resources"] == []
    given = json.dumps({"url": f"{web.url}/ferry/timetable"})
    result(asked(older, tmp_path, "--method", "tools/call", "--tool-name", "web_fetch", "--tool-args-json", given))
    (page,) = result(asked(newer, tmp_path, "--method", "resources/list"))["resources"]
    assert f"\n{web.url}/ferry/timetable\n" in page["description"]
    (kept,) = result(asked(older, tmp_path, "--method", "resources/read", "--uri", page["uri"]))["contents"]
    assert "Port Ellery" in kept["text"]
