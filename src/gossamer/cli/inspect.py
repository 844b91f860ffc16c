"""Settings, shown."""

import shutil
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.cli import session
from gossamer.settings.display import masked
from gossamer.settings.load import Loaded, load
from gossamer.settings.model import Settings
from gossamer.settings.names import PROVIDERS, Key, dotted, env_name, fields, usual_name


def show_settings(config: Path | None, *, as_json: bool) -> None:
    """Every value with its origin and meaning, secrets masked; what is broken comes last, with exit code 2."""
    loaded = load(config=config)
    if as_json:
        session.show(
            {
                "file": str(loaded.file),
                "settings": [
                    {"name": r.name, "value": r.value, "origin": r.origin, "variable": r.env, "meaning": r.meaning}
                    for r in rows(loaded)
                ],
                "problems": [str(problem) for problem in loaded.problems],
                "unused": list(loaded.unused),
            }
        )
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(f"Settings file: {loaded.file}{'' if loaded.file.exists() else ' (not there)'}\n")
        for row in rows(loaded):
            print(f"{row.name} = {row.value or '(empty)'}   [{row.origin}]")
            print(textwrap.fill(f"{row.meaning} {row.env}", width - 4, initial_indent="    ", subsequent_indent="    "))
    for name in loaded.unused:
        session.say(f"gossamer: {name} sets nothing here.")
    for problem in loaded.problems:
        session.say(f"gossamer: invalid: {problem}")
    if loaded.problems:
        sys.exit(loaded.problems[0].exit_code)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One setting with its effective value; secrets are masked already."""

    name: str
    value: str
    origin: str
    meaning: str
    env: str
    usual: str
    """Another variable that sets it, or nothing."""


def rows(loaded: Loaded) -> list[Row]:
    """Every setting in the order of the model, then every value in a provider's table."""
    settings = loaded.settings
    return [
        Row(
            name=dotted(key),
            value=masked(key, value),
            origin=loaded.origins[dotted(key)],
            meaning=meaning,
            env=env_name(key),
            usual=usual_name(key),
        )
        for key, value, meaning in (*_own(settings), *_of_providers(settings))
    ]


def _own(settings: Settings) -> Iterator[tuple[Key, object, str]]:
    spelt_out: dict[Key, str] = {("store",): settings.store_address, ("state",): settings.state_address}
    for key, about in fields().items():
        value: object = settings
        for part in key:
            value = getattr(value, part)
        yield key, spelt_out.get(key, value), about.description or ""


def _of_providers(settings: Settings) -> Iterator[tuple[Key, object, str]]:
    for provider, table in settings.providers.items():
        for name, value in table.items():
            yield (PROVIDERS, provider, name), value, f"A setting of the provider {provider}."
