"""Where the parser's code lies: exact folders, since a source tree or an environment often lies beside secrets."""

import os
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder

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
