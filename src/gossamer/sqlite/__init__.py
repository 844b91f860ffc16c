"""One database file, one lock, one writer thread: for stores and states."""

from gossamer.sqlite.database import OPENING_S, PATIENCE_S, Database, Work
from gossamer.sqlite.files import Journal, journal_of, path_of
from gossamer.sqlite.mounts import chosen_journal
from gossamer.sqlite.opening import Schema

__all__ = [
    "OPENING_S",
    "PATIENCE_S",
    "Database",
    "Journal",
    "Schema",
    "Work",
    "chosen_journal",
    "journal_of",
    "path_of",
]
