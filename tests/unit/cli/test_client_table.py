"""The files of every client on every system."""

import re
from pathlib import Path

import pytest

from gossamer.cli.clients.table import CLIENTS, GROUPS, clients_named
from gossamer.errors import UnknownName
from gossamer.settings.config_dirs import ConfigDirs, user_config_dirs

SUPPORT, ROAMING = "Library/Application Support", "AppData/Roaming"

FILES = {
    "claude-desktop": (
        ".config/Claude/claude_desktop_config.json",
        f"{SUPPORT}/Claude/claude_desktop_config.json",
        f"{ROAMING}/Claude/claude_desktop_config.json",
    ),
    "claude-code": (".claude.json",) * 3,
    "cursor": (".cursor/mcp.json",) * 3,
    "vscode": (".config/Code/User/mcp.json", f"{SUPPORT}/Code/User/mcp.json", f"{ROAMING}/Code/User/mcp.json"),
    "codex": (".codex/config.toml",) * 3,
    "gemini": (".gemini/settings.json",) * 3,
    "windsurf": (".codeium/windsurf/mcp_config.json",) * 3,
    "zed": (".config/zed/settings.json", ".config/zed/settings.json", f"{ROAMING}/Zed/settings.json"),
}
ROWS = [
    (name, platform, file)
    for name, files in FILES.items()
    for platform, file in zip(("linux", "darwin", "win32"), files, strict=True)
]


def dirs(home: Path, platform: str = "linux", **environ: str) -> ConfigDirs:
    return user_config_dirs(environ=environ, platform=platform, home=home)


@pytest.mark.parametrize(
    ("name", "platform", "file"), ROWS, ids=[f"{name} on {platform}" for name, platform, _ in ROWS]
)
def test_a_client_keeps_its_servers_where_its_makers_say(name: str, platform: str, file: str, tmp_path: Path) -> None:
    assert CLIENTS[name].file(dirs(tmp_path, platform)) == tmp_path / file


def test_every_client_but_the_generic_one_has_a_file_on_every_system(tmp_path: Path) -> None:
    assert set(FILES) == set(CLIENTS) - {"generic"}
    assert CLIENTS["generic"].file(dirs(tmp_path)) is None


MOVED = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude.json"),
    "codex": ("CODEX_HOME", "config.toml"),
    "gemini": ("GEMINI_CLI_HOME", ".gemini/settings.json"),
    "vscode": ("XDG_CONFIG_HOME", "Code/User/mcp.json"),
    "zed": ("XDG_CONFIG_HOME", "zed/settings.json"),
}


@pytest.mark.parametrize("name", MOVED)
def test_a_client_that_was_moved_is_found(name: str, tmp_path: Path) -> None:
    variable, file = MOVED[name]
    assert CLIENTS[name].file(dirs(tmp_path, **{variable: "/else where"})) == Path("/else where") / file


def test_the_packaged_claude_of_windows_has_a_private_copy(tmp_path: Path) -> None:
    packages, inner = tmp_path / "AppData/Local/Packages", "LocalCache/Roaming/Claude"
    for name in ("Claude_aaa", "Claude_zzz", "Claudette_x"):
        (packages / name / inner).mkdir(parents=True)
    windows = dirs(tmp_path, "win32")
    assert CLIENTS["claude-desktop"].file(windows) == packages / "Claude_aaa" / inner / "claude_desktop_config.json"
    there = packages / "Claude_zzz" / inner / "claude_desktop_config.json"
    there.write_text("{}")
    assert CLIENTS["claude-desktop"].file(windows) == there
    assert CLIENTS["claude-desktop"].is_installed(windows)


def test_a_name_may_stand_for_several_clients() -> None:
    assert list(clients_named("claude")) == ["claude-code", "claude-desktop"]
    assert list(clients_named("zed")) == ["zed"]
    assert all(one in CLIENTS for group in GROUPS.values() for one in group)


@pytest.mark.parametrize("name", ["netscape", "", "Claude"])
def test_an_unknown_name_is_answered_with_those_that_are_known(name: str) -> None:
    with pytest.raises(UnknownName) as error:
        clients_named(name)
    assert all(known in error.value.hint for known in (*CLIENTS, *GROUPS))


TRACES = {
    "Claude Code's file": ("linux", ".claude.json", "claude-code"),
    "Claude Code's folder": ("darwin", ".claude/", "claude-code"),
    "Claude Desktop's folder": ("darwin", f"{SUPPORT}/Claude/", "claude-desktop"),
    "the packaged Claude Desktop": ("win32", "AppData/Local/Packages/Claude_pzs/", "claude-desktop"),
}


@pytest.mark.parametrize(("platform", "trace", "name"), TRACES.values(), ids=TRACES)
def test_an_installed_client_is_known_by_its_traces(platform: str, trace: str, name: str, tmp_path: Path) -> None:
    here = dirs(tmp_path, platform)
    assert not any(CLIENTS[one].is_installed(here) for one in GROUPS["claude"])
    (tmp_path / trace).mkdir(parents=True)
    assert [one for one in GROUPS["claude"] if CLIENTS[one].is_installed(here)] == [name]


def test_names_are_short_enough_for_what_clients_put_before_tools() -> None:
    for client in CLIENTS.values():
        assert re.fullmatch(r"[a-z]{1,12}", client.path[1])


def test_the_page_about_clients_names_every_client_and_its_file() -> None:
    page = (Path(__file__).parents[3] / "docs" / "clients.md").read_text(encoding="utf-8")
    for name, (linux, *_) in FILES.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert f"`~/{linux}`" in row
        assert row.endswith(f"| `{CLIENTS[name].section}` |")
