"""The scripts that make the tables of a store, in their order."""

from functools import cache
from importlib import resources


@cache
def scripts(package: str = "gossamer.stores.sqlite") -> tuple[str, ...]:
    """Those beside a package's modules; the n-th makes schema n of schema n - 1."""
    files = sorted(resources.files(package).joinpath("schema").iterdir(), key=lambda file: file.name)
    return tuple(file.read_text("utf-8") for file in files if file.name.endswith(".sql"))
