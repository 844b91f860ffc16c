"""Databases of notes, which the tests of SQLite files write and read."""

import sqlite3

from gossamer.filedb.sqlite import Database


async def keep(database: Database, *notes: str) -> None:
    """Write these notes in one transaction."""
    rows = [(note,) for note in notes]
    await database.write(lambda it: it.executemany("INSERT INTO notes (text) VALUES (?)", rows))


def texts(connection: sqlite3.Connection) -> list[str]:
    """All notes, in the order in which they were written."""
    return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY rowid")]
