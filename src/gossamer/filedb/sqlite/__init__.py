"""A SQLite file: every write under one lock of the operating system, reads without it; for stores and states."""

from gossamer.filedb.sqlite.connections import Journal, chosen_journal, journal_of
from gossamer.filedb.sqlite.database import OPENING_S, PATIENCE_S, Database
from gossamer.filedb.sqlite.open_file import Schema
from gossamer.filedb.sqlite.writer import Work

__all__ = [
    "OPENING_S",
    "PATIENCE_S",
    "Database",
    "Journal",
    "Schema",
    "Work",
    "chosen_journal",
    "journal_of",
]
