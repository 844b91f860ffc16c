"""Environment variables and flags: each sets one setting from text."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from gossamer.settings.display import Source, is_secret, place
from gossamer.settings.names import CONFIG, PREFIX, USUAL, Key, dotted, fields, key_of, nearest_key, nearest_variable

_FILE = "_FILE"
_AMBIENT = frozenset({("net", "service_proxy"), ("net", "service_no_proxy")})
"""Settings whose usual variables are set for other programs: how those are written is no mistake of ours."""
_BETWEEN_HOSTS = re.compile(r"[\s,'\"]+")
_MAX_HOSTS = 1000
_MAX_SECRET_BYTES = 65_536


def from_environment(environ: Mapping[str, str]) -> Source:
    """Read the usual names, then ours, which win; an empty variable counts as unset.

    A secret may stand in a file that `…_FILE` names; the variable itself wins over its file.
    """
    source = Source()
    for name, key in USUAL.items():
        if key in _AMBIENT:
            _take_ambient(source, environ, name, key)
        else:
            _take(source, environ, name, key)
    for name in sorted(environ):
        if name.upper().startswith(PREFIX) and name != CONFIG and environ[name].strip():
            variable, key = _named(name)
            if key is None:
                source.complain(f"There is no setting {name} (environment).", nearest_variable(name))
            else:
                _take(source, environ, variable, key)
    return source


def _named(name: str) -> tuple[str, Key | None]:
    """The variable that holds the value, and its setting: `X_FILE` stands for `X` where X is a secret."""
    variable = name.removesuffix(_FILE)
    key = key_of(variable)
    return (variable, key) if key is not None and is_secret(key) else (name, key_of(name))


def _take(source: Source, environ: Mapping[str, str], name: str, key: Key) -> None:
    if value := environ.get(name, "").strip():
        source.take(key, value, f"environment {name}")
    elif is_secret(key) and (path := environ.get(name + _FILE, "").strip()):
        _take_secret(source, key, place(path), name + _FILE)


def _take_ambient(source: Source, environ: Mapping[str, str], name: str, key: Key) -> None:
    """Take a value in a form that is always good; other programs divide hosts by blanks, too, and bytes are any."""
    if text := environ.get(name, "").encode(errors="replace").decode().strip():
        is_list = key[-1] == "service_no_proxy"
        source.take(key, _BETWEEN_HOSTS.split(text)[:_MAX_HOSTS] if is_list else text, f"environment {name}")


def _take_secret(source: Source, key: Key, path: Path, name: str) -> None:
    try:
        with path.open("rb") as file:
            value = file.read(_MAX_SECRET_BYTES).decode().strip()
    except OSError as error:
        source.complain(f"{name} names {path}, which cannot be read: {error.strerror}.", "Correct the path.")
    except ValueError:
        source.complain(f"{name} names {path}, which is not text.", "Put the secret alone into the file.")
    else:
        if value:
            source.take(key, value, f"environment {name}")
        else:
            source.complain(f"{name} names {path}, which is empty.", "Put the secret alone into the file.")


def from_flags(flags: Mapping[str, str]) -> Source:
    """Read the command line's flags by the names of the settings: `net.robots` came from `--robots`."""
    source = Source()
    for name, value in flags.items():
        key = tuple(name.split("."))
        if key in fields():
            source.take(key, value.strip(), f"flag {flag_name(key)}")
        else:
            source.complain(f"There is no setting {name} (flag {flag_name(key)}).", nearest_key(dotted(key)))
    return source


def flag_name(key: Key) -> str:
    """The flag of a setting: the last part of its name."""
    return "--" + key[-1].replace("_", "-")


def limit_blas_threads() -> None:
    """Run each matrix product in its caller's thread, unless the user has set another number; call before NumPy loads.

    The products of a page are small: a second thread shortens none of them, and spins for milliseconds after each,
    which makes reading a page again cost three times as much.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
