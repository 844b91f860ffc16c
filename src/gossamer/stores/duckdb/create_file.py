"""New DuckDB files: an empty one, a copy, one without free space. Their owner alone may read them."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb

Connection = duckdb.DuckDBPyConnection

CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "512MB",
    # Otherwise a function that DuckDB does not know makes it ask its download server.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "enable_external_access": "false",
}


def make_empty(path: Path) -> None:
    """Make a file without tables."""
    _make(path, lambda _: None, CONFIG)


def copy_files(path: Path, copy: Path, sides: Sequence[str]) -> None:
    """Copy a file and its log as they are; nobody may have it open."""
    for side in ("", *sides):
        source, target = (it.with_name(f"{it.name}{side}") for it in (path, copy))
        target.unlink(missing_ok=True)
        if source.exists():
            target.touch(mode=0o600)
            shutil.copyfile(source, target)


def make_anew(path: Path) -> None:
    """Put a copy without free space in a file's place, in one step; nobody may have it open, or be able to."""

    def copy(connection: Connection) -> None:
        # Names of files cannot be parameters.
        old = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{old}' AS old (READ_ONLY)")
        (new,) = connection.execute("SELECT current_database()").fetchone() or ("",)
        connection.execute(f'COPY FROM DATABASE old TO "{new}"')

    # Attaching is external access to DuckDB.
    _make(path, copy, CONFIG | {"enable_external_access": "true"})


def _make(
    path: Path, fill: Callable[[Connection], None], config: dict[str, str | bool | int | float | list[str]]
) -> None:
    """DuckDB takes no empty file and makes none that is private, so each is made in a folder that is."""
    folder = path.with_name(f"{path.name}.new")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        made = folder / "store.duckdb"
        with duckdb.connect(made, config=config) as connection:
            fill(connection)
        made.chmod(0o600)
        made.replace(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
