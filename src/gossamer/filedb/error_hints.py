"""Hints for operating system errors: which file or folder is in the way, and what its owner can do about it."""

import errno
import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from gossamer.errors import StoreUnavailable

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
        return limited((database,)) or _too_large(database)
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
    return StoreUnavailable(_told(path, reason), hint=_way_on(path, error))


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


def _too_large(path: Path) -> StoreUnavailable:
    return StoreUnavailable(
        f"{path} is as large as its disk allows a file to be.", hint="Set GOSSAMER_LIBRARY__MAX_BYTES lower."
    )


def _is_of_folder(path: Path, error: OSError) -> bool:
    """Whether a file is not there because none can be made in its folder, or its folder may not be entered."""
    if error.errno == errno.EROFS:
        return True
    try:
        return error.errno in _NO_RIGHT and not path.exists()
    except OSError:
        return True


def _told(path: Path, reason: str) -> str:
    if (owner := _other_owner(path)) is not None:
        return f"{path} belongs to another user ({owner}) and cannot be used: {reason}."
    return f"{path} cannot be used: {reason}."


def _way_on(path: Path, error: OSError) -> str:
    if error.errno not in _NO_RIGHT:
        return "Look at that file, or set DATA_DIR to another folder."
    name = shlex.quote(str(path))
    mend = f"chmod 600 {name}" if _other_owner(path) is None else f"sudo chown {_me()} {name}"
    if path.suffix in _LOCKS:
        return f"Make it yours (`{mend}`) or delete it: it is made again, and holds nothing."
    return f"Make it yours (`{mend}`), or set DATA_DIR to a folder of your own."


def _other_owner(path: Path) -> str | None:
    """Whose the file is, where it is not ours."""
    if not hasattr(os, "geteuid"):
        return None
    try:
        owner = path.stat().st_uid
    except OSError:
        return None
    return None if owner == os.geteuid() else _name(owner)


def _me() -> str:
    return _name(os.geteuid())


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
