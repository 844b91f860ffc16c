"""Landlock: the kernel's own sandbox for a process without privileges (Linux 5.13 and newer).

The parser may read its code, and the libraries that this code is linked with. It writes nowhere, runs nothing, and
neither connects by TCP nor signals a process outside. The code is given as exact folders, since a source tree or an
environment often lies beside secrets.
"""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder

from gossamer.extractors.workers.sandbox.kernel import syscall

PACKAGES = (
    "charset_normalizer",
    "cssselect",
    "gossamer",
    "lxml",
    "numpy",
    "pypdfium2",
    "pypdfium2_cfg",
    "pypdfium2_raw",
)
"""What readers import, some of it only when the first page of a kind comes."""
_INSTALLED = ("site-packages", "dist-packages")
"""How folders are called that hold installed packages and nothing else."""
_LIBRARIES = ("lib", "lib64")
"""What the folder is called in which an installed Python lies, beside the libraries that it is linked with."""
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache")
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""The numbers of the system calls, on every architecture."""
_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights about files there are from each version on; each is a bit, and all are taken away."""
_NET_RIGHTS = 0b11
_SCOPES = 0b11
_NET_SINCE, _SCOPES_SINCE = 4, 6


def apply() -> dict[str, str]:
    """Give up all rights about files but that of reading code, then TCP, abstract sockets and signals.

    The kernel confines the thread that asks, and those that it starts later.
    """
    is_alone = len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208  threads, not files
    version = syscall(_CREATE_RULESET, None, 0, _VERSION)
    rights = attributes(version)
    ruleset = syscall(_CREATE_RULESET, ctypes.create_string_buffer(rights), len(rights), 0)
    try:
        for path in code_paths():
            _allow_reading(ruleset, path)
        syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    if not is_alone:
        return {"landlock": "another thread of the parser runs already"}
    return {
        name: f"the kernel has version {version} of Landlock, and this needs version {since}"
        for name, since in (("landlock_network", _NET_SINCE), ("landlock_scopes", _SCOPES_SINCE))
        if version < since
    }


def attributes(version: int) -> bytes:
    """All that a kernel of this version can take away."""
    words = [(1 << max(count for since, count in _FILE_RIGHTS.items() if since <= version)) - 1]
    words += [_NET_RIGHTS] if version >= _NET_SINCE else []
    words += [_SCOPES] if version >= _SCOPES_SINCE else []
    return struct.pack(f"={len(words)}Q", *words)


def _allow_reading(ruleset: int, path: str) -> None:
    """Allow a file, or a folder with all that is in it; one that is not there needs no rule."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = _READ_FILE | (_READ_DIR if stat.S_ISDIR(os.fstat(place).st_mode) else 0)
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place))
        syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(place)


def code_paths() -> Iterator[str]:
    """The files and folders that hold code: Python's own, the packages', the system's libraries.

    A folder of the import path that may hold anything is not among them, only the packages inside of it. Where the
    files of a package are links, the folder that they lead to counts.
    """
    yield from _SYSTEM
    library = os.path.dirname(os.path.realpath(os.__file__))  # noqa: PTH120
    above = os.path.dirname(library)  # noqa: PTH120
    yield above if os.path.basename(above) in _LIBRARIES else library  # noqa: PTH119
    for entry in sys.path:
        if os.path.basename(entry) in _INSTALLED or os.path.isfile(entry):  # noqa: PTH113, PTH119
            yield entry
    for name in PACKAGES:
        spec = PathFinder.find_spec(name)
        if spec is not None and spec.origin:
            yield from spec.submodule_search_locations or ()
            yield os.path.dirname(os.path.realpath(spec.origin))  # noqa: PTH120
