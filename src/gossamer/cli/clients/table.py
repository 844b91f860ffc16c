"""The MCP clients we know: the file of each, its format, and the shape of an entry in it."""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from gossamer.errors import UnknownName
from gossamer.settings.config_dirs import ConfigDirs, Platform

Format = Literal["json", "toml"]
Root = Literal["home", "config", "dotted", "local", "claude", "codex", "gemini"]
Spot = tuple[Root, str]
"""A folder of the user's and what lies below it."""
Files = Mapping[Platform, tuple[Spot, ...]]

SERVER = "gossamer"
"""Our name in every client's list; short, because clients put it before each tool's name."""


def _everywhere(root: Root, path: str) -> Files:
    return dict.fromkeys(("linux", "darwin", "win32"), ((root, path),))


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """One client: what it is called, where it looks, and what it wants to find there."""

    title: str
    files: Files
    """By system, first choice first. All but the last count only where their folder exists; they may hold `*`."""
    format: Format = "json"
    section: str = "mcpServers"
    """The key of the table of servers."""
    typed: bool = False
    """Whether an entry says `"type": "stdio"`."""
    dotless: bool = True
    """Whether tool names with dots are refused, dropped or renamed; Gemini's own API takes them."""
    traces: tuple[Spot, ...] = ()
    """What exists where the client is installed; only asked for when one name stands for several clients."""
    advice: str = ""

    @property
    def path(self) -> tuple[str, str]:
        """Where our entry stands in the file."""
        return (self.section, SERVER)

    def file(self, dirs: ConfigDirs) -> Path | None:
        """The user's file, whether it exists or not; None for a client that has none."""
        spots = self.files.get(dirs.platform, ())
        for root, path in spots[:-1]:
            if found := _found(_folder(dirs, root), path):
                return found
        return next((_folder(dirs, root) / path for root, path in spots[-1:]), None)

    def is_installed(self, dirs: ConfigDirs) -> bool:
        """Whether the client has left traces here."""
        return any(any(_folder(dirs, root).glob(path)) for root, path in self.traces)


_DESKTOP = "Claude/claude_desktop_config.json"

CLIENTS: Mapping[str, Client] = MappingProxyType(
    {
        "claude-desktop": Client(
            title="Claude Desktop",
            files={
                "linux": (("config", _DESKTOP),),
                "darwin": (("config", _DESKTOP),),
                # The packaged app sees a private copy of AppData, and never the documented path.
                "win32": (("local", f"Packages/Claude_*/LocalCache/Roaming/{_DESKTOP}"), ("config", _DESKTOP)),
            },
            traces=(("config", "Claude"), ("local", "Packages/Claude_*")),
            advice="Settings > Developer > Edit Config opens it. Quit and restart Claude Desktop afterwards.",
        ),
        "claude-code": Client(
            title="Claude Code",
            files=_everywhere("claude", ".claude.json"),
            typed=True,
            traces=(("claude", ".claude.json"), ("home", ".claude")),
            advice="For one project put it into .mcp.json in the project's folder instead. `/mcp` shows the server.",
        ),
        "cursor": Client(
            title="Cursor",
            files=_everywhere("home", ".cursor/mcp.json"),
            advice="For one project: .cursor/mcp.json in its folder. Restart Cursor afterwards.",
        ),
        "vscode": Client(
            title="VS Code",
            files=_everywhere("config", "Code/User/mcp.json"),
            section="servers",
            typed=True,
            advice="`MCP: Open User Configuration` opens it; for one project: .vscode/mcp.json in its folder.",
        ),
        "codex": Client(
            title="Codex",
            files=_everywhere("codex", "config.toml"),
            format="toml",
            section="mcp_servers",
            advice="The command line, the editor extension and the app share it. `/mcp` shows the server.",
        ),
        "gemini": Client(
            title="Gemini CLI",
            files=_everywhere("gemini", ".gemini/settings.json"),
            dotless=False,
            advice="For one project: .gemini/settings.json in its folder. `/mcp` shows the server.",
        ),
        "windsurf": Client(
            title="Windsurf",
            files=_everywhere("home", ".codeium/windsurf/mcp_config.json"),
            advice="Refresh the list of servers in Cascade afterwards.",
        ),
        "zed": Client(
            title="Zed",
            files={
                "linux": (("dotted", "zed/settings.json"),),
                "darwin": (("dotted", "zed/settings.json"),),
                "win32": (("dotted", "Zed/settings.json"),),
            },
            section="context_servers",
            advice="`zed: open settings file` opens it; Zed notices the change by itself.",
        ),
        "generic": Client(
            title="your MCP client",
            files={},
            dotless=False,
            advice="It is a stdio server. Add --dotless to args if the client refuses tool names with dots.",
        ),
    }
)

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType({"claude": ("claude-code", "claude-desktop")})
"""Names that stand for several clients; the first one's entry suits them all."""


def clients_named(name: str) -> Mapping[str, Client]:
    """The client or clients that a name stands for."""
    known = GROUPS.get(name, (name,))
    if any(one not in CLIENTS for one in known):
        raise UnknownName(
            f"There is no client named {name!r} here.",
            hint=f"Known are: {', '.join((*GROUPS, *CLIENTS))}; generic fits every other client.",
        )
    return {one: CLIENTS[one] for one in known}


def _folder(dirs: ConfigDirs, root: Root) -> Path:
    return getattr(dirs, root)


def _found(folder: Path, path: str) -> Path | None:
    """The file below a folder that exists, the one that is already there before any other."""
    inner, _, name = path.rpartition("/")
    found = [one / name for one in sorted(folder.glob(inner))]
    return next((file for file in found if file.exists()), next(iter(found), None))


class Refused(Exception):
    """The end of a sentence that begins with the file's name; nothing was changed."""


DOTLESS = "--dotless"


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """An absolute command and the arguments that make it serve."""

    command: str
    arguments: tuple[str, ...]

    def serving(self, *, dotless: bool) -> list[str]:
        """The arguments, for a client that takes tool names with dots or for one that does not."""
        return [*self.arguments, *([DOTLESS] if dotless else [])]


def this_installation() -> Launch:
    """The script beside this interpreter, else the one on the PATH, else the interpreter itself."""
    here = Path(sys.executable)
    beside = (here.with_name(name) for name in ("gossamer", "gossamer.exe"))
    script = next((str(one) for one in beside if one.exists()), shutil.which("gossamer"))
    if script:
        return Launch(command=str(Path(script).absolute()), arguments=("serve",))
    return Launch(command=str(here.absolute()), arguments=("-m", "gossamer", "serve"))
