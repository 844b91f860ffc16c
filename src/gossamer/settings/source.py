"""A source of settings: its values and its problems. Reading never raises; a problem stands beside the values."""

from dataclasses import dataclass, field
from pathlib import Path

from gossamer.errors import BadSettings
from gossamer.settings.names import Key


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """One value as it was written, and where."""

    value: object
    origin: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The values of one place, and its problems."""

    given: dict[Key, Given] = field(default_factory=dict[Key, Given])
    problems: list[BadSettings] = field(default_factory=list[BadSettings])
    unused: list[str] = field(default_factory=list[str])
    """Names that are known and set nothing, each with its place."""

    def take(self, key: Key, value: object, origin: str) -> None:
        """Keep a value; the last one given for a setting counts."""
        self.given[key] = Given(value=value, origin=origin)

    def complain(self, message: str, hint: str) -> None:
        """Keep a problem, on one line whatever the names in it are made of."""
        self.problems.append(BadSettings(printable(message), hint=hint))


def printable(text: str) -> str:
    """The text with line breaks, control characters and broken bytes written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def place(path: str | Path) -> Path:
    """A path as its writer meant it: `~` is expanded here, because no shell did it before a client's settings came."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        return Path(path)
