"""Addresses of files, such as `sqlite:///home/me/store.sqlite`, and what is known of one without opening it."""

import glob
import os
import shutil
from pathlib import Path

from gossamer.errors import BadSettings
from gossamer.filedb.files import Files
from gossamer.filedb.processes import count_sharers
from gossamer.ports.addresses import Addressed


def path_of(address: str) -> Path:
    """The file that an address names, without its options, where links of POSIX lead to.

    SQLite puts its log beside that file; lock and marks belong there too, since it may have other names.
    """
    kind, (_, slashes, rest) = address.partition(":")[0], address.partition(JOURNAL)[0].partition("://")
    name = rest.lstrip("/")
    if not slashes or not rest.startswith("/") or not name or "\0" in name:
        raise BadSettings(
            f"A {kind} address needs the full path of a file.",
            hint=f"Write it with three slashes: {kind}:///home/me/store.{kind}.",
        )
    has_drive = name[1:2] == ":" and name[0].isalpha()
    return Path(name) if has_drive and os.name == "nt" else Path(os.path.realpath(f"/{name}"))


JOURNAL = "?journal="
"""The option of an address that says how SQLite writes."""


class FileAddress(Addressed):
    """What a store or state in one file answers for its addresses."""

    @classmethod
    def exists(cls, address: str) -> bool:
        """Whether there is a file, or one that was moved aside and whose pages are to be taken over."""
        return path_of(address).exists() or cls.is_recovering(address)

    @classmethod
    def free_bytes(cls, address: str) -> int | None:
        """The space that is left on the disk of the file."""
        return shutil.disk_usage(path_of(address).parent).free

    @classmethod
    def remark(cls, address: str) -> str:
        """How many processes have the file open."""
        count = count_sharers(path_of(address))
        return f"used by {count} process{'es' if count > 1 else ''}" if count else ""

    @classmethod
    def is_recovering(cls, address: str) -> bool:
        """Whether pages of a damaged file are still to be taken over."""
        return bool(Files(path_of(address)).unsaved())

    @classmethod
    def moved_aside(cls, address: str) -> frozenset[Path]:
        """The files that were moved into folders beside the present one."""
        path = path_of(address)
        return frozenset(path.parent.glob(f"*/{glob.escape(path.name)}"))
