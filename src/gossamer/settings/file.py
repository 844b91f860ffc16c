"""The settings file `gossamer.toml`: the one named by flag or variable, else the one in the user's config folder.

The working directory is never searched: a file planted there could send keys to an attacker's server.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import cast, get_args

from gossamer.settings.display import Source, quoted
from gossamer.settings.names import PROVIDERS, UNUSED, Key, dotted, fields, nearest_key, sections

MAX_BYTES = 1_048_576


def user_file() -> Path:
    """The default path of the file: the system's folder for user configuration."""
    import platformdirs

    return Path(platformdirs.user_config_dir("gossamer", appauthor=False)) / "gossamer.toml"


def from_file(path: Path, *, is_named: bool) -> Source:
    """Read the file; a missing file is a problem only if the user named it."""
    source = Source()
    try:
        table = _parsed(path)
    except (FileNotFoundError, NotADirectoryError):
        if is_named:
            source.complain(f"The settings file {path} does not exist.", "Correct the path, or leave it out.")
    except OSError as error:
        source.complain(f"The settings file {path} cannot be read: {error.strerror}.", "Make it readable, or move it.")
    except (ValueError, RecursionError) as error:
        hint = "Correct it, or remove the file."
        source.complain(f"The settings file {path} is not valid TOML: {error}.", hint)
    else:
        _File(source=source, path=path).take(table)
    return source


def _parsed(path: Path) -> Mapping[str, object]:
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES} bytes")
    import tomllib

    return tomllib.loads(content.decode("utf-8-sig"))


class _File:
    """Walks a parsed file; a name is reported once, at the highest place where it is unknown."""

    def __init__(self, *, source: Source, path: Path) -> None:
        self._source = source
        self._folder = path.parent
        self._origin = f"file {path}"

    def take(self, table: Mapping[str, object]) -> None:
        for name, value in table.items():
            if name not in sections():
                self._setting((name,), value)
                continue
            for inner, leaf in self._table((name,), value).items():
                if name == PROVIDERS:
                    self._provider(inner, leaf)
                else:
                    self._setting((name, inner), leaf)

    def _provider(self, provider: str, value: object) -> None:
        for name, leaf in self._table((PROVIDERS, provider), value).items():
            self._source.take((PROVIDERS, provider, name), leaf, self._origin)

    def _setting(self, key: Key, value: object) -> None:
        if key in fields():
            self._source.take(key, self._rooted(key, value), self._origin)
        elif key in UNUSED:
            self._source.unused.append(f"{dotted(key)} ({self._origin})")
        else:
            name = dotted(key)
            self._source.complain(f"There is no setting {name} ({self._origin}).", nearest_key(name))

    def _table(self, key: Key, value: object) -> Mapping[str, object]:
        if isinstance(value, dict):
            return cast("dict[str, object]", value)
        name = dotted(key)
        self._source.complain(
            f"The setting {name} cannot be {quoted(key, value)} ({self._origin}): it must be a table.",
            f"Begin it with a line [{name}].",
        )
        return {}

    def _rooted(self, key: Key, value: object) -> object:
        """A relative path starts at the file's folder, not at the working directory."""
        kind = fields()[key].annotation
        is_path = Path in (kind, *get_args(kind))
        if is_path and isinstance(value, str) and value.strip() and not value.strip().startswith("~"):
            return str(self._folder / value.strip())
        return value
