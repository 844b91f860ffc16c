"""A new contract is its folder and one line: both are added to a copy of the package, which then serves it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.test_recipe import ROOT, too_large

FOLDER = {
    "__init__.py": '''"""`echo`: says what it is told."""

from gossamer.contracts.contract import Contract, Tool
from gossamer.contracts.echo.policy import policies
from gossamer.contracts.echo.settings import EchoSettings


def _tools() -> tuple[Tool, ...]:
    from gossamer.contracts.echo.say import say

    return (say,)


CONTRACT = Contract(
    name="echo", summary="Says it.", names=("say",), load=_tools, settings={"echo": EchoSettings}, policies=policies
)
''',
    "settings.py": '''"""Settings of the contract `echo`."""

from typing import ClassVar

from pydantic import Field

from gossamer.contracts.contract_settings import ContractSettings
from gossamer.setting_types import HeaderText, Seconds


class EchoSettings(ContractSettings):
    """The tool `say`."""

    usual: ClassVar = {"ECHO_TAIL": "tail"}

    greeting: HeaderText = Field(default="Hello", description="What it begins with.")
    tail: HeaderText = Field(default=".", description="What it ends with.")
    timeout_s: Seconds = Field(default=5, description="Seconds that a call may take.")
''',
    "policy.py": '''"""Policy of `echo`."""

from dataclasses import dataclass

from gossamer.contracts.contract_settings import ContractBlocks, Defaults
from gossamer.contracts.echo.settings import EchoSettings


@dataclass(frozen=True, kw_only=True, slots=True)
class EchoPolicy:
    """What the operator decides for `say`."""

    greeting: str = "Hello"
    tail: str = "."
    timeout_s: float = 5.0


def policies(settings: ContractBlocks, _defaults: Defaults) -> tuple[EchoPolicy]:
    """What the `echo` block says."""
    own = settings.block(EchoSettings)
    return (EchoPolicy(greeting=own.greeting, tail=own.tail, timeout_s=own.timeout_s),)
''',
    "say.py": '''"""`say`: what it is told, after a greeting."""

from gossamer.contracts.contract import Reply, tool
from gossamer.contracts.echo.policy import EchoPolicy
from gossamer.engine import Engine
from gossamer.ports import Call


@tool(title="Say", timeout=lambda policies: policies.of(EchoPolicy).timeout_s, needs=frozenset())
async def say(engine: Engine, call: Call, text: str) -> Reply[None]:
    """Say a text."""
    policy = engine.policies.of(EchoPolicy)
    time = "time" if call.remaining_s > 50 else "no time"
    return Reply(text=f"{policy.greeting} {text}{policy.tail} There is {time}.", data=None)
''',
}
LAST_LINE = '    "gossamer.contracts.o3",\n'
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more contract."""
    home = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "src", home / "src", ignore=too_large)
    contracts = home / "src" / "gossamer" / "contracts"
    registry = contracts / "__init__.py"
    before, line, after = registry.read_text("utf-8").partition(LAST_LINE)
    assert line
    registry.write_text(before + line + '    "gossamer.contracts.echo",\n' + after, "utf-8")
    (contracts / "echo").mkdir()
    for name, text in FOLDER.items():
        (contracts / "echo" / name).write_text(text, "utf-8")
    (home / "gossamer.toml").write_text('tools = "echo"\n[echo]\ngreeting = "Good day,"\ntimeout_s = 500\n', "utf-8")
    return home


def environment(home: Path) -> dict[str, str]:
    """Settings in the file and outside it, under both kinds of names."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    return bare | {
        "PYTHONPATH": str(home / "src"),
        "GOSSAMER_CONFIG": str(home / "gossamer.toml"),
        "DATA_DIR": str(home / "data"),
        "GOSSAMER_ECHO__GREETING": "Hi",
        "ECHO_TAIL": "!",
    }


def test_its_settings_are_read_from_the_file_and_the_environment(copy: Path) -> None:
    command = [sys.executable, "-m", "gossamer", "settings", "--json"]
    done = subprocess.run(command, env=environment(copy), capture_output=True, text=True, timeout=120, check=True)
    rows = {row["name"]: row for row in json.loads(done.stdout)["settings"]}
    assert {name: row["value"] for name, row in rows.items() if name.startswith("echo.")} == {
        "echo.greeting": "Hi",
        "echo.tail": "!",
        "echo.timeout_s": "500",
    }
    assert rows["echo.greeting"]["origin"] == "environment GOSSAMER_ECHO__GREETING"
    assert rows["echo.tail"]["origin"] == "environment ECHO_TAIL"


def test_its_tool_is_listed_and_called_by_its_own_policy(copy: Path) -> None:
    messages = (
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "say", "arguments": {"text": "Ada"}}},
    )
    command, answers = [sys.executable, "-m", "gossamer", "serve"], dict[int, Any]()
    with subprocess.Popen(
        command, env=environment(copy), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin
        assert server.stdout
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
        while 3 not in answers:
            reply = json.loads(server.stdout.readline())
            answers[reply["id"]] = reply
        server.stdin.close()
    assert [tool["name"] for tool in answers[2]["result"]["tools"]] == ["say"]
    assert answers[3]["result"]["content"][0]["text"] == "Hi Ada! There is time."
