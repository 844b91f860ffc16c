"""What `gossamer client` does for one name: shows, previews, writes."""

import json
import resource
import subprocess
import tempfile
from pathlib import Path

import pytest

from gossamer.cli.clients.command import Mode, Report, configure
from gossamer.errors import InvalidArgument
from gossamer.settings.config_dirs import user_config_dirs
from tests.unit.cli.client_cases import LAUNCH, without_privileges


def run(name: str, home: Path, *, mode: Mode = "write", path: Path | None = None, platform: str = "linux") -> Report:
    dirs = user_config_dirs(environ={}, platform=platform, home=home)
    return configure(name, mode=mode, path=path, dirs=dirs, launch=LAUNCH)


def files(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


def test_showing_writes_nothing_and_names_the_files(tmp_path: Path) -> None:
    report = run("claude", tmp_path, mode="show")
    assert json.loads(report.result)["mcpServers"]["gossamer"]["type"] == "stdio"
    told = " ".join(report.notes)
    assert str(tmp_path / ".claude.json") in told
    assert str(tmp_path / ".config/Claude/claude_desktop_config.json") in told
    assert "--write" in told
    assert files(tmp_path) == []


def test_the_generic_client_is_not_offered_what_needs_a_file(tmp_path: Path) -> None:
    assert "--write" not in " ".join(run("generic", tmp_path, mode="show").notes)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize(
    "name", ["claude-desktop", "claude-code", "cursor", "vscode", "codex", "gemini", "windsurf", "zed"]
)
def test_writing_makes_one_file_and_writing_again_changes_nothing(name: str, platform: str, tmp_path: Path) -> None:
    first = run(name, tmp_path, platform=platform)
    (made,) = files(tmp_path)
    assert str(tmp_path / made) in first.notes[0]
    assert first.facts["clients"][0]["state"] == "written"
    again = run(name, tmp_path, platform=platform)
    assert "nothing was changed" in again.notes[0]
    assert again.facts["clients"][0]["state"] == "unchanged"
    assert files(tmp_path) == [made]


def test_a_preview_is_a_patch_that_does_what_writing_does(tmp_path: Path) -> None:
    file = tmp_path / ".cursor/mcp.json"
    file.parent.mkdir()
    file.write_text('{\n  "mcpServers": {\n    "other": {"command": "x"} // mine\n  }\n}')
    patch = run("cursor", tmp_path, mode="preview")
    assert patch.facts["clients"][0]["state"] == "planned"
    assert files(tmp_path) == [".cursor/mcp.json"]
    copy = tmp_path / "copy"
    copy.write_text(file.read_text())
    subprocess.run(["patch", "-s", str(copy)], input=patch.result, text=True, check=True, timeout=60)
    run("cursor", tmp_path)
    assert copy.read_text() == file.read_text()
    assert file.read_text().startswith(
        '{\n  "mcpServers": {\n    "other": {"command": "x"}, // mine\n    "gossamer": {\n'
    )


def test_a_preview_of_what_is_there_already_is_empty(tmp_path: Path) -> None:
    run("zed", tmp_path)
    assert run("zed", tmp_path, mode="preview").result == ""


def test_plain_claude_writes_for_those_that_are_installed(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    run("claude", tmp_path)
    assert files(tmp_path) == [".claude.json"]
    (tmp_path / ".config/Claude").mkdir(parents=True)
    report = run("claude", tmp_path)
    assert [one["state"] for one in report.facts["clients"]] == ["unchanged", "written"]
    assert files(tmp_path) == [".claude.json", ".config/Claude/claude_desktop_config.json"]


def test_plain_claude_writes_nothing_where_neither_is_installed(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="claude-code nor claude-desktop"):
        run("claude", tmp_path)
    assert files(tmp_path) == []


def test_of_two_files_none_is_written_when_one_cannot_be(tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text("{}")
    (tmp_path / ".config/Claude").mkdir(parents=True)
    (tmp_path / ".config/Claude/claude_desktop_config.json").write_text("{oops")
    with pytest.raises(InvalidArgument, match="left as it is"):
        run("claude", tmp_path)
    assert (tmp_path / ".claude.json").read_text() == "{}"


@pytest.mark.parametrize("mode", ["write", "preview"])
@pytest.mark.parametrize(
    ("file_mode", "folder_mode"), [(0o444, 0o777), (0o666, 0o555), (None, 0o555)], ids=["file", "folder", "new file"]
)
def test_of_two_files_none_is_written_when_one_may_not_be(file_mode: int | None, folder_mode: int, mode: Mode) -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        code, desktop = home / ".claude.json", home / ".config/Claude/claude_desktop_config.json"
        desktop.parent.mkdir(parents=True)
        code.write_text("{}")
        code.chmod(0o666)
        if file_mode is not None:
            desktop.write_text("{}")
            desktop.chmod(file_mode)
        home.chmod(0o777)
        desktop.parent.chmod(folder_mode)
        before = files(home)
        try:
            with without_privileges(), pytest.raises(InvalidArgument, match=r"claude_desktop_config\.json was left"):
                run("claude", home, mode=mode)
        finally:
            desktop.parent.chmod(0o700)
        assert files(home) == before
        assert code.read_text() == "{}"


@pytest.mark.parametrize("old", ["{}", None], ids=["an old file", "a new file"])
def test_of_two_files_the_first_is_taken_back_when_the_second_fails_after_all(old: str | None, tmp_path: Path) -> None:
    code, desktop = tmp_path / ".claude.json", tmp_path / ".config/Claude/claude_desktop_config.json"
    (tmp_path / ".claude").mkdir()
    desktop.parent.mkdir(parents=True)
    desktop.write_text(json.dumps({"long": "x" * 5_000}))
    if old:
        code.write_text(old)
    before = files(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, hard))
    try:
        with pytest.raises(InvalidArgument, match=r"claude_desktop_config\.json was left as it is: .*File too large"):
            run("claude", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files(tmp_path) == before
    assert not old or code.read_text() == old


def test_after_writing_it_is_told_where_the_search_address_goes_unless_it_is_there(tmp_path: Path) -> None:
    told = run("cursor", tmp_path).notes[-1]
    assert "without a key" in told
    assert "SEARXNG_URL or a key of yours may be added under env" in told
    file = tmp_path / "mine.json"
    file.write_text('{"mcpServers": {"gossamer": {"command": "old", "env": {"SEARXNG_URL": "http://s"}}}}')
    assert "SEARXNG_URL" not in " ".join(run("cursor", tmp_path, path=file).notes)
    assert "SEARXNG_URL" not in " ".join(run("cursor", tmp_path).notes)


def test_another_file_may_be_named(tmp_path: Path) -> None:
    project = tmp_path / "project" / ".mcp.json"
    run("claude", tmp_path, path=project)
    assert files(tmp_path) == ["project/.mcp.json"]
    assert str(project) in " ".join(run("claude", tmp_path, mode="show", path=project).notes)


def test_the_generic_client_needs_a_file_and_takes_the_usual_shape(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="no file of its own"):
        run("generic", tmp_path)
    run("generic", tmp_path, path=tmp_path / "any.json")
    assert json.loads((tmp_path / "any.json").read_text())["mcpServers"]["gossamer"]["command"] == LAUNCH.command


def test_a_refusal_names_the_file_and_hands_over_the_snippet(tmp_path: Path) -> None:
    file = tmp_path / ".codex/config.toml"
    file.parent.mkdir()
    file.write_text('[mcp_servers]\ngossamer = { command = "x" }\n')
    with pytest.raises(InvalidArgument) as error:
        run("codex", tmp_path)
    assert str(file) in error.value.message
    assert "[mcp_servers.gossamer]\ncommand" in error.value.hint
    assert error.value.exit_code == 2
    assert files(tmp_path) == [".codex/config.toml"]
