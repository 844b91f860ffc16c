"""Displays values to people: secrets masked, and what a setting accepts in words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from gossamer.errors import BadSettings
from gossamer.settings.names import PROVIDERS, Key

MASK = "********"
_SECRET = re.compile(r"key$|token|secret|password|authorization", re.IGNORECASE)
_PASSWORD = re.compile(r"(://[^/?#@\s:]*:)[^/?#\s]*(?=@)")
_MAX_QUOTED = 80
_PROXIES = frozenset({"proxy", "service_proxy"})


def is_secret(key: Key) -> bool:
    """Whether a setting holds a secret, judged by its name; in a provider's table masking too much is the safe side."""
    return key[-1] in {"api_key", "ApiKey"} or (key[0] == PROVIDERS and any(_SECRET.search(part) for part in key[2:]))


def masked(key: Key, value: object) -> str:
    """The value as it would be written; a secret, or the password inside an address, never shows."""
    if is_secret(key):
        return MASK if value != "" else ""
    if isinstance(value, str) and key[-1] in _PROXIES:
        return _without_login(printable(value))
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        return ", ".join(f"{name} = {masked((*key, name), inner)}" for name, inner in table.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(masked(key, entry) for entry in cast("Sequence[object]", value))
    return _PASSWORD.sub(rf"\g<1>{MASK}", _plain(value))


def _without_login(text: str) -> str:
    """The address of a proxy; a name before the `@` may be the whole secret, and the scheme may be missing."""
    login, at, host = text.rpartition("@")
    scheme, mark, _ = login.partition("://")
    return f"{scheme + mark if mark else ''}{MASK}@{host}" if at else text


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return printable(str(value))


def quoted(key: Key, value: object) -> str:
    """The value inside a sentence about it: masked, cut, on one line."""
    if isinstance(value, Mapping):
        return "a table"
    text = masked(key, value)
    cut = text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…"
    if isinstance(value, str):
        return f'"{cut}"'
    return f"[{cut}]" if isinstance(value, Sequence) else cut


def default_of(field: FieldInfo) -> str:
    """The default as it would be written; nothing where it depends on the machine."""
    return "" if field.default_factory else masked(("",), field.default)


def allowed(field: FieldInfo) -> str:
    """What a setting accepts, completing "it must be …"."""
    extra = cast("Mapping[str, str]", field.json_schema_extra or {})
    if "allowed" in extra:
        return extra["allowed"]
    kind: Any = field.annotation
    if get_origin(kind) is Literal:
        *others, last = get_args(kind)
        return f"{', '.join(others)} or {last}"
    if kind is bool:
        return "true or false"
    low, high = (_bound(field, which) for which in ("ge", "le"))
    return f"{'a whole number' if kind is int else 'a number'} from {low} to {high}"


def _bound(field: FieldInfo, which: str) -> str:
    return next(_plain(getattr(rule, which)) for rule in field.metadata if hasattr(rule, which))


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
