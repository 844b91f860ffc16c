"""Errors of a database file, whatever its engine: busy, closed, another program's, or refused by the system."""

import errno
import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.errors import StoreBusy, StoreUnavailable

if TYPE_CHECKING:
    from gossamer.filedb.files import Files

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
_NO_RIGHT = {errno.EACCES, errno.EPERM}
_LOCKS = {".lock", ".users", ".want"}
FREE_SPACE = "Free some space: a few MB, which even forgetting a page takes for a moment."
_MARGIN_BYTES = 2**14
"""A file that has so little left to its limit has met it."""


def full() -> StoreUnavailable:
    """Say that there is no space left."""
    return StoreUnavailable("The disk is full, so nothing can be kept.", hint=FREE_SPACE)


def blamed(database: Path, error: OSError) -> StoreUnavailable:
    """Say what failed beside or in the folder of a database: the very file, where it is not the folder's fault."""
    if error.errno in _NO_SPACE:
        return full()
    if error.errno == errno.EFBIG:
        return limited((database,)) or StoreUnavailable(
            f"{database} is as large as its disk allows a file to be.", hint="Set GOSSAMER_LIBRARY__MAX_BYTES lower."
        )
    path = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else database.parent
    reason = error.strerror or type(error).__name__
    if path == database.parent or not path.is_relative_to(database.parent) or _is_of_folder(path, error):
        return StoreUnavailable(
            f"The data folder {database.parent} cannot be written: {reason}.",
            hint="Set DATA_DIR to a folder that you can write to.",
        )
    if path.is_dir():
        return StoreUnavailable(
            f"{path} is a folder, and a file has to be there.", hint="Remove the folder, or give it another name."
        )
    owner = _other_owner(path)
    state = "cannot be used" if owner is None else f"belongs to another user ({owner}) and cannot be used"
    return StoreUnavailable(f"{path} {state}: {reason}.", hint=_way_on(path, error))


def obstacle(paths: Iterable[Path]) -> OSError | None:
    """The first of these files, or else the folder of it, that may not be written; None where all may."""
    for path in paths:
        folder = path.parent
        if not os.access(folder, os.W_OK):
            is_fixed = hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY
            reason = errno.EROFS if is_fixed else errno.EACCES
            return OSError(reason, os.strerror(reason), str(folder))
        if path.exists() and not os.access(path, os.R_OK | os.W_OK):
            return OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return None


def limited(paths: Iterable[Path], *, is_certain: bool = False) -> StoreUnavailable | None:
    """Say that a file has met the size that this process may give one; None where there is no such limit, or none has.

    SQLite keeps what the system said of a failed write to itself. Where it `is_certain` that one failed, and not for
    want of space, the limit was the reason even if the file that met it is gone by now.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if most == resource.RLIM_INFINITY:
        return None
    for path in paths:
        if is_certain or (path.exists() and path.stat().st_size + _MARGIN_BYTES > most):
            return StoreUnavailable(
                f"{path} may grow no larger here: a file of this process may have {most} bytes.",
                hint="Raise that limit (`ulimit -f`), or set GOSSAMER_LIBRARY__MAX_BYTES to less than half of it.",
            )
    return None


def _is_of_folder(path: Path, error: OSError) -> bool:
    """Whether a file is not there because none can be made in its folder, or its folder may not be entered."""
    if error.errno == errno.EROFS:
        return True
    try:
        return error.errno in _NO_RIGHT and not path.exists()
    except OSError:
        return True


def _way_on(path: Path, error: OSError) -> str:
    if error.errno not in _NO_RIGHT:
        return "Look at that file, or set DATA_DIR to another folder."
    name = shlex.quote(str(path))
    mend = f"chmod 600 {name}" if _other_owner(path) is None else f"sudo chown {_name(os.geteuid())} {name}"
    if path.suffix in _LOCKS:
        return f"Make it yours (`{mend}`) or delete it: it is made again, and holds nothing."
    return f"Make it yours (`{mend}`), or set DATA_DIR to a folder of your own."


def _other_owner(path: Path) -> str | None:
    """The name of the file's owner, when that is another user."""
    if not hasattr(os, "geteuid"):
        return None
    try:
        owner = path.stat().st_uid
    except OSError:
        return None
    return None if owner == os.geteuid() else _name(owner)


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def busy(files: "Files", waited_s: float, remark: str = "", *, is_queued: bool = True) -> StoreBusy:
    """Another process holds the lock: queued work is done once it is free, if this process lives then."""
    return StoreBusy(
        f"{files.database.name} has been held by another process for {waited_s:.0f} s{remark}.",
        hint="It waits its turn, and is done once that process goes on, or has ended."
        if is_queued
        else "Ask again once that process goes on, or has ended.",
    )


def slow(files: "Files", waited_s: float) -> StoreBusy:
    """No other process is in the way: this one, or the disk, is slow."""
    return StoreBusy(
        f"{files.database.name} could not be used within {waited_s:.0f} s: there is much to do, or the disk is slow.",
        hint="It waits its turn, and is done once what comes before it is.",
    )


def unopened(files: "Files", waited_s: float) -> StoreBusy:
    """Opening takes too long: mostly another process holds the lock that it needs."""
    return StoreBusy(
        f"{files.database.name} could not be opened within {waited_s:.0f} s: another process has it, or much is to do.",
        hint="Nothing is kept meanwhile; it is tried again every few seconds.",
    )


def crowded(files: "Files") -> StoreBusy:
    """Say that too much waits to be written to take in more."""
    return StoreBusy(
        f"Too much waits to be kept in {files.database.name} already: this is not kept.",
        hint="Ask again in a moment; if it stays so, another process holds the file.",
    )


def unprepared(files: "Files", waited_s: float) -> StoreBusy:
    """Say that what was to be written could not be made ready in time."""
    return StoreBusy(
        f"Preparing something for {files.database.name} took more than {waited_s:.0f} s: it is not kept.",
        hint="Ask again when the machine has less to do.",
    )


def only_readable(files: "Files") -> StoreUnavailable:
    """Say that a newer version has made the file its own."""
    return StoreUnavailable(
        f"{files.database.name} was written by a newer Gossamer, which lets this one only read it.",
        hint="Update Gossamer.",
    )


def closed() -> StoreUnavailable:
    """Say that it is too late."""
    return StoreUnavailable("The store is closed.", hint="Open it again.")


def not_ours(files: "Files") -> StoreUnavailable:
    """Say that the file is the database of another program."""
    return StoreUnavailable(
        f"{files.database} is the database of another program, and is left as it is.",
        hint="Name a file of its own for Gossamer.",
    )
