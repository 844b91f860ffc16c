"""A database file that another one took the place of, as restoring a copy does, leaves its log beside the new one.

SQLite would bring that log into the new file, and ruin it. Whoever lets go of a file that lost its name notes which log
it left; and the users' lock says which file they have open, for who comes before they notice.
"""

import contextlib
import logging

from gossamer.errors import StoreUnavailable
from gossamer.filedb.files import NO_FILE, Files

_LOG = logging.getLogger("gossamer")


def said_of(files: Files) -> str:
    """What the users' lock says of the file that has the name now."""
    return _name(files.identity()) or "1"


def note_stale(files: Files) -> None:
    """Note that the log which is there now is that of a file that lost its name; where a note can be made."""
    with contextlib.suppress(OSError):
        files.stale.touch(mode=0o600)
        files.stale.write_text(_name(files.log_identity()), "ascii")


def is_noted_stale(files: Files) -> bool:
    """Whether the log is the one that was noted, and no later one."""
    try:
        noted = files.stale.read_text("ascii", "replace")
    except OSError:
        return False
    log = files.log_identity()
    return log is not None and noted == _name(log)


def is_of_another(files: Files, said: str) -> bool:
    """Whether the log belongs to another file than the one that has the name now, by what its users `said`."""
    found = said_of(files)
    return " " in said and " " in found and said != found and files.log_identity() is not None


def move_stale(files: Files, now: float) -> None:
    """Move the log away that was noted; nobody may have either file open."""
    if is_noted_stale(files):
        folder = files.move_sides("replaced", now)
        _LOG.warning("%s was replaced by another file: the log of the one before is in %s.", files.database, folder)
    files.stale.unlink(missing_ok=True)


def replaced(files: Files) -> StoreUnavailable:
    """Say that the file has to wait until nobody uses the one before."""
    return StoreUnavailable(
        f"{files.database} was replaced by another file, and another process has the one before open.",
        hint="The new one is used once the others have noticed that, or ended; pages are not kept until then.",
    )


def _name(identity: tuple[int, int] | None) -> str:
    return "" if identity is None or identity == NO_FILE else "{} {}".format(*identity)
