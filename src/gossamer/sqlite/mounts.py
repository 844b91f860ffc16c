"""Whether a folder lies on a disk of this machine."""

import re
import sys
from pathlib import Path, PurePosixPath

from gossamer.sqlite.files import Journal, Mode

_SHARED = ("nfs", "cifs", "smb", "9p", "lustre", "gpfs", "fuse.sshfs", "ceph", "afs", "beegfs")
"""What file systems that several machines share are called, or begin with."""

_ESCAPED = re.compile(r"\\([0-7]{3})")
"""How the table of mounts writes a space."""


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
        _, place, found, *_ = [*line.split(" "), "", "", ""]
        mounted = PurePosixPath(_ESCAPED.sub(lambda found: chr(int(found[1], 8)), place))
        depth = len(mounted.parts)
        if place and depth >= best and folder.is_relative_to(mounted):
            best, kind = depth, found
    return kind
