"""Recovery: moves what a damaged file still holds into the new one, and resumes after any interruption.

A damaged file is moved into a folder with a mark, which stays until all that can be read is in the new file. The
next process to open the store finds the mark and goes on; progress is noted in the new file, with each change. Pages
removed meanwhile are noted there too, and do not come back.
"""

import contextlib
import logging
import time
from collections.abc import Callable, Generator
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from gossamer.errors import StoreError
from gossamer.filedb.files import Files
from gossamer.filedb.lock import FileLock
from gossamer.ports import Clock

_LOG = logging.getLogger("gossamer")
_MOST_PASSED = 1_000
"""Numbers without a change in one step: waiting callers get their turn in between."""
_SAVING, _GONE = "saving.", "gone."
"""How the keys of both kinds of notes begin."""


class Executing(Protocol):
    """A connection of either engine."""

    def execute(self, statement: str, parameters: Any = ..., /) -> Any:
        """Run one statement."""
        ...


C = TypeVar("C", bound=Executing)
Change = Callable[[C], object]
Missing = Literal["lost", "absent"]
"""Why there is no change for a number: its page cannot be read, or as far as can be told there was none."""
Changes = Generator[tuple[int, Change[C] | Missing], None, bool]
"""Each with its number; at the end, whether every page that there was had a number of its own."""
Salvage = Callable[[Path, float, int | None], Changes[C]]
"""From a damaged file, the time, and the number of the last change made, to the changes that are left. Where none was
made the first is the most important: it is made before the new file is used."""
Write = Callable[[Change[C]], object]
"""Makes a change in one transaction."""


class Done(NamedTuple):
    """How far a rescue has come."""

    number: int
    saved: int = 0
    lost: int = 0


class Rescue(Generic[C]):
    """The recovery of one damaged file, by the process that holds the lock on its mark."""

    def __init__(self, folder: Path, files: Files, salvage: Salvage[C], now: float, done: Done | None) -> None:
        self._folder = folder
        self._mark = files.mark_in(folder)
        self._done = done or Done(0)
        self._lock = FileLock(self._mark)
        self._changes = salvage(folder / files.database.name, now, done.number if done else None)

    def begin(self, write: Write[C]) -> None:
        """Make the first change; when it cannot be made the new file must not be used."""
        number, change = next(self._changes)
        if callable(change):
            write(self._noting(self._done._replace(number=number), change))

    def is_ours(self) -> bool:
        """Take the lock on the mark; False when another process is recovering this file."""
        return self._lock.try_take()

    def step(self, write: Write[C]) -> bool:
        """Make one change, and tell whether there may be more. What cannot be taken over is left where it is."""
        for _ in range(_MOST_PASSED):
            try:
                number, change = next(self._changes)
            except StopIteration as end:
                write(self._finish)
                self._tell(is_certain=end.value)
                return False
            done = self._done._replace(number=number)
            if callable(change):
                self._make(write, done, change)
                return True
            self._done = done._replace(lost=done.lost + (change == "lost"))
        write(self._noting(self._done, lambda _: None))
        return True

    def _make(self, write: Write[C], done: Done, change: Change[C]) -> None:
        try:
            saved = done._replace(saved=done.saved + 1)
            write(self._noting(saved, change))
            self._done = saved
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one page, the others are worth saving
            _LOG.warning("A page in %s could not be saved (%s).", self._folder, type(error).__name__)
            self._done = done._replace(lost=done.lost + 1)
            write(self._noting(self._done, lambda _: None))

    def close(self) -> None:
        """Leave it as it is, for the next one."""
        self._changes.close()
        self._lock.close()

    def _tell(self, *, is_certain: bool) -> None:
        _, saved, lost = self._done
        if saved or lost:
            _LOG.warning("%d pages were saved from %s; %s.", saved, self._folder, _told(lost, is_certain=is_certain))
        elif not is_certain:
            # That the file was moved and a new one begun is told already, once.
            _LOG.info("No page could be read of %s.", self._folder)

    def _noting(self, done: Done, change: Change[C]) -> Change[C]:
        def change_and_note(connection: C) -> None:
            change(connection)
            _forget(connection, self._folder)
            connection.execute("INSERT INTO meta VALUES (?, ?)", (_key(self._folder), " ".join(map(str, done))))

        return change_and_note

    def _finish(self, connection: C) -> None:
        # Should this not be committed, the number is left over, which harms nobody.
        self._mark.unlink(missing_ok=True)
        _forget(connection, self._folder)
        if not is_under_way(connection):
            connection.execute("DELETE FROM meta WHERE key >= ? AND key < ?", _range(_GONE))


class Rescues(Generic[C]):
    """All that is to be taken over by this process, the newest file first."""

    def __init__(self, files: Files, salvage: Salvage[C] | None, clock: Clock) -> None:
        self._files = files
        self._salvage = salvage
        self._clock = clock
        self._left: list[Rescue[C]] = []
        self.is_put_off = self._is_taken_up = self._is_told = False

    def __bool__(self) -> bool:
        return self._is_taken_up or bool(self._left)

    def begin(self, connection: C, write: Write[C]) -> None:
        """Begin or go on with every damaged file that has a mark; the caller holds the write lock.

        The newest comes first: of what is in two of them, it has the later state.
        """
        self.close()
        if self._salvage is None:
            return
        with contextlib.ExitStack() as undo:
            left: list[Rescue[C]] = []
            for folder in self._files.unsaved():
                done = _done(connection, folder)
                rescue = Rescue(folder, self._files, self._salvage, self._clock.now(), done)
                undo.callback(rescue.close)
                if done is None:
                    rescue.begin(write)
                if rescue.is_ours():
                    left.append(rescue)
                else:
                    rescue.close()
            undo.pop_all()
        self._left = left

    def take_up(self) -> bool:
        """Say that the new file can be written; tell whether something was put off that the next step goes on with."""
        taken, self.is_put_off = self.is_put_off, False
        self._is_taken_up = self._is_taken_up or taken
        return taken

    def step(self, write: Write[C]) -> None:
        """Make one change. When the new file cannot be written the rest is put off, for any process to go on with."""
        try:
            if self._is_taken_up:
                self._is_taken_up = False
                write(lambda connection: self.begin(connection, lambda change: change(connection)))
            has_more = bool(self._left) and self._left[0].step(write)
        except StoreError as error:
            if not self._is_told:
                _LOG.warning("Saving pages of a damaged file is put off until something can be kept again: %s", error)
            self.close()
            self.is_put_off = self._is_told = True
            return
        # The new file may have been found damaged meanwhile, and all of it been let go of.
        if not has_more and self._left:
            self._left.pop(0).close()

    def finish(self, write: Write[C], *, within_s: float) -> None:
        """Go on for so long at most; a command that ends at once would else never get anywhere."""
        until = time.monotonic() + within_s
        while self and time.monotonic() < until:
            self.step(write)
        self.close()

    def close(self) -> None:
        """Leave everything as it is."""
        self.is_put_off = self._is_taken_up = False
        while self._left:
            self._left.pop().close()


def note_gone(connection: Executing, url: str, view: str | None = None) -> None:
    """Note that a page was removed, in one view or all, if recovery might bring it back."""
    if is_under_way(connection):
        key = _gone(url, view)
        connection.execute("DELETE FROM meta WHERE key = ?", (key,))
        connection.execute("INSERT INTO meta VALUES (?, '')", (key,))


def is_gone(connection: Executing, url: str, view: str) -> bool:
    """Whether a page was removed during recovery."""
    keys = (_gone(url, view), _gone(url, None))
    return connection.execute("SELECT 1 FROM meta WHERE key IN (?, ?)", keys).fetchone() is not None


def _gone(url: str, view: str | None) -> str:
    # No view has such a name.
    address = f"{'*' if view is None else view} {url}"
    return f"{_GONE}{sha256(address.encode('utf-8', 'surrogatepass')).hexdigest()}"


def is_under_way(connection: Executing) -> bool:
    """Whether pages of a damaged file may still come into this one."""
    row = connection.execute("SELECT 1 FROM meta WHERE key >= ? AND key < ? LIMIT 1", _range(_SAVING)).fetchone()
    return row is not None


def _range(prefix: str) -> tuple[str, str]:
    """The range of keys with this prefix."""
    return prefix, f"{prefix}\U0010ffff"


def _done(connection: Executing, folder: Path) -> Done | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_key(folder),)).fetchone()
    numbers = str(row[0]).split() if row else []
    is_whole = 1 <= len(numbers) <= len(Done._fields) and all(number.isdecimal() for number in numbers)
    return Done(*map(int, numbers)) if is_whole else None


def _told(lost: int, *, is_certain: bool) -> str:
    if is_certain:
        return f"{lost} could not be read" if lost else "none was lost"
    return f"{f'{lost} could not be read, and ' if lost else ''}whether there were more cannot be told"


def _forget(connection: Executing, folder: Path) -> None:
    connection.execute("DELETE FROM meta WHERE key = ?", (_key(folder),))


def _key(folder: Path) -> str:
    return f"{_SAVING}{folder.name}"
