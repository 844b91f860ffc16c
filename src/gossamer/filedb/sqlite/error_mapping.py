"""SQLite's errors as ours, by a table."""

import contextlib
import shutil
import sqlite3
from typing import NoReturn

from gossamer.errors import StoreBusy, StoreDamaged, StoreError, StoreUnavailable
from gossamer.filedb.file_errors import full
from gossamer.filedb.files import Files

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_DIFFERING = {
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_ROWID,
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    sqlite3.SQLITE_IOERR_SHORT_READ,
}
"""What we write does not bring these about in a sound file: tables and indexes differ, or a part is missing."""
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_UNMAKEABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_LEAST_FREE_BYTES = 2**16
"""Less than this is a full disk: the index of a log takes half of it."""
_UNAVAILABLE = {
    sqlite3.SQLITE_READONLY: (
        "The database cannot be written.",
        "Check the rights of the data folder, or set DATA_DIR.",
    ),
    sqlite3.SQLITE_PERM: ("The database may not be opened.", "Check the rights of the data folder, or set DATA_DIR."),
    sqlite3.SQLITE_CANTOPEN: ("The database cannot be opened.", "Check the data folder, or set DATA_DIR."),
    sqlite3.SQLITE_IOERR: ("The disk failed while the database was used.", "Check the disk, or set DATA_DIR."),
    sqlite3.SQLITE_INTERRUPT: ("The store was closed meanwhile.", "Ask again."),
}


Foreign = (sqlite3.Error, UnicodeDecodeError)
"""What using a database may raise. A garbled schema can end in a message that is no text."""


class Unprepared(StoreBusy):
    """What is made of the rest, such as an index, is not all made yet."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="Ask again in a moment; what is kept can be listed and read meanwhile.")


def is_damage(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Whether the file, or its log, is not what SQLite wrote."""
    return isinstance(error, UnicodeDecodeError) or _code(error) in _DAMAGE or _whole_code(error) in _DIFFERING


def reason(error: sqlite3.Error | UnicodeDecodeError) -> str:
    """What is wrong with a damaged file."""
    return "it was cut, or its log was" if _whole_code(error) == sqlite3.SQLITE_IOERR_SHORT_READ else str(error)


def damaged(reason: str) -> StoreDamaged:
    """Say that the file cannot be used any more, and what happens to it."""
    return StoreDamaged(reason, hint="It is moved aside, and a new one begun, when the store is next opened.")


def ours(error: sqlite3.Error | UnicodeDecodeError) -> StoreError | None:
    """The error a caller understands; None for a mistake in our own SQL."""
    code = _code(error)
    if is_damage(error):
        return damaged("The database file is damaged.")
    if code in _BUSY:
        return StoreBusy("Another program holds the database.", hint="Try again in a moment.")
    if code == sqlite3.SQLITE_FULL:
        return full()
    if code in _UNAVAILABLE:
        message, hint = _UNAVAILABLE[code]
        return StoreUnavailable(message, hint=hint)
    return None


def is_unmakeable(error: sqlite3.Error) -> bool:
    """Whether SQLite could not make a file that it needs beside the database."""
    return _code(error) in _UNMAKEABLE


def _of_system(error: sqlite3.Error | UnicodeDecodeError, files: Files) -> StoreUnavailable | None:
    """What rights, limits and the disk tell better than SQLite; None where they tell nothing."""
    folder, code = files.database.parent, _code(error)
    if code not in _UNMAKEABLE or not folder.is_dir():
        return None
    if known := files.hindrance():
        return known
    if code == sqlite3.SQLITE_IOERR and shutil.disk_usage(folder).free < _LEAST_FREE_BYTES:
        return full()
    return files.limit(is_certain=getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_WRITE)


def shut_in(files: Files) -> StoreUnavailable:
    """Say that a file can be read only together with a log that takes the right to write."""
    return StoreUnavailable(
        f"{files.database} was not closed by its last writer, and who may not write in its folder cannot read its log.",
        hint="Let its owner open it once (`gossamer library list`), or copy the files to a folder of your own.",
    )


Untranslated = (*Foreign, OSError)
"""What using a database may raise, before `translate`."""


def translate(error: Exception, files: Files) -> NoReturn:
    """Raise an error of a database as one that a caller understands, and mark a damaged file."""
    if isinstance(error, OSError):
        raise files.unavailable(error) from error
    if not isinstance(error, Foreign):
        raise error
    if is_damage(error):
        with contextlib.suppress(OSError):
            files.suspect.touch(mode=0o600)
    known = _of_system(error, files) or ours(error)
    if known is None:
        raise error
    raise known from error


def _code(error: Exception) -> int:
    return _whole_code(error) & 0xFF


def _whole_code(error: Exception) -> int:
    # Extended codes carry the primary one in their low byte; errors of the Python module itself carry none.
    return int(getattr(error, "sqlite_errorcode", 0))
