"""The configuration of MCP clients: an absolute command, since programs with windows lack the shell's PATH."""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from gossamer.errors import UnknownName

_KEYS = {"SEARXNG_URL": ""}
"""A slot for what a client's own environment lacks; an empty value counts as unset."""

_PASTE = {
    "claude": (
        "Paste this into claude_desktop_config.json (Settings > Developer > Edit Config), or save it as .mcp.json "
        "in a project for Claude Code. Fill in SEARXNG_URL to search the whole web; empty values are ignored."
    ),
    "generic": "Give this to your MCP client: a stdio server. Empty values of env are ignored.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientSetup:
    """What to paste, and where."""

    snippet: str
    advice: str


def client_setup(name: str) -> ClientSetup:
    """The configuration of one client."""
    if name not in _PASTE:
        raise UnknownName(
            f"There is no client named {name!r} here.",
            hint=f"Known are: {', '.join(_PASTE)}; generic fits every other client.",
        )
    command, arguments = launch_command()
    entry = {"command": command, "args": arguments, "env": _KEYS}
    shown = {"mcpServers": {"gossamer": entry}} if name == "claude" else entry
    return ClientSetup(snippet=json.dumps(shown, indent=2), advice=_PASTE[name])


def launch_command() -> tuple[str, list[str]]:
    """How to start this very installation, from anywhere."""
    beside = Path(sys.executable).with_name("gossamer")
    script = str(beside) if beside.exists() else shutil.which("gossamer")
    if script:
        return str(Path(script).absolute()), ["serve"]
    return str(Path(sys.executable).absolute()), ["-m", "gossamer", "serve"]
