"""Our entry in a client's file: made anew, or renewed where one is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from gossamer.cli.clients.json_edit import put_json, read_json, rendered_json
from gossamer.cli.clients.table import DOTLESS, SERVER, Client, Format, Launch, Refused
from gossamer.cli.clients.toml_edit import put_toml, read_toml, rendered_toml

_SLOTS = {"SEARXNG_URL": ""}
"""What to fill in by hand. Written unfilled, it would hide the variable of a client that passes its own on."""
_REMOTE = ("url", "httpUrl", "serverUrl")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Style:
    """How one format is read and edited."""

    read: Callable[[str], Any]
    put: Callable[[str, Sequence[str], Any], str]


_STYLES: Mapping[Format, _Style] = MappingProxyType(
    {"json": _Style(read=read_json, put=put_json), "toml": _Style(read=read_toml, put=put_toml)}
)


def new_entry(client: Client, launch: Launch) -> dict[str, Any]:
    """What a client needs to start us."""
    kind = {"type": "stdio"} if client.typed else {}
    return {**kind, "command": launch.command, "args": launch.serving(dotless=client.dotless)}


def snippet(client: Client, launch: Launch) -> str:
    """What to paste: the entry in its place, with slots to fill in; bare for a client whose file we do not know."""
    entry = {**new_entry(client, launch), "env": _SLOTS}
    if client.format == "toml":
        return rendered_toml(client.path, entry)
    return rendered_json({client.section: {SERVER: entry}} if client.files else entry)


def edited(text: str, client: Client, launch: Launch) -> str:
    """A file's text with our entry in it, all else as it was; the same text when there is nothing to do.

    In an entry that is there, the command and its arguments are renewed; its `env`, what was added after
    `serve`, and everything else are the user's. What comes out is read again and compared before it is believed.
    """
    style = _STYLES[client.format]
    whole = style.read(text)
    entry = _entry(whole, client)
    changes = {client.path: new_entry(client, launch)} if entry is None else _renewal(entry, client, launch)
    new = text
    for path, value in changes.items():
        new = style.put(new, path, value)
        whole = _changed(whole, path, value)
    if changes and not _says(style, new, whole):
        raise Refused(f"it writes {client.section} in a way that is not edited here")
    return new


def _says(style: _Style, text: str, value: Any) -> bool:
    try:
        return style.read(text) == value
    except (Refused, RecursionError):
        return False


def _entry(whole: Any, client: Client) -> dict[str, Any] | None:
    """Our entry, if there is one; whatever stands where a table of ours should is refused."""
    table, place = whole, "the whole file"
    for key in client.path:
        if not isinstance(table, dict):
            break
        found = cast("dict[str, Any]", table)
        if key not in found:
            return None
        table, place = found[key], key
    if not isinstance(table, dict):
        raise Refused(f"{place} is not {'a table' if client.format == 'toml' else 'an object'}")
    return cast("dict[str, Any]", table)


def _renewal(entry: dict[str, Any], client: Client, launch: Launch) -> dict[tuple[str, ...], Any]:
    if any(key in entry for key in _REMOTE):
        raise Refused(f"its entry {SERVER} connects to an address, and starts no program; remove or rename that entry")
    ours = launch.serving(dotless=client.dotless)
    fresh = {"command": launch.command, "args": [*ours, *_added(entry.get("args"), dotless=client.dotless)]}
    return {(*client.path, key): value for key, value in fresh.items() if entry.get(key) != value}


def _added(arguments: Any, *, dotless: bool) -> list[Any]:
    """What the user put after `serve`, such as `--tools all`; `--dotless` only where it is not ours."""
    if not isinstance(arguments, list) or "serve" not in arguments:
        return []
    given = cast("list[Any]", arguments)
    return [one for one in given[given.index("serve") + 1 :] if not (dotless and one == DOTLESS)]


def _changed(whole: Any, path: Sequence[str], value: Any) -> Any:
    """The same value with another one at `path`."""
    if not path:
        return value
    return {**whole, path[0]: _changed(whole.get(path[0], {}), path[1:], value)}
