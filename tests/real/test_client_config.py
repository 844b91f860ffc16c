"""`gossamer client` as a process in a home of its own, and the command it wrote, started by a real MCP client."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.real.processes import Cli

FILES = {
    "claude-desktop": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "claude-code": (".claude.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": (".config/Code/User/mcp.json", "servers"),
    "codex": (".codex/config.toml", "mcp_servers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
    "windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers"),
    "zed": (".config/zed/settings.json", "context_servers"),
}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files of the clients are those of Linux here")


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The command in an empty home; the web is not needed."""
    kept = {name: os.environ[name] for name in ("PATH", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
    return Cli({**kept, "HOME": str(tmp_path)})


def entry_of(file: Path, section: str) -> dict[str, Any]:
    """Our entry, read as strictly as the client reads it."""
    text = file.read_text()
    return (tomllib.loads(text) if file.suffix == ".toml" else json.loads(text))[section]["gossamer"]


@pytest.mark.parametrize("name", FILES)
async def test_what_was_written_starts_the_server(name: str, cli: Cli, tmp_path: Path) -> None:
    done = cli("client", name, "--write")
    file = tmp_path / FILES[name][0]
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert str(file) in done.stderr
    entry = entry_of(file, FILES[name][1])
    assert "env" not in entry  # an empty slot would hide what the client passes on
    given = {key: value for key, value in cli.environment.items() if key != "PATH"}
    parameters = StdioServerParameters(command=entry["command"], args=entry["args"], env=given, cwd="/")
    async with Client(stdio_client(parameters)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert "web_search" in names
    assert not any("." in name for name in names)


def test_writing_again_changes_nothing_and_says_so(cli: Cli, tmp_path: Path) -> None:
    assert cli("client", "cursor", "--write").returncode == 0
    before = (tmp_path / ".cursor/mcp.json").read_bytes()
    again = cli("client", "cursor", "--write")
    assert again.returncode == 0
    assert "nothing was changed" in again.stderr
    assert (tmp_path / ".cursor/mcp.json").read_bytes() == before
    assert [one.name for one in (tmp_path / ".cursor").iterdir()] == ["mcp.json"]


def test_a_dry_run_prints_a_patch_and_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    done = cli("client", "codex", "--write", "--dry-run")
    assert done.returncode == 0
    assert done.stdout.startswith("--- /dev/null\n+++ ")
    assert "+[mcp_servers.gossamer]\n" in done.stdout
    assert not (tmp_path / ".codex").exists()


SETTINGS = """// Zed settings
{
    "theme": "One Dark", // the dark one
    "context_servers": {
        /* at work */
        "other": { "command": "other" },
    },
}
"""


def test_the_comments_of_a_settings_file_survive(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / ".config/zed/settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(SETTINGS)
    assert cli("client", "zed", "--write").returncode == 0
    head, _, tail = SETTINGS.partition('"command": "other" },\n')
    new = file.read_text()
    assert new.startswith(f'{head}"command": "other" }},\n        "gossamer": {{\n            "command": ')
    assert new.endswith(f"        }},\n{tail}")
    assert (file.with_name("settings.json.bak")).read_text() == SETTINGS


def test_a_refusal_is_one_sentence_with_exit_code_2_and_no_change(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": [')
    done = cli("client", "cursor", "--write", "--path", str(file))
    assert done.returncode == 2
    assert "not valid JSON: line 1" in done.stderr
    assert '"mcpServers": {' in done.stderr
    assert done.stdout == ""
    assert [one.name for one in tmp_path.iterdir()] == ["mcp.json"]
    told = json.loads(cli("client", "cursor", "--write", "--path", str(file), "--json").stdout)
    assert told["outcome"] == "invalid"


def test_programs_can_read_what_was_done(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text('{"numStartups": 3}')
    told = json.loads(cli("client", "claude", "--write", "--json").stdout)
    assert told == {
        "outcome": "ok",
        "clients": [
            {
                "client": "claude-code",
                "file": str(tmp_path / ".claude.json"),
                "state": "written",
                "backup": str(tmp_path / ".claude.json.bak"),
                "diff": None,
            }
        ],
    }
    assert json.loads((tmp_path / ".claude.json").read_text())["numStartups"] == 3


def test_processes_at_the_same_time_leave_one_whole_file_and_lose_no_entry(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"other": {"command": "x"}}}')
    command = [sys.executable, "-m", "gossamer", "client", "--write", "--path", str(file)]
    running = [
        subprocess.Popen([*command, name], env=dict(cli.environment), stderr=subprocess.PIPE)
        for name in ("cursor", "vscode", "zed", "windsurf")
    ]
    for one in running:
        _, said = one.communicate(timeout=60)
        assert one.returncode == 0, said
    whole = json.loads(file.read_text())
    assert set(whole) == {"mcpServers", "servers", "context_servers"}
    assert set(whole["mcpServers"]) == {"other", "gossamer"}
    assert set(whole["servers"]) == set(whole["context_servers"]) == {"gossamer"}
