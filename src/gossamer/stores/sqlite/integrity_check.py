"""Integrity check of a SQLite store's file: finds damage before a read meets it."""

import contextlib
import sqlite3
import time
from pathlib import Path

from gossamer.errors import StoreDamaged, StoreError
from gossamer.filedb.files import Files
from gossamer.filedb.sqlite.connections import connect_looking
from gossamer.filedb.sqlite.error_mapping import Foreign, is_damage, reason
from gossamer.filedb.sqlite.file_identity import belongs_to_another
from gossamer.filedb.sqlite.open_file import verdict_on
from gossamer.filedb.sqlite.writer import Locks
from gossamer.stores.sqlite import word_search

_LOOK_S = 10.0
"""The time limit of an integrity check; damage beyond it is found by later reads."""
_STEPS = 10_000
"""Instructions of a look between two glances at the clock."""


def check(path: Path) -> None:
    """Raise `StoreDamaged` where the file or its word index is damaged, as far as a look of a few seconds tells.

    Whoever opens it next gets over it. Nothing is told of a file that is not ours or cannot be used: opening it tells
    that; nor of the index while somebody writes.
    """
    files = Files(path)
    if not files.lock.is_file() or files.is_empty() or belongs_to_another(files, was_ours=True):
        return
    if verdict := _verdict(files):
        files.suspect.touch(mode=0o600)
        raise StoreDamaged(
            f"{path.name} is damaged ({verdict}).",
            hint="It is moved aside, and what can be read of it taken over, when the library is next used:"
            " `gossamer library list` will do.",
        )
    if _has_damaged_words(files):
        files.suspect.touch(mode=0o600)
        raise StoreDamaged(
            f"The word index of {path.name} is damaged: searches miss pages.",
            hint="It is made again from the pages when the library is next used: `gossamer library list` will do.",
        )


def _verdict(files: Files) -> str:
    until = time.monotonic() + _LOOK_S
    try:
        with contextlib.closing(connect_looking(files, "wal").connection) as connection:
            connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
            return verdict_on(connection)
    except StoreError:
        return ""
    except Foreign as error:
        return reason(error) if is_damage(error) else ""


def _has_damaged_words(files: Files) -> bool:
    with contextlib.suppress(StoreError, *Foreign), contextlib.ExitStack() as undo:
        locks = undo.enter_context(contextlib.closing(Locks(files)))
        is_held = undo.enter_context(locks.held_within(0))
        address = f"{files.database.as_uri()}?mode=rw"
        connection = undo.enter_context(contextlib.closing(sqlite3.connect(address, uri=True)))
        if is_held and word_search.is_made(connection):
            try:
                # Written like a change, it makes none.
                connection.execute("INSERT INTO fts (fts) VALUES ('integrity-check')")
            except Foreign as error:
                return is_damage(error)
    return False
