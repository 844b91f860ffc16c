"""SQLite's journal: write-ahead on a disk of this machine, rollback where other machines share the file system."""

import re
import sys
from pathlib import Path, PurePosixPath
from typing import Literal, cast, get_args

from gossamer.errors import BadSettings
from gossamer.filedb.address import JOURNAL

Journal = Literal["auto", "wal", "truncate"]
"""How SQLite keeps a write apart until it is whole: `wal` on a disk of this machine, `truncate` on one of others."""

Mode = Literal["wal", "truncate"]
"""The journal of a file, once it is decided what `auto` means."""

_SHARED = ("nfs", "cifs", "smb", "9p", "lustre", "gpfs", "fuse.sshfs", "ceph", "afs", "beegfs")
"""What file systems that several machines share are called, or begin with."""

_ESCAPED = re.compile(r"\\([0-7]{3})")
"""How the table of mounts writes a space."""


def journal_of(address: str) -> Journal:
    """The journal that an address such as `sqlite:///home/me/store.sqlite?journal=truncate` asks for."""
    journal = address.partition(JOURNAL)[2] or "auto"
    if journal not in get_args(Journal):
        raise BadSettings("An address asks for a journal that is none.", hint="Write auto, wal or truncate.")
    return cast("Journal", journal)


def chosen_journal(folder: Path, asked: Journal) -> tuple[Mode, str]:
    """The journal to use, and the file system that made us choose the slower one.

    The faster one needs memory that all its users share, which ends at the machine.
    """
    if asked != "auto":
        return asked, ""
    kind = shared_kind(folder)
    return ("truncate", kind) if kind else ("wal", "")


if sys.platform == "win32":

    def shared_kind(folder: Path) -> str:
        """What a network drive is called; empty for a disk of this machine."""
        from ctypes import windll

        remote = 4
        return "network drive" if windll.kernel32.GetDriveTypeW(folder.resolve().anchor) == remote else ""
else:

    def shared_kind(folder: Path) -> str:
        """The kind of file system a folder lies on, if other machines may share it; empty if not, or not known."""
        try:
            table = Path("/proc/self/mounts").read_text("utf-8", "replace")
        except OSError:
            return ""
        kind = kind_of(PurePosixPath(folder.resolve()), table)
        return kind if kind.startswith(_SHARED) else ""


def kind_of(folder: PurePosixPath, table: str) -> str:
    """The kind of file system that a folder lies on, by the system's table of mounts; of two the later counts."""
    best, kind = -1, ""
    for line in table.splitlines():
        _, place, system, *_ = [*line.split(" "), "", "", ""]
        mounted = PurePosixPath(_ESCAPED.sub(lambda octal: chr(int(octal[1], 8)), place))
        depth = len(mounted.parts)
        if place and depth >= best and folder.is_relative_to(mounted):
            best, kind = depth, system
    return kind
