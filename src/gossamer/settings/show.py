"""Rows of `gossamer settings`: the value, origin and meaning of every setting."""

from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.settings.display import masked
from gossamer.settings.load import Loaded
from gossamer.settings.model import Settings
from gossamer.settings.names import PROVIDERS, Key, dotted, env_name, fields, usual_name


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
