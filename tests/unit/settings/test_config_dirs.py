"""The folders of a user, on systems that are not this one."""

from pathlib import Path

import pytest

from gossamer.settings.config_dirs import user_config_dirs

HOME = Path("/home/ada")

USUAL = {
    "linux": ("linux", HOME / ".config", HOME / ".config"),
    "another unix": ("freebsd14", HOME / ".config", HOME / ".config"),
    "macOS": ("darwin", HOME / "Library/Application Support", HOME / ".config"),
    "windows": ("win32", HOME / "AppData/Roaming", HOME / "AppData/Roaming"),
}


@pytest.mark.parametrize(("platform", "config", "dotted"), USUAL.values(), ids=USUAL)
def test_each_system_has_its_own_folders(platform: str, config: Path, dotted: Path) -> None:
    dirs = user_config_dirs(environ={}, platform=platform, home=HOME)
    assert (dirs.config, dirs.dotted) == (config, dotted)
    assert dirs.local == HOME / "AppData/Local"
    assert (dirs.claude, dirs.codex, dirs.gemini) == (HOME, HOME / ".codex", HOME)


MOVED = {
    "the XDG folder": ("linux", "XDG_CONFIG_HOME", "config"),
    "the XDG folder, for terminals": ("linux", "XDG_CONFIG_HOME", "dotted"),
    "roaming data": ("win32", "APPDATA", "config"),
    "local data": ("win32", "LOCALAPPDATA", "local"),
    "Claude Code": ("darwin", "CLAUDE_CONFIG_DIR", "claude"),
    "Codex": ("linux", "CODEX_HOME", "codex"),
    "Gemini CLI": ("linux", "GEMINI_CLI_HOME", "gemini"),
}


@pytest.mark.parametrize(("platform", "variable", "place"), MOVED.values(), ids=MOVED)
def test_a_variable_moves_a_folder(platform: str, variable: str, place: str) -> None:
    moved = user_config_dirs(environ={variable: "/elsewhere"}, platform=platform, home=HOME)
    assert getattr(moved, place) == Path("/elsewhere")


@pytest.mark.parametrize("value", ["", "  ", "relative/folder"])
def test_an_empty_or_relative_variable_moves_nothing(value: str) -> None:
    names = ("XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME")
    for platform in ("linux", "darwin", "win32"):
        usual = user_config_dirs(environ={}, platform=platform, home=HOME)
        assert user_config_dirs(environ=dict.fromkeys(names, value), platform=platform, home=HOME) == usual


def test_the_xdg_folder_means_nothing_on_macos() -> None:
    dirs = user_config_dirs(environ={"XDG_CONFIG_HOME": "/elsewhere"}, platform="darwin", home=HOME)
    assert dirs.dotted == HOME / ".config"


def test_the_home_folder_is_found_without_being_told() -> None:
    assert user_config_dirs(environ={}).home.is_absolute()
