"""Connections to a database file, each with our pragmas, and the journal that the file has.

The journal is a write-ahead log on a disk of this machine, a rollback journal where other machines share the file
system.
"""

import re
import sqlite3
import sys
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple, TypeVar, cast, get_args

from gossamer.errors import BadSettings
from gossamer.filedb.address import JOURNAL
from gossamer.filedb.files import Files
from gossamer.filedb.sqlite.error_mapping import is_unmakeable, shut_in

Journal = Literal["auto", "wal", "truncate"]
"""How SQLite keeps a write apart until it is whole: `wal` on a disk of this machine, `truncate` on one of others."""

Mode = Literal["wal", "truncate"]
"""The journal of a file, once it is decided what `auto` means."""

_SHARED = ("nfs", "cifs", "smb", "9p", "lustre", "gpfs", "fuse.sshfs", "ceph", "afs", "beegfs")
"""What file systems that several machines share are called, or begin with."""

_ESCAPED = re.compile(r"\\([0-7]{3})")
"""How the table of mounts writes a space."""

_CREATING = ("page_size = 8192", "auto_vacuum = INCREMENTAL")
_JOURNALS: dict[Mode, tuple[str, str]] = {
    "wal": ("journal_mode = WAL", "synchronous = NORMAL"),
    "truncate": ("journal_mode = TRUNCATE", "synchronous = FULL"),
}
LOG_LIMIT_BYTES = 4 * 2**20
"""A log that is begun anew shrinks to this, if it was longer."""
_ALWAYS = (
    "wal_autocheckpoint = 0",
    f"journal_size_limit = {LOG_LIMIT_BYTES}",
    "mmap_size = 0",
    "foreign_keys = ON",
    "trusted_schema = OFF",
)
_MOVED = ("writable_schema = ON", "trusted_schema = OFF")
"""The first lets SQLite read a file that is shorter than its header says, which it else refuses as a whole."""

T = TypeVar("T")


def connect(files: Files, mode: Mode) -> sqlite3.Connection:
    """Open a connection for writing, which gives the file this journal; the file must exist."""
    return _prepared(_open(files.database, "rw"), (*_CREATING, *_JOURNALS[mode], *_ALWAYS))


def connect_reader(files: Files, mode: Mode) -> sqlite3.Connection:
    """Open a connection for reading, which can be closed without the write lock.

    The last one to close a file with a log checkpoints it, unless it cannot write. Without a log a reader has to be
    able to take back what a killed writer left half done, and closing does nothing.
    """
    connection = _open(files.database, "ro" if mode == "wal" else "rw")
    return _prepared(connection, (*_ALWAYS, "query_only = ON"))


class Reader(NamedTuple):
    """A connection for reading, and what the file must stay like for it; nothing where anything may happen to it."""

    connection: sqlite3.Connection
    still: tuple[int, int] | None = None


def connect_looking(files: Files, mode: Mode) -> Reader:
    """Open for reading even where no file can be made beside the database, which SQLite needs for one with a log.

    Where there is nothing in the log, the file alone is read as long as it stays as it is.
    """
    connection = connect_reader(files, mode)
    still = files.still()
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if not is_unmakeable(error):
            raise
        if still is None:
            raise shut_in(files) if files.has_log() and files.hindrance() else error from None
        connection = _prepared(_open(files.database, "ro&immutable=1"), (*_ALWAYS, "query_only = ON"))
        return Reader(connection, still)
    except BaseException:
        connection.close()
        raise
    return Reader(connection)


def open_moved(path: Path) -> sqlite3.Connection:
    """Open a database that was moved aside, to see what can still be read of it.

    What a killed writer left half done, with a journal that tells what was there before, is taken back. Of a file
    that was cut, what comes before the cut is read.
    """
    journal = path.with_name(f"{path.name}-journal")
    is_half_done = journal.exists() and journal.stat().st_size > 0
    return _prepared(_open(path, "rw" if is_half_done else "ro"), _MOVED)


def mode_of(connection: sqlite3.Connection) -> Mode:
    """The journal that a file has now."""
    # Which of the journals without a log it is, no file remembers.
    return "wal" if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal" else "truncate"


def _open(path: Path, rights: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={rights}", uri=True, isolation_level=None, timeout=30, check_same_thread=False
    )
    # Bytes that are no text are damage for the reader to find, not an error of the driver.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def _prepared(connection: sqlite3.Connection, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


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
