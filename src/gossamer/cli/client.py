"""The configuration of MCP clients: an absolute command, since programs with windows lack the shell's PATH."""

import json
import shutil
import sys
from pathlib import Path

from gossamer.cli import session
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


def launch_command() -> tuple[str, list[str]]:
    """How to start this very installation, from anywhere."""
    script = shutil.which(sys.argv[0]) if Path(sys.argv[0]).name == "gossamer" else None
    if script:
        return str(Path(script).absolute()), ["serve"]
    return str(Path(sys.executable).absolute()), ["-m", "gossamer", "serve"]


def client_snippet(name: str) -> str:
    """The configuration of one client as text."""
    if name not in _PASTE:
        raise UnknownName(
            f"There is no client named {name!r} here.",
            hint=f"Known are: {', '.join(_PASTE)}; generic fits every other client.",
        )
    command, arguments = launch_command()
    entry = {"command": command, "args": arguments, "env": _KEYS}
    return json.dumps({"mcpServers": {"gossamer": entry}} if name == "claude" else entry, indent=2)


def show_client(name: str) -> None:
    """Print the configuration on stdout and where it goes on stderr."""
    print(client_snippet(name))
    session.say(f"\n{_PASTE[name]}")
