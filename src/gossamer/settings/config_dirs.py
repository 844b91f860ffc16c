"""Config directories: where other programs of this user keep their configuration, on each system."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gossamer.errors import BadSettings

Platform = Literal["linux", "darwin", "win32"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigDirs:
    """The folders from which the files of other programs are found."""

    platform: Platform
    home: Path
    config: Path
    """What programs with windows use: the XDG folder, `Application Support` or the roaming `AppData`."""
    dotted: Path
    """What programs from the world of terminals use: `~/.config` on macOS too."""
    local: Path
    """The `AppData` of Windows that does not roam."""
    claude: Path
    codex: Path
    gemini: Path


def user_config_dirs(
    *, environ: Mapping[str, str] | None = None, platform: str = sys.platform, home: Path | None = None
) -> ConfigDirs:
    """The folders of the current user; a variable that moves one is heeded, an empty or relative one is not."""
    variables = os.environ if environ is None else environ
    home = home or _home()

    def moved(name: str, usual: Path) -> Path:
        named = Path(variables.get(name, "").strip())
        return named if named.is_absolute() else usual

    kind: Platform = "darwin" if platform == "darwin" else "win32" if platform == "win32" else "linux"
    dotted = home / ".config"
    if kind == "linux":
        dotted = moved("XDG_CONFIG_HOME", dotted)
    roaming = moved("APPDATA", home / "AppData" / "Roaming")
    config = {"linux": dotted, "darwin": home / "Library" / "Application Support", "win32": roaming}[kind]
    return ConfigDirs(
        platform=kind,
        home=home,
        config=config,
        dotted=roaming if kind == "win32" else dotted,
        local=moved("LOCALAPPDATA", home / "AppData" / "Local"),
        claude=moved("CLAUDE_CONFIG_DIR", home),
        codex=moved("CODEX_HOME", home / ".codex"),
        gemini=moved("GEMINI_CLI_HOME", home),
    )


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise BadSettings("The home folder of this user is not known.", hint="Set HOME.") from error
