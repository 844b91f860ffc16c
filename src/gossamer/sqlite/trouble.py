"""SQLite's errors as ours, by a table."""

import sqlite3

from gossamer.errors import StoreBusy, StoreDamaged, StoreError, StoreUnavailable

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_UNAVAILABLE = {
    sqlite3.SQLITE_FULL: ("The disk is full, so nothing can be kept.", "Free some space."),
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


def is_damage(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Whether the file is not what SQLite wrote."""
    return isinstance(error, UnicodeDecodeError) or _code(error) in _DAMAGE


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
    if code in _UNAVAILABLE:
        message, hint = _UNAVAILABLE[code]
        return StoreUnavailable(message, hint=hint)
    return None


def _code(error: Exception) -> int:
    # Extended codes carry the primary one in their low byte; errors of the Python module itself carry none.
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
