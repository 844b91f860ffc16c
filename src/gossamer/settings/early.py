"""Early settings: the five that change the tool list, read with the standard library alone before the rest is imported.

They mean what `gossamer.settings.load` makes of them; their variables, defaults and languages come from the snapshot,
which is generated from the settings model. Whatever is written in an unusual way gives None: then the settings are
loaded in full before the first answer, which is slower and always right.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAX_CHARS = 1000
_ON = ("1", "on", "t", "true", "y", "yes")
_OFF = ("0", "off", "f", "false", "n", "no")


class Early:
    """What the tool list depends on. No dataclass: importing those takes as long as all else here."""

    __slots__ = ("dotless", "language", "tools", "without")

    def __init__(self, *, tools: tuple[str, ...], without: frozenset[str], dotless: bool, language: str) -> None:
        self.tools = tools
        self.without = without
        self.dotless = dotless
        self.language = language


class Flags:
    """What a command line that serves over stdio says."""

    __slots__ = ("config", "values")

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        """By the names of the settings, as `load` takes them."""
        self.config = ""


class _Odd(Exception):
    """Something is written in a way that only the full reader understands, or that is wrong."""


def read_flags(arguments: list[str]) -> Flags | None:
    """The flags of `gossamer` or `gossamer serve`; None for any other command line."""
    if arguments and arguments[0] != "serve":
        return None
    flags = Flags()
    rest = arguments[1:]
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name == "--dotless" and not equals:
            flags.values["dotless"] = "true"
            continue
        if not equals and rest:
            value = rest.pop(0)
        if not value or value.startswith("-"):
            return None
        if name == "--config":
            flags.config = value
        elif name == "--tools":
            flags.values["tools"] = value
        else:
            return None
    return flags


def read_early(flags: Flags, known: "dict[str, Any]", environ: dict[str, str] | None = None) -> Early | None:
    """The settings of the tool list, or None where they need the full reader.

    `known` is the snapshot's record of these settings: `defaults` by name, `variables` in order of rising precedence,
    the `languages` of the tools, the `abilities` that settings take away, and the largest file that is read.
    """
    environ = dict(os.environ) if environ is None else environ
    defaults: dict[str, object] = known["defaults"]
    variables: dict[str, str] = known["variables"]
    try:
        table = _from_file(flags.config, environ, known["max_file_bytes"])
        given = defaults | {name: table[name] for name in defaults if name in table}
        for variable, name in variables.items():
            if text := environ.get(variable, "").strip():
                given[name] = text
        given |= flags.values
        is_on = {ability: _switch(given[setting]) for ability, setting in known["abilities"].items()}
        return Early(
            tools=_names(given["tools"]),
            without=frozenset(ability for ability, on in is_on.items() if not on),
            dotless=_switch(given["dotless"]),
            language=_choice(given["language"], known["languages"]),
        )
    except _Odd:
        return None


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in _ON and word not in _OFF:
        raise _Odd
    return word in _ON


def _choice(value: object, languages: list[str]) -> str:
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in languages:
        raise _Odd
    return word


def _names(value: "Any") -> tuple[str, ...]:
    entries: list[Any] = value.split(",") if isinstance(value, str) else value
    if not isinstance(value, str | list):
        raise _Odd
    names: list[str] = []
    for entry in entries:
        name = entry.strip() if isinstance(entry, str) else "["
        if any(char.isspace() or char in "[,'\"" for char in name):
            raise _Odd
        if name:
            names.append(name)
    if not 0 < len(",".join(names)) <= _MAX_CHARS:
        raise _Odd
    return tuple(names)


def _from_file(config: str, environ: dict[str, str], max_bytes: int) -> dict[str, object]:
    named = config or environ.get("GOSSAMER_CONFIG", "").strip()
    path = os.path.expanduser(named) if named else _user_file(environ)  # noqa: PTH111  pathlib is not loaded yet
    if path.startswith("~"):
        raise _Odd
    try:
        with open(path, "rb") as file:  # noqa: PTH123  pathlib is not loaded yet
            content = file.read(max_bytes + 1)
    except (FileNotFoundError, NotADirectoryError):
        if named:
            raise _Odd from None
        return {}
    except (OSError, ValueError):
        raise _Odd from None
    if len(content) > max_bytes:
        raise _Odd
    import tomllib

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise _Odd from None


def _user_file(environ: dict[str, str]) -> str:
    """Where platformdirs finds the file on Linux and macOS; every other system is left to it."""
    home, xdg = environ.get("HOME", ""), environ.get("XDG_CONFIG_HOME", "")
    if not home.startswith("/") or "ANDROID_DATA" in environ:
        raise _Odd
    if sys.platform == "linux" and (not xdg or xdg.startswith("/")):
        return f"{xdg or home + '/.config'}/gossamer/gossamer.toml"
    if sys.platform == "darwin" and not xdg:
        return f"{home}/Library/Application Support/gossamer/gossamer.toml"
    raise _Odd
