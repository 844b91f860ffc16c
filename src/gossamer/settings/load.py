"""Loads settings in order of precedence: defaults, then the file, then the environment, then flags."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from gossamer.errors import BadSettings
from gossamer.settings.display import Given, allowed, default_of, place, quoted
from gossamer.settings.environment import from_environment, from_flags
from gossamer.settings.file import from_file, user_file
from gossamer.settings.model import BLOCKS, Settings
from gossamer.settings.names import CONFIG, USUAL, Key, dotted, fields, sections

_NONE: Mapping[str, str] = MappingProxyType({})
DEFAULT = "default"
_VARIABLE = re.compile(r"\$\{(\w{1,200})\}", re.ASCII)
_BY_VARIABLE: tuple[Key, ...] = tuple((name, field) for name, block in BLOCKS.items() for field in block.by_variable)
"""Settings whose specification writes them as the name of a variable."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """Settings that can be used, where each came from, and what was wrong with those that cannot."""

    settings: Settings
    origins: Mapping[str, str]
    """Of every setting by its name, and of every value in a provider's table."""
    problems: tuple[BadSettings, ...]
    unused: tuple[str, ...]
    """Settings that are given but unknown here, each with its place."""
    file: Path
    """The settings file, whether it exists or not."""


def load(
    *, flags: Mapping[str, str] = _NONE, config: Path | None = None, environ: Mapping[str, str] | None = None
) -> Loaded:
    """Read settings and never fail: a server that starts can say what is wrong, one that does not cannot.

    `flags` go by the names of the settings (`net.robots`). A broken value gives way to the default and becomes
    a problem; so does a name that does not exist. A broken value that another source overrides does no harm
    and is not mentioned.
    """
    environ = os.environ if environ is None else environ
    named = config or environ.get(CONFIG, "").strip()
    path = place(named) if named else user_file()
    sources = (from_file(path, is_named=bool(named)), from_environment(environ), from_flags(flags))
    given: dict[Key, Given] = {}
    for source in sources:
        given |= source.given
    for key in _BY_VARIABLE:
        if entry := given.get(key):
            given[key] = replace(entry, value=_looked_up(entry.value, environ))
    settings, broken = settle(given | _proxy_variable(given))
    origins = {dotted(key): DEFAULT for key in fields()}
    origins |= {dotted(key): entry.origin for key, entry in given.items() if key not in broken}
    return Loaded(
        settings=settings,
        origins=MappingProxyType(origins),
        problems=(
            *(problem for source in sources for problem in source.problems),
            *(_problem(key, given[key]) for key in broken),
        ),
        unused=tuple(name for source in sources for name in source.unused),
        file=path,
    )


def _looked_up(value: object, environ: Mapping[str, str]) -> object:
    """A value, or the variable that it names as `${NAME}`; one that is not set is empty."""
    named = _VARIABLE.fullmatch(value.strip()) if isinstance(value, str) else None
    return environ.get(named[1], "") if named else value


def _proxy_variable(given: Mapping[Key, Given]) -> dict[Key, Given]:
    """The usual variable that the proxy of services came from, for errors to name."""
    proxy = given.get(("net", "service_proxy"))
    variable = proxy.origin.removeprefix("environment ") if proxy else ""
    return {("net", "service_proxy_variable"): Given(value=variable, origin="")} if variable in USUAL else {}


def settle(given: Mapping[Key, Given]) -> tuple[Settings, tuple[Key, ...]]:
    """Settings from all values that hold, and the keys of those that do not; no setting's bounds depend on another."""
    try:
        return Settings.model_validate(_tree(given)), ()
    except ValidationError as error:
        places = [tuple(map(str, problem["loc"])) for problem in error.errors(include_input=False, include_url=False)]
    broken = tuple(key for key in given if any(place[: len(key)] == key for place in places))
    good = {key: entry for key, entry in given.items() if key not in broken}
    return Settings.model_validate(_tree(good)), broken


def _tree(given: Mapping[Key, Given]) -> dict[str, Any]:
    tree: dict[str, Any] = {section: {} for section in sections()}
    for key, entry in given.items():
        table = tree
        for part in key[:-1]:
            table = table.setdefault(part, {})
        table[key[-1]] = entry.value
    return tree


def _problem(key: Key, entry: Given) -> BadSettings:
    about = fields()[key]
    default = default_of(about)
    return BadSettings(
        f"The setting {dotted(key)} cannot be {quoted(key, entry.value)} ({entry.origin}): "
        f"it must be {allowed(about)}.",
        hint=f"Correct or remove it{f'; the default is {default}' if default else ''}.",
    )
